"""`auto` among the tools that people would use instead: time against gap, on the same problems.

Each method runs in a process of its own on one core, with 0.1, 1, 10 and 60 seconds where it takes
a limit; only the call of the solver is timed, after imports, compilation and the building of its
model. The gap is measured against the best upper bound that any of them proved. apricot knows no
weights: an element of weight 7 is given to it seven times.

Needs ``pip install --group solvers``. ``--plot FILE`` draws the picture (``[plots]``).
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import maxcover as mc
from _report import arguments, clock, heading, table

LIMITS = (0.1, 1.0, 10.0, 60.0)


class Answer(NamedTuple):
    """What one run found: indices, a bound if the method has one, and seconds."""

    selected: list[int]
    bound: float
    seconds: float


class Point(NamedTuple):
    """One method on one family: means over the problems."""

    method: str
    limit: float | None
    seconds: float
    gap: float


def biregular(n_sets: int, seed: int) -> mc.CoverageProblem:
    # submodlib takes no budget of as many units as there are sets
    return mc.generate.biregular(n_sets, 3 * n_sets, 9, 3, budget=n_sets - 1, seed=seed)


def dense(n_sets: int, seed: int) -> mc.CoverageProblem:
    plain = mc.generate.bmcp(n_sets, 1000, 0.3, budget=700, seed=seed)
    costs = np.random.default_rng(seed).integers(100, 500, n_sets, endpoint=True)
    return mc.CoverageProblem(
        indptr=plain.indptr,
        indices=plain.indices,
        costs=costs,
        weights=plain.weights,
        budget=700,
    )


FAMILIES: dict[str, tuple[Callable[[int, int], mc.CoverageProblem], int]] = {
    "biregular-100": (biregular, 100),
    "biregular-1000": (biregular, 1000),
    "biregular-10000": (biregular, 10_000),
    "dense-1100": (dense, 1100),
}


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.perf_counter()
    answer = call()
    return answer, time.perf_counter() - begin


def run_auto(problem: mc.CoverageProblem, limit: float | None) -> Answer:
    problem.transpose  # noqa: B018 - the model, as the others have theirs
    mc.solve(biregular(300, 1))  # compile
    solution, seconds = timed(lambda: mc.solve(problem, time_limit=limit, threads=1))
    return Answer(solution.selected.tolist(), solution.upper_bound, seconds)


def run_highs(problem: mc.CoverageProblem, limit: float | None) -> Answer:
    import highspy

    n_sets, n_elements = problem.n_sets, problem.n_elements
    t_indptr, t_indices = problem.transpose
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("parallel", "off")
    model.setOptionValue("time_limit", limit)
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = n_sets + n_elements, n_elements + 1
    program.sense_ = highspy.ObjSense.kMaximize
    program.col_cost_ = np.concatenate((np.zeros(n_sets), problem.weights))
    program.col_lower_ = np.zeros(n_sets + n_elements)
    program.col_upper_ = np.ones(n_sets + n_elements)
    program.integrality_ = [highspy.HighsVarType.kInteger] * n_sets + [
        highspy.HighsVarType.kContinuous
    ] * n_elements
    program.row_lower_ = np.full(n_elements + 1, -highspy.kHighsInf)
    program.row_upper_ = np.append(np.zeros(n_elements), problem.budget)
    columns, values, starts = [], [], [0]
    for a in range(n_elements):
        inside = t_indices[t_indptr[a] : t_indptr[a + 1]]
        columns.append(np.append(inside, n_sets + a))
        values.append(np.append(np.full(inside.size, -1.0), 1.0))
        starts.append(starts[-1] + inside.size + 1)
    columns.append(np.arange(n_sets))
    values.append(problem.costs)
    starts.append(starts[-1] + n_sets)
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.array(starts)
    program.a_matrix_.index_ = np.concatenate(columns)
    program.a_matrix_.value_ = np.concatenate(values)
    model.passModel(program)
    _, seconds = timed(model.run)
    found = np.asarray(model.getSolution().col_value)[:n_sets]
    return Answer(
        np.flatnonzero(found > 0.5).tolist(), float(model.getInfo().mip_dual_bound), seconds
    )


def run_scip(problem: mc.CoverageProblem, limit: float | None) -> Answer:
    from pyscipopt import Model, quicksum

    t_indptr, t_indices = problem.transpose
    model = Model()
    model.hideOutput()
    model.setParam("limits/time", limit)
    x = [model.addVar(vtype="B") for _ in range(problem.n_sets)]
    y = [model.addVar(ub=1.0) for _ in range(problem.n_elements)]
    for a in range(problem.n_elements):
        inside = t_indices[t_indptr[a] : t_indptr[a + 1]]
        model.addCons(y[a] <= quicksum(x[i] for i in inside))
    spent = quicksum(float(c) * v for c, v in zip(problem.costs, x, strict=True))
    model.addCons(spent <= problem.budget)
    worth = quicksum(float(w) * v for w, v in zip(problem.weights, y, strict=True))
    model.setObjective(worth, "maximize")
    _, seconds = timed(model.optimize)
    best = model.getBestSol() if model.getNSols() else None
    chosen = [] if best is None else [i for i, v in enumerate(x) if best[v] > 0.5]
    return Answer(chosen, float(model.getDualbound()), seconds)


def run_cp_sat(problem: mc.CoverageProblem, limit: float | None) -> Answer:
    from ortools.sat.python import cp_model

    t_indptr, t_indices = problem.transpose
    model = cp_model.CpModel()
    x = [model.new_bool_var("") for _ in range(problem.n_sets)]
    y = [model.new_bool_var("") for _ in range(problem.n_elements)]
    for a in range(problem.n_elements):
        inside = t_indices[t_indptr[a] : t_indptr[a + 1]]
        model.add_bool_or([y[a].negated(), *(x[i] for i in inside)])
    model.add(sum(int(c) * v for c, v in zip(problem.costs, x, strict=True)) <= int(problem.budget))
    model.maximize(sum(int(w) * v for w, v in zip(problem.weights, y, strict=True)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2
    solver.parameters.max_time_in_seconds = limit
    status, seconds = timed(lambda: solver.solve(model))
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    chosen = [i for i, v in enumerate(x) if solver.boolean_value(v)] if found else []
    return Answer(chosen, float(solver.best_objective_bound), seconds)


def run_submodlib(problem: mc.CoverageProblem, limit: float | None) -> Answer:
    del limit
    from submodlib import SetCoverFunction

    function = SetCoverFunction(
        n=problem.n_sets,
        cover_set=[set(problem.elements_of(i).tolist()) for i in range(problem.n_sets)],
        num_concepts=problem.n_elements,
        concept_weights=problem.weights.tolist(),
    )
    picks, seconds = timed(
        lambda: function.maximize(
            budget=problem.budget,
            optimizer="LazyGreedy",
            costs=problem.costs.tolist(),
            costSensitiveGreedy=True,
            show_progress=False,
        )
    )
    return Answer([i for i, _ in picks], np.inf, seconds)


def run_apricot(problem: mc.CoverageProblem, limit: float | None) -> Answer:
    del limit
    from apricot import MaxCoverageSelection
    from scipy.sparse import csr_array

    present = csr_array(
        (np.ones(problem.n_edges), problem.indices, problem.indptr),
        shape=(problem.n_sets, problem.n_elements),
    )
    copies = np.repeat(np.arange(problem.n_elements), problem.weights.astype(int))
    data = present.tocsc()[:, copies].toarray()
    MaxCoverageSelection(2, threshold=1.0, optimizer="lazy").fit(data[:10])  # compile
    selector = MaxCoverageSelection(int(problem.budget), threshold=1.0, optimizer="lazy")
    _, seconds = timed(lambda: selector.fit(data, sample_cost=problem.costs))
    return Answer([int(i) for i in selector.ranking], np.inf, seconds)


METHODS: dict[str, tuple[Callable[[mc.CoverageProblem, float | None], Answer], bool]] = {
    "auto": (run_auto, True),
    "HiGHS": (run_highs, True),
    "SCIP": (run_scip, True),
    "CP-SAT": (run_cp_sat, True),
    "submodlib, lazy": (run_submodlib, False),
    "apricot, lazy": (run_apricot, False),
}


def in_its_own_process(method: str, family: str, seed: int, limit: float | None) -> Answer | None:
    """Run one method on one problem; None if it failed or took ten times its limit."""
    task = json.dumps([method, family, seed, limit])
    try:
        done = subprocess.run(  # noqa: S603 - this file
            [sys.executable, __file__, "--task", task],
            capture_output=True,
            text=True,
            timeout=60 + 10 * (limit or 12.0),
            check=True,
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as failure:
        said = failure.stderr
        last = said.strip().splitlines()[-1:] if isinstance(said, str) else []
        print(f"{method} on {family}, seed {seed}: {type(failure).__name__} {' '.join(last)}")
        return None
    return Answer(*json.loads(done.stdout.splitlines()[-1]))


def one_task(task: str) -> None:
    method, family, seed, limit = json.loads(task)
    make, n_sets = FAMILIES[family]
    answer = METHODS[method][0](make(n_sets, seed), limit)
    print(json.dumps(answer))


def measure(family: str, seeds: list[int], limits: tuple[float, ...]) -> list[Point]:
    """Return one point for every method and limit."""
    make, n_sets = FAMILIES[family]
    seconds: dict[tuple[str, float | None], list[float]] = {}
    gaps: dict[tuple[str, float | None], list[float]] = {}
    for seed in seeds:
        problem = make(n_sets, seed)
        found: dict[tuple[str, float | None], Answer] = {}
        for method, (_, takes_limit) in METHODS.items():
            if method == "apricot, lazy" and n_sets > 2000:
                continue  # unfinished after 400 s
            runs = [*limits, None] if method == "auto" else limits if takes_limit else [None]
            for limit in runs:
                answer = in_its_own_process(method, family, seed, limit)
                if answer is not None:
                    found[method, limit] = answer
        values = {key: worth(problem, answer.selected) for key, answer in found.items()}
        best = max(values.values())
        # below a known value is no bound: what some solvers say before they have one
        bound = min(a.bound for a in found.values() if a.bound >= best * (1 - 1e-9))
        for key, answer in found.items():
            seconds.setdefault(key, []).append(answer.seconds)
            gaps.setdefault(key, []).append(max(0.0, 1.0 - values[key] / bound))
    return [Point(*key, float(np.mean(seconds[key])), float(np.mean(gaps[key]))) for key in seconds]


def worth(problem: mc.CoverageProblem, selected: list[int]) -> float:
    """Return the value of a selection; nothing if it breaks a limit."""
    if problem.violation(np.array(selected, dtype=np.int64)):
        return 0.0
    return float(problem.weights[problem.covered(selected)].sum())


def beaten(points: list[Point]) -> list[str]:
    """Return what lies below and left of a point of `auto`."""
    ours = [point for point in points if point.method == "auto"]
    return [
        f"{theirs.method} ({theirs.seconds:.3g} s, {theirs.gap:.4%}) "
        f"beats auto ({own.seconds:.3g} s, {own.gap:.4%})"
        for theirs in points
        if theirs.method != "auto"
        for own in ours
        if theirs.seconds < own.seconds and theirs.gap < own.gap
    ]


def draw(results: dict[str, list[Point]], file: Path) -> None:
    """Draw one panel a family; the line of `auto` joins its deadlines."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(
        1, len(results), figsize=(3.6 * len(results), 3.6), sharey=True, layout="constrained"
    )
    least = 1e-5  # what a logarithm can show
    for panel, (family, points) in zip(np.atleast_1d(panels), results.items(), strict=True):
        for method, marker in zip(METHODS, "osD^vP", strict=True):
            own = sorted((p.seconds, max(p.gap, least)) for p in points if p.method == method)
            if own:
                strong = method == "auto"
                panel.plot(
                    *zip(*own, strict=True),
                    marker=marker,
                    markersize=6 if strong else 5,
                    linewidth=1.8 if strong else 0.9,
                    zorder=3 if strong else 2,
                    label=method,
                )
        panel.set(xscale="log", yscale="log", title=family, xlabel="seconds", ylim=(least / 2, 2))
        panel.grid(alpha=0.3)
    np.atleast_1d(panels)[0].set_ylabel("gap to the best known bound")
    np.atleast_1d(panels)[-1].legend(frameon=False, fontsize="small")
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=150)


def main() -> None:
    if sys.argv[1:2] == ["--task"]:
        one_task(sys.argv[2])
        return
    picture = None
    if "--plot" in sys.argv:
        position = sys.argv.index("--plot")
        picture = Path(sys.argv[position + 1])
        del sys.argv[position : position + 2]
    options = arguments(__doc__)
    families = ["biregular-100"] if options.quick else list(FAMILIES)
    limits = LIMITS[:2] if options.quick else LIMITS
    results = {}
    for family in families:
        graphs = 1 if options.quick else 10 if family == "biregular-100" else 1
        seeds = [options.seed + 60_000 + k for k in range(graphs)]
        results[family] = measure(family, seeds, limits)
        heading(family, problems=graphs, seeds=f"{seeds[0]} and on")
        table(
            ("method", "limit, s", "mean s", "mean gap"),
            [
                (p.method, p.limit or "-", f"{p.seconds:.4g}", f"{p.gap:.4%}")
                for p in sorted(results[family], key=lambda p: (p.gap, p.seconds))
            ],
        )
        better = beaten(results[family])
        print("\n".join(better) or "nothing lies below and left of auto")
        clock(f"{family}, points below and left of auto", len(better), most=0)
    if picture is not None:
        draw(results, picture)


if __name__ == "__main__":
    main()
