"""``maxcover solve``: a problem file in, a certified selection out."""

from __future__ import annotations

import json
import sys
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import PATH, argument, one_of, option, quiet, several
from maxcover.cli.console import status
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path

    from maxcover import CoverageProblem, Progress, Solution

FORMATS = ("auto", "table", "json")


@click.command
@argument("problem", "A problem that maxcover saved.", type=PATH)
@click.option(
    "--target",
    metavar="SHARE",
    help="The cheapest sets that cover this share of the weight, as in 95% or 0.95, whatever the "
    "budget says.",
)
@click.option("--method", default="auto", help="How to choose; an unknown name lists the methods.")
@option("effort", listed=False, default="normal")
@option("time_limit", type=float)
@option("target_gap", default=0.0)
@option("seed", default=0)
@option("checkable", default=False)
@click.option("--start", type=PATH, help="An earlier solution to begin from: .npz or .json.")
@option("change_cost", default=0.0)
@several("--set", "assignments", metavar="NAME=VALUE", help="An option of the method: --set mu=5")
@click.option("--out", "-o", type=PATH, help="Save the solution: .npz or .json.")
@one_of(
    FORMATS,
    "--format",
    "form",
    default="auto",
    help="auto: a table on a terminal, JSON when piped.",
)
@quiet
def solve(
    problem: Path,
    target: str | None,
    effort: str,
    start: Path | None,
    assignments: tuple[str, ...],
    out: Path | None,
    form: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Choose the sets that cover the most, with a certificate.

    With --target: the cheapest sets that cover that share of the weight.
    """
    import maxcover as mc

    own = dict(_option(text) for text in assignments)
    read = read_problem(problem)
    if target is not None and own:
        raise OptionError("expected no --set with --target: its methods have no further options")
    with status(quiet=quiet) as say:
        options |= {
            "start": None if start is None else _read_solution(start),
            "callback": lambda where: say(_sentence(where)),
        }
        solution = (
            mc.solve(read, effort=effort, **options, **own)
            if target is None
            else mc.cover(read, target=share(target), **options)
        )
    if out is not None:
        mc.save(solution, out)
    if wants_json(form):
        click.echo(json.dumps(solution.to_dict()))
    else:
        _print_table(read, solution)


def wants_json(form: str) -> bool:
    """Whether --format asks for JSON, or leaves it to where standard output goes."""
    return form == "json" or (form == "auto" and not sys.stdout.isatty())


def read_problem(path: Path) -> CoverageProblem:
    """Read a problem; anything else is refused."""
    import maxcover as mc

    read = mc.load(path)
    if not isinstance(read, mc.CoverageProblem):
        raise OptionError(f"expected a problem in {path.name!r}, got a solution")
    return read


def _read_solution(path: Path) -> Solution:
    """Read a solution or a plan; a problem is refused."""
    import maxcover as mc

    read = mc.load(path)
    if isinstance(read, mc.CoverageProblem):
        raise OptionError(f"expected a solution in {path.name!r}, got a problem")
    return read


def share(text: str) -> float:
    """Read a share of the weight: 95% or 0.95.

    Examples
    --------
    >>> share("95%"), share("0.95")
    (0.95, 0.95)
    """
    try:
        # a decimal, so that 95% is 0.95 to the last digit
        number = Decimal(text.strip().removesuffix("%").strip())
    except InvalidOperation:
        raise OptionError(f"expected a share such as 95% or 0.95, got {text!r}") from None
    number = number / 100 if "%" in text else number
    if not 0 < number <= 1:
        raise OptionError(f"expected a share above 0 and up to 100%, got {text!r}")
    return float(number)


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
        *_bound_rows(problem, solution),
        ("sets", f"{len(shown)} of {problem.n_sets}: {names}"),
        ("method", f"{solution.method}, {solution.seconds:.3g} s"),
    ):
        table.add_row(name, text)
    Console(highlight=False, markup=False).print(table)


def _bound_rows(problem: CoverageProblem, solution: Solution) -> list[tuple[str, str]]:
    """Return cost and bound: what is given, and what no other selection can beat."""
    proof = f"by {solution.bound_by}, gap {solution.gap:.3%}"
    if hasattr(solution, "upper_bound"):
        return [
            ("at most", f"{solution.upper_bound:g} {proof}"),
            ("cost", f"{solution.cost:g} of {problem.budget:g}"),
        ]
    return [
        ("needed", f"{solution.target:g}"),
        ("cost", f"{solution.cost:g}"),
        ("at least", f"{solution.lower_bound:g} {proof}"),
    ]
