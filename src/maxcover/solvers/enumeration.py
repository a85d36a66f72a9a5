"""Partial enumeration: every small start, completed greedily."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.errors import TooLargeError
from maxcover.kernels.triples import best_completed_triple
from maxcover.solvers.control import Draft
from maxcover.solvers.greedy import opened

if TYPE_CHECKING:
    from maxcover.problem import CoverageProblem
    from maxcover.solvers.control import Control

# Edges visited; about half a minute.
MOST_WORK = 5e9


def enumerate_triples(problem: CoverageProblem, control: Control) -> Draft:
    """Complete every feasible selection of up to three sets greedily and keep the best.

    At least 1 - 1/e = 0.632 of the optimum without group limits (Khuller, Moss and Naor), the best
    that any polynomial algorithm can promise. Takes about N^3 / 6 greedy runs, and refuses sizes
    where that is for ever.
    """
    del control
    n = int(problem.choosable.sum())
    work = n**3 / 6 * (2 * problem.n_edges + problem.n_elements + 20 * n)
    if work > MOST_WORK:
        raise TooLargeError(
            f"expected a problem that partial enumeration can finish, got {n} sets and "
            f"{problem.n_edges} edges "
            f"(about {work / MOST_WORK * 30:.0f} s); use method 'exact' or 'guarded-greedy'"
        )
    required = problem.required
    start = np.concatenate((required, np.zeros(3, dtype=np.int64)))
    run = opened(problem, required, by_cost=True, useless=False, among=None)
    selected = best_completed_triple(
        run._replace(start=start, left=np.empty(problem.n_elements)), len(required)
    )
    return Draft(selected, "every start of up to three sets was completed")
