"""Incumbent: the best selection so far, and the bound that no selection beats."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from maxcover.engine.core.bounds import Claim

if TYPE_CHECKING:
    from maxcover.engine.core.bounds import CaseTree
    from maxcover.engine.solvers.control import Control
    from maxcover.ground.array_types import Int64s


class Incumbent:
    """The best selection and the best bound so far: of a value, or of a cost.

    The sense of `control` says which of them is sought. `worth` is the value, or the cost, of
    `selected`: -1, or infinite, as long as no selection keeps every limit. `claim` is a bound that
    a search proved, which no dual point proves.
    """

    def __init__(self, control: Control, selected: Int64s, bound: float) -> None:
        self.control, self.sense = control, control.sense
        self.selected, self.bound = selected, bound
        self.worth = -1.0 if self.sense > 0 else math.inf
        self.found_at = 0.0
        self.claim: Claim | None = None

    @property
    def is_any(self) -> bool:
        """Whether a selection that keeps every limit was found."""
        return 0.0 <= self.worth < math.inf

    def keep(self, part: str, selected: Int64s, worth: float) -> bool:
        """Keep a selection if it is better than the best so far; return whether it is."""
        if self.sense * worth <= self.sense * self.worth:
            return False
        self.worth, self.selected, self.found_at = worth, selected, self.control.elapsed
        self.control.report(part, worth, self.bound)
        return True

    def tighten(self, part: str, bound: float) -> None:
        """Keep a bound if it is better than the best so far."""
        bound = self.possible(bound)
        if self.sense * bound < self.sense * self.bound:
            self.bound = bound
            if self.is_any:
                self.control.report(part, self.worth, bound)

    def claims(self, by: str, bound: float, tree: CaseTree | None = None) -> None:
        """Keep a bound that a search proved, and its proof by cases if there is one."""
        bound = self.possible(bound)
        if self.claim is None or (self.sense * bound, tree is None) < (
            self.sense * self.claim.value,
            self.claim.tree is None,
        ):
            self.claim = Claim(bound, by, tree)

    def possible(self, bound: float) -> float:
        """Return a bound that is no better than the best selection."""
        return self.sense * max(self.sense * bound, self.sense * self.worth)
