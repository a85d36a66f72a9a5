"""Gains: the value that each of several sets adds to a selection, computed all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.ascending import is_new
from maxcover.engine.core.returns import BEST, COUNT
from maxcover.engine.core.validation import positions_of
from maxcover.engine.kernels.dual import row_sums as set_sums

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Floats, Int32s, Mask


def gains(problem: CoverageProblem, selected: ArrayLike, sets: ArrayLike) -> Floats:
    """Return the value that each of `sets` adds to the selected sets other than itself.

    For a selected set this is the value that would be lost without it.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> gains(CoverageProblem.from_sets([[1, 2], [2, 3, 4], [4, 5]], budget=2), [0, 1], [0, 1, 2])
    array([1., 2., 1.])
    """
    chosen, asked = (np.asarray(given, dtype=np.int64) for given in (selected, sets))
    held, n = positions_of(problem.indptr, chosen), problem.n_elements
    is_chosen = np.zeros(problem.n_sets, dtype=bool)
    is_chosen[chosen] = True
    counts = np.bincount(problem.indices[held], minlength=n)
    indptr, steps = problem.steps
    last = np.diff(indptr) - 1
    # Per element: the value that one more set would add, and that its last chosen set added.
    further, latest = (
        np.where((k >= 0) & (k <= last), steps[indptr[:-1] + np.clip(k, 0, last)], 0.0)
        for k in (counts, counts - 1)
    )
    if not problem.strength.size:
        sums = np.zeros((2, problem.n_sets))
        for each, total in zip((further, latest), sums, strict=True):
            set_sums(problem.indptr, problem.indices, each, total)
        summed: Floats = np.where(is_chosen, sums[1], sums[0])[asked]
        return summed
    edges = positions_of(problem.indptr, asked)
    at, strength = problem.indices[edges], problem.strength[edges]
    owners = np.repeat(np.arange(asked.size), np.diff(problem.indptr)[asked])
    own, kind = is_chosen[asked][owners], problem.kind[at]
    chosen_edges, asked_edges = (problem.indices[held], problem.strength[held]), (at, strength)
    best = strength - _best_of_others(chosen_edges, asked_edges, own, n)
    first = strength * _others_fail(chosen_edges, asked_edges, own, n)
    rise = problem.weights[at] * np.where(kind == BEST, np.maximum(best, 0.0), first)
    gain = np.where(kind == COUNT, np.where(own, latest[at], further[at]), rise)
    # `bincount` of empty arrays returns integers, so its result is converted to floats.
    return np.bincount(owners, gain, asked.size).astype(np.float64, copy=False)


def _best_of_others(
    chosen: tuple[Int32s, Floats], asked: tuple[Int32s, Floats], own: Mask, n_elements: int
) -> Floats:
    """Return for each edge of `asked` the largest strength of its element's other chosen edges.

    Edges are given as (elements, strengths); `own` is a mask of the asked edges that are chosen.
    """
    (held, strengths), (at, strength) = chosen, asked
    best, second = np.zeros(n_elements), np.zeros(n_elements)
    order = np.lexsort((-strengths, held))
    held, strengths = held[order], strengths[order]
    is_first = is_new(held)
    is_second = np.append(False, is_first[:-1])[: held.size] & ~is_first
    best[held[is_first]], second[held[is_second]] = strengths[is_first], strengths[is_second]
    return np.where(own & (strength >= best[at]), second[at], best[at])


def _others_fail(
    chosen: tuple[Int32s, Floats], asked: tuple[Int32s, Floats], own: Mask, n_elements: int
) -> Floats:
    """Return for each edge of `asked` the chance that its element's other chosen edges fail."""
    (held, strengths), (at, strength) = chosen, asked

    def parts(values: Floats) -> tuple[Mask, Floats]:
        sure = values >= 1.0
        return sure, np.log1p(-np.where(sure, 0.0, values))

    sure, missed = parts(strengths)
    own_sure, own_missed = parts(strength)
    total = np.bincount(held, missed, n_elements)[at] - own * own_missed
    n_sure = np.bincount(held, sure, n_elements)[at] - (own & own_sure)
    return np.where(n_sure > 0, 0.0, np.exp(np.minimum(total, 0.0)))
