"""Enumeration: every small start, completed greedily."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from maxcover.errors import TooLargeError
from maxcover.solvers.control import Draft
from maxcover.solvers.greedy import complete
from maxcover.solvers.row_filling import first_fit

if TYPE_CHECKING:
    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control

# Edges visited; about half a minute.
MOST_WORK = 3e9
# What a greedy run costs before it looks at an edge, in edges.
_RUN_WORK = 5_000


def enumerate_pairs(problem: CoverageProblem, control: Control) -> Draft:
    """Complete every feasible selection of up to two sets greedily and keep the best.

    At least 1 - 1/e = 0.632 of the optimum without other limits than the budget, the best that any
    polynomial algorithm can promise. Takes about N^2 / 2 greedy runs, and refuses sizes where that
    would not finish in reasonable time, unless there is a time limit.

    References
    ----------
    Sviridenko, "A note on maximizing a submodular set function subject to a knapsack constraint",
    Operations Research Letters 32, 2004, needs triples. Kulik, Schwartz and Shachnai, "A refined
    analysis of submodular greedy", Operations Research Letters 49, 2021, show that pairs suffice;
    so do Feldman, Nutov and Shoham, "Practical budgeted submodular maximization", Algorithmica 85,
    2023. The greedy algorithm of all three is the one here: by gain per cost, skipping what does
    not fit.
    """
    free = np.flatnonzero(problem.choosable)
    n_runs = free.size**2 / 2
    work = n_runs * (2 * problem.n_edges + problem.n_elements + 20 * free.size + _RUN_WORK)
    if work > MOST_WORK and control.time_limit is None:
        raise TooLargeError(
            f"expected a problem that partial enumeration can finish, got {free.size} sets and "
            f"{problem.n_edges} edges (about {work / MOST_WORK * 30:.0f} s); use method 'exact' or "
            "'guarded-greedy', or set a time limit"
        )
    best, best_value = first_fit(problem) if control.expired() else problem.required, -1.0
    stopped = "every start of up to two sets was completed"
    for size in range(3):
        for start in combinations(free.tolist(), size):
            if control.expired():
                return Draft(best, control.why_stopped)
            begun = np.concatenate((problem.required, np.array(start, dtype=np.int64)))
            if problem.excess(begun):
                continue
            rest = complete(problem, begun, expired=control.expired)
            selected = np.concatenate((begun, rest))
            value = problem.value(selected)
            if value > best_value:
                best, best_value = selected, value
    return Draft(best, stopped)
