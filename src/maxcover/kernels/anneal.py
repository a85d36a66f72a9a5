"""Simulated annealing for problems with minima of groups and elements that need several sets.

Such values are not submodular: the first of two sets that an element needs gains nothing. So a
selection is judged by its value, a small credit for what is half done, and fines for minima that
it misses. Budget and maxima of groups always hold. A move adds a set, or drops one, or exchanges
two where the new one does not fit otherwise; a worse selection is kept with the usual probability.
"""

import cython
import numpy as np
from cython.cimports.libc.math import exp
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.anneal import Book
from cython.cimports.maxcover.kernels.arrays import Floats, Indices, Offsets, OffsetsOut, Table

BOOK = np.dtype(
    [
        ("value", np.float64),  # weight covered now
        ("credit", np.float64),  # what elements count that some, but too few, sets hold
        ("penalty", np.float64),  # fines for what is missing to minima
        ("best", np.float64),  # the largest value that reached every minimum; -1 for none
        ("random", np.uint64),  # state of xorshift64
        ("used", np.int64),  # ticks
        ("limit", np.int64),
        ("n_chosen", np.int64),
    ]
)
CREDIT = cython.declare(cython.double, 0.3)  # part of its weight that a half-covered element counts
TRIES = cython.declare(cython.int, 4)  # sets that are looked at to make room for another one


def draw(book):
    """Return the next number of the xorshift64 sequence, uniform in [0, 1)."""
    x = book.random
    x ^= x << 13
    x ^= x >> 7
    x ^= x << 17
    book.random = x
    return cython.cast(cython.double, x >> 11) * 2.0**-53


def fine_of(g, least, fines, have):
    """Return the fine for what a group misses of its minima."""
    total = 0.0
    for k in range(3):
        missing = least[k, g] - have[k, g]
        if missing > 1e-12 * least[k, g]:
            total += fines[k, g] * missing
    return total


def half_done(a, weights, needs, counts):
    """Return what an element counts that some, but too few, chosen sets hold."""
    return CREDIT * weights[a] * counts[a] / needs[a] if counts[a] < needs[a] else 0.0


def flip(
    i, step, indptr, indices, shared, owners, weights, needs, ticks, group, least, fines, counts,
    have, chosen, place, book,
):  # fmt: skip
    """Add (1) or drop (-1) a set and bring the book up to date."""
    own = group[i]
    book.penalty -= fine_of(own, least, fines, have)
    have[0, own] += step
    have[1, own] += step * ticks[i]
    book.penalty += fine_of(own, least, fines, have)
    book.used += step * ticks[i]
    for e in range(indptr[i], indptr[i + 1]):
        a = indices[e]
        counts[a] += step
        if needs[a] > 1:
            book.credit += half_done(a, weights, needs, counts)
            counts[a] -= step
            book.credit -= half_done(a, weights, needs, counts)
            counts[a] += step
        if counts[a] == needs[a] - (1 if step < 0 else 0):
            gain = step * weights[a]
            book.value += gain
            for p in range(shared[a], shared[a + 1]):
                book.penalty -= fine_of(owners[p], least, fines, have)
                have[2, owners[p]] += gain
                book.penalty += fine_of(owners[p], least, fines, have)
    if step > 0:
        chosen[book.n_chosen] = i
        place[i] = book.n_chosen
        book.n_chosen += 1
    else:
        k = place[i]
        book.n_chosen -= 1
        chosen[k] = chosen[book.n_chosen]
        place[chosen[k]] = k
        place[i] = -1


def anneal(
    indptr: Offsets,
    indices: Indices,
    shared: Offsets,
    owners: Indices,
    weights: Floats,
    needs: Offsets,
    ticks: Offsets,
    group: Indices,
    least: Table,
    fines: Table,
    most: Table,
    movable: Offsets,
    counts: OffsetsOut,
    have: Table,
    chosen: OffsetsOut,
    place: OffsetsOut,
    best: OffsetsOut,
    books: Book[::1],
    heat: cython.double,
    moves: int64_t,
) -> int64_t:
    """Make moves at one temperature; return how many sets ``best`` holds if it is new, else -1.

    ``chosen`` lists the movable sets of the selection, ``place`` says where in it a set stands, or
    -1. ``least``, ``most`` and ``have`` are of groups: sets, ticks, and weight. The last group has
    no limits. Deterministic in the state of ``books``.
    """
    i: int64_t
    j: int64_t
    own: int64_t
    found: int64_t = -1
    step: int64_t
    before: cython.double
    change: cython.double
    book = cython.address(books[0])
    if movable.shape[0] == 0:
        return found
    with cython.nogil:
        for _ in range(moves):
            i = movable[cython.cast(int64_t, draw(book) * movable.shape[0])]
            before = book.value + book.credit - book.penalty
            own = group[i]
            j = -1
            step = 1
            if place[i] >= 0:
                step = -1
            elif (
                book.used + ticks[i] > book.limit
                or have[0, own] + 1 > most[0, own]
                or have[1, own] + ticks[i] > most[1, own]
            ):
                for _ in range(TRIES):
                    if book.n_chosen == 0:
                        break
                    j = chosen[cython.cast(int64_t, draw(book) * book.n_chosen)]
                    if book.used + ticks[i] - ticks[j] <= book.limit and (
                        (group[j] == own and have[1, own] + ticks[i] - ticks[j] <= most[1, own])
                        or (
                            have[0, own] + 1 <= most[0, own]
                            and have[1, own] + ticks[i] <= most[1, own]
                        )
                    ):
                        break
                    j = -1
                if j < 0:
                    continue
                flip(
                    j, -1, indptr, indices, shared, owners, weights, needs, ticks, group, least,
                    fines, counts, have, chosen, place, book,
                )  # fmt: skip
            flip(
                i, step, indptr, indices, shared, owners, weights, needs, ticks, group, least,
                fines, counts, have, chosen, place, book,
            )  # fmt: skip
            change = book.value + book.credit - book.penalty - before
            if change < 0.0 and draw(book) >= exp(change / heat):
                flip(
                    i, -step, indptr, indices, shared, owners, weights, needs, ticks, group, least,
                    fines, counts, have, chosen, place, book,
                )  # fmt: skip
                if j >= 0:
                    flip(
                        j, 1, indptr, indices, shared, owners, weights, needs, ticks, group, least,
                        fines, counts, have, chosen, place, book,
                    )  # fmt: skip
            elif book.penalty < 1e-9 and book.value > book.best * (1 + 1e-12):
                book.best = book.value
                found = book.n_chosen
                for k in range(found):
                    best[k] = chosen[k]
    return found
