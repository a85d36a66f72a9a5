"""Fitting: choose pieces so that the text stays within the budget, whatever counts it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from maxcover.packing.coverage import gains
from maxcover.solvers.order import added_weight, by_gain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.packing.chooser import Chooser
    from maxcover.packing.layout import Layout, Prices

# Solving again settles the budget within a few rounds unless a counter makes no sense at all.
_ROUNDS = 6
# The same for the price of heads.
_ROUNDS_OF_HEADS = 3
# Pieces that are tried for room that is left over; each is one measurement of the whole text.
_TRIES = 4


@dataclass(frozen=True, slots=True, eq=False)
class Fitting:
    """A problem whose costs add up, and the text whose size has the last word."""

    problem: CoverageProblem
    layout: Layout
    prices: Prices
    budget: float
    choose: Chooser

    def run(self) -> tuple[list[int], float]:
        """Return the chosen pieces, the one that adds most first, and the size of their text."""
        headed = bool((self.layout.heads >= 0).any())
        chosen = self.share_heads() if headed else self.useful(self.choose(self.problem))
        size = self.size(chosen)
        exact = self.prices.exact and size <= self.budget
        if size > self.budget:
            chosen = self.tighten(chosen, size)
            chosen, size = self.trim(chosen)
        if not exact:
            chosen, size = self.fill(chosen, size)
        return self.layout.complete(chosen), size

    def share_heads(self) -> list[int]:
        """Solve with the price of heads paid by each piece, then by all that were chosen together.

        Returns the best selection whose text fits; the last one if none does.
        """
        best, chosen, worth = None, list[int](), -1.0
        for _ in range(_ROUNDS_OF_HEADS):
            costs = self.prices.pieces + self._shares(chosen)
            chosen = self.useful(self.choose(replace(self.problem, costs=costs)))
            value = float(gains(self.problem, chosen).sum())
            if value > worth and self.size(chosen) <= self.budget:
                best, worth = chosen, value
        return chosen if best is None else best

    def size(self, chosen: list[int]) -> float:
        """Measure the text, by adding up where that is known to be the same."""
        if self.prices.exact:
            return self.prices.total(self.layout, chosen)
        return self.layout.measure(self.layout.complete(chosen))

    def useful(self, selected: NDArray[np.int64]) -> list[int]:
        """List a selection by gain, without what adds nothing."""
        order = by_gain(self.problem, selected)
        kept: list[int] = order[gains(self.problem, order) > 0].tolist()
        return kept

    def tighten(self, chosen: list[int], size: float) -> list[int]:
        """Solve again with the charges of the passages shared out, and within less."""
        problem, limit = self.problem, self.problem.budget
        for _ in range(_ROUNDS):
            costs = self.prices.pieces + self._shares(chosen)
            estimate = float(costs[chosen].sum()) - self.prices.credit
            if estimate < size:  # the charges alone do not explain it
                limit *= max(self.budget / size, 0.5) * (0.99 if self.prices.credit <= limit else 1)
            problem = replace(problem, costs=costs, budget=limit)
            chosen = self.useful(self.choose(problem))
            size = self.size(chosen)
            if size <= self.budget or not chosen:
                break
        return chosen

    def _shares(self, chosen: list[int]) -> NDArray[np.float64]:
        """Share the charge of a passage among its chosen pieces; a new one would pay it whole.

        So is the price of a head among those that need it.
        """
        layout = self.layout
        used = np.bincount(layout.passage[chosen], minlength=len(layout.texts))
        shares = (self.prices.charges / np.maximum(used, 1))[layout.passage]
        headed = np.flatnonzero(layout.heads >= 0)
        if headed.size:
            heads = layout.heads[chosen]
            users = np.bincount(heads[heads >= 0], minlength=len(shares))
            # a head that is chosen for itself is paid for
            costs = np.where(np.isin(np.arange(len(shares)), chosen), 0.0, self.prices.pieces)
            shares[headed] += (costs / np.maximum(users, 1))[layout.heads[headed]]
        return np.asarray(shares)

    def trim(self, chosen: list[int]) -> tuple[list[int], float]:
        """Leave out what adds least until the text fits; if nothing is left, try pieces alone."""
        kept = list(chosen)
        size = self.size(kept)
        while kept and size > self.budget:
            kept.pop()
            size = self.size(kept)
        if kept:
            return kept, size
        worth = added_weight(self.problem, np.empty(0, dtype=np.int64))
        for index in np.argsort(-worth, kind="stable").tolist():
            size = self.size([index])
            if worth[index] > 0 and size <= self.budget:
                return [index], size
        return [], 0.0

    def fill(self, chosen: list[int], size: float) -> tuple[list[int], float]:
        """Add what still fits: sizes did not add up, or charges were shared out."""
        for _ in range(_TRIES):
            room = self.budget - size
            added = added_weight(self.problem, np.array(chosen, dtype=np.int64))
            added[chosen] = 0.0
            added[self.prices.pieces > room] = 0.0
            if not added.any():
                break
            best = int(np.argmax(added))
            longer = self.size([*chosen, best])
            if longer > self.budget:
                break
            chosen, size = [*chosen, best], longer
        return chosen, size
