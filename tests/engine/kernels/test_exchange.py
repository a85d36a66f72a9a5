"""The exchange search: exact books, limits kept, never worse, sliceable, deterministic."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from maxcover.engine.kernels import search as search_module
from maxcover.engine.kernels.search import Search
from maxcover.engine.kernels.tabu import advance


@dataclass
class Case:
    """A small instance as a dense 0/1 matrix, with required and forbidden sets."""

    matrix: NDArray[np.bool_]
    weights: NDArray[np.float64]
    ticks: NDArray[np.int64]
    limit: int
    required: NDArray[np.bool_]
    forbidden: NDArray[np.bool_]

    def value(self, selected: NDArray[np.bool_]) -> float:
        return float(self.weights[self.matrix[selected].any(axis=0)].sum())

    def feasible(self, selected: NDArray[np.bool_]) -> bool:
        return bool(self.ticks[selected].sum() <= self.limit)

    def search(self, start: NDArray[np.bool_], seed: int = 1) -> Search:
        rows, columns = self.matrix, self.matrix.T
        return Search(
            (*csr(rows), *csr(columns)),
            start,
            seed,
            costs=self.ticks / 4.0,
            weights=self.weights,
            ticks=self.ticks,
            limit=self.limit,
            required=self.required,
            forbidden=self.forbidden,
        )


def csr(matrix: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    indptr = np.append(0, np.cumsum(matrix.sum(axis=1))).astype(np.int64)
    return indptr, np.nonzero(matrix)[1].astype(np.int32)


def random_case(seed: int, n_sets: int, n_elements: int, density: float = 0.2) -> Case:
    """Return an instance where every set may move."""
    rng = np.random.default_rng(seed)
    ticks = rng.integers(1, 11, n_sets)
    return Case(
        matrix=rng.random((n_sets, n_elements)) < density,
        weights=rng.integers(0, 11, n_elements).astype(np.float64),
        ticks=ticks,
        limit=int(ticks.sum() // 4),
        required=np.zeros(n_sets, np.bool_),
        forbidden=np.zeros(n_sets, np.bool_),
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw an instance with required and forbidden sets; the required ones are feasible."""
    seed = draw(st.integers(0, 2**32 - 1))
    n_sets, n_elements = draw(st.integers(1, 14)), draw(st.integers(1, 20))
    rng = np.random.default_rng(seed)
    case = random_case(seed, n_sets, n_elements, draw(st.sampled_from([0.0, 0.1, 0.3, 0.8])))
    case.ticks[rng.random(n_sets) < 0.2] = 0
    if draw(st.booleans()):
        case.ticks[:], case.weights[:] = 1, 1.0
    if draw(st.booleans()):
        case.weights[:] = rng.random(n_elements)
    fate = rng.random(n_sets)
    case.required, case.forbidden = fate < 0.1, fate > 0.85
    case.limit = int(case.ticks[case.required].sum()) + draw(st.integers(0, 40))
    return case


def check_books(case: Case, search: Search) -> None:
    """Recompute from scratch everything the search keeps up to date (the slow twin)."""
    sets, elements, pool = (np.asarray(a) for a in (search.sets, search.elements, search.pool))
    selected = sets["selected"].astype(bool)
    count = case.matrix[selected].sum(axis=0)
    np.testing.assert_array_equal(elements["count"], count)
    others = count[None, :] - selected[:, None]
    margin = ((others == 0) & case.matrix) @ case.weights
    np.testing.assert_allclose(sets["margin"], margin, atol=1e-9)
    assert search.value == pytest.approx(case.value(selected), abs=1e-9)
    assert search.best == pytest.approx(case.value(search.best_selection()), abs=1e-9)
    assert search.room == case.limit - case.ticks[selected].sum()
    assert selected[pool[: search.chosen]].all()
    assert not selected[pool[search.chosen : search.in_play]].any()


def now(search: Search) -> NDArray[np.bool_]:
    return np.asarray(search.sets)["selected"].astype(bool)


@given(cases(), st.integers(0, 2**63))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_books_are_exact_and_limits_kept_after_every_move(case: Case, seed: int) -> None:
    search = case.search(case.required, seed)
    best = case.value(case.required)
    for _ in range(25):
        advance(search, 1)
        check_books(case, search)
        for selection in (now(search), search.best_selection()):
            assert case.feasible(selection)
            assert selection[case.required].all()
            assert not selection[case.forbidden].any()
        assert case.value(search.best_selection()) >= best - 1e-9
        best = case.value(search.best_selection())


def test_small_pools_keep_exact_books(monkeypatch: pytest.MonkeyPatch) -> None:
    """Balls, strayed homes and credit: the machinery of large problems, on a small one."""
    monkeypatch.setattr(search_module, "pool_size", lambda _t_indptr, _n_sets, _least: 16)
    case = random_case(3, 60, 120, 0.05)
    search = case.search(np.zeros(60, np.bool_))
    for _ in range(60):
        advance(search, 5)
        check_books(case, search)
        assert case.feasible(now(search))
        assert case.feasible(search.best_selection())


@pytest.mark.parametrize("pool", [10, 1000])
def test_slices_equal_one_run(monkeypatch: pytest.MonkeyPatch, pool: int) -> None:
    monkeypatch.setattr(
        search_module, "pool_size", lambda _t_indptr, n_sets, _least: min(pool, n_sets)
    )
    case = random_case(5, 40, 80)
    whole, sliced = (case.search(np.zeros(40, np.bool_), seed=9) for _ in range(2))
    advance(whole, 300)
    for moves in (1, 99, 0, 150, 50):
        advance(sliced, moves)
    for kept in ("sets", "elements", "pool", "value", "best", "room", "moves", "in_play", "chosen"):
        np.testing.assert_array_equal(getattr(whole, kept), getattr(sliced, kept))


def test_input_is_not_modified() -> None:
    case = random_case(7, 30, 50)
    start = np.zeros(30, np.bool_)
    before = (case.weights.copy(), case.ticks.copy())
    advance(case.search(start), 50)
    assert not start.any()
    for old, new in zip(before, (case.weights, case.ticks), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("seed", range(6))
def test_finds_the_optimum_of_small_problems(seed: int) -> None:
    case = random_case(seed, 12, 25)
    everything = (np.arange(2**12)[:, None] >> np.arange(12)) & 1 == 1
    optimum = max(case.value(s) for s in everything if case.feasible(s))
    search = case.search(np.zeros(12, np.bool_))
    advance(search, 300)
    assert case.value(search.best_selection()) == optimum


def test_equal_sets_enter_by_lowest_index() -> None:
    case = random_case(0, 6, 6)
    case.matrix[:], case.weights[:], case.ticks[:], case.limit = np.eye(6) > 0, 1.0, 1, 2
    search = case.search(np.zeros(6, np.bool_))
    advance(search, 1)
    np.testing.assert_array_equal(np.flatnonzero(search.best_selection()), [0, 1])


def test_stops_when_everything_is_covered() -> None:
    case = random_case(2, 8, 12)
    case.limit = int(case.ticks.sum())
    search = case.search(np.ones(8, np.bool_))
    advance(search, 10)
    assert search.moves == 0


def test_nothing_may_move() -> None:
    case = random_case(1, 5, 5)
    case.forbidden[:] = True
    search = case.search(np.zeros(5, np.bool_))
    advance(search, 10)
    assert not search.best_selection().any()
    assert search.moves == 0
