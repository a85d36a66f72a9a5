"""Order: the sets of a selection sorted by what each adds, and the weight that sets add."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.kernels.arrays import BudgetTicks, CompressedRows
from maxcover.engine.kernels.dual import row_sums
from maxcover.engine.kernels.lazy_greedy import Greedy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.engine.core.problem import CoverageProblem


def by_gain(
    problem: CoverageProblem,
    selected: NDArray[np.int64],
    *,
    start: NDArray[np.int64] | None = None,
    per_cost: bool = False,
) -> NDArray[np.int64]:
    """Order a selection greedily: the next set is the one that adds most to the sets before it.

    With `per_cost`, it is the set that adds most per cost. What the sets of `start` cover counts as
    covered from the beginning. Ties go to the lowest index.
    """
    candidates = np.zeros(problem.n_sets, dtype=bool)
    candidates[selected] = True
    run = Greedy(
        CompressedRows(problem.indptr, problem.indices),
        problem.counted_costs,
        problem.counted_weights,
        limits=BudgetTicks(np.zeros(problem.n_sets, dtype=np.int64), 0),
        candidates=candidates,
        start=np.empty(0, dtype=np.int64) if start is None else start,
        by_cost=per_cost,
        useless=True,
    )
    run.advance(2**62)
    found: NDArray[np.int64] = run.picked()
    return found


def added_weight(problem: CoverageProblem, selected: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each set the weight that it would newly cover beside a selection."""
    open_weights = np.where(problem.covered(selected), 0.0, problem.weights)
    added = np.zeros(problem.n_sets)
    row_sums(problem.indptr, problem.indices, open_weights, added)
    return added
