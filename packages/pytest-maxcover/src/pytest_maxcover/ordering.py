"""Ordering: in which order tests run, the best first; and which tests still fit.

A fixture of a class, module or package is torn down before a test outside of that scope runs. So
the tests that share such a fixture run one after the other.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.ascending import difference, union
from maxcover.engine.core.problem import CoverageProblem
from maxcover.engine.solvers.order import by_gain
from pytest_maxcover.amounts import STEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maxcover.ground.array_types import Int64s
    from pytest_maxcover.suite import Suite


def best_first(
    problem: CoverageProblem, tests: Int64s, first: Int64s, together: Iterable[Sequence[int]] = ()
) -> list[int]:
    """Order tests greedily by the weight that they add per second; groups stay together.

    Parameters
    ----------
    problem : CoverageProblem
        Its sets are tests, its costs seconds.
    tests, first : array of int
        The tests to order; those of them that come first in any case, in the given order.
    together : iterable of sequence of int
        Groups of tests that run one after the other.
    """
    rest = tests[~np.isin(tests, first)]
    # The tests of a group form one unit, which has the number of its first test.
    unit = np.arange(problem.n_sets)
    for group in together:
        members = np.intersect1d(rest, [*group])
        if members.size > 1:
            unit[np.isin(unit, unit[members])] = unit[members].min()
    sizes = np.diff(problem.indptr)
    edges = np.repeat(np.isin(np.arange(problem.n_sets), tests), sizes)
    units = CoverageProblem.from_edges(
        np.repeat(unit, sizes)[edges],
        problem.indices[edges],
        n_sets=problem.n_sets,
        n_elements=problem.n_elements,
        costs=np.bincount(unit[rest], problem.costs[rest], minlength=problem.n_sets) + STEP,
        weights=problem.weights,
        budget=0.0,
    )
    order = by_gain(units, np.unique(unit[rest]), start=np.unique(first), per_cost=True)
    place = np.empty(problem.n_sets, dtype=np.int64)
    place[order] = np.arange(order.size)
    return [*first.tolist(), *rest[np.argsort(place[unit[rest]], kind="stable")].tolist()]


def fill(problem: CoverageProblem, suite: Suite, chosen: Int64s, budget: float) -> list[int]:
    """Return further tests that fit the budget, best first, as if `chosen` covered nothing.

    The order is greedy, by weight per second.
    """
    more: list[int] = []
    paid, cost = suite.shared.opened(chosen.tolist())
    left = budget - float(suite.seconds[chosen].sum()) - cost
    rest = difference(np.arange(problem.n_sets), union(chosen, problem.forbidden))
    for test in by_gain(problem, rest, per_cost=True).tolist():
        opened, cost = suite.shared.opened([test], paid)
        cost += float(suite.seconds[test])
        if cost <= left + STEP / 2:
            more.append(test)
            paid |= opened
            left -= cost
    return more


def makespan(order: Iterable[int], suite: Suite, workers: int) -> tuple[float, list[float]]:
    """Return when the last worker is done, and when each test is done; tests start in this order.

    The next free worker takes the next test. Each worker sets up the fixtures of its own tests.
    """
    free = [(0.0, worker) for worker in range(workers)]
    paid: list[set[int]] = [set() for _ in range(workers)]
    ends = []
    for test in order:
        begin, worker = heapq.heappop(free)
        opened, cost = suite.shared.opened([test], paid[worker])
        paid[worker] |= opened
        ends.append(begin + float(suite.seconds[test]) + cost)
        heapq.heappush(free, (ends[-1], worker))
    return max(free)[0], ends
