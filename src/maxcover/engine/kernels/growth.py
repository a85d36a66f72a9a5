"""Growth: greedy steps under any limits and for any returns: add the set with most gain per price.

The margin of every set is kept up to date. So a set at the top of the heap with an old key gets its
new key without a pass over its elements.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.arrays import BoolsOut, Offsets
from cython.cimports.maxcover.engine.kernels.flips import flip, flip_any
from cython.cimports.maxcover.engine.kernels.lazy_greedy import key_of, sift_down
from cython.cimports.maxcover.engine.kernels.search import Search, count_row, crowded, fined, missed
from numpy.typing import NDArray


class Growth:
    """A search that adds unselected candidates as long as they fit and gain something.

    The price of a set is its cost in the search. Growth ends at the value `need`; gains beyond
    `need` do not count.
    """

    def __init__(self, search, candidates, need=float("inf")) -> None:
        self.search, self.size, self.need = search, len(candidates), need
        self.nodes = np.array(candidates, np.int32)
        self.keys, self.picks = np.empty(self.size), np.empty(self.size, np.int32)
        with cython.nogil:
            for k in range(self.size):
                self.keys[k] = rate_of(self.search, self.nodes[k], self.need)
            for k in range(self.size // 2 - 1, -1, -1):
                sift_down(self.keys, self.nodes, k, self.size)

    def advance(self, work: int64_t) -> bool:
        """Repeatedly add the fitting set with the most gain per price; return whether it is done.

        Old keys are upper bounds unless elements need several sets. The call ends after about
        `work` units: 8 for each key looked at, and 1 for each element of an added set.
        """
        i: int64_t
        key: cython.double
        with cython.nogil:
            while self.size > 0 and work > 0 and self.search.value < self.need:
                i = self.nodes[0]
                work -= 8
                if self.search.sets[i].ticks <= self.search.room and (
                    not self.search.has_rows or crowded(self.search, i, 1) < 0
                ):
                    key = rate_of(self.search, i, self.need)
                    if 0.0 < key < self.keys[0]:
                        self.keys[0] = key
                        sift_down(self.keys, self.nodes, 0, self.size)
                        continue
                    if key > 0.0:
                        toggle(self.search, i)
                        work -= self.search.indptr[i + 1] - self.search.indptr[i]
                        self.picks[self.n_picks] = self.nodes[0]
                        self.n_picks += 1
                self.size -= 1
                self.keys[0] = self.keys[self.size]
                self.nodes[0] = self.nodes[self.size]
                if self.size > 0:
                    sift_down(self.keys, self.nodes, 0, self.size)
        return self.size == 0 or self.search.value >= self.need

    def picked(self) -> NDArray[np.int64]:
        """Return the sets that were added, in order."""
        return np.asarray(self.picks)[: self.n_picks].astype(np.int64)


def prune(search: Search, ranking: Offsets, least: cython.double) -> NDArray[np.bool_]:
    """Drop each set of `ranking` in turn if the rest still has the value `least` and all minima.

    If the value is below `least` already, it must not fall. Returns a mask over `ranking`: True for
    each set that is kept.
    """
    before: cython.double
    kept = np.ones(ranking.shape[0], np.bool_)
    marks: BoolsOut = kept
    with cython.nogil:
        for k in range(ranking.shape[0]):
            before = search.value
            toggle(search, ranking[k])
            marks[k] = search.value < min(least, before) or missed(search) > 0.0
            if marks[k]:
                toggle(search, ranking[k])
    return kept


def rate_of(at, i, need):
    """Return (gain up to the value `need` + fines avoided) / cost of set `i`, which is out."""
    worth = min(at.sets[i].margin, need - at.value)
    if at.has_minima:
        worth += fined(at, i)
    return key_of(worth, at.sets[i].cost, True)


def toggle(at, i):
    """Add set `i` if it is out, drop it if it is in; update the value, the rows and the room."""
    at.value += flip_any(at, i) if at.is_curved else flip(at, i)
    step = 1 if at.sets[i].selected else -1
    if at.has_rows:
        count_row(at, i, step)
    at.room -= step * at.sets[i].ticks
