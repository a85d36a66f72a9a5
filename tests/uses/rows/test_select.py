"""Rows by their vectors: brute force in fractions, lists against all pairs, tables in and out."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maxcover as mc
from maxcover.cli.app import call
from maxcover.errors import FileFormatError, OptionError, ProblemError
from maxcover.uses.rows import bytes_needed, find_neighbours
from maxcover.uses.rows.row_limits import connected
from tests.sweeps import cases


def points(n, d=8, seed=0, clusters=None):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(clusters or max(2, n // 20), d))
    return centres[rng.integers(0, len(centres), n)] + 0.4 * rng.normal(size=(n, d))


def cosines(vectors):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.clip(unit @ unit.T, 0, 1)


def nearness(vectors):
    return 1 / (1 + np.linalg.norm(vectors[:, None] - vectors[None], axis=2))


@pytest.mark.parametrize("search", ["exact", "cells"])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_lists_are_the_nearest_of_all_pairs(search, metric):
    vectors = points(1500, clusters=30)
    lists = find_neighbours(vectors, 10, metric=metric, search=search)
    every = (nearness if metric == "euclidean" else cosines)(vectors)
    assert np.abs(np.take_along_axis(every, lists.rows, 1) - lists.similarity).max() < 1e-6
    assert (np.diff(lists.similarity, axis=1) <= 0).all()
    assert all(len({*row}) == 10 for row in lists.rows.tolist())
    last = -np.sort(-every, axis=1)[:, 9]
    recall = (lists.similarity >= last[:, None] - 1e-6).mean()
    assert lists.exact == (search == "exact")
    assert recall == 1 if lists.exact else recall > 0.97


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_cells_that_all_rows_look_into_are_an_exact_search(metric):
    vectors = points(120, clusters=9)
    cells = find_neighbours(vectors, 4, metric=metric, search="cells")
    exact = find_neighbours(vectors, 4, metric=metric, search="exact")
    assert np.abs(cells.similarity - exact.similarity).max() < 1e-6
    assert (np.sort(cells.rows) == np.sort(exact.rows)).all()


def test_wide_rows_are_searched_by_strips():
    """More columns than 64 times k take the other path; ties and repeated rows included."""
    vectors = np.round(points(2000, d=3, seed=4), 1) + 5
    lists = find_neighbours(vectors, 3)
    every = np.sort(cosines(vectors.astype(np.float64)), axis=1)[:, ::-1][:, :3]
    assert np.abs(lists.similarity - every).max() < 1e-6


def solved(problem):
    """Return the best value over all selections within the limits, in fractions."""
    vectors, k, costs, budget, worth, sources, share, duplicates = problem
    lists = find_neighbours(vectors, k)
    n = len(vectors)
    leader = list(range(n))
    if duplicates is not None:
        alike = [(i, j) for i, row in enumerate(lists.rows.tolist())
                 for j, similar in zip(row, lists.similarity[i], strict=True)
                 if similar >= duplicates]  # fmt: skip
        for _ in range(n):
            for i, j in alike:
                leader[i] = leader[j] = min(leader[i], leader[j])
    near = [
        dict(zip(row, map(Fraction, similar), strict=True))
        for row, similar in zip(lists.rows.tolist(), lists.similarity.tolist(), strict=True)
    ]
    best = Fraction(0)
    values = {}
    for size in range(n + 1):
        for chosen in itertools.combinations(range(n), size):
            if sum(costs[i] for i in chosen) > budget:
                continue
            if len({leader[i] for i in chosen}) < size:
                continue
            spent = [sum(costs[i] for i in chosen if sources[i] == s) for s in "ab"]
            if share is not None and max(spent) > share * budget:
                continue
            value = sum((max((row.get(i, Fraction(0)) for i in chosen), default=Fraction(0))
                         for row in near), Fraction(0))  # fmt: skip
            value += sum((Fraction(worth[i]) for i in chosen), Fraction(0))
            values[chosen] = value
            best = max(best, value)
    return best, values


def drawn(seed):
    rng = random.Random(seed)
    n = rng.randint(2, 7)
    vectors = points(n, d=rng.choice([2, 3]), seed=seed, clusters=2)
    costs = [rng.randint(1, 5) for _ in range(n)]
    worth = [rng.choice([0, 0.25, 0.5]) for _ in range(n)]
    sources = [rng.choice("ab") for _ in range(n)]
    budget = rng.randint(1, sum(costs))
    share = rng.choice([None, 0.5, 0.75])
    duplicates = rng.choice([None, 0.9, 0.99])
    return vectors, rng.randint(1, n), costs, budget, worth, sources, share, duplicates


@pytest.mark.parametrize("seed", cases(2000))
def test_small_problems_against_brute_force(seed):
    problem = drawn(seed)
    vectors, k, costs, budget, worth, sources, share, duplicates = problem
    table = {"embedding": vectors, "tokens": costs, "quality": worth, "source": sources}
    chosen = mc.select(
        table, budget=budget, cost="tokens", worth="quality", neighbours=k, duplicates=duplicates,
        quota=None if share is None else {"source": share},
    )  # fmt: skip
    best, values = solved(problem)
    value = values[tuple(chosen.indices.tolist())]  # it is allowed
    assert abs(float(value) - chosen.value) < 1e-9
    assert float(best) <= chosen.solution.upper_bound * (1 + 1e-9) + 1e-12
    assert value >= best * (1 - Fraction(1, 10**9)) or chosen.solution.status != "optimal"
    assert mc.verify(chosen.problem, chosen.solution).ok
    # the full objective, over all pairs
    every = cosines(vectors)
    full = max(
        every[:, list(some)].max(axis=1, initial=0).sum() + sum(worth[i] for i in some)
        for some in values
    )
    assert full <= chosen.full_bound + 1e-9
    mine = every[:, chosen.indices].max(axis=1, initial=0).sum() + sum(
        worth[i] for i in chosen.indices
    )
    assert mine >= chosen.full_value - 1e-9


def test_never_below_lazy_greedy():
    vectors, rng = points(600, seed=3, clusters=20), np.random.default_rng(1)
    costs = rng.integers(1, 30, 600)
    chosen = mc.select(vectors, cost=costs, budget=300, target_gap=0.5)
    similarity, left, taken = np.zeros((600, 600)), 300, []
    np.put_along_axis(similarity, chosen.lists.rows, chosen.lists.similarity, 1)
    best = np.zeros(600)
    while True:
        gains = np.maximum(similarity - best[:, None], 0).sum(axis=0)
        gains[costs > left] = 0
        row = int((gains / costs).argmax())
        if gains[row] <= 0:
            break
        taken.append(row)
        left -= costs[row]
        best = np.maximum(best, similarity[:, row])
    assert chosen.value >= best.sum() - 1e-9
    assert chosen.cost <= 300


TABLE = {
    "id": [f"r{k}" for k in range(60)],
    "tokens": [5 + k % 7 for k in range(60)],
    "quality": [0.1 * (k % 3) for k in range(60)],
    "source": ["web", "book", "chat"] * 20,
}


def test_every_kind_of_table_says_the_same(tmp_path):
    pl = pytest.importorskip("polars")
    vectors = points(60, seed=5).astype(np.float32)
    given = {**TABLE, "embedding": vectors}
    lists = [row.tolist() for row in vectors]
    arrow = pa.table({**TABLE, "embedding": pa.array(lists, pa.list_(pa.float32()))})
    fixed = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 8)
    pq.write_table(arrow, tmp_path / "rows.parquet", row_group_size=17)
    pq.write_table(arrow.set_column(4, "embedding", fixed), tmp_path / "fixed.parquet")
    (tmp_path / "parts").mkdir()
    for k in range(2):
        pq.write_table(arrow.slice(30 * k, 30), tmp_path / "parts" / f"{k}.parquet")
    options = {
        "cost": "tokens", "worth": "quality", "quota": {"source": 0.4}, "duplicates": 0.95,
        "budget": 80,
    }  # fmt: skip
    first = mc.select(given, **options)
    costs = np.array(TABLE["tokens"])[first.indices]
    for source in {*TABLE["source"]}:
        assert costs[np.array(TABLE["source"])[first.indices] == source].sum() <= 32
    for rows in (
        arrow, arrow.to_pandas(), pl.from_arrow(arrow), tmp_path / "rows.parquet",
        str(tmp_path / "fixed.parquet"), tmp_path / "parts",
    ):  # fmt: skip
        chosen = mc.select(rows, **options)
        assert chosen.indices.tolist() == first.indices.tolist(), type(rows)
        assert chosen.take()["id"].to_pylist() == [TABLE["id"][k] for k in first.indices]
        chosen.to_parquet(tmp_path / "out.parquet")
        assert pq.read_table(tmp_path / "out.parquet").equals(chosen.take())
    first.to_parquet(tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet")["embedding"].to_pylist()[0] == pytest.approx(
        vectors[first.indices[0]].tolist()
    )


def test_own_lists():
    vectors = points(40)
    lists = find_neighbours(vectors, 6)
    mine = mc.select(vectors, budget=5, neighbours=(lists.rows, lists.similarity))
    assert mine.indices.tolist() == mc.select(vectors, budget=5, neighbours=6).indices.tolist()
    assert mine.full_gap is None  # nothing is known of them
    exact = mc.select(vectors, budget=5, neighbours=40)
    assert exact.full_gap == pytest.approx(exact.gap, abs=1e-4)


def test_the_program(tmp_path, capsys):
    vectors = points(60, seed=5).tolist()
    pq.write_table(pa.table({**TABLE, "embedding": vectors}), tmp_path / "rows.parquet")
    asked = (
        "select", str(tmp_path / "rows.parquet"), "--cost", "tokens", "--budget", "20%",
        "--worth", "quality", "--quota", "source=0.4", "--duplicates", "0.95",
    )  # fmt: skip
    assert call([*asked, "-o", str(tmp_path / "chosen.parquet")]) == 0
    said = capsys.readouterr().out
    taken = pq.read_table(tmp_path / "chosen.parquet")
    assert f"{len(taken)} of 60 rows" in said
    assert "Proven" in said
    assert sum(taken["tokens"].to_pylist()) <= 0.2 * sum(TABLE["tokens"])
    assert call([*asked, "--format", "json"]) == 0
    assert '"rows": [' in capsys.readouterr().out
    for more, message in (
        (["--quota", "source"], "expected --quota COLUMN=SHARE"),
        (["--vector", "vec"], "expected vector to be a column of the rows, got 'vec'"),
        (["--budget", "lots"], "expected budget to be a number, or a share"),
        (["--cost", "token"], "expected cost to be a column of the rows, got 'token'"),
    ):
        assert call([*asked, *more]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rows", "options", "error", "message"),
    [
        ([[1.0, 0.0], [0.0, 0.0]], {}, ProblemError, "other than zero"),
        ([[1.0, np.nan]], {}, ProblemError, "finite"),
        ([1.0, 2.0], {}, ProblemError, "a matrix of numbers"),
        (pa.table({"embedding": [[1.0], [1.0, 2.0]]}), {}, FileFormatError, "of one length"),
        (pa.table({"embedding": [[1.0], None]}), {}, FileFormatError, "got none in some"),
        (pa.table({"embedding": [1.0, 2.0]}), {}, FileFormatError, "lists of numbers"),
        ([[1.0]], {"cost": "tokens"}, OptionError, "expected cost to be a column"),
        ([[1.0]], {"cost": [1, 2]}, ProblemError, "a number for each of 1 rows"),
        ({"embedding": [[1.0]], "a": ["x"]}, {"quota": {"a": 2}}, OptionError, "shares up to 1"),
        ([[1.0]], {"quota": {"embedding": 1}}, OptionError, "column of labels"),
        ([[1.0]], {"neighbours": (np.zeros((2, 1), int), np.ones((2, 1)))}, OptionError, "1 rows"),
        (3, {}, OptionError, "expected rows as a path to Parquet"),
    ],
)  # fmt: skip
def test_what_is_refused(rows, options, error, message):
    with pytest.raises(error, match=message):
        mc.select(rows, budget=1, **options)


def test_edges():
    assert mc.select([[1.0, 2.0]], budget=0).indices.tolist() == []
    assert mc.select([[1.0, 2.0]], budget=1).indices.tolist() == [0]
    assert mc.select(pd.DataFrame({"embedding": [[1.0]]}), budget=1).gap == 0
    assert bytes_needed(1000, 8) > 0
    assert connected(2, np.array([0, 1]), np.array([0, 1])) == []
