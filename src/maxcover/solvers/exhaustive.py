"""Every selection of a tiny problem: the proof where numbers span more than HiGHS can be trusted.

HiGHS decides with tolerances, so a weight of 8 beside one of 1e12 is nothing to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.limits import FLOOR_ROUNDING
from maxcover.solvers.annealing import used_ticks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]

# Sets that may be chosen, edges, and selections that are looked at together.
_MOST_SETS, _MOST_EDGES, _TOGETHER = 16, 20_000, 4096


def exhaustive(problem: CoverageProblem) -> Int64s | None:
    """Return the best of all selections; None if there are too many, or none keeps the limits."""
    free = np.flatnonzero(problem.choosable)
    if free.size > _MOST_SETS or problem.n_edges > _MOST_EDGES:
        return None
    best, found = -np.inf, None
    for bits in _blocks(free.size):
        given = _given(problem, free, bits)
        values = np.where(_allowed(problem, free, bits, given), given.sum(axis=1), -np.inf)
        at = int(np.argmax(values))
        if values[at] > best:
            best, found = float(values[at]), free[bits[at]]
    return None if found is None else np.sort(np.concatenate((problem.required, found)))


def _blocks(n: int) -> Iterator[NDArray[np.bool_]]:
    for first in range(0, 2**n, _TOGETHER):
        numbers = np.arange(first, min(first + _TOGETHER, 2**n))
        yield (numbers[:, None] >> np.arange(n)) & 1 == 1


def _allowed(
    problem: CoverageProblem, free: Int64s, bits: NDArray[np.bool_], given: Floats
) -> NDArray[np.bool_]:
    """Return which selections keep every limit; each row of `bits` is one."""
    rows = problem.rows
    ticks = np.zeros((problem.n_sets, len(rows.low)), dtype=np.int64)
    ticks[rows.sets, rows.owners] = rows.ticks
    used = used_ticks(problem, problem.required) + bits.astype(np.int64) @ ticks[free]
    keeps = ((used <= rows.high) & (used >= rows.low)).all(axis=1)
    floors = problem.floors
    for k, low in enumerate(floors.low.tolist()):
        own = floors.elements[floors.indptr[k] : floors.indptr[k + 1]]
        keeps &= given[:, own].sum(axis=1) >= low * (1 - FLOOR_ROUNDING)
    return np.asarray(keeps)


def _given(problem: CoverageProblem, free: Int64s, bits: NDArray[np.bool_]) -> Floats:
    """Return what each element gives for each selection."""
    n_elements = problem.n_elements
    counts = np.zeros((len(bits), n_elements), dtype=np.int64)
    largest, miss = np.zeros(counts.shape), np.ones(counts.shape)
    chosen = [(i, np.ones(len(bits), dtype=bool)) for i in problem.required.tolist()]
    chosen += [(int(i), bits[:, k]) for k, i in enumerate(free)]
    for i, mask in chosen:
        held, span = problem.elements_of(i), slice(problem.indptr[i], problem.indptr[i + 1])
        counts[:, held] += mask[:, None]
        if problem.strength.size:
            strength = np.where(mask[:, None], problem.strength[span], 0.0)
            largest[:, held] = np.maximum(largest[:, held], strength)
            miss[:, held] *= 1.0 - strength
    indptr, steps = problem.steps
    at = indptr[:-1] + np.minimum(counts, np.diff(indptr))
    # each curve alone: differences of running sums would lose what is small
    given = np.zeros(counts.shape)
    for a in range(n_elements):
        own = np.append(0.0, np.cumsum(steps[indptr[a] : indptr[a + 1]]))
        given[:, a] = own[at[:, a] - indptr[a]]
    if problem.strength.size:
        given = np.where(problem.kind == 1, problem.weights * largest, given)
        given = np.where(problem.kind == 2, problem.weights * (1.0 - miss), given)
    return given
