"""``maxcover sensitivity``: what a selection loses if the weights are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import option
from maxcover.cli.decisions import asking, problem_file, read, show, solution_file

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = """\b
Examples:
  maxcover sensitivity hubs.csv --budget 5 --spread 0.3
  maxcover sensitivity problem.npz --solution solution.json -o shares.svg
"""


@click.command(epilog=EXAMPLES)
@problem_file
@asking(
    "sensitivity",
    solution_file,
    option("spread", of="sensitivity"),
    option("n", of="sensitivity"),
)
def sensitivity(
    problem: Path,
    budget: float | None,
    solution: Path | None,
    out: Path | None,
    form: str,
    **options: Any,
) -> None:
    """Draw the weights again and see what the selection loses."""
    import maxcover as mc

    show(mc.sensitivity(*read(problem, budget, solution), **options), out, form)
