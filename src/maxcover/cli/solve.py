"""``maxcover solve``: a problem file in, a certified selection out."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maxcover.cli.choices import Effort, option
from maxcover.cli.console import Quiet, status
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from maxcover import CoverageProblem, Progress, Solution


class Format(StrEnum):
    """How the answer is printed."""

    auto = "auto"
    table = "table"
    json = "json"


def solve(
    problem: Annotated[
        Path, typer.Argument(metavar="PROBLEM", help="A problem that maxcover saved.")
    ],
    method: Annotated[
        str, typer.Option(help="How to choose; an unknown name lists the methods.")
    ] = "auto",
    effort: Effort = "normal",
    time_limit: Annotated[float | None, option("time_limit")] = None,
    target_gap: Annotated[float, option("target_gap")] = 0.0,
    seed: Annotated[int, option("seed")] = 0,
    checkable: Annotated[bool, option("checkable")] = False,
    options: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="An option of the method: --set mu=5"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Save the solution: .npz or .json.")
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", help="auto: a table on a terminal, JSON when piped.")
    ] = Format.auto,
    quiet: Quiet = False,
) -> None:
    """Choose sets within the budget that cover much weight, and say how good that is."""
    import maxcover as mc

    chosen_options = dict(_option(text) for text in options or [])
    read = read_problem(problem)
    with status(quiet=quiet) as say:
        solution = mc.solve(
            read,
            method=method,
            effort=effort,
            time_limit=time_limit,
            target_gap=target_gap,
            seed=seed,
            checkable=checkable,
            callback=lambda where: say(_sentence(where)),
            **chosen_options,
        )
    if out is not None:
        mc.save(solution, out)
    if form is Format.json or (form is Format.auto and not sys.stdout.isatty()):
        typer.echo(json.dumps(solution.to_dict()))
    else:
        _print_table(read, solution)


def read_problem(path: Path) -> CoverageProblem:
    """Read a problem; anything else is refused."""
    import maxcover as mc

    read = mc.load(path)
    if not isinstance(read, mc.CoverageProblem):
        raise OptionError(f"expected a problem in {path.name!r}, got a solution")
    return read


def _option(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE; the value is a number, true or false where it looks like one, else text."""
    name, found, value = text.partition("=")
    if not found or not name:
        raise OptionError(f"expected --set NAME=VALUE, got {text!r}")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def _sentence(where: Progress) -> str:
    return (
        f"{where.part}: value {where.value:g}, bound {where.bound:g}, gap {where.gap:.3%}, "
        f"{where.seconds:.1f} s"
    )


def _print_table(problem: CoverageProblem, solution: Solution) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    shown = solution.labels or solution.selected.tolist()
    names = ", ".join(str(label) for label in shown[:20]) + (", …" if len(shown) > 20 else "")
    for name, text in (
        ("status", f"{solution.status} ({solution.stopped})"),
        ("value", f"{solution.value:g} of {problem.weights.sum():g}"),
        ("at most", f"{solution.upper_bound:g} by {solution.bound_by}, gap {solution.gap:.3%}"),
        ("cost", f"{solution.cost:g} of {problem.budget:g}"),
        ("sets", f"{len(shown)} of {problem.n_sets}: {names}"),
        ("method", f"{solution.method}, {solution.seconds:.3g} s"),
    ):
        table.add_row(name, text)
    Console(highlight=False, markup=False).print(table)
