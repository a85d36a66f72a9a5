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


def test_a_text_on_request(problem, capsys):
    assert call(["solve", str(problem), "--format", "text", "--method", "g-greedy"]) == 0
    shown = capsys.readouterr().out
    assert "4 of 5" in shown
    assert "a, c" in shown
    assert "g-greedy" in shown


def test_the_options_of_a_method(problem, capsys):
    of_bp = ["--beta", "3", "--mu", "0.5", "--schedule", "serial", "--init", "random"]
    for sweeps, said in (("90", "beliefs converged"), ("1", "not converged after 1 sweeps")):
        given = ["--method", "bp", *of_bp, "--max-sweeps", sweeps]
        assert call(["solve", str(problem), *given]) == 0
        assert said in json.loads(capsys.readouterr().out)["stopped"]
    assert call(["solve", str(problem), "--beta", "3"]) == 2
    assert "beta only for the methods bp, bp-decimation, got method 'auto'" in (
        capsys.readouterr().err
    )


def test_every_budget_is_shown(tmp_path, capsys):
    sets, path = [["x", "y"], ["y"], ["w"]], tmp_path / "problem.json"
    costs = {"money": [2, 3, 1], "hours": [1.5, 2, 3]}
    problem = mc.CoverageProblem.from_sets(sets, costs=costs, budget={"money": 5000, "hours": 5})
    found, plan = mc.solve(problem), mc.cover(problem, target=0.5)
    assert found.budgets == (("money", 3.0, 5000.0), ("hours", 4.5, 5.0))
    assert "cost money 3 of 5,000, hours 4.5 of 5, upper bound" in repr(found)
    assert "money 3 of 5,000, hours 4.5 of 5" in found._repr_html_()
    assert "cost money 2, hours 1.5 of 5, lower bound" in repr(plan)
    mc.save(problem, path)
    assert call(["solve", str(path), "--format", "text"]) == 0
    assert "money 3 of 5,000, hours 4.5 of 5" in capsys.readouterr().out
    mc.save(found, path)
    assert mc.load(path).budgets == ()


@pytest.mark.parametrize("text", ["80%", "0.8", "80 %"])
def test_a_target(problem, tmp_path, text, capsys):
    out = tmp_path / "plan.json"
    assert call(["cover", str(problem), "--target", text, "-o", str(out)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["labels"], answer["cost"], answer["share"]) == (["a", "c"], 3, 0.8)
    assert call(["verify", str(problem), str(out)]) == 0
    assert call(["cover", str(problem), "--target", text, "--format", "text"]) == 0
    assert (
        "Proven cheapest: no selection that covers enough costs less than 3."
        in capsys.readouterr().out
    )


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_the_solution_is_saved(problem, tmp_path, ending, capsys):
    out = tmp_path / f"solution.{ending}"
    assert call(["solve", str(problem), "-o", str(out)]) == 0
    assert mc.load(out).labels == ("a", "c")
    assert json.loads(capsys.readouterr().out)["labels"] == ["a", "c"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--time-limit", "-1"], "expected time_limit to be a number of seconds, at least 0"),
        (["-o", "answer.txt"], "expected --output to end in"),
    ],
)
def test_wrong_options_are_one_line_and_code_2(problem, arguments, message, capsys):
    assert call(["solve", str(problem), *arguments]) == 2
    written = capsys.readouterr()
    assert message in written.err
    assert written.err.count("\n") == 1
    assert written.out == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("95", "expected a share above 0 and up to 100%, got '95'"),
        ("much", "expected --target to be a number, or a share up to '100%', got 'much'"),
    ],
)
def test_a_target_is_a_share(problem, text, message, capsys):
    assert call(["cover", str(problem), "--target", text]) == 2
    assert message in capsys.readouterr().err


SETS = {"a": ["1", "2", "3"], "b": ["3", "4"], "c": ["5"]}
PLAIN = {
    "sets.json": json.dumps(SETS),
    "problem.json": json.dumps({"sets": SETS, "costs": {"a": 2, "b": 2, "c": 1}, "budget": 3}),
    "list.json": json.dumps([[1, 2, 3], [3, 4], [5]]),
    "sets.csv": "set,element\na,1\na,2\na,3\nb,3\nb,4\nc,5\n",
    "sets.tsv": "set\telement\tcost\na\t1\t2\na\t2\t2\na\t3\t2\nb\t3\t2\nb\t4\t2\nc\t5\t1\n",
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_sets_are_solved_covered_and_verified(name, tmp_path, capsys):
    path = tmp_path / name
    path.write_text(PLAIN[name])
    out = tmp_path / "answer.json"
    assert call(["solve", str(path), "--budget", "3", "-o", str(out)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["value"] == (5 if name in ("sets.json", "list.json", "sets.csv") else 4)
    assert call(["verify", str(path), str(out), "--budget", "3"]) == 0
    assert call(["cover", str(path), "--target", "80%", "-o", str(out)]) == 0
    capsys.readouterr()
    assert call(["verify", str(path), str(out)]) == 0


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("sets.json", json.dumps(SETS), "pass --budget"),
        ("sets.json", json.dumps({"sets": SETS, "cost": 3}), "did you mean 'costs'"),
        ("sets.json", "3", "expected sets"),
        ("sets.json", json.dumps({"sets": SETS, "weights": [1]}), "give the order of the list"),
        ("sets.csv", "a,1\na,2\n", "expected the columns set, element"),
        ("sets.csv", "set,element,costs\na,1,2\n", "did you mean 'cost'"),
        (
            "sets.csv",
            "set,element,cost\na,1,2\na,2,3\n",
            "same value of 'cost' in every row of 'a'",
        ),
        ("sets.csv", "set,element,cost\na,1,two\n", "line 2: cost: expected a number, got 'two'"),
    ],
)
def test_plain_sets_that_are_none_are_refused(name, text, message, tmp_path, capsys):
    path = tmp_path / name
    path.write_text(text)
    budget = [] if "budget" in message else ["--budget", "3"]
    assert call(["solve", str(path), *budget]) == 2
    assert message in capsys.readouterr().err


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


def test_stages_are_printed_when_asked_for(tmp_path, capsys):
    path = tmp_path / "problem.npz"
    mc.save(mc.generate.biregular(60, 180, 9, 3, budget=60, seed=1), path)
    assert call(["solve", str(path), "--trace", "--quiet"]) == 0
    assert "small (60 sets), one budget" in capsys.readouterr().err
    assert call(["solve", str(path), "--dry-run", "--quiet"]) == 0
    assert "runs greedy" in capsys.readouterr().out
    assert call(["cover", str(path), "--target", "60%", "--trace", "--quiet"]) == 0
    assert "first selection" in capsys.readouterr().err
