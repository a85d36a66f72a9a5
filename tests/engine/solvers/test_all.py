"""The exam: every row of METHODS sits it, and a new row sits it by being in the table.

`test_judge` holds every row against brute force in exact arithmetic.
"""

import numpy as np
import pytest
from hypothesis import given, settings

from maxcover import CoverageProblem, generate, solve
from maxcover.engine.solvers import METHODS
from maxcover.errors import OptionError
from tests.instances import edge_cases, problems
from tests.reference import brute_force, is_allowed, value_of

pytestmark = pytest.mark.parametrize("method", METHODS)


def check(problem: CoverageProblem, method: str, best: float, **options) -> None:
    """Everything that must hold for any answer to any problem."""
    solution = solve(problem, method=method, **options)
    tolerance = 1e-9 * max(1.0, best)
    assert is_allowed(problem, solution.selected)
    assert solution.value == pytest.approx(
        value_of(problem, solution.selected), rel=1e-12, abs=1e-300
    )
    assert solution.cost <= problem.budget
    assert solution.value <= best + tolerance
    assert solution.upper_bound >= best - tolerance, "the certificate is wrong"
    assert solution.gap >= 0
    if problem.is_plain:
        assert solution.value >= METHODS[method].guarantee * best - tolerance
    if METHODS[method].exact:
        assert solution.value == pytest.approx(best, rel=1e-9, abs=1e-12)
        assert solution.status == "optimal"
    if solution.status == "optimal":
        assert solution.value >= best - tolerance


@settings(max_examples=60, deadline=None)
@given(problem=problems())
def test_small_problems(method, problem):
    best, _ = brute_force(problem)
    check(problem, method, best)


@pytest.mark.parametrize("name", edge_cases())
def test_edge_cases(method, name):
    problem = edge_cases()[name]
    check(problem, method, brute_force(problem)[0])


def test_same_answer_twice_and_input_untouched(method):
    problem = generate.biregular(30, 90, 9, 3, budget=30, seed=5)
    before = [a.copy() for a in (problem.indptr, problem.indices, problem.costs, problem.weights)]
    first, second = (solve(problem, method=method, seed=3) for _ in range(2))
    assert first.selected.tolist() == second.selected.tolist()
    assert first.upper_bound == second.upper_bound
    after = (problem.indptr, problem.indices, problem.costs, problem.weights)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert not first.selected.flags.writeable


@pytest.mark.parametrize("cost_scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("weight_scale", [1e-9, 0.3, 1e9])
def test_rescaling_changes_nothing(method, cost_scale, weight_scale):
    problem = generate.biregular(30, 90, 9, 3, budget=30, seed=6)
    plain = solve(problem, method=method)
    scaled = solve(rescaled(problem, cost_scale, weight_scale), method=method)
    assert scaled.value == pytest.approx(plain.value * weight_scale, rel=1e-9)
    assert scaled.upper_bound == pytest.approx(plain.upper_bound * weight_scale, rel=1e-5)


def rescaled(problem: CoverageProblem, cost_scale: float, weight_scale: float) -> CoverageProblem:
    return CoverageProblem(
        indptr=problem.indptr,
        indices=problem.indices,
        costs=problem.costs * cost_scale,
        weights=problem.weights * weight_scale,
        budget=problem.budget * cost_scale,
    )


def test_renumbering_changes_nothing(method):
    """Where densities differ, no tie can be broken another way."""
    rng = np.random.default_rng(7)
    problem = generate.biregular(30, 90, 9, 3, budget=30, seed=7)
    weights = problem.weights + rng.random(90) * 0.1
    sets = np.repeat(np.arange(30), 9)
    p, q = rng.permutation(30), rng.permutation(90)
    plain = CoverageProblem.from_edges(
        sets, problem.indices, costs=problem.costs, weights=weights, budget=30
    )
    costs, moved = np.empty(30), np.empty(90)
    costs[p], moved[q] = problem.costs, weights
    renumbered = CoverageProblem.from_edges(
        p[sets], q[problem.indices], costs=costs, weights=moved, budget=30
    )
    first, second = solve(plain, method=method), solve(renumbered, method=method)
    assert first.value == pytest.approx(second.value, rel=1e-9)


def test_unknown_options_are_refused(method):
    problem = generate.greedy_trap()
    with pytest.raises(OptionError, match="unknown option 'colour'"):
        solve(problem, method=method, colour="red")
