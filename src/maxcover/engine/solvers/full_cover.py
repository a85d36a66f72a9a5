"""Full cover: a local search and a dual bound for targets that require covering everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.bounds import Dual
from maxcover.engine.kernels.dual import column_sums, row_sums
from maxcover.engine.kernels.flips import ELEMENT, SET
from maxcover.engine.kernels.row_weights import RowWeights
from maxcover.engine.solvers.control import check_plain
from maxcover.engine.solvers.seconds import paced

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.control import Control
    from maxcover.ground.array_types import Int64s


@dataclass(frozen=True, kw_only=True)
class FullCoverNumbers:
    """Tuned constants of full covers, chosen on the instances of `benchmarks/set_cover.py`.

    Attributes
    ----------
    patience, shortest : int, float
        After `patience` dual steps without a better bound steps become half as long. The steps end
        when their length, 1 at first, is below `shortest`.
    work, most_steps : int
        Most edges that these steps visit in all (about two seconds), and most steps.
    aim : float
        Bound that the steps aim at, as a multiple of the cost of the best cover.
    first_moves : int
        Steps of row weighting before the first look at the clock.
    """

    patience: int = 15
    shortest: float = 1e-4
    work: int = 1_000_000_000
    most_steps: int = 600
    aim: float = 1.02
    first_moves: int = 20


_NUMBERS = FullCoverNumbers()


class RowWeighting:
    """A local search for selections that cover everything; elements often missed weigh more."""

    def __init__(self, problem: CoverageProblem, *, seed: int) -> None:
        check_plain(problem, "row weighting")
        self.weights = (problem.coverable & (problem.weights > 0)).astype(np.float64)
        self.seed = seed

    def find(
        self, problem: CoverageProblem, start: Int64s, *, steps: int, control: Control
    ) -> Int64s | None:
        """Return a selection within the budget that covers everything; None if none is found.

        `problem` is the one given to the constructor, with any budget that pays for the required
        sets.
        """
        sets, elements = np.zeros(problem.n_sets, SET), np.zeros(problem.n_elements, ELEMENT)
        # Sets that cannot be chosen get 0 ticks: sums of their ticks could overflow.
        usable = problem.choosable.copy()
        usable[problem.required] = True
        sets["ticks"] = np.where(usable, problem.ticks.ticks, 0)
        sets["cost"] = np.maximum(np.where(usable, problem.costs, 1.0), 2.0**-900)
        sets["movable"], sets["place"] = problem.choosable, -1
        begin = start[problem.choosable[start]]
        sets["place"][begin] = np.arange(begin.size)
        sets["selected"][begin] = sets["selected"][problem.required] = True
        elements["weight"] = self.weights
        self.seed += 1
        random = int(np.random.SeedSequence(self.seed).generate_state(1, np.uint64)[0]) | 1
        graph = (problem.indptr, problem.indices, *problem.transpose)
        limit = problem.ticks.limit
        search = RowWeights(graph, sets, elements, begin, limit=limit, random=random)
        found = paced(search.search, steps, pace=_NUMBERS.first_moves, is_over=control.expired)
        self.weights = elements["weight"].copy()
        return np.flatnonzero(sets["selected"]) if found else None


def covering_dual(
    problem: CoverageProblem, cost: float, expired: Callable[[], bool]
) -> Dual | None:
    """Return a dual point for full covers by subgradient steps; `cost` is the best cost so far.

    Elements get prices ``u``: a cover costs at least ``sum(u)`` plus all reduced costs below zero.
    The prices become shares of the weights, scaled so that every share is at most the weight.
    Required sets are taken as chosen. None if nothing is left to cover.

    References
    ----------
    Held and Karp, "The traveling-salesman problem and minimum spanning trees: part II",
    Mathematical Programming 1, 1971; Beasley, "A Lagrangian heuristic for set-covering problems",
    Naval Research Logistics 37, 1990.
    """
    graph = problem.indptr, problem.indices
    have = problem.covered(problem.required)
    asked = ~have & problem.coverable & (problem.weights > 0)
    totals = np.zeros(problem.n_sets)
    row_sums(*graph, asked.astype(np.float64), totals)
    usable = problem.choosable & (totals > 0)
    if not asked.any():
        return None
    most = cost - float(problem.costs[problem.required].sum())
    # First prices: each element pays the lowest cost per element among its sets.
    rate = np.where(usable, problem.costs / np.maximum(totals, 1.0), np.inf)
    t_indptr, t_indices = problem.transpose
    filled = np.flatnonzero(np.diff(t_indptr))
    prices = np.zeros(problem.n_elements)
    prices[filled] = np.minimum.reduceat(rate[t_indices], t_indptr[filled])
    prices = np.where(asked, prices, 0.0)
    best, lowest = prices, -np.inf
    length, stale = 1.0, 0
    sums, held = np.zeros(problem.n_sets), np.zeros(problem.n_elements)
    for _ in range(min(_NUMBERS.most_steps, _NUMBERS.work // max(problem.n_edges, 1))):
        if expired() or length < _NUMBERS.shortest:
            break
        row_sums(*graph, prices, sums)
        reduced = problem.costs - sums
        chosen = usable & (reduced < 0)
        bound = float(prices.sum() + reduced[chosen].sum())
        stale += 1
        if bound > lowest:
            stale = 0 if bound > lowest + 1e-4 * abs(lowest) else stale
            lowest, best = bound, prices
        if stale > _NUMBERS.patience:
            length, stale, prices = length / 2, 0, best
            continue
        held.fill(0.0)
        column_sums(*graph, chosen.astype(np.float64), held)
        missing = np.where(asked, 1.0 - held, 0.0)
        # A price of 0 cannot fall further.
        missing[(prices <= 0) & (missing < 0)] = 0.0
        size = float((missing * missing).sum())
        if size == 0.0 or bound >= most:
            break
        prices = np.maximum(prices + length * (_NUMBERS.aim * most - bound) / size * missing, 0.0)
    return _as_shares(problem, np.flatnonzero(asked), best[asked])


def _as_shares(
    problem: CoverageProblem, elements: NDArray[np.int64], prices: NDArray[np.float64]
) -> Dual | None:
    """Turn prices of elements, in units of cost, into a dual point; None if all prices are 0."""
    paying = prices > 0
    if not paying.any():
        return None
    price = float((problem.weights[elements[paying]] / prices[paying]).min())
    shares = problem.weights.copy()
    shares[elements] = prices * price
    return Dual(price * problem.ticks.unit, shares, problem.ticks.unit)
