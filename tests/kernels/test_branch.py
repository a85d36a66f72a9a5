"""Branch and bound against brute force."""

import numpy as np
import pytest

from maxcover import generate
from maxcover.core import bounds
from maxcover.core.relaxation import improve_dual
from maxcover.kernels.arrays import BudgetTicks, CompressedRows
from maxcover.kernels.branch import branch
from tests.instances import random_problem
from tests.reference import brute_force, is_allowed, value_of


def run(problem, *, floor=-1.0, most_nodes=100_000, dual=None):
    """Run the kernel on a whole problem, in units of the weights' common unit."""
    left = bounds.reduced(problem)
    dual = dual or improve_dual(problem, left, steps=50)
    scale = problem.weight_unit or 1.0
    coverable = problem.covered(np.flatnonzero(problem.choosable))
    step = 1 - 1e-9 if problem.weight_unit else 1e-12 * problem.weights[coverable].sum() + 1e-300
    found = branch(
        CompressedRows(problem.indptr, problem.indices),
        CompressedRows(*problem.transpose),
        problem.counted_weights,
        BudgetTicks(
            problem.ticks.ticks,
            problem.ticks.limit,
        ),
        shares=np.clip(dual.shares, 0.0, left.weights) / scale,
        price=dual.price / scale,
        start=problem.required.copy(),
        candidates=np.flatnonzero(problem.choosable),
        floor=floor / scale if floor > 0 else floor,
        step=step,
        most_nodes=most_nodes,
    )
    return (*found, scale)


@pytest.mark.parametrize("batch", range(4))
def test_finds_the_optimum(batch):
    rng = np.random.default_rng(batch)
    for _ in range(200):
        problem = random_problem(rng, most_sets=10, groups=False)
        best, _ = brute_force(problem)
        picks, value, searched, complete, scale = run(problem)
        assert complete
        assert searched == pytest.approx(1.0)
        assert value * scale == pytest.approx(best, rel=1e-9, abs=1e-300)
        chosen = np.concatenate((problem.required, picks))
        assert is_allowed(problem, chosen)
        assert value_of(problem, chosen) == pytest.approx(best, rel=1e-9, abs=1e-300)


def test_any_dual_point_gives_the_same_answer():
    """A poor dual point costs nodes, never the optimum."""
    rng = np.random.default_rng(5)
    for _ in range(100):
        problem = random_problem(rng, most_sets=9, groups=False)
        best, _ = brute_force(problem)
        shares = problem.weights * rng.random(problem.n_elements)
        dual = bounds.Dual(float(rng.random()) * 3, shares)
        _, value, searched, complete, scale = run(problem, dual=dual)
        assert complete
        assert searched == pytest.approx(1.0)
        assert value * scale == pytest.approx(best, rel=1e-9, abs=1e-300)


def test_says_when_nothing_better_exists():
    problem = generate.biregular(20, 60, 9, 3, budget=20, seed=1)
    best, _ = brute_force_of_twenty(problem)
    picks, value, _, complete, _ = run(problem, floor=best)
    assert complete
    assert not picks.size
    assert value == best


def brute_force_of_twenty(problem):
    _, value, _, complete, scale = run(problem)
    assert complete
    return value * scale, None


def test_says_when_it_ran_out_of_nodes():
    problem = generate.bmcp(60, 50, 0.3, budget=400, seed=0)
    picks, _, searched, complete, _ = run(problem, most_nodes=50)
    assert not complete
    assert 0 <= searched < 1
    assert is_allowed(problem, picks)
