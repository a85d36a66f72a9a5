"""What came out of checking a solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maxcover.core import notebook

if TYPE_CHECKING:
    from maxcover.core.solution import Solution


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
    def ok(self) -> bool:
        """Whether nothing was refused."""
        return not self.refused

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        words = {name: list(getattr(self, name)) for name in ("checked", "refused", "trusted")}
        return {"ok": self.ok, "status": self.solution.status, "bound": self.bound, **words}

    def _repr_html_(self) -> str:
        kinds = {"refused": self.refused, "trusted": self.trusted, "holds": self.checked}
        verdict = "everything that was checked holds" if self.ok else "refused"
        return notebook.card(
            f"Verification: {verdict}",
            notebook.table(
                ["verdict", "statement"],
                [[kind, text] for kind, said in kinds.items() for text in said],
            ),
            notebook.paragraph(
                f"The dual point alone proves a bound of {self.bound:,.10g}. "
                f"Status: {self.solution.status}."
            ),
        )
