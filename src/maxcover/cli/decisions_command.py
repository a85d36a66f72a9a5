"""Decisions command: ``explain``, ``alternatives``, ``plan`` and ``sensitivity`` in one file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import PATH, argument, form, options_of, output
from maxcover.cli.solve_command import PROBLEM, read_problem, read_solution, wants_json
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from maxcover import CoverageProblem
    from maxcover.decisions.decision import Decision

FORMATS = ("auto", "text", "json")
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
solution_file = click.option(
    "--solution", type=PATH, help="A saved solution: .npz or .json. Default: solve first."
)
labels = argument("sets", "Labels or indices of sets. Default: all.", nargs=-1)
budgets = click.option(
    "--budgets", metavar="1,2,3", help="Budget by the end of each phase, growing."
)


def _command(*own: Any) -> Callable[[Callable[..., Decision]], click.Command]:
    """Make a command of a function that gives a result, with its own parameters and all options."""

    def decorate(function: Callable[..., Decision]) -> click.Command:
        name = function.__name__

        def run(out: Path | None, form: str, **given: Any) -> None:
            result = function(**given)
            if out is not None:
                result.save(out)
            else:
                click.echo(json.dumps(result.to_dict()) if wants_json(form) else str(result))

        run.__doc__ = function.__doc__
        parameters = (
            argument("problem", PROBLEM, type=PATH),
            click.option("--budget", "-b", type=float, help="Maximum total cost."),
            *own,
            options_of(name),
            output(f"Write the result: {', '.join(_ENDINGS)}.", endings=_ENDINGS),
            form_of_result,
        )
        for parameter in reversed(parameters):
            run = parameter(run)
        examples = "".join(f"  maxcover {name} {line}\n" for line in _EXAMPLES[name])
        return click.command(name, epilog=f"\b\nExamples:\n{examples}")(run)

    return decorate


form_of_result = form(FORMATS, default="auto", help="auto: text on a terminal, JSON when piped.")


@_command(labels, solution_file)
def explain(
    problem: Path,
    budget: float | None,
    sets: tuple[str, ...],
    solution: Path | None,
    **options: Any,
) -> Decision:
    """Say why sets are chosen or not, and what a change costs."""
    import maxcover as mc

    asked, found = _read(problem, budget, solution)
    return mc.explain(asked, found, [_named(asked, text) for text in sets] or None, **options)


@_command(solution_file)
def alternatives(
    problem: Path, budget: float | None, solution: Path | None, **options: Any
) -> Decision:
    """Find other selections that are nearly as good."""
    import maxcover as mc

    return mc.alternatives(*_read(problem, budget, solution), **options)


@_command(solution_file)
def sensitivity(
    problem: Path, budget: float | None, solution: Path | None, **options: Any
) -> Decision:
    """Draw the weights again and see what the selection loses."""
    import maxcover as mc

    return mc.sensitivity(*_read(problem, budget, solution), **options)


@_command(budgets)
def plan(
    problem: Path, budget: float | None, budgets: str | None, phases: str | None, **options: Any
) -> Decision:
    """Choose in which order, for budgets that grow."""
    import maxcover as mc

    sizes = None if budgets is None else read_budgets(budgets)
    steps: Any = int(phases) if phases is not None and phases.isdecimal() else phases
    read = read_problem(problem, budget=budget if sizes is None else max(sizes))
    return mc.plan(read, sizes, phases=steps, **options)


def read_budgets(text: str) -> list[float]:
    """Read numbers with commas between them."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"expected --budgets to be numbers such as 1,2,3, got {text!r}") from None


def _read(
    problem: Path, budget: float | None, solution: Path | None
) -> tuple[CoverageProblem, Any]:
    """Read a problem, and the solution of it that was saved, if any."""
    found = None if solution is None else read_solution(solution)
    return read_problem(problem, budget=budget), found


def _named(problem: CoverageProblem, text: str) -> Any:
    """Read a set: its label as it is written, or a number."""
    is_label = problem.set_labels is not None and text in problem.set_labels
    return int(text) if text.isdecimal() and not is_label else text
