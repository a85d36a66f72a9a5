"""``maxcover verify``: checks a saved solution against its problem."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from maxcover.cli.choices import PATH, argument, form
from maxcover.cli.solve_command import FORMATS, PROBLEM, read_problem, wants_json
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path


@click.command
@argument("problem", PROBLEM, type=PATH)
@argument("solution", "A saved solution of it.", type=PATH)
@click.option("--budget", "-b", type=float, help="Budget that was given to solve.")
@click.option("--strict", is_flag=True, help="Refuse a bound that rests on somebody's word.")
@form(FORMATS, default="auto", help="auto: list on a terminal, JSON when piped.")
def verify(problem: Path, solution: Path, budget: float | None, strict: bool, form: str) -> None:
    """Check a saved solution in exact arithmetic.

    It checks value, cost, every limit, and the bound. The first line says the outcome, and so does
    the exit code: 0 proven, 1 refused, 3 trusted (HiGHS or branch and bound claims the bound).
    """
    import maxcover as mc
    from maxcover.core.verify import EXIT_CODES

    found = mc.load(solution)
    if not isinstance(found, mc.Solution):
        raise OptionError(f"expected a solution in {solution.name!r}, got a problem")
    if budget is None and found.target is not None:
        budget = 0.0  # the solution has a target, so its budget is not used
    report = mc.verify(read_problem(problem, budget=budget), found, strict=strict)
    if wants_json(form):
        click.echo(json.dumps(report.to_dict()))
    else:
        click.echo(str(report))
    if code := EXIT_CODES[report.outcome]:
        raise click.exceptions.Exit(code)
