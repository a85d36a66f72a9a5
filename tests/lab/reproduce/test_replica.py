"""The population of messages against exact marginals on trees, and against large graphs."""

import numpy as np
import pytest

from maxcover import beliefs, generate
from maxcover.lab.reproduce.replica import replica_symmetric
from tests.slow_bp import enumerate_exactly

TEN = tuple(range(1, 11))


@pytest.mark.parametrize("hard", [True, False])
def test_one_sweep_is_exact_on_trees_of_depth_one(hard):
    """The root has two elements, each with two further sets that have no other element."""
    beta, mu, costs, weights = 0.7, 0.8, (1.0, 2.0, 4.0), (0.5, 1.0, 3.0)
    tree = [[0, 1], [0], [0], [1], [1]]
    rng = np.random.default_rng(3)
    paid = []
    for _ in range(4000):
        cost, weight = rng.choice(costs, 5), rng.choice(weights, 2)
        field, gains = -beta * mu * cost, beta * weight
        exact = enumerate_exactly(tree, 2, field=field, beta_w=gains, hard=hard)
        paid.append(cost[0] * exact.chosen[0])
    found = replica_symmetric(
        2, 3, beta=beta, mu=mu, costs=costs, weights=weights, hard=hard, sweeps=1, damping=0.0
    )
    error = np.hypot(found.cost_error, np.std(paid) / len(paid) ** 0.5)
    assert abs(found.cost - np.mean(paid)) < 3 * error


def test_large_graphs_have_the_densities_of_the_population():
    found = replica_symmetric(9, 3, beta=0.5, mu=5.0, costs=TEN, weights=TEN, sweeps=60)
    cost, weight = [], []
    for seed in range(6):
        graph = generate.biregular(2000, 6000, 9, 3, budget=1, seed=seed)
        at = beliefs(graph, beta=0.5, mu=5.0)
        cost.append(at.expected_cost / 2000)
        weight.append(graph.weights @ at.elements / 6000)
    for ours, error, measured in (
        (found.cost, found.cost_error, cost),
        (found.weight, found.weight_error, weight),
    ):
        assert abs(ours - np.mean(measured)) < 3 * np.hypot(error, np.std(measured) / 6**0.5)


def test_without_disorder_it_is_a_number():
    found = replica_symmetric(9, 3, beta=1.0, mu=1.0, size=1)
    graph = generate.biregular(100, 300, 9, 3, budget=1, high=1, seed=0)
    at = beliefs(graph, beta=1.0, mu=1.0)
    assert found.moved < 1e-6
    assert found.cost == pytest.approx(at.expected_cost / 100, rel=1e-5)
    assert found.weight == pytest.approx(at.elements.mean(), rel=1e-5)
