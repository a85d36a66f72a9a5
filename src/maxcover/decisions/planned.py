"""One growing selection for growing budgets: `plan`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from maxcover.core import validation
from maxcover.core.ascending import difference, distinct, union
from maxcover.core.gains import gains
from maxcover.core.limits import NO_FLOORS
from maxcover.core.wording import percent
from maxcover.decisions.decision import Decision, listed
from maxcover.decisions.phases import in_phases
from maxcover.errors import InfeasibleError, OptionError
from maxcover.options import checked
from maxcover.solvers.curve import budget_curve
from maxcover.solvers.solve import solve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.effort import EffortName

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]
    Selections = list[Int64s]

# A problem over phases of more edges is made of the sets alone that a simpler plan chooses.
WHOLE_EDGES = 20_000
# Phases into which an order is divided at a time, until each is one set.
_SPLIT = 4
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

    problem: CoverageProblem
    budgets: Floats
    selections: tuple[Int64s, ...]
    values: Floats
    upper_bounds: Floats
    mean_bound: float

    @property
    def entering(self) -> tuple[Int64s, ...]:
        """The sets that enter in each phase."""
        before = (validation.NO_INDICES, *self.selections)
        return tuple(map(difference, self.selections, before))

    @property
    def shares(self) -> Floats:
        """The share that each phase has, at least, of what its budget could cover alone."""
        return _shares(self.values, self.upper_bounds)

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
        for sets in self.entering:
            yield tuple(self.problem.label(i) for i in sets.tolist())

    def __repr__(self) -> str:
        return (
            f"Plan({len(self)} phases, {len(self.selections[-1])} sets, worst share "
            f"{self.worst:.2%}, mean {self.mean:.2%}, at most {self.mean_bound:.2%})"
        )

    def _sentences(self) -> list[str]:
        rows = zip(self, self.budgets, self.values, self.shares, strict=True)
        phases = [
            f"Phase {k}, budget {budget:,.6g}: {listed(labels) or 'no set'} ({value:,.6g} covered, "
            f"{percent(share)} of what this budget could cover alone)."
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
        What may be spent by the end of each phase, growing.
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
    options = {"effort": effort, "seed": seed}
    if phases == "every":
        return _in_order(problem, options)
    given = list(budgets or ())
    if phases is not None:
        given = [_rounded(problem.budget * k / phases) for k in range(1, phases + 1)]
    sizes = distinct(validation.numbers(given, "budgets"))
    if not sizes.size:
        raise OptionError("expected budgets to have at least one, got none")
    return _planned(problem, sizes, options)


def _planned(problem: CoverageProblem, sizes: Floats, options: dict[str, Any]) -> Plan:
    """Return the best plan: that of one problem over all phases, begun from simpler ones."""
    stages = _stages(problem, sizes)
    alone = [solve(stage, **options) for stage in stages]
    limits = np.array([found.upper_bound for found in alone])
    chains = (
        _forward(stages, method="g-greedy", bound="trivial"),
        _forward(stages, **options),
        _backward(stages, alone[-1].selected, options),
    )
    plans = [chain for chain in chains if chain is not None]
    shares = [_shares(_values(problem, chain), limits) for chain in plans]
    bar = (1 - _CLOSE) * max(share.min() for share in shares)

    def best() -> int:
        """Return the plan with the largest mean share of those with a fair worst one."""
        return max(range(len(plans)), key=lambda k: (shares[k].min() >= bar, shares[k].mean()))

    factors = 1.0 / (len(sizes) * np.maximum(limits, 1e-300))
    usable = np.flatnonzero(problem.choosable | problem.is_required)
    is_whole = problem.n_edges * len(sizes) * (len(sizes) + 1) // 2 <= WHOLE_EDGES
    if not is_whole:
        usable = distinct(np.concatenate([*(x.selected for x in alone), *(p[-1] for p in plans)]))
    mean_bound = 1.0
    for least in (None, bar * limits):
        joint = in_phases(stages[-1], sizes, factors, usable, least)
        found = solve(joint.problem, start=joint.numbered(plans[best()]), **options)
        plans.append(joint.selections(found.selected, len(sizes)))
        shares.append(_shares(_values(problem, plans[-1]), limits))
        if least is None and is_whole:
            mean_bound = found.upper_bound
        if shares[-1].min() >= bar:
            break
    return _made(problem, sizes, plans[best()], limits, mean_bound)


def _made(
    problem: CoverageProblem, sizes: Floats, chosen: Selections, limits: Floats, mean_bound: float
) -> Plan:
    """Put a plan together."""
    values = _values(problem, chosen)
    found = Plan(
        problem=problem,
        budgets=validation.frozen(sizes),
        selections=tuple(map(validation.frozen, chosen)),
        values=validation.frozen(values),
        upper_bounds=validation.frozen(np.maximum(limits, values)),
        mean_bound=mean_bound,
    )
    return replace(found, mean_bound=min(max(mean_bound, found.mean), 1.0))


def _stages(problem: CoverageProblem, sizes: Floats) -> list[CoverageProblem]:
    """Return the problem under each budget; minima are kept in the last one alone."""
    early = _without_minima(problem)
    first = [early.with_budget(size) for size in sizes[:-1].tolist()]
    return [*first, problem.with_budget(float(sizes[-1]))]


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


def _in_order(problem: CoverageProblem, options: dict[str, Any]) -> Plan:
    """Return one phase per set: the better of an order by plans within plans, and of greedy."""
    early, held = _without_minima(problem), problem.required
    greedy = difference(solve(early, method="g-greedy", bound="trivial").selected, held)
    orders = _ordered(early, held, None, options), _greedily(problem, held, greedy)
    plans = [[union(held, order[: k + 1]) for k in range(len(order))] for order in orders]
    spent = [np.array([_total(problem, chosen) for chosen in each]) for each in plans]
    curve = budget_curve(early, np.concatenate(spent).tolist(), seed=options["seed"])
    limits = np.split(curve.upper_bounds, [len(spent[0])])
    made = [
        _made(problem, costs, chosen, bounds, 1.0)
        for costs, chosen, bounds in zip(spent, plans, limits, strict=True)
    ]
    return max(made, key=lambda one: (one.worst, one.mean))


def _ordered(
    problem: CoverageProblem, held: Int64s, sets: Int64s | None, options: dict[str, Any]
) -> list[int]:
    """Return an order of some sets after others: a plan of a few phases, and each of them again.

    Without sets, those that a plan for the budget of the problem chooses.
    """
    inside, n_phases, top = problem, _SPLIT, problem.budget
    if sets is not None:
        if sets.size <= 1:
            return [int(i) for i in sets]
        outside = difference(np.arange(problem.n_sets), union(held, sets))
        inside, n_phases = problem.with_choice(held, outside), min(_SPLIT, sets.size)
        top = _total(problem, union(held, sets))
    spent = _total(problem, held)
    sizes = [_rounded(spent + (top - spent) * k / n_phases) for k in range(1, n_phases + 1)]
    planned = _planned(inside, distinct(np.array(sizes)), options)
    parts = [difference(part, held) for part in planned.entering]
    if sets is not None:
        parts.append(difference(sets, planned.selections[-1]))
    parts = [part for part in parts if part.size]
    if len(parts) == 1:
        first = _greedily(problem, held, parts[0])[:1]
        parts = [np.array(first), difference(parts[0], first)]
    order: list[int] = []
    for part in parts:
        order += _ordered(problem, union(held, order), part, options)
    return order


def _greedily(problem: CoverageProblem, held: Int64s, sets: Int64s) -> list[int]:
    """Return sets in the order of what they add per cost; free ones first."""
    order: list[int] = []
    while sets.size:
        gain = gains(problem, union(held, order), sets)
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.nan_to_num(gain / problem.costs[sets], nan=np.inf)
        order.append(int(sets[np.argmax(rate)]))
        sets = difference(sets, order[-1:])
    return order


def _total(problem: CoverageProblem, sets: Int64s) -> float:
    """Return what some sets cost, as a decimal: 0.1 + 0.7 are 0.8."""
    return _rounded(float(problem.costs[sets].sum()))


def _rounded(cost: float) -> float:
    return float(f"{cost:.12g}")


def _values(problem: CoverageProblem, selections: Selections) -> Floats:
    return np.array([problem.value(chosen) for chosen in selections])


def _shares(values: Floats, reach: Floats) -> Floats:
    """Return values as shares of what is within reach; all of it where there is nothing."""
    return np.where(reach > 0, values / np.maximum(reach, 1e-300), 1.0)
