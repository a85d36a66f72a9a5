"""Verdict: `verify`, which checks a solution, and the report that it returns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from maxcover.engine.core import notebook
from maxcover.engine.core.io import plain_record
from maxcover.engine.core.verify import CheckReport, check
from maxcover.ground.options import checked as checked_options

if TYPE_CHECKING:
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution, Status


@checked_options
def verify(problem: CoverageProblem, solution: Solution, *, strict: bool = False) -> Verification:
    """Recompute value, cost, every limit and the bound of a solution in exact arithmetic.

    There are three outcomes. "proven": every statement was checked. "trusted": all else holds, but
    the bound is a claim of HiGHS or branch and bound, listed in ``trusted``. "refused": some
    statement does not hold. The status is "optimal" only if the dual point proves it.

    The work is done by `maxcover.engine.core.verify`, a file that needs nothing but Python: copied
    out, it checks what `save` wrote as ``.json``.

    Parameters
    ----------
    problem : CoverageProblem
    solution : Solution
    strict : bool
        Refuse a bound that a solver only claims.

    Examples
    --------
    >>> import maxcover as mc
    >>> problem = mc.CoverageProblem.from_sets([[1, 2], [2, 3]], budget=1)
    >>> report = mc.verify(problem, mc.solve(problem))
    >>> report.outcome, report.bound
    ('proven', 2.0)
    """
    stated = replace(solution, status=solution.stated or solution.status)
    records = (plain_record(item, label=lambda label: label) for item in (problem, stated))
    found = check(*records, strict=strict)
    confirmed = replace(solution, status=cast("Status", found.status), stated=None)
    return Verification(**vars(found), solution=confirmed)


@dataclass(frozen=True, kw_only=True)
class Verification(CheckReport):
    """Report of `verify`: which statements of a solution hold.

    `checked` lists what holds, `refused` what does not, and `trusted` what could not be checked.
    `bound` is what the dual point proves, and `solution` the same solution with the confirmed
    status. `outcome` is "proven", "trusted" or "refused".
    """

    solution: Solution

    def _repr_html_(self) -> str:
        kinds = {"refused": self.refused, "trusted": self.trusted, "holds": self.checked}
        return notebook.card(
            f"Verification: {self.headline}",
            notebook.table(
                ["verdict", "statement"],
                [[kind, text] for kind, said in kinds.items() for text in said],
            ),
            notebook.paragraph(
                f"The dual point alone proves a bound of {self.bound:,.10g}. Status: {self.status}."
            ),
        )
