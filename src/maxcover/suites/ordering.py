"""In which order tests run: the best first, so stopping early loses little; then what fits.

A fixture of a class, module or package is torn down when a test outside of it comes, so the tests
that share one run one after the other.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.ascending import difference, union
from maxcover.core.problem import CoverageProblem
from maxcover.solvers.order import by_gain
from maxcover.suites.durations import STEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from maxcover.suites.shared import Shared

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]

# How often lines are covered once more before the shortest of the other tests fill the time.
LAYERS = 8


def best_first(
    problem: CoverageProblem, tests: Int64s, first: Int64s, together: Iterable[Sequence[int]]
) -> list[int]:
    """Order tests by the weight that they add per second; tests that belong together stay so.

    Parameters
    ----------
    problem : CoverageProblem
        Its sets are tests, its costs seconds.
    tests, first : array of int
        The tests to order; those of them that come first in any case, in this order.
    together : iterable of sequence of int
        Tests that are to follow one another.
    """
    rest = tests[~np.isin(tests, first)]
    # tests that follow one another are one unit, which has the number of its first test
    unit = np.arange(problem.n_sets)
    for group in together:
        members = np.intersect1d(rest, [*group])
        if members.size > 1:
            unit[np.isin(unit, unit[members])] = unit[members].min()
    is_chosen = np.isin(np.arange(problem.n_sets), tests)
    sizes = np.diff(problem.indptr)
    edges = np.repeat(is_chosen, sizes)
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
    members_of: dict[int, list[int]] = {}
    for test in rest.tolist():
        members_of.setdefault(int(unit[test]), []).append(test)
    return [*first.tolist(), *(test for k in order.tolist() for test in members_of[k])]


def fill(
    problem: CoverageProblem, seconds: Floats, chosen: Int64s, budget: float, shared: Shared
) -> list[int]:
    """Return further tests that fit: those that cover most once more, then the shortest.

    Each round covers lines as if nothing had been covered yet, by the tests that are left.
    """
    found: list[int] = []
    paid = {*shared.used_by(chosen)}
    left = budget - float(seconds[chosen].sum()) - float(shared.costs[[*paid]].sum())
    rest = difference(np.arange(problem.n_sets), union(chosen, problem.forbidden))
    for layer in range(LAYERS + 1):
        is_last = layer == LAYERS
        by_time = rest[np.argsort(seconds[rest], kind="stable")]
        covered = np.zeros(problem.n_elements, dtype=bool)
        for test in (by_time if is_last else by_gain(problem, rest, per_cost=True)).tolist():
            elements = problem.elements_of(test)
            opened = {*shared.of_test.get(test, ())} - paid
            cost = float(seconds[test] + shared.costs[[*opened]].sum())
            if cost <= left + STEP / 2 and (is_last or not covered[elements].all()):
                found.append(test)
                covered[elements] = True
                paid |= opened
                left -= cost
        rest = difference(rest, found)
    return found


def makespan(
    order: Iterable[int], seconds: Floats, shared: Shared, workers: int
) -> tuple[float, list[float]]:
    """Return when workers are done that take tests in an order, and when each test is done.

    A worker that is the first of its kind to need a fixture sets it up; so does every other one.
    """
    free = [(0.0, worker) for worker in range(workers)]
    paid: list[set[int]] = [set() for _ in range(workers)]
    ends = []
    for test in order:
        begin, worker = heapq.heappop(free)
        opened = {*shared.of_test.get(test, ())} - paid[worker]
        paid[worker] |= opened
        end = begin + float(seconds[test] + shared.costs[[*opened]].sum())
        heapq.heappush(free, (end, worker))
        ends.append(end)
    return max(free)[0], ends
