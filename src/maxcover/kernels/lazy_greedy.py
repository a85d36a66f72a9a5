"""Lazy greedy selection: the picks of the plain loop over all sets, at a fraction of its work.

A key is the gain of a set, or its gain per cost. Keys only fall while more gets covered, so an old
key is an upper bound. Sets wait in slots by their last known key, some hundred slots to a factor
of two. The slots are opened from the highest: each set in it is computed anew, moves to a lower
slot or enters the heap of the open one. Only the top of that heap, which is small, is ever taken.
One heap of all sets would be walked from end to end for each pick, far outside the cache.

A run is a state (`maxcover.kernels.greedy_state`) that `advance` takes a bounded step further, so
that a caller can watch a clock.
"""

import cython
from cython.cimports.libc.math import frexp
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
from cython.cimports.maxcover.kernels.extremes import INF
from cython.cimports.maxcover.kernels.selection import fits, gain_of, select


def key_of(gain, cost, by_cost):
    """Gain, or gain per cost; a free set that gains something comes before every other."""
    if not by_cost:
        return gain
    if cost > 0.0:
        return gain / cost
    return INF if gain > 0.0 else 0.0


def sift_down(keys, nodes, position, size):
    """Restore a heap ordered by falling key, then rising node, below one position."""
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
    """Return the slot of a finite positive key, counted from below: monotone in the key."""
    mantissa = frexp(key, cython.address(exponent))
    return exponent * per_octave + cython.cast(int64_t, (mantissa - 0.5) * 2.0 * per_octave)


def slot_of(key, desk, last):
    """Return the slot of a key: 0 for the highest and infinite ones, the last for zero."""
    if key <= 0.0:
        return last
    if key == INF:
        return 0
    return min(last - 1, desk.top_height - height(key, desk.per_octave))


def push(blocks, head, slot, i):
    """Put a set into a slot.

    A slot is a list of blocks. A block has places for sets, then the number of those in use, then
    the block behind it. Blocks in no slot are a list too.
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
    """Take the front block from a slot and copy its sets; return how many they are."""
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


def set_back(first, blocks, head, desk, n_start):
    """Set all but the weights back; see `restart`."""
    for slot in range(first.shape[0]):
        first[slot] = 0
        head[slot] = -1
    head[head.shape[0] - 1] = 0
    for b in range(blocks.shape[0]):
        blocks[b, blocks.shape[1] - 1] = b + 1
    desk.phase = COVER_START
    desk.cursor = 0
    desk.n_start = n_start
    desk.n_picks = 0
    desk.used = 0
    desk.cheapest = desk.limit + 1
    desk.top = 0.0
    desk.largest = 0.0


def steps(
    indptr, indices, costs, ticks, candidates, start, left,
    picks, gains, keys, nodes, order, first, blocks, head, block, desk, work,
):  # fmt: skip
    """Take the run further by about `work` edges looked at; return whether it is finished."""
    if desk.phase == COVER_START:
        work = cover_start(
            indptr, indices, ticks, start, left, desk, work
        )  # fmt: skip
    if desk.phase == FIRST_KEYS:
        work = first_keys(indptr, indices, costs, ticks, candidates, left, keys, desk, work)
    if desk.phase == COUNT:
        work = count(keys, first, desk, work)
    if desk.phase == PLACE:
        work = place(keys, order, first, desk, work)
    while work > 0 and desk.phase != DONE:
        if desk.phase == OPEN:
            work = open_slot(
                indptr, indices, costs, ticks, left, keys, nodes, order, first, blocks, head,
                block, desk, work,
            )  # fmt: skip
        elif desk.phase == HEAP:
            work = heapify(keys, nodes, desk, work)
        else:
            work = take(
                indptr, indices, costs, ticks, left, picks, gains, keys, nodes, blocks, head, desk,
                work,
            )  # fmt: skip
            if desk.size == 0 or desk.used + desk.cheapest > desk.limit:
                next_slot(first, head, desk)
    return desk.phase == DONE


def cover_start(indptr, indices, ticks, start, left, desk, work):
    """Select the sets of the start."""
    cursor = desk.cursor
    while work > 0 and cursor < desk.n_start:
        work -= 1 + select(
            start[cursor], indptr, indices, left
        )  # fmt: skip
        desk.used += ticks[start[cursor]]
        cursor += 1
    desk.cursor = cursor
    if cursor == desk.n_start:
        desk.phase = FIRST_KEYS
        desk.cursor = 0
    return work


def first_keys(indptr, indices, costs, ticks, candidates, left, keys, desk, work):
    """Compute the keys of all candidates, and -1 for the others."""
    i = desk.cursor
    while work > 0 and i < keys.shape[0]:
        keys[i] = -1.0
        if candidates[i]:
            gain = gain_of(indptr, indices, left, i)
            key = key_of(gain, costs[i], desk.by_cost)
            keys[i] = key
            if key > desk.top and key < INF:
                desk.top = key
            desk.largest = max(desk.largest, gain)
            desk.cheapest = min(desk.cheapest, ticks[i])
        work -= 1 + indptr[i + 1] - indptr[i]
        i += 1
    desk.cursor = i
    if i == keys.shape[0]:
        desk.phase = COUNT
        desk.cursor = 0
        desk.top_height = height(desk.top, desk.per_octave)
    return work


def count(keys, first, desk, work):
    """Count the candidates of each slot, then sum up, so that each slot knows where it begins."""
    i = desk.cursor
    last = first.shape[0] - 2
    while work > 0 and i < keys.shape[0]:
        if keys[i] >= 0.0:
            first[slot_of(keys[i], desk, last) + 1] += 1
        work -= 1
        i += 1
    desk.cursor = i
    if i == keys.shape[0]:
        for slot in range(last + 1):
            first[slot + 1] += first[slot]
        desk.phase = PLACE
        desk.cursor = 0
    return work


def place(keys, order, first, desk, work):
    """Order the candidates by slot; `first` moves on to the ends of the slots."""
    i = desk.cursor
    last = first.shape[0] - 2
    while work > 0 and i < keys.shape[0]:
        if keys[i] >= 0.0:
            slot = slot_of(keys[i], desk, last)
            order[first[slot]] = i
            first[slot] += 1
        work -= 1
        i += 1
    desk.cursor = i
    if i == keys.shape[0]:
        desk.phase = OPEN
        desk.cursor = 0
        desk.slot = 0
        desk.size = 0
    return work


def open_slot(
    indptr, indices, costs, ticks, left, keys, nodes, order, first, blocks, head, block, desk, work,
):  # fmt: skip
    """Compute the sets of the open slot anew: they move to a lower slot or enter the heap.

    In blocks, in stages: the rows of a block are asked for before the first of them is summed up,
    so that their ways through the memory overlap.
    """
    last = first.shape[0] - 2
    cursor = desk.cursor
    end = first[desk.slot]
    size = desk.size
    n_block = 1
    asked = 0
    while work > 0 and n_block > 0:
        if cursor < end:
            n_block = min(block.shape[0], end - cursor)
            for b in range(n_block):
                block[b] = order[cursor + b]
            cursor += n_block
        else:
            n_block = pop(blocks, head, desk.slot, block)
        work -= n_block
        n_fitting = 0
        for b in range(n_block):
            i = block[b]
            if fits(i, ticks, desk.limit, desk.used):
                block[n_fitting] = i
                n_fitting += 1
        for b in range(n_fitting):
            if indptr[block[b]] < indptr[block[b] + 1]:
                asked |= indices[indptr[block[b]]]
        for b in range(n_fitting):
            i = block[b]
            key = key_of(gain_of(indptr, indices, left, i), costs[i], desk.by_cost)
            work -= indptr[i + 1] - indptr[i]
            lower = slot_of(key, desk, last)
            if lower > desk.slot:
                push(blocks, head, lower, i)
            else:
                keys[size] = key
                nodes[size] = i
                size += 1
    desk.cursor = cursor
    desk.size = size
    if n_block == 0:
        desk.phase = HEAP
        desk.cursor = size // 2
    # no index is negative, but the compiler does not know: it would leave the early reads out
    return work - (asked < 0)


def heapify(keys, nodes, desk, work):
    """Make a heap of the sets that stayed in the open slot."""
    while work > 0 and desk.cursor > 0:
        desk.cursor -= 1
        sift_down(keys, nodes, desk.cursor, desk.size)
        work -= 1
    if desk.cursor == 0:
        desk.phase = TAKE
    return work


def take(
    indptr, indices, costs, ticks, left, picks, gains, keys, nodes, blocks, head, desk, work,
):  # fmt: skip
    """Take the best of the open slot while its key is up to date, until the heap is empty."""
    last = head.shape[0] - 2
    size = desk.size
    while work > 0 and size > 0 and desk.used + desk.cheapest <= desk.limit:
        i = nodes[0]
        work -= 1
        if fits(i, ticks, desk.limit, desk.used):
            gain = gain_of(indptr, indices, left, i)
            key = key_of(gain, costs[i], desk.by_cost)
            work -= indptr[i + 1] - indptr[i]
            if key < keys[0]:
                lower = slot_of(key, desk, last)
                if lower == desk.slot:
                    keys[0] = key
                    sift_down(keys, nodes, 0, size)
                    continue
                push(blocks, head, lower, i)
            else:
                select(i, indptr, indices, left)
                desk.used += ticks[i]
                picks[desk.n_picks] = i
                gains[desk.n_picks] = gain
                desk.n_picks += 1
        size -= 1
        keys[0] = keys[size]
        nodes[0] = nodes[size]
        sift_down(keys, nodes, 0, size)
    desk.size = size
    return work


def next_slot(first, head, desk):
    """Open the next slot that has a set in it, or end the run."""
    last = first.shape[0] - (1 if desk.useless else 2)
    desk.slot += 1
    while desk.slot < last and head[desk.slot] < 0 and first[desk.slot] == first[desk.slot - 1]:
        desk.slot += 1
    if desk.slot >= last or desk.used + desk.cheapest > desk.limit:
        desk.phase = DONE
    else:
        desk.phase = OPEN
        desk.cursor = first[desk.slot - 1]


def restart(run, n_start: int64_t) -> None:
    """Set a run back before its first pick, with the first `n_start` sets of `start` selected."""
    first: OffsetsOut = run.first
    blocks: Blocks = run.blocks
    head: IndicesOut = run.head
    desks: Desk[::1] = run.desk
    run.left[:] = run.weights
    set_back(first, blocks, head, cython.address(desks[0]), n_start)


def advance(run, work: int64_t) -> bool:
    """Take the run further by about `work` edges looked at; return whether it is finished."""
    indptr: Offsets
    indices: Indices
    costs: Floats
    ticks: Offsets
    candidates: Bools
    start: Offsets
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
    small: BoolsOut
    left: FloatsOut
    finished: cython.bint
    (
        indptr, indices, costs, _, ticks, candidates, start,
        weights_left, picks, gains, keys, nodes, order, first, blocks, head, block,
        desks,
    ) = run  # fmt: skip
    if weights_left.itemsize == 1:
        small = weights_left
        with cython.nogil:
            finished = steps(
                indptr, indices, costs, ticks, candidates,
                start, small, picks, gains, keys, nodes, order, first, blocks, head,
                block, cython.address(desks[0]), work,
            )  # fmt: skip
    else:
        left = weights_left
        with cython.nogil:
            finished = steps(
                indptr, indices, costs, ticks, candidates,
                start, left, picks, gains, keys, nodes, order, first, blocks, head,
                block, cython.address(desks[0]), work,
            )  # fmt: skip
    return finished
