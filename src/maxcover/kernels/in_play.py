"""The pool of an exchange search: the few sets that are in play during one episode.

On a small problem everything is in play. On a large one the pool is a few balls of sets that share
elements: sets interact through shared elements only, so a ball can be rearranged on its own, and
the price of the budget speaks for the rest of the problem.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.arrays import Indices
from cython.cimports.maxcover.kernels.extremes import INF
from cython.cimports.maxcover.kernels.flips import Sets
from cython.cimports.maxcover.kernels.in_play import draw, swap_places
from numpy.typing import NDArray

BALLS = cython.declare(cython.int, 4)  # balls in a pool, far apart: budget can travel between them
LEAST_POOL = cython.declare(int64_t, 256)  # sets in play, if there are so many
COLUMN_STRIDE = cython.declare(
    int64_t, 64
)  # sets visited per element while a ball grows, so that hubs do not swallow it


def pool_size(t_indptr: NDArray[np.int64], n_sets: int) -> int:
    """Return how many sets a pool may have.

    Scanning the pool should cost about what a flip costs, the sets two steps away; hubs, which
    flips rarely walk, count for little. The floor leaves each ball an inside.
    """
    if n_sets <= LEAST_POOL:
        return n_sets
    degree = np.minimum(np.diff(t_indptr), COLUMN_STRIDE).astype(np.float64)
    two_steps = float(degree @ degree) / n_sets
    return min(n_sets, max(LEAST_POOL, int(min(4.0 * two_steps, 4096.0))))


def fill_pool(indptr, indices, t_indptr, t_indices, sets, pool, desk):
    """Refill the pool: every movable set if the pool holds them all, else balls around random sets.

    Costs the rows of the sets in play and a bounded part of the columns they cross.
    """
    for p in range(desk.in_play):
        sets[pool[p]].place = -1
    desk.in_play = 0
    desk.chosen = 0
    if pool.shape[0] == sets.shape[0]:
        for i in range(sets.shape[0]):
            enter_pool(i, sets, pool, desk)
    else:
        for _ in range(2 * BALLS):  # more than BALLS, for those that find no neighbours
            head = desk.in_play
            target = min(head + pool.shape[0] // BALLS, pool.shape[0])
            if head < target:
                enter_pool(cython.cast(int64_t, draw(desk) * sets.shape[0]), sets, pool, desk)
            while head < desk.in_play < target:  # nearest first
                i = pool[head]
                head += 1
                for e in range(indptr[i], indptr[i + 1]):
                    first, last = t_indptr[indices[e]], t_indptr[indices[e] + 1]
                    if last - first > COLUMN_STRIDE:
                        first += cython.cast(int64_t, draw(desk) * (last - first - COLUMN_STRIDE))
                        last = first + COLUMN_STRIDE
                    for f in range(first, last):
                        if desk.in_play < target:
                            enter_pool((t_indices[f]), sets, pool, desk)
    for p in range(desk.in_play):
        if sets[pool[p]].selected:
            swap_places(sets, pool, p, desk.chosen)
            desk.chosen += 1


def enter_pool(i, sets, pool, desk):
    """Append set ``i`` to the pool, free to move, unless it is there already or may never move."""
    if sets[i].movable and sets[i].place < 0:
        pool[desk.in_play] = i
        sets[i].place = desk.in_play
        sets[i].free_at = 0
        desk.in_play += 1


def price_among(sets, among, n):
    """Return the price of the budget: midway from the least density inside to the best outside."""
    best_out, worst_in = 0.0, INF
    for k in range(n):
        i = among[k]
        if sets[i].cost > 0.0:
            density = sets[i].margin / sets[i].cost
            if sets[i].selected:
                worst_in = min(worst_in, density)
            else:
                best_out = max(best_out, density)
    return best_out if worst_in == INF else 0.5 * (best_out + worst_in)


def marginal_price(sets: Sets, among: Indices) -> float:
    """Return the price of the budget; see `price_among`."""
    return price_among(sets, among, among.shape[0])
