"""Stability: problems in which keeping a set of an earlier selection pays.

For `solve`, each set of the earlier selection covers one more element, which no other set covers
and whose weight is the price of change. For `cover`, it costs less by that fraction. Either is a
coverage problem like any other, so every method, bound and proof works on it unchanged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core.ascending import difference, distinct

if TYPE_CHECKING:
    from maxcover.array_types import Int64s
    from maxcover.core.bounds import Dual
    from maxcover.core.problem import CoverageProblem


def earlier_sets(problem: CoverageProblem, start: Any) -> Int64s:
    """Return the sets of an earlier selection, those that the problem forbids apart.

    `start` holds labels or indices, or is a Solution. One that has labels may be of another
    problem: its sets are looked up by their labels, and those that are gone are left out.

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
    """Return what keeping a set of `start` is worth: a part of what such a set covers on average.

    Rounded to three digits, so that whole weights keep a common unit.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> price_of_change(CoverageProblem.from_sets([[1, 2, 3], [3, 4]], budget=2), [0, 1], 0.1)
    0.2
    """
    worth = problem.value(start) / max(len(start), 1)
    return float(f"{change_cost * worth:.3g}")


def worth_keeping(problem: CoverageProblem, start: Int64s, change_cost: float) -> CoverageProblem:
    """Return the problem in which each set of `start` covers an element of its own as well."""
    price = price_of_change(problem, start, change_cost)
    sets = start[problem.choosable[start]]
    if not price or not sets.size:
        return problem
    return problem.with_own_elements(sets, np.full(sets.size, price))


def cheaper_to_keep(problem: CoverageProblem, start: Int64s, change_cost: float) -> CoverageProblem:
    """Return the problem in which each set of `start` costs less by the fraction `change_cost`."""
    costs = problem.costs.copy()
    # six digits, so that whole and decimal costs keep a common unit
    costs[start] = [float(f"{cost * (1 - change_cost):.6g}") for cost in costs[start]]
    return replace(problem, costs=costs)


def of_original(problem: CoverageProblem, dual: Dual | None) -> Dual | None:
    """Return the dual point without what the added elements pay: one of the problem itself."""
    return dual and dual._replace(shares=dual.shares[: problem.n_elements])
