"""Choosing tests: a coverage problem over blocks of lines, solved for budgets or a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core import notebook
from maxcover.engine.core.ascending import difference, union
from maxcover.engine.core.bounds import Claim
from maxcover.engine.core.problem import CoverageProblem
from maxcover.engine.core.solution import certify
from maxcover.engine.core.wording import percent
from maxcover.engine.solvers.cover import cover
from maxcover.engine.solvers.curve import budget_curve
from maxcover.engine.solvers.order import by_gain
from maxcover.engine.solvers.solve import solve
from maxcover.errors import InfeasibleError, OptionError
from pytest_maxcover.amounts import quantity
from pytest_maxcover.ordering import fill
from pytest_maxcover.suite import FixtureCase, matching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from maxcover.engine.core.solution import Solution
    from maxcover.engine.solvers.curve import BudgetCurve
    from maxcover.ground.array_types import Floats, Int64s
    from pytest_maxcover.suite import Suite


# Replacing the whole earlier selection must improve its weight, or its time, by this fraction.
CHANGE_COST = 0.01
# With more than LARGE pairs of a test and a block of lines, a proven gap of LARGE_GAP is enough.
# (With ten thousand tests, closing the last thousandth takes a minute.)
LARGE, LARGE_GAP = 500_000, 0.001
# Budgets of the frontier, as shares of the time of the whole suite.
FRONTIER = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True, eq=False, kw_only=True)
class Selection:
    """Chosen tests, what they cover, and a bound that no other selection can beat.

    Attributes
    ----------
    suite, problem
        The suite that was chosen from, and its coverage problem.
    answer : Solution
        The certified selection.
    bound : float
        For budgets: no selection within them covers a larger share than this. For a target: no
        selection that meets it costs less, in the first of the costs.
    kept : int
        How many of the tests were in the earlier selection that was given as ``start``.
    filled : array of int
        Further tests, which fill the remaining time.
    """

    suite: Suite
    problem: CoverageProblem
    answer: Solution
    kept: int = 0
    filled: Int64s = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def _repr_html_(self) -> str:
        costs = {name: cost[self.run].tolist() for name, cost in self.suite.costs.items()}
        return notebook.card(
            f"Selection: {len(self.run):,} of {len(self.suite.tests):,} tests",
            notebook.paragraph(f"They cover {percent(self.share)} of the weight of all lines."),
            notebook.column_table({"test": self.tests, **costs}),
        )

    @property
    def tests(self) -> list[str]:
        """Node ids of the chosen tests, in the order of the suite."""
        return [self.suite.tests[i] for i in self.run]

    @property
    def run(self) -> Int64s:
        """Indices of the chosen tests, including those that fill the remaining time."""
        return union(self.answer.selected, self.filled)

    @property
    def unit(self) -> str:
        """The name of the first cost of the suite, such as "seconds"."""
        return next(iter(self.suite.costs))

    @property
    def totals(self) -> dict[str, float]:
        """The total of each cost over the chosen tests, by name of the cost."""
        return {name: cost_of(self.suite, name, self.run) for name in self.suite.costs}

    @property
    def budgets(self) -> dict[str, float]:
        """The most that the chosen tests may cost, by name of the cost; empty for a target."""
        if self.answer.target is not None:
            return {}
        most = (self.problem.budget, *self.problem.limits.high)
        return dict(zip(self.suite.costs, most, strict=True))

    @property
    def seconds(self) -> float:
        """Seconds that the chosen tests take together."""
        return self.totals["seconds"]

    @property
    def share(self) -> float:
        """The share of the weight of all lines that the chosen tests cover."""
        value = self.problem.value(self.run) if self.filled.size else self.answer.value
        return value / self.total if self.total else 1.0

    @cached_property
    def total(self) -> float:
        """The weight of all lines that some test runs."""
        return float(self.problem.weights.sum())

    @property
    def bound(self) -> float:
        """Upper bound on the share within the budgets, or lower bound on the cost of the target."""
        if self.answer.target is not None:
            return self.answer.lower_bound
        return min(self.answer.upper_bound / self.total, 1.0) if self.total else 1.0

    @cached_property
    def curve(self) -> BudgetCurve:
        """The weight covered with each budget of `FRONTIER`, and its upper bound."""
        least = float(self.problem.costs[self.problem.required].sum())
        whole = float(self.problem.costs.sum())
        budgets = sorted({max(part * whole, least) for part in FRONTIER})
        return budget_curve(self.problem.with_budget(whole), budgets)

    @property
    def frontier(self) -> list[tuple[float, float, float]]:
        """Tuples of budget, share covered and upper bound on the share.

        They range from the first budget that pays for a test to the first that covers everything.
        """
        top = self.total or 1.0
        points = [point for point in self.curve if point.selected.size]
        full = sum(point.value < top for point in points) + 1
        return [
            (point.budget, point.value / top, min(point.upper_bound / top, 1.0))
            for point in points[:full]
        ]

    def plot(self) -> Any:
        """Draw the curve by `maxcover.plots.plot_curve`."""
        return self.curve.plot(unit=self.unit, total=self.total, covers=self.suite.called[1])

    def to_dict(self) -> dict[str, Any]:
        """Return the selection as plain data for JSON."""
        tests, lines = self.suite.called
        return {
            tests: self.tests,
            **{name: total for name, total in self.totals.items() if name != tests},
            "share": self.share,
            "suite": {
                **{name: self.suite.total(name) for name in self.suite.costs},
                tests: len(self.suite.tests),
                lines: self.suite.n_lines,
                "seconds_outside_tests": self.suite.outside,
            },
            "bound": {self.unit if self.answer.target is not None else "share": self.bound},
            "status": self.answer.status,
            "kept": self.kept,
            "without_duration": list(self.suite.missing),
            "without_coverage": self.suite.empty_tests(),
        }


def choose(
    suite: Suite,
    *,
    budget: float | Mapping[str, float] | None = None,
    target: float | None = None,
    weights: Floats | None = None,
    always: Iterable[str] = (),
    never: Iterable[str] = (),
    start: Iterable[str] = (),
    filling: bool = False,
    **options: Any,
) -> Selection:
    """Choose tests that cover the most within budgets, or that reach a target at the least cost.

    Parameters
    ----------
    suite
        What `read_suite` and `with_durations` return: tests, and what they cost. Without costs
        every test takes a second.
    budget : float, or mapping of name to float
        What the chosen tests may take together: seconds, or one budget for each of the costs.
    target : float
        The share of all covered lines to cover, instead of a budget, for the least of the first
        cost.
    weights : array of float, optional
        The weight of each line of the suite; 1 each by default.
    always, never : iterable of str
        Shell patterns of node ids, or of files.
    start : iterable of str
        Node ids of an earlier selection. Replacing all of it must gain 1 % of what it covers, and
        replacing a part of it that part of 1 %. So the list changes only where that pays. For a
        target, a test is replaced only by tests that are cheaper by more than 1 %.
    filling : bool
        Whether to fill the remaining time with further tests, which cover lines once more.
    **options
        What `solve` and `cover` take: ``time_limit``, ``target_gap`` (0.001 for a suite with more
        than 500,000 pairs of tests and blocks of lines), ``seed``, ``callback``.

    Examples
    --------
    >>> from pytest_maxcover.suite import Recorder
    >>> recorder = Recorder()
    >>> recorder.add("a", "m.py", [1, 2, 3])
    >>> recorder.add("b", "m.py", [3, 4])
    >>> suite = recorder.suite().with_costs(seconds=np.array([1.0, 1.0]))
    >>> choose(suite, budget=1).tests
    ['a']
    >>> choose(suite, target=1.0).seconds
    2.0
    """
    if (budget is None) == (target is None):
        both = "neither" if target is None else "both"
        raise OptionError(f"expected either a budget or a target, got {both}")
    named = suite.costs or {"seconds": np.ones(len(suite.tests))}
    first = next(iter(named))
    if target is not None:
        named = {first: named[first]}
    suite = replace(suite, costs=named)
    if target is not None:
        budget = suite.total(first)
    limit = budget if isinstance(budget, Mapping) else {first: float(budget or 0.0)}
    required = np.array(matching(suite.tests, always), dtype=np.int64)
    barred = matching(suite.tests, never)
    _check_required(suite, limit, required)
    lines = np.ones(suite.n_lines) if weights is None else weights
    worth = np.bincount(suite.block_of, weights=lines, minlength=suite.n_blocks).astype(np.float64)

    def pose(case: FixtureCase) -> CoverageProblem:
        """Return the problem of one case; costs of undecided fixtures are split among tests."""
        parts = {"seconds": suite.shared.split(len(suite.tests), case.apart)}
        return CoverageProblem.from_edges(
            np.repeat(np.arange(len(suite.tests)), np.diff(suite.indptr)),
            suite.indices,
            n_sets=len(suite.tests),
            costs={name: cost + parts.get(name, 0.0) for name, cost in named.items()},
            weights=worth,
            budget={**limit, first: limit[first] - case.cost},
            required=required,
            forbidden=difference(sorted({*barred, *case.never}), required),
            set_labels=suite.tests,
        )

    problem = pose(FixtureCase())
    last = np.flatnonzero(np.isin(suite.tests, [*start]))
    if last.size:
        options |= {"start": last, "change_cost": CHANGE_COST}
    if problem.n_edges > LARGE:
        options.setdefault("target_gap", LARGE_GAP)
    if suite.shared.costs.size:
        answer = _answer_by_cases(problem, suite, pose, target=target, options=options)
    else:
        answer = _answer(problem, target, options)
    fills = filling and target is None and len(named) == 1
    more = fill(problem, suite, answer.selected, limit[first]) if fills else []
    return Selection(
        suite=suite,
        problem=problem,
        answer=answer,
        kept=int(np.isin(answer.selected, last).sum()),
        filled=np.array(more, dtype=np.int64),
    )


def cost_of(suite: Suite, name: str, tests: Int64s) -> float:
    """Return the total of the cost called `name` over `tests`; a shared fixture counts once."""
    once = suite.shared.cost_of(tests.tolist()) if name == "seconds" else 0.0
    return float(suite.costs[name][tests].sum()) + once


def _check_required(suite: Suite, limits: Mapping[str, float], required: Int64s) -> None:
    """Raise `InfeasibleError` if the tests that are always chosen exceed a budget."""
    for name, most in limits.items():
        least = cost_of(suite, name, required)
        if least > most:
            raise InfeasibleError(
                f"expected a budget of at least {quantity(least, name)}, which the "
                f"{suite.called[0]} take that are always chosen, got {quantity(most, name)}"
            )


def _answer(problem: CoverageProblem, target: float | None, options: dict[str, Any]) -> Solution:
    """Solve for the most weight within the budget or, with a target, for the least cost."""
    return solve(problem, **options) if target is None else cover(problem, target=target, **options)


def _answer_by_cases(
    problem: CoverageProblem,
    suite: Suite,
    pose: Callable[[FixtureCase], CoverageProblem],
    *,
    target: float | None,
    options: dict[str, Any],
) -> Solution:
    """Solve every case (which of the dearest fixtures to pay for); return the best answer.

    The bound of the answer holds for all cases. In `problem` the cost of every fixture is split
    among its tests.
    """
    outcomes, unmet = [], InfeasibleError("expected a target that some selection meets, got none")
    for case in suite.shared.cases(problem.budget, problem.required.tolist()):
        try:
            answer = _answer(pose(case), target, options)
        except InfeasibleError as error:
            # The target needs a fixture that this case does not pay for.
            unmet = error
            continue
        if target is None:
            tests = _fitting(problem, answer.selected, suite)
            outcomes.append((problem.value(tests), answer.upper_bound, tests, answer))
        else:
            taken = cost_of(suite, "seconds", answer.selected)
            outcomes.append((-taken, answer.lower_bound + case.cost, answer.selected, answer))
    if not outcomes:
        raise unmet
    merit, _, tests, answer = max(outcomes, key=itemgetter(0))
    if target is None:
        bound = max(bound for _, bound, _, _ in outcomes)
        return certify(
            problem,
            tests,
            bound="quick",
            claim=Claim(bound, "every case of the shared fixtures"),
            stopped="every case of the shared fixtures was solved",
            method="auto",
            target_gap=options.get("target_gap", 0.0),
        )
    least = min(-merit, *(bound for _, bound, _, _ in outcomes))
    status = answer.status if -merit <= least * (1 + 1e-9) else "heuristic"
    return replace(answer, cost=-merit, lower_bound=least, status=status, dual=None)


def _fitting(problem: CoverageProblem, chosen: Int64s, suite: Suite) -> Int64s:
    """Drop the tests with the least gain per cost until the rest fits the budget.

    The tests may exceed it because the split parts of a fixture may add up to less than its cost.
    """
    order = by_gain(problem, chosen, per_cost=True)
    tests = np.concatenate((problem.required, order[~np.isin(order, problem.required)]))
    while cost_of(suite, "seconds", tests) > problem.budget + 1e-9:
        tests = tests[:-1]
    return np.sort(tests)
