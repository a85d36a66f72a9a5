"""``maxcover solve``, ``cover`` and ``verify``: certified selections for problems in files."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import (
    AMOUNT,
    PATH,
    all_of,
    argument,
    form,
    options_of,
    output,
    quiet,
    several,
)
from maxcover.cli.console import status
from maxcover.core.wording import number, spent
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from maxcover import CoverageProblem, Progress, Solution
    from maxcover.cli.choices import Decorator


FORMATS = ("auto", "table", "json")
PROBLEM = "A saved problem, or sets as .json, .csv, .tsv or .parquet."


EXAMPLES = """\b
Examples:
  maxcover solve problem.npz
  maxcover solve sets.json --budget 3 -o solution.json
  maxcover solve sets.csv --budget 3

Plain JSON is {"sets": {"a": ["x", "y"], ...}, "costs": {...}, "weights": {...}, "budget": 3} or the
sets alone. A .csv file has the columns set, element and, if any, cost and weight.
"""


COVER_EXAMPLES = """\b
Examples:
  maxcover cover problem.npz --target 95%
  maxcover cover sets.csv --target 100% -o plan.json

A .csv file has the columns set, element and, if any, cost and weight.
"""
columns = several(
    "--column",
    "columns",
    metavar="NAME=COLUMN",
    help="Column of a table, e.g. cost=price. May be repeated.",
)
sep = click.option("--sep", help="Split the elements in a cell of a table by this, e.g. ';'.")


def _command(call: str, *own: Decorator, epilog: str) -> Callable[..., click.Command]:
    """Return a decorator that makes a function the command `call`, with all its parameters."""
    parts = all_of(
        argument("problem", PROBLEM, type=PATH),
        columns,
        sep,
        *own,
        click.option("--start", type=PATH, help="Earlier answer to start from: .npz or .json."),
        options_of(call, "start", "target"),
        output("Save the answer: .npz or .json.", endings=(".npz", ".json")),
        form(FORMATS, default="auto", help="auto: table on a terminal, JSON when piped."),
        quiet,
    )

    return lambda function: click.command(call, epilog=epilog)(parts(function))


@_command(
    "solve",
    click.option(
        "--budget", "-b", type=AMOUNT, help="Maximum total cost, or 50%. Default: that in the file."
    ),
    several(
        "--set", "assignments", metavar="NAME=VALUE", help="Option of the method, e.g. --set mu=5."
    ),
    epilog=EXAMPLES,
)
def solve(assignments: tuple[str, ...], **given: Any) -> None:
    """Choose the sets that cover the most, with a certificate."""
    import maxcover as mc

    _search(mc.solve, **given, **dict(_option(text) for text in assignments))


@_command(
    "cover",
    click.option(
        "--target",
        metavar="SHARE",
        default="100%",
        help="Share of the weight to cover, e.g. 95% or 0.95.",
    ),
    epilog=COVER_EXAMPLES,
)
def cover(target: str, **given: Any) -> None:
    """Choose the cheapest sets that cover enough."""
    import maxcover as mc

    _search(mc.cover, budget=0.0, target=share(target), **given)


def _search(
    call: Callable[..., Solution],
    *,
    problem: Path,
    budget: float | str | None,
    columns: tuple[str, ...],
    sep: str | None,
    start: Path | None,
    out: Path | None,
    form: str,
    quiet: bool,
    **options: Any,
) -> None:
    read = read_problem(problem, budget=budget, **table_options(columns, sep))
    with searching(start, quiet=quiet) as further:
        solution = call(read, **options, **further)
    finish(read, solution, out, form)


@contextmanager
def searching(start: Path | None, *, quiet: bool) -> Iterator[dict[str, Any]]:
    """Show the status of a search; yield its options `start` and `callback`."""
    with status(quiet=quiet) as say:
        yield {
            "start": None if start is None else read_solution(start),
            "callback": lambda where: say(_sentence(where)),
        }


def finish(problem: CoverageProblem, solution: Solution, out: Path | None, form: str) -> None:
    """Save a solution if `out` is given, and print it as JSON or as a table."""
    import maxcover as mc

    if out is not None:
        mc.save(solution, out)
    if wants_json(form):
        click.echo(json.dumps(solution.to_dict()))
    else:
        _print_table(problem, solution)


def wants_json(form: str) -> bool:
    """Whether to print JSON: if `form` is json, or auto and stdout is not a terminal."""
    return form == "json" or (form == "auto" and not sys.stdout.isatty())


def table_options(columns: tuple[str, ...], sep: str | None) -> dict[str, str]:
    """Turn ``--column`` values into options of `from_table`: cost=price is costs="price"."""
    from maxcover.core.edge_tables import ROLES

    arguments = {"set": "set", "element": "element"}
    arguments |= {name: role.argument for name, role in ROLES.items()}
    found = {} if sep is None else {"sep": sep}
    for text in columns:
        name, _, column = text.partition("=")
        if name not in arguments or not column:
            listed = ", ".join(arguments)
            raise OptionError(f"expected --column NAME=COLUMN with {listed} as NAME, got {text!r}")
        found[arguments[name]] = column
    return found


def read_problem(
    path: Path, *, budget: float | str | None = None, **options: str
) -> CoverageProblem:
    """Read a saved problem or plain sets; refuse a saved solution."""
    import maxcover as mc

    read = mc.load(path, budget=budget, **options)
    if not isinstance(read, mc.CoverageProblem):
        raise OptionError(f"expected a problem in {path.name!r}, got a solution")
    return read


def read_solution(path: Path) -> Solution:
    """Read a saved solution or plan; refuse a problem."""
    import maxcover as mc

    read = mc.load(path)
    if isinstance(read, mc.CoverageProblem):
        raise OptionError(f"expected a solution in {path.name!r}, got a problem")
    return read


def share(text: str) -> float:
    """Parse a share of the weight: 95% or 0.95.

    Examples
    --------
    >>> share("95%"), share("0.95")
    (0.95, 0.95)
    """
    from maxcover.core import validation

    number = AMOUNT.convert(text, None, None)
    part = validation.share(number, "--target") if isinstance(number, str) else number
    if not 0 < part <= 1:
        raise OptionError(f"expected a share above 0 and up to 100%, got {text!r}")
    return float(part)


def _option(text: str) -> tuple[str, Any]:
    """Parse NAME=VALUE; a value that is valid JSON (a number, true) is parsed, others stay text."""
    name, found, value = text.partition("=")
    if not found or not name:
        raise OptionError(f"expected --set NAME=VALUE, got {text!r}")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def _sentence(where: Progress) -> str:
    return (
        f"{where.part}: value {number(where.value)}, bound {number(where.bound)}, "
        f"gap {where.gap:.3%}, {where.seconds:.1f} s"
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
        ("status", f"{solution.standing} ({solution.stopped})"),
        ("value", f"{number(solution.value)} of {number(problem.weights.sum())}"),
        *_bound_rows(problem, solution),
        ("sets", f"{len(shown)} of {problem.n_sets}: {names}"),
        ("method", f"{solution.method}, {solution.seconds:.3g} s"),
    ):
        table.add_row(name, text)
    Console(highlight=False, markup=False).print(table)


def _bound_rows(problem: CoverageProblem, solution: Solution) -> list[tuple[str, str]]:
    """Return table rows with the cost and the bound: above the value, or below the cost."""
    cost = spent(solution.cost, solution.budgets)
    proof = f"by {solution.bound_by}, gap {solution.gap:.3%}"
    if solution.target is None:
        return [
            ("at most", f"{number(solution.upper_bound)} {proof}"),
            ("cost", cost if solution.budgets else f"{cost} of {number(problem.budget)}"),
        ]
    return [
        ("needed", number(solution.target)),
        ("cost", cost),
        ("at least", f"{number(solution.lower_bound)} {proof}"),
    ]


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

    found = read_solution(solution)
    if budget is None and found.target is not None:
        budget = 0.0  # the solution has a target, so its budget is not used
    report = mc.verify(read_problem(problem, budget=budget), found, strict=strict)
    click.echo(json.dumps(report.to_dict()) if wants_json(form) else str(report))
    if code := EXIT_CODES[report.outcome]:
        raise click.exceptions.Exit(code)
