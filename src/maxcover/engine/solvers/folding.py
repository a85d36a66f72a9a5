"""Folding: elements that lie in the same sets become one, and sets that cannot be chosen go.

Most words and phrases of a text occur in one sentence only, so a problem of text shrinks to a half
or less. The value of every selection stays the same, and so do the limits.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.engine.core.validation import frozen, positions_of
from maxcover.engine.kernels.classes import classes, merge

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.engine.core.bounds import Dual
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Int64s

# If more than this fraction of the edges would remain, `fold` leaves the problem as it is. Likewise
# `Folded.packed`, with the fraction of the sets.
_MOST_KEPT = 0.9
# If the largest weight is outside this range, `tamed` scales all weights by a power of two.
_LEAST_TOP, _MOST_TOP = 2.0**-300, 2.0**300


class Folded(NamedTuple):
    """A smaller problem, the original problem, and the map between their elements and sets.

    `class_of` is -1 for elements that were dropped, and None if nothing was merged. Dropped
    elements weigh nothing, are covered by required sets, or are in no set that can be chosen.
    `kept` are the original numbers of the sets that were not dropped; None if none were.
    """

    problem: CoverageProblem
    original: CoverageProblem
    class_of: NDArray[np.int32] | None = None
    kept: Int64s | None = None

    def packed(self) -> Folded:
        """Return the problem without the sets that cannot be chosen, if there are many of them."""
        problem = self.problem
        kept = np.flatnonzero(problem.choosable | problem.is_required)
        if kept.size > _MOST_KEPT * problem.n_sets:
            return self
        return self._replace(problem=problem.with_sets(kept), kept=kept)

    def inside(self, selected: Int64s) -> Int64s:
        """Return the numbers of the sets `selected` of the original problem, as far as kept."""
        if self.kept is None:
            return selected
        place = np.full(self.original.n_sets, -1)
        place[self.kept] = np.arange(self.kept.size)
        return place[selected][place[selected] >= 0]

    def outside(self, selected: Int64s) -> Int64s:
        """Return the original numbers of the sets `selected` of the smaller problem."""
        return selected if self.kept is None else self.kept[selected]

    def unfold(self, dual: Dual) -> Dual:
        """Return the original problem's dual point: shares are split in proportion to weight.

        A dropped element gets its whole weight as its share: no set that can be chosen earns it.
        """
        if self.kept is not None and dual.pieces is not None:
            edges = positions_of(self.original.indptr, self.kept)[dual.pieces.edges]
            dual = dual._replace(pieces=dual.pieces._replace(edges=edges))
        if self.class_of is None:
            return dual
        weights = self.original.weights
        with np.errstate(invalid="ignore"):
            rate = dual.shares / self.problem.weights
        shares = np.where(self.class_of >= 0, weights * rate[self.class_of], weights)
        return dual._replace(shares=shares)


def fold(problem: CoverageProblem) -> Folded:
    """Merge elements that lie in the same sets; drop elements that cannot be covered.

    Linear in the edges. Sets keep their numbers; those that cannot be chosen become empty.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets([["a", "b", "c"], ["c", "d", "e"]], budget=1)
    >>> folded = fold(problem)
    >>> folded.problem, folded.problem.weights.tolist()
    (CoverageProblem(2 sets, 3 elements, 4 edges, budget 1), [2.0, 1.0, 2.0])
    """
    have, weights = np.zeros(0, dtype=bool), problem.weights
    if problem.required.size:
        have = problem.covered(problem.required)
        weights = np.where(have, 0.0, weights)
    class_of = np.empty(problem.n_elements, dtype=np.int32)
    graph = problem.indptr, problem.indices
    totals = classes(*graph, weights, problem.choosable, class_of)
    indptr = np.zeros(problem.n_sets + 1, dtype=np.int64)
    indices = np.empty(problem.n_edges, dtype=np.int32)
    kept = merge(*graph, problem.choosable, class_of, indptr, indices)
    if not kept or kept > _MOST_KEPT * problem.n_edges:
        return Folded(problem, problem)
    indices = indices[:kept]
    # What the required sets cover becomes one element of the first required set.
    if problem.required.size:
        first = problem.required[0]
        indices = np.insert(indices, indptr[first], totals.size)
        indptr[first + 1 :] += 1
        totals = np.append(totals, problem.weights[have].sum())
    smaller = problem.with_elements(frozen(indptr), frozen(indices.copy()), weights=frozen(totals))
    # Keep the unit of the original weights, which may be smaller: proofs have to hold for them.
    smaller.__dict__["weight_unit"] = problem.weight_unit
    return Folded(smaller, problem, class_of)


def folded(problem: CoverageProblem) -> CoverageProblem:
    """Return the folded problem; problems with returns or minima of value stay as they are."""
    if problem.returns.of.size or len(problem.floors):
        return problem
    return fold(problem).problem


def within_reach(problem: CoverageProblem) -> CoverageProblem:
    """Return the problem without weights that no selection covers, if weights are extreme.

    Beside an unreachable weight of 1e300, `tamed` would scale the others down to 0.
    """
    weights = problem.weights
    low, top = weights.min(where=weights > 0, initial=1.0), weights.max(initial=0.0)
    if low > _LEAST_TOP and top < _MOST_TOP:
        return problem
    return replace(problem, weights=np.where(problem.coverable, weights, 0.0))


def tamed(problem: CoverageProblem) -> tuple[CoverageProblem, int]:
    """Return the problem with extreme weights scaled by a power of two, and the exponent.

    Squares and quotients of extreme weights would overflow or underflow. A power of two changes no
    digit. Only plain coverage takes weights so small or large.
    """
    top = float(problem.weights.max(initial=0.0))
    if top == 0.0 or _LEAST_TOP < top < _MOST_TOP:
        return problem, 0
    exponent = math.frexp(top)[1]
    return replace(problem, weights=np.ldexp(problem.weights, -exponent)), exponent


def raised(dual: Dual | None, exponent: int) -> Dual | None:
    """Return `dual` for weights that are 2 ** `exponent` times as large."""
    if dual is None or not exponent:
        return dual
    price, shares = float(np.ldexp(dual.price, exponent)), np.ldexp(dual.shares, exponent)
    return dual._replace(price=price, shares=shares)
