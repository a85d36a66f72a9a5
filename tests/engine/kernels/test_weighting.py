"""Row weighting: the kernel against a slow twin, and what it finds against brute force."""

import itertools

import numpy as np
import pytest

from maxcover import CoverageProblem
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.full_cover import RowWeighting

MASK = 2**64 - 1


def drawn(seed: int, *, n_sets: int = 9, n_elements: int = 12) -> CoverageProblem:
    """Return a small problem; every element is in some set, some weigh nothing."""
    rng = np.random.default_rng(seed)
    filled = rng.random((n_sets, n_elements)) < 0.3
    filled[rng.integers(n_sets, size=n_elements), np.arange(n_elements)] = True
    sets, elements = np.nonzero(filled)
    return CoverageProblem.from_edges(
        sets,
        elements,
        n_sets=n_sets,
        n_elements=n_elements,
        costs=np.ones(n_sets) if seed % 2 else rng.integers(0, 6, n_sets),
        weights=rng.integers(0, 4, n_elements),
        budget=100,
        required=[0] if seed % 3 == 0 else [],
        forbidden=[],
    )


def cheapest(problem: CoverageProblem) -> float:
    """Return what the cheapest selection costs that covers all that weighs something."""
    heavy = problem.weights > 0
    return min(
        float(problem.costs[list(chosen)].sum())
        for size in range(problem.n_sets + 1)
        for chosen in itertools.combinations(range(problem.n_sets), size)
        if set(problem.required.tolist()) <= set(chosen)
        and problem.covered(list(chosen))[heavy].all()
    )


@pytest.mark.parametrize("seed", range(60))
def test_finds_the_cheapest_cover_and_nothing_cheaper(seed: int) -> None:
    problem = drawn(seed)
    optimum = cheapest(problem)
    everything = np.arange(problem.n_sets)
    search = RowWeighting(problem, seed=seed)
    found = search.find(
        problem.with_budget(optimum), everything, steps=3000, control=Control(seed=0)
    )
    assert found is not None
    assert problem.costs[found].sum() <= optimum
    assert problem.covered(found)[problem.weights > 0].all()
    assert set(problem.required.tolist()) <= set(found.tolist())
    least = float(problem.costs[problem.required].sum())
    if optimum - 1 >= least:
        below = problem.with_budget(optimum - 1)
        assert search.find(below, everything, steps=300, control=Control(seed=0)) is None


class Twin:
    """The same search, with sets and dictionaries, and every margin from scratch."""

    def __init__(self, problem: CoverageProblem, seed: int) -> None:
        self.problem = problem
        self.rows = [problem.elements_of(i).tolist() for i in range(problem.n_sets)]
        self.movable = {int(i) for i in np.flatnonzero(problem.choosable)}
        self.required = {int(i) for i in problem.required}
        self.weights = {int(a): 1 for a in np.flatnonzero(problem.weights > 0)}
        self.costs = np.maximum(problem.costs, 2.0**-900)
        self.random = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]) | 1
        self.chosen = sorted(self.movable)
        held = {a for j in {*self.chosen, *self.required} for a in self.rows[j]}
        self.missing = [a for a in self.weights if a not in held]
        self.moved = dict.fromkeys(range(problem.n_sets), 0)
        self.step = 0

    def any_of(self, n: int) -> int:
        x = self.random
        x ^= (x << 13) & MASK
        x ^= x >> 7
        x ^= (x << 17) & MASK
        self.random = x
        return (x >> 11) % n

    def used(self) -> float:
        return float(self.problem.costs[[*self.chosen, *self.required]].sum())

    def rate(self, i: int) -> float:
        others = {a for j in {*self.chosen, *self.required} - {i} for a in self.rows[j]}
        return sum(self.weights.get(a, 0) for a in self.rows[i] if a not in others) / self.costs[i]

    def drop(self) -> bool:
        free = [i for i in self.chosen if self.moved[i] <= self.step]
        if not free:
            return False
        i = min(free, key=lambda j: (self.rate(j), self.moved[j], self.chosen.index(j)))
        place = self.chosen.index(i)
        self.chosen[place] = self.chosen[-1]
        self.chosen.pop()
        held = {a for j in {*self.chosen, *self.required} for a in self.rows[j]}
        self.missing += [a for a in self.rows[i] if a in self.weights and a not in held]
        self.moved[i] = self.step + 2
        return True

    def add(self, room: float) -> bool:
        a = self.missing[self.any_of(len(self.missing))]
        fitting = [
            i
            for i in sorted(self.movable - set(self.chosen))
            if a in self.rows[i] and self.problem.costs[i] <= room and self.moved[i] <= self.step
        ]
        if not fitting:
            return False
        i = min(fitting, key=lambda j: (-self.rate(j), self.moved[j], j))
        for b in self.rows[i]:
            if b in self.missing:
                place = self.missing.index(b)
                self.missing[place] = self.missing[-1]
                self.missing.pop()
        self.chosen.append(i)
        self.moved[i] = self.step + 1
        return True

    def run(self, steps: int) -> list[int] | None:
        limit = self.problem.budget
        for _ in range(steps):
            if not self.missing and self.used() <= limit:
                return sorted({*self.chosen, *self.required})
            self.step += 1
            self.drop()
            if self.missing:
                self.add(limit)
            while self.used() > limit and self.drop():
                pass
            while self.missing and self.used() < limit and self.add(limit - self.used()):
                pass
            for a in self.missing:
                self.weights[a] += 1
        return None


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("less", [0, 1])
def test_makes_the_steps_of_the_slow_twin(seed: int, less: int) -> None:
    whole = drawn(seed)
    least = float(whole.costs[whole.required].sum())
    problem = whole.with_budget(max(cheapest(whole) - less, least))
    fast, slow = RowWeighting(whole, seed=seed), Twin(problem, seed + 1)
    found = fast.find(problem, np.arange(problem.n_sets), steps=60, control=Control(seed=0))
    assert (None if found is None else found.tolist()) == slow.run(60)
    assert {a: w for a, w in enumerate(fast.weights.tolist()) if w} == slow.weights


def test_large_selections_are_looked_at_in_part() -> None:
    problem = drawn(1, n_sets=900, n_elements=700)
    search = RowWeighting(problem, seed=0)
    everything = np.arange(problem.n_sets)
    found = search.find(problem.with_budget(40), everything, steps=4000, control=Control(seed=0))
    assert found is not None
    assert problem.covered(found)[problem.weights > 0].all()
