"""The pool of an exchange search: the few sets that are in play during one episode.

On a small problem everything is in play. On a large one the pool is a few balls of sets that share
elements: sets interact through shared elements only, so a ball can be rearranged on its own, and
the price of the budget speaks for the rest of the problem.
"""

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.jit import kernel

BALLS = 4  # balls in a pool, far apart: budget can travel between them
COLUMN_STRIDE = 64  # sets visited per element while a ball grows, so that hubs do not swallow it


def pool_size(t_indptr: NDArray[np.int64], n_sets: int) -> int:
    """Return how many sets a pool may have.

    Scanning the pool should cost about what a flip costs, the sets two steps away; hubs, which
    flips rarely walk, count for little. The floor leaves each ball an inside.
    """
    degree = np.minimum(np.diff(t_indptr), COLUMN_STRIDE).astype(np.float64)
    two_steps = float(degree @ degree) / max(n_sets, 1)
    return min(n_sets, int(max(256.0, min(4.0 * two_steps, 4096.0))))


@kernel
def draw(desk: np.void) -> float:
    """Return the next number of the xorshift64 sequence, uniform in [0, 1)."""
    x = desk["random"]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    desk["random"] = x
    return float(x >> np.uint64(11)) * 2.0**-53


@kernel
def fill_pool(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    t_indptr: NDArray[np.int64],
    t_indices: NDArray[np.int32],
    sets: NDArray[np.void],
    pool: NDArray[np.int32],
    desk: np.void,
) -> None:
    """Refill the pool: every movable set if the pool holds them all, else balls around random sets.

    Costs the rows of the sets in play and a bounded part of the columns they cross.
    """
    for p in range(desk["in_play"]):
        sets[pool[p]]["place"] = -1
    desk["in_play"] = 0
    desk["chosen"] = 0
    if len(pool) == len(sets):
        for i in range(len(sets)):
            enter_pool(i, sets, pool, desk)
    else:
        for _ in range(2 * BALLS):  # more than BALLS, for those that find no neighbours
            head = desk["in_play"]
            target = min(head + len(pool) // BALLS, len(pool))
            if head < target:
                enter_pool(int(draw(desk) * len(sets)), sets, pool, desk)
            while head < desk["in_play"] < target:  # nearest first
                i = pool[head]
                head += 1
                for e in range(indptr[i], indptr[i + 1]):
                    first, last = t_indptr[indices[e]], t_indptr[indices[e] + 1]
                    if last - first > COLUMN_STRIDE:
                        first += int(draw(desk) * (last - first - COLUMN_STRIDE))
                        last = first + COLUMN_STRIDE
                    for f in range(first, last):
                        if desk["in_play"] < target:
                            enter_pool(np.int64(t_indices[f]), sets, pool, desk)
    for p in range(desk["in_play"]):
        if sets[pool[p]]["selected"]:
            swap_places(sets, pool, p, desk["chosen"])
            desk["chosen"] += 1


@kernel
def enter_pool(
    i: int | np.int64, sets: NDArray[np.void], pool: NDArray[np.int32], desk: np.void
) -> None:
    """Append set ``i`` to the pool, free to move, unless it is there already or may never move."""
    if sets[i]["movable"] and sets[i]["place"] < 0:
        pool[desk["in_play"]] = i
        sets[i]["place"] = desk["in_play"]
        sets[i]["free_at"] = 0
        desk["in_play"] += 1


@kernel
def swap_places(sets: NDArray[np.void], pool: NDArray[np.int32], p: int, q: int) -> None:
    """Exchange two positions of the pool."""
    i, j = pool[p], pool[q]
    pool[p], pool[q] = j, i
    sets[i]["place"], sets[j]["place"] = q, p


@kernel
def marginal_price(sets: NDArray[np.void], among: NDArray[np.int32]) -> float:
    """Return the price of the budget: midway from the least density inside to the best outside."""
    best_out, worst_in = 0.0, np.inf
    for i in among:
        if sets[i]["cost"] > 0.0:
            density = sets[i]["margin"] / sets[i]["cost"]
            if sets[i]["selected"]:
                worst_in = min(worst_in, density)
            else:
                best_out = max(best_out, density)
    return best_out if worst_in == np.inf else 0.5 * (best_out + worst_in)
