"""Selection: solve the coverage problem of a corpus under two more rules.

A coverage problem has additive costs and limits. A summary has two more rules: no two sentences may
say nearly the same, and the joined text must fit under any counter. Both only exclude selections,
so an upper bound without them also holds with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.ascending import difference, union
from maxcover.engine.core.bounds import Bound
from maxcover.engine.core.solution import certify
from maxcover.engine.solvers.order import added_weight, by_gain
from maxcover.errors import TextError
from maxcover.texts.summary.contributions import find_gains
from maxcover.texts.weigh.repeats import find_alike, repetitions

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution
    from maxcover.ground.array_types import Int64s
    from maxcover.texts.weigh.corpus import Corpus


FILLER, FILLER_PART = 0.02, 0.5
"""A sentence is filler, which only uses up remaining room, if it adds less than 2 % of the value
and less than half of the mean gain."""

# The most times that the problem is solved again because the text is too long. After that,
# sentences are dropped.
_ROUNDS = 4


@dataclass(frozen=True, kw_only=True)
class SelectionRules:
    """The candidates, the rules of the selection, and the function that solves the problem.

    Attributes
    ----------
    corpus : Corpus
    problem : CoverageProblem
        Of the corpus: set i is sentence i.
    budget : float
        For the joined text.
    by_gain : bool
        Whether sentences are joined by gain; otherwise they are in reading order.
    place : int64 array
        Place of each document in reading order.
    sparing : bool
        Whether a sentence that adds next to nothing is left out, even if it fits.
    max_similarity : float
        No two chosen sentences share a larger part of their concepts.
    solve : callable
    """

    corpus: Corpus
    problem: CoverageProblem
    budget: float
    by_gain: bool
    place: Int64s
    sparing: bool
    max_similarity: float
    solve: Callable[[CoverageProblem], Solution]


def choose(rules: SelectionRules) -> Solution:
    """Choose sentences that keep all rules, and certify the choice.

    Every sentence except required ones adds something. No sentence is left out that would add
    something, fit, and keep the rules (unless `sparing`). If nothing that fits adds anything, the
    first sentence that fits is chosen, so there is always at least one.

    Raises
    ------
    TextError
        No selection that was tried fits under a counter that is not additive.
    """
    solution = rules.solve(rules.problem)
    chosen = _refine(rules, solution.selected)
    if rules.sparing:
        chosen = _spare(rules, chosen)
    if not chosen.size:
        chosen = _single(rules)
    if np.array_equal(chosen, solution.selected):
        return solution
    # The bound for all selections also holds for the fewer selections that keep the rules.
    known = Bound(solution.upper_bound, solution.bound_by, solution.dual)
    return certify(
        rules.problem,
        chosen,
        bound="quick",
        known=known,
        stopped=solution.stopped,
        method=solution.method,
    )


def _refine(rules: SelectionRules, selected: Int64s) -> Int64s:
    """Change a selection so that it keeps the rules, then add sentences that still fit."""
    chosen = _keep_apart(rules, rules.problem, selected)
    if not rules.corpus.unit.additive:
        chosen = _fit(rules, chosen)
    return _fill(rules, chosen)


def _spare(rules: SelectionRules, chosen: Int64s) -> Int64s:
    """Repeatedly drop filler and solve again without it, until there is no filler.

    The room goes to sentences that say more; if there are none, it stays empty.
    """
    narrower, best = rules, np.empty(0, np.int64)
    for _ in range(_ROUNDS):
        kept = _drop_filler(rules, chosen)
        best = max(best, kept, key=rules.problem.value)
        if kept.size == chosen.size:
            break
        out = union(narrower.problem.forbidden, difference(chosen, kept))
        narrower = replace(narrower, problem=replace(narrower.problem, forbidden=out))
        chosen = _refine(narrower, narrower.solve(narrower.problem).selected)
    return best


def _useful(rules: SelectionRules, selected: Int64s) -> list[int]:
    """Return the sentences that add weight, and the required ones, sorted by gain."""
    order, gains = find_gains(rules.problem, selected)
    kept = (gains > 0) | rules.problem.is_required[order]
    useful: list[int] = order[kept].tolist()
    return useful


def _keep_apart(rules: SelectionRules, problem: CoverageProblem, selected: Int64s) -> Int64s:
    """Replace or drop sentences that are too similar to a better one."""
    most = rules.max_similarity
    kept, extra = _part(rules, selected)
    if extra.size:
        # Solve once more, without the sentences that are similar to those kept.
        others = difference(np.flatnonzero(problem.choosable), kept)
        alike = find_alike(rules.corpus, kept.tolist(), others, most=most)
        out = union(problem.forbidden, difference(alike, problem.required))
        again, _ = _part(rules, rules.solve(replace(problem, forbidden=out)).selected)
        kept = max(kept, again, key=problem.value)
    return kept


def _part(rules: SelectionRules, selected: Int64s) -> tuple[Int64s, Int64s]:
    """Split useful sentences into distinct ones and those that repeat one of them."""
    required = set(rules.problem.required.tolist())
    # Required sentences come first, so that a sentence similar to one of them counts as the
    # repetition.
    useful = sorted(_useful(rules, selected), key=lambda one: one not in required)
    extra = repetitions(rules.corpus, useful, most=rules.max_similarity, keep=required)
    return difference(useful, extra), np.array(sorted(extra), np.int64)


def _fit(rules: SelectionRules, chosen: Int64s) -> Int64s:
    """Make the joined text fit if the counter is not additive.

    The sentences were chosen as if sizes added up. If the text is larger than that, choose again
    within a smaller budget. If it still does not fit, drop the sentences that add least.
    """
    problem, least = rules.problem, float(rules.problem.costs[rules.problem.required].sum())
    tighter = problem.budget
    for _ in range(_ROUNDS):
        size = _measure(rules, chosen)
        if size <= rules.budget:
            return chosen
        tighter *= 0.99 * min(1.0, rules.budget / size)
        if not tighter > least:
            break
        within = problem.with_budget(tighter)
        chosen = _keep_apart(rules, within, rules.solve(within).selected)
    return _cut(rules, chosen)


def _cut(rules: SelectionRules, chosen: Int64s) -> Int64s:
    """Drop the sentences that add least, in steps that double, until the text fits."""
    required = rules.problem.required
    rest = by_gain(rules.problem, difference(chosen, required))
    step = 1
    while rest.size and not _measure(rules, chosen) <= rules.budget:
        rest, step = rest[:-step], 2 * step
        chosen = union(required, rest)
    if chosen.size and not _measure(rules, chosen) <= rules.budget:
        size = _measure(rules, chosen)
        raise TextError(
            f"expected the required sentences to fit into {rules.budget:g} "
            f"{rules.corpus.unit.name}; "
            f"joined, they take {size:g}"
        )
    return chosen


def _fill(rules: SelectionRules, chosen: Int64s) -> Int64s:
    """Add sentences that fit, keep the rules and add weight, largest gain first."""
    problem, may = rules.problem, rules.problem.choosable.copy()
    may[chosen] = False
    new = chosen.tolist()
    while True:
        room = problem.budget - float(problem.costs[chosen].sum())
        may &= problem.costs <= room * (1 + 1e-12)
        if not may.any():
            return chosen
        may[find_alike(rules.corpus, new, np.flatnonzero(may), most=rules.max_similarity)] = False
        added, new = added_weight(problem, chosen) * may, []
        while added.any() and not new:
            best = int(np.argmax(added))
            more = union(chosen, [best])
            may[best], added[best] = False, 0
            if _keeps_limits(rules, more):
                chosen, new = more, [best]
        if not new:
            return chosen


def _drop_filler(rules: SelectionRules, chosen: Int64s) -> Int64s:
    """Drop filler, smallest gain first; drop nothing if all candidates fit together."""
    everything = union(np.flatnonzero(rules.problem.choosable), rules.problem.required)
    if rules.problem.costs[everything].sum() <= rules.problem.budget:
        return chosen
    kept = rules.problem.is_required
    while True:
        order, gains = find_gains(rules.problem, chosen)
        least = min(FILLER, FILLER_PART / max(1, len(order))) * gains.sum()
        few = order[(gains < least) & ~kept[order]]
        if not few.size:
            return chosen
        chosen = difference(chosen, few[-1:])


def _keeps_limits(rules: SelectionRules, more: Int64s) -> bool:
    """Tell whether a selection is within the budget and the limits per document."""
    if rules.problem.excess(more):
        return False
    return rules.corpus.unit.additive or _measure(rules, more) <= rules.budget


def _measure(rules: SelectionRules, chosen: Int64s) -> float:
    """Return the size of the text in the order in which it will be printed."""
    if rules.by_gain:
        return rules.corpus.measure(by_gain(rules.problem, chosen).tolist())
    documents = rules.corpus.document[chosen]
    return rules.corpus.measure(chosen[np.argsort(rules.place[documents], kind="stable")].tolist())


def _single(rules: SelectionRules) -> Int64s:
    """Return the heaviest sentence that fits; the first of equally heavy ones."""
    problem = rules.problem
    weights = added_weight(problem, problem.required)
    for index in np.argsort(-weights, kind="stable"):
        alone = np.array([index])
        fits = problem.choosable[index] and not problem.excess(alone)
        if fits and _measure(rules, alone) <= rules.budget:
            return alone
    raise TextError(
        f"no sentence fits into {rules.budget:g} {rules.corpus.unit.name} when measured a second "
        "time; the counter has to give the same answer for the same text"
    )
