"""Decode: from a ranking of sets to a selection: walk down and take what fits."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.arrays import Indices, Offsets, OffsetsOut


def fill(
    ranking: Offsets, rows: Indices, row_ptr: Offsets, row_ticks: Offsets, room: OffsetsOut,
    least: int64_t,
):  # fmt: skip
    """Take each set of `ranking` that fits all rows (limits); stop when row 0 is nearly full.

    The second half of the paper's Algorithm 2. ``room[r]`` is the number of free ticks of row r and
    is updated. The walk stops when ``room[0] < least``. Returns the sets taken, in order.
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
