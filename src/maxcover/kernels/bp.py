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

import math

import numpy as np

from maxcover.kernels.arrays import Bools, Floats, Indices, Offsets
from maxcover.kernels.extended import (
    LOG_SET_ODDS_CAP,
    LOG_TINY,
    ODDS_CAP,
    SET_ODDS_CAP,
    TINY,
    cavity,
    edge_odds,
    fold,
    join,
    mix,
)
from maxcover.kernels.jit import kernel

# Edges gathered at a time: their lines of the table stay in the first-level cache until they are
# written.
TILE = 256
# Sweeps that must look the same every second time before a run is given up as circling.
PATIENCE = 5
MOVING, RESTING, CIRCLING = 0, 1, 2


@kernel
def log_product(r: Floats, first: int, last: int) -> float:
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
    return math.log(product) + scale * LOG_TINY + coded


@kernel
def update_far_row(
    indptr: Offsets,
    indices: Indices,
    r: Floats,
    odds: Floats,
    log_odds: Floats,
    field: Floats,
    table: Floats,
    i: int,
    old: int,
    new: int,
    damping: float,
) -> float:
    """Update a row that touches a very heavy element, in extended numbers; return its odds."""
    first, last = indptr[i], indptr[i + 1]
    for e in range(first, last):
        a = indices[e]
        y = edge_odds(r[e], odds[i], log_odds[i])
        r[e] = mix(r[e], cavity(table[a, old], table[a, old + 1], y), damping)
    log_odds[i] = field[i] - log_product(r, first, last)
    v = math.exp(min(log_odds[i], LOG_SET_ODDS_CAP))
    for e in range(first, last):
        a = indices[e]
        y = edge_odds(r[e], v, log_odds[i])
        table[a, new], table[a, new + 1] = fold(table[a, new], table[a, new + 1], y)
    return v


@kernel
def rare_odds(r: Floats, first: int, last: int, field: float) -> float:
    """Return the odds of a set, e^field / prod r, where the plain quotient does not fit."""
    if field == math.inf:  # chosen for certain
        return SET_ODDS_CAP
    if field == -math.inf:  # excluded for certain
        return 0.0
    return math.exp(min(field - log_product(r, first, last), LOG_SET_ODDS_CAP))


@kernel
def larger_change(so_far: float, now: float, before: float) -> float:
    """Return the larger of a change so far and |now - before| relative to the larger of the two.

    For odds that is 1 - e^{-d} if the field moved by d. The division is made only where it counts.
    """
    top = now if now > before else before
    return abs(now - before) / top if abs(now - before) > so_far * top else so_far


@kernel
def sweep(
    indptr: Offsets,
    indices: Indices,
    field: Floats,
    prior: Floats,
    far: Bools,
    r: Floats,
    odds: Floats,
    older: Floats,
    log_odds: Floats,
    table: Floats,
    tile: Floats,
    first_row: int,
    last_row: int,
    old: int,
    damping: float,
) -> tuple[float, float]:
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
    all_v, all_rest, all_top = tile[0], tile[1], tile[2]
    i = first_row
    while i < last_row:
        if far[i]:
            was = log_odds[i]
            now = update_far_row(
                indptr, indices, r, odds, log_odds, field, table, i, old, new, damping
            )
            if abs(was) < math.inf and now == odds[i]:  # at its cap
                change = 1.0 - math.exp(-abs(log_odds[i] - was))
                moved, moved_twice = max(moved, change), max(moved_twice, change)
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
        columns = indices[first : indptr[stop]]
        messages = r[first : indptr[stop]]
        # Gather: a tight loop keeps many cache misses in flight, and leaves the arithmetic a
        # straight, vectorised one. Unsigned positions save the look for negative ones.
        for e in range(columns.size):
            a = np.uint32(columns[e])
            all_rest[e] = table[a, old]
            all_top[e] = table[a, old + 1]
        place = np.uint32(0)
        for k in range(i, stop):
            v = odds[k]
            for _ in range(indptr[k + 1] - indptr[k]):
                all_v[place] = v
                place = np.uint32(place + np.uint32(1))
        # Eq. BP2: the largest odds are not in `rest`; any other are taken out of the total.
        for e in range(messages.size):
            before = messages[e]
            y = before * all_v[e]
            rest = all_rest[e]
            top = all_top[e]
            largest = y == top
            y = 0.0 if largest else y
            top = 0.0 if largest else top
            total = rest + top + rest * top
            messages[e] = damping * before + (1.0 - damping) * ((total - y) / (1.0 + total))
            all_top[e] = before
        # Eq. BP3.
        place = np.uint32(0)
        for k in range(i, stop):
            begin = place
            product = 1.0
            for _ in range(indptr[k + 1] - indptr[k]):
                product *= messages[place]
                place = np.uint32(place + np.uint32(1))
            if product >= TINY and TINY <= prior[k] <= 1.0 / TINY:
                now = prior[k] / product
                now = now if now < SET_ODDS_CAP else SET_ODDS_CAP
            else:
                now = rare_odds(r, indptr[k], indptr[k + 1], field[k])
                if abs(field[k]) < math.inf:  # odds at their cap hide what the messages still do
                    was = log_product(all_top, int(begin), int(place))
                    step = log_product(messages, int(begin), int(place)) - was
                    change = 1.0 - math.exp(-abs(step))
                    moved, moved_twice = max(moved, change), max(moved_twice, change)
            moved = larger_change(moved, now, odds[k])
            moved_twice = larger_change(moved_twice, now, older[k])
            older[k] = odds[k]
            odds[k] = now
        # Eq. BP1, folded into the elements while their lines are still in cache.
        place = np.uint32(0)
        for k in range(i, stop):
            v = odds[k]
            for _ in range(indptr[k + 1] - indptr[k]):
                a = np.uint32(columns[place])
                y = messages[place] * v
                place = np.uint32(place + np.uint32(1))
                rest = table[a, new]
                top = table[a, new + 1]
                small = y if y < top else top
                rest = rest + small + rest * small
                table[a, new] = rest if rest < ODDS_CAP else ODDS_CAP
                table[a, new + 1] = top if y < top else y
        i = stop
    return moved, moved_twice


@kernel
def verdict(moved: float, moved_twice: float, tol: float, repeats: int) -> tuple[int, int]:
    """Judge a sweep: MOVING, RESTING or CIRCLING, and how often it has looked the same by now."""
    if moved <= tol:
        return RESTING, 0
    repeats = repeats + 1 if moved_twice <= tol < moved / 10 else 0
    return (CIRCLING if repeats == PATIENCE else MOVING), repeats


@kernel
def sweeps(
    indptr: Offsets,
    indices: Indices,
    field: Floats,
    prior: Floats,
    far: Bools,
    r: Floats,
    odds: Floats,
    older: Floats,
    log_odds: Floats,
    tables: Floats,
    tile: Floats,
    start: Floats,
    old: int,
    damping: float,
    tol: float,
    repeats: int,
    residuals: Floats,
) -> tuple[int, int, int]:
    """Sweep a graph of one block until it rests, circles, or `residuals` is full.

    Returns the sweeps made, and the verdict on the last one.
    """
    state = MOVING
    for count in range(residuals.size):
        moved, moved_twice = sweep(
            indptr, indices, field, prior, far, r, odds, older, log_odds,
            tables[0], tile, 0, odds.size, old, damping,
        )  # fmt: skip
        old = 2 - old
        reset(tables, start, 0, start.size, 2 - old)
        residuals[count] = moved
        state, repeats = verdict(moved, moved_twice, tol, repeats)
        if state != MOVING:
            return count + 1, state, repeats
    return residuals.size, state, repeats


@kernel
def merge(tables: Floats, first: int, last: int, new: int) -> None:
    """Combine what the blocks wrote about a range of elements, in order; each gets the result."""
    blocks = tables.shape[0]
    for a in range(first, last):
        rest = tables[0, a, new]
        top = tables[0, a, new + 1]
        for b in range(1, blocks):
            other = tables[b, a, new]
            another = tables[b, a, new + 1]
            if rest >= 0.0 and other >= 0.0:
                small = another if another < top else top
                top = top if another < top else another
                rest = rest + small + rest * small
                rest = min(rest + other + rest * other, ODDS_CAP)
            else:
                rest, top = fold(join(rest, other), top, another)
        for b in range(blocks):
            tables[b, a, new] = rest
            tables[b, a, new + 1] = top


@kernel
def reset(tables: Floats, start: Floats, first: int, last: int, new: int) -> None:
    """Let elements start a sweep: the prior in the first block, nothing heard in the others."""
    for b in range(tables.shape[0]):
        for a in range(first, last):
            nothing = -math.inf if start[a] < 0.0 else 0.0
            tables[b, a, new] = start[a] if b == 0 else nothing
            tables[b, a, new + 1] = 0.0


@kernel
def field_sums(indptr: Offsets, r: Floats, sums: Floats) -> None:
    """Write the sum of beta h_hat over the elements of every set (Eq. BP3 without the cost)."""
    for i in range(sums.size):
        sums[i] = -log_product(r, indptr[i], indptr[i + 1])
