"""Greedy selection: the paper's two baselines, the guarded form, and greedy for a target."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.core.ascending import difference
from maxcover.core.validation import positions_of
from maxcover.kernels.arrays import Limits, Rows
from maxcover.kernels.augment import Augmentation
from maxcover.kernels.lazy_greedy import Greedy
from maxcover.solvers.control import Draft, check_plain
from maxcover.solvers.exchange import Exchange
from maxcover.solvers.order import added_weight
from maxcover.solvers.row_filling import charges, first_fitting

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control

    Int64s = NDArray[np.int64]

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
    keep every limit. Under other limits than the budget a cost is the sum of what a set takes of
    each budget, as shares of them.
    """
    if not problem.is_plain:
        if expired is not None and expired():
            return first_fitting(problem, start)
        prices = _shares_of_budgets(problem) if by_cost else np.ones(problem.n_sets)
        return Exchange(problem, prices=prices).grown(start, among=among, expired=expired)
    run = opened(problem, start, by_cost=by_cost, useless=useless, among=among)
    _finish(run, expired)
    picks: Int64s = run.picked()
    return picks


def _shares_of_budgets(problem: CoverageProblem) -> NDArray[np.float64]:
    """Return what each set takes of all budgets, as shares of them."""
    rows = problem.rows
    spans = np.diff(rows.indptr) == problem.n_sets
    return charges(problem, np.where(spans, 1.0 / np.maximum(rows.high, 1), 0.0))


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
    finished, picks = _finish(run, expired), run.picked()
    if finished and not (expired and expired()):
        found = Augmentation(run)
        if _finish(found, expired) and found.extra >= 0:
            return Augmented(picks, np.append(picks[: found.length], found.extra))
    return Augmented(picks, None)


def _finish(run: Greedy | Augmentation, expired: Callable[[], bool] | None) -> bool:
    """Advance a run to its end, or until the time is over; return whether it came to its end."""
    if expired is None:
        return bool(run.advance(2**62))
    while not expired():
        if run.advance(_SLICE):
            return True
    return False


def opened(
    problem: CoverageProblem,
    start: NDArray[np.int64],
    *,
    by_cost: bool,
    useless: bool,
    among: NDArray[np.int64] | None,
) -> Greedy:
    """Return a greedy run that stands before its first pick."""
    check_plain(problem, "the kernel of greedy")
    candidates = problem.choosable.copy()
    if among is not None:
        candidates &= np.isin(np.arange(problem.n_sets), among)
    candidates[start] = False
    return Greedy(
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
        gains = _gains(problem, problem.required)
    else:
        gains = Exchange(problem).opened(problem.required).margins()
    gains = np.where(problem.choosable, gains, 0.0)
    single = int(gains.argmax()) if gains.max(initial=0.0) > 0 else -1
    start = np.append(problem.required, single)
    if single < 0 or problem.excess(start):
        return None
    return np.concatenate((start, complete(problem, start, expired=control.expired)))


def greedy_cover(problem: CoverageProblem, need: float, control: Control) -> Int64s:
    """Add the set with the most useful weight per cost until `need` is covered.

    Useful is what a set newly covers, up to what is still missing. `need` is in the numbers of
    ``problem.counted_weights``, and the budget of the problem has to allow everything.

    With whole weights, the sets that are not required cost at most H(d) =
    1 + 1/2 + ... + 1/d times as much as the cheapest ones that meet the target, where d is the
    largest useful weight of a single set. With real weights the factor is 1 + ln(D / D'), where D
    is what was missing at the start and D' before the last pick.

    References
    ----------
    Wolsey, "An analysis of the greedy algorithm for the submodular set covering problem",
    Combinatorica 2, 1982, Theorem 1, for the submodular function min(weight covered, need).
    """
    picks = complete(problem, problem.required, expired=control.expired)
    if control.expired():
        return np.concatenate((problem.required, picks))
    weights = problem.counted_weights
    have = problem.covered(problem.required)
    missing = [need - float(weights[have].sum())]
    for i in picks.tolist():
        if missing[-1] <= 0:
            break
        row = problem.elements_at(i)
        missing.append(missing[-1] - float(weights[row[~have[row]]].sum()))
        have[row] = True
    # The picks are those of the rule above as long as no set gains more than what is missing.
    kept, before = 0, -1
    while kept > before:
        before, start = kept, np.concatenate((problem.required, picks[:kept]))
        most = float(_gains(problem, start)[problem.choosable].max(initial=0.0))
        while kept < len(missing) - 1 and missing[kept] >= most and missing[kept] > 0:
            kept += 1
    return reach(problem, np.concatenate((problem.required, picks[:before])), need)


def _gains(problem: CoverageProblem, selected: Int64s) -> NDArray[np.float64]:
    """Return what each set adds to a selection, in counted weights."""
    unit = problem.weight_unit
    gains = added_weight(problem, selected)
    return gains if unit in (None, 1.0) else np.rint(gains / unit)


def reach(problem: CoverageProblem, start: Int64s, need: float) -> Int64s:
    """Add sets to `start`, most useful weight per cost first, until `need` is covered.

    Stops short where no set adds anything.
    """
    weights, costs = problem.counted_weights, problem.counted_costs
    have = problem.covered(start)
    missing = need - float(weights[have].sum())
    if missing <= 0:
        return start
    gains = _gains(problem, start)
    candidates = problem.choosable & (gains > 0)
    candidates[start] = False
    queue = [
        (-_rate(min(gains[i], missing), costs[i]), i, gains[i])
        for i in np.flatnonzero(candidates).tolist()
    ]
    heapq.heapify(queue)
    picks: list[int] = []
    while queue and missing > 0:
        rate, i, _ = heapq.heappop(queue)
        row = problem.elements_at(i)
        gain = float(weights[row[~have[row]]].sum())
        now = -_rate(min(gain, missing), costs[i])
        if now > rate and queue and (now, i) > queue[0][:2]:  # rates only fall: look at it again
            if gain > 0:
                heapq.heappush(queue, (now, i, gain))
            continue
        if gain > 0:
            picks.append(i)
            have[row] = True
            missing -= gain
    return np.concatenate((start, np.array(picks, dtype=np.int64)))


def _rate(gain: float, cost: float) -> float:
    return gain / cost if cost > 0 else np.inf


def quick_cover(problem: CoverageProblem, need: float) -> Int64s:
    """Take sets by weight per cost, counted once, until `need` is covered: when time is short."""
    nobody = np.empty(0, dtype=np.int64)
    gains = _gains(problem, nobody)
    with np.errstate(over="ignore"):
        rates = gains / np.maximum(problem.counted_costs, 1e-300)
    ranking = np.flatnonzero(problem.choosable)
    ranking = ranking[np.argsort(-rates[ranking], kind="stable")]
    # where sets overlap little, a few more than would do without overlaps are enough
    few = ranking[: 4 * int(np.searchsorted(np.cumsum(gains[ranking]), need)) + 4]
    if float(problem.counted_weights[problem.covered(few)].sum()) >= need:
        ranking = few
    # the rank of the first set that holds each element
    sets = np.concatenate((problem.required, ranking))
    rank = np.append(np.zeros(problem.required.size, np.int64), 1 + np.arange(ranking.size))
    first = np.full(problem.n_elements, ranking.size + 1)
    edges = problem.indices[positions_of(problem.indptr, sets)]
    np.minimum.at(first, edges, np.repeat(rank, np.diff(problem.indptr)[sets]))
    won = np.bincount(first, weights=problem.counted_weights, minlength=ranking.size + 1)
    n_taken = int(np.searchsorted(np.cumsum(won[: ranking.size + 1]), need))
    return np.concatenate((problem.required, ranking[:n_taken]))


def own_weights(problem: CoverageProblem, selected: Int64s) -> tuple[NDArray[np.float64], Int64s]:
    """Return the weight that each selected set alone covers, and who covers each element how often.

    Weights are counted ones.
    """
    edges = problem.indices[positions_of(problem.indptr, selected)]
    counts = np.bincount(edges, minlength=problem.n_elements)
    owners = np.repeat(np.arange(selected.size), np.diff(problem.indptr)[selected])
    alone = np.where(counts[edges] == 1, problem.counted_weights[edges], 0.0)
    own = np.bincount(owners, weights=alone, minlength=selected.size).astype(np.float64)
    return own, counts.astype(np.int64)


def pruned(problem: CoverageProblem, selected: Int64s, need: float) -> Int64s:
    """Drop sets that are not needed to cover `need`, dearest first (reverse delete)."""
    weights = problem.counted_weights
    losses, counts = own_weights(problem, selected)
    # what rounding may hide, where weights have no unit
    spare = float(weights[counts > 0].sum()) - need
    spare -= 0.0 if problem.weight_unit else 1e-12 * need
    # what a set alone covers only grows while others are dropped
    movable = difference(selected[(losses == 0.0) | (losses <= spare)], problem.required)
    dropped = []
    for i in movable[np.argsort(-problem.costs[movable], kind="stable")].tolist():
        row = problem.elements_at(i)
        loss = float(weights[row[counts[row] == 1]].sum())
        if loss == 0.0 or loss <= spare:
            dropped.append(i)
            counts[row] -= 1
            spare -= loss
    return difference(selected, np.array(dropped, dtype=np.int64))
