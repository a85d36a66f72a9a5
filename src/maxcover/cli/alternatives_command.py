"""``maxcover alternatives``: other selections that are nearly as good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import option
from maxcover.cli.decisions import asking, problem_file, read, show, solution_file

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = """\b
Examples:
  maxcover alternatives hubs.csv --budget 5 --within 0.02
  maxcover alternatives problem.npz --solution solution.json -o matrix.svg
"""


@click.command(epilog=EXAMPLES)
@problem_file
@asking(
    "alternatives",
    solution_file,
    option("within", of="alternatives"),
    option("n", of="alternatives"),
)
def alternatives(
    problem: Path,
    budget: float | None,
    solution: Path | None,
    out: Path | None,
    form: str,
    **options: Any,
) -> None:
    """Find other selections that are nearly as good."""
    import maxcover as mc

    show(mc.alternatives(*read(problem, budget, solution), **options), out, form)
