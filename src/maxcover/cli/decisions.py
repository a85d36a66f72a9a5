"""What the commands about a solution share: their parameters, and how a result is shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import PATH, argument, by_ending, form, option, output
from maxcover.cli.solve_command import PROBLEM, read_problem, read_solution, wants_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from maxcover import Alternatives, CoverageProblem, Explanation, Plan, Sensitivity, Solution

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
    Result = Alternatives | Explanation | Plan | Sensitivity

FORMATS = ("auto", "text", "json")
_ENDINGS = {".json": "json", ".csv": "csv", ".png": "picture", ".svg": "picture"}


def asking(function: str, *own: Decorator) -> Decorator:
    """Give a command its own parameters, between those that every one of these commands has."""
    parts: tuple[Decorator, ...] = (
        click.option("--budget", "-b", type=float, help="Maximum total cost. Default: the file's."),
        *own,
        option("effort", of=function),
        option("seed", of=function, type=int),
        output("Write the result: .json, .csv, .png or .svg.", endings=_ENDINGS),
        form(FORMATS, default="auto", help="auto: text on a terminal, JSON when piped."),
    )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for part in reversed(parts):
            command = part(command)
        return command

    return decorate


problem_file = argument("problem", PROBLEM, type=PATH)
solution_file = click.option(
    "--solution", type=PATH, help="A saved solution: .npz or .json. Default: solve first."
)


def read(
    problem: Path, budget: float | None, solution: Path | None = None
) -> tuple[CoverageProblem, Solution | None]:
    """Read a problem, and the solution of it that was saved, if any."""
    found = None if solution is None else read_solution(solution)
    return read_problem(problem, budget=budget), found


def show(result: Result, out: Path | None, form: str) -> None:
    """Print a result, or write it where it is asked for."""
    kind = "" if out is None else by_ending(out, _ENDINGS)
    if out is None:
        click.echo(json.dumps(result.to_dict()) if wants_json(form) else str(result))
    elif kind == "json":
        out.write_text(json.dumps(result.to_dict(), indent=1) + "\n", encoding="utf-8")
    elif kind == "csv":
        result.to_pandas().to_csv(out, index=False)
    else:
        result.plot().savefig(out)
