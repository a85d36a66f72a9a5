"""Belief propagation in odds: one pass over the rows, no exponential, no logarithm.

Per edge the state is r = e^{-beta h_hat} (the paper's Eq. BP2), per set v = e^{beta h} =
P(x=1)/P(x=0) (Eq. BP3). The odds that a set sends to an element are then simply y = r v (Eq.
BP1), and an element that hears y_1, y_2, ... and has the prior odds p answers with

    r = V / (1 + V),    1 + V = (1 + p) * prod of (1 + y_j) over the other sets.

Taking a set out of the full product by division loses every digit when that set dominates it. So
each element keeps its largest y apart (`top`) and multiplies only the rest (`rest`): the largest
is taken out by not putting it in, and any other y is at most half of what it is subtracted from.
Hence r has full relative precision however small it is.

The table of an element has four columns, (rest, top) of the last sweep and (rest, top) of this
one, side by side in memory: the random access that reads the one has already fetched the other.
"""

import cython
from cython.cimports.libc.math import exp, fabs, log
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.arrays import (
    Bools,
    Floats,
    FloatsOut,
    Indices,
    Offsets,
    Table,
    Tables,
)
from cython.cimports.maxcover.kernels.extended import cavity, edge_odds, fold, join, mix
from cython.cimports.maxcover.kernels.extremes import (
    CIRCLING,
    INF,
    LOG_SET_ODDS_CAP,
    LOG_TINY,
    MOVING,
    ODDS_CAP,
    PATIENCE,
    RESTING,
    SET_ODDS_CAP,
    TILE,
    TINY,
)


def log_product(r, first, last):
    """Return the sum of log r over an edge range with one logarithm for most ranges."""
    scale = 0
    coded = 0.0
    product = 1.0
    for e in range(first, last):
        if r[e] < 0.0:
            coded += r[e]
            continue
        product *= r[e]
        if product < TINY:
            product /= TINY
            scale += 1
    return log(product) + scale * LOG_TINY + coded


def log_tile_product(tile, first, last):
    """Return the sum of log r over a range of the tile with one logarithm for most ranges."""
    scale = 0
    coded = 0.0
    product = 1.0
    for e in range(first, last):
        if tile[2, e] < 0.0:
            coded += tile[2, e]
            continue
        product *= tile[2, e]
        if product < TINY:
            product /= TINY
            scale += 1
    return log(product) + scale * LOG_TINY + coded


def update_far_row(indptr, indices, r, odds, log_odds, field, table, i, old, new, damping):
    """Update a row that touches a very heavy element, in extended numbers; return its odds."""
    first, last = indptr[i], indptr[i + 1]
    for e in range(first, last):
        a = indices[e]
        y = edge_odds(r[e], odds[i], log_odds[i])
        r[e] = mix(r[e], cavity(table[a, old], table[a, old + 1], y), damping)
    log_odds[i] = field[i] - log_product(r, first, last)
    v = exp(min(log_odds[i], LOG_SET_ODDS_CAP))
    for e in range(first, last):
        a = indices[e]
        y = edge_odds(r[e], v, log_odds[i])
        rest, top = fold(table[a, new], table[a, new + 1], y)
        table[a, new] = rest
        table[a, new + 1] = top
    return v


def rare_odds(r, first, last, field):
    """Return the odds of a set, e^field / prod r, where the plain quotient does not fit."""
    if field == INF:  # chosen for certain
        return SET_ODDS_CAP
    if field == -INF:  # excluded for certain
        return 0.0
    return exp(min(field - log_product(r, first, last), LOG_SET_ODDS_CAP))


def larger_change(so_far, now, before):
    """Return the larger of a change so far and |now - before| relative to the larger of the two.

    For odds that is 1 - e^{-d} if the field moved by d. The division is made only where it counts.
    """
    top = now if now > before else before
    return fabs(now - before) / top if fabs(now - before) > so_far * top else so_far


def sweep_rows(
    indptr, indices, field, prior, far, r, odds, older, log_odds, table, tile, first_row, last_row,
    old, damping,
):  # fmt: skip
    """Update all messages of a range of rows once, in parallel with every other range.

    Parameters
    ----------
    indptr, indices
        Rows: the elements of each set.
    field, prior
        Log-odds of each set before any message (-beta mu c), and their exponential where it fits.
    far
        Rows with an element too heavy for plain numbers.
    r, odds, older, log_odds
        State, updated in place: messages; odds of each set now and one sweep ago; log-odds of the
        `far` rows.
    table
        Four columns an element: `old`, `old` + 1 are read, the other pair is written.
    tile
        Work space: three rows as long as the longest set, and at least `TILE`.
    damping
        Share of the old message that stays; 1 changes no message and only fills the table.

    Returns
    -------
    tuple of float
        Largest change of the odds of a set against the last sweep and against the one before it.
    """
    new = 2 - old
    moved = 0.0
    moved_twice = 0.0
    i = first_row
    while i < last_row:
        if far[i]:
            was = log_odds[i]
            now = update_far_row(
                indptr, indices, r, odds, log_odds, field, table, i, old, new, damping
            )
            if fabs(was) < INF and now == odds[i]:  # at its cap
                change = 1.0 - exp(-fabs(log_odds[i] - was))
                moved = max(moved, change)
                moved_twice = max(moved_twice, change)
            moved = larger_change(moved, now, odds[i])
            moved_twice = larger_change(moved_twice, now, older[i])
            older[i] = odds[i]
            odds[i] = now
            i += 1
            continue
        first = indptr[i]
        stop = i + 1
        while stop < last_row and indptr[stop + 1] - first <= TILE and not far[stop]:
            stop += 1
        size = indptr[stop] - first
        # Gather: a tight loop keeps many cache misses in flight, and leaves the arithmetic a
        # straight, vectorised one. Unsigned positions save the look for negative ones.
        for e in range(size):
            a = indices[first + e]
            tile[1, e] = table[a, old]
            tile[2, e] = table[a, old + 1]
        place = cython.cast(int64_t, 0)
        for k in range(i, stop):
            v = odds[k]
            for _ in range(indptr[k + 1] - indptr[k]):
                tile[0, place] = v
                place += 1
        # Eq. BP2: the largest odds are not in `rest`; any other are taken out of the total.
        for e in range(size):
            before = r[first + e]
            y = before * tile[0, e]
            rest = tile[1, e]
            top = tile[2, e]
            largest = y == top
            y = 0.0 if largest else y
            top = 0.0 if largest else top
            total = rest + top + rest * top
            r[first + e] = damping * before + (1.0 - damping) * ((total - y) / (1.0 + total))
            tile[2, e] = before
        # Eq. BP3.
        place = cython.cast(int64_t, 0)
        for k in range(i, stop):
            begin = place
            product = 1.0
            for _ in range(indptr[k + 1] - indptr[k]):
                product *= r[first + place]
                place += 1
            if product >= TINY and TINY <= prior[k] <= 1.0 / TINY:
                now = prior[k] / product
                now = now if now < SET_ODDS_CAP else SET_ODDS_CAP
            else:
                now = rare_odds(r, indptr[k], indptr[k + 1], field[k])
                if fabs(field[k]) < INF:  # odds at their cap hide what the messages still do
                    was = log_tile_product(tile, begin, place)
                    step = log_product(r, first + begin, first + place) - was
                    change = 1.0 - exp(-fabs(step))
                    moved = max(moved, change)
                    moved_twice = max(moved_twice, change)
            moved = larger_change(moved, now, odds[k])
            moved_twice = larger_change(moved_twice, now, older[k])
            older[k] = odds[k]
            odds[k] = now
        # Eq. BP1, folded into the elements while their lines are still in cache.
        place = cython.cast(int64_t, 0)
        for k in range(i, stop):
            v = odds[k]
            for _ in range(indptr[k + 1] - indptr[k]):
                a = indices[first + place]
                y = r[first + place] * v
                place += 1
                rest = table[a, new]
                top = table[a, new + 1]
                small = y if y < top else top
                rest = rest + small + rest * small
                table[a, new] = rest if rest < ODDS_CAP else ODDS_CAP
                table[a, new + 1] = top if y < top else y
        i = stop
    return moved, moved_twice


def judge(moved, moved_twice, tol, repeats):
    """Judge a sweep: MOVING, RESTING or CIRCLING, and how often it has looked the same by now."""
    if moved <= tol:
        return RESTING, 0
    repeats = repeats + 1 if moved_twice <= tol < moved / 10 else 0
    return (CIRCLING if repeats == PATIENCE else MOVING), repeats


def reset_range(tables, start, first, last, new):
    """Let elements start a sweep: the prior in the first block, nothing heard in the others."""
    for b in range(tables.shape[0]):
        for a in range(first, last):
            nothing = -INF if start[a] < 0.0 else 0.0
            tables[b, a, new] = start[a] if b == 0 else nothing
            tables[b, a, new + 1] = 0.0


def verdict(moved: float, moved_twice: float, tol: float, repeats: int):
    """Judge a sweep; see `judge`."""
    return judge(moved, moved_twice, tol, repeats)


def sweep(
    messages,
    table: Table,
    tile: Table,
    *,
    first_row: int64_t,
    last_row: int64_t,
    old: cython.int,
    damping: cython.double,
) -> tuple[float, float]:
    """Sweep a range of rows; see `sweep_rows`."""
    indptr: Offsets
    indices: Indices
    field: Floats
    prior: Floats
    far: Bools
    r: FloatsOut
    odds: FloatsOut
    older: FloatsOut
    log_odds: FloatsOut
    indptr, indices, field, prior, far, r, odds, older, log_odds = messages
    with cython.nogil:
        changes = sweep_rows(
            indptr, indices, field, prior, far, r, odds, older, log_odds, table, tile, first_row,
            last_row, old, damping,
        )  # fmt: skip
    return changes


def sweeps(
    messages,
    tables: Tables,
    tile: Table,
    *,
    start: Floats,
    old: cython.int,
    damping: cython.double,
    tol: cython.double,
    repeats: cython.int,
    residuals: FloatsOut,
) -> tuple[int, int, int]:
    """Sweep a graph of one block until it rests, circles, or `residuals` is full.

    Returns the sweeps made, and the verdict on the last one.
    """
    indptr: Offsets
    indices: Indices
    field: Floats
    prior: Floats
    far: Bools
    r: FloatsOut
    odds: FloatsOut
    older: FloatsOut
    log_odds: FloatsOut
    indptr, indices, field, prior, far, r, odds, older, log_odds = messages
    state: cython.int = MOVING
    made: int64_t = 0
    count: int64_t
    table: Table = tables[0]
    with cython.nogil:
        for count in range(residuals.shape[0]):
            moved, moved_twice = sweep_rows(
                indptr, indices, field, prior, far, r, odds, older, log_odds, table, tile, 0,
                odds.shape[0], old, damping,
            )  # fmt: skip
            old = 2 - old
            reset_range(tables, start, 0, start.shape[0], 2 - old)
            residuals[count] = moved
            made = count + 1
            state, repeats = judge(moved, moved_twice, tol, repeats)
            if state != MOVING:
                break
    return made, state, repeats


def merge(tables: Tables, first: int64_t, last: int64_t, new: cython.int) -> None:
    """Combine what the blocks wrote about a range of elements, in order; each gets the result."""
    rest: cython.double
    top: cython.double
    other: cython.double
    another: cython.double
    small: cython.double
    with cython.nogil:
        for a in range(first, last):
            rest = tables[0, a, new]
            top = tables[0, a, new + 1]
            for b in range(1, tables.shape[0]):
                other = tables[b, a, new]
                another = tables[b, a, new + 1]
                if rest >= 0.0 and other >= 0.0:
                    small = another if another < top else top
                    top = top if another < top else another
                    rest = rest + small + rest * small
                    rest = min(rest + other + rest * other, ODDS_CAP)
                else:
                    rest, top = fold(join(rest, other), top, another)
            for b in range(tables.shape[0]):
                tables[b, a, new] = rest
                tables[b, a, new + 1] = top


def reset(tables: Tables, start: Floats, first: int64_t, last: int64_t, new: cython.int) -> None:
    """Let elements start a sweep; see `reset_range`."""
    with cython.nogil:
        reset_range(tables, start, first, last, new)


def field_sums(indptr: Offsets, r: Floats, sums: FloatsOut) -> None:
    """Write the sum of beta h_hat over the elements of every set (Eq. BP3 without the cost)."""
    with cython.nogil:
        for i in range(sums.shape[0]):
            sums[i] = -log_product(r, indptr[i], indptr[i + 1])
