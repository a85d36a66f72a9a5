"""Greedy selection: the paper's two baselines, and the guarded form with a guarantee."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from collections.abc import Callable

import numpy as np

from maxcover.kernels import greedy as kernels
from maxcover.solvers.control import Draft

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.problem import CoverageProblem
    from maxcover.solvers.control import Control

STOPPED = "every set was tried"


def complete(
    problem: CoverageProblem,
    start: NDArray[np.int64],
    *,
    by_cost: bool = True,
    useless: bool = False,
    among: NDArray[np.int64] | None = None,
    expired: Callable[[], bool] | None = None,
) -> NDArray[np.int64]:
    """Return the greedy picks, in order, that follow the sets in `start`."""
    candidates = problem.choosable.copy()
    if among is not None:
        candidates &= np.isin(np.arange(problem.n_sets), among)
    candidates[start] = False
    ticks = problem.ticks
    picks: NDArray[np.int64] = kernels.lazy_greedy(
        problem.indptr,
        problem.indices,
        problem.counted_costs,
        problem.counted_weights,
        ticks.ticks,
        ticks.limit,
        problem.group_of,
        problem.group_counts,
        problem.group_ticks,
        candidates,
        start.copy(),  # writable, like the candidates: one compiled form for all callers
        by_cost,
        useless,
    )
    return picks


class Augmented(NamedTuple):
    picks: NDArray[np.int64]
    better: NDArray[np.int64] | None


def complete_plus_max(problem, start, *, expired=None):
    return Augmented(complete(problem, start), None)


def greedy(problem: CoverageProblem, control: Control) -> Draft:
    """Take the set that newly covers the most weight, if it fits, and so on through all sets.

    Costs count only for what fits: no guarantee, and far from the best where costs differ. Linear
    in the edges, nearly.
    """
    del control  # nothing to interrupt and nothing random
    picks = complete(problem, problem.required, by_cost=False, useless=True)
    return Draft(np.concatenate((problem.required, picks)), STOPPED, info={"order": picks})


def g_greedy(problem: CoverageProblem, control: Control) -> Draft:
    """Run the paper's Algorithm 1: the most newly covered weight per cost first, if it fits.

    To the letter: sets that gain nothing are taken too while they fit.
    """
    del control
    picks = complete(problem, problem.required, useless=True)
    return Draft(np.concatenate((problem.required, picks)), STOPPED, info={"order": picks})


def guarded_greedy(problem: CoverageProblem, control: Control) -> Draft:
    """Run g-greedy, and again after the best single set, and keep the better selection.

    At least 0.405 of the optimum without group limits, as of every algorithm that returns the
    better of greedy and the best single set; no set is taken that gains nothing.

    References
    ----------
    Khuller, Moss and Naor, "The budgeted maximum coverage problem", Information Processing Letters
    70, 1999. Tang, Tang, Lim, Han, Li and Yuan, "Revisiting modified greedy algorithm for monotone
    submodular maximization with a knapsack constraint", SIGMETRICS 2021, who prove 0.405 and close a
    gap in the older proof of 1 - 1/sqrt(e) = 0.393.
    """
    picks = complete(problem, problem.required, expired=control.expired)
    selections = [np.concatenate((problem.required, picks))]
    other = after_best_single(problem, control)
    if other is not None:
        selections.append(other)
    stopped = control.why_stopped if control.expired() else STOPPED
    return Draft(max(selections, key=problem.value), stopped)


def after_best_single(problem: CoverageProblem, control: Control) -> NDArray[np.int64] | None:
    """Return what g-greedy makes of the single set that gains most; None if none fits."""
    if control.expired():
        return None
    single = kernels.best_single(
        problem.indptr,
        problem.indices,
        problem.counted_weights,
        problem.choosable,
        problem.required,
    )
    start = np.append(problem.required, single)
    if single < 0 or problem.violation(start):
        return None
    return np.concatenate((start, complete(problem, start, expired=control.expired)))
