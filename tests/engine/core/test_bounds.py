"""Bounds hold: against enumeration in exact arithmetic, on badly scaled problems too."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack

from maxcover import CoverageProblem, generate
from maxcover.engine.core import bounds
from maxcover.engine.core.bounds import (
    Dual,
    dual_bound,
    fixable,
    priced,
    reduced,
    residual_dual,
    round_down,
)
from maxcover.engine.core.relaxation import best_bound, improve_dual
from tests import sweeps
from tests.instances import random_problem
from tests.reference import is_allowed

N_INSTANCES = 3000
BATCHES = 10


def every_selection(problem: CoverageProblem) -> list[tuple[Fraction, frozenset[int]]]:
    """Return the value of every allowed selection, added without rounding."""
    worth = [Fraction(float(w)) for w in problem.weights]
    members = [set(problem.elements_of(i).tolist()) for i in range(problem.n_sets)]
    found = []
    for size in range(problem.n_sets + 1):
        for chosen in itertools.combinations(range(problem.n_sets), size):
            if is_allowed(problem, chosen):
                covered = set().union(*(members[i] for i in chosen))
                found.append((sum((worth[a] for a in covered), Fraction()), frozenset(chosen)))
    return found


def random_dual(problem: CoverageProblem, rng: np.random.Generator) -> Dual:
    factors = rng.choice([0.0, 0.3, 0.7, 1.0, 2.0, -1.0], problem.n_elements)
    size = problem.weights.sum() / max(1, problem.ticks.limit)
    price = float(rng.choice([0.0, rng.uniform(0, 3), rng.uniform(0, 1)]) * size)
    return Dual(price, problem.weights * factors)


@pytest.mark.parametrize("batch", sweeps.cases(BATCHES))
def test_no_selection_beats_a_bound(batch):
    rng = np.random.default_rng(batch)
    for _ in range(N_INSTANCES // BATCHES):
        problem = random_problem(rng, most_sets=6)
        best = max(value for value, _ in every_selection(problem))
        left = reduced(problem)
        selected = np.flatnonzero(rng.random(problem.n_sets) < 0.4)
        found = [
            dual_bound(problem, left, random_dual(problem, rng)),
            dual_bound(problem, left, improve_dual(problem, left, steps=30)),
            dual_bound(problem, left, residual_dual(problem, left, selected)),
        ]
        for bound in found:
            assert Fraction(bound) >= best, "not rounded outward"
            # where the unit is known up to rounding only, so is what is rounded down to it
            assert round_down(problem, bound) >= float(best) * (1 - 1e-12)


@pytest.mark.parametrize("batch", sweeps.cases(BATCHES))
def test_fixed_sets_are_so_in_every_better_selection(batch):
    rng = np.random.default_rng([batch, 1])
    fixed = 0
    for _ in range(N_INSTANCES // BATCHES):
        problem = random_problem(rng, most_sets=6)
        selections = every_selection(problem)
        value = float(rng.choice(sorted({float(v) for v, _ in selections})[-3:]))
        left = reduced(problem)
        dual = improve_dual(problem, left, steps=int(rng.integers(0, 30)))
        inside, outside = fixable(problem, left, priced(problem, left, dual), value)
        fixed += np.count_nonzero(inside | outside)
        for worth, members in selections:
            if worth > Fraction(value) * (1 + Fraction(1, 10**12)):
                chosen = members - set(problem.required.tolist())
                assert chosen.issuperset(np.flatnonzero(inside))
                assert chosen.isdisjoint(np.flatnonzero(outside))
    assert fixed > 0


def test_rounding_goes_outward_where_plain_summation_falls_short():
    """Ten shares of 0.1 add up to less than ten times the double nearest to 0.1."""
    problem = CoverageProblem.from_edges([0] * 10, range(10), weights=[0.1] * 10, budget=1)
    bound = dual_bound(problem, reduced(problem), Dual(0.0, problem.weights))
    assert sum(problem.weights.tolist()) < 10 * Fraction(0.1) <= Fraction(bound)
    assert bound == pytest.approx(1.0, rel=1e-13)


def test_residual_bound_of_nothing_is_the_fractional_knapsack():
    problem = CoverageProblem.from_edges(
        [0, 0, 1], [0, 1, 2], costs=[2, 2, 1], weights=[3, 3, 2], budget=3
    )
    left = reduced(problem)
    bound = dual_bound(problem, left, residual_dual(problem, left, np.array([], dtype=np.int64)))
    assert bound == pytest.approx(6.0 + 0.5 * 2.0, rel=1e-12)


@pytest.mark.parametrize(
    ("weights", "bound", "expected"),
    [
        ([1, 2], 2.9, 2.0),
        ([1, 2], 3.0, 3.0),
        ([2, 4], 5.9, 4.0),
        ([0.1, 0.2], 0.29, 0.2),
        ([0.1, 0.2], 0.3, 0.3),
        ([1, 2**0.5], 2.3, 2.3),
        ([1, 2], math.inf, math.inf),
        ([0, 0], 0.0, 0.0),
        ([0.25, 0.5], 1e308, 1e308),
    ],
)
def test_round_down(weights, bound, expected):
    problem = CoverageProblem.from_edges([0, 1], [0, 1], weights=weights, budget=1)
    assert round_down(problem, bound) == pytest.approx(expected, rel=1e-12)


def test_a_bound_is_never_rounded_below_a_value_in_tenths():
    """0.1 + 0.2 is above 0.3 in floating point; the bound must not fall below either."""
    rng = np.random.default_rng(2)
    for _ in range(500):
        weights = rng.integers(1, 100, 8) / 10
        problem = CoverageProblem.from_edges([0] * 8, range(8), weights=weights, budget=1)
        for value in (math.fsum(weights), float(np.cumsum(weights)[-1])):
            assert round_down(problem, max(value, math.fsum(weights))) >= math.fsum(weights)


def test_empty_rows_sum_to_nothing():
    rng = np.random.default_rng(5)
    sizes = rng.choice([0, 0, 1, 7, 40], 200)
    sizes[[0, -1]] = 0
    sets = np.repeat(np.arange(200), sizes)
    problem = CoverageProblem.from_edges(
        sets, rng.integers(0, 50, sets.size), budget=1, n_sets=200, n_elements=50
    )
    values = rng.integers(0, 9, 50).astype(float)
    slow = [math.fsum(values[problem.elements_of(i)]) for i in range(200)]
    assert bounds._row_sums(problem, values).tolist() == slow


@pytest.mark.parametrize("price", [math.nan, math.inf, -1.0])
def test_nonsense_prices_and_shares_still_bound(price):
    problem = CoverageProblem.from_edges([0], [0], weights=[2], budget=1)
    assert dual_bound(problem, reduced(problem), Dual(price, np.array([math.nan]))) >= 2.0


def test_a_set_dearer_than_the_budget_does_not_count():
    problem = CoverageProblem.from_edges([0], [0], costs=[5], weights=[2], budget=1)
    assert dual_bound(problem, reduced(problem), Dual(0.0, problem.weights)) < 1e-300


def test_required_sets_are_taken_out():
    problem = CoverageProblem.from_edges(
        [0, 1, 1], [0, 0, 1], costs=[1, 3], weights=[2, 5], budget=3, required=[0]
    )
    left = reduced(problem)
    assert left.base == pytest.approx(2)
    assert left.weights.tolist() == [0, 5]
    assert left.limit == pytest.approx(2)
    assert left.allowed.tolist() == [False, False]  # the other one no longer fits


def relaxation(problem: CoverageProblem) -> float:
    """Return the optimum of the linear relaxation, by HiGHS."""
    n, m = problem.n_sets, problem.n_elements
    ones = np.ones(problem.n_edges)
    graph = csr_array((ones, problem.indices, problem.indptr), shape=(n, m))
    spend = csr_array(np.concatenate([problem.costs, np.zeros(m)])[None, :])
    result = linprog(
        np.concatenate([np.zeros(n), -problem.weights]),
        A_ub=vstack([hstack([-graph.T, eye_array(m)]), spend]).tocsr(),
        b_ub=np.append(np.zeros(m), problem.budget),
        bounds=(0, 1),
        method="highs",
    )
    return -result.fun


@pytest.mark.parametrize(
    "problem",
    [
        generate.biregular(1000, 3000, 9, 3, budget=1000, seed=1),
        generate.erdos_renyi(500, 1500, 8.0, budget=400, seed=2),
        generate.zipf(300, 1000, 4000, budget=60, seed=3),
    ],
    ids=["biregular", "erdos-renyi", "zipf"],
)
def test_the_dual_comes_within_two_thousandths_of_the_relaxation(problem):
    left = reduced(problem)
    bound = dual_bound(problem, left, improve_dual(problem, left))
    best = relaxation(problem)
    assert best * (1 - 1e-7) <= bound <= best * 1.002


def test_steps_stop_at_the_target_and_at_the_deadline():
    problem = generate.biregular(200, 600, 9, 3, budget=200)
    left = reduced(problem)
    start = dual_bound(problem, left, improve_dual(problem, left, steps=0))
    end = dual_bound(problem, left, improve_dual(problem, left))
    asked = []

    def after_one_slice() -> bool:
        asked.append(True)
        return len(asked) > 1

    between = dual_bound(problem, left, improve_dual(problem, left, expired=after_one_slice))
    assert end < between < start
    early = dual_bound(problem, left, improve_dual(problem, left, target=between))
    assert end < early <= between + 1


def test_a_bound_is_rounded_to_a_known_unit_without_time_too():
    problem = CoverageProblem.from_sets([[1, 2], [3]], budget=1)
    known = bounds.Bound(2.9, "dual point", None)

    def found() -> float:
        return best_bound(problem, np.array([0]), 2.0, how="trivial", known=known).value

    assert found() == 2.9  # nobody has looked for a unit
    assert problem.weight_unit == 1.0
    assert found() == 2.0
