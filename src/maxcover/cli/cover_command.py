"""``maxcover cover``: a problem file in, the cheapest sets that cover enough out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import PATH, argument, form, options_of, output, quiet
from maxcover.cli.solve_command import FORMATS, PROBLEM, finish, read_problem, share
from maxcover.cli.solve_command import searching as watched

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = """\b
Examples:
  maxcover cover problem.npz --target 95%
  maxcover cover sets.csv --target 100% -o plan.json

A .csv file has the columns set, element and, if any, cost and weight.
"""


@click.command(epilog=EXAMPLES)
@argument("problem", PROBLEM, type=PATH)
@click.option(
    "--target",
    metavar="SHARE",
    default="100%",
    help="Share of the weight to cover, e.g. 95% or 0.95.",
)
@click.option("--start", type=PATH, help="Earlier answer to start from: .npz or .json.")
@options_of("cover", "start", "target")
@output("Save the plan: .npz or .json.", endings=(".npz", ".json"))
@form(FORMATS, default="auto", help="auto: table on a terminal, JSON when piped.")
@quiet
def cover(
    problem: Path,
    target: str,
    start: Path | None,
    out: Path | None,
    form: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Choose the cheapest sets that cover enough."""
    import maxcover as mc

    read = read_problem(problem, budget=0.0)
    with watched(start, quiet=quiet) as further:
        plan = mc.cover(read, target=share(target), **options, **further)
    finish(read, plan, out, form)
