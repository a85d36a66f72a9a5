"""Descent: its own bound is the one that `bounds` evaluates, no selection is above it, it falls."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from maxcover import CoverageProblem, generate, solve
from maxcover.engine.core import bounds
from maxcover.engine.solvers.descent import Descent
from maxcover.engine.solvers.numbers import NUMBERS

KINDS = ("chance", "best", "mixed")


def posed(rng, kind, n_sets=8, n_elements=12):
    sets, elements = np.nonzero(rng.random((n_sets, n_elements)) < 0.4)
    strength = rng.uniform(0.0, 1.0, sets.size).round(2)
    strength[rng.random(sets.size) < 0.1] = 1.0
    given = {"chance" if kind == "mixed" else kind: strength}
    problem = CoverageProblem.from_edges(
        sets, elements, costs=rng.integers(1, 6, n_sets), weights=rng.integers(1, 9, n_elements),
        n_sets=n_sets, n_elements=n_elements, budget=9, groups=[k % 3 for k in range(n_sets)],
        max_items=2, **given,
    )  # fmt: skip
    if kind != "mixed":
        return problem
    curves = {"of": [-2, 0] * (n_elements // 2), "indptr": [0, 2], "steps": [1, 0.5]}
    return replace(problem, returns=replace(problem.returns, **curves))


def most(problem):
    masks = product([False, True], repeat=problem.n_sets)
    selections = (np.flatnonzero(mask) for mask in masks)
    return max(problem.value(s) for s in selections if not problem.violation(s))


@pytest.mark.parametrize("kind", KINDS[:2])
def test_its_bound_is_the_one_that_is_evaluated(kind):
    rng = np.random.default_rng(3)
    for _ in range(30):
        problem = posed(rng, kind)
        descent = Descent(problem, problem.required, NUMBERS.descent)
        dual = descent.improve(steps=25)
        evaluated = bounds.dual_bound(problem, bounds.reduced(problem), dual)
        assert evaluated == pytest.approx(descent.bound, rel=1e-9)
        assert evaluated >= most(problem) * (1 - 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_it_falls_far_below_the_bound_by_residual_gains(kind):
    rng = np.random.default_rng(4)
    ratios = []
    for _ in range(30):
        problem = posed(rng, kind)
        value = solve(problem, method="g-greedy", bound="trivial")
        left = bounds.reduced(problem)
        first = bounds.dual_bound(
            problem, left, bounds.residual_dual(problem, left, value.selected)
        )
        dual = Descent(problem, value.selected, NUMBERS.descent).improve(
            target=value.value, steps=100
        )
        found, best = bounds.dual_bound(problem, left, dual), most(problem)
        assert found >= best * (1 - 1e-9)
        ratios.append((found - best) / max(first - best, 1e-9))
    assert np.median(ratios) < 0.6


def test_chances_on_many_sets_are_within_two_percent():
    plain = generate.biregular(1000, 3000, 9, 3, budget=1000, seed=5)
    sets = np.repeat(np.arange(1000), np.diff(plain.indptr))
    chance = np.random.default_rng(5).uniform(0.1, 0.9, plain.n_edges)
    problem = CoverageProblem.from_edges(
        sets, plain.indices, costs=plain.costs, weights=plain.weights, budget=1000, chance=chance
    )
    assert solve(problem, effort="fast").gap < 0.02
