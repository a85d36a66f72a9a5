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
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.extremes import INF
from numpy.typing import NDArray

OCTAVES = 32
PER_OCTAVE = 256
# Number of sets in a block. A slot is a list of blocks, and is opened block by block.
BLOCK = 30


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
        n_slots = OCTAVES * self.per_octave + 2
        self.picks = np.empty(n_sets, np.int32)
        self.gains = np.empty(n_sets)
        self.keys = np.empty(n_sets)
        self.nodes = np.empty(n_sets, np.int32)
        blocks = np.empty((n_sets // BLOCK + n_slots + 1, BLOCK + 2), np.int32)
        blocks[:, BLOCK + 1] = np.arange(1, len(blocks) + 1)
        self.blocks = blocks
        self.head = np.full(n_slots + 1, -1, np.int32)
        self.head[n_slots] = 0
        self.block = np.empty(BLOCK, np.int64)
        self.cheapest = self.limit + 1
        self.uncover()

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
    last = run.head.shape[0] - 2
    if key <= 0.0:
        return last
    if key == INF:
        return 0
    return min(last - 1, run.top_height - height(key, run.per_octave))


def push(blocks, head, slot, i):
    """Put set `i` into a slot.

    A slot is a linked list of blocks. A block is a row of `blocks`: set indices, then the number of
    set indices in use, then the number of the next block. Free blocks form a linked list too.
    """
    full = blocks.shape[1] - 2
    block = head[slot]
    if block < 0 or blocks[block, full] == full:
        fresh = head[head.shape[0] - 1]
        head[head.shape[0] - 1] = blocks[fresh, full + 1]
        blocks[fresh, full] = 0
        blocks[fresh, full + 1] = block
        head[slot] = fresh
        block = fresh
    blocks[block, blocks[block, full]] = i
    blocks[block, full] += 1


def pop(blocks, head, slot, sets):
    """Remove the first block of a slot and copy its sets to `sets`; return how many there are."""
    full = blocks.shape[1] - 2
    block = head[slot]
    if block < 0:
        return 0
    n_sets = blocks[block, full]
    for b in range(n_sets):
        sets[b] = blocks[block, b]
    free = head[head.shape[0] - 1]
    head[slot] = blocks[block, full + 1]
    blocks[block, full + 1] = free
    head[head.shape[0] - 1] = block
    return n_sets


def steps(run, work):
    """Continue the run until about `work` edges were read; return whether it is finished."""
    if run.phase == COVER_START:
        work = cover_start(run, work)
    if run.phase == FIRST_KEYS:
        work = first_keys(run, work)
    if run.phase == PLACE:
        work = place(run, work)
    while work > 0 and run.phase != DONE:
        if run.phase == OPEN:
            work = open_slot(run, work)
        elif run.phase == HEAP:
            work = heapify(run, work)
        else:
            work = take(run, work)
            if run.size == 0 or run.used + run.cheapest > run.limit:
                next_slot(run)
    return run.phase == DONE


def cover_start(run, work):
    """Select the sets of `run.start`."""
    while work > 0 and run.cursor < run.start.shape[0]:
        work -= 1 + select(run, run.start[run.cursor])
        run.cursor += 1
    if run.cursor == run.start.shape[0]:
        run.phase = FIRST_KEYS
        run.cursor = 0
    return work


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
            push(run.blocks, run.head, slot_of(run, run.keys[i]), i)
        work -= 1
        i += 1
    run.cursor = i
    if i == run.keys.shape[0]:
        run.phase = OPEN
    return work


def open_slot(run, work):
    """Recompute the keys of the sets in the open slot; they move to a lower slot or into the heap.

    Works block by block. The first entry of every row of a block is read before any row is summed
    up, so that the memory accesses overlap.
    """
    n_block = 1
    asked = 0
    while work > 0 and n_block > 0:
        n_block = pop(run.blocks, run.head, run.slot, run.block)
        work -= n_block
        n_fitting = 0
        for b in range(n_block):
            i = run.block[b]
            if fits(run, i):
                run.block[n_fitting] = i
                n_fitting += 1
        for b in range(n_fitting):
            i = run.block[b]
            if run.indptr[i] < run.indptr[i + 1]:
                asked |= run.indices[run.indptr[i]]
        for b in range(n_fitting):
            i = run.block[b]
            key = key_of(gain_of(run, i), run.costs[i], run.by_cost)
            work -= run.indptr[i + 1] - run.indptr[i]
            lower = slot_of(run, key)
            if lower > run.slot:
                push(run.blocks, run.head, lower, i)
            else:
                run.keys[run.size] = key
                run.nodes[run.size] = i
                run.size += 1
    if n_block == 0:
        run.phase = HEAP
        run.cursor = run.size // 2
    # `asked` is never negative: it is used only so that the compiler keeps the reads that fill it.
    return work - (asked < 0)


def heapify(run, work):
    """Make a heap of the sets that stayed in the open slot."""
    while work > 0 and run.cursor > 0:
        run.cursor -= 1
        sift_down(run.keys, run.nodes, run.cursor, run.size)
        work -= 1
    if run.cursor == 0:
        run.phase = TAKE
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
                push(run.blocks, run.head, lower, i)
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
    last = run.head.shape[0] - (1 if run.useless else 2)
    run.slot += 1
    while run.slot < last and run.head[run.slot] < 0:
        run.slot += 1
    run.phase = OPEN
    if run.slot >= last or run.used + run.cheapest > run.limit:
        run.phase = DONE
