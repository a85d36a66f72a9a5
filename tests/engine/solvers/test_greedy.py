"""Lazy greedy against the transcription of the paper's Algorithm 1: the same picks in order."""

import math

import numpy as np
import pytest

from maxcover import CoverageProblem, generate, solve
from maxcover.errors import TooLargeError
from tests import sweeps
from tests.instances import edge_cases, random_problem
from tests.reference import brute_force, naive_g_greedy, value_of

N_INSTANCES = 2000
BATCHES = 4


def check(problem: CoverageProblem) -> None:
    for method, by_cost in (("g-greedy", True), ("greedy", False)):
        solution = solve(problem, method=method, bound="quick")
        order = solution.info["order"].tolist()
        assert order == naive_g_greedy(problem, by_cost=by_cost)
        assert sorted([*order, *problem.required.tolist()]) == solution.selected.tolist()


@pytest.mark.parametrize("batch", sweeps.cases(BATCHES))
def test_same_picks_in_the_same_order(batch):
    rng = np.random.default_rng(batch)
    for _ in range(N_INSTANCES // BATCHES):
        check(random_problem(rng, groups=False))


def test_same_picks_where_nearly_everything_ties():
    rng = np.random.default_rng(9)
    for _ in range(200):
        sets, elements = np.nonzero(rng.random((25, 12)) < 0.3)
        costs = rng.choice([1.0, 2.0], 25)
        check(CoverageProblem.from_edges(sets, elements, costs=costs, n_elements=12, budget=9))


@pytest.mark.parametrize("seed", range(3))
def test_same_picks_on_larger_graphs(seed):
    check(generate.biregular(120, 360, 9, 3, budget=120, seed=seed))
    check(generate.zipf(150, 200, 900, budget=100, seed=seed))


@pytest.mark.parametrize("name", edge_cases())
def test_same_picks_on_edge_cases(name):
    check(edge_cases()[name])


def test_ties_go_to_the_lowest_index():
    problem = CoverageProblem.from_edges([0, 1, 2, 3], [0, 1, 2, 3], budget=2)
    assert solve(problem, method="g-greedy").selected.tolist() == [0, 1]


def test_densities_that_tie_in_tenths_tie():
    """0.3 / 0.1 and 0.6 / 0.2 differ in floating point and are equal all the same."""
    problem = CoverageProblem.from_edges(
        [0, 1], [0, 1], costs=[0.2, 0.1], weights=[0.6, 0.3], budget=0.2
    )
    assert solve(problem, method="g-greedy").info["order"].tolist() == [0]


@pytest.mark.parametrize(
    ("method", "guarantee"), [("guarded-greedy", 1 - math.exp(-0.5)), ("enumerate", 1 - 1 / math.e)]
)
def test_guarantees(method, guarantee):
    rng = np.random.default_rng(4)
    for _ in range(150):
        problem = random_problem(rng, most_sets=9)
        if not problem.is_plain:
            continue
        best, _ = brute_force(problem)
        found = solve(problem, method=method, bound="quick")
        assert value_of(problem, found.selected) >= guarantee * best * (1 - 1e-12)


def test_guarded_takes_nothing_useless():
    problem = CoverageProblem.from_sets([[1], [1], []], budget=3)
    assert solve(problem, method="g-greedy").selected.tolist() == [0, 1, 2]
    assert solve(problem, method="guarded-greedy").selected.tolist() == [0]


def test_enumerate_refuses_what_would_take_for_ever():
    problem = generate.biregular(600, 1800, 9, 3, budget=600)
    with pytest.raises(TooLargeError, match=r"600 sets and 5400 edges.*use method 'exact'"):
        solve(problem, method="enumerate")
