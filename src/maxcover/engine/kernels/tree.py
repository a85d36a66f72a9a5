"""Tree: one node of a branch and bound that improves its dual point on the part still open.

A node decides some sets. On the rest, a dual point (shares u of the elements, a price mu) proves

    value <= fixed + sum of (w - u) + mu * room + sum of max(0, S_i - mu * ticks_i),

where ``fixed`` is what the chosen sets cover, S_i is the sum of the shares of the uncovered
elements of set i, and the sums run over open elements and sets (`maxcover.engine.core.bounds`).
Shares are whole multiples of `grain`, so a point that closes a node is small evidence, and the sums
are exact where weights are whole. The steps are a projected subgradient with Polyak's length
towards a target: a node has to fall below the next possible value, it need not reach its linear
optimum.
"""

import cython
import numpy as np
from cython.cimports.libc.math import fabs, floor
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.extremes import INF

OPEN = cython.declare(cython.int, 0)
IN = cython.declare(cython.int, 1)
OUT = cython.declare(cython.int, 2)
# Sets are fixed after every so many steps.
FIX_EVERY = cython.declare(int64_t, 4)
# The length of steps is multiplied by SHRINK after PATIENCE steps that did not lower the bound.
PATIENCE = cython.declare(int64_t, 6)
SHRINK = cython.declare(cython.double, 0.6)
# Weight of the last solution in the averaged solution, by which the next set is chosen.
NEWEST = cython.declare(cython.double, 0.2)


class Node:
    """Examines nodes, one after the other; holds the open part of the graph of the current one."""

    def __init__(self, rows, weights, limits, grain) -> None:
        self.indptr, self.indices = rows
        self.ticks, self.limit = limits
        self.weights, self.grain = weights, grain
        n, m = len(self.ticks), len(weights)
        self.sets, self.order, self.fixed = np.empty((3, n), dtype=np.int64)
        self.starts = np.empty(n + 1, dtype=np.int64)
        self.edges = np.empty(len(self.indices), dtype=np.int32)
        self.place, self.elements = np.empty((2, m), dtype=np.int32)
        self.u, self.best_u, self.slope = np.empty((3, m))
        self.sums, self.ratio, self.x = np.empty((3, n))
        self.mean = np.zeros(n)
        self.work = self.n_elements = self.n_fixed = 0
        self.choice, self.likely, self.price, self.refuted = -1, 0.0, 0.0, -np.inf

    def enter(self) -> None:
        """Forget the lengths and averages of the steps at the last node."""
        self.factor, self.patience, self.bound = 1.0, 0, np.inf
        np.asarray(self.mean)[:] = 0.0

    def examine(
        self,
        state: StatesOut,
        shares: FloatsOut,
        goal: cython.double,
        target: cython.double,
        steps: int64_t,
    ) -> int:
        """Make up to `steps` steps at the node where sets have `state`, from the point `shares`.

        Returns how many steps are left. It is -1 if a point proves that no selection of the node is
        worth `goal`, and -2 if the chosen sets break the budget. Ends early when a point fixes
        sets, which are then decided in `state`. In each case `shares` and `price` become the point
        that proves it, or else the best point seen.
        """
        with cython.nogil:
            left = descend(self, state, shares, goal, target, steps)
        return left


def descend(at, state, shares, goal, target, steps):
    """Do what `Node.examine` says."""
    at.n_fixed, at.choice, at.bound, at.refuted = 0, -1, INF, -INF
    if not open_part(at, state):
        return -2
    load(at, shares)
    for t in range(steps):
        bound = evaluate(at)
        at.work += 2 * at.starts[at.n_sets] + at.n_sets + at.n_elements
        at.patience += 1
        if bound < at.bound:
            at.bound = bound
            at.patience = 0
            at.best_price = at.price
            for a in range(at.n_elements):
                at.best_u[a] = at.u[a]
        if bound < goal:
            at.refuted = bound
            keep(at, shares, at.u)
            return -1
        if t % FIX_EVERY == 0 or t == steps - 1:
            fix(at, state, bound, goal)
            if at.n_fixed > 0:
                keep(at, shares, at.u)
                return steps - t - 1
        if not step(at, bound, target):
            break
    at.price = at.best_price
    keep(at, shares, at.best_u)
    choose(at)
    return 0


def open_part(at, state):
    """Find the open sets and elements; return False if the chosen sets break the budget.

    Open sets that do not fit beside the chosen ones are decided: they are out.
    """
    at.room, at.fixed_value, at.n_sets, at.n_elements = at.limit, 0.0, 0, 0
    at.starts[0] = 0
    for a in range(at.weights.shape[0]):
        at.place[a] = -1
    for i in range(state.shape[0]):
        if state[i] == IN:
            at.room -= at.ticks[i]
            cover(at, i)
    if at.room < 0:
        return False
    end = at.starts[0]
    for i in range(state.shape[0]):
        if state[i] == OPEN and at.ticks[i] > at.room:
            state[i] = OUT
        if state[i] != OPEN:
            continue
        for e in range(at.indptr[i], at.indptr[i + 1]):
            a = at.indices[e]
            if at.place[a] == -1:
                at.place[a] = at.n_elements
                at.elements[at.n_elements] = a
                at.n_elements += 1
            if at.place[a] >= 0:
                at.edges[end] = at.place[a]
                end += 1
        at.sets[at.n_sets] = i
        at.n_sets += 1
        at.starts[at.n_sets] = end
    return True


def cover(at, i):
    """Count the weight of the elements of set `i` that no set before it covers."""
    for e in range(at.indptr[i], at.indptr[i + 1]):
        a = at.indices[e]
        if at.place[a] == -1:
            at.place[a] = -2
            at.fixed_value += at.weights[a]


def load(at, shares):
    """Begin at the point `shares`."""
    for k in range(at.n_elements):
        at.u[k] = rounded(at, shares[at.elements[k]], at.elements[k])


def rounded(at, share, a):
    """Return a share of element `a` as a multiple of the grain from 0 to its weight."""
    whole = floor(share / at.grain + 0.5) * at.grain
    whole = whole if whole > 0.0 else 0.0
    return whole if whole < at.weights[a] else at.weights[a]


def keep(at, shares, u):
    """Write the shares `u` of open elements into `shares`."""
    for k in range(at.n_elements):
        shares[at.elements[k]] = u[k]


def evaluate(at):
    """Return the bound at the current point, with its best price and fractional solution."""
    bound = at.fixed_value
    for k in range(at.n_elements):
        bound += at.weights[at.elements[k]] - at.u[k]
    for k in range(at.n_sets):
        total = 0.0
        for e in range(at.starts[k], at.starts[k + 1]):
            total += at.u[at.edges[e]]
        at.sums[k] = total
    fill(at)
    bound += at.price * at.room
    for k in range(at.n_sets):
        at.mean[at.sets[k]] += NEWEST * (at.x[k] - at.mean[at.sets[k]])
        bound += max(at.sums[k] - at.price * at.ticks[at.sets[k]], 0.0)
    return bound


def fill(at):
    """Fill the room with the sets of the largest sums per tick, by selection in linear time."""
    low, high, room = 0, 0, at.room
    at.price = 0.0
    for k in range(at.n_sets):
        ticks = at.ticks[at.sets[k]]
        at.x[k] = 1.0 if ticks == 0 and at.sums[k] > 0.0 else 0.0
        if ticks > 0 and at.sums[k] > 0.0:
            at.ratio[k] = at.sums[k] / ticks
            at.order[high] = k
            high += 1
    while low < high:
        pivot = median_ratio(at, low, high)
        # Before `more` the ratio is larger than the pivot, from there to `other` it is equal.
        more, other, less, dear, even = low, low, high, 0, 0
        while other < less:
            k = at.order[other]
            if at.ratio[k] > pivot:
                at.order[other] = at.order[more]
                at.order[more] = k
                dear += at.ticks[at.sets[k]]
                more += 1
                other += 1
            elif at.ratio[k] < pivot:
                less -= 1
                at.order[other] = at.order[less]
                at.order[less] = k
            else:
                even += at.ticks[at.sets[k]]
                other += 1
        if dear > room:
            high = more
            continue
        for j in range(low, more):
            at.x[at.order[j]] = 1.0
        room -= dear
        full = even > room
        for j in range(more, less):
            ticks = at.ticks[at.sets[at.order[j]]]
            at.x[at.order[j]] = min(1.0, cython.cast(cython.double, room) / ticks)
            room -= min(room, ticks)
        if full:
            at.price = pivot
            return
        low = less


def median_ratio(at, low, high):
    """Return the median of three ratios of a range of `order`."""
    first = at.ratio[at.order[low]]
    middle = at.ratio[at.order[(low + high) // 2]]
    last = at.ratio[at.order[high - 1]]
    return max(min(first, middle), min(max(first, middle), last))


def fix(at, state, bound, goal):
    """Decide the sets whose reduced cost proves the opposite decision to stay below `goal`."""
    for k in range(at.n_sets):
        i = at.sets[k]
        profit = at.sums[k] - at.price * at.ticks[i]
        if bound - fabs(profit) < goal and profit != 0.0:
            at.refuted = max(at.refuted, bound - fabs(profit))
            state[i] = IN if profit > 0.0 else OUT
            at.fixed[at.n_fixed] = i
            at.n_fixed += 1


def step(at, bound, target):
    """Move the shares by a step towards `target`; return False if no share can move."""
    length = 0.0
    for k in range(at.n_elements):
        at.slope[k] = -1.0
    for k in range(at.n_sets):
        if at.x[k] > 0.0:
            for e in range(at.starts[k], at.starts[k + 1]):
                at.slope[at.edges[e]] += at.x[k]
    for k in range(at.n_elements):
        slope, most = at.slope[k], at.weights[at.elements[k]]
        if (at.u[k] <= 0.0 and slope > 0.0) or (at.u[k] >= most and slope < 0.0):
            at.slope[k] = 0.0
        length += at.slope[k] * at.slope[k]
    if length < 1e-12:
        return False
    if at.patience > PATIENCE:
        at.factor *= SHRINK
        at.patience = 0
    pace = at.factor * (bound - target) / length
    for k in range(at.n_elements):
        at.u[k] = rounded(at, at.u[k] - pace * at.slope[k], at.elements[k])
    return True


def choose(at):
    """Choose the open set whose averaged solution is nearest to one half."""
    most = -1.0
    for k in range(at.n_sets):
        close = 0.5 - fabs(at.mean[at.sets[k]] - 0.5)
        if close > most:
            most = close
            at.choice, at.likely = at.sets[k], at.mean[at.sets[k]]
