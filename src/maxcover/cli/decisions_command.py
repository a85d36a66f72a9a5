"""Decisions command: ``explain``, ``alternatives``, ``plan`` and ``sensitivity`` in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import PATH, all_of, argument, budget, options_of, output, text_or_json
from maxcover.cli.console import print_answer
from maxcover.cli.solve_command import PROBLEM, read_problem, read_solution
from maxcover.errors import OptionError
from maxcover.ground.calls import TITLES

if TYPE_CHECKING:
    from pathlib import Path

    from maxcover import CoverageProblem
    from maxcover.engine.decisions.decision import Decision

_ENDINGS = (".json", ".csv", ".png", ".svg", ".pdf")
_EXAMPLES = {
    "explain": (
        "hubs.csv Lyon Paris --budget 5",
        "problem.npz --solution solution.json -o losses.svg",
    ),
    "alternatives": (
        "hubs.csv --budget 5 --within 0.02",
        "problem.npz --solution solution.json -o matrix.svg",
    ),
    "plan": (
        "hubs.csv --budgets 1,2,3,4,5",
        "problem.npz --phases 4 -o stairs.svg",
        "problem.npz --phases every",
    ),
    "sensitivity": (
        "hubs.csv --budget 5 --spread 0.3",
        "problem.npz --solution solution.json -o shares.svg",
    ),
}
_SETS = argument("sets", "Labels or indices of sets. Default: all.", nargs=-1)
_SOLUTION = click.option(
    "--solution", type=PATH, help="A saved solution: .npz or .json. Default: solve first."
)
_BUDGETS = click.option(
    "--budgets", metavar="1,2,3", help="Budget in total by the end of each phase, growing."
)


def _command(name: str, *own: Any) -> click.Command:
    """Make the command `name`, with its own parameters and all options of its call."""

    def run(problem: Path, out: Path | None, form: str, **given: Any) -> None:
        result = _answer(name, problem, **given)
        if out is not None:
            result.save(out)
        else:
            print_answer(result, form)

    parameters = all_of(
        argument("problem", PROBLEM, type=PATH),
        budget,
        *own,
        options_of(name),
        output(f"Write the result: {', '.join(_ENDINGS)}.", endings=_ENDINGS),
        text_or_json,
    )
    examples = "".join(f"  maxcover {name} {line}\n" for line in _EXAMPLES[name])
    return click.command(name, help=TITLES[name], epilog=f"\b\nExamples:\n{examples}")(
        parameters(run)
    )


explain = _command("explain", _SETS, _SOLUTION)
alternatives = _command("alternatives", _SOLUTION)
sensitivity = _command("sensitivity", _SOLUTION)
plan = _command("plan", _BUDGETS)


def _answer(
    name: str,
    problem: Path,
    *,
    budget: float | str | None,
    solution: Path | None = None,
    budgets: str | None = None,
    **options: Any,
) -> Decision:
    """Read a problem and its saved solution, if given, and run the call `name` on them."""
    import maxcover as mc

    sizes = None if budgets is None else read_budgets(budgets)
    read = read_problem(problem, budget=budget if sizes is None else max(sizes))
    if name == "plan":
        phases = options.pop("phases")
        is_count = phases is not None and phases.isdecimal()
        return mc.plan(read, sizes, phases=int(phases) if is_count else phases, **options)
    if name == "explain":
        options["sets"] = [_named(read, text) for text in options["sets"]] or None
    found = None if solution is None else read_solution(solution)
    result: Decision = getattr(mc, name)(read, found, **options)
    return result


def read_budgets(text: str) -> list[float]:
    """Parse numbers separated by commas."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"expected --budgets to be numbers such as 1,2,3, got {text!r}") from None


def _named(problem: CoverageProblem, text: str) -> Any:
    """Return `text` if it is the label of a set, otherwise its index if `text` is a number."""
    is_label = problem.set_labels is not None and text in problem.set_labels
    return int(text) if text.isdecimal() and not is_label else text
