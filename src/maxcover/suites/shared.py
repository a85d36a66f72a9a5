"""Costs that tests share: a fixture of a wide scope is paid once by all tests that use it.

A selection costs its tests and each shared fixture that one of them uses. Split the cost of a
fixture among its tests, in parts that add up to at most the whole: no selection gets dearer than it
is, so what is proven with the parts holds. The dearest fixtures are not split: for each of them it
is decided whether its tests may be chosen at all, and every combination is solved.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core.bounds import Claim
from maxcover.core.solution import certify
from maxcover.errors import InfeasibleError
from maxcover.solvers.cover import cover
from maxcover.solvers.order import by_gain
from maxcover.solvers.solve import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Solution

    Pose = Callable[[float, tuple[int, ...], Iterable[int]], CoverageProblem]
    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]

# Fixtures that are decided one by one: at most so many, each at least this part of the budget.
# Three make eight problems; what is split costs less than a fiftieth each.
DECIDED, DECIDED_PART = 3, 0.02


@dataclass(frozen=True, eq=False, kw_only=True)
class Shared:
    """What is paid once, and by which tests.

    Attributes
    ----------
    costs : array of float
        Seconds of each shared fixture.
    users : sequence of sequence of int
        The tests that use each of them.
    """

    costs: Floats = field(default_factory=lambda: np.zeros(0))
    users: Sequence[Sequence[int]] = ()

    @cached_property
    def of_test(self) -> dict[int, list[int]]:
        """The fixtures of each test that has any."""
        found: dict[int, list[int]] = {}
        for k, users in enumerate(self.users):
            for test in users:
                found.setdefault(test, []).append(k)
        return found

    def used_by(self, tests: Int64s) -> list[int]:
        """Return the fixtures that some of the tests use."""
        return sorted({k for test in tests.tolist() for k in self.of_test.get(test, ())})

    def cost_of(self, tests: Int64s) -> float:
        """Return what the fixtures of some tests cost, each once."""
        return float(self.costs[self.used_by(tests)].sum())

    def split(self, n_tests: int, apart: Sequence[int] = ()) -> Floats:
        """Return the part of each test, if the tests of a fixture share it equally."""
        parts = np.zeros(n_tests)
        for k, users in enumerate(self.users):
            if k not in apart and users:
                # rounded down: the parts may not add up to more than the whole
                parts[[*users]] += np.floor(self.costs[k] / len(users) * 1e4) / 1e4
        return parts

    def cases(self, budget: float, required: Int64s) -> Iterator[FixtureCase]:
        """Yield every decision on the dearest fixtures that the budget allows."""
        dear = [k for k in np.argsort(-self.costs, kind="stable").tolist()
                if self.costs[k] >= DECIDED_PART * budget][:DECIDED]  # fmt: skip
        forced = {*self.used_by(required)}
        for size in range(len(dear) + 1):
            for paid in combinations(dear, size):
                closed = {*dear} - {*paid}
                cost = float(self.costs[[*paid]].sum())
                if cost <= budget and forced.isdisjoint(closed):
                    never = sorted({test for k in closed for test in self.users[k]})
                    yield FixtureCase(
                        cost=cost, apart=tuple(dear), never=np.array(never, dtype=np.int64)
                    )


@dataclass(frozen=True, eq=False, kw_only=True)
class FixtureCase:
    """A decision: what the fixtures cost that are paid, and the tests that need another one."""

    cost: float
    apart: tuple[int, ...]
    never: Int64s


def answer_to(problem: CoverageProblem, target: float | None, options: dict[str, Any]) -> Solution:
    """Return the most within the budget, or the least cost for a target."""
    return solve(problem, **options) if target is None else cover(problem, target=target, **options)


def solve_cases(
    problem: CoverageProblem,
    shared: Shared,
    pose: Pose,
    seconds: Floats,
    *,
    target: float | None,
    options: dict[str, Any],
) -> Solution:
    """Solve every case of the dearest fixtures; return the best answer with a bound for all cases.

    `problem` has the cost of every fixture split; `pose` makes the problem of a case from its
    budget, the fixtures that are not split, and the tests that may not be chosen.
    """
    cases = shared.cases(problem.budget, problem.required)
    posed = ((case, pose(problem.budget - case.cost, case.apart, case.never)) for case in cases)
    if target is not None:
        return _cheapest(posed, shared, seconds, target, options)
    best, bound, most = problem.required, 0.0, -1.0
    for _, one in posed:
        answer = answer_to(one, None, options)
        bound = max(bound, answer.upper_bound)
        # the parts of a fixture may add up to less than it costs: the least useful tests go
        order = by_gain(problem, answer.selected, per_cost=True)
        chosen = np.concatenate((problem.required, order[~np.isin(order, problem.required)]))
        while float(seconds[chosen].sum()) + shared.cost_of(chosen) > problem.budget + 1e-9:
            chosen = chosen[:-1]
        if (value := problem.value(np.sort(chosen))) > most:
            best, most = np.sort(chosen), value
    return certify(
        problem,
        best,
        bound="quick",
        claim=Claim(bound, "every case of the shared fixtures"),
        stopped="every case of the shared fixtures was solved",
        method="auto",
        target_gap=options.get("target_gap", 0.0),
    )


def _cheapest(
    posed: Iterable[tuple[FixtureCase, CoverageProblem]],
    shared: Shared,
    seconds: Floats,
    target: float,
    options: dict[str, Any],
) -> Solution:
    """Return the cheapest answer of all cases for a target; its bound is the least of theirs."""
    best, bound, unmet = None, np.inf, None
    for case, one in posed:
        try:
            answer = answer_to(one, target, options)
        except InfeasibleError as error:
            # the target needs a fixture that is not paid
            unmet = error
            continue
        taken = float(seconds[answer.selected].sum()) + shared.cost_of(answer.selected)
        bound = min(bound, answer.lower_bound + case.cost)
        if best is None or taken < best.cost:
            best = replace(answer, cost=taken)
    if best is None:
        raise unmet or InfeasibleError("expected a target that some selection meets, got none")
    is_least = best.cost <= bound * (1 + 1e-9)
    status = best.status if is_least else "heuristic"
    return replace(best, lower_bound=min(bound, best.cost), status=status, dual=None)
