"""Planned: one growing selection for growing budgets (`plan`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from maxcover.core import validation
from maxcover.core.ascending import difference, distinct, union
from maxcover.core.gains import gains
from maxcover.core.limits import NO_FLOORS
from maxcover.core.wording import number, percent
from maxcover.decisions.decision import Decision, listed
from maxcover.decisions.phases import in_phases
from maxcover.errors import InfeasibleError, OptionError
from maxcover.options import checked
from maxcover.solvers.curve import budget_curve
from maxcover.solvers.solve import solve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from maxcover.array_types import Floats, Int64s
    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.effort import EffortName

    Selections = list[Int64s]

# A problem over phases of more edges is made of the sets alone that a simpler plan chooses.
WHOLE_EDGES = 20_000
# Phases that an order is planned in; within each, the sets that add most per cost enter first.
# Beside 8, and beside plans within plans: the best worst share on ten families of 60 sets.
_PHASES_OF_ORDER = 4
# What a share may be lower by and still count as equal.
_CLOSE = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Plan(Decision):
    """Which sets enter in which phase, and the share of what each budget could cover alone.

    Attributes
    ----------
    problem : CoverageProblem
    budgets : array of float
        What may be spent by the end of each phase.
    selections : tuple of arrays of int
        The sets that are there at the end of each phase; each holds the one before.
    values : array of float
        What they cover.
    upper_bounds : array of float
        No selection covers more within this budget alone.
    mean_bound : float
        No plan has a larger mean share.
    """

    _picture = "plot_plan"

    budgets: Floats
    selections: tuple[Int64s, ...]
    values: Floats
    upper_bounds: Floats
    mean_bound: float

    @property
    def entering(self) -> tuple[Int64s, ...]:
        """The sets that enter in each phase."""
        return tuple(map(difference, self.selections, (validation.NO_INDICES, *self.selections)))

    @property
    def shares(self) -> Floats:
        """The share that each phase has, at least, of what its budget could cover alone."""
        reach = self.upper_bounds
        return np.where(reach > 0, self.values / np.maximum(reach, 1e-300), 1.0)

    @property
    def worst(self) -> float:
        """The least of these shares."""
        return float(self.shares.min())

    @property
    def mean(self) -> float:
        """Their mean."""
        return float(self.shares.mean())

    @property
    def certificate(self) -> str:
        """What was proven, in a sentence.

        Examples
        --------
        >>> from maxcover import CoverageProblem
        >>> problem = CoverageProblem.from_sets([[1, 2], [2, 3], [4]], budget=1)
        >>> plan(problem, [1, 2]).certificate
        'On average a phase covers at least 100\u202f% of what its budget could cover alone; no
        plan can have more than 100\u202f%.'
        """
        return (
            f"On average a phase covers at least {percent(self.mean)} of what its budget could "
            f"cover alone; no plan can have more than {percent(self.mean_bound)}."
        )

    def __len__(self) -> int:
        return len(self.budgets)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return map(self._labels, self.entering)

    def __repr__(self) -> str:
        return (
            f"Plan({len(self)} phases, {len(self.selections[-1])} sets, worst share "
            f"{self.worst:.2%}, mean {self.mean:.2%}, at most {self.mean_bound:.2%})"
        )

    def _sentences(self) -> list[str]:
        rows = zip(self, self.budgets, self.values, self.shares, strict=True)
        phases = [
            f"Phase {k}, budget {number(budget)}: {listed(labels) or 'no set'} ({number(value)} "
            f"covered, {percent(share)} of what this budget could cover alone)."
            for k, (labels, budget, value, share) in enumerate(rows, 1)
        ]
        return [*phases, self.certificate]

    def _heading(self) -> list[str]:
        return [self.certificate]

    def _columns(self) -> dict[str, Any]:
        phases = np.repeat(np.arange(len(self)), [len(sets) for sets in self.entering])
        sets = np.concatenate(self.entering)
        return self._named(sets) | {
            "phase": phases + 1,
            "cost": self.problem.costs[sets],
            "budget": self.budgets[phases],
            "value": self.values[phases],
            "share": self.shares[phases],
        }

    def _facts(self) -> dict[str, Any]:
        columns = ("budgets", "values", "upper_bounds", "shares")
        about = {"worst": self.worst, "mean": self.mean, "mean_bound": self.mean_bound}
        return {**{name: getattr(self, name).tolist() for name in columns}, **about}


@checked
def plan(
    problem: CoverageProblem,
    budgets: Sequence[float] | None = None,
    *,
    phases: int | Literal["every"] | None = None,
    effort: EffortName = "normal",
    seed: int = 0,
) -> Plan:
    """Choose one growing selection for growing budgets.

    Parameters
    ----------
    problem : CoverageProblem
        Its maxima hold in every phase, its minima at the end, and its required sets enter first.
    budgets : sequence of float, optional
        What may be spent in total by the end of each phase, growing: ``[3, 6]`` are three now and
        three more later.
    phases : int or "every", optional
        Instead of budgets: so many equal steps of the problem's budget, or one phase per set: an
        order in which stopping at any point loses little.
    effort : {"fast", "normal", "thorough"}
    seed : int

    Returns
    -------
    Plan
        With the largest mean share that was found among plans whose worst share is at least that
        of the greedy order and of the plan made phase by phase. A share is what a phase covers of
        what its budget could reach alone. ``mean_bound`` is proven.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> sets = {"a": [1, 2, 3], "b": [4, 5], "c": [1, 2, 4], "d": [3, 5, 6]}
    >>> found = plan(CoverageProblem.from_sets(sets, budget=2), budgets=[1, 2])
    >>> list(found), found.values
    ([('c',), ('d',)], array([3., 6.]))
    """
    if (budgets is None) == (phases is None):
        raise OptionError("expected either budgets=[...] or phases=..., as in phases=5")
    steps = _PHASES_OF_ORDER if phases == "every" else phases
    given = budgets if steps is None else _equal_steps(problem.budget, steps)
    sizes = validation.numbers(given, "budgets")
    if steps is None:
        _check_growing(problem, sizes)
    sizes = distinct(sizes)
    simple, joint, bound = _planned(problem, sizes, effort=effort, seed=seed)
    if phases == "every":
        simple, joint, bound = _in_order(simple, seed), _in_order(joint, seed), 1.0
    best = _best(simple, joint)
    return replace(best, mean_bound=min(max(bound, best.mean), 1.0))


def _check_growing(problem: CoverageProblem, sizes: Floats) -> None:
    """Refuse budgets that do not grow, and those that buy no set at all."""
    if not sizes.size:
        raise OptionError("expected budgets to have at least one, got none")
    shrinks = np.flatnonzero(np.diff(sizes) <= 0)
    if shrinks.size:
        first = int(shrinks[0])
        raise OptionError(
            "expected budgets that grow, as each is what may be spent in total by the end of its "
            f"phase, got {number(sizes[first + 1])} after {number(sizes[first])}; if these are "
            "what each phase may spend, write numpy.cumsum(budgets)"
        )
    usable = np.flatnonzero(problem.with_budget(float(problem.costs.sum())).choosable)
    if usable.size and not problem.required.size and problem.costs[usable].min() > sizes[-1]:
        cheapest = int(usable[np.argmin(problem.costs[usable])])
        raise OptionError(
            f"expected budgets that buy a set, got {number(sizes[-1])} at most, and the cheapest, "
            f"{problem.label(cheapest)!r}, costs {number(problem.costs[cheapest])}; budgets are "
            "costs: to count sets instead, pass problem.replace(costs=None)"
        )


def _bar(simple: list[Plan]) -> float:
    """Return the worst share that a plan has to have: that of the fairest simple one."""
    return (1 - _CLOSE) * max(one.worst for one in simple)


def _best(simple: list[Plan], joint: list[Plan]) -> Plan:
    """Return the plan with the largest mean share of those with a fair worst one."""
    bar = _bar(simple)
    return max((*simple, *joint), key=lambda one: (one.worst >= bar, one.mean))


def _planned(
    problem: CoverageProblem, sizes: Floats, **options: Any
) -> tuple[list[Plan], list[Plan], float]:
    """Return simple plans, those of one problem over all phases, and a bound of the mean share."""
    early = _without_minima(problem)
    stages = [early.with_budget(size) for size in sizes[:-1].tolist()]
    stages.append(problem.with_budget(float(sizes[-1])))
    alone = [solve(stage, **options) for stage in stages]
    reach = np.array([found.upper_bound for found in alone])
    chains = (
        _forward(stages, method="g-greedy", bound="trivial"),
        _forward(stages, **options),
        _backward(stages, alone[-1].selected, options),
    )
    simple = [_plan_of(problem, sizes, each, reach) for each in chains if each is not None]
    usable = np.flatnonzero(problem.choosable | problem.is_required)
    is_whole = problem.n_edges * len(sizes) * (len(sizes) + 1) // 2 <= WHOLE_EDGES
    if not is_whole:
        held = [one.selected for one in alone] + [one.selections[-1] for one in simple]
        usable = distinct(np.concatenate(held))
    # a budget that reaches nothing has all that it could
    factors = np.divide(1.0, len(sizes) * reach, out=np.zeros(len(sizes)), where=reach > 0)
    joint: list[Plan] = []
    bound = 1.0
    # the best mean share of all, and if that is not fair, of fair ones
    for least in (None, _bar(simple) * reach):
        over = in_phases(stages[-1], sizes, factors, usable, least)
        start = over.numbered(_best(simple, joint).selections)
        found = solve(over.problem, start=start, **options)
        chosen = over.selections(found.selected, len(sizes))
        joint.append(_plan_of(problem, sizes, chosen, reach))
        if least is None and is_whole:
            bound = found.upper_bound + float((reach <= 0).mean())
        if joint[-1].worst >= _bar(simple):
            break
    return simple, joint, bound


def _plan_of(problem: CoverageProblem, sizes: Floats, chosen: Selections, reach: Floats) -> Plan:
    """Put a plan together; no selection within budget k covers more than ``reach[k]``."""
    values = np.array([problem.value(sets) for sets in chosen])
    return Plan(
        problem=problem,
        budgets=validation.frozen(sizes),
        selections=tuple(map(validation.frozen, chosen)),
        values=validation.frozen(values),
        upper_bounds=validation.frozen(np.maximum(reach, values)),
        mean_bound=1.0,
    )


def _without_minima(problem: CoverageProblem) -> CoverageProblem:
    limits = problem.limits
    if len(limits):
        limits = replace(limits, low=np.zeros(len(limits)))
    return replace(problem, floors=NO_FLOORS, limits=limits)


def _forward(stages: Sequence[CoverageProblem], **options: Any) -> Selections | None:
    """Solve phase by phase, keeping what has entered; None where that cannot meet the minima."""
    held, found = stages[0].required, []
    try:
        for stage in stages:
            held = solve(stage.with_choice(held, stage.forbidden), **options).selected
            found.append(held)
    except (InfeasibleError, OptionError):
        return None
    return found


def _backward(
    stages: Sequence[CoverageProblem], last: Int64s, options: dict[str, Any]
) -> Selections:
    """Solve from the last phase back, each within the selection of the next."""
    found = [last]
    for stage in stages[-2::-1]:
        outside = difference(np.arange(stage.n_sets), found[0])
        found.insert(0, solve(stage.with_choice(stage.required, outside), **options).selected)
    return found


def _in_order(plans: list[Plan], seed: int) -> list[Plan]:
    """Return plans in which the sets of each phase enter one by one, required ones first of all."""
    problem = plans[0].problem
    orders = [_one_by_one(plan) for plan in plans]
    spent = [[_decimal(problem.costs[sets].sum()) for sets in order] for order in orders]
    curve = budget_curve(_without_minima(problem), [*chain.from_iterable(spent)], seed=seed)
    reach = np.split(curve.upper_bounds, np.cumsum([len(costs) for costs in spent])[:-1])
    return [
        _plan_of(problem, np.array(costs), order, limit)
        for costs, order, limit in zip(spent, orders, reach, strict=True)
    ]


def _one_by_one(plan: Plan) -> Selections:
    """Let the sets of a phase enter by what they add per cost, free ones first."""
    problem, held = plan.problem, plan.problem.required
    found = []
    for after in plan.selections:
        while (sets := difference(after, held)).size:
            with np.errstate(divide="ignore", invalid="ignore"):
                rate = np.nan_to_num(gains(problem, held, sets) / problem.costs[sets], nan=np.inf)
            held = union(held, sets[[np.argmax(rate)]])
            found.append(held)
    return found or [held]


def _equal_steps(budget: float, steps: int) -> list[float]:
    return [_decimal(budget * k / steps) for k in range(1, steps + 1)]


def _decimal(cost: float) -> float:
    """Return a sum of costs as a decimal: 0.1 + 0.7 are 0.8."""
    return float(f"{cost:.12g}")
