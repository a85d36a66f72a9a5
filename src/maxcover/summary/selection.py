"""Choose: solve the coverage problem of a corpus under the rules that are not part of it.

A coverage problem knows additive costs and limits. A summary has two rules besides: no two
sentences that say nearly the same, and a text that fits under a counter of which nothing is known
but its answers. Both only make selections fewer, so an upper bound without them holds with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.bounds import Bound
from maxcover.core.solution import certify
from maxcover.errors import TextError
from maxcover.solvers.order import added_weight, by_gain
from maxcover.summary.contributions import chosen_sentences
from maxcover.text.similar import repetitions

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Solution
    from maxcover.text.corpus import Corpus

    Int64s = NDArray[np.int64]

# How often a selection that breaks a rule is replaced by a new one; then it is cut down.
_ROUNDS = 4


@dataclass(frozen=True, kw_only=True)
class Task:
    """What there is to choose from, under which rules, and how to solve the problem.

    Attributes
    ----------
    corpus : Corpus
    problem : CoverageProblem
        Of the corpus: set i is sentence i.
    budget : float
        For the joined text.
    by_gain : bool
        Whether sentences are joined by gain; otherwise they are in reading order.
    max_similarity : float
        No two chosen sentences share a larger part of their concepts.
    solve : callable
    """

    corpus: Corpus
    problem: CoverageProblem
    budget: float
    by_gain: bool
    max_similarity: float
    solve: Callable[[CoverageProblem], Solution]


def choose(task: Task) -> Solution:
    """Choose sentences that keep all rules, and certify them.

    Every sentence adds something, but for required ones, and none is left out that would add
    something, fit, and keep the rules. If nothing that fits adds anything, the first sentence that
    fits is the choice. There is always at least one.

    Raises
    ------
    TextError
        No selection that was tried fits under a counter that is not additive.
    """
    solution = task.solve(task.problem)
    chosen = _keep_apart(task, task.problem, solution.selected)
    if not task.corpus.unit.additive:
        chosen = _fit(task, chosen)
    chosen = _fill(task, chosen)
    if not chosen.size:
        chosen = _single(task)
    if np.array_equal(chosen, solution.selected):
        return solution
    # what holds for all selections holds for those that keep the rules
    known = Bound(solution.upper_bound, solution.bound_by, solution.dual)
    return certify(
        task.problem,
        chosen,
        bound="quick",
        known=known,
        stopped=solution.stopped,
        method=solution.method,
    )


def _useful(task: Task, selected: Int64s) -> list[int]:
    """List the sentences that add something, and the required ones, by gain."""
    required = set(task.problem.required.tolist())
    found = chosen_sentences(task.corpus, task.problem, selected)
    return [sentence.index for sentence in found if sentence.gain > 0 or sentence.index in required]


def _keep_apart(task: Task, problem: CoverageProblem, selected: Int64s) -> Int64s:
    """Replace sentences that say nearly the same as a better one, or leave them out."""
    required = set(problem.required.tolist())
    for rounds_left in reversed(range(_ROUNDS)):
        useful = _useful(task, selected)
        extra = repetitions(task.corpus, useful, most=task.max_similarity, keep=required)
        if not extra or not rounds_left:
            break
        problem = replace(problem, forbidden=np.union1d(problem.forbidden, extra))
        selected = task.solve(problem).selected
    return np.setdiff1d(useful, extra).astype(np.int64)


def _fit(task: Task, chosen: Int64s) -> Int64s:
    """Make the joined text fit under a counter that is not additive.

    Sentences were chosen as if sizes added up. Where the text is larger than that, choose again
    within a smaller budget; where that does not settle it, leave out what adds least.
    """
    problem, least = task.problem, float(task.problem.costs[task.problem.required].sum())
    tighter = problem.budget
    for _ in range(_ROUNDS):
        size = _measure(task, chosen)
        if size <= task.budget:
            return chosen
        tighter *= 0.99 * min(1.0, task.budget / size)
        if not tighter > least:
            break
        within = problem.with_budget(tighter)
        chosen = _keep_apart(task, within, task.solve(within).selected)
    return _cut(task, chosen)


def _cut(task: Task, chosen: Int64s) -> Int64s:
    """Leave out what adds least, in steps that double, until the text fits."""
    required = task.problem.required
    rest = by_gain(task.problem, np.setdiff1d(chosen, required))
    step = 1
    while rest.size and not _measure(task, chosen) <= task.budget:
        rest, step = rest[:-step], 2 * step
        chosen = np.union1d(required, rest)
    if chosen.size and not _measure(task, chosen) <= task.budget:
        size = _measure(task, chosen)
        raise TextError(
            f"expected the required sentences to fit into {task.budget:g} {task.corpus.unit.name}; "
            f"joined, they take {size:g}"
        )
    return chosen


def _fill(task: Task, chosen: Int64s) -> Int64s:
    """Add what still fits and adds something, the most valuable first."""
    problem, out = task.problem, set(chosen.tolist())
    room = problem.budget - float(problem.costs[chosen].sum())
    added = _open_gains(task, chosen, out, room)
    while added.any():
        best = int(np.argmax(added))
        more = np.union1d(chosen, [best]).astype(np.int64)
        out.add(best)
        added[best] = 0.0
        if _keeps_rules(task, chosen, best, more):
            chosen = more
            room -= float(problem.costs[best])
            added = _open_gains(task, chosen, out, room)
    return chosen


def _open_gains(task: Task, chosen: Int64s, out: set[int], room: float) -> NDArray[np.float64]:
    """Return what each sentence would add that may be chosen and has room; zero for the others."""
    problem = task.problem
    may = problem.choosable & (problem.costs <= room * (1 + 1e-12))
    may[list(out)] = False
    return added_weight(problem, chosen) * may if may.any() else np.zeros(len(may))


def _keeps_rules(task: Task, chosen: Int64s, new: int, more: Int64s) -> bool:
    """Tell whether a sentence may join: within all limits, and like none that is there."""
    if task.problem.violation(more):
        return False
    order = [*chosen.tolist(), new]
    if repetitions(task.corpus, order, most=task.max_similarity, keep=chosen.tolist()):
        return False
    return task.corpus.unit.additive or _measure(task, more) <= task.budget


def _measure(task: Task, chosen: Int64s) -> float:
    """Measure the text as it will be printed."""
    order = by_gain(task.problem, chosen) if task.by_gain else chosen
    return task.corpus.measure(order.tolist())


def _single(task: Task) -> Int64s:
    """Return one sentence that fits, the one of the most weight; the first among equals."""
    problem = task.problem
    weights = added_weight(problem, problem.required)
    for index in np.argsort(-weights, kind="stable"):
        alone = np.array([index])
        fits = problem.choosable[index] and not problem.violation(alone)
        if fits and _measure(task, alone) <= task.budget:
            return alone
    raise TextError(
        f"no sentence fits into {task.budget:g} {task.corpus.unit.name} when measured a second "
        "time; the counter has to give the same answer for the same text"
    )
