"""`auto` on every family that it promises something for.

Each part prints one table and holds its figures against pinned floors; parts can be named.
Times are wall-clock times in one process after compilation; what they are compared with runs in the
same process on the same problems. ``earlier`` takes ``--old``, the interpreter of an environment
with an earlier version: values and CPU times on the same problems, in turns, on one thread;
``--family`` takes only families whose name holds a text.
"""

import json
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

import maxcover as mc
from _graphs import GRAPHS
from _old import Solvers
from _report import arguments, clock, heading, hold, table
from bmcp import instances
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.highs import HighsRun
from maxcover.engine.solvers.program import Program
from peers import dense as like_bmcp
from peers import run_highs
from promises import locations, planted, wide, zipf

DATA = Path(__file__).parents[2] / "shared" / "data"
SETS = (
    "bc3", "cl_scisumm", "convosumm_email", "mediqa_mas", "opinosis", "oposum", "squality_plot",
)  # fmt: skip
# Runs of each problem by each version; the least time counts.
RUNS = 3


def timed(problem: mc.CoverageProblem, **options: Any) -> tuple[mc.Solution, float]:
    begin = time.perf_counter()
    solution = mc.solve(problem, **options)
    return solution, time.perf_counter() - begin


def highs_from(
    start: mc.Solution, problem: mc.CoverageProblem, limit: float, callback: Any = None
) -> float:
    """Return what HiGHS reaches from a selection; `exact` itself begins from a better one."""
    control = Control(time_limit=limit, callback=callback)
    run = HighsRun(Program(problem, value=start.value), control, start.selected)
    run.until_done(limit)
    found = run.selection()
    return max(start.value, 0.0 if found is None else problem.value(found))


def graph(n_sets: int, seed: int, **options: int) -> mc.CoverageProblem:
    problem = mc.generate.biregular(n_sets, 3 * n_sets, 9, 3, budget=n_sets, seed=seed, **options)
    problem.transpose  # noqa: B018 - part of the problem, not of the search
    return problem


def small(*, quick: bool, seed: int) -> None:
    """Solve the paper's ensemble, against the proven optimum."""
    graphs = 15 if quick else 1000
    rows = []
    for k in range(graphs):
        problem = graph(100, seed + 10_000 + k)
        ours, our_seconds = timed(problem)
        best, exact_seconds = timed(problem, method="exact", bound="quick")
        plain_seconds = run_highs(problem, 600.0).seconds
        proven = ours.status == "optimal"
        rows.append((ours.value / best.value, our_seconds, exact_seconds, plain_seconds, proven))
    fraction, our_time, exact_time, plain_time, proven = np.array(rows, dtype=float).T
    heading("(9,3)-biregular, N = 100", graphs=graphs, seeds=f"{seed + 10_000} and on")
    table(
        (
            *("graphs", "of the optimum", "optimal", "proven by auto", "ms, auto"),
            *("ms, `exact`", "ratio", "ms, HiGHS on the plain model", "ratio"),
        ),
        [
            (
                graphs,
                f"{fraction.mean():.6f}",
                f"{(fraction > 1 - 1e-9).mean():.1%}",
                f"{proven.mean():.1%}",
                f"{1e3 * our_time.mean():.1f}",
                f"{1e3 * exact_time.mean():.0f}",
                f"{exact_time.mean() / our_time.mean():.0f}",
                f"{1e3 * plain_time.mean():.0f}",
                f"{plain_time.mean() / our_time.mean():.0f}",
            )
        ],
    )
    hold("N = 100, fraction of the optimum", fraction.mean(), least=0.9997)
    hold("N = 100, largest fraction: none above what is proven", fraction.max(), most=1.0)
    hold("N = 100, solved to optimality", (fraction > 1 - 1e-9).mean(), least=0.85)
    faster = plain_time.mean() / our_time.mean()
    clock("N = 100, times faster than HiGHS", faster, least=5 if quick else 30)


def thousand(*, quick: bool, seed: int) -> None:
    """N = 1,000 against the best value that anybody found in a minute."""
    graphs, limit = (1, 5.0) if quick else (20, 60.0)
    rows = []
    for k in range(graphs):
        problem = graph(1000, seed + 20_000 + k)
        ours, our_seconds = timed(problem)
        reached: list[mc.Progress] = []
        greedy = mc.solve(problem, method="g-greedy", bound="quick")
        highs = highs_from(greedy, problem, limit, callback=reached.append)
        longer = mc.solve(problem, time_limit=limit / 6)
        best = max(ours.value, highs, longer.value)
        equal = [p.seconds for p in reached if p.value >= ours.value]
        rows.append((ours.value / best, our_seconds, equal[0] if equal else np.inf))
    fraction, our_time, highs_time = np.array(rows).T
    heading("(9,3)-biregular, N = 1,000", graphs=graphs, HiGHS=f"{limit:g} s")
    never = int(np.isinf(highs_time).sum())
    table(
        ("graphs", "of the best known", "ms, auto", "HiGHS gets there", "HiGHS, s, where it does"),
        [
            (
                graphs,
                f"{fraction.mean():.6f} (least {fraction.min():.6f})",
                f"{1e3 * our_time.mean():.0f}",
                f"{graphs - never} of {graphs}",
                f"{highs_time[np.isfinite(highs_time)].mean():.1f}" if never < graphs else "-",
            )
        ],
    )
    floor = 0.9995 if quick else 0.9998
    clock("N = 1,000, fraction of the best known", fraction.mean(), least=floor)


def growth(*, quick: bool, seed: int) -> None:
    """Growth of time with size, and the certified fraction."""
    sizes = (3000, 10_000) if quick else (10_000, 100_000, 1_000_000)
    rows, seconds, fractions = [], [], []
    for n_sets in sizes:
        solution, took = timed(graph(n_sets, seed + 30_000))
        seconds.append(took)
        fractions.append(solution.value / solution.upper_bound)
        rows.append((f"{n_sets:,}", f"{9 * n_sets:,}", f"{fractions[-1]:.5f}", f"{took:.2f}"))
    power = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    heading("(9,3)-biregular, growth", seed=seed + 30_000)
    table(("sets", "edges", "of the certified bound", "s"), rows)
    print(f"time grows as edges^{power:.2f}")
    floor = 0.9975 if quick else 0.9985
    hold("large graphs, least certified fraction", min(fractions), least=floor)
    clock("exponent of the growth of time", power, most=1.3 if quick else 1.15)


def text_problems(every: int) -> Iterator[tuple[str, mc.CoverageProblem]]:
    from maxcover.texts import prepare

    for name in SETS:
        lines = (DATA / name / "clusters.jsonl").read_text().splitlines()
        for line in lines[::every]:
            cluster = json.loads(line)
            texts = [document["text"] for document in cluster["documents"]]
            corpus = prepare(texts, preset="paper")
            for budget in (50, 100, 200, 400):
                yield (
                    name,
                    mc.CoverageProblem(
                        indptr=corpus.indptr,
                        indices=corpus.indices,
                        costs=corpus.costs,
                        weights=corpus.weights,
                        budget=budget,
                    ),
                )


def text(*, quick: bool, seed: int) -> None:
    """Text: words as elements, TF-IDF weights, word counts as costs.

    Every problem is solved by auto; HiGHS has a minute for some of those that auto did not prove,
    evenly spread. The mean fraction of the optimum weighs the two kinds by their numbers.
    """
    del seed
    limit, asked = (2.0, 5) if quick else (60.0, 12)
    found: dict[str, list[tuple[float, float, float, bool]]] = {name: [] for name in SETS}
    open_problems = []
    for name, problem in text_problems(every=40 if quick else 1):
        ours, seconds = timed(problem)
        if ours.value > 0:
            greedy = mc.solve(problem, method="g-greedy", bound="quick").value
            proven = ours.status == "optimal"
            found[name].append((1 - ours.gap, greedy / ours.value, seconds, proven))
            if not proven:
                open_problems.append((problem, ours.value))
    rows = []
    for name, results in [*found.items(), ("all", list(chain.from_iterable(found.values())))]:
        certified, greedy, seconds, proven = np.array(results, dtype=float).T
        rows.append(
            (
                name,
                len(results),
                f"{proven.mean():.1%}",
                f"{certified.mean():.5f}",
                f"{certified.min():.4f}",
                f"{greedy.mean():.4f}",
                f"{1e3 * np.median(seconds):.1f}",
                f"{1e3 * seconds.mean():.1f}",
            )
        )
    heading("text", budgets="50, 100, 200, 400", preset="paper")
    table(
        (
            *("set", "problems", "proven", "of the bound", "least", "g-greedy / auto"),
            *("median ms", "mean ms"),
        ),
        rows,
    )
    fractions = []
    for problem, value in open_problems[:: -(-len(open_problems) // asked) or 1]:
        highs = mc.solve(problem, method="exact", time_limit=limit, bound="quick")
        fractions.append(value / max(value, highs.value))
    share = proven.mean()
    mean = share + (1 - share) * (np.mean(fractions) if fractions else 1.0)
    print(
        f"{len(open_problems)} problems not proven by auto; on {len(fractions)} of them, HiGHS in "
        f"{limit:g} s: auto has {np.mean(fractions or [1.0]):.5f} of the better value, "
        f"least {min(fractions, default=1.0):.4f}"
    )
    hold("text, fraction of the optimum", mean, least=0.9995)
    hold("text, least fraction", min(fractions, default=1.0), least=0.99)
    clock("text, median milliseconds", 1e3 * float(np.median(seconds)), most=40 if quick else 10)


def dense(*, quick: bool, seed: int) -> None:
    """Dense problems in the manner of the literature: exchange search against greedy and HiGHS."""
    sizes = ((600, 0.05, 2000), (800, 0.075, 1500), (1100, 0.3, 700))
    rows = []
    for n_sets, density, budget in sizes[:1] if quick else sizes:
        for k in range(1 if quick else 3):
            rng = np.random.default_rng(seed + k)
            plain = mc.generate.bmcp(n_sets, 1000, density, budget=budget, seed=seed + 40_000 + k)
            problem = mc.CoverageProblem(
                indptr=plain.indptr,
                indices=plain.indices,
                costs=rng.integers(100, 500, n_sets, endpoint=True),
                weights=plain.weights,
                budget=budget,
            )
            start = mc.solve(problem, method="g-greedy", bound="quick")
            greedy = start.value
            ours, seconds = timed(problem)
            two, _ = timed(problem, time_limit=2.0)
            highs = highs_from(start, problem, 5.0 if quick else 60.0)
            rows.append(
                (
                    f"{n_sets} x 1000, {density}, K = {budget}",
                    f"{ours.value / greedy:.4f}",
                    f"{1e3 * seconds:.0f}",
                    f"{two.value / greedy:.4f}",
                    f"{highs / greedy:.4f}",
                    f"{two.gap:.2%}",
                )
            )
            clock("dense, against HiGHS from greedy", two.value / highs, least=0.9999)
    heading("dense, costs 100..500, weights 1..100", seed=seed + 40_000)
    table(
        ("problem", "auto / g-greedy", "ms", "auto, 2 s", "HiGHS, 60 s", "gap"),
        rows,
    )


def never_below(*, quick: bool, seed: int) -> None:
    """Families with a trap in them: never below guarded greedy, and the gap that is certified."""
    n_sets = 2_000 if quick else 100_000
    rng = np.random.default_rng(seed)
    plain = mc.generate.erdos_renyi(n_sets // 10, n_sets // 10, 6.0, budget=1, seed=seed)
    costs = 10.0 ** rng.uniform(-3, 3, plain.n_sets)
    families = {
        "Zipf": mc.generate.zipf(n_sets, n_sets, 10 * n_sets, budget=n_sets / 4, seed=seed),
        "unit costs and weights": mc.generate.biregular(
            n_sets, 3 * n_sets, 9, 3, budget=n_sets // 5, high=1, seed=seed
        ),
        "costs over six orders": mc.CoverageProblem(
            indptr=plain.indptr,
            indices=plain.indices,
            costs=costs,
            weights=plain.weights,
            budget=float(costs.sum() / 10),
        ),
        "all sets alike": mc.CoverageProblem.from_sets([[0, 1, 2]] * 1000, budget=10),
    }
    rows = []
    for name, problem in families.items():
        ours, seconds = timed(problem)
        guarded = mc.solve(problem, method="guarded-greedy", bound="quick")
        hold(f"{name}, against guarded greedy", ours.value / guarded.value, least=1.0)
        better = f"{ours.value / guarded.value:.5f}"
        rows.append((name, problem.n_edges, better, f"{ours.gap:.4%}", f"{seconds:.2f}"))
    heading("never below guarded greedy", seed=seed)
    table(("family", "edges", "auto / guarded-greedy", "certified gap", "s"), rows)


def curve(*, quick: bool, seed: int) -> None:
    """Twenty budgets against one solution."""
    rows = []
    sizes = {100: 10, 1000: 3, 10_000: 1, 100_000: 1}
    for n_sets, graphs in list(sizes.items())[: 2 if quick else 4]:
        one, many, gap = 0.0, 0.0, 0.0
        for k in range(graphs):
            problem = graph(n_sets, seed + 50_000 + k)
            one += timed(problem)[1]
            begin = time.perf_counter()
            points = mc.budget_curve(problem, np.linspace(n_sets / 20, n_sets, 20).tolist())
            many += time.perf_counter() - begin
            gap = max(gap, points.gaps.max())
        rows.append((n_sets, graphs, many / one, f"{gap:.3%}"))
    heading("budget_curve, 20 budgets", seeds=f"{seed + 50_000} and on")
    table(
        ("sets", "graphs", "times one solution", "largest gap"),
        [(n, graphs, f"{ratio:.2f}", gap) for n, graphs, ratio, gap in rows],
    )
    worst = max(ratio for *_, ratio, _ in rows)
    clock("20 budgets, times one solution", worst, most=8 if quick else 4)


def literature(count: int | None) -> Iterator[mc.CoverageProblem]:
    """Yield instances of the literature, which take seconds to read."""
    yield from islice(instances().values(), count)


def posed(*, quick: bool, seed: int) -> dict[str, Iterable[mc.CoverageProblem]]:
    """Return problems of coverage under one budget: eight families, the literature and texts."""
    few = 1 if quick else 5
    return {
        "biregular, N = 100": (graph(100, seed + k) for k in range(20 * few)),
        "biregular, N = 1,000": (graph(1000, seed + k) for k in range(few)),
        "Zipf, 10^4 edges": (zipf(10_000, seed + k) for k in range(2 * few)),
        "wide, 10^4 edges": (wide(10_000, seed + k) for k in range(2 * few)),
        "geometric, 2 x 10^4 edges": (GRAPHS["geometric"](20_000, seed + k) for k in range(few)),
        "dense, 300": (like_bmcp(300, seed + k) for k in range(few)),
        "planted": (planted(seed + k) for k in range(few)),
        "locations, 2,000": (locations(seed + k) for k in range(1 if quick else 3)),
        "BMCP": literature(3 if quick else None),
        "text": (problem for _, problem in text_problems(every=60 if quick else 12)),
    }


def earlier(old: str, family: str, *, quick: bool, seed: int) -> None:
    """Solve as an earlier version does, with the same problems: value and CPU time."""
    solvers = Solvers(old, sys.executable)
    rows, ratios, lost = [], [], []
    for name, problems in posed(quick=quick, seed=seed).items():
        if family not in name:
            continue
        pairs = [solvers.ask(problem, runs=RUNS, threads=1) for problem in problems]
        (values, gaps, spent), (new_values, new_gaps, new_spent) = np.array(pairs).transpose(
            1, 2, 0
        )
        lower = int((new_values < values * (1 - 1e-12)).sum())
        higher = int((new_values > values * (1 + 1e-12)).sum())
        ratios.append(new_spent.sum() / spent.sum())
        lost.append(new_values.sum() / values.sum())
        rows.append(
            (name, len(pairs), f"{lost[-1]:.6f}", lower, higher, f"{gaps.mean():.3%}",
             f"{new_gaps.mean():.3%}", f"{1e3 * spent.mean():.1f}", f"{1e3 * new_spent.mean():.1f}",
             f"{ratios[-1]:.2f}")
        )  # fmt: skip
        print(*rows[-1], flush=True)
    heading(f"One budget, against an earlier version: CPU time, least of {RUNS}", seed=seed)
    names = ("family", "problems", "value", "lower", "higher", "gap before", "now", "ms before")
    table((*names, "now", "ratio"), rows)
    clock("earlier version, largest ratio of CPU times", max(ratios), most=1.03)
    hold("earlier version, least ratio of values", min(lost), least=0.9999)


PARTS = {
    "small": small,
    "thousand": thousand,
    "growth": growth,
    "text": text,
    "dense": dense,
    "never-below": never_below,
    "curve": curve,
}


def main() -> None:
    options = arguments(__doc__, parts=(*PARTS, "earlier"), old="", family="")
    mc.solve(graph(1000, 0))  # nothing is proven early there, so every part is loaded
    for part in options.parts or PARTS:
        if part == "earlier":
            earlier(options.old, options.family, quick=options.quick, seed=options.seed)
        else:
            PARTS[part](quick=options.quick, seed=options.seed)


if __name__ == "__main__":
    main()
