"""Stability: problems that reward keeping sets of an earlier selection.

For `solve`, each set of the earlier selection covers one more element, which no other set covers
and whose weight is the price of change. For `cover`, such a set costs less, by the fraction
`change_cost`. Either is an ordinary coverage problem: all methods, bounds and proofs apply to it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.ascending import difference, distinct

if TYPE_CHECKING:
    from maxcover.engine.core.bounds import Dual
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Int64s


def earlier_sets(problem: CoverageProblem, start: Any) -> Int64s:
    """Return the sets of an earlier selection, without those that `problem` forbids.

    `start` holds labels or indices, or is a Solution. A Solution with labels may be of another
    problem: its sets are looked up by label, and labels unknown to `problem` are left out.

    Examples
    --------
    >>> from maxcover import CoverageProblem, solve
    >>> last = solve(CoverageProblem.from_sets({"a": [1], "b": [2], "c": [3]}, budget=2))
    >>> last.labels
    ('a', 'b')
    >>> earlier_sets(CoverageProblem.from_sets({"b": [2], "d": [1]}, budget=2), last)
    array([0])
    """
    labels = getattr(start, "labels", None)
    if labels is not None and problem.set_labels is not None:
        start = [label for label in labels if label in problem.names[0].positions]
    found = distinct(problem.names[0].find(start, "start"))
    return difference(found, problem.forbidden)


def price_of_change(problem: CoverageProblem, start: Int64s, change_cost: float) -> float:
    """Return the reward for keeping a set: `change_cost` times the mean value per set of `start`.

    It is rounded to three digits, so that whole weights keep a common unit.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> price_of_change(CoverageProblem.from_sets([[1, 2, 3], [3, 4]], budget=2), [0, 1], 0.1)
    0.2
    """
    worth = problem.value(start) / max(len(start), 1)
    return float(f"{change_cost * worth:.3g}")


def worth_keeping(problem: CoverageProblem, start: Int64s, change_cost: float) -> CoverageProblem:
    """Return the problem with one new element per set of `start`, covered by that set only."""
    price = price_of_change(problem, start, change_cost)
    sets = start[problem.choosable[start]]
    if not price or not sets.size:
        return problem
    return problem.with_own_elements(sets, np.full(sets.size, price))


def cheaper_to_keep(problem: CoverageProblem, start: Int64s, change_cost: float) -> CoverageProblem:
    """Return the problem in which each set of `start` costs less by the fraction `change_cost`."""
    costs = problem.costs.copy()
    # Rounded to six digits, so that whole and decimal costs keep a common unit.
    costs[start] = [float(f"{cost * (1 - change_cost):.6g}") for cost in costs[start]]
    return replace(problem, costs=costs)


def of_original(problem: CoverageProblem, dual: Dual | None) -> Dual | None:
    """Return a dual point of the original problem: `dual` without shares of added elements."""
    return dual and dual._replace(shares=dual.shares[: problem.n_elements])
