"""``maxcover plan``: one growing selection for growing budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import option
from maxcover.cli.decisions import asking, problem_file, show
from maxcover.cli.solve_command import read_problem
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = """\b
Examples:
  maxcover plan hubs.csv --budgets 1,2,3,4,5
  maxcover plan problem.npz --phases 4 -o stairs.svg
  maxcover plan problem.npz --phases every
"""


@click.command(epilog=EXAMPLES)
@problem_file
@asking(
    "plan",
    click.option("--budgets", metavar="1,2,3", help="Budget by the end of each phase, growing."),
    option("phases", of="plan", metavar="N|every"),
)
def plan(
    problem: Path,
    budget: float | None,
    budgets: str | None,
    phases: str | None,
    out: Path | None,
    form: str,
    **options: Any,
) -> None:
    """Choose in which order, for budgets that grow."""
    import maxcover as mc

    sizes = None if budgets is None else read_budgets(budgets)
    steps: Any = int(phases) if phases is not None and phases.isdecimal() else phases
    read = read_problem(problem, budget=budget if sizes is None else max(sizes))
    show(mc.plan(read, sizes, phases=steps, **options), out, form)


def read_budgets(text: str) -> list[float]:
    """Read numbers with commas between them."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"expected --budgets to be numbers such as 1,2,3, got {text!r}") from None
