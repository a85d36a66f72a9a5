"""Repair: a solution of the problem of a summary, kept to what is no term of it.

Conflicts between sentences that say the same are found where a solution breaks them, and the joined
text must fit under any counter. Both only exclude selections, so a bound without them holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.ascending import difference, union
from maxcover.engine.core.bounds import Bound
from maxcover.engine.core.solution import certify
from maxcover.engine.solvers.order import added_weight, by_gain
from maxcover.errors import TextError
from maxcover.texts.summary.contributions import find_gains
from maxcover.texts.weigh.repeats import repetitions

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution
    from maxcover.ground.array_types import Int64s
    from maxcover.texts.summary.pose import Pose


ROUNDS = 4
"""Most times that a problem is solved again because sentences say the same, or because the text is
too long. After that, sentences are dropped."""


@dataclass(frozen=True, kw_only=True)
class Repair:
    """Solves the problem of a summary, and repairs the solution.

    Attributes
    ----------
    pose : Pose
    budget : float
        For the joined text.
    by_gain : bool
        Whether sentences are joined by gain; otherwise they are in reading order.
    solve : callable
    """

    pose: Pose
    budget: float
    by_gain: bool
    solve: Callable[[CoverageProblem], Solution]

    def choose(self) -> tuple[CoverageProblem, Solution]:
        """Choose sentences, and certify the choice; return the problem that was solved.

        Every sentence except required ones adds something. If nothing that fits adds anything, the
        heaviest sentence that fits is chosen, so there is always at least one.

        Raises
        ------
        TextError
            No selection that was tried fits under a counter that is not additive.
        """
        problem = self.pose.problem(self.budget)
        solution = self.solve(problem)
        conflicts: list[Int64s] = []
        for _ in range(ROUNDS):
            more = self.pose.conflicts(problem, solution.selected)
            if not more:
                break
            conflicts += more
            problem = self.pose.problem(self.budget, conflicts)
            solution = self.solve(problem)
        chosen = self._without_repeats(problem, solution.selected)
        if not self.pose.corpus.unit.additive:
            chosen = self._fit(problem, chosen)
        if not chosen.size:
            chosen = self._single(problem)
        if np.array_equal(chosen, solution.selected):
            return problem, solution
        known = Bound(solution.upper_bound, solution.bound_by, solution.dual)
        return problem, certify(
            problem,
            chosen,
            bound="quick",
            known=known,
            stopped=solution.stopped,
            method=solution.method,
        )

    def measure(self, problem: CoverageProblem, chosen: Int64s) -> float:
        """Return the size of the text of chosen sets in the order in which it will be printed."""
        corpus, order = self.pose.corpus, self.pose.order
        printed = self.pose.printed(chosen)
        if self.by_gain:
            return corpus.measure(by_gain(self.pose.alone(self.budget), printed).tolist())
        place = np.argsort(order)[corpus.document[printed]]
        return corpus.measure(printed[np.argsort(place, kind="stable")].tolist())

    def _without_repeats(self, problem: CoverageProblem, selected: Int64s) -> Int64s:
        """Drop sentences that add nothing or say the same as a better one, required ones aside."""
        order, gains = find_gains(problem, selected)
        required = {*problem.required.tolist()}
        useful = order[(gains > 0) | problem.is_required[order]].tolist()
        useful.sort(key=lambda one: one not in required)
        most = self.pose.max_similarity
        again = repetitions(self.pose.corpus, useful, most=most, keep=required)
        return difference(np.sort(np.array(useful, np.int64)), np.sort(np.array(again, np.int64)))

    def _fit(self, problem: CoverageProblem, chosen: Int64s) -> Int64s:
        """Make the joined text fit if the counter is not additive.

        The sentences were chosen as if sizes added up. If the text is larger than that, choose
        again within a smaller budget. If it still does not fit, drop the sentences that add least.
        """
        tighter, least = problem.budget, float(problem.costs[problem.required].sum())
        for _ in range(ROUNDS):
            size = self.measure(problem, chosen)
            if size <= self.budget:
                return chosen
            tighter *= 0.99 * min(1.0, self.budget / size)
            if not tighter > least:
                break
            chosen = self._without_repeats(
                problem, self.solve(problem.with_budget(tighter)).selected
            )
        return self._cut(problem, chosen)

    def _cut(self, problem: CoverageProblem, chosen: Int64s) -> Int64s:
        """Drop the sentences that add least, in steps that double, until the text fits."""
        required = problem.required
        rest = by_gain(problem, difference(chosen, required))
        step = 1
        while rest.size and not self.measure(problem, chosen) <= self.budget:
            rest, step = rest[:-step], 2 * step
            chosen = union(required, rest)
        if chosen.size and not self.measure(problem, chosen) <= self.budget:
            raise TextError(
                f"expected the required sentences to fit into {self.budget:g} "
                f"{self.pose.corpus.unit.name}; joined, they take "
                f"{self.measure(problem, chosen):g}"
            )
        return chosen

    def _single(self, problem: CoverageProblem) -> Int64s:
        """Return the heaviest sentence that fits; the first of equally heavy ones."""
        weights = added_weight(problem, problem.required)
        for index in np.argsort(-weights, kind="stable"):
            alone = np.array([index])
            fits = problem.choosable[index] and not problem.excess(alone)
            if fits and self.measure(problem, alone) <= self.budget:
                return alone
        raise TextError(
            f"no sentence fits into {self.budget:g} {self.pose.corpus.unit.name} when measured a "
            "second time; the counter has to give the same answer for the same text"
        )
