"""Greedy selection: the paper's two baselines, and the guarded form with a guarantee."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.kernels import augment
from maxcover.kernels import greedy_state as kernels
from maxcover.kernels.arrays import Limits, Rows
from maxcover.kernels.greedy import advance
from maxcover.solvers.annealing import best_single, grown
from maxcover.solvers.control import Draft, check_plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control

STOPPED = "every set was tried"
# Edges looked at between two looks at the clock: two to four milliseconds.
_SLICE = 60_000
# What finding the best single set takes, per edge.
_SINGLE_SECONDS = 5e-8


def complete(
    problem: CoverageProblem,
    start: NDArray[np.int64],
    *,
    by_cost: bool = True,
    useless: bool = False,
    among: NDArray[np.int64] | None = None,
    expired: Callable[[], bool] | None = None,
) -> NDArray[np.int64]:
    """Return the greedy picks, in order, that follow the sets in `start`.

    `expired` is asked every few milliseconds; once it says yes the picks so far are returned. They
    keep every limit.
    """
    if not problem.is_plain:
        return grown(problem, start, by_cost=by_cost, among=among, expired=expired)
    run = opened(problem, start, by_cost=by_cost, useless=useless, among=among)
    _finish(lambda work: advance(run, work), expired)
    return kernels.picked(run)


class Augmented(NamedTuple):
    """Greedy picks, and the best prefix of them with one more set where that is worth more."""

    picks: NDArray[np.int64]
    better: NDArray[np.int64] | None


def complete_plus_max(
    problem: CoverageProblem,
    start: NDArray[np.int64],
    *,
    expired: Callable[[], bool] | None = None,
) -> Augmented:
    """Return the greedy picks, and what Greedy+Max finds beside them.

    Of all selections that consist of a prefix of the picks and one more set that fits, the one
    with the largest value, if it is above that of all picks; ties go to the shorter prefix, then
    to the lower index. None too where the time was over. Costs about what the picks cost.
    """
    run = opened(problem, start, by_cost=True, useless=False, among=None)
    finished = _finish(lambda work: advance(run, work), expired)
    picks = kernels.picked(run)
    if finished:
        found = augment.open_augmentation(run)
        finished = _finish(lambda work: augment.augment(found, work), expired)
        extra, length = int(found.desk["extra"][0]), int(found.desk["length"][0])
        if finished and extra >= 0:
            return Augmented(picks, np.append(picks[:length], extra))
    return Augmented(picks, None)


def _finish(advance: Callable[[int], bool], expired: Callable[[], bool] | None) -> bool:
    """Advance a run to its end, or until the time is over; return whether it came to its end."""
    if expired is None:
        return advance(2**62)
    while not expired():
        if advance(_SLICE):
            return True
    return False


def opened(
    problem: CoverageProblem,
    start: NDArray[np.int64],
    *,
    by_cost: bool,
    useless: bool,
    among: NDArray[np.int64] | None,
) -> kernels.Greedy:
    """Return a greedy run that stands before its first pick."""
    check_plain(problem, "the kernel of greedy")
    candidates = problem.choosable.copy()
    if among is not None:
        candidates &= np.isin(np.arange(problem.n_sets), among)
    candidates[start] = False
    return kernels.open_greedy(
        Rows(problem.indptr, problem.indices),
        problem.counted_costs,
        problem.counted_weights,
        limits=Limits(problem.ticks.ticks, problem.ticks.limit),
        candidates=candidates,
        start=start.copy(),  # writable, like the candidates: one compiled form for all callers
        by_cost=by_cost,
        useless=useless,
    )


def greedy(problem: CoverageProblem, control: Control) -> Draft:
    """Take the set that newly covers the most weight, if it fits, and so on through all sets.

    Costs count only for what fits: no guarantee, and far from the best where costs differ. Linear
    in the edges, nearly.
    """
    return _greedy_draft(problem, control, by_cost=False)


def g_greedy(problem: CoverageProblem, control: Control) -> Draft:
    """Run the paper's Algorithm 1: the most newly covered weight per cost first, if it fits.

    To the letter: sets that gain nothing are taken too while they fit. Under other limits or
    returns a cost is the sum of what a set takes of all budgets, as shares of them, and what gains
    nothing is left out.
    """
    return _greedy_draft(problem, control, by_cost=True)


def _greedy_draft(problem: CoverageProblem, control: Control, *, by_cost: bool) -> Draft:
    picks = complete(
        problem, problem.required, by_cost=by_cost, useless=True, expired=control.expired
    )
    stopped = control.why_stopped if control.expired() else STOPPED
    return Draft(np.concatenate((problem.required, picks)), stopped, info={"order": picks})


def guarded_greedy(problem: CoverageProblem, control: Control) -> Draft:
    """Run g-greedy, and again after the best single set, and keep the better selection.

    At least 0.405 of the optimum without other limits than the budget, as of every algorithm that
    returns the better of greedy and the best single set; no set is taken that gains nothing.

    References
    ----------
    Khuller, Moss and Naor, "The budgeted maximum coverage problem", Information Processing Letters
    70, 1999. Tang, Tang, Lim, Han, Li and Yuan, "Revisiting modified greedy algorithm for monotone
    submodular maximization with a knapsack constraint", SIGMETRICS 2021, prove 0.405 and close a
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
    if control.expired() or not control.affords(problem.n_edges * _SINGLE_SECONDS):
        return None
    if problem.is_plain:
        single = augment.best_single(
            problem.indptr,
            problem.indices,
            problem.counted_weights,
            problem.choosable,
            problem.required,
        )
    else:
        single = best_single(problem)
    start = np.append(problem.required, single)
    if single < 0 or problem.excess(start):
        return None
    return np.concatenate((start, complete(problem, start, expired=control.expired)))
