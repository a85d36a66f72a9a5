"""Branch and bound on few sets: depth first, the dual bound updated one decision at a time.

Below a partial selection, whatever is added gains at most

    sum over uncovered elements of (weight - share)
    + mu * room + sum over open sets of max(0, S_i - mu * ticks_i),

where S_i is the sum of the shares of its uncovered elements: the bound of `core.bounds` on what
is left. Covering an element, or closing the last set that could cover it, changes a few of these
numbers, so a node costs one look at the open sets. Sets whose reduced profit shows that they are
out of, or in, everything better are decided on the way.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.arrays import (
    Floats,
    FloatsOut,
    Indices,
    IndicesOut,
    Offsets,
    OffsetsOut,
    StatesOut,
)

OPEN = cython.declare(cython.int, 0)
IN = cython.declare(cython.int, 1)
OUT = cython.declare(cython.int, 2)


def branch(
    rows,
    columns,
    weights: Floats,
    limits,
    *,
    shares: Floats,
    price: cython.double,
    start: Offsets,
    candidates: Offsets,
    floor: cython.double,
    step: cython.double,
    most_nodes: int64_t,
):
    """Search the selections of `candidates` beside `start` for one worth at least ``floor + step``.

    Returns the best found (without `start`; empty if none), its value, the part of the tree that
    was searched, where both sides of a choice count the same, and whether the search was complete:
    then nothing worth `step` more than the returned value, or than `floor` if nothing was found,
    exists. That part is a guide, and no proof: rounded, it may be 1 before the end.
    """
    indptr: Offsets
    indices: Indices
    t_indptr: Offsets
    t_indices: Indices
    ticks: Offsets
    limit: int64_t
    indptr, indices = rows
    t_indptr, t_indices = columns
    ticks, limit = limits
    n_elements = weights.shape[0]
    state: StatesOut = np.full(ticks.shape[0], OUT, dtype=np.int8)
    covers: IndicesOut = np.zeros(n_elements, dtype=np.int32)  # chosen sets that hold the element
    hopes: IndicesOut = np.zeros(n_elements, dtype=np.int32)  # open sets that hold it
    sums: FloatsOut = np.zeros(ticks.shape[0])
    left: OffsetsOut = np.array(
        candidates
    )  # the open sets first, then the decided ones, the latest foremost
    place: OffsetsOut = np.zeros(ticks.shape[0], dtype=np.int64)
    trail: OffsetsOut = np.empty(candidates.shape[0], dtype=np.int64)  # decided sets, in order
    branches: OffsetsOut = np.empty(candidates.shape[0], dtype=np.int64)
    parts: FloatsOut = np.empty(candidates.shape[0])  # of the tree, below each of these
    found = np.empty(candidates.shape[0], dtype=np.int64)
    best: OffsetsOut = found
    value: cython.double
    loose: cython.double
    bound: cython.double
    bound_1: cython.double
    bound_2: cython.double
    bound_3: cython.double
    at: cython.double
    at_1: cython.double
    at_2: cython.double
    at_3: cython.double
    greatest: cython.double
    profit: cython.double
    worth: cython.double
    best_value: cython.double
    part: cython.double = 1.0
    searched: cython.double = 0.0
    room: int64_t
    i: int64_t
    a: int64_t
    e: int64_t
    f: int64_t
    k: int64_t
    n_open: int64_t
    n_trail: int64_t
    n_branches: int64_t
    n_best: int64_t
    nodes: int64_t
    choice: int64_t
    decided: int64_t
    last: int64_t
    keep: int64_t
    into: cython.int
    undo: cython.bint
    can_join: cython.bint
    complete: cython.bint = False
    value = 0.0
    loose = 0.0
    room = limit
    nodes = 0
    n_best = -1
    best_value = floor
    with cython.nogil:
        for k in range(start.shape[0]):
            i = start[k]
            room -= ticks[i]
            for e in range(indptr[i], indptr[i + 1]):
                if covers[indices[e]] == 0:
                    value += weights[indices[e]]
                covers[indices[e]] += 1
        for k in range(candidates.shape[0]):
            i = candidates[k]
            state[i] = OPEN
            for e in range(indptr[i], indptr[i + 1]):
                a = indices[e]
                hopes[a] += 1
                if covers[a] == 0:
                    sums[i] += shares[a]
        for a in range(n_elements):
            if covers[a] == 0 and hopes[a] > 0:
                loose += weights[a] - shares[a]

        for k in range(left.shape[0]):
            place[left[k]] = k
        n_open = left.shape[0]
        n_trail = 0
        # where on the trail a choice was made that has another side
        n_branches = 0
        while nodes < most_nodes:
            nodes += 1
            if value >= best_value + step:
                best_value = value
                n_best = 0
                for k in range(n_trail):
                    if state[trail[k]] == IN:
                        best[n_best] = trail[k]
                        n_best += 1

            # four prices in one look: the one that is right at the root is too low once the room is
            # nearly used up
            at_1 = 1.5 * price
            at_2 = 2.0 * price
            at_3 = 3.0 * price
            bound = price * room
            bound_1 = at_1 * room
            bound_2 = at_2 * room
            bound_3 = at_3 * room
            for k in range(n_open):
                i = left[k]
                if ticks[i] <= room:
                    bound += max(0.0, sums[i] - price * ticks[i])
                    bound_1 += max(0.0, sums[i] - at_1 * ticks[i])
                    bound_2 += max(0.0, sums[i] - at_2 * ticks[i])
                    bound_3 += max(0.0, sums[i] - at_3 * ticks[i])
            at = price
            if bound_1 < bound:
                bound, at = bound_1, at_1
            if bound_2 < bound:
                bound, at = bound_2, at_2
            if bound_3 < bound:
                bound, at = bound_3, at_3
            bound += value + loose

            # the most profitable set to branch on, and what the bound decides without branching
            choice = -1
            greatest = -1.0
            decided = -1
            into = OUT
            if bound >= best_value + step:
                for k in range(n_open):
                    i = left[k]
                    profit = sums[i] - at * ticks[i]
                    can_join = ticks[i] <= room
                    if not can_join or bound + min(0.0, profit) < best_value + step:
                        decided, into = i, OUT
                        break
                    if bound - max(0.0, profit) < best_value + step:
                        decided, into = i, IN
                        break
                    worth = sums[i] / max(ticks[i], 1)
                    if worth > greatest or (worth == greatest and i < choice):
                        choice, greatest = i, worth

            undo = False
            if decided < 0 and choice < 0:
                searched += part
                while n_branches > 0 and not undo:  # back to the last choice with another side
                    n_branches -= 1
                    keep = branches[n_branches]
                    part = 0.5 * parts[n_branches]
                    while n_trail > keep:
                        n_trail -= 1
                        i = trail[n_trail]
                        if state[i] == IN:
                            room += ticks[i]
                        for e in range(indptr[i], indptr[i + 1]):
                            a = indices[e]
                            if state[i] == IN:
                                covers[a] -= 1
                                if covers[a] == 0:
                                    value -= weights[a]
                                    loose += weights[a] - shares[a]
                                    for f in range(t_indptr[a], t_indptr[a + 1]):
                                        sums[t_indices[f]] += shares[a]
                            elif covers[a] == 0 and hopes[a] == 0:
                                loose += weights[a] - shares[a]
                            hopes[a] += 1
                        state[i] = OPEN
                        n_open += 1  # it still lies where it was put when it was decided
                    decided, into, undo = trail[keep], OUT, True
                if not undo:
                    complete = True
                    break
            elif decided < 0:
                decided, into = choice, IN
                branches[n_branches] = n_trail
                parts[n_branches] = part
                part *= 0.5
                n_branches += 1

            i = decided
            trail[n_trail] = i
            n_trail += 1
            state[i] = into
            n_open -= 1
            last = left[n_open]
            left[place[i]] = last
            left[n_open] = i
            place[last] = place[i]
            place[i] = n_open
            if into == IN:
                room -= ticks[i]
            for e in range(indptr[i], indptr[i + 1]):
                a = indices[e]
                hopes[a] -= 1
                if into == IN:
                    covers[a] += 1
                    if covers[a] == 1:
                        value += weights[a]
                        loose -= weights[a] - shares[a]
                        for f in range(t_indptr[a], t_indptr[a + 1]):
                            sums[t_indices[f]] -= shares[a]
                elif covers[a] == 0 and hopes[a] == 0:
                    loose -= weights[a] - shares[a]
    return found[: max(n_best, 0)].copy(), best_value, searched, complete
