"""``maxcover verify``: a problem and a solution in, what holds and what does not out."""

from __future__ import annotations

import json
import sys
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from maxcover.cli.solve import Format, read_problem
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from maxcover import Verification


def verify(
    problem: Annotated[
        Path, typer.Argument(metavar="PROBLEM", help="A problem that maxcover saved.")
    ],
    solution: Annotated[
        Path,
        typer.Argument(metavar="SOLUTION", help="A solution or plan of it that maxcover saved."),
    ],
    form: Annotated[
        Format, typer.Option("--format", help="auto: a list on a terminal, JSON when piped.")
    ] = Format.auto,
) -> None:
    """Check a saved solution in exact arithmetic.

    Value, cost, every limit, and the bound.
    Exit code 0 if everything that was checked holds, 1 if not.
    """
    import maxcover as mc

    found = mc.load(solution)
    if not isinstance(found, mc.Solution | mc.Plan):
        raise OptionError(f"expected a solution in {solution.name!r}, got a problem")
    report = mc.verify(read_problem(problem), found)
    if form is Format.json or (form is Format.auto and not sys.stdout.isatty()):
        typer.echo(json.dumps(report.to_dict()))
    else:
        typer.echo(_lines(report))
    if not report.ok:
        raise typer.Exit(1)


def _lines(report: Verification) -> str:
    rows = [
        *(("holds", text) for text in report.checked),
        *(("refused", text) for text in report.refused),
        *(("trusted", text) for text in report.trusted),
        ("status", report.solution.status),
    ]
    return "\n".join(f"{name:8} {text}" for name, text in rows)
