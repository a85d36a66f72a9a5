"""``maxcover explain``, ``alternatives``, ``plan`` and ``sensitivity`` on tables and solutions."""

import csv
import json
from pathlib import Path

import pytest

import maxcover as mc
from maxcover.cli.app import call

HUBS = str(Path(__file__).parents[2] / "examples" / "hubs.csv")


def test_why_not_lyon(capsys):
    assert call(["explain", HUBS, "Lyon", "--budget", "5", "--format", "text"]) == 0
    assert capsys.readouterr().out.startswith("With Lyon, the best selection covers 3.7 less")


def test_a_saved_solution_and_a_number(tmp_path, capsys):
    problem = mc.CoverageProblem.from_sets([[1, 2], [2, 3, 4], [5]], budget=2)
    mc.save(problem, tmp_path / "problem.npz")
    mc.save(mc.solve(problem), tmp_path / "solution.json")
    files = [str(tmp_path / "problem.npz"), "0", "--solution", str(tmp_path / "solution.json")]
    assert call(["explain", *files]) == 0
    assert [one["set"] for one in json.loads(capsys.readouterr().out)["sets"]] == [0]


def test_what_else(capsys):
    assert call(["alternatives", HUBS, "-b", "5", "--within", "0.02", "--n", "3"]) == 0
    assert len(json.loads(capsys.readouterr().out)["solutions"]) == 3


@pytest.mark.parametrize("asked", [["--budgets", "1,2,3,4,5"], ["--phases", "5", "-b", "5"]])
def test_which_first(asked, capsys):
    assert call(["plan", HUBS, *asked, "--format", "text"]) == 0
    assert capsys.readouterr().out.startswith("Phase 1, budget 1: Rotterdam")


def test_what_if(tmp_path, capsys):
    table = tmp_path / "shares.csv"
    assert call(["sensitivity", HUBS, "-b", "5", "--n", "5", "-o", str(table)]) == 0
    with table.open(encoding="utf-8") as file:
        assert {row["label"] for row in csv.DictReader(file)} >= {"Milan", "Valencia"}
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("ending", ["json", "svg"])
def test_results_are_written(ending, tmp_path):
    out = tmp_path / f"plan.{ending}"
    assert call(["plan", HUBS, "--budgets", "1,2", "-o", str(out)]) == 0
    assert "<svg" in out.read_text() or json.loads(out.read_text())["sets"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["explain", HUBS, "Atlantis", "-b", "5"], "Atlantis"),
        (["plan", HUBS, "--budgets", "1,two"], "numbers such as 1,2,3, got '1,two'"),
        (["plan", HUBS, "-b", "5"], "either budgets"),
        (["plan", HUBS, "-b", "5", "--phases", "some"], "'every'"),
    ],
)
def test_wrong_input_is_said(arguments, words, capsys):
    assert call(arguments) == 2
    assert words in capsys.readouterr().err
