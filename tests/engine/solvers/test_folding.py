"""Folding and narrowing: fewer elements and sets, the same best selections."""

from itertools import combinations

import numpy as np
import pytest

from maxcover import CoverageProblem, solve
from maxcover.engine.core import bounds
from maxcover.engine.core.relaxation import improve_dual
from maxcover.engine.solvers.auto import Auto
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.folding import Folded, fold
from tests.instances import random_problem
from tests.reference import is_allowed


def naive_classes(problem: CoverageProblem) -> set[tuple[frozenset[int], ...]]:
    """Group the elements by the choosable sets that contain them, one at a time."""
    rows = [set(problem.elements_of(i).tolist()) for i in range(problem.n_sets)]
    have = set(np.flatnonzero(problem.covered(problem.required)).tolist())
    free = np.flatnonzero(problem.choosable).tolist()
    groups: dict[frozenset[int], list[int]] = {}
    for a in range(problem.n_elements):
        holders = frozenset(i for i in free if a in rows[i])
        if holders and a not in have and problem.weights[a] > 0:
            groups.setdefault(holders, []).append(a)
    return {(holders, frozenset(inside)) for holders, inside in groups.items()}


@pytest.mark.parametrize("seed", range(150))
def test_classes_are_those_of_the_slow_twin(seed):
    problem = random_problem(np.random.default_rng(seed))
    folded = fold(problem)
    if folded.class_of is None:
        return
    found = set()
    for number in range(folded.class_of.max(initial=-1) + 1):
        inside = frozenset(np.flatnonzero(folded.class_of == number).tolist())
        indices = folded.problem.indices
        holders = np.searchsorted(
            folded.problem.indptr, np.flatnonzero(indices == number), side="right"
        )
        found.add((frozenset((holders - 1).tolist()), inside))
    assert found == naive_classes(problem)


@pytest.mark.parametrize("seed", range(60))
def test_selections_are_worth_what_they_were(seed):
    problem = random_problem(np.random.default_rng(seed), most_sets=8)
    smaller = fold(problem).problem
    for selected in allowed(problem):
        assert smaller.value(selected) == pytest.approx(problem.value(selected), rel=1e-12)
        assert not smaller.violation(selected)


@pytest.mark.parametrize("seed", range(60))
def test_a_dual_point_of_the_folded_problem_proves_as_much_of_the_original(seed):
    problem = random_problem(np.random.default_rng(1000 + seed))
    folded = fold(problem)
    left = bounds.reduced(folded.problem)
    dual = improve_dual(folded.problem, left, steps=30)
    bound = bounds.dual_bound(folded.problem, left, dual)
    original = bounds.dual_bound(problem, bounds.reduced(problem), folded.unfold(dual))
    assert original == pytest.approx(bound, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("seed", range(40))
def test_narrowing_keeps_all_that_is_as_good_as_the_best_so_far(seed, share):
    problem = random_problem(np.random.default_rng(2000 + seed), most_sets=9)
    ranked = sorted(allowed(problem), key=problem.value, reverse=True)
    best = ranked[int(share * len(ranked))]
    run = Auto(Folded(problem, problem), Control(), threads=1)
    run.offer("a selection", best)
    run.relax(steps=50)
    run.narrow()
    for other in ranked:
        if problem.value(other) >= problem.value(best):
            assert is_allowed(run.core, other)
            assert run.core.value(other) == pytest.approx(problem.value(other), rel=1e-12)


def allowed(problem: CoverageProblem) -> list[np.ndarray]:
    """List all selections that keep every limit."""
    free = np.flatnonzero(problem.choosable).tolist()
    found = [
        np.array([*problem.required.tolist(), *some], dtype=np.int64)
        for size in range(len(free) + 1)
        for some in combinations(free, size)
    ]
    return [selected for selected in found if not problem.violation(selected)]


def test_what_is_proven_of_the_folded_problem_is_proven_of_the_original():
    """Together the elements weigh 4, 6 and 2; alone they have no unit of 2."""
    problem = CoverageProblem.from_sets(
        {"unit": ["parser", "lexer"], "soak": ["memory", "files"], "smoke": ["shell"]},
        costs={"unit": 1, "soak": 8, "smoke": 0.5},
        weights={"parser": 3, "lexer": 1, "memory": 4, "files": 2, "shell": 2},
        budget=9,
    )
    found = solve(problem)
    assert (found.value, found.upper_bound, found.status) == (10.0, 10.0, "optimal")
