"""The heap and the counting that lazy greedy stands on."""

import numpy as np
import pytest

from maxcover.kernels.greedy import best_single, density, gain_of, lazy_greedy, sift_down
from tests.instances import random_problem
from tests.reference import naive_g_greedy


def test_the_heap_gives_back_falling_keys_and_rising_nodes():
    rng = np.random.default_rng(0)
    for n_nodes in (1, 2, 3, 10, 57):
        size = n_nodes
        keys, nodes = rng.integers(0, 6, size).astype(float), np.arange(size)
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


def test_gain_and_density():
    indptr, indices = np.array([0, 3]), np.array([0, 1, 2], dtype=np.int32)
    covered = np.array([False, True, False])
    assert gain_of(indptr, indices, np.array([1.0, 2.0, 4.0]), covered, 0) == 5.0
    assert density(6.0, 2.0) == 3.0
    assert density(6.0, 0.0) == np.inf
    assert density(0.0, 0.0) == 0.0


def arguments(problem, *, by_cost):
    ticks = problem.ticks
    return (
        problem.indptr,
        problem.indices,
        problem.counted_costs,
        problem.counted_weights,
        ticks.ticks,
        ticks.limit,
        problem.group_of,
        problem.group_counts,
        problem.group_ticks,
        problem.choosable,
        problem.required,
        by_cost,
        True,
    )


@pytest.mark.parametrize("by_cost", [True, False])
def test_lazy_picks_are_the_naive_picks(by_cost):
    rng = np.random.default_rng(1)
    for _ in range(150):
        problem = random_problem(rng)
        picks = lazy_greedy(*arguments(problem, by_cost=by_cost))
        assert picks.tolist() == naive_g_greedy(problem, by_cost=by_cost)


def test_best_single():
    indptr, indices = np.array([0, 1, 2, 4]), np.array([0, 1, 0, 1], dtype=np.int32)
    weights, everyone = np.array([3.0, 5.0]), np.ones(3, dtype=bool)
    nobody = np.empty(0, dtype=np.int64)
    assert best_single(indptr, indices, weights, everyone, nobody) == 2
    assert best_single(indptr, indices, weights, np.array([True, True, False]), nobody) == 1
    assert best_single(indptr, indices, weights, everyone, np.array([2])) == -1
