"""Full cover: a local search for targets that require covering everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.kernels.flips import ELEMENT, SET
from maxcover.engine.kernels.row_weights import RowWeights
from maxcover.engine.solvers.control import check_plain
from maxcover.engine.solvers.seconds import paced

if TYPE_CHECKING:
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.control import Control
    from maxcover.ground.array_types import Int64s


# Steps before the first look at the clock.
FIRST_STEPS = 20


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
        found = paced(search.search, steps, pace=FIRST_STEPS, is_over=control.expired)
        self.weights = elements["weight"].copy()
        return np.flatnonzero(sets["selected"]) if found else None
