"""The state of a greedy run: plain arrays that outlive a step of it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.arrays import Bools, Floats, Indices, Left, Limits, Offsets, Rows
from maxcover.kernels.lazy_greedy import restart

OCTAVES = 32
PER_OCTAVE = 256
# Sets that are looked at together when a slot is opened, and kept together in a slot.
BLOCK = 30

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
        ("top_height", np.int64),  # of the largest finite key
        ("top", np.float64),  # the largest finite key
        ("largest", np.float64),  # the largest gain of a candidate beside the start
        ("slot", np.int64),  # the open slot
        ("size", np.int64),  # of the heap
        ("by_cost", np.bool_),
        ("useless", np.bool_),
    ],
    align=True,
)


class Greedy(NamedTuple):
    """All that a greedy run knows between two steps, in plain arrays."""

    indptr: Offsets
    indices: Indices
    costs: Floats
    weights: Floats
    ticks: Offsets
    candidates: Bools
    start: Offsets
    left: Left  # the weight of each element, 0 once it is covered
    picks: Indices
    gains: Floats  # of the picks, when they were taken
    keys: Floats  # first of all sets, then of the heap
    nodes: Indices  # the heap
    order: Indices  # sets by slot of their first key
    first: Offsets  # where each slot begins in `order`
    blocks: NDArray[np.int32]  # sets that came to a slot from a higher one; see `greedy.push`
    head: Indices  # the block of each slot that is being filled, or -1; at last the first free one
    block: Offsets  # work space
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
    n_sets = len(costs)
    per_octave = PER_OCTAVE
    while per_octave > 8 and per_octave > n_sets // 256:
        per_octave //= 2
    n_slots = OCTAVES * per_octave + 2
    desk = np.zeros(1, DESK)
    desk["limit"], desk["per_octave"] = limits.limit, per_octave
    desk["by_cost"], desk["useless"] = by_cost, useless
    run = Greedy(
        *(rows.indptr, rows.indices, costs, weights),
        *(limits.ticks, candidates, start, _empty_left(weights)),
        picks=np.empty(n_sets, np.int32),
        gains=np.empty(n_sets),
        keys=np.empty(n_sets),
        nodes=np.empty(n_sets, np.int32),
        order=np.empty(n_sets, np.int32),
        first=np.empty(n_slots + 1, np.int64),
        blocks=np.empty((n_sets // BLOCK + n_slots + 1, BLOCK + 2), np.int32),
        head=np.empty(n_slots + 1, np.int32),
        block=np.empty(BLOCK, np.int64),
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
