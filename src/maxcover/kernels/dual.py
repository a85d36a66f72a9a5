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

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.jit import kernel
from maxcover.kernels.price import best_price, clearing_price

Floats = NDArray[np.float64]

# Places in ``DualState.scalars``.
MU, BALANCE, AGE, STEPS, RESIDUAL, BOUND, BOUND_MU, RELAXED = range(8)

_CHECK_EVERY = 10  # steps between two evaluations of the bound, each the price of a step
_SHRUNK = 0.2  # restart from the current point when the residual fell to this fraction ...
_LONG = 0.5  # ... or when this share of all steps went by without a restart
_EXHAUSTED = 1e-9  # stop when the bound is this close to the relaxation: nothing is left to gain


class DualState(NamedTuple):
    """All that the method remembers between two slices of steps: plain arrays, changed in place.

    ``best_lam`` and ``scalars[BOUND_MU]`` are the pair that gave the lowest bound so far,
    ``scalars[BOUND]`` (not rounded outward: evaluate it with `dual_value` before promising
    anything). ``x`` is a fractional selection near the optimum of the relaxation, and
    ``scalars[RELAXED]`` the largest value any feasible fractional selection reached: no further
    step can bring the bound below it.
    """

    allowed: NDArray[np.bool_]
    tau: Floats
    sigma: Floats
    x: Floats
    lam: Floats
    sums: Floats
    anchor_x: Floats
    anchor_lam: Floats
    anchor_sums: Floats
    best_lam: Floats
    scalars: Floats


@kernel
def row_sums(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], values: Floats, out: Floats
) -> None:
    """Write the sum of ``values`` over every row into ``out``."""
    for i in range(out.size):
        total = 0.0
        for edge in range(indptr[i], indptr[i + 1]):
            total += values[indices[edge]]
        out[i] = total


@kernel
def _check(
    t_indptr: NDArray[np.int64],
    t_indices: NDArray[np.int32],
    costs: Floats,
    weights: Floats,
    budget: float,
    wide_lam: Floats,
    wide_sums: Floats,
    next_x: Floats,
    state: DualState,
) -> None:
    """Evaluate bound and relaxation at the point just reached, and keep the best of both.

    The point is the middle of where the step began and its reflection, and sums over a set are
    linear: the bound needs no pass over the edges.
    """
    scalars = state.scalars
    middle = np.empty(costs.size)
    for i in range(costs.size):
        middle[i] = 0.5 * (state.sums[i] + wide_sums[i])
    uncovered = 0.0
    relaxed = 0.0
    for a in range(weights.size):
        uncovered += weights[a] - 0.5 * (state.lam[a] + wide_lam[a])
        cover = 0.0
        for edge in range(t_indptr[a], t_indptr[a + 1]):
            cover += next_x[t_indices[edge]]
        relaxed += weights[a] * min(1.0, cover)
    bound, price = best_price(middle, costs, state.allowed, budget, scalars[BOUND_MU])
    scalars[RELAXED] = max(scalars[RELAXED], relaxed)
    if bound + uncovered < scalars[BOUND]:
        scalars[BOUND] = bound + uncovered
        scalars[BOUND_MU] = price
        for a in range(weights.size):
            state.best_lam[a] = min(max(0.5 * (state.lam[a] + wide_lam[a]), 0.0), weights[a])


@kernel
def _restart(wide_lam: Floats, wide_sums: Floats, next_x: Floats, state: DualState) -> None:
    """Anchor at the point just reached, and balance the players by how far each has moved."""
    moved_x, moved_lam = 0.0, 0.0
    for i in range(next_x.size):
        if state.tau[i] > 0.0:
            moved_x += (next_x[i] - state.anchor_x[i]) ** 2 / state.tau[i]
        state.x[i] = next_x[i]
        state.anchor_x[i] = next_x[i]
        state.sums[i] = 0.5 * (state.sums[i] + wide_sums[i])
        state.anchor_sums[i] = state.sums[i]
    for a in range(wide_lam.size):
        state.lam[a] = 0.5 * (state.lam[a] + wide_lam[a])
        if state.sigma[a] > 0.0:
            moved_lam += (state.lam[a] - state.anchor_lam[a]) ** 2 / state.sigma[a]
        state.anchor_lam[a] = state.lam[a]
    if moved_x > 0.0 and moved_lam > 0.0:
        # A quarter of the way, on a log scale, to what was observed: all the way overshoots.
        observed = np.sqrt(moved_lam / moved_x)
        state.scalars[BALANCE] = state.scalars[BALANCE] ** 0.75 * observed**0.25
    state.scalars[AGE] = 0.0


@kernel
def dual_steps(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    t_indptr: NDArray[np.int64],
    t_indices: NDArray[np.int32],
    costs: Floats,
    weights: Floats,
    budget: float,
    state: DualState,
    steps: int,
    target: float,
) -> float:
    """Take ``steps`` steps, or fewer if the bound reaches ``target``; return the lowest bound.

    Slices add up: 5 x 20 steps go exactly where 100 steps go. The bound is evaluated every ten
    steps, counted from the first. The steps also end when ``scalars[RELAXED]`` shows that the
    optimum of the relaxation is reached. Cost of a step: two gathers per edge.
    """
    n_sets, n_elements = costs.size, weights.size
    x, lam, sums, scalars = state.x, state.lam, state.sums, state.scalars
    next_x, wide_lam = np.zeros(n_sets), np.empty(n_elements)
    wide_sums, pull = np.empty(n_sets), np.empty(n_sets)
    done = False
    for _ in range(steps):
        balance = scalars[BALANCE]
        move = 0.0  # squared length of this step, in the metric of the method
        for a in range(n_elements):
            surplus = -1.0
            for edge in range(t_indptr[a], t_indptr[a + 1]):
                surplus += x[t_indices[edge]]
            scale = balance * state.sigma[a]
            moved = min(max(lam[a] - scale * surplus, 0.0), weights[a])
            wide_lam[a] = 2.0 * moved - lam[a]
            if scale > 0.0:
                move += (moved - lam[a]) ** 2 / scale
        row_sums(indptr, indices, wide_lam, wide_sums)
        for i in range(n_sets):
            rate = state.tau[i] / balance
            next_x[i] = x[i] + rate * wide_sums[i]
            pull[i] = rate * costs[i]
        scalars[MU] = clearing_price(next_x, pull, costs, budget, scalars[MU])
        for i in range(n_sets):
            next_x[i] = min(max(next_x[i] - scalars[MU] * pull[i], 0.0), 1.0)
            if state.tau[i] > 0.0:
                move += (next_x[i] - x[i]) ** 2 * balance / state.tau[i]
        residual = np.sqrt(move)
        scalars[STEPS] += 1.0
        if scalars[STEPS] % _CHECK_EVERY == 0.0:
            _check(t_indptr, t_indices, costs, weights, budget, wide_lam, wide_sums, next_x, state)
            if scalars[BOUND] <= max(target, scalars[RELAXED] * (1.0 + _EXHAUSTED)):
                done = True  # the point itself still moves, so that a later slice can go on
        if scalars[AGE] == 0.0:
            scalars[RESIDUAL] = residual
        age = scalars[AGE]
        long_ago = age > 5.0 and age > _LONG * scalars[STEPS]
        if age > 0.0 and (residual <= _SHRUNK * scalars[RESIDUAL] or long_ago):
            _restart(wide_lam, wide_sums, next_x, state)
        else:
            scalars[AGE] += 1.0
            keep = 1.0 / (age + 2.0)
            for i in range(n_sets):
                wide_x = 2.0 * next_x[i] - x[i]
                x[i] = wide_x + keep * (state.anchor_x[i] - wide_x)
                sums[i] = wide_sums[i] + keep * (state.anchor_sums[i] - wide_sums[i])
            for a in range(n_elements):
                lam[a] = wide_lam[a] + keep * (state.anchor_lam[a] - wide_lam[a])
        if done:
            break
    return float(scalars[BOUND])


def start_dual(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    t_indptr: NDArray[np.int64],
    t_indices: NDArray[np.int32],
    costs: Floats,
    weights: Floats,
    budget: float,
    *,
    allowed: NDArray[np.bool_] | None = None,
    x: Floats | None = None,
    lam: Floats | None = None,
    mu: float = 0.0,
) -> DualState:
    """Return the state before the first step, for `dual_steps`.

    Sets that are not ``allowed``, or cost more than the whole ``budget``, stay out of every
    selection; costs and budget must be finite. By default each element is shared equally by its
    sets, and ``x`` is the selection that answers this best. A start near the optimum, such as
    the end of a run on a similar problem, saves steps; a heuristic selection alone hardly does.
    ``mu`` is a hint for the first price.
    """
    n_sets, n_elements = costs.size, weights.size
    totals, degrees, sums = np.empty(n_sets), np.empty(n_elements), np.empty(n_sets)
    row_sums(indptr, indices, weights, totals)
    usable = (costs <= budget) & (totals > 0.0)
    if allowed is not None:
        usable &= allowed
    tau = np.divide(1.0, totals, out=np.zeros(n_sets), where=usable)
    row_sums(t_indptr, t_indices, usable.astype(np.float64), degrees)
    sigma = weights / np.maximum(degrees, 1.0)
    # An element that no usable set holds adds nothing to the bound once its share is its weight.
    share = sigma if lam is None else np.where(degrees > 0.0, np.clip(lam, 0.0, weights), weights)
    row_sums(indptr, indices, share, sums)
    bound, price = best_price(sums, costs, usable, budget, max(mu, 0.0))
    answer = (sums > price * costs).astype(np.float64) if x is None else np.clip(x, 0.0, 1.0)
    answer[~usable] = 0.0
    scalars = np.zeros(8)
    scalars[MU] = scalars[BOUND_MU] = price
    scalars[BALANCE] = 0.5
    scalars[BOUND] = bound + float(np.sum(weights - share))
    points = (answer, share.copy(), sums)
    anchors = (answer.copy(), share.copy(), sums.copy())
    return DualState(usable, tau, sigma, *points, *anchors, share.copy(), scalars)
