"""Decimation: g-greedy in the limit, better than it where the price is right, within all limits."""

import numpy as np
import pytest

from maxcover import CoverageProblem, generate, solve
from maxcover.errors import OptionError
from tests.instances import random_problem
from tests.reference import is_allowed, naive_g_greedy, value_of


def distinct(rng: np.random.Generator) -> CoverageProblem:
    """Draw a problem in which no two gains per cost are equal, at any point of the run."""
    n_sets, n_elements = int(rng.integers(2, 15)), int(rng.integers(2, 25))
    sets, elements = np.nonzero(rng.random((n_sets, n_elements)) < 0.3)
    costs, weights = rng.uniform(0.5, 2.0, n_sets), rng.uniform(0.5, 2.0, n_elements)
    budget = float(costs.sum() * rng.uniform(0.2, 0.8))
    return CoverageProblem.from_edges(sets, elements, costs=costs, weights=weights, budget=budget)


def useful(problem: CoverageProblem, picks: list[int]) -> list[int]:
    """Return the picks that newly cover something; decimation takes no others."""
    gains = np.diff([value_of(problem, picks[:k]) for k in range(len(picks) + 1)])
    return [pick for pick, gain in zip(picks, gains, strict=True) if gain > 1e-12]


@pytest.mark.parametrize("block", range(10))
def test_at_a_huge_price_it_is_g_greedy(block):
    """The limit that the paper claims for Algorithm 2 holds for decimation: 1,000 problems."""
    rng = np.random.default_rng(block)
    for _ in range(100):
        problem = distinct(rng)
        solution = solve(problem, method="bp-decimation", beta=1.0, mu=1e6, bound="quick")
        expected = useful(problem, naive_g_greedy(problem))
        assert solution.info["order"].tolist() == expected


def test_above_g_greedy_around_the_papers_peak():
    gain = []
    for seed in range(20):
        problem = generate.biregular(100, 300, 9, 3, budget=100, seed=seed)
        ours = solve(problem, method="bp-decimation", beta=3.0, mu=5.0, bound="quick")
        gain.append(ours.value - solve(problem, method="g-greedy", bound="quick").value)
    assert np.mean(gain) > 0


@pytest.mark.parametrize("batches", [0, 1, 3, 1000])
def test_limits_are_kept(batches):
    rng = np.random.default_rng(batches)
    for _ in range(100):
        problem = random_problem(rng)
        for coverage in ("soft", "hard"):
            solution = solve(
                problem,
                method="bp-decimation",
                mu=float(rng.choice([-1.0, 0.3, 5.0])),
                coverage=coverage,
                batches=batches,
                bound="quick",
            )
            assert is_allowed(problem, solution.selected)


def test_a_set_with_index_zero_does_not_end_it():
    problem = CoverageProblem.from_sets([[0, 1], [2], [3]], costs=[1, 1, 1], budget=3)
    solution = solve(problem, method="bp-decimation", beta=1.0, mu=0.1)
    assert solution.selected.tolist() == [0, 1, 2]


def test_batches_share_the_budget():
    problem = generate.biregular(200, 600, 9, 3, budget=200, seed=1)
    options = {"method": "bp-decimation", "beta": 1.0, "mu": 5.0, "bound": "quick"}
    single = solve(problem, **options, batches=0)
    some = solve(problem, **options, batches=8)
    assert single.info["rounds"] == len(single.selected)
    assert some.info["rounds"] <= 12
    assert some.info["sweeps"] < single.info["sweeps"]
    assert some.value >= 0.99 * single.value


def test_many_sets_are_picked_in_batches_by_default():
    problem = generate.biregular(2000, 6000, 9, 3, budget=2000, seed=2)
    solution = solve(problem, method="bp-decimation", beta=1.0, mu=5.0, bound="quick")
    assert solution.info["rounds"] < 100
    g_greedy = solve(problem, method="g-greedy", bound="quick")
    assert solution.value > g_greedy.value


def test_a_time_limit_ends_it_with_what_it_has():
    problem = generate.biregular(900, 2700, 9, 3, budget=900, seed=3)
    solution = solve(problem, method="bp-decimation", beta=1.0, mu=5.0, time_limit=0.0)
    assert solution.stopped == "time limit"
    assert len(solution.selected) > 0
    assert solution.cost <= problem.budget


def test_required_sets_come_first_and_are_not_in_the_order():
    problem = CoverageProblem.from_sets(
        [[0], [1], [2, 3]], costs=[1, 1, 1], budget=2, required=[1], forbidden=[0]
    )
    solution = solve(problem, method="bp-decimation", beta=1.0, mu=0.1)
    assert solution.selected.tolist() == [1, 2]
    assert solution.info["order"].tolist() == [2]


def test_a_wrong_coverage_is_refused():
    with pytest.raises(OptionError, match="one of soft, hard or None, got 'lukewarm'"):
        solve(generate.greedy_trap(), method="bp-decimation", coverage="lukewarm")
