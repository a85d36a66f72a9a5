"""Augment: Greedy+Max: the best single set on top of each prefix of a greedy run.

The greedy order by gain per cost may skip a large set that is worth more than all its later picks.
Before each pick, Greedy+Max also tries the set that fits and gains the most on its own. The best of
all these selections is worth at least half of the optimum under a budget.

A prefix cannot win if its value plus the largest gain of any set is below the value of the whole
run. So the greedy run is made first, then the few prefixes at its end that can win are tried, with
old gains as upper bounds.

References
----------
Yaroslavtsev, Zhou and Avdiukhin (2020). "Bring Your Own Greedy"+Max: Near-Optimal
1/2-Approximations for Submodular Knapsack. AISTATS.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.lazy_greedy import (
    drop_top,
    fits,
    gain_of,
    heapify,
    select,
    sift_down,
)


class Augmentation:
    """A search for the best prefix of a finished greedy run plus one more set.

    It overwrites the state of `run`, except its picks and gains. Opening it takes one pass over the
    edges.
    """

    def __init__(self, run) -> None:
        self.run, self.length, self.extra = run, 0, -1
        values = np.append(0.0, np.cumsum(np.asarray(self.run.gains)[: self.run.n_picks]))
        self.best = values[self.run.n_picks]
        matters = values + self.run.largest > self.best
        self.cursor = np.argmax(matters) if matters.any() else len(matters)
        if self.cursor < len(values):
            self.value = values[self.cursor]
            self.run.uncover()
            with cython.nogil:
                go_to_prefix(self.run, self.cursor)

    def advance(self, work: int64_t) -> bool:
        """Continue until about `work` edges were read; return whether the search is finished."""
        over: cython.bint
        with cython.nogil:
            over = try_prefixes(self.run, self, work)
        return over


def go_to_prefix(run, length):
    """Select the start and the first `length` picks; make a heap, by gain, of the sets that fit."""
    for k in range(run.start.shape[0]):
        select(run, run.start[k])
    for k in range(length):
        select(run, run.picks[k])
    run.size = 0
    for i in range(run.candidates.shape[0]):
        if run.candidates[i] and fits(run, i):
            gain = gain_of(run, i)
            if gain > 0.0:
                run.keys[run.size] = gain
                run.nodes[run.size] = i
                run.size += 1
    heapify(run)


def try_prefixes(run, found, work):
    """Find the best set to add to each prefix, shortest first; return whether all are tried."""
    while work > 0 and found.cursor <= run.n_picks:
        if run.size > 0 and found.value + run.keys[0] > found.best:
            i = run.nodes[0]
            work -= 1 + run.indptr[i + 1] - run.indptr[i]
            if not fits(run, i):
                drop_top(run)
                continue
            gain = gain_of(run, i)
            if gain == run.keys[0]:
                found.best = found.value + gain
                found.extra = i
                found.length = found.cursor
            run.keys[0] = gain
            sift_down(run.keys, run.nodes, 0, run.size)
        else:
            if found.cursor < run.n_picks:
                work -= 1 + select(run, run.picks[found.cursor])
                found.value += run.gains[found.cursor]
            found.cursor += 1
    return found.cursor > run.n_picks
