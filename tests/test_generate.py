"""Generators: what they promise about degrees, distributions and seeds, and traps that trap."""

import numpy as np
import pytest

from maxcover import generate, solve
from maxcover.errors import OptionError

MAKERS = {
    "biregular": lambda seed: generate.biregular(40, 120, 9, 3, budget=40, seed=seed),
    "erdos_renyi": lambda seed: generate.erdos_renyi(40, 120, 6.0, budget=40, seed=seed),
    "bmcp": lambda seed: generate.bmcp(40, 50, 0.2, budget=100, seed=seed),
    "zipf": lambda seed: generate.zipf(40, 120, 400, budget=40, seed=seed),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_seed_is_a_problem(name):
    one, same, other = (MAKERS[name](seed) for seed in (3, 3, 4))
    for field in ("indptr", "indices", "costs", "weights"):
        assert np.array_equal(getattr(one, field), getattr(same, field))
    assert not np.array_equal(one.indices, other.indices)
    assert not np.array_equal(one.weights, other.weights)


@pytest.mark.parametrize("name", MAKERS)
def test_no_double_edges(name):
    problem = MAKERS[name](0)
    for i in range(problem.n_sets):
        assert (np.diff(problem.elements_of(i)) > 0).all()


@pytest.mark.parametrize(
    ("n", "m", "p", "q"),
    [
        (100, 300, 9, 3),
        (12, 12, 11, 11),
        (6, 3, 3, 6),
        (1, 5, 5, 1),
        (60, 60, 30, 30),
        (1000, 500, 3, 6),
    ],
)
def test_biregular_degrees_are_exact(n, m, p, q):
    for seed in range(5):
        problem = generate.biregular(n, m, p, q, budget=1, seed=seed)
        assert (np.diff(problem.indptr) == p).all()
        assert (np.bincount(problem.indices, minlength=m) == q).all()


def test_biregular_numbers_are_uniform_integers():
    problem = generate.biregular(10_000, 30_000, 9, 3, budget=1, seed=1)
    for numbers in (problem.costs, problem.weights):
        share = np.bincount(numbers.astype(int), minlength=11)[1:] / numbers.size
        assert share == pytest.approx(np.full(10, 0.1), abs=0.012)
        assert (numbers == np.floor(numbers)).all()
    unweighted = generate.biregular(10, 30, 9, 3, budget=1, high=1)
    assert set(unweighted.costs) == set(unweighted.weights) == {1.0}


def test_biregular_edges_are_spread_evenly():
    """Each pair is an edge with the same probability: parting doubles does not bend it."""
    counts = np.zeros((8, 8))
    for seed in range(2000):
        problem = generate.biregular(8, 8, 4, 4, budget=1, seed=seed)
        counts[np.repeat(np.arange(8), 4), problem.indices] += 1
    assert counts / 2000 == pytest.approx(np.full((8, 8), 0.5), abs=0.06)


def test_impossible_degrees_are_refused():
    with pytest.raises(OptionError, match=r"n_sets \* set_degree == .* got 100 \* 9 and 300 \* 4"):
        generate.biregular(100, 300, 9, 4, budget=1)
    with pytest.raises(OptionError, match="set_degree at most n_elements 3, got 6"):
        generate.biregular(3, 3, 6, 6, budget=1)


def test_erdos_renyi_degrees():
    problem = generate.erdos_renyi(5000, 400, 6.0, budget=1)
    degrees = np.diff(problem.indptr)
    assert degrees.mean() == pytest.approx(6.0, rel=0.03)
    assert degrees.var() == pytest.approx(6.0 * (1 - 6 / 400), rel=0.08)
    assert generate.erdos_renyi(3, 5, 99.0, budget=1).n_edges == 15
    assert generate.erdos_renyi(3, 5, 0.0, budget=1).n_edges == 0


def test_bmcp_density():
    problem = generate.bmcp(300, 200, 0.075, budget=1500)
    assert problem.n_edges / (300 * 200) == pytest.approx(0.075, rel=0.05)
    assert problem.costs.max() > 90


def test_zipf_has_a_heavy_tail():
    problem = generate.zipf(2000, 4000, 40_000, budget=10)
    for degrees in (np.diff(problem.indptr), np.bincount(problem.indices, minlength=4000)):
        ordered = np.sort(degrees)[::-1]
        assert ordered[0] > 20 * ordered.mean()
        top, tenth = ordered[:10].sum(), ordered[10:100].sum()
        assert 0.3 < top / tenth < 3  # every decade of ranks holds a like share
    assert 20_000 < problem.n_edges < 40_000


def test_greedy_trap_traps_gain_per_cost():
    trap = generate.greedy_trap(100)
    assert solve(trap, method="g-greedy").value == 2
    assert solve(trap, method="guarded-greedy").value == 100


def test_ratio_trap_traps_gain_without_cost():
    trap = generate.ratio_trap(100)
    assert solve(trap, method="greedy").value == 2
    assert solve(trap, method="g-greedy").value == 100
