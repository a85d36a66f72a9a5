r"""Dual: steps that lower the bound of the linear relaxation, a few passes at a time.

For any price of budget ``mu >= 0`` and any share ``0 <= lam[a] <= weights[a]`` of the elements,

    mu * budget + sum_a (weights[a] - lam[a]) + sum_i max(0, sum_{a in i} lam[a] - mu *
    costs[i])

is at least the best value of the problem, and its smallest value is the optimum of the linear
relaxation. That relaxation is a game: ``lam`` minimises, the fractional selection ``x`` with
``costs @ x <= budget`` maximises ``sum_a weights[a] - lam[a] + sum_i x[i] * sum_{a in i}
lam[a]``. It is played by the primal-dual hybrid gradient method in the reflected, anchored
(Halpern) form with restarts: one step costs two gathers per edge, no exponentials and no
sorting. Any pace ``r[a] > 0`` gives steps that converge, ``r[a] / degree[a]`` for an element
and ``1 / sum_{a in i} r[a]`` for a set (Pock and Chambolle's preconditioning); the pace is the
geometric mean of the weight and the mean weight. With the weight itself as pace, heavy elements
that are covered anyway slow all sets down: on a text-like graph of 10^6 edges 40 steps now get
further than 80 steps did. No answer depends on the units of costs or weights.

Other limits are rows: each set takes an amount of a row, and the sum of the amounts must lie
between a minimum and a maximum. In each step the selection is projected onto one row after the
other; the multiplier of a projection is the row's price. The next step begins with the prices of
the last one, so they converge to those of the relaxation. Elements whose value depends on the
number of their sets have non-increasing steps: then ``weights[a] - lam[a]`` becomes ``sum_j max(0,
step[a, j] - lam[a])``, and an element that needs k sets has k equal steps.
"""

import cython
import numpy as np
from cython.cimports.libc.math import pow, sqrt
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.extremes import INF
from cython.cimports.maxcover.engine.kernels.price import best_of, clearing, spent

from maxcover.engine.kernels.crew import LARGE, cuts
from maxcover.engine.kernels.price import best_price

# The bound is evaluated after every 10 steps. (One evaluation takes about as long as one step.)
CHECK_EVERY = cython.declare(int64_t, 10)
# Restart from the current point when the residual has fallen to SHRUNK times its value after the
# last restart, or when the steps since that restart are more than LONG times all steps.
SHRUNK = cython.declare(cython.double, 0.2)
LONG = cython.declare(cython.double, 0.5)
# Stop when the relative gap from the best primal value (`relaxed`) to the bound is at most this.
EXHAUSTED = cython.declare(cython.double, 1e-9)
# Value of `keep` while no move towards the anchor is pending.
NOTHING = cython.declare(cython.double, -1.0)
# The parts of a step; each part is split into blocks, which threads share.
PUSH = cython.declare(cython.int, 0)
PULL = cython.declare(cython.int, 1)
SETTLE = cython.declare(cython.int, 2)
COVER = cython.declare(cython.int, 3)
MOVE = cython.declare(cython.int, 4)


class DualSteps:
    """A dual point of the linear relaxation and its bound; `advance` improves both step by step.

    ``best_lam`` and ``bound_mu`` gave the lowest ``bound`` so far. That bound is not rounded
    outward: `maxcover.engine.core.bounds` computes what it proves. No further step can bring the
    bound below ``relaxed``.

    Parameters
    ----------
    program : RelaxationArrays
    allowed : array of bool, optional
        Sets that are not allowed, or cost more than the whole budget, stay out of every selection.
        Costs and budget must be finite.
    x, lam, mu : optional
        The starting point, and a hint for the first price. By default each element is shared
        equally by its sets, and ``x`` selects the sets that are worth more than their price. A
        start near the optimum, such as the end of a run on a similar problem, saves steps; a
        heuristic selection alone hardly does.
    limits : optional
        Other rows: where each begins, their sets, the amounts of these sets, the minimum and
        maximum of each row.
    curves : optional
        Steps of each element, none above the one before; weights are the first of them.
    """

    def __init__(
        self, program, *, allowed=None, x=None, lam=None, mu=0.0, limits=None, curves=None
    ) -> None:
        rows, columns, costs, weights, budget = program
        self.indptr, self.indices = rows
        self.t_indptr, self.t_indices = columns
        self.costs, self.weights, self.budget = costs, weights, budget
        n_sets, n_elements = costs.size, weights.size
        paces, degrees, sums = np.empty(n_sets), np.empty(n_elements), np.empty(n_sets)
        pace = np.sqrt(weights * (weights.sum() / max(np.count_nonzero(weights), 1)))
        row_sums(*rows, pace, paces)
        usable = (costs <= budget) & (paces > 0.0)
        if allowed is not None:
            usable &= allowed
        row_sums(*columns, usable.astype(np.float64), degrees)
        held, degrees = degrees > 0.0, np.maximum(degrees, 1.0)
        # An element that no usable set holds gets its whole weight as share: then it adds nothing
        # to the bound.
        share = weights / degrees
        if lam is not None:
            share = np.where(held, np.clip(lam, 0.0, weights), weights)
        row_sums(*rows, share, sums)
        bound, price = best_price(sums, costs, usable, budget, max(mu, 0.0))
        self._take_rows(limits, n_sets)
        uncovered = weights - share
        self.curved = curves is not None
        if curves is not None:
            self.curve_ptr, self.curve = curves
            over = np.maximum(curves[1] - np.repeat(share, np.diff(curves[0])), 0.0)
            uncovered = np.append(over, 0.0)
        answer = (sums > price * costs).astype(np.float64) if x is None else np.clip(x, 0.0, 1.0)
        answer[~usable] = 0.0
        self.allowed, self.sigma = usable, pace / degrees
        self.tau = np.divide(1.0, paces, out=np.zeros(n_sets), where=usable)
        self.mu = self.bound_mu = price
        self.balance, self.relaxed = 0.5, 0.0
        self.bound = bound + float(np.sum(uncovered))
        self.lam, self.anchor_lam, self.best_lam = share.copy(), share.copy(), share.copy()
        self.sums, self.anchor_sums, self.anchor_x = sums, sums.copy(), answer.copy()
        self.wide_sums, self.next_x, self.pull = np.zeros((3, n_sets))
        n_edges, parts = rows.indices.size, 1
        self.is_large = n_edges >= LARGE
        if self.is_large:
            parts = 4 * n_edges // LARGE
            self.small_x, self.small_lam = answer.astype(np.float32), share.astype(np.float32)
        else:
            self.large_x, self.large_lam = answer, share.copy()
        self.blocks = np.array(cuts(columns.indptr, parts), dtype=np.int64)
        self.set_blocks = np.array(cuts(rows.indptr, parts), dtype=np.int64)
        self.parts = np.empty((3, parts))
        self.keep = NOTHING

    def _take_rows(self, limits, n_sets) -> None:
        nothing = np.zeros(1, np.int64), np.zeros(0, np.int32), *np.zeros((3, 0))
        self.row_ptr, self.row_sets, self.amounts, self.low, self.high = limits or nothing
        longest = int(np.diff(self.row_ptr).max(initial=0))
        self.row_prices, self.best_rows = np.zeros((2, self.high.shape[0]))
        self.row_x, self.row_pull = np.zeros((2, longest))
        self.charges = np.zeros(n_sets)

    @property
    def x(self):
        """The current fractional selection, which converges to an optimum of the relaxation."""
        if self.is_large:
            return np.asarray(self.small_x)
        return np.asarray(self.large_x)

    def advance(self, steps: int64_t, target: cython.double, crew=None) -> float:
        """Take `steps` steps, or fewer if the bound reaches `target`; return the lowest bound.

        Calls add up: five calls of 20 steps end exactly where one call of 100 steps does. The bound
        is evaluated every ten steps, counted over all calls. The steps also end when the optimum of
        the relaxation is reached. A step costs two gathers per edge. The threads of `crew` share
        them; the result is the same, bit for bit.
        """
        shared = None
        if crew is not None:
            blocks = [self.parts.shape[1] * k // crew.size for k in range(crew.size + 1)]

            def shared(task):
                crew.share(lambda _, first, last: self.share(task, first, last), blocks)

        if self.is_large:
            take_steps(self, self.small_x, self.small_lam, steps, target, shared)
        else:
            take_steps(self, self.large_x, self.large_lam, steps, target, shared)
        return self.bound

    def share(self, task: cython.int, first: int64_t, last: int64_t) -> None:
        """Do blocks `first` to `last` - 1 of part `task` of a step; threads call it."""
        with cython.nogil:
            work(self, self.small_x, self.small_lam, task, first, last)


def row_sums_into(indptr, indices, values, out):
    """Write into ``out[i]`` the sum of ``values`` over the columns of row i."""
    for i in range(out.shape[0]):
        total = 0.0
        for edge in range(indptr[i], indptr[i + 1]):
            total += values[indices[edge]]
        out[i] = total


def work(at, x, wide_lam, task, first, last):
    """Do blocks `first` to `last` - 1 of the part `task` of a step."""
    for b in range(first, last):
        if task == PUSH:
            push(at, x, wide_lam, b)
        elif task == PULL:
            pull_sets(at, x, wide_lam, b)
        elif task == SETTLE:
            settle(at, x, b)
        elif task == COVER:
            cover(at, wide_lam, b)
        else:
            move_on(at, x, b)


def push(at, x, wide_lam, b):
    """Take a dual step: move the shares (dual values) of a block of elements; store the distance.

    The distance is stored squared. First the shares make the last step's move towards their anchor,
    which was left to this pass.
    """
    move = 0.0  # squared distance, each term divided by the element's step size
    keep, balance = at.keep, at.balance
    for a in range(at.blocks[b], at.blocks[b + 1]):
        surplus = -1.0
        for edge in range(at.t_indptr[a], at.t_indptr[a + 1]):
            surplus += x[at.t_indices[edge]]
        lam = at.lam[a]
        if keep > 0.0:
            lam = wide_lam[a] + keep * (at.anchor_lam[a] - wide_lam[a])
            at.lam[a] = lam
        scale = balance * at.sigma[a]
        if at.curved:
            moved = answer(at, a, lam - scale * (surplus + 1.0), scale)
        else:
            moved = min(max(lam - scale * surplus, 0.0), at.weights[a])
        wide_lam[a] = 2.0 * moved - lam
        if scale > 0.0:
            move += square(moved - lam) / scale
    at.parts[0, b] = move


def answer(at, a, lam, scale):
    """Return the share after a dual step of an element whose value has several steps.

    It is ``lam`` plus ``scale`` for each step of the element above the new share, and at least 0.
    If the sum passes a step, the new share is that step.
    """
    floor = 0.0
    for f in range(at.curve_ptr[a + 1] - 1, at.curve_ptr[a] - 1, -1):
        moved = max(lam + scale * (f - at.curve_ptr[a] + 1), floor)
        if moved <= at.curve[f]:
            return moved
        floor = at.curve[f]
    return floor


def keep_rows(at):
    """Project the fractional selection onto each row (a limit) in turn, and update its price."""
    for r in range(at.high.shape[0]):
        first, n = at.row_ptr[r], at.row_ptr[r + 1] - at.row_ptr[r]
        if n == 0:
            continue
        amounts = at.amounts[first : first + n]
        old, price = at.row_prices[r], 0.0
        highest = 0.0
        for k in range(n):
            i = at.row_sets[first + k]
            at.row_pull[k] = at.tau[i] / at.balance * amounts[k]
            at.row_x[k] = at.next_x[i] - at.mu * at.pull[i] + at.row_pull[k] * old
            if at.row_pull[k] > 0.0:
                highest = max(highest, (1.0 - at.row_x[k]) / at.row_pull[k])
        y, pull = at.row_x[:n], at.row_pull[:n]
        total, slope = spent(y, pull, amounts, 0.0, 0, n)
        if total > at.high[r]:
            hint = max(old, 0.0)
            total, slope = spent(y, pull, amounts, hint, 0, n)
            price = clearing(y, pull, amounts, at.high[r], hint, total, slope)
        elif total < at.low[r]:  # the total is below the minimum: the price becomes negative
            for k in range(n):
                y[k] += highest * pull[k]
            hint = min(max(highest + old, 0.0), highest)
            total, slope = spent(y, pull, amounts, hint, 0, n)
            price = clearing(y, pull, amounts, at.low[r], hint, total, slope) - highest
        if price != old:
            for k in range(n):
                i = at.row_sets[first + k]
                at.next_x[i] -= at.row_pull[k] * (price - old)
                at.charges[i] += amounts[k] * (price - old)
            at.row_prices[r] = price


def excess(at):
    """Return the divisor (at least 1) that makes the selection fit all rows and the budget.

    It is infinite if any row has a minimum, because dividing the selection may break the minimum.
    """
    most = 1.0
    for r in range(at.high.shape[0]):
        used = 0.0
        for k in range(at.row_ptr[r], at.row_ptr[r + 1]):
            used += at.amounts[k] * at.next_x[at.row_sets[k]]
        if used > most * at.high[r]:
            most = used / at.high[r] if at.high[r] > 0.0 else INF
        if at.low[r] > 0.0:
            most = INF
    used = 0.0
    if at.high.shape[0] > 0:
        for i in range(at.costs.shape[0]):
            used += at.costs[i] * at.next_x[i]
        if used > most * at.budget:
            most = used / at.budget if at.budget > 0.0 else INF
    return most


def pull_sets(at, x, wide_lam, b):
    """Take a primal step: move a block of sets, ignoring the budget; store its cost and slope.

    The stored cost is that of the block at the price `mu`; the slope says how fast it falls in the
    price.
    """
    balance = at.balance
    for i in range(at.set_blocks[b], at.set_blocks[b + 1]):
        total = 0.0
        for edge in range(at.indptr[i], at.indptr[i + 1]):
            total += wide_lam[at.indices[edge]]
        at.wide_sums[i] = total
        rate = at.tau[i] / balance
        at.next_x[i] = x[i] + rate * (total - at.charges[i])
        at.pull[i] = rate * at.costs[i]
    at.parts[1, b], at.parts[2, b] = spent(
        at.next_x, at.pull, at.costs, at.mu, at.set_blocks[b], at.set_blocks[b + 1]
    )


def settle(at, x, b):
    """Finish the primal step of a block of sets: charge the price, clip to [0, 1].

    Stores the squared distance that the sets moved.
    """
    move = 0.0
    price, balance = at.mu, at.balance
    for i in range(at.set_blocks[b], at.set_blocks[b + 1]):
        at.next_x[i] = min(max(at.next_x[i] - price * at.pull[i], 0.0), 1.0)
        if at.tau[i] > 0.0:
            move += square(at.next_x[i] - x[i]) * balance / at.tau[i]
    at.parts[1, b] = move


def cover(at, wide_lam, b):
    """Store two sums over a block of elements: weight minus share, and weight that is covered."""
    uncovered = 0.0
    relaxed = 0.0
    for a in range(at.blocks[b], at.blocks[b + 1]):
        lam = 0.5 * (at.lam[a] + wide_lam[a])
        reach = 0.0
        for edge in range(at.t_indptr[a], at.t_indptr[a + 1]):
            reach += at.next_x[at.t_indices[edge]]
        if at.curved:
            for f in range(at.curve_ptr[a], at.curve_ptr[a + 1]):
                uncovered += max(at.curve[f] - lam, 0.0)
                relaxed += at.curve[f] * min(max(reach, 0.0), 1.0)
                reach -= 1.0
        else:
            uncovered += at.weights[a] - lam
            relaxed += at.weights[a] * min(1.0, reach)
    at.parts[0, b] = uncovered
    at.parts[1, b] = relaxed


def added(at, k):
    """Return the sum of ``parts[k]`` over all blocks."""
    total = 0.0
    for b in range(at.parts.shape[1]):
        total += at.parts[k, b]
    return total


def check(at, wide_lam):
    """Evaluate the upper bound and the selection's value at the new point; keep the best of each.

    The new point is halfway from the start of the step to its reflection, and sums over a set are
    linear: so the bound needs no pass over the edges. ``pull`` is overwritten.
    """
    uncovered = added(at, 0)
    for i in range(at.costs.shape[0]):
        at.pull[i] = 0.5 * (at.sums[i] + at.wide_sums[i]) - at.charges[i]
    bound, price = best_of(at.pull, at.costs, at.allowed, at.budget, at.bound_mu)
    at.relaxed = max(at.relaxed, added(at, 1) / excess(at))
    for r in range(at.high.shape[0]):
        uncovered += at.row_prices[r] * (at.high[r] if at.row_prices[r] > 0.0 else at.low[r])
    if bound + uncovered < at.bound:
        for r in range(at.high.shape[0]):
            at.best_rows[r] = at.row_prices[r]
        at.bound = bound + uncovered
        at.bound_mu = price
        for a in range(at.weights.shape[0]):
            at.best_lam[a] = min(max(0.5 * (at.lam[a] + wide_lam[a]), 0.0), at.weights[a])


def restart(at, x, wide_lam):
    """Make the new point the anchor; rebalance both step sizes by how far `x` and `lam` moved."""
    moved_x = 0.0
    moved_lam = 0.0
    for i in range(at.next_x.shape[0]):
        if at.tau[i] > 0.0:
            moved_x += square(at.next_x[i] - at.anchor_x[i]) / at.tau[i]
        x[i] = at.next_x[i]
        at.anchor_x[i] = at.next_x[i]
        at.sums[i] = 0.5 * (at.sums[i] + at.wide_sums[i])
        at.anchor_sums[i] = at.sums[i]
    for a in range(wide_lam.shape[0]):
        at.lam[a] = 0.5 * (at.lam[a] + wide_lam[a])
        if at.sigma[a] > 0.0:
            moved_lam += square(at.lam[a] - at.anchor_lam[a]) / at.sigma[a]
        at.anchor_lam[a] = at.lam[a]
    if moved_x > 0.0 and moved_lam > 0.0:
        # Move a quarter of the way, on a log scale, to the observed ratio: a full move overshoots.
        observed = sqrt(moved_lam / moved_x)
        at.balance = pow(at.balance, 0.75) * pow(observed, 0.25)
    at.age = 0.0
    at.keep = NOTHING


def move_on(at, x, b):
    """Reflect a block of the selection about the new point, then move it towards its anchor."""
    keep = at.keep
    for i in range(at.set_blocks[b], at.set_blocks[b + 1]):
        wide_x = 2.0 * at.next_x[i] - x[i]
        x[i] = wide_x + keep * (at.anchor_x[i] - wide_x)
        at.sums[i] = at.wide_sums[i] + keep * (at.anchor_sums[i] - at.wide_sums[i])


def do(at, x, wide_lam, task, shared):
    """Do one part of a step: through `shared` (several threads) if given, else on this thread."""
    if shared is not None:
        shared(task)
    else:
        with cython.nogil:
            work(at, x, wide_lam, task, 0, at.parts.shape[1])
    return 0


def take_steps(at, x, wide_lam, steps, target, shared):
    """Take the steps of `DualSteps.advance`."""
    done = False
    for _step in range(steps):
        do(at, x, wide_lam, PUSH, shared)
        do(at, x, wide_lam, PULL, shared)
        with cython.nogil:
            residual = added(at, 0)
            at.mu = clearing(
                at.next_x, at.pull, at.costs, at.budget, at.mu, added(at, 1), added(at, 2)
            )
            keep_rows(at)
        do(at, x, wide_lam, SETTLE, shared)
        residual = sqrt(residual + added(at, 1))
        at.steps += 1
        if at.steps % CHECK_EVERY == 0:
            do(at, x, wide_lam, COVER, shared)
            with cython.nogil:
                check(at, wide_lam)
            # Even if done, the point still moves below, so that a later call can continue from it.
            done = at.bound <= max(target, at.relaxed * (1.0 + EXHAUSTED))
        if at.age == 0.0:
            at.residual = residual
        long_ago = at.age > 5.0 and at.age > LONG * at.steps
        if at.age > 0.0 and (residual <= SHRUNK * at.residual or long_ago):
            with cython.nogil:
                restart(at, x, wide_lam)
        else:
            at.keep = 1.0 / (at.age + 2.0)
            at.age += 1.0
            do(at, x, wide_lam, MOVE, shared)
        if done:
            break
    return 0


def square(x):
    """Return x squared."""
    return x * x


def row_sums(indptr: Offsets, indices: Indices, values: Floats, out: FloatsOut) -> None:
    """Write into ``out[i]`` the sum of ``values`` over the columns of row i."""
    with cython.nogil:
        row_sums_into(indptr, indices, values, out)


def column_sums(indptr: Offsets, indices: Indices, values: Floats, sums: FloatsOut) -> None:
    """Add ``values[i]`` to ``sums[c]`` for each column c of each row i."""
    with cython.nogil:
        for i in range(values.shape[0]):
            if values[i] != 0.0:
                for e in range(indptr[i], indptr[i + 1]):
                    sums[indices[e]] += values[i]
