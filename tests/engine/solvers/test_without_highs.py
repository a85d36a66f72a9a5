"""Without HiGHS everything works but its proofs; OR-Tools may live in the same process."""

import subprocess
import sys

import pytest

HIDDEN = """
import sys
sys.modules["highspy"] = None
import maxcover as mc
from maxcover.engine.solvers.auto import opened
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.program import Program
plain = mc.generate.biregular(60, 180, 9, 3, budget=30, seed=1)
mixed = mc.CoverageProblem.from_edges(
    [k % 40 for k in range(240)], [k * k % 83 for k in range(240)],
    costs=[1 + k % 7 for k in range(40)],
    returns="sqrt", groups=[k % 5 for k in range(40)], max_items=2, min_items=1, budget=31)
for problem in (plain, mixed):
    for method in ("auto", "exact"):
        found = mc.solve(problem, method=method)
        assert mc.verify(problem, found)
        is_said = "HiGHS cannot be imported" in found.stopped
        assert found.status == "optimal" or is_said, found.stopped
        print(method, found.status, found.stopped)
    mc.cover(problem.replace(budget=99), target=0.5)
large = mc.generate.biregular(300, 900, 9, 3, budget=300, seed=1)
run = opened(large, Control(effort="fast"), 1)
run.follow(run.schedule())
run.ask_highs(Program(large))
run.follow(_ for _ in ())
print("auto", run.status(), run.stopped)
few = mc.CoverageProblem.from_sets({"a": [1, 2], "b": [2, 3], "c": [4]}, budget=1)
assert mc.solve(few).status == "optimal"
mc.budget_curve(few, [1, 2])
mc.explain(few)
for ending in (".mps", ".lp"):
    mixed.write(sys.argv[1] + ending)
"""
TOGETHER = """
import {first}
import maxcover as mc, {second}
problem = mc.generate.biregular(60, 180, 9, 3, budget=30, seed=1)
found = mc.solve(problem, method="exact")
assert found.status == "optimal", found.stopped
from ortools.linear_solver import pywraplp
solver = pywraplp.Solver.CreateSolver("SCIP")
x = solver.BoolVar("x")
solver.Maximize(x)
assert solver.Solve() == solver.OPTIMAL
import highspy
"""


def run(code, *arguments):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_highs_the_rest_goes_on_and_says_so(tmp_path):
    lines = run(HIDDEN, str(tmp_path / "model")).splitlines()
    assert any(line.startswith("exact") and "HiGHS cannot be imported" in line for line in lines)
    assert any(line.startswith("auto") and "HiGHS cannot be imported" in line for line in lines)
    assert (tmp_path / "model.mps").stat().st_size > 1000


@pytest.mark.parametrize(
    ("first", "second"),
    [("highspy", "ortools.linear_solver.pywraplp"), ("ortools.linear_solver.pywraplp", "highspy")],
)
def test_both_orders_of_import_with_or_tools(first, second):
    run(TOGETHER.format(first=first, second=second))
