"""Shared fixtures: set up once, and used by several tests.

A selection costs its tests and each shared fixture that one of them uses. Split the cost of a
fixture among its tests, in parts that add up to at most the whole: no selection gets dearer than it
is, so what is proven with the parts holds. The dearest fixtures are not split: for each of them it
is decided whether its tests may be chosen at all, and every combination is solved.
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

# Fixtures that are decided one by one: at most so many, each at least this part of the budget.
# Three make eight problems; what is split costs less than a fiftieth each.
DECIDED, DECIDED_PART = 3, 0.02


class FixtureCase(NamedTuple):
    """A decision: the fixtures not split, what those paid cost, the tests that need another one."""

    apart: Collection[int] = ()
    cost: float = 0.0
    never: Collection[int] = ()


@dataclass(frozen=True, eq=False)
class Shared:
    """What is paid once, and by which tests.

    Attributes
    ----------
    costs : array of float
        Seconds of each shared fixture.
    users : sequence of sequence of int
        The tests that use each of them.
    together : sequence of sequence of int
        Tests to run one after the other: what they share is gone when another test comes.
    """

    costs: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    users: Sequence[Sequence[int]] = ()
    together: Sequence[Sequence[int]] = ()

    @cached_property
    def of_test(self) -> dict[int, set[int]]:
        """The fixtures of each test that has any."""
        fixtures: dict[int, set[int]] = {}
        for k, users in enumerate(self.users):
            for test in users:
                fixtures.setdefault(test, set()).add(k)
        return fixtures

    def opened(self, tests: Iterable[int], paid: Collection[int] = ()) -> tuple[set[int], float]:
        """Return the fixtures that some tests use and that are not paid yet, and their cost."""
        used = set().union(*(self.of_test.get(test, set()) for test in tests)) - {*paid}
        return used, float(self.costs[sorted(used)].sum())

    def cost_of(self, tests: Iterable[int]) -> float:
        """Return what the fixtures of some tests cost, each once."""
        return self.opened(tests)[1]

    def for_workers(self, workers: int) -> Shared:
        """Return the fixtures as often as workers may set them up."""
        times = [min(workers, max(len(users), 1)) for users in self.users]
        return replace(self, costs=self.costs * np.array(times, dtype=float))

    def split(self, n_tests: int, apart: Collection[int] = ()) -> NDArray[np.float64]:
        """Return the part of each test, if the tests of a fixture share it equally."""
        parts = np.zeros(n_tests)
        for k, users in enumerate(self.users):
            if k not in apart and users:
                # rounded down: the parts may not add up to more than the whole
                parts[[*users]] += np.floor(self.costs[k] / len(users) * 1e4) / 1e4
        return parts

    def cases(self, budget: float, required: Iterable[int]) -> Iterator[FixtureCase]:
        """Yield every decision on the dearest fixtures that the budget allows."""
        order = np.argsort(-self.costs, kind="stable").tolist()
        dear = [k for k in order if self.costs[k] >= DECIDED_PART * budget][:DECIDED]
        forced, _ = self.opened(required)
        for paid in (p for n in range(len(dear) + 1) for p in combinations(dear, n)):
            closed = {*dear} - {*paid}
            cost = float(self.costs[[*paid]].sum())
            if cost <= budget and forced.isdisjoint(closed):
                yield FixtureCase(dear, cost, {test for k in closed for test in self.users[k]})
