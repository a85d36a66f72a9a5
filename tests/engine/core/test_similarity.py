"""Facility location: each point gives its best similarity, checked against the definition."""

from itertools import combinations

import numpy as np
import pytest
from scipy.sparse import csr_array

from maxcover import CoverageProblem, load, save, solve, verify
from maxcover.errors import ProblemError


def facility_value(similarity, chosen):
    rows = np.maximum(np.asarray(similarity, dtype=float), 0.0)[list(chosen)]
    return float(rows.max(axis=0, initial=0.0).sum())


def drawn(seed, n_sets=9, n_points=12):
    rng = np.random.default_rng(seed)
    kind = seed % 4
    matrix = rng.random((n_sets, n_points))
    if kind == 1:  # ties, zeros
        matrix = rng.integers(0, 4, matrix.shape) / 4
    if kind == 2:  # sparse, some below 0
        matrix = np.where(rng.random(matrix.shape) < 0.4, matrix - 0.2, 0.0)
    if kind == 3:  # one scale per point
        matrix *= 10.0 ** rng.integers(-4, 5, n_points)
    return matrix


@pytest.mark.parametrize("seed", range(40))
def test_every_selection_has_the_same_value(seed):
    matrix = drawn(seed)
    problem = CoverageProblem.from_similarity(matrix, budget=3)
    for size in range(4):
        for chosen in combinations(range(len(matrix)), size):
            expected = facility_value(matrix, chosen)
            assert problem.value(list(chosen)) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_best_selection_is_found_and_certified():
    for seed in range(20):
        matrix = drawn(seed)
        problem = CoverageProblem.from_similarity(matrix, budget=3)
        solution = solve(problem)
        best = max(facility_value(matrix, chosen) for chosen in combinations(range(9), 3))
        assert solution.value == pytest.approx(best, rel=1e-9)
        assert verify(problem, solution).ok


def test_sparse_and_dense_are_the_same():
    matrix = drawn(2)
    one = CoverageProblem.from_similarity(matrix, budget=3)
    other = CoverageProblem.from_similarity(csr_array(matrix), budget=3)
    assert np.array_equal(one.indices, other.indices)
    assert np.array_equal(one.weights, other.weights)


def test_similarities_are_saved(tmp_path):
    problem = CoverageProblem.from_similarity(
        drawn(0), budget=3, costs=np.arange(1, 10), required=[1]
    )
    for ending in (".json", ".npz"):
        save(problem, tmp_path / f"p{ending}")
        again = load(tmp_path / f"p{ending}")
        assert again.value([1, 2]) == problem.value([1, 2])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"similarity": [1.0]}, "as a matrix of numbers"),
        ({"similarity": [["a"]]}, "as a matrix of numbers"),
        ({"similarity": [[float("nan")]]}, "finite similarities"),
        ({"similarity": [[float("inf")]]}, "finite similarities"),
    ],
)
def test_what_is_refused(given, message):
    with pytest.raises(ProblemError, match=message):
        CoverageProblem.from_similarity(**given, budget=1)
