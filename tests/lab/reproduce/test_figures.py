"""Figure 2, in its tiniest form: the files, the numbers, the statements."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

from maxcover.cli.app import call
from maxcover.errors import OptionError
from maxcover.lab.evaluate.processes import in_order
from maxcover.lab.reproduce import figures
from maxcover.texts import Background, prepare

TINY = replace(figures.FIGURES["fig2"], mus=(4.5, 5.0, 8.0))


@pytest.fixture(scope="module")
def data():
    return figures.collect(figures.graph_tasks(TINY, 3))


def test_the_number_of_processes_changes_nothing(data):
    seen = []
    again = figures.collect(
        figures.graph_tasks(TINY, 3), jobs=2, progress=lambda *step: seen.append(step)
    )
    for one, two in zip(data, again, strict=True):
        assert one.tobytes() == two.tobytes()
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_graphs_are_the_papers():
    problem, _ = figures.GraphTask(TINY, 2).read()
    assert (problem.n_sets, problem.n_elements, problem.budget) == (100, 300, 100)
    assert set(np.diff(problem.indptr)) == {9}
    assert set(np.bincount(problem.indices)) == {3}
    assert set(problem.costs) | set(problem.weights) <= set(range(1, 11))
    other, _ = figures.GraphTask(replace(TINY, seed=1), 2).read()
    assert problem.indices.tolist() != other.indices.tolist()


def test_what_is_measured(data):
    greedy, g_greedy, exact = data.lines[..., 0].T
    assert (greedy < g_greedy).all()
    assert (data.curves[..., 0] <= exact[:, None, None, None]).all()
    assert set(data.curves[:, :2, ..., 1].ravel()) <= {0.0, 1.0}
    assert np.isnan(data.curves[:, 2, ..., 1:]).all()


def test_the_summary(data):
    found = figures.summary(data, TINY, "")
    rows = {(row["curve"], row["mu"]): row for row in found["rows"]}
    assert len(rows) == 3 * 3 + 3
    assert rows["bp-soft", 5.0]["weight"] == data.curves[:, 0, 0, 1, 0].mean()
    assert rows["optimum", None]["of_the_best"] == 1.0
    assert rows["decimation", 5.0]["converged"] is None
    row = rows["decimation", 8.0]
    apart = data.curves[:, 2, 0, 2, 0] - data.lines[:, 1, 0]
    assert row["weight_minus_g_greedy"] == pytest.approx(apart.mean())
    assert row["weight_low"] <= row["weight_minus_g_greedy"] <= row["weight_high"]
    best = data.curves[:, 0, 0, :, 0].max(axis=1)
    assert found["own_mu"]["bp-soft"]["weight"] == best.mean()


def test_the_price_is_chosen_on_the_other_problems(data):
    one = figures.Measured(data.curves.copy(), data.lines)
    one.curves[0, 0, 0, 2, 0] += 10_000.0  # the best price of the mean is that of one graph
    found = figures.summary(one, TINY, "")
    weight = one.curves[:, 0, 0, :, 0]
    chosen = [np.delete(weight, k, axis=0).sum(axis=0).argmax() for k in range(3)]
    expected = np.mean([weight[k, m] for k, m in enumerate(chosen)])
    assert found["crossed"]["bp-soft"]["weight"]["weight"] == pytest.approx(expected)
    assert found["peaks"]["bp-soft"]["weight"]["weight"] > expected


def test_documents_of_a_cluster_count_once():
    texts = ["Cats purr.", "Dogs bark.", "Cats sleep."]
    background = Background.from_documents(texts, stem="porter")
    corpus = prepare(texts[:1], preset="paper", background=background, weights=figures.tf_idf)
    found = dict(zip(corpus.labels, corpus.weights, strict=True))
    assert found["cat"] / found["purr"] == pytest.approx(np.log(3 / 2) / np.log(3))


def test_statements_fail_when_they_should(data):
    bad = figures.Measured(data.curves.copy(), data.lines)
    bad.curves[:, :, 0, 2, 0] += 1000.0  # a peak at mu = 8
    bad.curves[:, 2, 0, 0, 0] = 0.0
    checked = figures.statements(figures.summary(bad, TINY, ""))
    assert [one.holds for one in checked] == [False, True, False]


def test_the_command_writes_four_files(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(figures, "QUICK_MUS", TINY.mus)
    arguments = ["reproduce", "fig2", "--quick", "--graphs", "3", "--seed", "7", "--output"]
    holds = [(figures.Statement("pigs fly", "they do", True), 0)]
    holds.append((figures.Statement("pigs fly", "they walk", False), 1))
    for statement, code in holds:
        monkeypatch.setattr(figures, "statements", lambda _, one=statement: [one])
        assert call([*arguments, str(tmp_path / str(code)), "--jobs", "1"]) == code
    assert "no   pigs fly: they walk" in capsys.readouterr().out
    for ending in ("csv", "json", "png", "svg"):
        first, second = (tmp_path / place / f"fig2.{ending}" for place in ("0", "1"))
        assert first.read_bytes() == second.read_bytes()
    with (tmp_path / "0" / "fig2.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["curve"] for row in rows} == {*TINY.curves, *TINY.lines}
    found = json.loads((tmp_path / "0" / "fig2.json").read_text())
    assert found["settings"]["seed"] == 7
    assert "highspy" in found["versions"]


def test_another_ensemble(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    graph = ["--sets", "40", "--degrees", "6", "4", "--budget", "30", "--damping", "0.5"]
    asked = ["reproduce", "fig2", "--quick", "--graphs", "2", "--jobs", "1", *graph]
    assert call([*asked, "-o", str(tmp_path)]) in (0, 1)  # the paper's statements may not hold
    found = json.loads((tmp_path / "fig2.json").read_text())
    assert found["settings"]["damping"] == 0.5
    settings = replace(TINY, sets=40, degrees=(6, 4), budget=30)
    problem, _ = figures.GraphTask(settings, 0).read()
    assert (problem.n_sets, problem.n_elements, problem.budget) == (40, 60, 30)
    greedy = [row for row in found["rows"] if row["curve"] == "g-greedy"]
    assert 0 < greedy[0]["weight"] < problem.weights.sum()


def test_settings_out_of_range():
    with pytest.raises(OptionError, match="at least 2 graphs"):
        figures.collect(figures.graph_tasks(TINY, 1))
    with pytest.raises(OptionError, match="a seed of at least 0"):
        figures.graph_tasks(replace(TINY, seed=-1), 2)


def test_results_come_in_the_order_of_the_tasks():
    tasks = [-5, 4, -3, 2, -1]
    assert list(in_order(abs, tasks, jobs=2)) == [5, 4, 3, 2, 1]
    assert list(in_order(abs, [], jobs=2)) == []
