"""From a ranking of sets to a selection: walk down and take what fits."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.arrays import (
    Offsets,
    OffsetsOut,
)
from cython.cimports.maxcover.kernels.selection import fits


def fill(
    ranking: Offsets,
    ticks: Offsets,
    limit: int64_t,
    start: Offsets,
    quota: int64_t,
):
    """Take the sets of a ranking that fit beside those in `start`, until `quota` ticks are used.

    The second half of the paper's Algorithm 2. Returns what was taken, in order, without `start`.
    """
    used: int64_t = 0
    i: int64_t
    chosen = np.empty(ranking.shape[0], dtype=np.int64)
    taken: OffsetsOut = chosen
    n_taken: int64_t = 0
    with cython.nogil:
        for k in range(start.shape[0]):
            i = start[k]
            used += ticks[i]
        for k in range(ranking.shape[0]):
            i = ranking[k]
            if used >= quota:
                break
            if fits(i, ticks, limit, used):
                used += ticks[i]
                taken[n_taken] = i
                n_taken += 1
    return chosen[:n_taken].copy()
