"""Relaxation: steps that lower the bound of the LP relaxation, and the lowest of all bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.bounds import (
    Bound,
    Dual,
    dual_bound,
    proves,
    reduced,
    residual_dual,
    round_down,
    trivial_bound,
)
from maxcover.engine.core.validation import positions_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.engine.core.bounds import Claim, Reduced
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Floats, Int64s


# Steps that bring the bound within 0.1 % of the LP optimum on the families in
# docs/lab/benchmarks.md.
DEFAULT_STEPS = 150
# Edges visited between two checks of the clock: about five milliseconds of work.
_SLICE_EDGES = 1_000_000


class Relaxation:
    """The LP relaxation of a problem, solved by first-order steps that can be interrupted.

    Parameters
    ----------
    problem, left
        The problem, and the problem without its required sets, from `reduced`.
    start : Dual, optional
        The dual point to begin with. That of a similar problem saves steps.
    selection : array, optional
        The fractional selection to begin with, one number from 0 to 1 per set.
    """

    def __init__(
        self,
        problem: CoverageProblem,
        left: Reduced,
        *,
        start: Dual | None = None,
        selection: Floats | None = None,
    ) -> None:
        from maxcover.engine.kernels.arrays import CompressedRows, RelaxationArrays
        from maxcover.engine.kernels.dual import DualSteps

        self.problem, self.left = problem, left
        limits, steps = _limits_left(problem), steps_left(problem)
        won = left.weights if steps is None else _first(*steps)
        if steps is None and not problem.is_plain and problem.required.size:
            won = np.where(problem.covered(problem.required), 0.0, won)
        top = float(won.max(initial=0.0))
        # Extreme weights are scaled by a power of two, because divisions by them would overflow.
        # Weights below 1e-150 of the largest count as 0.
        self._exponent = 0 if 1e-90 < top < 1e90 else math.frexp(top)[1]

        def scaled(numbers: Floats) -> Floats:
            return np.ldexp(np.where(numbers > 1e-150 * top, numbers, 0.0), -self._exponent)

        graph = CompressedRows(problem.indptr, problem.indices), CompressedRows(*problem.transpose)
        spent = 0.0 if problem.is_plain else float(left.ticks[problem.required].sum())
        program = RelaxationArrays(*graph, left.ticks, scaled(won), left.limit - spent)
        shares, price = None, 0.0
        if start is not None:
            shares = np.ldexp(start.shares, -self._exponent)
            price = math.ldexp(start.price, -self._exponent)
        self._steps = DualSteps(
            program, allowed=left.allowed, x=selection, lam=shares, mu=price, limits=limits,
            curves=steps and (steps[0], scaled(steps[1])),
        )  # fmt: skip
        self._slice = min(max(_SLICE_EDGES // (2 * problem.n_edges + 1), 1), 50)

    def improve(
        self,
        *,
        target: float = -np.inf,
        steps: int = DEFAULT_STEPS,
        expired: Callable[[], bool] = lambda: False,
        threads: int = 1,
    ) -> Dual:
        """Lower the bound by up to `steps` first-order steps; return the best dual point so far.

        Parameters
        ----------
        target : float
            Stop once the bound on the whole problem is below this.
        steps : int
            The largest number of steps. Each takes time linear in the number of edges.
        expired : callable
            Called between slices of steps; True ends the work.
        threads : int
            The result is the same for any number of threads, bit for bit.
        """
        from maxcover.engine.kernels.crew import gathered

        goal = math.ldexp(target - self.left.base, -self._exponent)
        with gathered(threads, self.problem.n_edges) as crew:
            while steps > 0 and not expired():
                taken = min(self._slice, steps)
                bound = self._steps.advance(taken, goal, crew)
                steps -= taken
                if bound <= goal or bound <= 0.0:
                    break
        return self.dual

    @property
    def dual(self) -> Dual:
        """The dual point of the lowest bound so far."""
        price = math.ldexp(self._steps.bound_mu, self._exponent)
        shares = np.ldexp(self._steps.best_lam, self._exponent)
        rows = None
        if len(self.problem.limits):
            rows = np.ldexp(self._steps.best_rows, self._exponent) / self.problem.rows.unit[1:]
        return Dual(price, shares, self.problem.ticks.unit, rows=rows)

    @property
    def selection(self) -> Floats:
        """The current fractional selection: for each set a number from 0 to 1."""
        return np.clip(np.asarray(self._steps.x, np.float64), 0.0, 1.0)

    @property
    def room(self) -> float:
        """The most by which further steps can lower the bound."""
        return math.ldexp(self._steps.bound - self._steps.relaxed, self._exponent)


def _limits_left(problem: CoverageProblem) -> tuple[Any, ...] | None:
    """Return all limits except the budget, in ticks, less the amounts of the required sets."""
    if not len(problem.limits):
        return None
    rows, is_required = problem.rows, problem.is_required
    first = rows.indptr[1]
    sets, ticks = rows.sets[first:], rows.ticks[first:].astype(np.float64)
    held = np.where(is_required[sets], ticks, 0.0)
    taken = np.bincount(rows.owners[first:], held, len(rows.low))[1:]
    # A set that can never be chosen counts nothing, so that it cannot influence any price.
    ticks = np.where(problem.choosable[sets], ticks, 0.0)
    ends = (np.maximum(end[1:] - taken, 0.0) for end in (rows.low, rows.high))
    return (rows.indptr[1:] - first, sets, ticks, *ends)


def steps_left(problem: CoverageProblem) -> tuple[Int64s, Floats] | None:
    """Return the steps left in each return curve after the required sets; None if plain.

    The result is (indptr, steps) by element, and the steps of an element never rise.
    """
    if not problem.returns.of.size:
        return None
    indptr, steps = problem.steps
    sizes = np.diff(indptr)
    owner = np.repeat(np.arange(sizes.size), sizes)
    held = np.zeros(sizes.size, dtype=np.int64)
    if problem.required.size:
        edges = positions_of(problem.indptr, problem.required)
        held = np.bincount(problem.indices[edges], minlength=sizes.size)
    kept = np.arange(steps.size) - indptr[:-1][owner] >= held[owner]
    late = (sizes > 1) & (steps[indptr[:-1]] == 0)
    # An element that needs several sets has one last step. Spread that step evenly over the sets
    # still missing: the concave envelope of its curve.
    even = (steps[indptr[1:] - 1] / np.maximum(sizes - held, 1))[owner]
    left = np.bincount(owner[kept], minlength=sizes.size)
    return (
        np.append(0, np.cumsum(left)).astype(np.int64),
        np.ascontiguousarray(np.where(late[owner], even, steps)[kept]),
    )


def _first(indptr: Int64s, steps: Floats) -> Floats:
    """Return the first step of each element; 0 for an element without steps."""
    filled = np.diff(indptr) > 0
    first = np.zeros(filled.size)
    first[filled] = steps[indptr[:-1][filled]]
    return first


def improve_dual(problem: CoverageProblem, left: Reduced, **options: Any) -> Dual:
    """Compute a good dual point from scratch; `options` are those of `Relaxation.improve`."""
    return Relaxation(problem, left).improve(**options)


def below_next(problem: CoverageProblem, value: float) -> float:
    """Return how low a bound must be to prove that no selection is worth more than `value`."""
    unit = problem.weight_unit
    return value if unit is None else value + unit * (1 - 1e-9)


def best_bound(
    problem: CoverageProblem,
    selected: Int64s,
    value: float,
    *,
    how: str = "dual",
    known: Bound | None = None,
    dual: Dual | None = None,
    claim: Claim | None = None,
) -> Bound:
    """Return the lowest available upper bound, rounded down to a possible value of a selection.

    Parameters
    ----------
    problem : CoverageProblem
    selected, value
        A selection and its value; the result is never below `value`.
    how : {"dual", "quick", "trivial"}
        "quick" makes one pass over the edges, "trivial" none. "dual" makes about a hundred more
        passes to find a dual point, unless one is given or a cheaper bound proves `value` optimal.
    known : Bound, optional
        A bound that an earlier call evaluated.
    dual, claim
        A dual point to evaluate, and a bound that a solver claims.
    """
    best = trivial_bound(problem)
    if known is not None and known.value <= best.value:
        best = known
    if dual is not None or (known is None and how != "trivial"):
        left = reduced(problem)
        points = [] if dual is None else [(dual, "dual point")]
        if how != "trivial":
            points.append((residual_dual(problem, left, selected), "residual gains"))
        found = [Bound(dual_bound(problem, left, point), by, point) for point, by in points]
        best = min(best, *found, key=lambda bound: bound.value)
        if (
            how == "dual"
            and problem.is_plain
            and dual is None
            and not proves(problem, value, best.value)
        ):
            point = improve_dual(problem, left, target=below_next(problem, value))
            better = Bound(dual_bound(problem, left, point), "dual point", point)
            best = min(best, better, key=lambda bound: bound.value)
    if claim is not None and claim.value < best.value and not proves(problem, value, best.value):
        # A claim without a proof is used only if no dual point proves `value` optimal.
        best = best._replace(value=claim.value, by=claim.by)
    looked = "weight_unit" in vars(problem)
    if how == "trivial" and not looked and best.value - value > 1e-3 * value:
        return best  # finding the unit of the weights to round to would take too long
    return best._replace(value=max(round_down(problem, best.value), value))
