"""Anneal: simulated annealing of plain coverage under rows of maxima, each with a price.

The score of a selection is its value less what its sets take of all rows, at the prices of the
rows. A *proposal* draws a set. A selected set may leave. Another set may enter; for each row that
has no room for it, a selected set of that row leaves first: so sets change places within a row, or
across two rows that are both full. A proposal that lowers the score is accepted with the usual
probability, which falls with the temperature. Every selection keeps every maximum.

Most proposals would be refused. So the best of a few random sets enters, and the set that leaves is
the one of least loss among a few. The margins of two sets and the elements that they share say what
a change of places is worth before anything is flipped.
"""

import cython
from cython.cimports.libc.math import log
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.extremes import INF
from cython.cimports.maxcover.engine.kernels.search import (
    Search,
    crowded,
    draw,
    fill_pool,
    refreshed,
)
from cython.cimports.maxcover.engine.kernels.tabu import turn

# Most sets that leave for one that enters.
MOST_OUT = cython.declare(cython.int, 3)
# Of how many random sets the best enters, and the one of least loss leaves. (With one and one, ten
# times as many proposals end at the same value: biregular, 2 x 10^4 edges, 20 full groups. With
# three to enter, half as many more; with eight, or sixteen to leave, no fewer.)
ENTRANTS = cython.declare(cython.int, 5)
LEAVERS = cython.declare(cython.int, 8)
# Counts and margins are recomputed after so many proposals, to remove accumulated rounding errors.
REFRESH = cython.declare(int64_t, 2**19)
NONE = cython.declare(int64_t, -1)
FITS = cython.declare(int64_t, -1)
BUDGET = cython.declare(int64_t, -2)


def anneal(search: Search, proposals: int64_t, heat: cython.double, price: cython.double) -> None:
    """Make proposals at the temperature `heat`; all costs are multiplied by `price`.

    The search has to be made with ``whole``. Its best selection never gets worse.
    """
    with cython.nogil:
        search.price = price
        if search.in_play == 0:
            fill_pool(search)
        for _ in range(proposals if search.in_play > 0 else 0):
            propose(search, heat)


def propose(at, heat):
    """Draw a set, flip it and the sets that make room for it; undo that if it is refused."""
    at.moves += 1
    if at.moves % REFRESH == 0:
        at.value = refreshed(at)
    i = at.pool[cython.cast(int64_t, draw(at) * at.in_play)]
    least = heat * log(draw(at) + 1e-300)
    if at.sets[i].selected:
        if -worth(at, i) > least:
            turn(at, i)
        return
    for _ in range(ENTRANTS - 1):
        j = at.pool[at.chosen + cython.cast(int64_t, draw(at) * (at.in_play - at.chosen))]
        if worth(at, j) > worth(at, i):
            i = j
    change = 0.0
    n_out = 0
    row = full_row(at, i)
    while row != FITS and n_out < MOST_OUT:
        j = leaver(at, row)
        if j < 0 or worth(at, i) + shared(at, i, j) + change - worth(at, j) <= least:
            break
        change -= worth(at, j)
        turn(at, j)
        at.leavers[n_out] = j
        n_out += 1
        row = full_row(at, i)
    if row == FITS and change + worth(at, i) > least:
        turn(at, i)
        record(at)
        return
    while n_out > 0:
        n_out -= 1
        turn(at, at.leavers[n_out])


def worth(at, i):
    """Return what set `i` adds to the score if it is out; what its leaving takes if it is in."""
    return at.sets[i].margin - at.price * at.sets[i].cost


def shared(at, i, j):
    """Return the weight of the elements of set `i` that, of all selected sets, only `j` holds."""
    total = 0.0
    for e in range(at.indptr[i], at.indptr[i + 1]):
        a = at.indices[e]
        if at.elements[a].count == 1 and at.elements[a].owner == j:
            total += at.elements[a].weight
    return total


def full_row(at, i):
    """Return a row without room for set `i`, or BUDGET, or FITS."""
    row = crowded(at, i, 1)
    return BUDGET if row < 0 and at.sets[i].ticks > at.room else row


def leaver(at, row):
    """Return the set of least loss among some selected sets that take ticks of `row`, or NONE."""
    first, size = 0, at.chosen
    if row != BUDGET:
        first, size = at.member_ptr[row], at.filled[row]
    choice = NONE
    least = INF
    k = cython.cast(int64_t, draw(at) * size)
    for _ in range(min(size, LEAVERS)):
        j = at.pool[k] if row == BUDGET else at.members[first + k]
        if at.sets[j].movable and worth(at, j) < least:
            choice, least = j, worth(at, j)
        k = k + 1 if k + 1 < size else 0
    return choice


def record(at):
    """Keep the selection if it is better than the best so far."""
    if at.value > at.best + at.least_step:
        at.best = at.value
        for t in range(at.n_touched):
            i = at.touched[t]
            at.sets[i].touched = False
            at.sets[i].best = at.sets[i].selected
        at.n_touched = 0
