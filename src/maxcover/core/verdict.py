"""Verdict: `verify` and what came out of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from maxcover.core import notebook
from maxcover.core.io import plain_record
from maxcover.core.verify import CheckReport, check
from maxcover.options import checked as checked_options

if TYPE_CHECKING:
    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Solution, Status

Outcome = Literal["proven", "trusted", "refused"]


@checked_options
def verify(problem: CoverageProblem, solution: Solution, *, strict: bool = False) -> Verification:
    """Recompute value, cost, every limit and the bound of a solution in exact arithmetic.

    There are three outcomes. "proven": every statement was checked. "trusted": all else holds, but
    the bound is what HiGHS or branch and bound says, which is listed in ``trusted``. "refused":
    something does not hold. A status is "optimal" only where the dual point proves it.

    The work is done by `maxcover.core.verify`, a file that needs nothing but Python: copied out, it
    checks what `save` wrote as ``.json``.

    Parameters
    ----------
    problem : CoverageProblem
    solution : Solution
    strict : bool
        Refuse a bound that rests on somebody's word.

    Examples
    --------
    >>> import maxcover as mc
    >>> problem = mc.CoverageProblem.from_sets([[1, 2], [2, 3]], budget=1)
    >>> report = mc.verify(problem, mc.solve(problem))
    >>> report.outcome, report.bound
    ('proven', 2.0)
    """
    records = (plain_record(item, label=lambda label: label) for item in (problem, solution))
    found = check(*records, strict=strict)
    confirmed = replace(solution, status=cast("Status", found.status))
    return Verification(report=found, solution=confirmed)


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What came out of checking a solution.

    `checked` lists what holds, `refused` what does not, and `trusted` what could not be checked.
    `bound` is what the dual point proves, and `solution` the same solution with the confirmed
    status.
    """

    report: CheckReport
    solution: Solution

    @property
    def checked(self) -> tuple[str, ...]:
        """Statements that hold."""
        return self.report.checked

    @property
    def refused(self) -> tuple[str, ...]:
        """Statements that do not hold."""
        return self.report.refused

    @property
    def trusted(self) -> tuple[str, ...]:
        """What rests on somebody's word, and on whose."""
        return self.report.trusted

    @property
    def bound(self) -> float:
        """What the dual point proves."""
        return self.report.bound

    @property
    def outcome(self) -> Outcome:
        """What is to be thought of the solution, in one word."""
        return cast("Outcome", self.report.outcome)

    @property
    def ok(self) -> bool:
        """Whether nothing was refused; what rests on somebody's word is not."""
        return not self.refused

    @property
    def headline(self) -> str:
        """The outcome and what it means, in one line."""
        return self.report.headline

    def __str__(self) -> str:
        return self.report.lines

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        words = {name: list(getattr(self, name)) for name in ("checked", "refused", "trusted")}
        about = {"outcome": self.outcome, "ok": self.ok, "status": self.solution.status}
        return {**about, "bound": self.bound, **words}

    def _repr_html_(self) -> str:
        kinds = {"refused": self.refused, "trusted": self.trusted, "holds": self.checked}
        return notebook.card(
            f"Verification: {self.headline}",
            notebook.table(
                ["verdict", "statement"],
                [[kind, text] for kind, said in kinds.items() for text in said],
            ),
            notebook.paragraph(
                f"The dual point alone proves a bound of {self.bound:,.10g}. "
                f"Status: {self.solution.status}."
            ),
        )
