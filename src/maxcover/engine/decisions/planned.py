"""Planned: one growing selection for growing budgets (`plan`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from maxcover.engine.core import validation
from maxcover.engine.core.ascending import difference, distinct, union
from maxcover.engine.core.gains import gains
from maxcover.engine.core.limits import NO_LIMITS
from maxcover.engine.core.wording import number, percent
from maxcover.engine.decisions.decision import Decision, listed
from maxcover.engine.decisions.phases import in_phases
from maxcover.engine.solvers.control import Until
from maxcover.engine.solvers.curve import budget_curve
from maxcover.engine.solvers.solve import solve
from maxcover.errors import InfeasibleError, OptionError
from maxcover.ground.options import checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.effort import EffortName
    from maxcover.ground.array_types import Floats, Int64s

    Selections = list[Int64s]

# If the problem over all phases has more edges than this, only sets that simpler plans use stay in
# it.
WHOLE_EDGES = 20_000
# Number of phases in which an order of all sets is planned; within a phase, sets enter by gain per
# cost. 4 had a better worst share than 8, and than nested plans, on ten families of 60 sets.
_PHASES_OF_ORDER = 4
# Relative difference up to which two shares count as equal.
_CLOSE = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Plan(Decision):
    """A plan: the sets that enter in each phase, and the value at the end of each phase.

    Attributes
    ----------
    problem : CoverageProblem
    budgets : array of float
        The largest total cost by the end of each phase.
    selections : tuple of arrays of int
        The sets that have entered by the end of each phase; each selection contains the one before.
    values : array of float
        The value of each selection.
    upper_bounds : array of float
        For each budget, no selection within it covers more.
    mean_bound : float
        No plan has a larger mean share (see `shares`).
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
        """For each phase, its value as a share of the upper bound for its budget alone."""
        reach = self.upper_bounds
        return np.where(reach > 0, self.values / np.maximum(reach, 1e-300), 1.0)

    @property
    def worst(self) -> float:
        """The smallest share of any phase."""
        return float(self.shares.min())

    @property
    def mean(self) -> float:
        """The mean share of the phases."""
        return float(self.shares.mean())

    @property
    def certificate(self) -> str:
        """What is proven of the mean share, in a sentence.

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

    def _notes(self) -> list[str]:
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
    time_limit: float | None = 10.0,
    seed: int = 0,
) -> Plan:
    """Choose selections for growing budgets, each of which contains the one before.

    Parameters
    ----------
    problem : CoverageProblem
        Its maxima hold in every phase, its minima at the end, and its required sets enter first.
    budgets : sequence of float, optional
        The largest total cost by the end of each phase, growing: ``[3, 6]`` are three now and three
        more later.
    phases : int or "every", optional
        Instead of budgets: the number of equal steps of the problem's budget. "every" makes one
        phase per set: an order in which stopping at any point loses little.
    effort : {"fast", "normal", "thorough"}
    time_limit : float, optional
        Seconds after which no further search begins: the best plan so far is returned, and
        ``unfinished`` says so. None for no limit.
    seed : int

    Returns
    -------
    Plan
        With the largest mean share that was found among plans whose worst share is at least that
        of the greedy order and of the plan made phase by phase. A share is the value of a
        phase relative to the most that its budget could reach alone. ``mean_bound`` is proven.

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
    until = Until.after(time_limit)
    steps = _PHASES_OF_ORDER if phases == "every" else phases
    given = budgets if steps is None else _equal_steps(problem.budget, steps)
    sizes = validation.numbers(given, "budgets")
    if steps is None:
        _check_growing(problem, sizes)
    sizes = distinct(sizes)
    simple, joint, bound = _planned(problem, sizes, effort=effort, seed=seed, callback=until)
    late = "The time limit ended the search for a better plan." if until.left < 0 else ""
    if phases == "every":
        simple, joint, bound = _in_order(simple, until, seed), _in_order(joint, until, seed), 1.0
    best = _best(simple, joint)
    return replace(best, mean_bound=min(max(bound, best.mean), 1.0), unfinished=late)


def _check_growing(problem: CoverageProblem, sizes: Floats) -> None:
    """Raise OptionError if budgets do not grow, or if the last one buys no set."""
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
    """Return the least worst share that a plan must have: the highest one of the simple plans."""
    return (1 - _CLOSE) * max(one.worst for one in simple)


def _best(simple: list[Plan], joint: list[Plan]) -> Plan:
    """Return the plan with the largest mean share among plans whose worst share is high enough."""
    bar = _bar(simple)
    return max((*simple, *joint), key=lambda one: (one.worst >= bar, one.mean))


def _planned(
    problem: CoverageProblem, sizes: Floats, *, callback: Until, **limited: Any
) -> tuple[list[Plan], list[Plan], float]:
    """Return simple plans, jointly optimised plans, and an upper bound on the mean share."""
    early, options = _without_minima(problem), {**limited, "callback": callback}
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
    # a phase whose budget can cover nothing always has the share 1: factor 0
    factors = np.divide(1.0, len(sizes) * reach, out=np.zeros(len(sizes)), where=reach > 0)
    joint: list[Plan] = []
    bound = 1.0
    # Maximise the mean share. If the worst share is too low, repeat with a minimum per phase.
    for least in (None, _bar(simple) * reach):
        if callback.left < 0:
            break
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
    """Build a plan from its selections; ``reach[k]`` is an upper bound for budget k alone."""
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
    return replace(problem, floors=NO_LIMITS, limits=limits)


def _forward(stages: Sequence[CoverageProblem], **options: Any) -> Selections | None:
    """Solve phase by phase, keeping the sets that have entered; None if minima cannot be met."""
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
    """Solve from the last phase back; each phase may use only the sets of the next phase."""
    found = [last]
    for stage in stages[-2::-1]:
        outside = difference(np.arange(stage.n_sets), found[0])
        found.insert(0, solve(stage.with_choice(stage.required, outside), **options).selected)
    return found


def _in_order(plans: list[Plan], until: Until, seed: int) -> list[Plan]:
    """Split each plan into one phase per set; all required sets enter in the first phase."""
    if not plans:
        return []
    problem = plans[0].problem
    orders = [_one_by_one(plan) for plan in plans]
    spent = [[_decimal(problem.costs[sets].sum()) for sets in order] for order in orders]
    every = [*chain.from_iterable(spent)]
    left = max(0.0, until.left)
    curve = budget_curve(_without_minima(problem), every, time_limit=left, seed=seed)
    # a bound for a larger budget also holds for a smaller one that the time limit left out
    known = np.argsort(curve.budgets)
    place = np.searchsorted(curve.budgets[known], every)
    ends = np.cumsum([len(costs) for costs in spent])[:-1]
    reach = np.split(curve.upper_bounds[known][place], ends)
    return [
        _plan_of(problem, np.array(costs), order, limit)
        for costs, order, limit in zip(spent, orders, reach, strict=True)
    ]


def _one_by_one(plan: Plan) -> Selections:
    """Return growing selections, one set at a time; within a phase, best gain per cost first."""
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
    """Return a sum of costs rounded to 12 digits, so that 0.1 + 0.7 gives 0.8."""
    return float(f"{cost:.12g}")
