"""Branch and bound on few sets: depth first, the dual bound updated one decision at a time.

Below a partial selection, whatever is added gains at most

    sum over uncovered elements of (weight - share)
    + mu * room + sum over open sets of max(0, S_i - mu * ticks_i),

where S_i is the sum of the shares of its uncovered elements: the bound of `maxcover.bounds` on what
is left. Covering an element, or closing the last set that could cover it, changes a few of these
numbers, so a node costs one look at the open sets. Sets whose reduced profit shows that they are
out of, or in, everything better are decided on the way.
"""

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.greedy import fits
from maxcover.kernels.jit import kernel

OPEN, IN, OUT = 0, 1, 2


@kernel
def branch(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    t_indptr: NDArray[np.int64],
    t_indices: NDArray[np.int32],
    weights: NDArray[np.float64],
    shares: NDArray[np.float64],
    price: float,
    ticks: NDArray[np.int64],
    limit: int,
    group: NDArray[np.int32],
    group_counts: NDArray[np.int64],
    group_ticks: NDArray[np.int64],
    start: NDArray[np.int64],
    candidates: NDArray[np.int64],
    floor: float,
    step: float,
    most_nodes: int,
) -> tuple[NDArray[np.int64], float, int, bool]:
    """Search the selections of `candidates` beside `start` for one worth at least ``floor + step``.

    Returns the best found (without `start`; empty if none), its value, the nodes used, and whether
    the search was complete: then nothing worth `step` more than the returned value, or than `floor`
    if nothing was found, exists.
    """
    n_elements = weights.size
    state = np.full(ticks.size, OUT, dtype=np.int8)
    covers = np.zeros(n_elements, dtype=np.int32)  # chosen sets that hold the element
    hopes = np.zeros(n_elements, dtype=np.int32)  # open sets that hold it
    sums = np.zeros(ticks.size)
    items = np.zeros(group_counts.size, dtype=np.int64)
    spent = np.zeros(group_counts.size, dtype=np.int64)
    value, loose, room = 0.0, 0.0, np.int64(limit)
    for i in start:
        room -= ticks[i]
        if group[i] >= 0:
            items[group[i]] += 1
            spent[group[i]] += ticks[i]
        for e in range(indptr[i], indptr[i + 1]):
            if covers[indices[e]] == 0:
                value += weights[indices[e]]
            covers[indices[e]] += 1
    for i in candidates:
        state[i] = OPEN
        for e in range(indptr[i], indptr[i + 1]):
            a = indices[e]
            hopes[a] += 1
            if covers[a] == 0:
                sums[i] += shares[a]
    for a in range(n_elements):
        if covers[a] == 0 and hopes[a] > 0:
            loose += weights[a] - shares[a]

    left = candidates.copy()  # the open sets first, then the decided ones, the latest foremost
    place = np.zeros(ticks.size, dtype=np.int64)
    for k in range(left.size):
        place[left[k]] = k
    n_open = left.size
    trail = np.empty(candidates.size, dtype=np.int64)  # decided sets, in order
    n_trail = 0
    # where on the trail a choice was made that has another side
    branches = np.empty(candidates.size, dtype=np.int64)
    n_branches = 0
    best, best_value = np.empty(0, dtype=np.int64), floor
    nodes = 0
    while nodes < most_nodes:
        nodes += 1
        if value >= best_value + step:
            best_value = value
            n_best = 0
            best = np.empty(n_trail, dtype=np.int64)
            for k in range(n_trail):
                if state[trail[k]] == IN:
                    best[n_best] = trail[k]
                    n_best += 1
            best = best[:n_best].copy()

        # four prices in one look: the one that is right at the root is too low once the room is
        # nearly used up
        at_1, at_2, at_3 = 1.5 * price, 2.0 * price, 3.0 * price
        bound, bound_1, bound_2, bound_3 = price * room, at_1 * room, at_2 * room, at_3 * room
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

        # the set to branch on, the most profitable, and what the bound decides without branching
        choice, greatest, decided, into = -1, -1.0, -1, OUT
        if bound >= best_value + step:
            for k in range(n_open):
                i = left[k]
                profit = sums[i] - at * ticks[i]
                can_join = ticks[i] <= room and fits(
                    i, ticks, limit, limit - room, group, group_counts, group_ticks, items, spent
                )
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
            while n_branches > 0 and not undo:  # back to the last choice with another side
                n_branches -= 1
                keep = branches[n_branches]
                while n_trail > keep:
                    n_trail -= 1
                    i = trail[n_trail]
                    if state[i] == IN:
                        room += ticks[i]
                        if group[i] >= 0:
                            items[group[i]] -= 1
                            spent[group[i]] -= ticks[i]
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
                return best, best_value, nodes, True
        elif decided < 0:
            decided, into = choice, IN
            branches[n_branches] = n_trail
            n_branches += 1

        i = decided
        trail[n_trail] = i
        n_trail += 1
        state[i] = into
        n_open -= 1
        last = left[n_open]
        left[place[i]], left[n_open] = last, i
        place[last], place[i] = place[i], n_open
        if into == IN:
            room -= ticks[i]
            if group[i] >= 0:
                items[group[i]] += 1
                spent[group[i]] += ticks[i]
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
    return best, best_value, nodes, False
