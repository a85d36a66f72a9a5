"""Lazy greedy selection: the picks of the plain loop over all sets, at a fraction of its work."""

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.jit import kernel

Floats = NDArray[np.float64]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Mask = NDArray[np.bool_]


@kernel
def gain_of(indptr: Int64s, indices: Int32s, weights: Floats, covered: Mask, i: int) -> float:
    """Weight that set i would newly cover; in index order, so it never rises as more is covered."""
    total = 0.0
    for e in range(indptr[i], indptr[i + 1]):
        a = indices[e]
        if not covered[a]:
            total += weights[a]
    return total


@kernel
def density(gain: float, cost: float) -> float:
    """Gain per cost; a free set that gains something comes before every other."""
    if cost > 0.0:
        return gain / cost
    return np.inf if gain > 0.0 else 0.0


@kernel
def fits(
    i: int,
    ticks: Int64s,
    limit: int,
    used: int | np.int64,
    group: Int32s,
    group_counts: Int64s,
    group_ticks: Int64s,
    items: Int64s,
    spent: Int64s,
) -> bool:
    """Whether set i can join what is selected so far."""
    if used + ticks[i] > limit:
        return False
    g = group[i]
    return bool(g < 0 or (items[g] < group_counts[g] and spent[g] + ticks[i] <= group_ticks[g]))


@kernel
def cover(indptr: Int64s, indices: Int32s, covered: Mask, i: int) -> None:
    """Mark the elements of set i as covered."""
    for e in range(indptr[i], indptr[i + 1]):
        covered[indices[e]] = True


@kernel
def sift_down(keys: Floats, nodes: Int64s, position: int | np.int64, size: int | np.int64) -> None:
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
def lazy_greedy(
    indptr: Int64s,
    indices: Int32s,
    costs: Floats,
    weights: Floats,
    ticks: Int64s,
    limit: int,
    group: Int32s,
    group_counts: Int64s,
    group_ticks: Int64s,
    candidates: Mask,
    start: Int64s,
    by_cost: bool,
    useless: bool,
) -> Int64s:
    """Add the best candidate, take it if it fits, delete it, until none is left.

    The best is the one with the largest gain, or gain per cost if `by_cost`; ties go to the lowest
    index. A gain can only fall while more gets covered, so a stale key in the heap is an upper
    bound and only the top has to be computed anew.

    Sets that gain nothing come last and are taken only if `useless`. Returns the picks in order,
    without the sets in `start`, which are selected from the beginning.
    """
    covered = np.zeros(weights.size, dtype=np.bool_)
    items = np.zeros(group_counts.size, dtype=np.int64)
    spent = np.zeros(group_counts.size, dtype=np.int64)
    used = np.int64(0)
    for i in start:
        cover(indptr, indices, covered, i)
        used += ticks[i]
        if group[i] >= 0:
            items[group[i]] += 1
            spent[group[i]] += ticks[i]

    n_candidates = 0
    for i in range(candidates.size):
        n_candidates += candidates[i]
    keys = np.empty(n_candidates)
    nodes = np.empty(n_candidates, dtype=np.int64)
    size, root = np.int64(0), np.int64(0)
    cheapest = limit + 1
    for i in range(candidates.size):
        if candidates[i]:
            gain = gain_of(indptr, indices, weights, covered, i)
            keys[size] = density(gain, costs[i]) if by_cost else gain
            nodes[size] = i
            size += 1
            cheapest = min(cheapest, ticks[i])
    for position in range(size // 2 - 1, -1, -1):
        sift_down(keys, nodes, position, size)

    picks = np.empty(n_candidates, dtype=np.int64)
    n_picks = 0
    while size > 0 and used + cheapest <= limit and (useless or keys[0] > 0.0):
        i = nodes[0]
        can_join = fits(i, ticks, limit, used, group, group_counts, group_ticks, items, spent)
        if can_join:
            gain = gain_of(indptr, indices, weights, covered, i)
            key = density(gain, costs[i]) if by_cost else gain
            if key < keys[0]:
                keys[0] = key
                sift_down(keys, nodes, root, size)
                continue
            cover(indptr, indices, covered, i)
            used += ticks[i]
            if group[i] >= 0:
                items[group[i]] += 1
                spent[group[i]] += ticks[i]
            picks[n_picks] = i
            n_picks += 1
        size -= 1
        keys[0], nodes[0] = keys[size], nodes[size]
        sift_down(keys, nodes, root, size)
    return picks[:n_picks].copy()


@kernel
def best_single(
    indptr: Int64s, indices: Int32s, weights: Floats, candidates: Mask, start: Int64s
) -> int:
    """Return the candidate that gains the most beside `start`, or -1 if none gains anything."""
    covered = np.zeros(weights.size, dtype=np.bool_)
    for i in start:
        cover(indptr, indices, covered, i)
    best, best_gain = -1, 0.0
    for i in range(candidates.size):
        if candidates[i]:
            gain = gain_of(indptr, indices, weights, covered, i)
            if gain > best_gain:
                best, best_gain = i, gain
    return best


@kernel
def best_completed_triple(
    indptr: Int64s,
    indices: Int32s,
    costs: Floats,
    weights: Floats,
    ticks: Int64s,
    limit: int,
    group: Int32s,
    group_counts: Int64s,
    group_ticks: Int64s,
    candidates: Mask,
    required: Int64s,
) -> Int64s:
    """Complete every feasible subset of up to three candidates greedily; return the best.

    A subset smaller than three needs no completion for the guarantee, and gets it all the same.
    """
    free = np.flatnonzero(candidates)
    n_required = required.size
    start = np.empty(n_required + 3, dtype=np.int64)
    start[:n_required] = required
    items = np.zeros(group_counts.size, dtype=np.int64)
    spent = np.zeros(group_counts.size, dtype=np.int64)
    remaining = candidates.copy()
    best = required.copy()
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
                used = np.int64(0)
                items[:] = 0
                spent[:] = 0
                feasible = True
                for i in start[:size]:
                    if not fits(
                        i, ticks, limit, used, group, group_counts, group_ticks, items, spent
                    ):
                        feasible = False
                        break
                    used += ticks[i]
                    if group[i] >= 0:
                        items[group[i]] += 1
                        spent[group[i]] += ticks[i]
                if not feasible:
                    continue
                remaining[start[:size]] = False
                picks = lazy_greedy(
                    indptr, indices, costs, weights, ticks, limit, group, group_counts, group_ticks,
                    remaining, start[:size], True, False,
                )  # fmt: skip
                remaining[start[n_required:size]] = True
                covered = np.zeros(weights.size, dtype=np.bool_)
                for i in start[:size]:
                    cover(indptr, indices, covered, i)
                for i in picks:
                    cover(indptr, indices, covered, i)
                value = 0.0
                for a in range(weights.size):
                    if covered[a]:
                        value += weights[a]
                if value > best_value:
                    best_value = value
                    best = np.concatenate((start[:size], picks))
    return best
