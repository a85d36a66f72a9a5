"""Partial enumeration: every small start of a greedy run."""

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.arrays import Whole
from maxcover.kernels.greedy import Greedy, advance, can_join, restart, select
from maxcover.kernels.jit import kernel


@kernel
def best_completed_triple(run: Greedy, n_required: int) -> NDArray[np.int64]:
    """Complete every feasible subset of up to three candidates greedily; return the best.

    The `start` of the run holds the required sets and room for three more. A subset smaller than
    three needs no completion for the guarantee, and gets it all the same.
    """
    free = np.flatnonzero(run.candidates)
    start = run.start
    best = start[:n_required].copy()
    best_value = -1.0
    # -1 stands for "no set": subsets of size 0, 1 and 2 come first
    for first in range(-1, free.size):
        for second in range(first if first < 0 else first + 1, free.size):
            for third in range(second if second < 0 else second + 1, free.size):
                size = n_required
                for position in (first, second, third):
                    if position >= 0:
                        start[size] = free[position]
                        size += 1
                if not is_allowed(run, size):
                    continue
                run.candidates[start[:size]] = False
                restart(run, size)
                advance(run, 2**62)
                run.candidates[start[n_required:size]] = True
                value = 0.0
                for a in range(run.weights.size):
                    if run.left[a] == 0:
                        value += run.weights[a]
                if value > best_value:
                    best_value = value
                    picks = run.picks[: run.desk[0]["n_picks"]].astype(np.int64)
                    best = np.concatenate((start[:size], picks))
    return best


@kernel
def is_allowed(run: Greedy, size: Whole) -> bool:
    """Whether the first `size` sets of the start keep every limit."""
    restart(run, 0)
    for i in run.start[:size]:
        if not can_join(run, i):
            return False
        select(run, i)
    return True
