"""Search under any limits for any returns: a lazy greedy run, and simulated annealing.

A selection is judged by a score, its value with a small credit for what needs several sets and
holds some of them, less fines for rows that are below their minimum, and while annealing less a
price for what it takes of rows. What a row allows at most always holds. A move adds a set, or drops
one; where a set does not fit, others of the row that is full make room for it. A worse selection is
kept with the usual probability. What a move changes is computed before anything is written, so a
refused move costs one look at the edges of a set.

Elements are of three kinds. COUNT: the k-th chosen set that holds it adds the k-th of its steps.
BEST: it is worth the largest strength of its chosen sets. CHANCE: each chosen set reaches it with
the probability of its edge, independently.
"""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log1p
from cython.cimports.libc.stdint import int64_t
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
    [
        ("low", np.int64),
        ("high", np.int64),
        ("used", np.int64),
        ("fine", np.float64),  # for a tick that is missing
        ("price", np.float64),  # of a tick, while annealing
    ]
)
SHARE = np.dtype([("low", np.float64), ("have", np.float64), ("fine", np.float64)])
OUT = cython.declare(int64_t, -1)  # places of sets that are not in the list of the chosen
REQUIRED = cython.declare(int64_t, -2)
C_COUNT = cython.declare(cython.int, 0)
C_BEST = cython.declare(cython.int, 1)
NEVER = cython.declare(cython.double, -800.0)  # stands for the logarithm of 0
LOOKS = cython.declare(int64_t, 64)  # places that are looked at for a set of a full row
MOST_OUT = cython.declare(cython.int, 4)  # sets that make room for another one
REFILL = cython.declare(cython.int, 10)  # sets that are tried in the room that a move leaves


class Board:
    """A problem and a selection of it.

    Parameters
    ----------
    rows, columns
        Of the graph: starts, indices and strengths.
    curves
        Steps of what elements are worth, and of what they count in the score.
    limits
        For each set where its rows start, the rows, and its ticks in them.
    members
        Sets of each row.
    floors
        For each element the minima of value that it is part of.
    records
        Of elements, rows and minima of value; changed in place.
    """

    def __init__(self, *, rows, columns, curves, limits, members, floors, records) -> None:
        self.indptr, self.indices, self.strength = rows
        self.t_indptr, self.t_indices, self.t_strength = columns
        self.steps, self.guide = curves
        self.row_ptr, self.row_of, self.row_ticks = limits
        self.member_ptr, self.members = members
        self.share_ptr, self.share_of = floors
        self.elements, self.rows, self.shares = records
        n_sets = len(self.indptr) - 1
        self.chosen, self.place, self.best_sets = np.zeros((3, n_sets), np.int64)

    def fresh(self, seed: int) -> None:
        """Forget the best selection, and begin the random numbers of a seed."""
        self.random = (2 * seed + 1) * 0x9E3779B97F4A7C15 % 2**64
        self.n_best = -1

    def best_found(self) -> NDArray[np.int64] | None:
        """Return the best selection since `fresh`, without what is required; None without one."""
        return None if self.n_best < 0 else np.array(self.best_sets)[: self.n_best]

    def now(self) -> NDArray[np.int64]:
        """Return the sets that are chosen now and may be dropped."""
        return np.array(self.chosen)[: self.n_chosen]

    def begin(self, required: Offsets, start: Offsets) -> None:
        """Stand on a selection; everything is counted anew, so that rounding does not pile up."""
        with cython.nogil:
            self.value = self.score = self.penalty = 0.0
            self.n_chosen = 0
            for k in range(self.elements.shape[0]):
                self.elements[k].value = self.elements[k].level = self.elements[k].second = 0.0
                self.elements[k].count = 0
                self.elements[k].owner = -1
            for k in range(self.rows.shape[0]):
                self.rows[k].used = 0
                self.penalty += fine_of(cython.address(self.rows[k]), 0)
            for k in range(self.shares.shape[0]):
                self.shares[k].have = 0.0
                self.penalty += self.shares[k].fine * max(self.shares[k].low, 0.0)
            for k in range(self.place.shape[0]):
                self.place[k] = OUT
            for k in range(required.shape[0]):
                self.place[required[k]] = REQUIRED
                cover(self, required[k], 1)
            for k in range(start.shape[0]):
                flip(self, start[k], 1)
            note_best(self)

    def take(self, ranking: Offsets, quota: int64_t) -> None:
        """Add the sets of a ranking that fit, until `quota` ticks of the first row are used."""
        with cython.nogil:
            for k in range(ranking.shape[0]):
                if self.rows[0].used >= quota:
                    break
                if self.place[ranking[k]] == OUT and crowded(self, ranking[k]) < 0:
                    flip(self, ranking[k], 1)
            note_best(self)

    def prune(self, ranking: Offsets, least: cython.double) -> None:
        """Drop sets of a ranking without which the value stays at `least` and every minimum met."""
        i: int64_t
        with cython.nogil:
            for k in range(ranking.shape[0]):
                i = ranking[k]
                if self.place[i] >= 0:
                    flip(self, i, -1)
                    if self.value < least or self.penalty > 1e-9:
                        flip(self, i, 1)

    def gains(self, candidates: Offsets) -> NDArray[np.float64]:
        """Return what adding each candidate would gain."""
        found = np.zeros(candidates.shape[0])
        out: FloatsOut = found
        with cython.nogil:
            for k in range(candidates.shape[0]):
                out[k] = gain_of(self, candidates[k])
        return found

    def heapify(self, keys: FloatsOut, nodes: IndicesOut) -> None:
        """Make a heap of keys and nodes, the largest key first, for `grow`."""
        self.heap = keys.shape[0]
        with cython.nogil:
            for k in range(keys.shape[0] // 2 - 1, -1, -1):
                sift_down(keys, nodes, k, keys.shape[0])

    def grow(self, prices: Floats, keys: FloatsOut, nodes: IndicesOut, work: int64_t) -> bool:
        """Take the set of the most gain per price that fits, and so on; return if that is over.

        ``keys`` and ``nodes`` are a heap of old gains per price, upper bounds where nothing needs
        several sets. About `work` edges are looked at.
        """
        i: int64_t
        key: cython.double
        with cython.nogil:
            while self.heap > 0 and work > 0:
                i = nodes[0]
                work -= self.indptr[i + 1] - self.indptr[i] + 8
                if self.place[i] == OUT and crowded(self, i) < 0:
                    key = gain_of(self, i) / prices[i]
                    if 0.0 < key < keys[0]:
                        keys[0] = key
                        sift_down(keys, nodes, 0, self.heap)
                        continue
                    if key > 0.0:
                        flip(self, i, 1)
                self.heap -= 1
                keys[0] = keys[self.heap]
                nodes[0] = nodes[self.heap]
                if self.heap > 0:
                    sift_down(keys, nodes, 0, self.heap)
            note_best(self)
        return self.heap == 0

    def anneal(self, movable: Offsets, heat: cython.double, moves: int64_t) -> None:
        """Make moves at one temperature. Deterministic in the random numbers."""
        with cython.nogil:
            if movable.shape[0] > 0:
                for _ in range(moves):
                    move(self, movable, heat)


def draw(board):
    """Return the next number of the xorshift64 sequence, uniform in [0, 1)."""
    x = board.random
    x ^= x << 13
    x ^= x >> 7
    x ^= x << 17
    board.random = x
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
        one = cython.address(board.elements[board.indices[e]])
        if one.kind == C_COUNT:
            if one.count < one.n_steps:
                total += board.guide[one.first + one.count]
        elif one.kind == C_BEST:
            if board.strength[e] > one.level:
                total += board.strength[e] - one.level
        else:
            total += (one.weight - one.value) * board.strength[e]
    for f in range(board.row_ptr[i], board.row_ptr[i + 1]):
        row = cython.address(board.rows[board.row_of[f]])
        if row.used < row.low:
            total += fine_of(row, row.used) - fine_of(row, row.used + board.row_ticks[f])
    return total


def loss_of(board, i):
    """Return what dropping a set changes, as a loss, with fines of rows."""
    total = 0.0
    for e in range(board.indptr[i], board.indptr[i + 1]):
        one = cython.address(board.elements[board.indices[e]])
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
        row = cython.address(board.rows[board.row_of[f]])
        if row.low > 0:
            total += fine_of(row, row.used - board.row_ticks[f]) - fine_of(row, row.used)
    return total


def crowded(board, i):
    """Return the first row in which a set does not fit; -1 if it fits."""
    for f in range(board.row_ptr[i], board.row_ptr[i + 1]):
        row = cython.address(board.rows[board.row_of[f]])
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
    n = board.n_chosen
    if n == 0:
        return -1
    if n <= size:
        at = cython.cast(int64_t, draw(board) * n)
        for _ in range(min(n, LOOKS)):
            j = board.chosen[at]
            if is_in(board, j, r):
                return j
            at = at + 1 if at + 1 < n else 0
    else:
        at = cython.cast(int64_t, draw(board) * size)
        for _ in range(min(size, 8 * LOOKS)):
            j = board.members[board.member_ptr[r] + at]
            if board.place[j] >= 0 and is_in(board, j, r):
                return j
            at = at + 1 if at + 1 < size else 0
    return -1


def look_again(board, a):
    """Find the two largest strengths of an element among the chosen sets."""
    one = cython.address(board.elements[a])
    one.level = one.second = 0.0
    one.owner = -1
    for f in range(board.t_indptr[a], board.t_indptr[a + 1]):
        j = board.t_indices[f]
        if board.place[j] != OUT:
            join(one, j, board.t_strength[f])


def join(one, i, s):
    """Let an element of kind BEST hear of another chosen set."""
    if s > one.level:
        one.second = one.level
        one.level = s
        one.owner = cython.cast(cython.int, i)
    elif s > one.second:
        one.second = s


def cover(board, i, step):
    """Count what a set holds and takes, or count it no more."""
    for f in range(board.row_ptr[i], board.row_ptr[i + 1]):
        row = cython.address(board.rows[board.row_of[f]])
        board.penalty -= fine_of(row, row.used)
        row.used += step * board.row_ticks[f]
        board.penalty += fine_of(row, row.used)
    for e in range(board.indptr[i], board.indptr[i + 1]):
        a = board.indices[e]
        one = cython.address(board.elements[a])
        before = one.value
        after = before
        one.count += cython.cast(cython.int, step)
        if one.kind == C_COUNT:
            f = one.count - (1 if step > 0 else 0)
            if f < one.n_steps:
                after = before + step * board.steps[one.first + f]
                board.score += step * board.guide[one.first + f]
        else:
            s = board.strength[e]
            if one.kind == C_BEST:
                if step > 0:
                    join(one, i, s)
                elif one.owner == i or s >= one.second:
                    look_again(board, a)
                after = one.level
            else:
                one.level += step * log_miss(s)
                after = one.weight * (1.0 - exp(one.level)) if one.count > 0 else 0.0
                one.level = one.level if one.count > 0 else 0.0
            board.score += after - before
        if after != before:
            one.value = after
            give(board, a, after - before)


def give(board, a, more):
    """Count what an element gives more, and what that is for minima of value."""
    board.value += more
    if board.shares.shape[0] > 0:
        for f in range(board.share_ptr[a], board.share_ptr[a + 1]):
            share = cython.address(board.shares[board.share_of[f]])
            board.penalty -= share.fine * max(share.low - share.have, 0.0)
            share.have += more
            board.penalty += share.fine * max(share.low - share.have, 0.0)


def flip(board, i, step):
    """Add (1) or drop (-1) a set and bring the lists up to date."""
    if step > 0:
        board.chosen[board.n_chosen] = i
        board.place[i] = board.n_chosen
        board.n_chosen += 1
    else:
        k = board.place[i]
        board.n_chosen -= 1
        board.chosen[k] = board.chosen[board.n_chosen]
        board.place[board.chosen[k]] = k
        board.place[i] = -1
    cover(board, i, step)


def try_flip(board, i, step):
    """Return what a flip would change; with shares, which no look at a set can tell, it is made."""
    charge = 0.0
    for f in range(board.row_ptr[i], board.row_ptr[i + 1]):
        charge += board.rows[board.row_of[f]].price * board.row_ticks[f]
    if board.shares.shape[0] == 0:
        return gain_of(board, i) - charge if step > 0 else charge - loss_of(board, i)
    before = board.score - board.penalty
    flip(board, i, step)
    change = board.score - board.penalty - before
    flip(board, i, -step)
    return change - step * charge


def note_best(board):
    """Keep the selection if it misses nothing and is better than the best so far."""
    if board.penalty < 1e-9 and (board.n_best < 0 or board.value > board.best * (1 + 1e-12)):
        board.best = board.value
        board.n_best = board.n_chosen
        for k in range(board.n_chosen):
            board.best_sets[k] = board.chosen[k]


def move(board, movable, heat):
    """Flip a set, and others that make room or fill it; take that back if it is too much worse."""
    i = movable[cython.cast(int64_t, draw(board) * movable.shape[0])]
    n_flips = 0
    change = 0.0
    row = -1
    if board.place[i] >= 0:
        change = try_flip(board, i, -1)
        flip(board, i, -1)
        flipped[0] = i
        n_flips = 1
    else:
        row = crowded(board, i)
        while row >= 0 and n_flips < MOST_OUT:
            j = member_of(board, row)
            if j < 0:
                break
            change += try_flip(board, j, -1)
            flip(board, j, -1)
            flipped[n_flips] = j
            n_flips += 1
            row = crowded(board, i)
        if row < 0:
            change += try_flip(board, i, 1)
            flip(board, i, 1)
            flipped[n_flips] = i
            n_flips += 1
    if row < 0:
        for _ in range(REFILL):
            if n_flips == 16:
                break
            j = movable[cython.cast(int64_t, draw(board) * movable.shape[0])]
            if j != i and board.place[j] == OUT and crowded(board, j) < 0:
                gain = try_flip(board, j, 1)
                if gain > 0.0:
                    change += gain
                    flip(board, j, 1)
                    flipped[n_flips] = j
                    n_flips += 1
        if change >= 0.0 or draw(board) < exp(change / heat):
            note_best(board)
            return
    while n_flips > 0:
        n_flips -= 1
        j = flipped[n_flips]
        flip(board, j, -1 if board.place[j] >= 0 else 1)
