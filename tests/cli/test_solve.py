"""``maxcover solve``: files in, table or JSON out."""

import json

import pytest

import maxcover as mc
from maxcover.cli.app import call


@pytest.fixture
def problem(tmp_path):
    path = tmp_path / "problem.json"
    sets = {"a": [1, 2, 3], "b": [3, 4], "c": [5]}
    costs = {"a": 2, "b": 2, "c": 1}
    mc.save(mc.CoverageProblem.from_sets(sets, costs=costs, budget=3), path)
    return path


def test_json_when_piped(problem, capsys):
    assert call(["solve", str(problem)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["labels"] == ["a", "c"]
    assert answer["selected"] == [0, 2]
    assert answer["value"] == 4
    assert answer["status"] == "optimal"
    assert answer["gap"] == 0


def test_a_table_on_request(problem, capsys):
    assert call(["solve", str(problem), "--format", "table", "--method", "g-greedy"]) == 0
    shown = capsys.readouterr().out
    assert "4 of 5" in shown
    assert "a, c" in shown
    assert "g-greedy" in shown


def test_options_of_the_method(problem, capsys):
    options = ["--method", "bp", "--set", "mu=0.5", "--set", "beta=2", "--set", "coverage=hard"]
    assert call(["solve", str(problem), *options]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == "bp"


@pytest.mark.parametrize("text", ["80%", "0.8", "80 %"])
def test_a_target(problem, tmp_path, text, capsys):
    out = tmp_path / "plan.json"
    assert call(["solve", str(problem), "--target", text, "-o", str(out)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["labels"], answer["cost"], answer["share"]) == (["a", "c"], 3, 0.8)
    assert call(["verify", str(problem), str(out)]) == 0
    assert call(["solve", str(problem), "--target", text, "--format", "table"]) == 0
    assert "at least  3 by" in capsys.readouterr().out


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_the_solution_is_saved(problem, tmp_path, ending, capsys):
    out = tmp_path / f"solution.{ending}"
    assert call(["solve", str(problem), "-o", str(out)]) == 0
    assert mc.load(out).labels == ("a", "c")
    assert json.loads(capsys.readouterr().out)["labels"] == ["a", "c"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "magic"], "expected method to be one of auto"),
        (["--time-limit", "-1"], "expected time_limit to be a number of seconds, at least 0"),
        (["--target", "95"], "expected a share above 0 and up to 100%, got '95'"),
        (["--target", "much"], "expected a share such as 95% or 0.95, got 'much'"),
        (["--target", "1", "--set", "mu=1"], "expected no --set with --target"),
        (["--set", "mu"], "expected --set NAME=VALUE, got 'mu'"),
        (["--set", "colour=red"], "unknown option 'colour'"),
        (["-o", "answer.txt"], "expected a path that ends in"),
    ],
)
def test_wrong_options_are_one_line_and_code_2(problem, arguments, message, capsys):
    assert call(["solve", str(problem), *arguments]) == 2
    written = capsys.readouterr()
    assert message in written.err
    assert written.err.count("\n") == 1
    assert written.out == ""


def test_a_missing_file(tmp_path, capsys):
    assert call(["solve", str(tmp_path / "none.npz")]) == 2
    assert "No such file or directory" in capsys.readouterr().err


def test_a_damaged_file(tmp_path, capsys):
    path = tmp_path / "broken.json"
    path.write_text("{")
    assert call(["solve", str(path)]) == 2
    assert "it may be damaged" in capsys.readouterr().err


def test_a_solution_is_not_a_problem(problem, tmp_path, capsys):
    path = tmp_path / "solution.json"
    mc.save(mc.solve(mc.load(problem)), path)
    assert call(["solve", str(path)]) == 2
    assert "expected a problem in 'solution.json', got a solution" in capsys.readouterr().err
