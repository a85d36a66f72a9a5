"""Limits and returns beside HiGHS and CP-SAT, each with the same seconds of wall-clock time.

Two and three budgets, groups, conflicts, returns and chances on graphs of ``--n`` edges; parts name
families. HiGHS gets the program of `exact` without a start, CP-SAT the same rows and steps; both
run in a process of their own. CP-SAT has no products of many variables, so chances are left out.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import maxcover as mc
from _graphs import GRAPHS
from _report import arguments, heading, hold, table
from limit_cost import limited

MODELS = ("two budgets", "three budgets", "groups .7", "conflicts", "returns", "chances")
PEERS = ("HiGHS", "CP-SAT")


def posed(family: str, n_edges: int, seed: int) -> Iterator[tuple[str, mc.CoverageProblem]]:
    """Yield the problem of each model."""
    graph = GRAPHS[family](n_edges, seed)
    given = dict(limited(graph, mc.solve(graph), seed))
    rng = np.random.default_rng([seed, 2])
    costs = given["two budgets"]["costs"] | {"c": rng.permutation(graph.costs)}
    budget = dict.fromkeys(costs, graph.budget)
    given["three budgets"] = {"costs": costs, "budget": budget}
    sets = np.repeat(np.arange(graph.n_sets), np.diff(graph.indptr))
    for name in MODELS:
        options: dict[str, Any] = {"costs": graph.costs, "budget": graph.budget} | given[name]
        yield (
            name,
            mc.CoverageProblem.from_edges(
                sets, graph.indices, weights=graph.weights, n_elements=graph.n_elements, **options
            ),
        )


def by_highs(problem: mc.CoverageProblem, seconds: float) -> list[int]:
    """Return what HiGHS selects."""
    from maxcover.engine.solvers.control import Control
    from maxcover.engine.solvers.highs import HighsRun
    from maxcover.engine.solvers.program import Program

    run = HighsRun(Program(problem), Control(time_limit=seconds), None)
    run.until_done(seconds)
    found = run.selection()
    return [] if found is None else found.tolist()


def by_cp_sat(problem: mc.CoverageProblem, seconds: float) -> list[int]:
    """Return what CP-SAT selects."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in range(problem.n_sets)]
    rows = problem.rows
    for r in range(len(rows.low)):
        own = slice(rows.indptr[r], rows.indptr[r + 1])
        members = [chosen[i] for i in rows.sets[own].tolist()]
        used = cp_model.LinearExpr.weighted_sum(members, rows.ticks[own].tolist())
        model.add_linear_constraint(used, int(rows.low[r]), int(min(rows.high[r], 2**60)))
    indptr, steps = problem.steps
    t_indptr, holders = problem.transpose
    gains, given = [], []
    for a in range(problem.n_elements):
        held = [chosen[i] for i in holders[t_indptr[a] : t_indptr[a + 1]].tolist()]
        own = [model.new_bool_var("") for _ in range(indptr[a], indptr[a + 1])]
        model.add(sum(own) <= sum(held))
        given += own
        gains += np.rint(1e4 * steps[indptr[a] : indptr[a + 1]]).astype(int).tolist()
    model.maximize(cp_model.LinearExpr.weighted_sum(given, gains))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return []
    return [i for i, one in enumerate(chosen) if solver.value(one)]


def peer(*task: object) -> list[int]:
    """Return what another solver selects, in a process of its own."""
    command = [sys.executable, __file__, "--task", json.dumps(task)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - this file
    return list(json.loads(done.stdout.splitlines()[-1]))


def run_task(method: str, seconds: float, name: str, *graph: Any) -> None:
    """Print what a solver selects."""
    problem = dict(posed(*graph))[name]
    run = {"HiGHS": by_highs, "CP-SAT": by_cp_sat}[method]
    print(json.dumps(run(problem, seconds)))


def main() -> None:
    """Print the table; nobody may find more than `solve` does."""
    if "--task" in sys.argv:
        run_task(*json.loads(sys.argv[-1]))
        return
    options = arguments(__doc__, parts=tuple(GRAPHS), n=20_000, seconds=10, only="")
    seconds = 1 if options.quick else options.seconds
    n_edges = 2000 if options.quick else options.n
    rows, behind = [], []
    for family in options.parts or ("biregular",):
        for name, problem in posed(family, n_edges, options.seed):
            if options.only and options.only != name:
                continue
            ours = mc.solve(problem, time_limit=seconds)
            cells = []
            for method in PEERS:
                if (name, method) == ("chances", "CP-SAT"):
                    cells.append("-")
                    continue
                theirs = np.array(
                    peer(method, seconds, name, family, n_edges, options.seed), np.int64
                )
                value = -1.0 if problem.violation(theirs) else problem.value(theirs)
                behind.append(value / ours.value - 1)
                cells.append(f"{behind[-1]:+.3%}")
            rows.append((family, name, f"{ours.value:.1f}", f"{ours.gap:.2%}", *cells))
            print(*rows[-1], flush=True)
    heading("Limits beside other solvers", edges=n_edges, seconds=seconds, seed=options.seed)
    table(("family", "limit", "value", "gap", *(f"{peer} beside it" for peer in PEERS)), rows)
    hold("what another solver finds more, at most", max(behind), most=1e-9)


if __name__ == "__main__":
    main()
