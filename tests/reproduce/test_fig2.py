"""Figure 2, in its tiniest form: the files, the numbers, the checks."""

import csv
import json
from dataclasses import replace

import click
import numpy as np
import pytest

from maxcover.cli.app import call
from maxcover.cli.reproduce_command import report
from maxcover.errors import OptionError
from maxcover.reproduce import fig2, fig2_summary
from maxcover.reproduce.processes import in_order
from maxcover.reproduce.statement import Statement

TINY = fig2.GraphSettings(graphs=3, exact_graphs=1, mus=(4.5, 5.0, 8.0))


@pytest.fixture(scope="module")
def data():
    return fig2.collect(TINY)


def test_the_number_of_processes_changes_nothing(data):
    seen = []
    again = fig2.collect(TINY, jobs=2, progress=lambda done, total: seen.append((done, total)))
    for one, two in zip(data, again, strict=True):
        assert one.tobytes() == two.tobytes()
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_graphs_are_the_papers():
    problem = fig2.graph(TINY, 2)
    assert (problem.n_sets, problem.n_elements, problem.budget) == (100, 300, 100)
    assert set(np.diff(problem.indptr)) == {9}
    assert set(np.bincount(problem.indices)) == {3}
    assert set(problem.costs) | set(problem.weights) <= set(range(1, 11))
    other = fig2.graph(replace(TINY, seed=1), 2)
    assert problem.indices.tolist() != other.indices.tolist()


def test_what_is_measured(data):
    greedy, g_greedy, exact = data.lines.T
    assert np.isnan(exact).tolist() == [False, True, True]
    assert (greedy < g_greedy).all()
    assert (data.curves[0] <= exact[0]).all()
    assert set(data.converged[:, :2].ravel()) <= {0.0, 1.0}
    assert np.isnan(data.converged[:, 2]).all()


def test_the_summary(data):
    found = fig2_summary.summary(data, TINY)
    rows = {(row["curve"], row["mu"]): row for row in found["rows"]}
    assert len(rows) == 3 * 3 + 3
    assert rows["bp-soft", 5.0]["mean"] == data.curves[:, 0, 1].mean()
    assert rows["exact", None]["n"] == 1
    assert found["fraction_of_optimum"]["exact"]["mean"] == 1.0
    gains = found["minus_g_greedy"]["decimation"][2]
    assert gains["difference"] == pytest.approx((data.curves[:, 2, 2] - data.lines[:, 1]).mean())
    assert gains["low"] <= gains["difference"] <= gains["high"]


def test_checks_fail_when_they_should(data):
    bad = fig2.GraphsMeasured(data.curves.copy(), data.converged, data.lines)
    bad.curves[:, :, 2] += 1000.0  # a peak at mu = 8
    bad.curves[:, 2, 0] = 0.0
    held = [check.holds for check in fig2_summary.checks(fig2_summary.summary(bad, TINY))]
    assert held == [False, True, False]


def test_without_the_optimum(data):
    lines = data.lines.copy()
    lines[:, 2] = np.nan
    found = fig2_summary.summary(fig2.GraphsMeasured(data.curves, data.converged, lines), TINY)
    assert found["fraction_of_optimum"] == {}
    assert all(row["curve"] != "exact" for row in found["rows"])


def test_the_command_writes_four_files(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(fig2, "QUICK", TINY)
    monkeypatch.setattr(fig2_summary, "checks", lambda found: [])
    arguments = ["reproduce", "fig2", "--quick", "--jobs", "1", "--seed", "7", "--output"]
    for place in ("one", "two"):
        assert call([*arguments, str(tmp_path / place)]) == 0
    assert "fig2.csv" not in capsys.readouterr().err
    for ending in ("csv", "json", "png", "svg"):
        first, second = (tmp_path / place / f"fig2.{ending}" for place in ("one", "two"))
        assert first.read_bytes() == second.read_bytes()
    with (tmp_path / "one" / "fig2.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["curve"] for row in rows} == {*fig2.CURVES, *fig2.LINES}
    found = json.loads((tmp_path / "one" / "fig2.json").read_text())
    assert found["settings"]["seed"] == 7
    assert "highspy" in found["versions"]


def test_a_check_that_does_not_hold_is_code_1(tmp_path, capsys):
    checks = [Statement("pigs fly", "they walk", False)]
    with pytest.raises(click.exceptions.Exit) as end:
        report(checks, tmp_path / "fig2", must=True)
    assert end.value.exit_code == 1
    assert "NO   pigs fly: they walk" in capsys.readouterr().out


def test_settings_out_of_range():
    with pytest.raises(OptionError, match="at least 2 graphs"):
        fig2.GraphSettings(graphs=1)
    with pytest.raises(OptionError, match="a seed of at least 0"):
        fig2.GraphSettings(seed=-1)


def test_results_come_in_the_order_of_the_tasks():
    tasks = [-5, 4, -3, 2, -1]
    assert list(in_order(abs, tasks, jobs=2)) == [5, 4, 3, 2, 1]
    assert list(in_order(abs, [], jobs=2)) == []
