"""Search under any limits for any returns: a lazy greedy run, and simulated annealing.

A selection is judged by a score, its value with a small credit for what needs several sets and
holds some of them, less fines for rows that are below their minimum. What a row allows at most
always holds. A move adds a set, or drops one; where a set does not fit, others of the row that is
full make room for it. A worse selection is kept with the usual probability. What a move changes is
computed before anything is written, so a refused move costs one look at the edges of a set.

Elements are of three kinds. COUNT: the k-th chosen set that holds it adds the k-th of its steps.
BEST: it is worth the largest strength of its chosen sets. CHANCE: each chosen set reaches it with
the probability of its edge, independently.
"""

from typing import NamedTuple

import cython
import numpy as np
from cython.cimports.libc.math import exp, log1p
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.anneal import Board, Book, Elements, Rows, Shares
from cython.cimports.maxcover.kernels.arrays import (
    Floats,
    FloatsOut,
    Indices,
    IndicesOut,
    Offsets,
    OffsetsOut,
)
from cython.cimports.maxcover.kernels.lazy_greedy import sift_down
from numpy.typing import NDArray

ELEMENT = np.dtype(
    [
        ("weight", np.float64),  # of a CHANCE
        ("level", np.float64),  # BEST: the largest strength; CHANCE: log of the chance to miss
        ("second", np.float64),  # BEST: the second largest
        ("value", np.float64),  # what it is worth now
        ("first", np.int64),  # of its steps
        ("n_steps", np.int32),
        ("count", np.int32),  # chosen sets that hold it
        ("owner", np.int32),  # BEST: the set of the largest strength
        ("kind", np.int32),
    ],
    align=True,
)
ROW = np.dtype(
    [("low", np.int64), ("high", np.int64), ("used", np.int64), ("fine", np.float64)]
)  # the fine is for a tick that is missing
SHARE = np.dtype([("low", np.float64), ("have", np.float64), ("fine", np.float64)])
BOOK = np.dtype(
    [
        ("value", np.float64),  # of the elements, now
        ("score", np.float64),  # with credits, without fines
        ("penalty", np.float64),  # fines for what is missing to minima
        ("best", np.float64),  # the largest value that missed nothing
        ("random", np.uint64),  # state of xorshift64
        ("n_chosen", np.int64),
        ("n_best", np.int64),
        ("heap", np.int64),  # size of the heap of a greedy run
    ]
)
OUT = cython.declare(int64_t, -1)  # places of sets that are not in the list of the chosen
REQUIRED = cython.declare(int64_t, -2)
C_COUNT = cython.declare(cython.int, 0)
C_BEST = cython.declare(cython.int, 1)
NEVER = cython.declare(cython.double, -800.0)  # stands for the logarithm of 0
LOOKS = cython.declare(int64_t, 64)  # places that are looked at for a set of a full row
MOST_OUT = cython.declare(cython.int, 4)  # sets that make room for another one
REFILL = cython.declare(cython.int, 10)  # sets that are tried in the room that a move leaves


class Tables(NamedTuple):
    """The arrays of a search; see `Board`. None of them is empty: what is not there is one zero."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    strength: NDArray[np.float64]  # of each edge, for BEST and CHANCE
    t_indptr: NDArray[np.int64]
    t_indices: NDArray[np.int32]
    t_strength: NDArray[np.float64]
    steps: NDArray[np.float64]  # what elements are worth
    guide: NDArray[np.float64]  # and what they count in the score
    row_ptr: NDArray[np.int64]  # rows of each set, and its ticks in them
    row_of: NDArray[np.int32]
    row_ticks: NDArray[np.int64]
    member_ptr: NDArray[np.int64]  # sets of each row
    members: NDArray[np.int32]
    share_ptr: NDArray[np.int64]  # shares that each element is part of
    share_of: NDArray[np.int32]
    elements: NDArray[np.void]
    rows: NDArray[np.void]
    shares: NDArray[np.void]
    chosen: NDArray[np.int64]  # the sets of the selection that may be dropped
    place: NDArray[np.int64]  # where in it a set stands, or -1
    best: NDArray[np.int64]
    book: NDArray[np.void]


def draw(book):
    """Return the next number of the xorshift64 sequence, uniform in [0, 1)."""
    x = book.random
    x ^= x << 13
    x ^= x >> 7
    x ^= x << 17
    book.random = x
    return cython.cast(cython.double, x >> 11) * 2.0**-53


def log_miss(p):
    """Return log(1 - p), and a number far down for 1."""
    return log1p(-p) if p < 1.0 else NEVER


def fine_of(row, used):
    """Return the fine for what a row misses of its minimum."""
    return row.fine * (row.low - used) if used < row.low else 0.0


def gain_of(board, i):
    """Return what adding a set changes, less fines of rows; shares are not looked at."""
    total = 0.0
    for e in range(board.indptr[i], board.indptr[i + 1]):
        one = board.elements + board.indices[e]
        if one.kind == C_COUNT:
            if one.count < one.n_steps:
                total += board.guide[one.first + one.count]
        elif one.kind == C_BEST:
            if board.strength[e] > one.level:
                total += board.strength[e] - one.level
        else:
            total += (one.weight - one.value) * board.strength[e]
    for f in range(board.row_ptr[i], board.row_ptr[i + 1]):
        row = board.rows + board.row_of[f]
        if row.used < row.low:
            total += fine_of(row, row.used) - fine_of(row, row.used + board.row_ticks[f])
    return total


def loss_of(board, i):
    """Return what dropping a set changes, as a loss, with fines of rows."""
    total = 0.0
    for e in range(board.indptr[i], board.indptr[i + 1]):
        one = board.elements + board.indices[e]
        if one.kind == C_COUNT:
            if one.count <= one.n_steps:
                total += board.guide[one.first + one.count - 1]
        elif one.kind == C_BEST:
            if one.owner == i:
                total += one.level - one.second
        else:
            total += one.weight * exp(one.level - log_miss(board.strength[e]))
            total -= one.weight - one.value
    for f in range(board.row_ptr[i], board.row_ptr[i + 1]):
        row = board.rows + board.row_of[f]
        if row.low > 0:
            total += fine_of(row, row.used - board.row_ticks[f]) - fine_of(row, row.used)
    return total


def crowded(board, i):
    """Return the first row in which a set does not fit; -1 if it fits."""
    for f in range(board.row_ptr[i], board.row_ptr[i + 1]):
        row = board.rows + board.row_of[f]
        if row.used + board.row_ticks[f] > row.high:
            return board.row_of[f]
    return -1


def is_in(board, j, r):
    """Whether a set takes something of a row."""
    for f in range(board.row_ptr[j], board.row_ptr[j + 1]):
        if board.row_of[f] == r:
            return board.row_ticks[f] > 0
    return False


def member_of(board, r):
    """Return a random chosen set of a row, or -1; the shorter of two lists is walked."""
    size = board.member_ptr[r + 1] - board.member_ptr[r]
    n = board.book.n_chosen
    if n == 0:
        return -1
    if n <= size:
        at = cython.cast(int64_t, draw(board.book) * n)
        for _ in range(min(n, LOOKS)):
            j = board.chosen[at]
            if is_in(board, j, r):
                return j
            at = at + 1 if at + 1 < n else 0
    else:
        at = cython.cast(int64_t, draw(board.book) * size)
        for _ in range(min(size, 8 * LOOKS)):
            j = board.members[board.member_ptr[r] + at]
            if board.place[j] >= 0 and is_in(board, j, r):
                return j
            at = at + 1 if at + 1 < size else 0
    return -1


def look_again(board, a):
    """Find the two largest strengths of an element among the chosen sets."""
    one = board.elements + a
    one.level = one.second = 0.0
    one.owner = -1
    for f in range(board.t_indptr[a], board.t_indptr[a + 1]):
        j = board.t_indices[f]
        if board.place[j] != OUT:
            s = board.t_strength[f]
            if s > one.level:
                one.second = one.level
                one.level = s
                one.owner = cython.cast(cython.int, j)
            elif s > one.second:
                one.second = s


def cover(board, i, step):
    """Count what a set holds and takes, or count it no more."""
    book = board.book
    for f in range(board.row_ptr[i], board.row_ptr[i + 1]):
        row = board.rows + board.row_of[f]
        book.penalty -= fine_of(row, row.used)
        row.used += step * board.row_ticks[f]
        book.penalty += fine_of(row, row.used)
    for e in range(board.indptr[i], board.indptr[i + 1]):
        a = board.indices[e]
        one = board.elements + a
        before = one.value
        after = before
        one.count += cython.cast(cython.int, step)
        if one.kind == C_COUNT:
            f = one.count - (1 if step > 0 else 0)
            if f < one.n_steps:
                after = before + step * board.steps[one.first + f]
                book.score += step * board.guide[one.first + f]
        else:
            s = board.strength[e]
            if one.kind == C_BEST:
                if step < 0:
                    if one.owner == i or s >= one.second:
                        look_again(board, a)
                elif s > one.level:
                    one.second = one.level
                    one.level = s
                    one.owner = cython.cast(cython.int, i)
                elif s > one.second:
                    one.second = s
                after = one.level
            else:
                one.level += step * log_miss(s)
                after = one.weight * (1.0 - exp(one.level)) if one.count > 0 else 0.0
                one.level = one.level if one.count > 0 else 0.0
            book.score += after - before
        if after != before:
            one.value = after
            book.value += after - before
            if board.n_shares > 0:
                for f in range(board.share_ptr[a], board.share_ptr[a + 1]):
                    share = board.shares + board.share_of[f]
                    book.penalty -= share.fine * max(share.low - share.have, 0.0)
                    share.have += after - before
                    book.penalty += share.fine * max(share.low - share.have, 0.0)


def flip(board, i, step):
    """Add (1) or drop (-1) a set and bring the lists up to date."""
    book = board.book
    if step > 0:
        board.chosen[book.n_chosen] = i
        board.place[i] = book.n_chosen
        book.n_chosen += 1
    else:
        k = board.place[i]
        book.n_chosen -= 1
        board.chosen[k] = board.chosen[book.n_chosen]
        board.place[board.chosen[k]] = k
        board.place[i] = -1
    cover(board, i, step)


def try_flip(board, i, step):
    """Return what a flip would change; with shares, which no look at a set can tell, it is made."""
    book = board.book
    if board.n_shares == 0:
        return gain_of(board, i) if step > 0 else -loss_of(board, i)
    before = book.score - book.penalty
    flip(board, i, step)
    change = book.score - book.penalty - before
    flip(board, i, -step)
    return change


def note_best(board):
    """Keep the selection if it misses nothing and is better than the best so far."""
    book = board.book
    if book.penalty < 1e-9 and (book.n_best < 0 or book.value > book.best * (1 + 1e-12)):
        book.best = book.value
        book.n_best = book.n_chosen
        for k in range(book.n_chosen):
            board.best[k] = board.chosen[k]


def lay(board, tables):
    """Fill a board with the addresses of the arrays."""
    indptr: Offsets
    indices: Indices
    strength: Floats
    t_indptr: Offsets
    t_indices: Indices
    t_strength: Floats
    steps: Floats
    guide: Floats
    row_ptr: Offsets
    row_of: Indices
    row_ticks: Offsets
    member_ptr: Offsets
    members: Indices
    share_ptr: Offsets
    share_of: Indices
    elements: Elements
    rows: Rows
    shares: Shares
    chosen: OffsetsOut
    place: OffsetsOut
    best: OffsetsOut
    book: Book[::1]
    (
        indptr, indices, strength, t_indptr, t_indices, t_strength, steps, guide, row_ptr,
        row_of, row_ticks, member_ptr, members, share_ptr, share_of, elements, rows, shares,
        chosen, place, best, book,
    ) = tables  # fmt: skip
    board.indptr = cython.address(indptr[0])
    board.indices = cython.address(indices[0])
    board.strength = cython.address(strength[0])
    board.t_indptr = cython.address(t_indptr[0])
    board.t_indices = cython.address(t_indices[0])
    board.t_strength = cython.address(t_strength[0])
    board.steps = cython.address(steps[0])
    board.guide = cython.address(guide[0])
    board.row_ptr = cython.address(row_ptr[0])
    board.row_of = cython.address(row_of[0])
    board.row_ticks = cython.address(row_ticks[0])
    board.member_ptr = cython.address(member_ptr[0])
    board.members = cython.address(members[0])
    board.share_ptr = cython.address(share_ptr[0])
    board.share_of = cython.address(share_of[0])
    board.elements = cython.address(elements[0])
    board.rows = cython.address(rows[0])
    board.shares = cython.address(shares[0])
    board.n_shares = share_ptr[share_ptr.shape[0] - 1]
    board.chosen = cython.address(chosen[0])
    board.place = cython.address(place[0])
    board.best = cython.address(best[0])
    board.book = cython.address(book[0])


def begin(tables, required: Offsets, start: Offsets) -> None:
    """Stand on a selection; everything is counted anew, so that rounding does not pile up."""
    board: Board
    lay(cython.address(board), tables)
    n_elements: int64_t = tables.elements.shape[0]
    n_rows: int64_t = tables.rows.shape[0]
    n_shares: int64_t = tables.shares.shape[0]
    n_sets: int64_t = tables.place.shape[0]
    with cython.nogil:
        board.book.value = board.book.score = board.book.penalty = 0.0
        board.book.n_chosen = 0
        for k in range(n_elements):
            board.elements[k].value = board.elements[k].level = board.elements[k].second = 0.0
            board.elements[k].count = 0
            board.elements[k].owner = -1
        for k in range(n_rows):
            board.rows[k].used = 0
            board.book.penalty += fine_of(board.rows + k, 0)
        for k in range(n_shares):
            board.shares[k].have = 0.0
            board.book.penalty += board.shares[k].fine * max(board.shares[k].low, 0.0)
        for k in range(n_sets):
            board.place[k] = OUT
        for k in range(required.shape[0]):
            board.place[required[k]] = REQUIRED
            cover(cython.address(board), required[k], 1)
        for k in range(start.shape[0]):
            flip(cython.address(board), start[k], 1)
        note_best(cython.address(board))


def take(tables, ranking: Offsets, quota: int64_t) -> None:
    """Add the sets of a ranking that fit, until `quota` ticks of the first row are used."""
    board: Board
    lay(cython.address(board), tables)
    with cython.nogil:
        for k in range(ranking.shape[0]):
            if board.rows[0].used >= quota:
                break
            if board.place[ranking[k]] == OUT and crowded(cython.address(board), ranking[k]) < 0:
                flip(cython.address(board), ranking[k], 1)
        note_best(cython.address(board))


def prune(tables, ranking: Offsets, least: cython.double) -> None:
    """Drop the sets of a ranking without which the value stays at `least` and every minimum met."""
    board: Board
    lay(cython.address(board), tables)
    i: int64_t
    with cython.nogil:
        for k in range(ranking.shape[0]):
            i = ranking[k]
            if board.place[i] >= 0:
                flip(cython.address(board), i, -1)
                if board.book.value < least or board.book.penalty > 1e-9:
                    flip(cython.address(board), i, 1)


def gains(tables, candidates: Offsets, out: FloatsOut) -> None:
    """Write what adding each candidate would gain."""
    board: Board
    lay(cython.address(board), tables)
    with cython.nogil:
        for k in range(candidates.shape[0]):
            out[k] = gain_of(cython.address(board), candidates[k])


def grow(tables, prices: Floats, keys: FloatsOut, nodes: IndicesOut, work: int64_t) -> bool:
    """Take the set of the most gain per price that fits, and so on; return whether that is over.

    ``keys`` and ``nodes`` are a heap of old gains per price, upper bounds where nothing needs
    several sets. About `work` edges are looked at.
    """
    board: Board
    lay(cython.address(board), tables)
    i: int64_t
    key: cython.double
    size: int64_t
    with cython.nogil:
        size = board.book.heap
        while size > 0 and work > 0:
            i = nodes[0]
            work -= board.indptr[i + 1] - board.indptr[i] + 8
            if board.place[i] == OUT and crowded(cython.address(board), i) < 0:
                key = gain_of(cython.address(board), i) / prices[i]
                if 0.0 < key < keys[0]:
                    keys[0] = key
                    sift_down(keys, nodes, 0, size)
                    continue
                if key > 0.0:
                    flip(cython.address(board), i, 1)
            size -= 1
            keys[0] = keys[size]
            nodes[0] = nodes[size]
            if size > 0:
                sift_down(keys, nodes, 0, size)
        board.book.heap = size
        note_best(cython.address(board))
    return size == 0


def heapify(keys: FloatsOut, nodes: IndicesOut) -> None:
    """Make a heap of keys and nodes, the largest key first."""
    with cython.nogil:
        for k in range(keys.shape[0] // 2 - 1, -1, -1):
            sift_down(keys, nodes, k, keys.shape[0])


def anneal(tables, movable: Offsets, heat: cython.double, moves: int64_t) -> None:
    """Make moves at one temperature. Deterministic in the state of the book."""
    board: Board
    lay(cython.address(board), tables)
    i: int64_t
    j: int64_t
    row: int64_t
    n_flips: cython.int
    flipped: int64_t[16]
    change: cython.double
    gain: cython.double
    book = board.book
    if movable.shape[0] == 0:
        return
    with cython.nogil:
        for _ in range(moves):
            i = movable[cython.cast(int64_t, draw(book) * movable.shape[0])]
            n_flips = 0
            change = 0.0
            row = -1
            if board.place[i] >= 0:
                change = try_flip(cython.address(board), i, -1)
                flip(cython.address(board), i, -1)
                flipped[0] = i
                n_flips = 1
            else:
                row = crowded(cython.address(board), i)
                while row >= 0 and n_flips < MOST_OUT:
                    j = member_of(cython.address(board), row)
                    if j < 0:
                        break
                    change += try_flip(cython.address(board), j, -1)
                    flip(cython.address(board), j, -1)
                    flipped[n_flips] = j
                    n_flips += 1
                    row = crowded(cython.address(board), i)
                if row < 0:
                    change += try_flip(cython.address(board), i, 1)
                    flip(cython.address(board), i, 1)
                    flipped[n_flips] = i
                    n_flips += 1
            if row < 0:
                for _ in range(REFILL):
                    if n_flips == 16:
                        break
                    j = movable[cython.cast(int64_t, draw(book) * movable.shape[0])]
                    if j != i and board.place[j] == OUT and crowded(cython.address(board), j) < 0:
                        gain = try_flip(cython.address(board), j, 1)
                        if gain > 0.0:
                            change += gain
                            flip(cython.address(board), j, 1)
                            flipped[n_flips] = j
                            n_flips += 1
                if change >= 0.0 or draw(book) < exp(change / heat):
                    note_best(cython.address(board))
                    continue
            while n_flips > 0:
                n_flips -= 1
                j = flipped[n_flips]
                flip(cython.address(board), j, -1 if board.place[j] >= 0 else 1)
