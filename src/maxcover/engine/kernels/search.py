"""Search: the state of an exchange search, and its pool: the few sets that may move.

On a small problem the pool is every set. On a large one the pool is a few balls of sets that share
elements. Sets interact through shared elements only, so a ball can be rearranged on its own, and
the price of the budget stands for the rest of the problem.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.arrays import BoolsOut
from cython.cimports.maxcover.engine.kernels.extremes import INF
from cython.cimports.maxcover.engine.kernels.flips import part_of, rebuild, rebuild_any
from numpy.typing import NDArray

from maxcover.engine.kernels.flips import ELEMENT, SET

# Number of neighbourhoods (balls) that make up the pool. They are drawn at random, so mostly far
# apart, and budget can move between them.
BALLS = cython.declare(cython.int, 4)
# Smallest size of the pool, in sets; with fewer sets than this, all of them are in the pool.
LEAST_POOL = cython.declare(int64_t, 256)
# With more than MANY_SETS sets the smallest pool has LEAST_OF_MANY sets. (On 10^5 edges this finds
# the same in a quarter of the time.)
MANY_SETS = cython.declare(int64_t, 2000)
LEAST_OF_MANY = cython.declare(int64_t, 64)
# The same where elements have curves. (With 64, needs on 2 x 10^4 edges end up to .5 % lower.)
LEAST_OF_CURVED = cython.declare(int64_t, 128)
# Fraction of episodes in which free budget adds to the score of a selection; callers may change it.
CREDITED = 0.8
# While a ball grows, at most this many sets are visited per element; otherwise an element of very
# many sets would fill the ball.
COLUMN_STRIDE = cython.declare(int64_t, 64)
# Fine for each unit of value by which a minimum is missed. It is more than 1, so that a missing
# unit outweighs a unit of value gained elsewhere.
FLOOR_FINE = cython.declare(cython.double, 2.0)


class Search:
    """State of an exchange search that begins at ``start``, which must keep all upper limits.

    Building it is linear in the edges. ``graph`` is ``(indptr, indices, t_indptr, t_indices)``. No
    argument is modified. For several starts make several searches: advance each a little, then
    continue with the best.

    ``rows`` are other limits than the budget: the rows of each set and its ticks in them, the sets
    of each row with the places of both in the other list, and the minimum and maximum of each row.
    With rows, ``costs`` are what a set takes of all rows. ``curves`` are the arguments of
    `Flips.curve_by`, ``floors`` those of `Flips.ask_for`. ``best`` is the best value of a selection
    that misses no minimum, or -1 as long as none was found. With ``whole`` the pool is all sets
    that may move.
    """

    def __init__(
        self, graph, start, seed, *, costs, weights, ticks, limit, required, forbidden,
        patience=2**62, rows=None, curves=None, floors=None, whole=False,
    ) -> None:  # fmt: skip
        sets = np.zeros(len(ticks), SET)
        sets["cost"], sets["ticks"] = costs, ticks
        sets["selected"] = sets["home"] = sets["best"] = start
        sets["movable"] = ~(required | forbidden)
        sets["place"] = -1
        elements = np.zeros(len(weights), ELEMENT)
        elements["weight"] = weights
        super().__init__(graph, sets, elements)
        if curves is not None:
            self.curve_by(*curves)
        if floors is not None:
            self.ask_for(*floors)
        self.has_rows, self.has_minima = rows is not None, floors is not None
        if rows is not None:
            (self.row_ptr, self.row_of, self.row_ticks), members, ends = rows
            self.member_ptr, own = members
            self.slot, self.entry, self.members = own[0].copy(), own[1].copy(), own[2].copy()
            self.filled = np.zeros(len(ends[0]), np.int64)
            self.low, self.high = ends
            self.used = np.zeros(len(ends[0]), np.int64)
            self.has_minima |= bool((ends[0] > 0).any())
            count_rows(self)
        self.value = self.best = refreshed(self)
        self.fine = 2.0 * max(sets["margin"].max(initial=0.0), 1e-300)
        if missed(self) > 0.0:
            self.best = -1.0
        indptr, indices, t_indptr, _ = graph
        coverable = np.diff(t_indptr) > 0
        if forbidden.any():
            coverable = np.zeros(len(weights), np.bool_)
            coverable[indices[np.repeat(~forbidden, np.diff(indptr))]] = True
        self.ceiling = weights[coverable].sum() if curves is None else INF
        self.least_step = 1e-11 * weights.sum()
        self.patience, self.credited = patience, CREDITED
        self.moves, self.stale = 0, 2**31  # `stale`: the first move begins an episode.
        self.random = (2 * seed + 1) * 0x9E3779B97F4A7C15 % 2**64  # Odd: a state of 0 stays 0.
        self.cost_per_tick = costs.sum() / max(int(ticks.sum()), 1)
        self.room = limit - ticks[start].sum()
        self.reach = 2 * int(ticks[start].sum()) // max(int(start.sum()), 1)
        self.movable = np.flatnonzero(sets["movable"]).astype(np.int32)
        n_movable = len(self.movable)
        least = LEAST_OF_MANY if curves is None else LEAST_OF_CURVED
        most = pool_size(t_indptr, n_movable, least)
        if whole:
            most = n_movable
        elif rows is not None:
            most = max(most, min(LEAST_POOL, n_movable))
        self.pool, self.touched = np.zeros((2, max(most, 1)), np.int32)
        self.strayed = np.zeros(len(ticks), np.int32)
        self.marginal = price_among(self, self.movable, n_movable)

    def best_selection(self) -> NDArray[np.bool_]:
        """Return a copy of the best selection so far, as a mask over the sets."""
        found = np.empty(self.sets.shape[0], np.bool_)
        marks: BoolsOut = found
        with cython.nogil:  # a loop is faster: NumPy takes long to parse the record format
            for i in range(marks.shape[0]):
                marks[i] = self.sets[i].best
        return found

    @property
    def is_over(self) -> bool:
        """Whether the search is out of patience, after more than ``patience + 2 * best_at`` moves.

        `best_at` is the number of the move that found the best selection.
        """
        return is_tired(self)


def pool_size(t_indptr: NDArray[np.int64], n_sets: int, least: int) -> int:
    """Return the largest number of sets in the pool; `n_sets` of them may move.

    Of many sets, `least` are in the pool at least.

    Scanning the pool should cost about as much as a flip, which walks the sets two steps away;
    elements of very many sets, which flips rarely walk, count for little. The lower limit makes
    balls large enough to have inner sets, all of whose neighbours are in the ball.
    """
    if n_sets <= LEAST_POOL:
        return n_sets
    degree = np.minimum(np.diff(t_indptr), COLUMN_STRIDE).astype(np.float64)
    two_steps = float(degree @ degree) / n_sets
    if n_sets <= MANY_SETS:
        return min(n_sets, max(LEAST_POOL, int(min(4.0 * two_steps, 4096.0))))
    return max(least, int(min(2.0 * two_steps, 4096.0)))


def fill_pool(at):
    """Refill the pool: all movable sets if they fit, else neighbourhoods of random sets (balls).

    Walks the rows of the sets in the pool and a bounded part of the column of each element.
    """
    for p in range(at.in_play):
        at.sets[at.pool[p]].place = -1
    at.in_play = 0
    at.chosen = 0
    n_movable = at.movable.shape[0]
    if at.pool.shape[0] >= n_movable:
        for k in range(n_movable):
            enter_pool(at, at.movable[k])
    else:
        for _ in range(2 * BALLS):  # twice BALLS, because some balls find no neighbours
            head = at.in_play
            target = min(head + at.pool.shape[0] // BALLS, at.pool.shape[0])
            if head < target:
                enter_pool(at, at.movable[cython.cast(int64_t, draw(at) * n_movable)])
            while head < at.in_play < target:  # breadth first: neighbours of ``pool[head]`` enter
                i = at.pool[head]
                head += 1
                for e in range(at.indptr[i], at.indptr[i + 1]):
                    first, last = at.t_indptr[at.indices[e]], at.t_indptr[at.indices[e] + 1]
                    if last - first > COLUMN_STRIDE:
                        first += cython.cast(int64_t, draw(at) * (last - first - COLUMN_STRIDE))
                        last = first + COLUMN_STRIDE
                    for f in range(first, last):
                        if at.in_play < target:
                            enter_pool(at, at.t_indices[f])
    for p in range(at.in_play):
        if at.sets[at.pool[p]].selected:
            swap_places(at, p, at.chosen)
            at.chosen += 1


def refreshed(at):
    """Recompute counts and margins from the selection, against rounding errors; return its value.

    The value is the weight that the selection covers.
    """
    return rebuild_any(at) if at.is_curved else rebuild(at)


def count_rows(at):
    """Count the ticks that the selection takes of each row (a limit)."""
    for r in range(at.used.shape[0]):
        at.used[r] = 0
        at.short += at.low[r]
    for i in range(at.sets.shape[0]):
        if at.sets[i].selected:
            count_row(at, i, 1)


def count_row(at, i, step):
    """Add the ticks of set `i` to its rows (`step` 1), or subtract them (`step` -1)."""
    for f in range(at.row_ptr[i], at.row_ptr[i + 1]):
        r = at.row_of[f]
        at.short -= max(at.low[r] - at.used[r], 0)
        at.used[r] += step * at.row_ticks[f]
        at.short += max(at.low[r] - at.used[r], 0)
        # The selected sets of a row come first.
        swap_members(at, f, at.member_ptr[r] + at.filled[r] - (step < 0))
        at.filled[r] += step


def swap_members(at, f, q):
    """Move entry `f` of a set to place `q` among the sets of its row, and what was there to its."""
    p, other = at.slot[f], at.entry[q]
    i = at.members[p]
    at.members[p] = at.members[q]
    at.members[q] = i
    at.entry[p] = other
    at.entry[q] = f
    at.slot[f] = q
    at.slot[other] = p


def crowded(at, i, more):
    """Return a row (a limit) that set `i` overfills, or -1.

    `more` is 1 if the set is out and to be added, 0 if it is in.
    """
    for f in range(at.row_ptr[i], at.row_ptr[i + 1]):
        if at.used[at.row_of[f]] + more * at.row_ticks[f] > at.high[at.row_of[f]]:
            return at.row_of[f]
    return -1


def takes(at, i, r):
    """Tell whether set `i` takes ticks of row `r` (a limit)."""
    for f in range(at.row_ptr[i], at.row_ptr[i + 1]):
        if at.row_of[f] == r:
            return at.row_ticks[f] > 0
    return False


def helps(at, i):
    """Return by how many ticks set `i` reduces the shortfall of rows below their minimum."""
    total: int64_t = 0
    for f in range(at.row_ptr[i], at.row_ptr[i + 1]):
        lack = at.low[at.row_of[f]] - at.used[at.row_of[f]]
        if at.sets[i].selected:
            lack += at.row_ticks[f]
        total += max(min(lack, at.row_ticks[f]), 0)
    return total


def floored(at, i):
    """Return by how much value set `i` reduces the shortfall below the minima of value."""
    total = 0.0
    for e in range(at.indptr[i], at.indptr[i + 1]):
        a = at.indices[e]
        if at.floor_ptr[a] < at.floor_ptr[a + 1]:
            part = part_of(at, a, 0.0 if at.strength.shape[0] == 0 else at.strength[e], i)
            for f in range(at.floor_ptr[a], at.floor_ptr[a + 1]):
                lack = at.floor_low[at.floor_of[f]] - at.floor_has[at.floor_of[f]]
                lack += part if at.sets[i].selected else 0.0
                total += max(min(lack, part), 0.0)
    return total


def fined(at, i):
    """Return the fines for missed minima that set `i` avoids."""
    total = at.fine * helps(at, i) if at.has_rows else 0.0
    return total + FLOOR_FINE * floored(at, i) if at.has_floors else total


def missed(at):
    """Return the total of the fines for the minima that the selection misses."""
    total = at.fine * at.short
    if at.has_floors:
        for f in range(at.floor_has.shape[0]):
            total += FLOOR_FINE * max(at.floor_low[f] - at.floor_has[f], 0.0)
    return total


def enter_pool(at, i):
    """Append set ``i`` to the pool and lift its tabu, if it is movable and not in the pool yet."""
    if at.sets[i].movable and at.sets[i].place < 0:
        at.pool[at.in_play] = i
        at.sets[i].place = at.in_play
        at.sets[i].free_at = 0
        at.in_play += 1


def price_among(at, among, n):
    """Return a price of the budget, estimated from the first `n` sets of `among`.

    It is halfway between the lowest margin per cost of a selected set and the highest of an
    unselected set.
    """
    best_out, worst_in = 0.0, INF
    for k in range(n):
        i = among[k]
        if at.sets[i].cost > 0.0:
            density = at.sets[i].margin / at.sets[i].cost
            if at.sets[i].selected:
                worst_in = min(worst_in, density)
            else:
                best_out = max(best_out, density)
    return best_out if worst_in == INF else 0.5 * (best_out + worst_in)
