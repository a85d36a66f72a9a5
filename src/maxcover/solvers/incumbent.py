"""Incumbent: the best selection and bound so far, and what is known by both together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.core import bounds
from maxcover.core.bounds import Bound, Claim, Priced
from maxcover.core.relaxation import below_next
from maxcover.core.solution import status_of
from maxcover.solvers.control import Draft
from maxcover.solvers.effort import EFFORTS
from maxcover.solvers.engine import Engine
from maxcover.solvers.exhaustive import exhaustive

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.array_types import Mask
    from maxcover.core.bounds import Dual
    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Status
    from maxcover.solvers.control import Control

    Int64s = NDArray[np.int64]


class Incumbent(Engine):
    """The best selection of a problem so far, the lowest bound, and the dual point behind it."""

    def __init__(self, problem: CoverageProblem, control: Control) -> None:
        self.problem, self.control = problem, control
        self.effort = EFFORTS[control.effort]
        self.left = bounds.reduced(problem)
        self.selected = problem.required
        self.value = -1.0
        self.found_at = 0.0
        self.bound = np.inf
        self.known: Bound | None = None
        self.priced: Priced | None = None
        self.claim: Claim | None = None

    @property
    def has_any(self) -> bool:
        """Whether there is a selection that keeps every limit."""
        return self.value >= 0

    def status(self) -> Status:
        """Say what the bound proves of the value."""
        return status_of(self.problem, self.value, self.bound, self.control.target_gap)

    def draft(self) -> Draft:
        """Return what there is to certify."""
        return Draft(self.selected, self.stopped, known=self.known, claim=self.claim)

    def offer(self, part: str, selected: Int64s) -> float:
        """Keep a selection if it is better than the best so far; return its value."""
        value = self.problem.value(selected)
        if value > self.value:
            self.value, self.selected, self.found_at = value, selected, self.control.elapsed
            self.control.report(part, value, self.bound)
        return value

    def lower(self, part: str, bound: float) -> None:
        """Keep a bound if it is lower than the best so far."""
        bound = max(bounds.round_down(self.problem, bound), self.value)
        if bound < self.bound:
            self.bound = bound
            self.control.report(part, self.value, bound)

    def prove(self, by: str, bound: float) -> None:
        """Note an upper bound that was found by cases."""
        bound = max(bound, self.value)
        if self.claim is None or bound < self.claim.value:
            self.claim = Claim(bound, by)
        self.lower(by, bound)

    def price(self, dual: Dual) -> None:
        """Evaluate a dual point, and keep its bound if that is lower than the best so far."""
        priced = bounds.priced(self.problem, self.left, dual)
        bound = bounds.priced_bound(self.left, priced)
        if self.known is None or bound < self.known.value:
            self.known, self.priced = Bound(bound, "dual point", dual), priced
            self.lower("dual bound", bound)

    def settled(self, at: Priced) -> tuple[Mask, Mask]:
        """Return the sets that every selection as good as the best has, and those that none has."""
        slack = (self.problem.weight_unit or 0.0) + 1e-9 * self.value
        return bounds.fixable_at(self.problem, self.left, at, self.value - slack)

    def look_at_all(self) -> bool:
        """Look at all that the bound leaves open, if that is little; return whether it was."""
        at = self.priced and self.priced._replace(bound=self.priced.bound + self.left.base)
        better = exhaustive(self.problem, at, below_next(self.problem, self.value))
        if better is None:
            return False
        if better.size:
            self.offer("cases", better)
        self.prove("branch and bound", self.value)
        return True
