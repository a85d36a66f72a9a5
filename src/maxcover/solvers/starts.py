"""Starts: where a search begins: the first sets that fit, greedy, and better than greedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.solvers.greedy import complete, complete_plus_max, own_weights
from maxcover.solvers.row_filling import take
from maxcover.solvers.seconds import PER_EDGE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control


def fitting(problem: CoverageProblem, selected: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the required sets, and those of a selection that fit beside them.

    Most weight of their own per cost first.
    """
    movable = selected[problem.choosable[selected]]
    own, _ = own_weights(problem, np.concatenate((movable, problem.required)))
    with np.errstate(over="ignore"):
        rates = own[: movable.size] / np.maximum(problem.costs[movable], 1e-300)
    ranking = movable[np.argsort(-rates, kind="stable")]
    return np.concatenate((problem.required, take(problem, ranking, problem.required)))


def greedy_starts(problem: CoverageProblem, control: Control) -> Iterator[NDArray[np.int64]]:
    """Yield what g-greedy finds, and what Greedy+Max makes of it: at least half of the optimum."""
    reserved = problem.n_edges * PER_EDGE.value

    def is_over() -> bool:
        return control.expired() or not control.affords(reserved)

    found = complete_plus_max(problem, problem.required, expired=is_over)
    yield np.concatenate((problem.required, found.picks))
    if found.better is not None:
        better = np.concatenate((problem.required, found.better))
        yield np.concatenate((better, complete(problem, better, expired=is_over)))
