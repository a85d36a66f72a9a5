"""Branch and bound on few sets: depth first, the dual bound updated one decision at a time.

Below a partial selection, whatever is added gains at most

    sum over uncovered elements of (weight - share)
    + mu * room + sum over open sets of max(0, S_i - mu * ticks_i),

where S_i is the sum of the shares of the uncovered elements of set i. This is the bound of
`core.bounds`, applied to the sets that are still open. Covering an element, or closing the last set
that could cover it, changes few of these numbers, so a node costs one pass over the open sets. A
set is decided without branching if its reduced profit shows that every better selection has it, or
that none has it.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t

OPEN = cython.declare(cython.int, 0)
IN = cython.declare(cython.int, 1)
OUT = cython.declare(cython.int, 2)


def branch(
    rows,
    columns,
    weights,
    limits,
    *,
    shares,
    price,
    start,
    candidates,
    floor,
    step,
    most_nodes: int64_t,
):
    """Find the best selection of `start` and any of `candidates` worth at least ``floor + step``.

    Returns the best selection found (without `start`; empty if none), its value (`floor` if none),
    the fraction of the tree that was searched, and whether the search was complete. A complete
    search proves that no selection is worth the returned value plus `step`. The fraction gives both
    branches of a choice the same size. It is only a guide: rounding may make it 1 before the end.
    """
    tree = Tree(rows, columns, weights, limits, shares, price, candidates)
    tree.best_value, tree.step = floor, step
    complete = tree.search(start, most_nodes)
    best = np.asarray(tree.best)[: max(tree.n_best, 0)].copy()
    return best, tree.best_value, tree.searched, complete


class Tree:
    """The current node of a branch and bound: a partial selection and the sums for its bound."""

    def __init__(self, rows, columns, weights, limits, shares, price, candidates) -> None:
        self.indptr, self.indices = rows
        self.t_indptr, self.t_indices = columns
        self.ticks, self.room = limits
        self.weights, self.shares, self.price = weights, shares, price
        n_sets, n_open = len(self.ticks), len(candidates)
        self.state = np.full(n_sets, OUT, dtype=np.int8)
        self.covers, self.hopes = np.zeros((2, len(weights)), dtype=np.int32)
        self.sums, self.parts = np.zeros(n_sets), np.empty(n_open)
        self.left, self.place = np.array(candidates), np.zeros(n_sets, dtype=np.int64)
        np.asarray(self.place)[candidates] = np.arange(n_open)
        self.trail, self.branches, self.best = np.empty((3, n_open), dtype=np.int64)
        self.n_open, self.n_best, self.part = n_open, -1, 1.0

    def search(self, start: Offsets, most_nodes: int64_t) -> bool:
        """Visit at most `most_nodes` nodes; return whether the whole tree was searched."""
        complete: cython.bint = False
        with cython.nogil:
            stand_on(self, start)
            for _ in range(most_nodes):
                complete = not step_on(self)
                if complete:
                    break
        return complete


def stand_on(at, start):
    """Select the sets of `start`, open all candidates, and compute the sums for the bound."""
    for k in range(start.shape[0]):
        i = start[k]
        at.room -= at.ticks[i]
        for e in range(at.indptr[i], at.indptr[i + 1]):
            if at.covers[at.indices[e]] == 0:
                at.value += at.weights[at.indices[e]]
            at.covers[at.indices[e]] += 1
    for k in range(at.n_open):
        i = at.left[k]
        at.state[i] = OPEN
        for e in range(at.indptr[i], at.indptr[i + 1]):
            a = at.indices[e]
            at.hopes[a] += 1
            if at.covers[a] == 0:
                at.sums[i] += at.shares[a]
    for a in range(at.weights.shape[0]):
        if at.covers[a] == 0 and at.hopes[a] > 0:
            at.loose += at.weights[a] - at.shares[a]


def step_on(at):
    """Bound the current node, then decide one set or backtrack; return False at the tree's end."""
    if at.value >= at.best_value + at.step:
        at.best_value = at.value
        at.n_best = 0
        for k in range(at.n_trail):
            if at.state[at.trail[k]] == IN:
                at.best[at.n_best] = at.trail[k]
                at.n_best += 1
    bound, price = bound_here(at)
    choice, into = -1, OUT
    if bound >= at.best_value + at.step:
        choice, into = choose(at, bound, price)
    if choice < 0:
        at.searched += at.part
        if at.n_branches == 0:
            return False
        # Backtrack to the last choice whose second branch, without its set, was not yet searched.
        at.n_branches -= 1
        at.part = 0.5 * at.parts[at.n_branches]
        choice, into = at.trail[at.branches[at.n_branches]], OUT
        while at.n_trail > at.branches[at.n_branches]:
            undo(at)
    elif into == OPEN:
        into = IN
        at.branches[at.n_branches] = at.n_trail
        at.parts[at.n_branches] = at.part
        at.part *= 0.5
        at.n_branches += 1
    decide(at, choice, into)
    return True


def bound_here(at):
    """Return the lowest of the bounds at 1, 1.5, 2 and 3 times the root's price, and that price.

    The best price at the root is too low once the budget is nearly used up.
    """
    price, room = at.price, at.room
    at_1, at_2, at_3 = 1.5 * price, 2.0 * price, 3.0 * price
    bound, bound_1, bound_2, bound_3 = price * room, at_1 * room, at_2 * room, at_3 * room
    for k in range(at.n_open):
        i = at.left[k]
        ticks, total = at.ticks[i], at.sums[i]
        if ticks <= room:
            bound += max(0.0, total - price * ticks)
            bound_1 += max(0.0, total - at_1 * ticks)
            bound_2 += max(0.0, total - at_2 * ticks)
            bound_3 += max(0.0, total - at_3 * ticks)
    if bound_1 < bound:
        bound, price = bound_1, at_1
    if bound_2 < bound:
        bound, price = bound_2, at_2
    if bound_3 < bound:
        bound, price = bound_3, at_3
    return bound + at.value + at.loose, price


def choose(at, bound, price):
    """Return an open set and its decision: IN or OUT if the bound forces it, else OPEN.

    If no set is forced, it is the set with the largest sum of shares per tick, to branch on. The
    set is -1 if no set is open.
    """
    choice, greatest = -1, -1.0
    goal = at.best_value + at.step
    for k in range(at.n_open):
        i = at.left[k]
        profit = at.sums[i] - price * at.ticks[i]
        if at.ticks[i] > at.room or bound + min(0.0, profit) < goal:
            return i, OUT
        if bound - max(0.0, profit) < goal:
            return i, IN
        worth = at.sums[i] / max(at.ticks[i], 1)
        if worth > greatest or (worth == greatest and i < choice):
            choice, greatest = i, worth
    return choice, OPEN


def decide(at, i, into):
    """Decide set `i` as `into` (IN or OUT), and update the sums for the bound.

    `left` lists the open sets, then the decided sets, the latest decision first.
    """
    at.trail[at.n_trail] = i
    at.n_trail += 1
    at.state[i] = into
    at.n_open -= 1
    last = at.left[at.n_open]
    at.left[at.place[i]] = last
    at.left[at.n_open] = i
    at.place[last] = at.place[i]
    at.place[i] = at.n_open
    if into == IN:
        at.room -= at.ticks[i]
    for e in range(at.indptr[i], at.indptr[i + 1]):
        a = at.indices[e]
        at.hopes[a] -= 1
        if into == IN:
            at.covers[a] += 1
            if at.covers[a] == 1:
                at.value += at.weights[a]
                at.loose -= at.weights[a] - at.shares[a]
                for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
                    at.sums[at.t_indices[f]] -= at.shares[a]
        elif at.covers[a] == 0 and at.hopes[a] == 0:
            at.loose -= at.weights[a] - at.shares[a]


def undo(at):
    """Reopen the set that was decided last, and undo its changes to the sums for the bound.

    In `left` that set is the first decided one, so it need not move.
    """
    at.n_trail -= 1
    i = at.trail[at.n_trail]
    was_in = at.state[i] == IN
    if was_in:
        at.room += at.ticks[i]
    for e in range(at.indptr[i], at.indptr[i + 1]):
        a = at.indices[e]
        if was_in:
            at.covers[a] -= 1
            if at.covers[a] == 0:
                at.value -= at.weights[a]
                at.loose += at.weights[a] - at.shares[a]
                for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
                    at.sums[at.t_indices[f]] += at.shares[a]
        elif at.covers[a] == 0 and at.hopes[a] == 0:
            at.loose += at.weights[a] - at.shares[a]
        at.hopes[a] += 1
    at.state[i] = OPEN
    at.n_open += 1
