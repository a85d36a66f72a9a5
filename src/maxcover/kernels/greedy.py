"""Lazy greedy selection: the picks of the plain loop over all sets, at a fraction of its work.

A key is the gain of a set, or its gain per cost. Keys only fall while more gets covered, so an old
key is an upper bound. Sets wait in slots by their last known key, `PER_OCTAVE` slots to a factor
of two. The slots are opened from the highest: each set in it is computed anew, moves to a lower
slot or enters the heap of the open one. Only the top of that heap, which is small, is ever taken.
One heap of all sets would be walked from end to end for each pick, far outside the cache.

A run is a state that `advance` takes a bounded step further, so that a caller can watch a clock.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.arrays import Bools, Floats, Groups, Indices, Left, Offsets, Whole
from maxcover.kernels.jit import kernel

OCTAVES = 32
PER_OCTAVE = 256
# Sets that are looked at together when a slot is opened, and kept together in a slot.
BLOCK = 30

COVER_START, FIRST_KEYS, COUNT, PLACE, OPEN, HEAP, TAKE, DONE = range(8)

DESK = np.dtype(
    [
        ("phase", np.int64),
        ("cursor", np.int64),  # how far the phase has come
        ("n_start", np.int64),
        ("n_picks", np.int64),
        ("used", np.int64),  # ticks of the selection
        ("limit", np.int64),
        ("cheapest", np.int64),  # ticks of the cheapest candidate
        ("per_octave", np.int64),
        ("top", np.float64),  # the largest finite key
        ("largest", np.float64),  # the largest gain of a candidate beside the start
        ("slot", np.int64),  # the open slot
        ("size", np.int64),  # of the heap
        ("by_cost", np.bool_),
        ("useless", np.bool_),
    ],
    align=True,
)


class Rows(NamedTuple):
    """The elements of each set, in CSR form."""

    indptr: Offsets
    indices: Indices


class Limits(NamedTuple):
    """What may be selected together: ticks of each set, the budget, and limits of groups."""

    ticks: Offsets
    limit: int
    group: Groups
    group_counts: Offsets
    group_ticks: Offsets


class Greedy(NamedTuple):
    """All that a greedy run knows between two steps, in plain arrays."""

    indptr: NDArray[np.uint64]  # unsigned: no test for negative indices in the innermost loop
    indices: NDArray[np.uint32]
    costs: Floats
    weights: Floats
    ticks: Offsets
    group: Groups
    group_counts: Offsets
    group_ticks: Offsets
    candidates: Bools
    start: Offsets
    left: Left  # the weight of each element, 0 once it is covered
    items: Offsets  # selected sets of each group
    spent: Offsets  # and their ticks
    picks: Indices
    gains: Floats  # of the picks, when they were taken
    keys: Floats  # first of all sets, then of the heap
    nodes: NDArray[np.uint32]  # the heap
    order: NDArray[np.uint32]  # sets by slot of their first key
    first: Offsets  # where each slot begins in `order`
    blocks: NDArray[np.int32]  # sets that came to a slot from a higher one; see `push`
    head: Indices  # the block of each slot that is being filled, or -1; at last the first free one
    desk: NDArray[np.void]  # one record of numbers


def open_greedy(
    rows: Rows,
    costs: Floats,
    weights: Floats,
    *,
    limits: Limits,
    candidates: Bools,
    start: Offsets,
    by_cost: bool,
    useless: bool,
) -> Greedy:
    """Return a run that stands before its first pick. Nothing given is modified.

    The sets in `start` are selected from the beginning and are no candidates. The best candidate
    is the one with the largest gain, or gain per cost if `by_cost`; ties go to the lowest index.
    Sets that gain nothing come last and are taken only if `useless`.
    """
    n_sets, n_groups = len(costs), len(limits.group_counts)
    per_octave = PER_OCTAVE
    while per_octave > 8 and per_octave > n_sets // 256:
        per_octave //= 2
    n_slots = OCTAVES * per_octave + 2
    desk = np.zeros(1, DESK)
    desk["limit"], desk["per_octave"] = limits.limit, per_octave
    desk["by_cost"], desk["useless"] = by_cost, useless
    run = Greedy(
        *(rows.indptr.view(np.uint64), rows.indices.view(np.uint32), costs, weights),
        *(limits.ticks, limits.group, limits.group_counts, limits.group_ticks),
        *(candidates, start, _empty_left(weights)),
        items=np.empty(n_groups, np.int64),
        spent=np.empty(n_groups, np.int64),
        picks=np.empty(n_sets, np.int32),
        gains=np.empty(n_sets),
        keys=np.empty(n_sets),
        nodes=np.empty(n_sets, np.uint32),
        order=np.empty(n_sets, np.uint32),
        first=np.empty(n_slots + 1, np.int64),
        blocks=np.empty((n_sets // BLOCK + n_slots + 1, BLOCK + 2), np.int32),
        head=np.empty(n_slots + 1, np.int32),
        desk=desk,
    )
    restart(run, len(start))
    return run


def _empty_left(weights: Floats) -> Left:
    """Return room for the weights: bytes, an eighth of the memory, where they are small counts."""
    if weights.size and weights.max() <= 255.0 and (weights.astype(np.uint8) == weights).all():
        return np.empty(len(weights), np.uint8)
    return np.empty(len(weights))


def picked(run: Greedy) -> NDArray[np.int64]:
    """Return the picks so far, in order, without the start; beside it they keep every limit."""
    return run.picks[: run.desk["n_picks"][0]].astype(np.int64)


@kernel
def restart(run: Greedy, n_start: int) -> None:
    """Set a run back before its first pick, with the first `n_start` sets of `start` selected."""
    for a in range(run.left.size):
        run.left[a] = run.weights[a]
    run.items[:] = 0
    run.spent[:] = 0
    run.first[:] = 0
    run.head[:] = -1
    run.head[-1] = 0
    for b in range(run.blocks.shape[0]):
        run.blocks[b, BLOCK + 1] = b + 1
    desk = run.desk[0]
    desk["phase"], desk["cursor"] = COVER_START, 0
    desk["n_start"], desk["n_picks"] = n_start, 0
    desk["used"], desk["cheapest"] = 0, desk["limit"] + 1
    desk["top"], desk["largest"] = 0.0, 0.0


@kernel
def gain_of(indptr: NDArray[np.uint64], indices: NDArray[np.uint32], left: Left, i: Whole) -> float:
    """Weight that set i would newly cover; in index order, so it never rises as more is covered."""
    total = 0.0
    for e in range(indptr[i], indptr[i + 1]):
        total += float(left[indices[e]])
    return total


@kernel
def density(gain: float, cost: float) -> float:
    """Gain per cost; a free set that gains something comes before every other."""
    if cost > 0.0:
        return gain / cost
    return np.inf if gain > 0.0 else 0.0


@kernel
def fits(
    i: Whole,
    ticks: Offsets,
    limit: Whole,
    used: Whole,
    group: Groups,
    group_counts: Offsets,
    group_ticks: Offsets,
    items: Offsets,
    spent: Offsets,
) -> bool:
    """Whether set i can join what is selected so far."""
    if used + ticks[i] > limit:
        return False
    if group_counts.size == 0:
        return True
    g = group[i]
    return bool(g < 0 or (items[g] < group_counts[g] and spent[g] + ticks[i] <= group_ticks[g]))


@kernel
def can_join(run: Greedy, i: Whole) -> bool:
    """Whether set i can join what the run has selected."""
    desk = run.desk[0]
    return fits(
        i, run.ticks, desk["limit"], desk["used"],
        run.group, run.group_counts, run.group_ticks, run.items, run.spent,
    )  # fmt: skip


@kernel
def select(run: Greedy, i: Whole) -> Whole:
    """Cover the elements of set i and count it against the limits; return its elements."""
    for e in range(run.indptr[i], run.indptr[i + 1]):
        run.left[run.indices[e]] = 0
    run.desk[0]["used"] += run.ticks[i]
    if run.group[i] >= 0:
        run.items[run.group[i]] += 1
        run.spent[run.group[i]] += run.ticks[i]
    return int(run.indptr[i + 1] - run.indptr[i])


@kernel
def sift_down(keys: Floats, nodes: NDArray[np.uint32], position: Whole, size: Whole) -> None:
    """Restore a heap ordered by falling key, then rising node, below one position."""
    key, node = keys[position], nodes[position]
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
        keys[position], nodes[position] = keys[child], nodes[child]
        position = child
    keys[position], nodes[position] = key, node


@kernel
def height(key: float, per_octave: Whole) -> Whole:
    """Return the slot of a finite positive key, counted from below: monotone in the key."""
    mantissa, exponent = math.frexp(key)
    return exponent * per_octave + int((mantissa - 0.5) * 2.0 * per_octave)


@kernel
def slot_of(key: float, top_height: Whole, per_octave: Whole) -> Whole:
    """Return the slot of a key: 0 for the highest and infinite ones, the last for zero."""
    last = OCTAVES * per_octave + 1
    if key <= 0.0:
        return last
    if key == np.inf:
        return 0
    return min(last - 1, top_height - height(key, per_octave))


@kernel
def advance(run: Greedy, work: Whole) -> bool:
    """Take the run further by about `work` edges looked at; return whether it is finished."""
    desk = run.desk[0]
    if desk["phase"] == COVER_START:
        work = cover_start(run, work)
    if desk["phase"] == FIRST_KEYS:
        work = first_keys(run, work)
    top_height = height(desk["top"], desk["per_octave"]) if desk["top"] > 0.0 else 0
    if desk["phase"] == COUNT:
        work = count(run, work, top_height)
    if desk["phase"] == PLACE:
        work = place(run, work, top_height)
    while work > 0 and desk["phase"] != DONE:
        if desk["phase"] == OPEN:
            work = open_slot(run, work, top_height)
        elif desk["phase"] == HEAP:
            work = heapify(run, work)
        else:
            work = take(run, work, top_height)
    return bool(desk["phase"] == DONE)


@kernel
def enter(run: Greedy, phase: int, cursor: Whole) -> None:
    """Begin a phase."""
    run.desk[0]["phase"] = phase
    run.desk[0]["cursor"] = cursor


@kernel
def cover_start(run: Greedy, work: Whole) -> Whole:
    """Select the sets of the start."""
    desk = run.desk[0]
    cursor = desk["cursor"]
    while work > 0 and cursor < desk["n_start"]:
        work -= 1 + select(run, run.start[cursor])
        cursor += 1
    desk["cursor"] = cursor
    if cursor == desk["n_start"]:
        enter(run, FIRST_KEYS, 0)
    return work


@kernel
def first_keys(run: Greedy, work: Whole) -> Whole:
    """Compute the keys of all candidates, and -1 for the others."""
    desk = run.desk[0]
    indptr, indices, left, keys = run.indptr, run.indices, run.left, run.keys
    by_cost = desk["by_cost"]
    top, largest, cheapest = desk["top"], desk["largest"], desk["cheapest"]
    i = desk["cursor"]
    while work > 0 and i < keys.size:
        key = -1.0
        if run.candidates[i]:
            gain = gain_of(indptr, indices, left, i)
            key = density(gain, run.costs[i]) if by_cost else gain
            if key > top and key < np.inf:
                top = key
            largest = max(largest, gain)
            cheapest = min(cheapest, run.ticks[i])
        keys[i] = key
        work -= 1 + np.int64(indptr[i + 1] - indptr[i])
        i += 1
    desk["top"], desk["largest"], desk["cheapest"] = top, largest, cheapest
    desk["cursor"] = i
    if i == keys.size:
        enter(run, COUNT, 0)
    return work


@kernel
def count(run: Greedy, work: Whole, top_height: Whole) -> Whole:
    """Count the candidates of each slot, then sum up, so that each slot knows where it begins."""
    desk = run.desk[0]
    keys, first, per_octave = run.keys, run.first, desk["per_octave"]
    i = desk["cursor"]
    while work > 0 and i < keys.size:
        if keys[i] >= 0.0:
            first[slot_of(keys[i], top_height, per_octave) + 1] += 1
        work -= 1
        i += 1
    desk["cursor"] = i
    if i == keys.size:
        for slot in range(first.size - 1):
            first[slot + 1] += first[slot]
        enter(run, PLACE, 0)
    return work


@kernel
def place(run: Greedy, work: Whole, top_height: Whole) -> Whole:
    """Order the candidates by slot; `first` moves on to the ends of the slots."""
    desk = run.desk[0]
    keys, first, per_octave = run.keys, run.first, desk["per_octave"]
    i = desk["cursor"]
    while work > 0 and i < keys.size:
        if keys[i] >= 0.0:
            slot = slot_of(keys[i], top_height, per_octave)
            run.order[first[slot]] = i
            first[slot] += 1
        work -= 1
        i += 1
    desk["cursor"] = i
    if i == keys.size:
        enter(run, OPEN, 0)
        desk["slot"], desk["size"] = 0, 0
    return work


@kernel
def is_over(run: Greedy) -> bool:
    """Whether nothing that is left can be taken."""
    desk = run.desk[0]
    last = run.first.size - (1 if desk["useless"] else 2)
    return bool(desk["slot"] >= last or desk["used"] + desk["cheapest"] > desk["limit"])


@kernel
def open_slot(run: Greedy, work: Whole, top_height: Whole) -> Whole:
    """Compute the sets of the open slot anew: they move to a lower slot or enter the heap.

    In blocks, in stages: the rows of a block are asked for before the first of them is summed up,
    so that their ways through the memory overlap.
    """
    desk = run.desk[0]
    indptr, indices, left, costs = run.indptr, run.indices, run.left, run.costs
    blocks, head = run.blocks, run.head
    slot, by_cost, per_octave = desk["slot"], desk["by_cost"], desk["per_octave"]
    cursor, end, size = desk["cursor"], run.first[slot], desk["size"]
    block = np.empty(BLOCK, np.int64)
    n_block: Whole = 1
    asked = np.uint32(0)
    while work > 0 and n_block > 0:
        if cursor < end:
            n_block = min(BLOCK, end - cursor)
            for b in range(n_block):
                block[b] = run.order[cursor + b]
            cursor += n_block
        else:
            n_block = pop(blocks, head, slot, block)
        n_fitting = keep_fitting(
            block, n_block, run.ticks, desk["limit"], desk["used"], run.group, run.group_counts,
            run.group_ticks, run.items, run.spent,
        )  # fmt: skip
        for b in range(n_fitting):
            if indptr[block[b]] < indptr[block[b] + 1]:
                asked |= indices[indptr[block[b]]]
        work -= n_block
        for b in range(n_fitting):
            i = block[b]
            key = gain_of(indptr, indices, left, i)
            work -= np.int64(indptr[i + 1] - indptr[i])
            if by_cost:
                key = density(key, costs[i])
            lower = slot_of(key, top_height, per_octave)
            if lower > slot:
                push(blocks, head, lower, i)
            else:
                run.keys[size], run.nodes[size] = key, i
                size += 1
    desk["cursor"], desk["size"] = cursor, size
    if n_block == 0:
        enter(run, HEAP, size // 2)
    # zero, but the compiler does not know it: without a use it would leave the early reads out
    return work - np.int64(asked >> np.uint32(31))


@kernel
def keep_fitting(
    block: Offsets,
    n_block: Whole,
    ticks: Offsets,
    limit: Whole,
    used: Whole,
    group: Groups,
    group_counts: Offsets,
    group_ticks: Offsets,
    items: Offsets,
    spent: Offsets,
) -> Whole:
    """Move the sets of a block that fit to its front; return how many they are."""
    n_fitting = 0
    for b in range(n_block):
        i = block[b]
        if fits(i, ticks, limit, used, group, group_counts, group_ticks, items, spent):
            block[n_fitting] = i
            n_fitting += 1
    return n_fitting


@kernel
def push(blocks: NDArray[np.int32], head: Indices, slot: Whole, i: Whole) -> None:
    """Put a set into a slot.

    A slot is a list of blocks, each with `BLOCK` places, the number of those in use, and the block
    behind it. Blocks in no slot are a list too.
    """
    block = head[slot]
    if block < 0 or blocks[block, BLOCK] == BLOCK:
        fresh = head[-1]
        head[-1] = blocks[fresh, BLOCK + 1]
        blocks[fresh, BLOCK], blocks[fresh, BLOCK + 1] = 0, block
        head[slot] = block = fresh
    blocks[block, blocks[block, BLOCK]] = i
    blocks[block, BLOCK] += 1


@kernel
def pop(blocks: NDArray[np.int32], head: Indices, slot: Whole, sets: Offsets) -> Whole:
    """Take the front block from a slot and copy its sets; return how many they are."""
    block = head[slot]
    if block < 0:
        return 0
    n_sets = np.int64(blocks[block, BLOCK])
    for b in range(n_sets):
        sets[b] = blocks[block, b]
    head[slot], blocks[block, BLOCK + 1], head[-1] = blocks[block, BLOCK + 1], head[-1], block
    return n_sets


@kernel
def heapify(run: Greedy, work: Whole) -> Whole:
    """Make a heap of the sets that stayed in the open slot."""
    desk = run.desk[0]
    position = desk["cursor"]
    while work > 0 and position > 0:
        position -= 1
        sift_down(run.keys, run.nodes, position, desk["size"])
        work -= 1
    desk["cursor"] = position
    if position == 0:
        enter(run, TAKE, 0)
    return work


@kernel
def take(run: Greedy, work: Whole, top_height: Whole) -> Whole:
    """Take the best of the open slot while its key is up to date, until the heap is empty."""
    desk = run.desk[0]
    indptr, indices, left, costs = run.indptr, run.indices, run.left, run.costs
    ticks, group, keys, nodes = run.ticks, run.group, run.keys, run.nodes
    group_counts, group_ticks, items, spent = (
        run.group_counts,
        run.group_ticks,
        run.items,
        run.spent,
    )
    slot, by_cost, per_octave = desk["slot"], desk["by_cost"], desk["per_octave"]
    size, limit, used, n_picks = desk["size"], desk["limit"], desk["used"], desk["n_picks"]
    root = np.int64(0)
    while work > 0 and size > 0 and used + desk["cheapest"] <= limit:
        i = np.int64(nodes[0])
        work -= 1
        if fits(i, ticks, limit, used, group, group_counts, group_ticks, items, spent):
            gain = gain_of(indptr, indices, left, i)
            key = density(gain, costs[i]) if by_cost else gain
            work -= np.int64(indptr[i + 1] - indptr[i])
            if key < keys[0]:
                lower = slot_of(key, top_height, per_octave)
                if lower == slot:
                    keys[0] = key
                    sift_down(keys, nodes, root, size)
                    continue
                push(run.blocks, run.head, lower, i)
            else:
                for e in range(indptr[i], indptr[i + 1]):
                    left[indices[e]] = 0
                used += ticks[i]
                if group[i] >= 0:
                    items[group[i]] += 1
                    spent[group[i]] += ticks[i]
                run.picks[n_picks], run.gains[n_picks] = i, gain
                n_picks += 1
        size -= 1
        keys[0], nodes[0] = keys[size], nodes[size]
        sift_down(keys, nodes, root, size)
    desk["size"], desk["used"], desk["n_picks"] = size, used, n_picks
    if size == 0 or is_over(run):
        next_slot(run)
    return work


@kernel
def next_slot(run: Greedy) -> None:
    """Open the next slot that has a set in it."""
    desk = run.desk[0]
    slot = desk["slot"] + 1
    last = run.first.size - 1
    while slot < last and run.head[slot] < 0 and run.first[slot] == run.first[slot - 1]:
        slot += 1
    desk["slot"] = slot
    if is_over(run):
        enter(run, DONE, 0)
    else:
        enter(run, OPEN, run.first[slot - 1])
