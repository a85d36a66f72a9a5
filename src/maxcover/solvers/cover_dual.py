"""The dual of full set cover by subgradient steps: far tighter, per step, than that of a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.bounds import Dual

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem

# Steps without a better bound after which steps become half as long, and the shortest of them.
_PATIENCE, _SHORTEST = 15, 1e-4
# Edges visited in all, about two seconds, and most steps.
_WORK, _MOST_STEPS = 100_000_000, 600


def covering_dual(
    problem: CoverageProblem, cost: float, expired: Callable[[], bool]
) -> Dual | None:
    """Return a dual point for covering everything that weighs something, for less than `cost`.

    Elements get prices ``u``: a cover costs at least ``sum(u)`` and the reduced costs below zero.
    They become shares of the weights at the price of cost at which every share is at most the
    weight. Required sets are taken as chosen. None if nothing is left to cover.

    References
    ----------
    Held and Karp, "The traveling-salesman problem and minimum spanning trees: part II",
    Mathematical Programming 1, 1971; Beasley, "A Lagrangian heuristic for set-covering problems",
    Naval Research Logistics 37, 1990.
    """
    open_elements = ~problem.covered(problem.required) & problem.coverable & (problem.weights > 0)
    owners = np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr))
    kept = problem.choosable[owners] & open_elements[problem.indices]
    # edges come in the order of their sets
    sets, first, rows = np.unique(owners[kept], return_index=True, return_inverse=True)
    elements, columns = np.unique(problem.indices[kept], return_inverse=True)
    if not elements.size:
        return None
    costs = problem.costs[sets]
    most = cost - float(problem.costs[problem.required].sum())
    prices = np.full(elements.size, np.inf)
    np.minimum.at(prices, columns, (costs / np.bincount(rows))[rows])
    best, lowest = prices, -np.inf
    length, stale = 1.0, 0
    for _ in range(min(_MOST_STEPS, _WORK // rows.size)):
        if expired() or length < _SHORTEST:
            break
        reduced = costs - np.add.reduceat(prices[columns], first)
        chosen = reduced < 0
        bound = float(prices.sum() + reduced[chosen].sum())
        stale += 1
        if bound > lowest:
            stale = 0 if bound > lowest + 1e-4 * abs(lowest) else stale
            lowest, best = bound, prices
        if stale > _PATIENCE:
            length, stale, prices = length / 2, 0, best
            continue
        missing = 1.0 - np.bincount(columns[chosen[rows]], minlength=elements.size)
        # what has no price and is covered too often stays where it is
        missing[(prices <= 0) & (missing < 0)] = 0.0
        size = float(missing @ missing)
        if size == 0.0 or bound >= most:
            break
        prices = np.maximum(prices + length * (1.02 * most - bound) / size * missing, 0.0)
    return _as_shares(problem, elements, best)


def _as_shares(
    problem: CoverageProblem, elements: NDArray[np.int32], prices: NDArray[np.float64]
) -> Dual | None:
    """Return prices of elements in units of cost as shares of their weights."""
    paying = prices > 0
    if not paying.any():
        return None
    price = float((problem.weights[elements[paying]] / prices[paying]).min())
    shares = problem.weights.copy()
    shares[elements] = prices * price
    return Dual(price * problem.ticks.unit, shares, problem.ticks.unit)
