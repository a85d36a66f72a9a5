"""Annealing: exact books, every maximum kept, never worse, sliceable, best on small problems."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import maxcover as mc
from maxcover.engine.kernels.anneal import anneal
from maxcover.engine.solvers.exchange import Exchange
from maxcover.engine.solvers.row_filling import charges, used_ticks


def grouped(seed: int, n_sets: int, n_elements: int) -> mc.CoverageProblem:
    """Return a problem with groups, conflicts and two budgets, some sets required or forbidden."""
    rng = np.random.default_rng(seed)
    sets = [np.flatnonzero(rng.random(n_elements) < 0.2).tolist() for _ in range(n_sets)]
    fate = rng.random(n_sets)
    costs = {name: rng.integers(0, 9, n_sets) for name in ("a", "b")}
    required = np.flatnonzero(fate < 0.05)
    budget = {name: int(c.sum() // 3 + c[required].sum()) for name, c in costs.items()}
    groups = [str(g) for g in rng.integers(0, 4, n_sets)]
    free = np.flatnonzero((fate >= 0.05) & (fate <= 0.9))
    pairs = rng.permutation(free)[: free.size // 2 * 2].reshape(-1, 2)[:3].tolist()
    return mc.CoverageProblem.from_sets(
        sets, n_elements=n_elements, weights=rng.integers(0, 11, n_elements), costs=costs,
        budget=budget, groups=groups, max_items=int(2 + required.size), conflicts=pairs,
        required=required, forbidden=np.flatnonzero(fate > 0.9),
    )  # fmt: skip


def exchange(problem: mc.CoverageProblem, seed: int = 1) -> Exchange:
    prices = charges(problem, np.full(len(problem.rows.low), 0.7))
    return Exchange(problem, seed=seed, prices=prices)


def now(search: Any) -> NDArray[np.int64]:
    return np.flatnonzero(np.asarray(search.sets)["selected"])


@given(st.integers(0, 2**32 - 1), st.integers(2, 20), st.sampled_from([0.0, 0.3, 1.0]))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_books_are_exact_and_limits_kept(seed: int, n_sets: int, price: float) -> None:
    problem = grouped(seed, n_sets, 15)
    search = exchange(problem, seed).opened(problem.required, whole=True)
    best = problem.value(problem.required)
    for _ in range(20):
        anneal(search, 7, 2.0, price)
        selected, found = now(search), np.flatnonzero(search.best_selection())
        assert not problem.violation(selected)
        assert not problem.violation(found)
        assert search.value == pytest.approx(problem.value(selected))
        assert search.best == pytest.approx(problem.value(found))
        assert search.best >= best
        best = search.best
        alone = exchange(problem).opened(selected)
        np.testing.assert_allclose(
            np.asarray(search.sets)["margin"], np.asarray(alone.sets)["margin"], atol=1e-9
        )
        inside = np.isin(np.asarray(search.members), selected)
        ends = zip(search.member_ptr[:-1], search.member_ptr[1:], strict=True)
        for first, last in ends:  # in each row selected sets come first
            assert (np.diff(inside[first:last].astype(int)) <= 0).all()


def test_slices_do_what_one_call_does() -> None:
    problem = grouped(3, 60, 40)
    whole, sliced = (exchange(problem).opened(problem.required, whole=True) for _ in range(2))
    anneal(whole, 500, 1.0, 0.5)
    for proposals in (1, 99, 400):
        anneal(sliced, proposals, 1.0, 0.5)
    np.testing.assert_array_equal(now(whole), now(sliced))
    assert whole.value == sliced.value
    assert whole.moves == sliced.moves == 500


def test_nothing_to_move() -> None:
    problem = mc.CoverageProblem.from_sets(
        [[0], [1]], costs=[1, 1], budget=2, required=[0], forbidden=[1], conflicts=[[0, 1]]
    )
    search = exchange(problem).opened(problem.required, whole=True)
    anneal(search, 10, 1.0, 1.0)
    assert search.moves == 0
    assert now(search).tolist() == [0]


@pytest.mark.parametrize("seed", range(12))
def test_small_problems_end_at_the_optimum(seed: int) -> None:
    problem = grouped(seed, 11, 14)
    free, high = np.flatnonzero(problem.choosable), problem.rows.high
    best = 0.0
    for size in range(free.size + 1):
        for chosen in combinations(free.tolist(), size):
            selected = np.union1d(problem.required, np.array(chosen, np.int64))
            if (used_ticks(problem, selected) <= high).all():
                best = max(best, problem.value(selected))
    search = exchange(problem).opened(problem.required, whole=True)
    for done in np.linspace(0.0, 1.0, 40):
        anneal(search, 500, 5.0 * 0.02**done, 1.0 - done)
    assert search.best == best
