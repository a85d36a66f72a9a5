"""Greedy selection: the paper's two baselines, and the guarded form with a guarantee."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

    At least 1 - 1/sqrt(e) = 0.393 of the optimum without group limits (Khuller, Moss and Naor); no
    set is taken that gains nothing.
    """
    del control
    single = kernels.best_single(
        problem.indptr,
        problem.indices,
        problem.counted_weights,
        problem.choosable,
        problem.required,
    )
    starts = [problem.required]
    if single >= 0 and not problem.violation(np.append(problem.required, single)):
        starts.append(np.append(problem.required, single))
    selections = [np.concatenate((start, complete(problem, start))) for start in starts]
    values = [problem.weights[problem.covered(chosen)].sum() for chosen in selections]
    return Draft(selections[int(np.argmax(values))], STOPPED)
