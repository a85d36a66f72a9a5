"""Meeting a target one set at a time: greedy for submodular cover, and reverse delete."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.ascending import difference
from maxcover.core.validation import positions_of
from maxcover.solvers.greedy import complete
from maxcover.solvers.order import added_weight

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control

    Int64s = NDArray[np.int64]


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
        row = problem.elements_of(i)
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
        row = problem.elements_of(i)
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
    with np.errstate(over="ignore"):
        rates = _gains(problem, nobody) / np.maximum(problem.counted_costs, 1e-300)
    ranking = np.flatnonzero(problem.choosable)
    ranking = ranking[np.argsort(-rates[ranking], kind="stable")]
    # the rank of the first set that holds each element
    rank = np.full(problem.n_sets, ranking.size + 1)
    rank[ranking], rank[problem.required] = 1 + np.arange(ranking.size), 0
    first = np.full(problem.n_elements, ranking.size + 1)
    np.minimum.at(first, problem.indices, np.repeat(rank, np.diff(problem.indptr)))
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
        row = problem.elements_of(i)
        loss = float(weights[row[counts[row] == 1]].sum())
        if loss == 0.0 or loss <= spare:
            dropped.append(i)
            counts[row] -= 1
            spare -= loss
    return difference(selected, np.array(dropped, dtype=np.int64))


def fitting(problem: CoverageProblem, selected: Int64s) -> Int64s:
    """Drop sets, least weight of their own per cost first, until the rest keeps the budget."""
    ticks = problem.ticks
    movable = difference(selected, problem.required)
    movable = movable[ticks.ticks[movable] <= ticks.limit]
    own, _ = own_weights(problem, np.concatenate((movable, problem.required)))
    with np.errstate(over="ignore"):
        rates = own[: movable.size] / np.maximum(problem.costs[movable], 1e-300)
    order = np.argsort(-rates, kind="stable")
    room = ticks.limit - int(ticks.ticks[problem.required].sum())
    spent = np.cumsum(ticks.ticks[movable[order]])
    return np.sort(np.concatenate((problem.required, movable[order[spent <= room]])))
