"""``maxcover solve``, ``cover`` and ``verify``: certified selections for problems in files."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import (
    AMOUNT,
    PATH,
    all_of,
    argument,
    budget,
    options_of,
    output,
    quiet,
    text_or_json,
)
from maxcover.cli.console import end_empty, print_answer, status
from maxcover.engine.core.wording import number, spent
from maxcover.errors import FileFormatError, OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from maxcover import CoverageProblem, Progress, Solution
    from maxcover.cli.choices import Decorator


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


def _command(call: str, *own: Decorator, epilog: str) -> Callable[..., click.Command]:
    """Return a decorator that makes a function the command `call`, with all its parameters."""
    parts = all_of(
        argument("problem", PROBLEM, type=PATH),
        *own,
        click.option("--start", type=PATH, help="Earlier answer to start from: .npz or .json."),
        options_of(call, "start", "target"),
        output("Save the answer: .npz or .json.", endings=(".npz", ".json")),
        text_or_json,
        click.option("--trace", is_flag=True, help="Print the stages of the search to stderr."),
        quiet,
    )

    return lambda function: click.command(call, epilog=epilog)(parts(function))


@_command(
    "solve",
    budget,
    epilog=EXAMPLES,
)
def solve(**given: Any) -> None:
    """Choose the sets that cover the most, with a certificate."""
    import maxcover as mc

    _search(mc.solve, **given)


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
    start: Path | None,
    out: Path | None,
    form: str,
    quiet: bool,
    trace: bool,
    **options: Any,
) -> None:
    import maxcover as mc

    read = read_problem(problem, budget=budget)
    with searching(start, quiet=quiet) as further:
        solution = call(read, **options, **further)
    if out is not None:
        mc.save(solution, out)
    if options.get("dry_run"):
        click.echo(solution.trace.facts)
        return
    if trace:
        click.echo(str(solution.trace), err=True)
    print_solution(read, solution, form)


@contextmanager
def searching(start: Path | None, *, quiet: bool) -> Iterator[dict[str, Any]]:
    """Show the status of a search; yield its options `start` and `callback`."""
    with status(quiet=quiet) as say:
        yield {
            "start": None if start is None else read_solution(start),
            "callback": lambda where: say(_sentence(where)),
        }


def print_solution(problem: CoverageProblem, solution: Solution, form: str) -> None:
    """Print a solution as JSON, or what was chosen, its value and cost, and what is proven."""
    shown = solution.labels or solution.selected.tolist()
    names = ", ".join(str(label) for label in shown[:20]) + (", …" if len(shown) > 20 else "")
    of_budget = "" if solution.budgets or solution.target else f" of {number(problem.budget)}"
    taken = f"; {solution.method} in {solution.seconds:.3g} s" if solution.method else ""
    lines = (
        f"{len(shown):,} of {problem.n_sets:,} sets: {names}",
        f"value {number(solution.value)} of {number(problem.weights.sum())}, "
        f"cost {spent(solution.cost, solution.budgets)}{of_budget}",
        solution.certificate,
        f"{solution.standing}: {solution.stopped}{taken}",
    )
    print_answer(solution, form, "\n".join(lines))
    if not shown:
        end_empty(f"nothing is chosen: {solution.stopped}")


def read_problem(path: Path, *, budget: float | str | None = None) -> CoverageProblem:
    """Read a saved problem or plain sets; refuse a saved solution."""
    import maxcover as mc

    read = mc.load(path, budget=budget)
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
    from maxcover.engine.core import validation

    number = AMOUNT.convert(text, None, None)
    part = validation.share(number, "--target") if isinstance(number, str) else number
    if not 0 < part <= 1:
        raise OptionError(f"expected a share above 0 and up to 100%, got {text!r}")
    return float(part)


def _sentence(where: Progress) -> str:
    return (
        f"{where.part}: value {number(where.value)}, bound {number(where.bound)}, "
        f"gap {where.gap:.3%}, {where.seconds:.1f} s"
    )


@click.command
@argument("problem", PROBLEM, type=PATH)
@argument("solution", "A saved solution of it.", type=PATH)
@budget
@click.option("--strict", is_flag=True, help="Refuse a bound that rests on somebody's word.")
@text_or_json
def verify(
    problem: Path, solution: Path, budget: float | str | None, strict: bool, form: str
) -> None:
    """Check a saved solution in exact arithmetic.

    It checks value, cost, every limit, and the bound. The first line says the outcome, and so does
    the exit code: 0 proven, 1 refused, 3 trusted (HiGHS or branch and bound claims the bound).
    """
    from maxcover.engine.core.io import plain_record, read_answer
    from maxcover.engine.core.verify import EXIT_CODES, check, refusal

    try:
        answer = read_answer(solution)
    except FileFormatError as error:
        report = refusal(str(error))
    else:
        if isinstance(answer, dict) and answer.get("kind") == "problem":
            raise OptionError(f"expected a solution in {solution.name!r}, got a problem")
        if budget is None and isinstance(answer, dict) and answer.get("target") is not None:
            budget = 0.0  # the solution has a target, so its budget is not used
        report = check(plain_record(read_problem(problem, budget=budget)), answer, strict=strict)
    print_answer(report, form)
    if code := EXIT_CODES[report.outcome]:
        raise click.exceptions.Exit(code)
