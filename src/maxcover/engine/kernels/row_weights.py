"""Row weights: a local search for selections that cover everything within a limit of cost.

The search holds a selection within the limit that misses a few elements. A step drops the set that
loses least per cost. It adds the set that gains most per cost among those that hold a random
missing element, and drops again until the limit holds. Then the weight of every element that is
still missing rises by one: elements that are hard to cover become heavy, and the search leaves
every local optimum. Weights are whole numbers, so margins are exact and the same on every machine.

References
----------
Gao, Weise and Li, "An efficient local search heuristic with row weighting for the unicost set
covering problem", European Journal of Operational Research 246, 2015; the rates per cost are ours.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.extremes import INF
from cython.cimports.maxcover.engine.kernels.flips import flip, next_random, rebuild

# At most this many selected sets are compared to find the one to drop.
LOOKS = cython.declare(int64_t, 256)
# A dropped set may be added again this many steps later.
TENURE = cython.declare(int64_t, 2)


class RowWeights:
    """A local search from the selected sets of `sets`; of these, only `begin` may be dropped."""

    def __init__(self, graph, sets, elements, begin, *, limit, random) -> None:
        super().__init__(graph, sets, elements)
        rebuild(self)
        self.chosen = np.zeros(len(sets), np.int32)
        np.asarray(self.chosen)[: len(begin)] = begin
        uncovered = np.flatnonzero((elements["count"] == 0) & (elements["weight"] > 0))
        self.spots, self.missing = np.zeros((2, len(elements)), np.int32)
        np.asarray(self.missing)[: len(uncovered)] = uncovered
        np.asarray(self.spots)[uncovered] = np.arange(len(uncovered))
        self.n_chosen, self.n_missing = len(begin), len(uncovered)
        self.used, self.limit = sets["ticks"][sets["selected"]].sum(), limit
        self.random = random

    def search(self, steps: int64_t) -> bool:
        """Make up to `steps` steps; return whether everything is covered within the limit.

        Many short calls do exactly what one long call does.
        """
        found: cython.bint = False
        with cython.nogil:
            for _ in range(steps):
                found = self.n_missing == 0 and self.used <= self.limit
                if found:
                    break
                step_on(self)
        return found


def any_of(at, n):
    """Return a random integer from 0 to `n` - 1."""
    return next_random(cython.address(at.random)) % n


def least_loss(at):
    """Return the droppable set with the least loss per cost, or -1 if there is none.

    Ties go to the set that was moved longest ago. If there are more than LOOKS sets, only a random
    stretch of the list is compared.
    """
    choice, least = -1, INF
    first = any_of(at, at.n_chosen) if at.n_chosen > LOOKS else 0
    for p in range(first, first + min(at.n_chosen, LOOKS)):
        i = at.chosen[p if p < at.n_chosen else p - at.n_chosen]
        if at.sets[i].free_at <= at.step:
            loss = at.sets[i].margin / at.sets[i].cost
            if loss < least or (loss == least and at.sets[i].free_at < at.sets[choice].free_at):
                choice, least = i, loss
    return choice


def most_gain(at, a, room):
    """Return the set with the most gain per cost that holds element `a` and fits, or -1.

    A set fits if it takes at most `room` ticks. Ties go to the set that was moved longest ago.
    """
    choice, most = -1, -1.0
    for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
        i = at.t_indices[f]
        if at.sets[i].movable and at.sets[i].ticks <= room and at.sets[i].free_at <= at.step:
            gain = at.sets[i].margin / at.sets[i].cost
            if gain > most or (gain == most and at.sets[i].free_at < at.sets[choice].free_at):
                choice, most = i, gain
    return choice


def move(at, i):
    """Add set `i` if it is out, drop it if it is in; update the lists of the search."""
    flip(at, i)
    entering = at.sets[i].selected
    for e in range(at.indptr[i], at.indptr[i + 1]):
        a = at.indices[e]
        if at.elements[a].weight > 0.0:
            if entering and at.elements[a].count == 1:
                at.n_missing -= 1
                last = at.missing[at.n_missing]
                at.missing[at.spots[a]] = last
                at.spots[last] = at.spots[a]
            elif not entering and at.elements[a].count == 0:
                at.missing[at.n_missing] = a
                at.spots[a] = at.n_missing
                at.n_missing += 1
    if entering:
        at.chosen[at.n_chosen] = i
        at.sets[i].place = at.n_chosen
        at.n_chosen += 1
        at.used += at.sets[i].ticks
        at.sets[i].free_at = at.step + 1
    else:
        at.n_chosen -= 1
        last = at.chosen[at.n_chosen]
        at.chosen[at.sets[i].place] = last
        at.sets[last].place = at.sets[i].place
        at.sets[i].place = -1
        at.used -= at.sets[i].ticks
        at.sets[i].free_at = at.step + TENURE


def drop(at):
    """Drop the set that loses least per cost; return False if no set may be dropped."""
    i = least_loss(at)
    if i < 0:
        return False
    move(at, i)
    return True


def add(at, room):
    """Add the best set for a random missing element; return False if none of its sets fits."""
    a = at.missing[any_of(at, at.n_missing)]
    i = most_gain(at, a, room)
    if i < 0:
        return False
    move(at, i)
    return True


def step_on(at):
    """Drop a set, add a set, drop until the limit holds, add while sets fit; then raise weights.

    The weight of every element that is still missing rises by one.
    """
    at.step += 1
    drop(at)
    if at.n_missing > 0:
        add(at, at.limit)
    while at.used > at.limit:
        if not drop(at):
            break
    while at.n_missing > 0 and at.used < at.limit:
        if not add(at, at.limit - at.used):
            break
    for k in range(at.n_missing):
        a = at.missing[k]
        at.elements[a].weight += 1.0
        for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
            at.sets[at.t_indices[f]].margin += 1.0
