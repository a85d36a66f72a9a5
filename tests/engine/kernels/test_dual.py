"""Dual steps: never below the best value, repeatable, and independent of slices and units."""

import numpy as np
import pytest

from maxcover import CoverageProblem, generate
from maxcover.engine.kernels.arrays import CompressedRows, RelaxationArrays
from maxcover.engine.kernels.crew import LARGE, gathered
from maxcover.engine.kernels.dual import DualSteps
from tests.instances import random_problem
from tests.reference import brute_force


def relaxed(problem: CoverageProblem) -> RelaxationArrays:
    rows, columns = (
        CompressedRows(problem.indptr, problem.indices),
        CompressedRows(*problem.transpose),
    )
    return RelaxationArrays(rows, columns, problem.costs, problem.weights, problem.budget)


def biregular(n_sets: int) -> RelaxationArrays:
    return relaxed(generate.biregular(n_sets, 3 * n_sets, 9, 3, budget=n_sets))


def test_never_below_the_best_value():
    rng = np.random.default_rng(0)
    for _ in range(60):
        problem = random_problem(rng, most_sets=7)
        state = DualSteps(relaxed(problem))
        state.advance(20, 0.0)
        assert np.isfinite(state.best_lam).all()
        shares = np.asarray(state.best_lam)
        assert ((shares >= 0) & (shares <= problem.weights)).all()
        assert state.bound >= brute_force(problem)[0] * (1 - 1e-12)


def test_steps_close_in_on_the_relaxation():
    problem = biregular(30)
    state = DualSteps(problem)
    first = state.bound
    state.advance(150, 0.0)
    assert state.relaxed * (1 - 1e-9) <= state.bound < first
    assert state.bound <= state.relaxed * 1.01


def test_slices_add_up_and_repeat_exactly():
    problem = biregular(30)
    whole, sliced = DualSteps(problem), DualSteps(problem)
    whole.advance(60, 0.0)
    for _ in range(3):
        sliced.advance(20, 0.0)
    check_same(whole, sliced)


def check_same(one, other):
    numbers = ("steps", "bound", "bound_mu", "relaxed")
    assert [getattr(one, name) for name in numbers] == [getattr(other, name) for name in numbers]
    np.testing.assert_array_equal(one.best_lam, other.best_lam)
    np.testing.assert_array_equal(one.x, other.x)


@pytest.mark.parametrize(("cost_unit", "weight_unit"), [(2.0**20, 2.0**-30), (2.0**-40, 2.0**9)])
def test_units_do_not_matter(cost_unit, weight_unit):
    problem = biregular(30)
    plain = DualSteps(problem).advance(50, 0.0)
    scaled = problem._replace(
        costs=problem.costs * cost_unit,
        weights=problem.weights * weight_unit,
        budget=problem.budget * cost_unit,
    )
    assert DualSteps(scaled).advance(50, 0.0) == pytest.approx(plain * weight_unit, rel=1e-4)


def test_stops_at_the_target():
    problem = biregular(30)
    state = DualSteps(problem)
    goal = state.bound * 0.999
    assert state.advance(500, goal) <= goal
    assert state.steps < 500


def test_a_good_start_is_as_good_as_its_end():
    problem = biregular(30)
    first = DualSteps(problem)
    first.advance(60, 0.0)
    again = DualSteps(problem, x=first.x, lam=first.best_lam, mu=first.bound_mu)
    assert again.bound == pytest.approx(first.bound, rel=1e-9)


def test_disallowed_sets_add_nothing():
    problem = biregular(30)
    assert DualSteps(problem, allowed=np.zeros(30, dtype=bool)).bound == 0.0
    half = DualSteps(problem, allowed=np.arange(30) % 2 == 0)
    half.advance(20, 0.0)
    assert not half.x[1::2].any()


def test_threads_do_not_change_a_bit():
    problem = biregular(24_000)
    assert problem.rows.indices.size > LARGE
    states = []
    for threads in (1, 2, 3, 8):
        states.append(DualSteps(problem))
        with gathered(threads, LARGE) as crew:
            states[-1].advance(20, 0.0, crew)
    for other in states[1:]:
        check_same(states[0], other)
