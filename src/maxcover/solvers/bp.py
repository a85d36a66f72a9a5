"""BP: the paper's Algorithm 2: rank by local field per cost, once, and fill the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.bounds import reduced
from maxcover.core.relaxation import improve_dual
from maxcover.kernels.propagate import DAMPING
from maxcover.machine import available_cores
from maxcover.solvers.beliefs import believe
from maxcover.solvers.control import Draft
from maxcover.solvers.row_filling import first_fit, take
from maxcover.solvers.seconds import PER_EDGE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.beliefs import CoverageName
    from maxcover.solvers.control import Control

# Inverse temperature in units of 1 / mean weight; docs/lab/benchmarks.md has the sweep.
BETA = 8.0


def bp(
    problem: CoverageProblem,
    control: Control,
    *,
    beta: float | None = None,
    mu: float | None = None,
    coverage: CoverageName = "soft",
    max_sweeps: int = 150,
    tol: float = 1e-6,
    damping: float = DAMPING,
    threads: int | None = 1,
) -> Draft:
    """Run belief propagation once, then take the sets by falling h_i / c_i while they fit.

    No guarantee. Near-optimal where the expected cost of the beliefs meets the budget, which takes
    the right `mu`; for mu to infinity it becomes the static ranking by weight per cost. Linear in
    edges times sweeps.
    """
    if not affords_begin(problem, control):
        return Draft(first_fit(problem), control.why_stopped)
    beta, mu = natural(problem, beta, mu, control)
    if control.expired():
        return Draft(first_fit(problem), control.why_stopped)
    is_over = control.leaving(problem.n_edges * PER_EDGE.take)
    found = believe(
        problem,
        beta=beta,
        mu=mu,
        coverage=coverage,
        max_sweeps=max_sweeps,
        tol=tol,
        damping=damping,
        threads=threads or available_cores(),
        watch=lambda _: is_over(),
        readout=False,
    )
    ranking = rank(problem, found.support, np.flatnonzero(problem.choosable))
    picks = take(problem, ranking, problem.required)
    sweeps = f"{found.sweeps} sweeps"
    stopped = (
        "beliefs converged" if found.converged else f"beliefs had not converged after {sweeps}"
    )
    if not found.converged and is_over():
        stopped = control.why_stopped
    elif found.oscillating:
        stopped = f"beliefs oscillate after {sweeps}: more damping may help"
    info = {
        "sweeps": found.sweeps,
        "converged": found.converged,
        "oscillating": found.oscillating,
        "residual": float(found.residuals[-1]) if found.sweeps else 0.0,
        "expected_cost": float(problem.costs @ found.sets),
    }
    return Draft(np.concatenate((problem.required, picks)), stopped, info=info)


def affords_begin(problem: CoverageProblem, control: Control) -> bool:
    """Whether there is time to begin belief propagation."""
    return not control.expired() and control.affords(problem.n_edges * PER_EDGE.search)


def natural(
    problem: CoverageProblem, beta: float | None, mu: float | None, control: Control
) -> tuple[float, float]:
    """Fill in the parameters that were not given from the scale of the problem.

    The temperature is an eighth of the mean weight, the price of the budget that of the linear
    relaxation.
    """
    if beta is None:
        beta = BETA / (float(problem.weights.mean()) or 1.0) if problem.n_elements else 1.0
    if mu is None:
        expired = control.leaving(problem.n_edges * PER_EDGE.search)
        mu = improve_dual(problem, reduced(problem), expired=expired).price / problem.ticks.unit
    return beta, mu


def rank(
    problem: CoverageProblem, support: NDArray[np.float64], sets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Order sets by falling h_i / c_i, which is support_i / c_i - mu.

    Free sets come first; ties go to the lowest index.
    """
    costs, worth = problem.costs[sets], support[sets]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        score = np.where(costs > 0, worth / costs, np.where(worth > 0, np.inf, 0.0))
    return sets[np.argsort(-score, kind="stable")]
