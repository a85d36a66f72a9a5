"""Dual steps: never below the best value, repeatable, and independent of slices and units."""

import numpy as np
import pytest

from maxcover import CoverageProblem, generate
from maxcover.kernels.arrays import Program, Rows
from maxcover.kernels.crew import LARGE, gathered
from maxcover.kernels.dual import BOUND, BOUND_MU, RELAXED, STEPS, dual_steps, start_dual
from tests.instances import random_problem
from tests.reference import brute_force


def relaxed(problem: CoverageProblem) -> Program:
    rows, columns = Rows(problem.indptr, problem.indices), Rows(*problem.transpose)
    return Program(rows, columns, problem.costs, problem.weights, problem.budget)


def biregular(n_sets: int) -> Program:
    return relaxed(generate.biregular(n_sets, 3 * n_sets, 9, 3, budget=n_sets))


def test_never_below_the_best_value():
    rng = np.random.default_rng(0)
    for _ in range(60):
        problem = random_problem(rng, most_sets=7)
        state = start_dual(relaxed(problem))
        dual_steps(relaxed(problem), state, 20, 0.0)
        assert np.isfinite(state.best_lam).all()
        assert ((state.best_lam >= 0) & (state.best_lam <= problem.weights)).all()
        assert state.scalars[BOUND] >= brute_force(problem)[0] * (1 - 1e-12)


def test_steps_close_in_on_the_relaxation():
    problem = biregular(30)
    state = start_dual(problem)
    first = state.scalars[BOUND]
    dual_steps(problem, state, 150, 0.0)
    assert state.scalars[RELAXED] * (1 - 1e-9) <= state.scalars[BOUND] < first
    assert state.scalars[BOUND] <= state.scalars[RELAXED] * 1.01


def test_slices_add_up_and_repeat_exactly():
    problem = biregular(30)
    whole, sliced = start_dual(problem), start_dual(problem)
    dual_steps(problem, whole, 60, 0.0)
    for _ in range(3):
        dual_steps(problem, sliced, 20, 0.0)
    for one, other in zip(whole, sliced, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(("cost_unit", "weight_unit"), [(2.0**20, 2.0**-30), (2.0**-40, 2.0**9)])
def test_units_do_not_matter(cost_unit, weight_unit):
    problem = biregular(30)
    plain = dual_steps(problem, start_dual(problem), 50, 0.0)
    scaled = problem._replace(
        costs=problem.costs * cost_unit,
        weights=problem.weights * weight_unit,
        budget=problem.budget * cost_unit,
    )
    assert dual_steps(scaled, start_dual(scaled), 50, 0.0) == pytest.approx(
        plain * weight_unit, rel=1e-4
    )


def test_stops_at_the_target():
    problem = biregular(30)
    state = start_dual(problem)
    goal = state.scalars[BOUND] * 0.999
    assert dual_steps(problem, state, 500, goal) <= goal
    assert state.scalars[STEPS] < 500


def test_a_good_start_is_as_good_as_its_end():
    problem = biregular(30)
    first = start_dual(problem)
    dual_steps(problem, first, 60, 0.0)
    again = start_dual(problem, x=first.x, lam=first.best_lam, mu=first.scalars[BOUND_MU])
    assert again.scalars[BOUND] == pytest.approx(first.scalars[BOUND], rel=1e-9)


def test_disallowed_sets_add_nothing():
    problem = biregular(30)
    assert start_dual(problem, allowed=np.zeros(30, dtype=bool)).scalars[BOUND] == 0.0
    half = start_dual(problem, allowed=np.arange(30) % 2 == 0)
    dual_steps(problem, half, 20, 0.0)
    assert not half.x[1::2].any()


def test_threads_do_not_change_a_bit():
    problem = biregular(24_000)
    assert problem.rows.indices.size > LARGE
    states = []
    for threads in (1, 2, 3, 8):
        states.append(start_dual(problem))
        with gathered(threads, LARGE) as crew:
            dual_steps(problem, states[-1], 20, 0.0, crew)
    for other in states[1:]:
        for one, same in zip(states[0], other, strict=True):
            np.testing.assert_array_equal(one, same)
