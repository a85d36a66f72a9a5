"""What came out of checking a solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from maxcover.core import notebook

if TYPE_CHECKING:
    from maxcover.core.solution import Solution


Outcome = Literal["proven", "trusted", "refused"]


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What came out of checking a solution.

    `checked` lists what holds, `refused` what does not, and `trusted` what could not be checked.
    `bound` is what the dual point proves, and `solution` the same solution with the confirmed
    status.
    """

    checked: tuple[str, ...]
    refused: tuple[str, ...]
    trusted: tuple[str, ...]
    bound: float
    solution: Solution

    @property
    def outcome(self) -> Outcome:
        """What is to be thought of the solution, in one word."""
        return "refused" if self.refused else "trusted" if self.trusted else "proven"

    @property
    def ok(self) -> bool:
        """Whether nothing was refused; what rests on somebody's word is not."""
        return not self.refused

    @property
    def headline(self) -> str:
        """The outcome and what it means, in one line."""
        status = self.solution.status
        if self.refused:
            return f"refused: {len(self.refused)} of the statements do not hold"
        if self.trusted:
            by = self.trusted[0].partition(":")[0]
            return f"trusted: all else holds, but the bound is the word of {by}; proven: {status}"
        return f"proven: every statement was checked in exact arithmetic; {status}"

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
