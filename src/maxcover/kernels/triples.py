"""Partial enumeration: every small start of a greedy run."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.arrays import (
    Bools,
    BoolsOut,
    Floats,
    FloatsOut,
    Indices,
    IndicesOut,
    Offsets,
    OffsetsOut,
)
from cython.cimports.maxcover.kernels.greedy import Blocks, Desk, set_back, steps
from cython.cimports.maxcover.kernels.selection import fits
from numpy.typing import NDArray


def best_completed_triple(run, n_required: int64_t) -> "NDArray[np.int64]":
    """Complete every feasible subset of up to three candidates greedily; return the best.

    The `start` of the run holds the required sets and room for three more, and its `left` is an
    array of floats. A subset smaller than three needs no completion for the guarantee, and gets it
    all the same.
    """
    indptr: Offsets
    indices: Indices
    costs: Floats
    weights: Floats
    ticks: Offsets
    group: Indices
    group_counts: Offsets
    group_ticks: Offsets
    candidates: Bools
    start: Offsets
    left: FloatsOut
    items: OffsetsOut
    spent: OffsetsOut
    picks: IndicesOut
    gains: FloatsOut
    keys: FloatsOut
    nodes: IndicesOut
    order: IndicesOut
    first: OffsetsOut
    blocks: Blocks
    head: IndicesOut
    block: OffsetsOut
    desks: Desk[::1]
    (
        indptr, indices, costs, weights, ticks, group, group_counts, group_ticks, candidates,
        start, left, items, spent, picks, gains, keys, nodes, order, first, blocks, head, block,
        desks,
    ) = run  # fmt: skip
    desk = cython.address(desks[0])
    open_again: BoolsOut = run.candidates
    chosen: OffsetsOut = run.start
    free: Offsets = np.flatnonzero(run.candidates)
    best: OffsetsOut = np.empty(ticks.shape[0], dtype=np.int64)
    n_best: int64_t = 0
    best_value: cython.double = -1.0
    value: cython.double
    allowed: cython.bint
    one: int64_t
    two: int64_t
    three: int64_t
    size: int64_t
    k: int64_t
    i: int64_t
    a: int64_t
    none: int64_t = -1
    to_the_end: int64_t = 2**62
    with cython.nogil:
        # -1 stands for "no set": subsets of size 0, 1 and 2 come first
        for one in range(none, free.shape[0]):
            for two in range(one if one < 0 else one + 1, free.shape[0]):
                for three in range(two if two < 0 else two + 1, free.shape[0]):
                    size = n_required
                    if one >= 0:
                        chosen[size] = free[one]
                        size += 1
                    if two >= 0:
                        chosen[size] = free[two]
                        size += 1
                    if three >= 0:
                        chosen[size] = free[three]
                        size += 1
                    set_back(items, spent, first, blocks, head, desk, size)
                    allowed = True
                    for k in range(size):
                        i = start[k]
                        allowed = allowed and fits(
                            i, ticks, desk.limit, desk.used, group, group_counts, group_ticks,
                            items, spent,
                        )  # fmt: skip
                        desk.used += ticks[i]
                        if group[i] >= 0:
                            items[group[i]] += 1
                            spent[group[i]] += ticks[i]
                    if not allowed:
                        continue
                    set_back(items, spent, first, blocks, head, desk, size)
                    left[:] = weights
                    for k in range(size):
                        open_again[start[k]] = False
                    steps(
                        indptr, indices, costs, ticks, group, group_counts, group_ticks,
                        candidates, start, left, items, spent, picks, gains, keys, nodes, order,
                        first, blocks, head, block, desk, to_the_end,
                    )  # fmt: skip
                    for k in range(n_required, size):
                        open_again[start[k]] = True
                    value = 0.0
                    for a in range(weights.shape[0]):
                        if left[a] == 0.0:
                            value += weights[a]
                    if value > best_value:
                        best_value = value
                        n_best = size + desk.n_picks
                        for k in range(size):
                            best[k] = start[k]
                        for k in range(desk.n_picks):
                            best[size + k] = picks[k]
    return np.array(best[:n_best])
