"""Lazy greedy selection: the picks of the plain loop over all sets, at a fraction of its work.

A key is the gain of a set, or its gain per cost. Keys only fall while more gets covered, so an old
key is an upper bound. Sets wait in a heap by their last known key. The key of the set at the top is
recomputed; if it is still the highest, the set is taken, otherwise it sinks.

A run continues in steps of bounded length, so that a caller can watch a clock.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.maxcover.engine.kernels.extremes import INF
from numpy.typing import NDArray


class Greedy:
    """A greedy run that is continued in steps; no argument is modified.

    The sets in `start` are selected from the beginning and are no candidates. The best candidate
    is the one with the largest gain, or gain per cost if `by_cost`; ties go to the lowest index.
    Sets that gain nothing come last and are taken only if `useless`.
    """

    def __init__(
        self, rows, costs, weights, *, limits, candidates, start, by_cost, useless
    ) -> None:
        self.indptr, self.indices = rows
        self.costs, self.weights = costs, weights
        self.ticks, self.limit = limits
        self.candidates, self.start = candidates, start
        self.by_cost, self.useless = by_cost, useless
        self.picks, self.nodes = np.empty((2, len(costs)), np.int32)
        self.gains, self.keys = np.empty((2, len(costs)))
        self.cheapest = self.limit + 1
        self.uncover()
        with cython.nogil:
            for k in range(self.start.shape[0]):
                select(self, self.start[k])

    def uncover(self) -> None:
        """Reset to the empty selection: every element is uncovered."""
        weights = np.asarray(self.weights)
        self.used = 0
        self.is_small = len(weights) > 0 and weights.max() <= 255.0
        if self.is_small:
            self.small = weights.astype(np.uint8)
            self.is_small = bool((np.asarray(self.small) == weights).all())
        if not self.is_small:
            self.left = weights.copy()

    def advance(self, work: int64_t) -> bool:
        """Continue until about `work` edges were read; return whether the run is finished."""
        finished: cython.bint
        with cython.nogil:
            finished = steps(self, work)
        return finished

    def picked(self) -> NDArray[np.int64]:
        """Return the picks so far, in order, without `start`; with `start` they fit the budget."""
        return np.asarray(self.picks)[: self.n_picks].astype(np.int64)


def key_of(gain, cost, by_cost):
    """Return the gain, or the gain per cost; it is infinite for a free set that gains something."""
    if not by_cost:
        return gain
    if cost > 0.0:
        return gain / cost
    return INF if gain > 0.0 else 0.0


def sift_down(keys, nodes, position, size):
    """Sift the entry at `position` down a max-heap by key; of equal keys the lower node wins."""
    key = keys[position]
    node = nodes[position]
    while True:
        child = 2 * position + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (
            keys[right] > keys[child]
            or (keys[right] == keys[child] and nodes[right] < nodes[child])
        ):
            child = right
        if keys[child] < key or (keys[child] == key and nodes[child] > node):
            break
        keys[position] = keys[child]
        nodes[position] = nodes[child]
        position = child
    keys[position] = key
    nodes[position] = node


def heapify(run):
    """Make a heap of the keys."""
    for k in range(run.size // 2 - 1, -1, -1):
        sift_down(run.keys, run.nodes, k, run.size)


def steps(run, work):
    """Continue the run until about `work` edges were read; return whether it is finished."""
    while work > 0 and run.cursor < run.candidates.shape[0]:
        work -= first_key(run, run.cursor)
        run.cursor += 1
        if run.cursor == run.candidates.shape[0]:
            heapify(run)
    while work > 0 and run.size > 0:
        work -= take_top(run)
    return run.cursor == run.candidates.shape[0] and run.size == 0


def first_key(run, i):
    """Put set `i` into the heap if it is a candidate; return how much work that was."""
    if run.candidates[i]:
        gain = gain_of(run, i)
        run.keys[run.size] = key_of(gain, run.costs[i], run.by_cost)
        run.nodes[run.size] = cython.cast(int32_t, i)
        run.size += 1
        run.largest = max(run.largest, gain)
        run.cheapest = min(run.cheapest, run.ticks[i])
    return 1 + run.indptr[i + 1] - run.indptr[i]


def take_top(run):
    """Pick the set at the top of the heap, or update its key; return how much work that was.

    The heap is emptied once no set fits, or none gains anything.
    """
    i = run.nodes[0]
    if run.used + run.cheapest > run.limit or (run.keys[0] == 0.0 and not run.useless):
        run.size = 0
    elif fits(run, i):
        gain = gain_of(run, i)
        key = key_of(gain, run.costs[i], run.by_cost)
        if key < run.keys[0]:
            run.keys[0] = key
            sift_down(run.keys, run.nodes, 0, run.size)
        else:
            select(run, i)
            run.picks[run.n_picks] = i
            run.gains[run.n_picks] = gain
            run.n_picks += 1
            drop_top(run)
    else:
        drop_top(run)
        return 1
    return 1 + run.indptr[i + 1] - run.indptr[i]


def drop_top(run):
    """Remove the top of the heap."""
    run.size -= 1
    run.keys[0] = run.keys[run.size]
    run.nodes[0] = run.nodes[run.size]
    sift_down(run.keys, run.nodes, 0, run.size)
