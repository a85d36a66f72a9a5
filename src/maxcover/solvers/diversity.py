"""Diversity: selections far from the best one, to search from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.ascending import difference
from maxcover.solvers.greedy import complete

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem

# Share of a selection that is dropped, at least and at most.
_LEAST_DROPPED, _MOST_DROPPED = 0.2, 0.7
# Spread of the factors that blur the weights, on a log scale.
_BLUR = 0.5


def shaken(problem: CoverageProblem, selected: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Drop a random part of a selection, and complete the rest greedily by blurred weights."""
    rng = np.random.default_rng(seed)
    movable = difference(selected, problem.required)
    kept = rng.random(movable.size) >= rng.uniform(_LEAST_DROPPED, _MOST_DROPPED)
    return _completed(problem, np.concatenate((problem.required, movable[kept])), rng)


def blurred_greedy(problem: CoverageProblem, seed: int) -> NDArray[np.int64]:
    """Choose greedily from nothing by blurred weights."""
    return _completed(problem, problem.required, np.random.default_rng(seed))


def _completed(
    problem: CoverageProblem, start: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    factors = np.exp(_BLUR * rng.standard_normal(problem.n_elements))
    weights = problem.weights / (problem.weights.max(initial=0.0) or 1.0)
    blurred = replace(problem, weights=weights * factors)
    selected = np.concatenate((start, complete(blurred, start)))
    return np.concatenate((selected, complete(problem, selected)))
