"""Greedy runs in steps of any size, and Greedy+Max beside them."""

import numpy as np
import pytest

from maxcover import CoverageProblem, generate
from maxcover.engine.kernels.augment import Augmentation
from maxcover.engine.kernels.lazy_greedy import key_of, sift_down
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.greedy import after_best_single, complete, complete_plus_max, opened
from tests.instances import random_problem
from tests.reference import heap_greedy, naive_g_greedy, naive_plus_max


def test_the_heap_gives_back_falling_keys_and_rising_nodes():
    rng = np.random.default_rng(0)
    for n_nodes in (1, 2, 3, 10, 57):
        size = n_nodes
        keys, nodes = rng.integers(0, 6, size).astype(float), np.arange(size, dtype=np.int32)
        expected = sorted(zip(-keys, nodes, strict=True))
        for position in range(size // 2 - 1, -1, -1):
            sift_down(keys, nodes, position, size)
        found = []
        while size:
            found.append((-keys[0], nodes[0]))
            size -= 1
            keys[0], nodes[0] = keys[size], nodes[size]
            sift_down(keys, nodes, 0, size)
        assert found == expected


def test_keys():
    assert key_of(6.0, 2.0, True) == 3.0
    assert key_of(6.0, 0.0, True) == np.inf
    assert key_of(0.0, 0.0, True) == 0.0
    assert key_of(6.0, 2.0, False) == 6.0


@pytest.mark.parametrize("work", [1, 7, 2**62])
@pytest.mark.parametrize("by_cost", [True, False])
def test_picks_are_the_naive_picks_whatever_the_step(by_cost, work):
    rng = np.random.default_rng(work % 1000)
    for _ in range(60):
        problem = random_problem(rng, groups=False)
        expected = naive_g_greedy(problem, by_cost=by_cost)
        run = opened(problem, problem.required, by_cost=by_cost, useless=True)
        while not run.advance(work):
            so_far = run.picked().tolist()
            assert so_far == expected[: len(so_far)]
        assert run.picked().tolist() == expected


@pytest.mark.parametrize("weights", ["counts", "large counts", "reals"])
def test_picks_are_those_of_one_heap_on_larger_graphs(weights):
    for seed in range(3):
        high = 1000 if weights == "large counts" else 10
        plain = generate.biregular(900, 2700, 9, 3, budget=900, high=high, seed=seed)
        problem = reweighted(plain, seed) if weights == "reals" else plain
        assert complete(problem, problem.required).tolist() == heap_greedy(problem)


def reweighted(problem, seed):
    rng = np.random.default_rng(seed)
    return CoverageProblem.from_edges(
        np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr)),
        problem.indices,
        costs=problem.costs,
        weights=2.0 ** rng.uniform(-60, 10, problem.n_elements),
        budget=problem.budget,
    )


def test_the_time_is_over_between_two_picks():
    problem = generate.biregular(20_000, 60_000, 9, 3, budget=20_000, seed=0)
    whole = complete(problem, problem.required)
    for n_looks in (0, 1, 4, 6):
        looks = iter([False] * n_looks + [True])
        some = complete(problem, problem.required, expired=lambda looks=looks: next(looks))
        assert some.tolist() == whole[: len(some)].tolist()
        assert len(some) < len(whole)
    assert len(some) > 0
    assert complete(problem, problem.required, expired=lambda: False).tolist() == whole.tolist()


def plain_problem(rng):
    return random_problem(rng, groups=False)


def dear_and_large(rng):
    """Draw a problem in which large sets cost a little more than their share of the weight."""
    sizes = np.concatenate((rng.integers(1, 4, 8), rng.integers(6, 12, 4)))
    elements = np.concatenate([rng.permutation(30)[:size] for size in sizes])
    return CoverageProblem.from_edges(
        np.repeat(np.arange(len(sizes)), sizes),
        elements,
        costs=np.ceil(10 * sizes**1.2),
        n_elements=30,
        budget=float(rng.integers(180, 400)),
    )


@pytest.mark.parametrize("draw", [plain_problem, dear_and_large])
def test_plus_max_is_the_naive_one(draw):
    rng = np.random.default_rng(5)
    n_better = 0
    for _ in range(200):
        problem = draw(rng)
        found = complete_plus_max(problem, problem.required)
        slices = complete_plus_max(problem, problem.required, expired=lambda: False)
        picks, better = naive_plus_max(problem)
        assert found.picks.tolist() == slices.picks.tolist() == picks
        assert (None if found.better is None else found.better.tolist()) == better
        assert (found.better is None) == (slices.better is None)
        n_better += better is not None
    assert n_better > (0 if draw is plain_problem else 20)


@pytest.mark.parametrize("work", [1, 50])
def test_plus_max_in_small_steps(work):
    rng = np.random.default_rng(work)
    for _ in range(40):
        problem = dear_and_large(rng)
        run = opened(problem, problem.required, by_cost=True, useless=False)
        run.advance(2**62)
        found = Augmentation(run)
        while not found.advance(work):
            pass
        better = naive_plus_max(problem)[1]
        assert found.extra == (-1 if better is None else better[-1])


def test_after_the_best_single_set():
    sets, costs = [[0], [1], [0, 1]], [1, 1, 2]
    weights = {0: 3.0, 1: 5.0}
    for choice, expected in (({}, [2]), ({"forbidden": [2]}, [1, 0]), ({"required": [2]}, None)):
        problem = CoverageProblem.from_sets(sets, costs=costs, weights=weights, budget=2, **choice)
        found = after_best_single(problem, Control())
        assert (None if found is None else found.tolist()) == expected
