"""``maxcover explain``: why sets are chosen or not, and what changing that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import argument, option
from maxcover.cli.decisions import asking, problem_file, read, show, solution_file

if TYPE_CHECKING:
    from pathlib import Path

    from maxcover import CoverageProblem

EXAMPLES = """\b
Examples:
  maxcover explain hubs.csv Lyon Paris --budget 5
  maxcover explain problem.npz --solution solution.json -o losses.svg
"""


@click.command(epilog=EXAMPLES)
@problem_file
@argument("sets", "Labels or indices of sets. Default: all.", nargs=-1)
@asking(
    "explain",
    solution_file,
    option("tight", of="explain"),
    option("time_limit", of="explain"),
)
def explain(
    problem: Path,
    sets: tuple[str, ...],
    budget: float | None,
    solution: Path | None,
    out: Path | None,
    form: str,
    **options: Any,
) -> None:
    """Say why sets are chosen or not, and what a change costs."""
    import maxcover as mc

    asked, found = read(problem, budget, solution)
    named = [_named(asked, text) for text in sets] or None
    show(mc.explain(asked, found or mc.solve(asked), named, **options), out, form)


def _named(problem: CoverageProblem, text: str) -> Any:
    """Read a set: its label as it is written, or a number."""
    is_label = problem.set_labels is not None and text in problem.set_labels
    return int(text) if text.isdecimal() and not is_label else text
