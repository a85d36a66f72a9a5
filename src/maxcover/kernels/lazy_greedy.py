"""Lazy greedy selection: the picks of the plain loop over all sets, at a fraction of its work.

A key is the gain of a set, or its gain per cost. Keys only fall while more gets covered, so an old
key is an upper bound. Sets wait in slots by their last known key, up to 256 slots per factor of
two. The slots are opened from the highest down. When a slot is opened, the key of each of its sets
is recomputed; the set moves to a lower slot or enters a heap. Picks come from the top of that heap,
which is small. One heap of all sets would not fit into the cache.

A run continues in steps of bounded length, so that a caller can watch a clock.
"""

import cython
import numpy as np
from cython.cimports.libc.math import frexp
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.maxcover.kernels.extremes import INF
from numpy.typing import NDArray

OCTAVES = 32
PER_OCTAVE = 256


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
        n_sets = len(costs)
        self.per_octave = PER_OCTAVE
        while self.per_octave > 8 and self.per_octave > n_sets // 256:
            self.per_octave //= 2
        self.picks, self.nodes, self.below = np.empty((3, n_sets), np.int32)
        self.gains, self.keys = np.empty((2, n_sets))
        self.head = np.full(OCTAVES * self.per_octave + 2, -1, np.int32)
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


def height(key, per_octave):
    """Map a positive finite key to a slot number on a log scale; larger keys, larger numbers."""
    mantissa = frexp(key, cython.address(exponent))
    return exponent * per_octave + cython.cast(int64_t, (mantissa - 0.5) * 2.0 * per_octave)


def slot_of(run, key):
    """Return the slot of a key: 0 for the highest keys and infinity, the last slot for 0."""
    last = run.head.shape[0] - 1
    if key <= 0.0:
        return last
    if key == INF:
        return 0
    return min(last - 1, run.top_height - height(key, run.per_octave))


def push(run, slot, i):
    """Put set `i` into a slot: a linked list of sets."""
    run.below[i] = run.head[slot]
    run.head[slot] = cython.cast(int32_t, i)


def steps(run, work):
    """Continue the run until about `work` edges were read; return whether it is finished."""
    if run.phase == FIRST_KEYS:
        work = first_keys(run, work)
    if run.phase == PLACE:
        work = place(run, work)
    while work > 0 and run.phase != DONE:
        if run.phase == OPEN:
            work = open_slot(run, work)
        else:
            work = take(run, work)
            if run.size == 0 or run.used + run.cheapest > run.limit:
                next_slot(run)
    return run.phase == DONE


def first_keys(run, work):
    """Compute the key of each candidate; a set that is no candidate gets -1."""
    i = run.cursor
    while work > 0 and i < run.keys.shape[0]:
        run.keys[i] = -1.0
        if run.candidates[i]:
            gain = gain_of(run, i)
            key = key_of(gain, run.costs[i], run.by_cost)
            run.keys[i] = key
            if key > run.top and key < INF:
                run.top = key
            run.largest = max(run.largest, gain)
            run.cheapest = min(run.cheapest, run.ticks[i])
        work -= 1 + run.indptr[i + 1] - run.indptr[i]
        i += 1
    run.cursor = i
    if i == run.keys.shape[0]:
        run.phase = PLACE
        run.cursor = 0
        run.top_height = height(run.top, run.per_octave)
    return work


def place(run, work):
    """Put each candidate into the slot of its key."""
    i = run.cursor
    while work > 0 and i < run.keys.shape[0]:
        if run.keys[i] >= 0.0:
            push(run, slot_of(run, run.keys[i]), i)
        work -= 1
        i += 1
    run.cursor = i
    if i == run.keys.shape[0]:
        run.phase = OPEN
    return work


def open_slot(run, work):
    """Recompute the keys of the sets in the open slot; they move to a lower slot or to the heap."""
    while work > 0 and run.head[run.slot] >= 0:
        i = run.head[run.slot]
        run.head[run.slot] = run.below[i]
        work -= 1
        if fits(run, i):
            key = key_of(gain_of(run, i), run.costs[i], run.by_cost)
            work -= run.indptr[i + 1] - run.indptr[i]
            lower = slot_of(run, key)
            if lower > run.slot:
                push(run, lower, i)
            else:
                run.keys[run.size] = key
                run.nodes[run.size] = i
                run.size += 1
    if run.head[run.slot] < 0:
        run.phase = TAKE
        for k in range(run.size // 2 - 1, -1, -1):
            sift_down(run.keys, run.nodes, k, run.size)
    return work


def take(run, work):
    """Pick sets from the top of the heap until it is empty; first update a key that is outdated."""
    while work > 0 and run.size > 0 and run.used + run.cheapest <= run.limit:
        i = run.nodes[0]
        work -= 1
        if fits(run, i):
            gain = gain_of(run, i)
            key = key_of(gain, run.costs[i], run.by_cost)
            work -= run.indptr[i + 1] - run.indptr[i]
            if key < run.keys[0]:
                lower = slot_of(run, key)
                if lower == run.slot:
                    run.keys[0] = key
                    sift_down(run.keys, run.nodes, 0, run.size)
                    continue
                push(run, lower, i)
            else:
                select(run, i)
                run.picks[run.n_picks] = i
                run.gains[run.n_picks] = gain
                run.n_picks += 1
        drop_top(run)
    return work


def drop_top(run):
    """Remove the top of the heap."""
    run.size -= 1
    run.keys[0] = run.keys[run.size]
    run.nodes[0] = run.nodes[run.size]
    sift_down(run.keys, run.nodes, 0, run.size)


def next_slot(run):
    """Open the next slot that has a set; end the run if there is none or no set fits any more."""
    last = run.head.shape[0] - (0 if run.useless else 1)
    run.slot += 1
    while run.slot < last and run.head[run.slot] < 0:
        run.slot += 1
    run.phase = OPEN
    if run.slot >= last or run.used + run.cheapest > run.limit:
        run.phase = DONE
