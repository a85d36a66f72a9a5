import numpy as np
import pytest

from maxcover import CoverageProblem, budget_curve, generate, solve
from maxcover.errors import InfeasibleError, OptionError
from tests.instances import random_problem
from tests.reference import brute_force, is_allowed, value_of


def test_every_point_is_allowed_bounded_and_monotone():
    rng = np.random.default_rng(0)
    for _ in range(60):
        problem = random_problem(rng, most_sets=9)
        least = float(problem.costs[problem.required].sum())
        budgets = least + rng.random(5) * (problem.costs.sum() - least)
        curve = budget_curve(problem, budgets)
        assert curve.budgets.tolist() == budgets.tolist()
        order = np.argsort(budgets)
        assert (np.diff(curve.values[order]) >= 0).all()
        assert (np.diff(curve.upper_bounds[order]) >= 0).all()
        assert (curve.gaps >= 0).all()
        for k, size in enumerate(curve.budgets):
            point = problem.with_budget(size)
            best, _ = brute_force(point)
            assert is_allowed(point, curve.selections[k])
            assert value_of(point, curve.selections[k]) == pytest.approx(curve.values[k], rel=1e-9)
            assert curve.values[k] <= best * (1 + 1e-9)
            assert curve.upper_bounds[k] >= best * (1 - 1e-9)


def test_close_to_single_solutions():
    problem = generate.biregular(200, 600, 9, 3, budget=200, seed=1)
    budgets = np.linspace(20, 200, 10).round()
    curve = budget_curve(problem, budgets)
    alone = [solve(problem.with_budget(size)).value for size in budgets]
    assert (curve.values >= 0.98 * np.array(alone)).all()
    assert curve.values[-1] == alone[-1]


def test_budgets_in_any_order_and_repeated():
    problem = generate.biregular(20, 60, 9, 3, budget=20, seed=2)
    curve = budget_curve(problem, [20, 5, 5, 10])
    assert curve.budgets.tolist() == [20, 5, 5, 10]
    assert len(curve) == len(curve.selections) == 4
    assert curve.values[0] >= curve.values[3] >= curve.values[1] == curve.values[2]
    assert budget_curve(problem, ["50%", 5]).budgets.tolist() == [problem.costs.sum() / 2, 5]


def test_bad_budgets():
    problem = CoverageProblem.from_sets([[1], [2]], budget=1, required=[0])
    with pytest.raises(OptionError, match="budgets to have at least one"):
        budget_curve(problem, [])
    with pytest.raises(InfeasibleError, match="required"):
        budget_curve(problem, [0.5, 1])


def test_a_time_limit_leaves_out_the_smallest_budgets():
    problem = generate.biregular(200, 600, 9, 3, budget=200, seed=3)
    budgets = np.linspace(1, 200, 100)
    whole = budget_curve(problem, budgets)
    ample = budget_curve(problem, budgets, time_limit=600)
    assert ample.values.tolist() == whole.values.tolist()
    none = budget_curve(problem, budgets, time_limit=0)
    assert none.budgets.tolist() == [200]
    assert len(none.values) == len(none.costs) == len(none.upper_bounds) == 1
    with pytest.raises(OptionError, match="time_limit"):
        budget_curve(problem, budgets, time_limit=-1)
