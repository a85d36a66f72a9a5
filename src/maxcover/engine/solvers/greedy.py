"""Greedy selection: the greedy methods, greedy for a target, and start points of searches."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.engine.core.ascending import difference
from maxcover.engine.core.validation import positions_of
from maxcover.engine.kernels.arrays import BudgetTicks, CompressedRows
from maxcover.engine.kernels.augment import Augmentation
from maxcover.engine.kernels.lazy_greedy import Greedy
from maxcover.engine.solvers.control import Draft, check_plain
from maxcover.engine.solvers.exchange import Exchange
from maxcover.engine.solvers.order import added_weight
from maxcover.engine.solvers.row_filling import budget_shares, first_fit, first_fitting, take
from maxcover.engine.solvers.seconds import PER_EDGE, SLICE
from maxcover.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.control import Control
    from maxcover.ground.array_types import Int64s


STOPPED = "every set was tried"
# `_MOST_WORK`: most edges that `enumerate_pairs` visits, about half a minute. `_RUN_WORK`: fixed
# cost of one greedy run, counted in edges.
_MOST_WORK, _RUN_WORK = 3e9, 5_000
# Smallest and largest fraction of a selection that `shaken` drops, and the standard deviation of
# the logarithm of the random factors on weights.
_LEAST_DROPPED, _MOST_DROPPED, _BLUR = 0.2, 0.7, 0.5


def complete(
    problem: CoverageProblem,
    start: Int64s,
    *,
    by_cost: bool = True,
    useless: bool = False,
    expired: Callable[[], bool] | None = None,
) -> Int64s:
    """Return the sets that greedy adds to `start`, in order.

    `expired` is asked every few milliseconds; once it returns True the picks so far are returned.
    They keep every limit. Under other limits than the budget, the cost of a set is the sum of the
    fractions that it takes of each budget.
    """
    if not problem.is_plain:
        if expired is not None and expired():
            return first_fitting(problem, start)
        prices = budget_shares(problem) if by_cost else np.ones(problem.n_sets)
        return Exchange(problem, prices=prices).grown(start, expired=expired)
    run = opened(problem, start, by_cost=by_cost, useless=useless)
    _finish(run, expired)
    picks: Int64s = run.picked()
    return picks


class Augmented(NamedTuple):
    """Greedy picks, and a prefix of them with one other set if that is worth more, else None."""

    picks: Int64s
    better: Int64s | None


def complete_plus_max(
    problem: CoverageProblem,
    start: Int64s,
    *,
    expired: Callable[[], bool] | None = None,
) -> Augmented:
    """Return the greedy picks, and the selection of Greedy+Max if it is better.

    Greedy+Max compares all selections that consist of a prefix of the picks and one more set that
    fits. The one with the largest value is returned if its value is above that of all picks; ties
    go to the shorter prefix, then to the lower index. Otherwise, and if the time was over, `better`
    is None. Costs about as much as the picks.
    """
    run = opened(problem, start, by_cost=True, useless=False)
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
        if run.advance(SLICE):
            return True
    return False


def opened(
    problem: CoverageProblem,
    start: Int64s,
    *,
    by_cost: bool,
    useless: bool,
) -> Greedy:
    """Return a greedy run that begins with the sets of `start`, before its first pick."""
    check_plain(problem, "the kernel of greedy")
    candidates = problem.choosable.copy()
    candidates[start] = False
    return Greedy(
        CompressedRows(problem.indptr, problem.indices),
        problem.counted_costs,
        problem.counted_weights,
        limits=BudgetTicks(problem.ticks.ticks, problem.ticks.limit),
        candidates=candidates,
        start=start.copy(),  # a writable copy: the kernel is compiled for writable arrays
        by_cost=by_cost,
        useless=useless,
    )


def greedy(problem: CoverageProblem, control: Control) -> Draft:
    """Take the set that newly covers the most weight, if it fits; repeat through all sets.

    Costs only decide what fits: there is no guarantee, and the answer is far from the best where
    costs differ. Nearly linear in the edges.
    """
    return _greedy_draft(problem, control, by_cost=False)


def g_greedy(problem: CoverageProblem, control: Control) -> Draft:
    """Run the paper's Algorithm 1: the most newly covered weight per cost first, if it fits.

    As in the paper, sets that gain nothing are taken too while they fit. Under other limits or
    returns, the cost of a set is the sum of the fractions that it takes of all budgets, and sets
    that gain nothing are left out.
    """
    return _greedy_draft(problem, control, by_cost=True)


def _greedy_draft(problem: CoverageProblem, control: Control, *, by_cost: bool) -> Draft:
    picks = complete(
        problem, problem.required, by_cost=by_cost, useless=True, expired=control.expired
    )
    stopped = control.why_stopped if control.expired() else STOPPED
    return Draft(np.concatenate((problem.required, picks)), stopped, info={"order": picks})


def guarded_greedy(problem: CoverageProblem, control: Control) -> Draft:
    """Run g-greedy, and g-greedy after the best single set; keep the better selection.

    Without other limits than the budget it reaches at least 0.405 of the optimum, like every
    algorithm that returns the better of greedy and the best single set. No set is taken that gains
    nothing.

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


def after_best_single(problem: CoverageProblem, control: Control) -> Int64s | None:
    """Return g-greedy's selection that begins with the set of most gain; None if it cannot fit."""
    if control.expired() or not control.affords(problem.n_edges * PER_EDGE.bound):
        return None
    if problem.is_plain:
        gains = _gains(problem, problem.required)
    else:
        search: Any = Exchange(problem).opened(problem.required)
        gains = np.asarray(search.sets)["margin"]
    gains = np.where(problem.choosable, gains, 0.0)
    single = int(gains.argmax()) if gains.max(initial=0.0) > 0 else -1
    start = np.append(problem.required, single)
    if single < 0 or problem.excess(start):
        return None
    return np.concatenate((start, complete(problem, start, expired=control.expired)))


def enumerate_pairs(problem: CoverageProblem, control: Control) -> Draft:
    """Complete every feasible selection of up to two sets greedily and keep the best.

    Without other limits than the budget it reaches at least 1 - 1/e = 0.632 of the optimum, the
    best that any polynomial algorithm can promise. Takes about N^2 / 2 greedy runs, and refuses
    sizes that would not finish in reasonable time, unless there is a time limit.

    References
    ----------
    Sviridenko, "A note on maximizing a submodular set function subject to a knapsack constraint",
    Operations Research Letters 32, 2004, needs triples. Kulik, Schwartz and Shachnai, "A refined
    analysis of submodular greedy", Operations Research Letters 49, 2021, show that pairs suffice;
    so do Feldman, Nutov and Shoham, "Practical budgeted submodular maximization", Algorithmica 85,
    2023. The greedy algorithm of all three is the one here: by gain per cost, skipping what does
    not fit.
    """
    free = np.flatnonzero(problem.choosable)
    n_runs = free.size**2 / 2
    work = n_runs * (2 * problem.n_edges + problem.n_elements + 20 * free.size + _RUN_WORK)
    if work > _MOST_WORK and control.time_limit is None:
        raise TooLargeError(
            f"expected a problem that partial enumeration can finish, got {free.size} sets and "
            f"{problem.n_edges} edges (about {work / _MOST_WORK * 30:.0f} s); use method "
            "'exact' or 'guarded-greedy', or set a time limit"
        )
    best, best_value = first_fit(problem) if control.expired() else problem.required, -1.0
    stopped = "every start of up to two sets was completed"
    for size in range(3):
        for start in combinations(free.tolist(), size):
            if control.expired():
                return Draft(best, control.why_stopped)
            begun = np.concatenate((problem.required, np.array(start, dtype=np.int64)))
            if problem.excess(begun):
                continue
            rest = complete(problem, begun, expired=control.expired)
            selected = np.concatenate((begun, rest))
            value = problem.value(selected)
            if value > best_value:
                best, best_value = selected, value
    return Draft(best, stopped)


def reach(
    problem: CoverageProblem,
    start: Int64s,
    need: float,
    *,
    expired: Callable[[], bool] | None = None,
) -> Int64s:
    """Add sets to `start` until `need` is covered, by useful weight per cost, largest first.

    The useful weight of a set is what it newly covers, up to what is still missing. `need` is in
    units of ``problem.counted_weights`` for plain coverage, else a value. The budget has to be
    large enough for all sets. Stops short of `need` if no set adds anything.

    With whole weights and no other limits, the sets beside `start` cost at most H(d) = 1 + 1/2 +
    ... + 1/d times as much as the cheapest ones that meet the target, where d is the largest useful
    weight of a single set. With real weights the factor is 1 + ln(D / D'), where D is what was
    missing at the start and D' before the last pick.

    References
    ----------
    Wolsey, "An analysis of the greedy algorithm for the submodular set covering problem",
    Combinatorica 2, 1982, Theorem 1, for the submodular function min(weight covered, need).
    """
    prices = None if problem.is_plain else budget_shares(problem)
    picks = Exchange(problem, prices=prices).grown(start, need=need, expired=expired)
    return np.concatenate((start, picks))


def _gains(problem: CoverageProblem, selected: Int64s) -> NDArray[np.float64]:
    """Return the weight that each set adds to a selection, in units of `counted_weights`."""
    unit = problem.weight_unit
    gains = added_weight(problem, selected)
    return gains if unit in (None, 1.0) else np.rint(gains / unit)


def quick_cover(problem: CoverageProblem, need: float) -> Int64s:
    """Take sets by weight per cost until `need` is covered; overlaps do not change the ranking."""
    nobody = np.empty(0, dtype=np.int64)
    gains = _gains(problem, nobody)
    with np.errstate(over="ignore"):
        rates = gains / np.maximum(problem.counted_costs, 1e-300)
    ranking = np.flatnonzero(problem.choosable)
    ranking = ranking[np.argsort(-rates[ranking], kind="stable")]
    # First try four times as many sets as would be enough if no sets overlapped.
    few = ranking[: 4 * int(np.searchsorted(np.cumsum(gains[ranking]), need)) + 4]
    if float(problem.counted_weights[problem.covered(few)].sum()) >= need:
        ranking = few
    # `first[a]` becomes the rank of the first set that holds element a; 0: a required set.
    sets = np.concatenate((problem.required, ranking))
    rank = np.append(np.zeros(problem.required.size, np.int64), 1 + np.arange(ranking.size))
    first = np.full(problem.n_elements, ranking.size + 1)
    edges = problem.indices[positions_of(problem.indptr, sets)]
    np.minimum.at(first, edges, np.repeat(rank, np.diff(problem.indptr)[sets]))
    won = np.bincount(first, weights=problem.counted_weights, minlength=ranking.size + 1)
    n_taken = int(np.searchsorted(np.cumsum(won[: ranking.size + 1]), need))
    return np.concatenate((problem.required, ranking[:n_taken]))


def own_weights(problem: CoverageProblem, selected: Int64s) -> NDArray[np.float64]:
    """Return the weight (of `counted_weights`) that each selected set alone covers."""
    edges = problem.indices[positions_of(problem.indptr, selected)]
    counts = np.bincount(edges, minlength=problem.n_elements)
    owners = np.repeat(np.arange(selected.size), np.diff(problem.indptr)[selected])
    alone = np.where(counts[edges] == 1, problem.counted_weights[edges], 0.0)
    return np.bincount(owners, weights=alone, minlength=selected.size).astype(np.float64)


def fitting(problem: CoverageProblem, selected: Int64s) -> Int64s:
    """Return the required sets, and the sets of `selected` that fit beside them.

    Sets are tried by the weight that no other selected set covers, per cost, largest first.
    """
    movable = selected[problem.choosable[selected]]
    own = own_weights(problem, np.concatenate((movable, problem.required)))
    with np.errstate(over="ignore"):
        rates = own[: movable.size] / np.maximum(problem.costs[movable], 1e-300)
    ranking = movable[np.argsort(-rates, kind="stable")]
    return np.concatenate((problem.required, take(problem, ranking, problem.required)))


def greedy_starts(problem: CoverageProblem, control: Control) -> Iterator[Int64s]:
    """Yield the selections of g-greedy and of Greedy+Max (at least half of the optimum)."""
    reserved = problem.n_edges * PER_EDGE.value

    def is_over() -> bool:
        return control.expired() or not control.affords(reserved)

    found = complete_plus_max(problem, problem.required, expired=is_over)
    yield np.concatenate((problem.required, found.picks))
    if found.better is not None:
        better = np.concatenate((problem.required, found.better))
        yield np.concatenate((better, complete(problem, better, expired=is_over)))


def shaken(problem: CoverageProblem, selected: Int64s, seed: int) -> Int64s:
    """Drop a random part of a selection; complete the rest greedily by randomly scaled weights."""
    rng = np.random.default_rng(seed)
    movable = difference(selected, problem.required)
    kept = rng.random(movable.size) >= rng.uniform(_LEAST_DROPPED, _MOST_DROPPED)
    return _blurred(problem, np.concatenate((problem.required, movable[kept])), rng)


def blurred_greedy(problem: CoverageProblem, seed: int) -> Int64s:
    """Choose greedily by weights multiplied by random factors, beginning with the required sets."""
    return _blurred(problem, problem.required, np.random.default_rng(seed))


def _blurred(problem: CoverageProblem, start: Int64s, rng: np.random.Generator) -> Int64s:
    factors = np.exp(_BLUR * rng.standard_normal(problem.n_elements))
    weights = problem.weights / (problem.weights.max(initial=0.0) or 1.0)
    blurred = replace(problem, weights=weights * factors)
    selected = np.concatenate((start, complete(blurred, start)))
    return np.concatenate((selected, complete(problem, selected)))
