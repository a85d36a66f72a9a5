"""From a ranking of sets to a selection: walk down and take what fits."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.arrays import Indices, Offsets, OffsetsOut


def fill(ranking: Offsets, ticks: Offsets, limit: int64_t, start: Offsets, quota: int64_t):
    """Take the sets of a ranking that fit beside those in `start`, until `quota` ticks are used.

    The second half of the paper's Algorithm 2. Returns what was taken, in order, without `start`.
    """
    used: int64_t = 0
    chosen = np.empty(ranking.shape[0], dtype=np.int64)
    taken: OffsetsOut = chosen
    n_taken: int64_t = 0
    with cython.nogil:
        for k in range(start.shape[0]):
            used += ticks[start[k]]
        for k in range(ranking.shape[0]):
            if used >= quota:
                break
            if used + ticks[ranking[k]] <= limit:
                used += ticks[ranking[k]]
                taken[n_taken] = ranking[k]
                n_taken += 1
    return chosen[:n_taken].copy()


def fill_rows(
    ranking: Offsets, rows: Indices, row_ptr: Offsets, row_ticks: Offsets, room: OffsetsOut,
    least: int64_t,
):  # fmt: skip
    """Take the sets of a ranking that fit every row, until less than `least` of row 0 is free.

    ``room`` is what is free of each row; it is brought up to date. Returns what was taken.
    """
    chosen = np.empty(ranking.shape[0], dtype=np.int64)
    taken: OffsetsOut = chosen
    n_taken: int64_t = 0
    fits: cython.bint
    with cython.nogil:
        for k in range(ranking.shape[0]):
            if room[0] < least:
                break
            fits = True
            for f in range(row_ptr[ranking[k]], row_ptr[ranking[k] + 1]):
                fits = fits and row_ticks[f] <= room[rows[f]]
            if fits:
                for f in range(row_ptr[ranking[k]], row_ptr[ranking[k] + 1]):
                    room[rows[f]] -= row_ticks[f]
                taken[n_taken] = ranking[k]
                n_taken += 1
    return chosen[:n_taken].copy()
