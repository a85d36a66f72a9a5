"""Cover state: what a run of `cover` knows: the cheapest selection and the highest bound so far."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.limits import row_sums
from maxcover.engine.core.solution import exact_total
from maxcover.engine.core.target import (
    TOLERANCE,
    Target,
    capped,
    cost_status,
    cost_step,
    lowest_cost,
)
from maxcover.engine.core.ticks import above
from maxcover.engine.core.wording import number
from maxcover.engine.solvers.engine import Engine
from maxcover.engine.solvers.exchange import Exchange
from maxcover.engine.solvers.folding import raised, tamed
from maxcover.engine.solvers.incumbent import Incumbent
from maxcover.engine.solvers.seconds import PER_EDGE
from maxcover.errors import InfeasibleError

if TYPE_CHECKING:
    from maxcover.engine.core.bounds import CaseTree, Dual
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Status
    from maxcover.engine.solvers.control import Control
    from maxcover.ground.array_types import Int64s


class CoverState(Engine):
    """The cheapest selection that meets a target, and the highest lower bound, so far."""

    def __init__(self, problem: CoverageProblem, goal: Target, control: Control) -> None:
        super().__init__(control)
        self.goal = goal
        everything = float(min(problem.costs.sum() * (1 + 2.0**-20), 1e308))
        problem, self.exponent = tamed(problem)
        # Compute these cached properties now: copies of the problem with other budgets share them.
        problem.steps, problem.counted_weights  # noqa: B018
        if control.affords(problem.n_edges * PER_EDGE.search):
            problem.transpose  # noqa: B018
        self.problem = self.open = self._within = problem.with_budget(everything)
        self.inner = goal
        if self.exponent:
            weight = goal.weight and math.ldexp(float(goal.weight), -self.exponent)
            self.inner = Target(problem, goal.share, weight)
        self.need = self.inner.counted if self.open.is_plain else self.inner.floor
        # If weights have no unit, ask for slightly more than the target, in case sums are rounded
        # up.
        sure = self.open.is_plain and self.open.weight_unit
        self.enough = self.need if sure else self.need * (1 + 1e-12)
        spent = exact_total(problem.costs[problem.required])
        self.best = Incumbent(control, problem.required, spent)
        self.dual: Dual | None = None
        # Whether the target requires every element of positive weight that a set can cover.
        self.is_full = False
        if self.open.is_plain:
            heavy = self.open.counted_weights[self.open.coverable & (self.open.weights > 0)]
            lightest = float(heavy.min(initial=np.inf))
            self.is_full = self.need > float(heavy.sum()) - lightest * (1 - 1e-9)

    @property
    def within(self) -> CoverageProblem:
        """The problem whose budget is the cost of the best selection so far."""
        self._within = capped(self._within, self.cost)
        return self._within

    @property
    def selected(self) -> Int64s:
        """The cheapest selection that meets the target."""
        return self.best.selected

    @property
    def cost(self) -> float:
        """The lowest cost; infinite before the first selection."""
        return self.best.worth

    @property
    def bound(self) -> float:
        """The highest lower bound."""
        return self.best.bound

    def status(self) -> Status:
        """Return what the lower bound proves of the cost."""
        return cost_status(self.within, self.cost, self.bound, self.control.target_gap)

    def offer(self, part: str, selected: Int64s) -> bool:
        """Keep `selected` or a pruned copy if it meets the target for less; return whether kept."""
        late = self.best.is_any and self.control.expired()
        lean = selected if late or self.is_too_late else self.pruned(selected)
        for found in (lean, selected)[lean is selected :]:
            cost = exact_total(self.open.costs[found])
            if cost < self.cost * (1 - 1e-12) and self.is_enough(found):
                return self.best.keep(part, found, cost)
        return False

    def is_enough(self, selected: Int64s) -> bool:
        """Whether a selection meets the target and keeps all limits but the budget."""
        return self.inner.is_met(selected) and not self.open.violation(selected)

    @property
    def is_too_late(self) -> bool:
        """Whether there is no time to drop sets one by one."""
        return not self.affords_search()

    def pruned(self, selected: Int64s) -> Int64s:
        """Drop sets that the target does not need, the most expensive first."""
        return Exchange(self.open).pruned(selected, self.enough)

    def prove(self, by: str, bound: float, tree: CaseTree | None = None) -> None:
        """Record a lower bound that a search proved, and its proof by cases if there is one."""
        bound = rounded_up(self.within, bound)
        if cost_step(self.within) is None and bound >= self.cost:
            bound = self.cost * (1 - 0.5 * TOLERANCE)
        self.best.claims(by, bound, tree)
        self.best.tighten(by, bound)

    def bound_of(self, within: CoverageProblem) -> float:
        """Return the lower bound on cost that the current dual point gives; -inf without one."""
        return -math.inf if self.dual is None else lowest_cost(within, self.inner, self.dual)

    def cheaper(self, by: float = 0.0) -> CoverageProblem | None:
        """Return the problem whose budget is `by`, or at least a cost step, below the best cost.

        None if the required sets alone cost more than that budget.
        """
        within = self.within
        ticks, step = within.ticks, cost_step(within)
        if ticks.exact:
            unit = Fraction(ticks.unit) if step is None else step
            spent = int(ticks.ticks[self.selected].sum())
            exactly = (spent - max(1, int(by / unit))) * unit
            if step is None:  # a unit such as 1/3 is known up to rounding only
                exactly += unit / 4
            budget = above(int(exactly)) if exactly.denominator == 1 else float(exactly)
        else:
            budget = self.cost - max(by, 0.5 * TOLERANCE * self.cost)
        spent_anyway = exact_total(within.costs[within.required])
        return self.open.with_budget(budget) if budget >= spent_anyway else None

    def unreachable(self, words: str, best: Int64s) -> InfeasibleError:
        """Return the error for a target that even the selection `best` does not reach.

        If all sets that are not forbidden reach it, the message names the limits that they break.
        """
        problem, limits = self.open, self.open.limits
        value, total = problem.value(best), float(problem.weights.sum())
        share, most = value / total if total else 0.0, math.ldexp(value, self.exponent)
        allowed = np.ones(problem.n_sets)
        allowed[problem.forbidden] = 0
        used = row_sums(limits.indptr, limits.amounts * allowed[limits.members])
        broken = [
            f"{limits.names[r]} (at most {number(limits.high[r])}, got {number(used[r])})"
            for r in np.flatnonzero(used > limits.high)[:3]
        ]
        limit = ""
        if broken and self.inner.is_met(np.flatnonzero(allowed)):
            limit = f"; all sets together reach it, but break {', '.join(broken)}"
        asked = f"weight={self.goal.weight!r}"
        if self.goal.share is not None:
            asked = f"target={self.goal.share!r}, which is {self.goal.needed:.15g}"
        return InfeasibleError(
            f"expected a target that can be reached: {words} {most:.15g} ({share:.4%} of all), "
            f"got {asked}{limit}"
        )

    def dual_of_caller(self) -> Dual | None:
        """Return the dual point, scaled back to the weights that the caller gave."""
        return raised(self.dual, self.exponent)


def in_units_of(dual: Dual, problem: CoverageProblem) -> Dual:
    """Return `dual` with its price converted to the tick size of `problem`."""
    unit = problem.ticks.unit
    return dual._replace(price=dual.price / dual.unit * unit, unit=unit)


def rounded_up(problem: CoverageProblem, bound: float) -> float:
    """Round a lower bound up to the next cost that a selection can have."""
    step = cost_step(problem)
    if step is None:
        return bound
    return float(math.ceil(Fraction(bound) / step - Fraction(1, 10**6)) * step)
