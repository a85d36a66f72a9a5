"""Shared fixtures: set up once, and used by several tests.

A selection costs its tests, plus each shared fixture that one of them uses. The cost of a fixture
is split among its tests, in parts that add up to at most the whole. So no selection costs more with
the parts than it really does, and bounds proven with the parts hold. The dearest fixtures are not
split: each is either paid for, or its tests may not be chosen. Every combination is solved.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

# At most DECIDED fixtures are decided one by one: those that cost at least the fraction
# DECIDED_PART of the budget. (Three fixtures make eight problems.) All others are split.
DECIDED, DECIDED_PART = 3, 0.02


class FixtureCase(NamedTuple):
    """One choice of which of the dearest fixtures to pay for.

    `apart` are the dearest fixtures, which are not split; `cost` is the cost of the paid fixtures;
    `never` are the tests that need an unpaid fixture.
    """

    apart: Collection[int] = ()
    cost: float = 0.0
    never: Collection[int] = ()


@dataclass(frozen=True, eq=False)
class Shared:
    """Fixtures that are paid for once, and the tests that use them.

    Attributes
    ----------
    costs : array of float
        Seconds of each shared fixture.
    users : sequence of sequence of int
        The tests that use each shared fixture.
    together : sequence of sequence of int
        Groups of tests to run one after the other: a test between them would tear down what they
        share.
    """

    costs: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    users: Sequence[Sequence[int]] = ()
    together: Sequence[Sequence[int]] = ()

    @cached_property
    def of_test(self) -> dict[int, set[int]]:
        """A dict from each test that uses shared fixtures to the set of these fixtures."""
        fixtures: dict[int, set[int]] = {}
        for k, users in enumerate(self.users):
            for test in users:
                fixtures.setdefault(test, set()).add(k)
        return fixtures

    def opened(self, tests: Iterable[int], paid: Collection[int] = ()) -> tuple[set[int], float]:
        """Return the fixtures that `tests` use and that are not in `paid`, and their total cost."""
        used = set().union(*(self.of_test.get(test, set()) for test in tests)) - {*paid}
        return used, float(self.costs[sorted(used)].sum())

    def cost_of(self, tests: Iterable[int]) -> float:
        """Return the total cost of the fixtures that `tests` use; each fixture counts once."""
        return self.opened(tests)[1]

    def for_workers(self, workers: int) -> Shared:
        """Return the fixtures, each cost multiplied by how many workers may set the fixture up."""
        times = [min(workers, max(len(users), 1)) for users in self.users]
        return replace(self, costs=self.costs * np.array(times, dtype=float))

    def split(self, n_tests: int, apart: Collection[int] = ()) -> NDArray[np.float64]:
        """Return each test's equal part of the costs of its fixtures, except those in `apart`."""
        parts = np.zeros(n_tests)
        for k, users in enumerate(self.users):
            if k not in apart and users:
                # Rounded down, because the parts may not add up to more than the fixture's cost.
                parts[[*users]] += np.floor(self.costs[k] / len(users) * 1e4) / 1e4
        return parts

    def cases(self, budget: float, required: Iterable[int]) -> Iterator[FixtureCase]:
        """Yield every choice of which of the dearest fixtures to pay for, within the budget."""
        order = np.argsort(-self.costs, kind="stable").tolist()
        dear = [k for k in order if self.costs[k] >= DECIDED_PART * budget][:DECIDED]
        forced, _ = self.opened(required)
        for paid in (p for n in range(len(dear) + 1) for p in combinations(dear, n)):
            closed = {*dear} - {*paid}
            cost = float(self.costs[[*paid]].sum())
            if cost <= budget and forced.isdisjoint(closed):
                yield FixtureCase(dear, cost, {test for k in closed for test in self.users[k]})
