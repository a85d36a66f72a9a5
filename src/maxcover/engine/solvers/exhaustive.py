"""Exhaustive: enumerate all selections that a bound leaves open.

Enumeration needs no tolerances. HiGHS has tolerances: it ignores a weight of 8 beside one of 1e12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.limits import FLOOR_ROUNDING
from maxcover.engine.solvers.row_filling import used_ticks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.engine.core.bounds import Priced
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Floats, Int64s

    Bits = NDArray[np.bool_]

# Most open selections: with more, `exhaustive` gives up.
_MOST = 1 << 18
# Largest product of open selections and elements; above it `exhaustive` gives up.
_MOST_WORK = 2e8
# Largest product of selections and elements that is evaluated in one batch.
_TOGETHER = 1 << 22


def exhaustive(problem: CoverageProblem, at: Priced | None, goal: float) -> Int64s | None:
    """Return the best of all selections that may reach `goal`; None if there are too many.

    The result is empty if no selection reaches `goal`. `at` is an evaluated dual point: it says by
    how much the bound falls if a set is left out, or taken. Sets are decided one after the other,
    and partial selections are dropped if their bound is below `goal` or they break a maximum.
    """
    free = np.flatnonzero(problem.choosable)
    lost, spare = np.zeros((2, problem.n_sets)), np.inf
    if at is not None and np.isfinite(at.bound):
        lost = np.stack((np.maximum(at.low, 0.0), np.maximum(-at.high, 0.0)))
        spare = at.bound - goal + 1e-12 * abs(at.bound)
    free = free[np.argsort(-lost.max(axis=0)[free], kind="stable")]
    bits = _open(problem, free, lost, spare)
    if bits is None or len(bits) * max(problem.n_elements, 1) > _MOST_WORK:
        return None
    best, found = -np.inf, None
    part = max(_TOGETHER // max(problem.n_elements, 1), 1)
    for first in range(0, len(bits), part):
        some = bits[first : first + part]
        given = _given(problem, free, some)
        values = np.where(_allowed(problem, free, some, given), given.sum(axis=1), -np.inf)
        top = int(np.argmax(values))
        if values[top] > best:
            best, found = float(values[top]), free[some[top]]
    return free[:0] if found is None else np.sort(np.concatenate((problem.required, found)))


def _open(problem: CoverageProblem, free: Int64s, lost: Floats, spare: float) -> Bits | None:
    """Return all selections that are still open, as rows of flags; None if there are too many.

    Open selections break no maximum, and lower the bound by at most `spare`.
    """
    rows, ticks = problem.rows, _ticks(problem)
    bits = np.zeros((1, free.size), dtype=bool)
    losses, used = np.zeros(1), used_ticks(problem, problem.required)[None]
    for k, i in enumerate(free.tolist()):
        having = bits.copy()
        having[:, k] = True
        bits = np.concatenate((bits, having))
        losses = np.concatenate((losses + lost[0, i], losses + lost[1, i]))
        used = np.concatenate((used, used + ticks[i]))
        kept = (losses <= spare) & (used <= rows.high).all(axis=1)
        bits, losses, used = bits[kept], losses[kept], used[kept]
        if len(bits) > _MOST:
            return None
    return bits


def _ticks(problem: CoverageProblem) -> Int64s:
    """Return the ticks that each set uses of each limit row, shape (n_sets, n_rows)."""
    rows = problem.rows
    ticks = np.zeros((problem.n_sets, len(rows.low)), dtype=np.int64)
    ticks[rows.sets, rows.owners] = rows.ticks
    return ticks


def _allowed(
    problem: CoverageProblem, free: Int64s, bits: NDArray[np.bool_], given: Floats
) -> NDArray[np.bool_]:
    """Return which rows of `bits`, one selection each, keep every limit."""
    rows, ticks = problem.rows, _ticks(problem)
    used = used_ticks(problem, problem.required) + bits.astype(np.int64) @ ticks[free]
    keeps = ((used <= rows.high) & (used >= rows.low)).all(axis=1)
    floors = problem.floors
    for k, low in enumerate(floors.low.tolist()):
        own = floors.members[floors.indptr[k] : floors.indptr[k + 1]]
        keeps &= given[:, own].sum(axis=1) >= low * (1 - FLOOR_ROUNDING)
    return np.asarray(keeps)


def _given(problem: CoverageProblem, free: Int64s, bits: NDArray[np.bool_]) -> Floats:
    """Return the value that each element gives in each selection, shape (selections, elements)."""
    n_elements = problem.n_elements
    counts = np.zeros((len(bits), n_elements), dtype=np.int64)
    largest, miss = np.zeros(counts.shape), np.ones(counts.shape)
    chosen = [(i, np.ones(len(bits), dtype=bool)) for i in problem.required.tolist()]
    chosen += [(int(i), bits[:, k]) for k, i in enumerate(free)]
    for i, mask in chosen:
        held, span = problem.elements_at(i), slice(problem.indptr[i], problem.indptr[i + 1])
        counts[:, held] += mask[:, None]
        if problem.strength.size:
            strength = np.where(mask[:, None], problem.strength[span], 0.0)
            largest[:, held] = np.maximum(largest[:, held], strength)
            miss[:, held] *= 1.0 - strength
    indptr, steps = problem.steps
    at = indptr[:-1] + np.minimum(counts, np.diff(indptr))
    # Sum each curve separately: differences of one long running sum would lose small steps.
    given = np.zeros(counts.shape)
    for a in range(n_elements):
        own = np.append(0.0, np.cumsum(steps[indptr[a] : indptr[a + 1]]))
        given[:, a] = own[at[:, a] - indptr[a]]
    if problem.strength.size:
        given = np.where(problem.kind == 1, problem.weights * largest, given)
        given = np.where(problem.kind == 2, problem.weights * (1.0 - miss), given)
    return given
