"""The best selection and bound so far, and what is known by both together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.core import bounds
from maxcover.core.ascending import union
from maxcover.core.bounds import Bound, Claim, Priced
from maxcover.core.relaxation import Relaxation, below_next
from maxcover.core.solution import relative_gap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.solvers.control import Control
    from maxcover.solvers.folding import Folded

    Int64s = NDArray[np.int64]

# Seconds per edge, generously, to evaluate a bound: with a deadline, what would not be through is
# not begun.
_BOUND_SECONDS = 6e-8


class Incumbent:
    """The best selection of a problem so far, the lowest bound, and the dual point behind it."""

    def __init__(self, folded: Folded, control: Control, threads: int) -> None:
        self.threads = threads
        self.folded, self.problem, self.control = folded, folded.problem, control
        self.left = bounds.reduced(self.problem)
        self.selected = self.problem.required
        self.value = -1.0
        self.found_at = 0.0
        self.bound = np.inf
        self.known: Bound | None = None
        self.relaxation: Relaxation | None = None
        self.priced: Priced | None = None
        self.claim: Claim | None = None
        self.stopped = "the schedule is through"

    def is_done(self) -> bool:
        """Whether there is nothing left to do, or no time to do it; says which."""
        if bounds.proves(self.problem, self.value, self.bound):
            self.stopped = "the bound meets the value"
        elif relative_gap(self.value, self.bound) <= self.control.target_gap:
            self.stopped = "the target gap is reached"
        elif self.control.expired():
            self.stopped = self.control.why_stopped
        else:
            return False
        return True

    def offer(self, part: str, selected: Int64s) -> float:
        """Keep a selection if it is better than the best so far; return its value."""
        value = self.problem.value(selected)
        if value > self.value * (1 + 1e-12) or self.value < 0:
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
        if self.claim is None or bound < self.claim.value:
            self.claim = Claim(bound, by)
        self.lower(by, bound)

    def relax(self, *, steps: int) -> None:
        """Improve the dual point."""
        reserved = self.problem.n_edges * _BOUND_SECONDS
        if self.relaxation is None:
            self.relaxation = Relaxation(self.problem, self.left)
        enough = self.value / max(1.0 - self.control.target_gap, 1e-9)
        dual = self.relaxation.improve(
            target=max(below_next(self.problem, self.value), enough * (1 - 1e-12)),
            steps=steps,
            expired=lambda: self.control.expired() or not self.control.affords(reserved),
            threads=self.threads,
        )
        self.priced = bounds.priced(self.problem, self.left, dual)
        found = Bound(bounds.priced_bound(self.left, self.priced), "dual point", dual)
        if self.known is None or found.value < self.known.value:
            self.known = found
        self.lower("dual bound", found.value)

    def decided(self) -> tuple[Int64s, Int64s] | None:
        """Return the sets that every better selection holds, and those that it may hold.

        None if there is no better selection: then the best so far is proven to be the best.
        """
        if self.priced is None:
            return self.problem.required, np.flatnonzero(self.problem.choosable)
        always, never = bounds.fixable_at(self.problem, self.left, self.priced, self.value)
        fixed = union(self.problem.required, np.flatnonzero(always))
        if (always & never).any() or self.problem.excess(fixed):
            self.prove("reduced costs", self.value)
            return None
        return fixed, np.flatnonzero(~(always | never))

    def known_of_original(self) -> Bound | None:
        """Return the best bound by a dual point, evaluated on the problem that was given."""
        if self.known is None or self.known.dual is None or self.folded.class_of is None:
            return self.known
        original = self.folded.original
        dual = self.folded.unfold(self.known.dual)
        value = bounds.dual_bound(original, bounds.reduced(original), dual)
        return Bound(value, self.known.by, dual)
