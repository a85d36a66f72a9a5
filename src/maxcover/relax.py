"""The linear relaxation: better dual points, a slice of steps at a time; the best of all bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.bounds import Bound, Dual, dual_bound, reduced, residual_bound, round_down

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maxcover.bounds import Claim, Reduced
    from maxcover.problem import CoverageProblem

# Enough for a bound within 0.1 % of the linear program on the families in docs/benchmarks.md.
DEFAULT_STEPS = 150
# Edges visited between two looks at the clock, about five milliseconds.
_SLICE_EDGES = 1_000_000


class Relaxation:
    """The linear relaxation of a problem, solved a slice of steps at a time.

    Parameters
    ----------
    problem, left
        The problem and what its required sets leave of it.
    start : Dual, optional
        Where to begin: the dual point of a similar problem saves steps.
    """

    def __init__(
        self, problem: CoverageProblem, left: Reduced, *, start: Dual | None = None
    ) -> None:
        from maxcover.kernels.dual import start_dual

        self.problem, self.left = problem, left
        self._arrays = (problem.indptr, problem.indices, *problem.transpose)
        self._numbers = (left.ticks, left.weights, left.limit)
        shares, price = (None, 0.0) if start is None else (start.shares, start.price)
        self._state = start_dual(
            *self._arrays, *self._numbers, allowed=left.allowed, lam=shares, mu=price
        )
        slice_steps = _SLICE_EDGES // (2 * problem.n_edges + 1)
        self._slice = int(np.clip(slice_steps // 10 * 10, 10, 50))

    def improve(
        self,
        *,
        target: float = -np.inf,
        steps: int = DEFAULT_STEPS,
        expired: Callable[[], bool] = lambda: False,
    ) -> Dual:
        """Lower the bound by steps linear in the edges; return the best dual point so far.

        Parameters
        ----------
        target : float
            A value of the whole problem; stop once the bound proves that nothing better exists.
        steps : int
            At most so many steps.
        expired : callable
            Asked between slices of steps; True ends the work.
        """
        from maxcover.kernels.dual import dual_steps

        unit = self.problem.weight_unit
        goal = target - self.left.base + (0.0 if unit is None else unit * (1 - 1e-9))
        while steps > 0 and not expired():
            taken = min(self._slice, steps)
            bound = dual_steps(*self._arrays, *self._numbers, self._state, taken, goal)
            steps -= taken
            if bound <= goal or bound <= 0.0:
                break
        return self.dual

    @property
    def dual(self) -> Dual:
        """The dual point of the lowest bound so far."""
        from maxcover.kernels.dual import BOUND_MU

        return Dual(float(self._state.scalars[BOUND_MU]), self._state.best_lam.copy())


def improve_dual(problem: CoverageProblem, left: Reduced, **options: Any) -> Dual:
    """Return a good dual point of a problem, from scratch; options as in `Relaxation.improve`."""
    return Relaxation(problem, left).improve(**options)


def best_bound(
    problem: CoverageProblem,
    selected: NDArray[np.int64],
    value: float,
    *,
    improve: bool,
    dual: Dual | None = None,
    claim: Claim | None = None,
) -> Bound:
    """Return the lowest of the bounds that are to be had, rounded down to what a value can be.

    Parameters
    ----------
    problem : CoverageProblem
    selected, value
        A selection and what it is worth; the bound never falls below that.
    improve : bool
        Whether to spend about a hundred passes over the edges on a dual point if the solver brought
        none, unless the other bounds prove the selection best.
    dual, claim
        What the solver already knows.
    """

    def rounded(bound: float, by: str) -> Bound:
        return Bound(round_down(problem, bound), by)

    left = reduced(problem)
    found = [rounded(residual_bound(problem, left, selected), "residual gains")]
    if claim is not None:
        found.append(rounded(claim.value, claim.by))
    if dual is not None:
        found.append(rounded(dual_bound(problem, left, dual), "dual point"))
    if improve and dual is None and min(found).value > value:
        better = improve_dual(problem, left, target=value)
        found.append(rounded(dual_bound(problem, left, better), "dual point"))
    best = min(found)
    return Bound(max(best.value, value), best.by)
