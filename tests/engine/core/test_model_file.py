"""Written as .mps or .lp, a problem has the same optimum for HiGHS, CBC, SCIP and brute force."""

import re
import shutil
import subprocess
from pathlib import Path

import highspy
import pyscipopt
import pytest

from maxcover import CoverageProblem
from maxcover.errors import MaxcoverError, OptionError
from tests.engine.core.model_judge import best_of, draw
from tests.sweeps import cases


def by_highs(path: Path) -> float | None:
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.readModel(str(path))
    solver.run()
    if solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        return None
    return -solver.getInfo().objective_function_value


def by_scip(path: Path) -> float | None:
    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(str(path))
    model.optimize()
    return None if model.getStatus() == "infeasible" else -model.getObjVal()


def by_cbc(path: Path) -> float | None:
    answer = path.with_suffix(".txt")
    command = [shutil.which("cbc"), str(path), "ratio", "0", "solve", "solution", str(answer)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    first = answer.read_text().splitlines()[0]
    if "Infeasible" in first or "infeasible" in first:
        return None
    return -float(re.search(r"objective value\s+(\S+)", first)[1])


def drawn(k: int) -> tuple[dict, CoverageProblem | None]:
    given = draw(k, most_sets=6)
    # weights that span many orders are beyond the tolerances of these solvers
    top = max(given["weights"], default=1)
    if given["weights"] and top > 1e6 * min((w for w in given["weights"] if w), default=top):
        given["weights"] = [1.0 + k % 7 for k in range(len(given["weights"]))]
    try:
        return given, CoverageProblem.from_edges(**given)
    except MaxcoverError:  # limits that nothing meets
        return given, None


@pytest.mark.parametrize("k", cases(200))
def test_three_solvers_find_the_same_optimum(k, tmp_path):
    given, problem = drawn(k)
    if problem is None:
        return
    best = best_of(given)
    for ending in (".mps", ".lp"):
        problem.write(tmp_path / f"problem{ending}")
    for solve, ending in (
        (by_highs, ".mps"),
        (by_highs, ".lp"),
        (by_scip, ".mps"),
        (by_cbc, ".mps"),
    ):
        found = solve(tmp_path / f"problem{ending}")
        expected = None if best is None else pytest.approx(float(best), rel=1e-6, abs=1e-6)
        assert found == expected, solve.__name__


@pytest.mark.parametrize("ending", [".mps", ".lp"])
def test_no_multiple_of_the_costs_between_the_ends_is_infeasible(ending, tmp_path):
    """Costs are whole and the group may cost 1.5 to 1.7; the file said that it costs 2."""
    limits = {"groups": ["g", "g"], "min_cost": {"g": 1.5}, "max_cost": {"g": 1.7}}
    problem = CoverageProblem.from_sets([[1], [2]], costs=[1, 1], budget=2, **limits)
    problem.write(tmp_path / f"problem{ending}")
    assert by_highs(tmp_path / f"problem{ending}") is None


@pytest.mark.parametrize("ending", [".mps", ".lp"])
def test_columns_have_the_names_of_sets(ending, tmp_path):
    sets = {"Lyon (Rhône)": [1, 2], "São Paulo": [2], "北京": [3], "a" * 99: [4]}
    path = tmp_path / f"problem{ending}"
    CoverageProblem.from_sets(sets, budget=2).write(path)
    text = path.read_text("utf-8")
    assert re.findall(r"(?m)^[*\\] (x\S*): ", text) == [
        "x0_Lyon_Rh_ne", "x1_S_o_Paulo", "x2", f"x3_{'a' * 40}",
    ]  # fmt: skip
    assert len(re.findall(r"\bx1_S_o_Paulo\b", text)) > 1
    assert by_highs(path) == 3


def test_another_ending_is_refused():
    problem = CoverageProblem.from_sets([[1]], budget=1)
    with pytest.raises(OptionError, match=r"ends in \.mps or \.lp, got 'x\.sav'; maxcover\.save"):
        problem.write("x.sav")
