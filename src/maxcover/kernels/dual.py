r"""Lower the linear-programming bound of a coverage problem, a few passes over the edges at a time.

For any price of budget ``mu >= 0`` and any share ``0 <= lam[a] <= weights[a]`` of the elements,

    mu * budget + sum_a (weights[a] - lam[a]) + sum_i max(0, sum_{a in i} lam[a] - mu *
    costs[i])

is at least the best value of the problem, and its smallest value is the optimum of the linear
relaxation. That relaxation is a game: ``lam`` minimises, the fractional selection ``x`` with
``costs @ x <= budget`` maximises ``sum_a weights[a] - lam[a] + sum_i x[i] * sum_{a in i}
lam[a]``. It is played by the primal-dual hybrid gradient method in the reflected, anchored
(Halpern) form with restarts: one step costs two gathers per edge, no exponentials and no
sorting. Steps are scaled by the weight of a set and the degree of an element, so no answer
depends on the units of costs or weights.
"""

from typing import NamedTuple

import cython
import numpy as np
from cython.cimports.libc.math import pow, sqrt
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.arrays import (
    Bools,
    Floats,
    FloatsOut,
    Indices,
    Offsets,
    Table,
)
from cython.cimports.maxcover.kernels.price import best_of, clearing
from numpy.typing import NDArray

from maxcover.kernels.arrays import Program
from maxcover.kernels.crew import LARGE, cuts
from maxcover.kernels.price import best_price

# Places in ``DualState.scalars``.
MU, BALANCE, AGE, STEPS, RESIDUAL, BOUND, BOUND_MU, RELAXED = range(8)
C_MU = cython.declare(cython.int, 0)
C_BALANCE = cython.declare(cython.int, 1)
C_AGE = cython.declare(cython.int, 2)
C_STEPS = cython.declare(cython.int, 3)
C_RESIDUAL = cython.declare(cython.int, 4)
C_BOUND = cython.declare(cython.int, 5)
C_BOUND_MU = cython.declare(cython.int, 6)
C_RELAXED = cython.declare(cython.int, 7)

_CHECK_EVERY = cython.declare(
    cython.double, 10
)  # steps between two evaluations of the bound, each the price of a step
_SHRUNK = cython.declare(
    cython.double, 0.2
)  # restart from the current point when the residual fell to this fraction ...
_LONG = cython.declare(
    cython.double, 0.5
)  # ... or when this share of all steps went by without a restart
_EXHAUSTED = cython.declare(
    cython.double, 1e-9
)  # stop when the bound is this close to the relaxation: nothing is left to gain


class DualState(NamedTuple):
    """All that the method remembers between two slices of steps: plain arrays, changed in place.

    ``best_lam`` and ``scalars[BOUND_MU]`` are the pair that gave the lowest bound so far,
    ``scalars[BOUND]`` (not rounded outward: evaluate it with `dual_value` before promising
    anything). ``x`` is a fractional selection near the optimum of the relaxation, and
    ``scalars[RELAXED]`` the largest value any feasible fractional selection reached: no further
    step can bring the bound below it. What is gathered, ``x`` and ``wide_lam``, is float32 on
    large graphs.
    """

    allowed: NDArray[np.bool_]
    tau: NDArray[np.float64]
    sigma: NDArray[np.float64]
    x: NDArray[np.floating]
    lam: NDArray[np.float64]
    sums: NDArray[np.float64]
    anchor_x: NDArray[np.float64]
    anchor_lam: NDArray[np.float64]
    anchor_sums: NDArray[np.float64]
    best_lam: NDArray[np.float64]
    scalars: NDArray[np.float64]
    wide_lam: NDArray[np.floating]
    wide_sums: NDArray[np.float64]
    next_x: NDArray[np.float64]
    pull: NDArray[np.float64]
    blocks: NDArray[np.int64]  # where the elements are cut, whatever the number of threads
    parts: NDArray[np.float64]  # two sums of each block


def row_sums_into(indptr, indices, values, out):
    """Write the sum of ``values`` over every row into ``out``."""
    for i in range(out.shape[0]):
        total = 0.0
        for edge in range(indptr[i], indptr[i + 1]):
            total += values[indices[edge]]
        out[i] = total


def push(t_indptr, t_indices, weights, sigma, x, lam, wide_lam, balance, first, last):
    """Let a range of elements answer the selection; return how far that went, squared."""
    move = 0.0  # in the metric of the method
    for a in range(first, last):
        surplus = -1.0
        for edge in range(t_indptr[a], t_indptr[a + 1]):
            surplus += x[t_indices[edge]]
        scale = balance * sigma[a]
        moved = min(max(lam[a] - scale * surplus, 0.0), weights[a])
        wide_lam[a] = 2.0 * moved - lam[a]
        if scale > 0.0:
            move += square(moved - lam[a]) / scale
    return move


def pull_sets(
    indptr, indices, costs, tau, x, wide_lam, wide_sums, next_x, pull, balance, first, last
):
    """Let a range of sets answer the elements, whatever the budget."""
    for i in range(first, last):
        total = 0.0
        for edge in range(indptr[i], indptr[i + 1]):
            total += wide_lam[indices[edge]]
        wide_sums[i] = total
        rate = tau[i] / balance
        next_x[i] = x[i] + rate * total
        pull[i] = rate * costs[i]


def cover(t_indptr, t_indices, weights, lam, wide_lam, next_x, first, last):
    """Return what a range of elements leaves uncovered by shares, and what the selection covers."""
    uncovered = 0.0
    relaxed = 0.0
    for a in range(first, last):
        uncovered += weights[a] - 0.5 * (lam[a] + wide_lam[a])
        reach = 0.0
        for edge in range(t_indptr[a], t_indptr[a + 1]):
            reach += next_x[t_indices[edge]]
        relaxed += weights[a] * min(1.0, reach)
    return uncovered, relaxed


def _check(
    costs, weights, budget, wide_lam, wide_sums, pull, allowed, lam, sums, best_lam, scalars, parts
):
    """Evaluate bound and relaxation at the point just reached, and keep the best of both.

    The point is the middle of where the step began and its reflection, and sums over a set are
    linear: the bound needs no pass over the edges. ``pull`` is no longer needed.
    """
    uncovered = 0.0
    relaxed = 0.0
    for b in range(parts.shape[1]):
        uncovered += parts[0, b]
        relaxed += parts[1, b]
    for i in range(costs.shape[0]):
        pull[i] = 0.5 * (sums[i] + wide_sums[i])
    bound, price = best_of(pull, costs, allowed, budget, scalars[C_BOUND_MU])
    scalars[C_RELAXED] = max(scalars[C_RELAXED], relaxed)
    if bound + uncovered < scalars[C_BOUND]:
        scalars[C_BOUND] = bound + uncovered
        scalars[C_BOUND_MU] = price
        for a in range(weights.shape[0]):
            best_lam[a] = min(max(0.5 * (lam[a] + wide_lam[a]), 0.0), weights[a])


def _restart(
    wide_lam,
    wide_sums,
    next_x,
    tau,
    sigma,
    x,
    lam,
    sums,
    anchor_x,
    anchor_lam,
    anchor_sums,
    scalars,
):
    """Anchor at the point just reached, and balance the players by how far each has moved."""
    moved_x = 0.0
    moved_lam = 0.0
    for i in range(next_x.shape[0]):
        if tau[i] > 0.0:
            moved_x += square(next_x[i] - anchor_x[i]) / tau[i]
        x[i] = next_x[i]
        anchor_x[i] = next_x[i]
        sums[i] = 0.5 * (sums[i] + wide_sums[i])
        anchor_sums[i] = sums[i]
    for a in range(wide_lam.shape[0]):
        lam[a] = 0.5 * (lam[a] + wide_lam[a])
        if sigma[a] > 0.0:
            moved_lam += square(lam[a] - anchor_lam[a]) / sigma[a]
        anchor_lam[a] = lam[a]
    if moved_x > 0.0 and moved_lam > 0.0:
        # A quarter of the way, on a log scale, to what was observed: all the way overshoots.
        observed = sqrt(moved_lam / moved_x)
        scalars[C_BALANCE] = pow(scalars[C_BALANCE], 0.75) * pow(observed, 0.25)
    scalars[C_AGE] = 0.0


def square(x):
    """Return x squared."""
    return x * x


def row_sums(indptr: Offsets, indices: Indices, values: Floats, out: FloatsOut) -> None:
    """Write the sum of ``values`` over every row into ``out``."""
    with cython.nogil:
        row_sums_into(indptr, indices, values, out)


def column_sums(indptr: Offsets, indices: Indices, values: Floats, sums: FloatsOut) -> None:
    """Add the value of every row to the sums of its columns."""
    with cython.nogil:
        for i in range(values.shape[0]):
            if values[i] != 0.0:
                for e in range(indptr[i], indptr[i + 1]):
                    sums[indices[e]] += values[i]


def _take_steps(program, state, x, wide_lam, steps, target, shared):
    """Take the steps of `dual_steps`."""
    indptr: Offsets
    indices: Indices
    t_indptr: Offsets
    t_indices: Indices
    costs: Floats
    weights: Floats
    budget: cython.double
    (indptr, indices), (t_indptr, t_indices), costs, weights, budget = program
    allowed: Bools = state.allowed
    tau: Floats = state.tau
    sigma: Floats = state.sigma
    lam: FloatsOut = state.lam
    sums: FloatsOut = state.sums
    anchor_x: FloatsOut = state.anchor_x
    anchor_lam: FloatsOut = state.anchor_lam
    anchor_sums: FloatsOut = state.anchor_sums
    best_lam: FloatsOut = state.best_lam
    scalars: FloatsOut = state.scalars
    wide_sums: FloatsOut = state.wide_sums
    next_x: FloatsOut = state.next_x
    pull: FloatsOut = state.pull
    blocks: Offsets = state.blocks
    parts: Table = state.parts
    n_sets = costs.shape[0]
    n_elements = weights.shape[0]
    done: cython.bint = False
    long_ago: cython.bint
    checks: cython.bint
    _step: int64_t
    b: int64_t
    for _step in range(steps):
        balance = scalars[C_BALANCE]
        if shared is not None:
            shared(push_blocks, balance)
            shared(pull_range, balance)
        with cython.nogil:
            if shared is None:
                for b in range(parts.shape[1]):
                    parts[0, b] = push(
                        t_indptr, t_indices, weights, sigma, x, lam, wide_lam, balance, blocks[b],
                        blocks[b + 1],
                    )  # fmt: skip
                pull_sets(
                    indptr, indices, costs, tau, x, wide_lam, wide_sums, next_x, pull, balance, 0,
                    n_sets,
                )  # fmt: skip
            move = 0.0
            for b in range(parts.shape[1]):
                move += parts[0, b]
            scalars[C_MU] = clearing(next_x, pull, costs, budget, scalars[C_MU])
            for i in range(n_sets):
                next_x[i] = min(max(next_x[i] - scalars[C_MU] * pull[i], 0.0), 1.0)
                if tau[i] > 0.0:
                    move += square(next_x[i] - x[i]) * balance / tau[i]
            residual = sqrt(move)
            scalars[C_STEPS] += 1.0
            checks = scalars[C_STEPS] % _CHECK_EVERY == 0.0
            if checks and shared is None:
                for b in range(parts.shape[1]):
                    parts[0, b], parts[1, b] = cover(
                        t_indptr, t_indices, weights, lam, wide_lam, next_x, blocks[b],
                        blocks[b + 1],
                    )  # fmt: skip
        if checks and shared is not None:
            shared(cover_blocks, balance)
        with cython.nogil:
            if checks:
                _check(
                    costs, weights, budget, wide_lam, wide_sums, pull, allowed, lam, sums, best_lam,
                    scalars, parts,
                )  # fmt: skip
                # the point itself still moves, so that a later slice can go on
                done = scalars[C_BOUND] <= max(target, scalars[C_RELAXED] * (1.0 + _EXHAUSTED))
            if scalars[C_AGE] == 0.0:
                scalars[C_RESIDUAL] = residual
            age = scalars[C_AGE]
            long_ago = age > 5.0 and age > _LONG * scalars[C_STEPS]
            if age > 0.0 and (residual <= _SHRUNK * scalars[C_RESIDUAL] or long_ago):
                _restart(
                    wide_lam, wide_sums, next_x, tau, sigma, x, lam, sums, anchor_x, anchor_lam,
                    anchor_sums, scalars,
                )  # fmt: skip
            else:
                scalars[C_AGE] += 1.0
                keep = 1.0 / (age + 2.0)
                for i in range(n_sets):
                    wide_x = 2.0 * next_x[i] - x[i]
                    x[i] = wide_x + keep * (anchor_x[i] - wide_x)
                    sums[i] = wide_sums[i] + keep * (anchor_sums[i] - wide_sums[i])
                for a in range(n_elements):
                    lam[a] = wide_lam[a] + keep * (anchor_lam[a] - wide_lam[a])
        if done:
            break
    return scalars[C_BOUND]


def dual_steps(program, state, steps: int64_t, target: cython.double, crew=None):
    """Take ``steps`` steps, or fewer if the bound reaches ``target``; return the lowest bound.

    Slices add up: 5 x 20 steps go exactly where 100 steps go. The bound is evaluated every ten
    steps, counted from the first. The steps also end when ``scalars[C_RELAXED]`` shows that the
    optimum of the relaxation is reached. Cost of a step: two gathers per edge, which a crew
    shares; no bit depends on it.
    """
    small: cython.float[::1]
    small_lam: cython.float[::1]
    large: FloatsOut
    large_lam: FloatsOut
    shared = None
    if crew is not None:
        rows = cuts(program.rows.indptr, crew.size)
        blocks = [(len(state.blocks) - 1) * k // crew.size for k in range(crew.size + 1)]

        def shared(work, balance):
            ranges = rows if work is pull_range else blocks
            crew.share(lambda _, first, last: work(program, state, balance, first, last), ranges)

    if state.x.itemsize == 4:
        small, small_lam = state.x, state.wide_lam
        return _take_steps(program, state, small, small_lam, steps, target, shared)
    large, large_lam = state.x, state.wide_lam
    return _take_steps(program, state, large, large_lam, steps, target, shared)


def push_blocks(program, state, balance: cython.double, first: int64_t, last: int64_t) -> None:
    """Let blocks of elements answer, on a large graph; see `push`."""
    t_indptr: Offsets = program.columns.indptr
    t_indices: Indices = program.columns.indices
    weights: Floats = program.weights
    sigma: Floats = state.sigma
    x: cython.float[::1] = state.x
    lam: Floats = state.lam
    wide_lam: cython.float[::1] = state.wide_lam
    blocks: Offsets = state.blocks
    parts: Table = state.parts
    b: int64_t
    with cython.nogil:
        for b in range(first, last):
            parts[0, b] = push(
                t_indptr, t_indices, weights, sigma, x, lam, wide_lam, balance, blocks[b],
                blocks[b + 1],
            )  # fmt: skip


def pull_range(program, state, balance: cython.double, first: int64_t, last: int64_t) -> None:
    """Let a range of sets answer, on a large graph; see `pull_sets`."""
    indptr: Offsets = program.rows.indptr
    indices: Indices = program.rows.indices
    costs: Floats = program.costs
    tau: Floats = state.tau
    x: cython.float[::1] = state.x
    wide_lam: cython.float[::1] = state.wide_lam
    wide_sums: FloatsOut = state.wide_sums
    next_x: FloatsOut = state.next_x
    pull: FloatsOut = state.pull
    with cython.nogil:
        pull_sets(
            indptr, indices, costs, tau, x, wide_lam, wide_sums, next_x, pull, balance, first, last
        )


def cover_blocks(program, state, balance: cython.double, first: int64_t, last: int64_t) -> None:
    """Say what blocks of elements leave uncovered, on a large graph; see `cover`."""
    t_indptr: Offsets = program.columns.indptr
    t_indices: Indices = program.columns.indices
    weights: Floats = program.weights
    lam: Floats = state.lam
    wide_lam: cython.float[::1] = state.wide_lam
    next_x: Floats = state.next_x
    blocks: Offsets = state.blocks
    parts: Table = state.parts
    b: int64_t
    with cython.nogil:
        for b in range(first, last):
            parts[0, b], parts[1, b] = cover(
                t_indptr, t_indices, weights, lam, wide_lam, next_x, blocks[b], blocks[b + 1]
            )


def start_dual(
    program: Program,
    *,
    allowed: NDArray[np.bool_] | None = None,
    x: NDArray[np.float64] | None = None,
    lam: NDArray[np.float64] | None = None,
    mu: float = 0.0,
) -> DualState:
    """Return the state before the first step, for `dual_steps`.

    Sets that are not ``allowed``, or cost more than the whole ``budget``, stay out of every
    selection; costs and budget must be finite. By default each element is shared equally by its
    sets, and ``x`` is the selection that answers this best. A start near the optimum, such as
    the end of a run on a similar problem, saves steps; a heuristic selection alone hardly does.
    ``mu`` is a hint for the first price.
    """
    rows, columns, costs, weights, budget = program
    n_sets, n_elements = costs.size, weights.size
    totals, degrees, sums = np.empty(n_sets), np.empty(n_elements), np.empty(n_sets)
    row_sums(*rows, weights, totals)
    usable = (costs <= budget) & (totals > 0.0)
    if allowed is not None:
        usable &= allowed
    tau = np.divide(1.0, totals, out=np.zeros(n_sets), where=usable)
    row_sums(*columns, usable.astype(np.float64), degrees)
    sigma = weights / np.maximum(degrees, 1.0)
    # An element that no usable set holds adds nothing to the bound once its share is its weight.
    share = sigma if lam is None else np.where(degrees > 0.0, np.clip(lam, 0.0, weights), weights)
    row_sums(*rows, share, sums)
    bound, price = best_price(sums, costs, usable, budget, max(mu, 0.0))
    answer = (sums > price * costs).astype(np.float64) if x is None else np.clip(x, 0.0, 1.0)
    answer[~usable] = 0.0
    scalars = np.zeros(8)
    scalars[MU] = scalars[BOUND_MU] = price
    scalars[BALANCE] = 0.5
    scalars[BOUND] = bound + float(np.sum(weights - share))
    n_edges = rows.indices.size
    seen = np.float32 if n_edges >= LARGE else np.float64
    parts = 4 * n_edges // LARGE if n_edges >= LARGE else 1
    blocks = np.array(cuts(columns.indptr, parts), dtype=np.int64)
    points = (answer.astype(seen), share.copy(), sums)
    anchors = (answer.copy(), share.copy(), sums.copy())
    work = (np.empty(n_elements, seen), np.empty(n_sets), np.zeros(n_sets), np.empty(n_sets))
    state = (usable, tau, sigma, *points, *anchors, share.copy(), scalars, *work)
    return DualState(*state, blocks, np.empty((2, parts)))
