"""The table of clocks: how late every model is, at every size and limit, in CPU time.

Nine models, three sizes, limits of 0, 0.1, 1 and 3 s, for `solve`, `cover` and `budget_curve`. The
clock that solvers read is that of the process, so other processes do not count. At the longest
limit also the memory beside plain coverage's, and whether the bound is below the weight of
everything. ``--only`` names one model, ``--n`` one size, ``--busy 1`` keeps a core busy beside it.
"""

import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import maxcover as mc
from _report import arguments, clock, heading, hold, table

SIZES = (10_000, 100_000, 1_000_000)
LIMITS = (0.0, 0.1, 1.0, 3.0)
CALLS: dict[str, Callable[..., Any]] = {
    "solve": lambda problem, limit: mc.solve(problem, time_limit=limit, threads=1),
    "cover": lambda problem, limit: mc.cover(problem, target=0.2, time_limit=limit),
    "curve": lambda problem, limit: mc.budget_curve(
        problem, problem.budget * np.array([0.25, 0.5, 1.0]), time_limit=limit
    ),
}


def models(n_edges: int, seed: int) -> dict[str, dict[str, Any]]:
    """Return the options of each model on the same graph."""
    n_sets = n_edges // 10
    rng = np.random.default_rng(seed)
    sets = np.repeat(np.arange(n_sets), 10)
    elements = rng.integers(2 * n_sets, size=n_edges)
    pairs = np.unique(sets * 2 * n_sets + elements)
    sets, elements = np.divmod(pairs, 2 * n_sets)
    costs, n_pairs = rng.integers(1, 20, n_sets).astype(float), len(pairs)
    graph = {
        "set_indices": sets, "element_indices": elements, "costs": costs,
        "weights": rng.integers(1, 100, 2 * n_sets), "n_elements": 2 * n_sets,
        "budget": 0.1 * costs.sum(),
    }  # fmt: skip
    own = [f"g{g}" for g in rng.integers(20, size=n_sets)]
    conflicts = rng.integers(n_sets, size=(n_sets // 2, 2))
    other = {"a": costs, "b": rng.permutation(costs)}
    given = {
        "plain": {},
        "groups": {"groups": own, "max_items": n_sets // 400},
        "two budgets": {"costs": other, "budget": dict.fromkeys("ab", graph["budget"])},
        "conflicts": {"conflicts": conflicts[conflicts[:, 0] != conflicts[:, 1]].tolist()},
        "minima": {"groups": own, "min_items": n_sets // 400},
        "needs": {"need": rng.integers(1, 4, 2 * n_sets)},
        "returns": {"returns": [1, 0.5, 0.25]},
        "chances": {"chance": rng.uniform(0.1, 0.9, n_pairs)},
        "best": {"best": rng.uniform(0.1, 0.9, n_pairs)},
    }
    return {name: graph | more for name, more in given.items()}


def fresh(options: dict[str, Any]) -> mc.CoverageProblem:
    """Build a problem of which nothing is known yet."""
    rest = dict(options)
    return mc.CoverageProblem.from_edges(
        rest.pop("set_indices"), rest.pop("element_indices"), **rest
    )


def late(call: Callable[..., Any], options: dict[str, Any], limit: float) -> tuple[Any, float]:
    """Return an answer, and how many seconds after its limit it came."""
    problem = fresh(options)
    begin = time.perf_counter()
    answer = call(problem, limit)
    return answer, time.perf_counter() - begin - limit


def memory(options: dict[str, Any]) -> float:
    """Return the largest memory of a process that builds and solves a problem, in MB."""
    ours, theirs = multiprocessing.Pipe(duplex=False)

    def run() -> None:
        mc.solve(fresh(options), time_limit=LIMITS[-1])
        theirs.send(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)

    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()
    child.join()
    return float(ours.recv())


def spin() -> None:
    """Keep a core busy."""
    while True:
        sum(range(10_000))


def main() -> None:
    """Print the table, and hold it against what is promised."""
    options = arguments(__doc__, n=0, only="", busy=0, limit=-1.0, call="")
    sizes = (options.n,) if options.n else SIZES[:1] if options.quick else SIZES
    limits = LIMITS if options.limit < 0 else (options.limit,)
    limits = (0.0, 0.1) if options.quick else limits
    others = [multiprocessing.Process(target=spin, daemon=True) for _ in range(options.busy)]
    for other in others:
        other.start()
    mc.solve(mc.generate.biregular(100, 300, 9, 3, budget=100, seed=0))  # loads what is compiled
    wall, time.perf_counter = time.perf_counter, time.process_time
    rows, worst, loose, sizes_of = [], 0.0, 0, {}
    for n_edges in sizes:
        for name, given in models(n_edges, options.seed).items():
            if options.only and options.only != name:
                continue
            for call, run in CALLS.items():
                if options.call and options.call != call:
                    continue
                over = []
                for limit in limits:
                    answer, seconds = late(run, given, limit)
                    over.append(seconds / max(0.05, 0.05 * limit))
                    if call == "solve" and limit == limits[-1] and limit >= 1:
                        loose += answer.bound_by == "the weight of everything"
                worst = max(worst, *over)
                cells = [
                    f"{1e3 * o * max(0.05, 0.05 * k):.0f}"
                    for o, k in zip(over, limits, strict=True)
                ]
                rows.append((name, f"{n_edges:,}", call, *cells))
                print(*rows[-1], flush=True)
    time.perf_counter = wall
    for other in others:
        other.terminate()
    heading("Clocks: milliseconds after the limit, in CPU time", seed=options.seed)
    table(("model", "edges", "call", *(f"{limit:g} s" for limit in limits)), rows)
    clock("clocks, worst overrun in allowed ones", worst, most=1.0)
    hold("clocks, bounds that are the weight of everything", float(loose), most=0.0)
    if not options.quick and not options.call:
        for name, given in models(sizes[-1], options.seed).items():
            sizes_of[name] = memory(given)
        times = {name: used / sizes_of["plain"] for name, used in sizes_of.items()}
        table(
            ("model", "MB", "times plain"),
            [(name, f"{sizes_of[name]:.0f}", f"{times[name]:.2f}") for name in times],
        )
        clock("clocks, largest memory in times of plain", max(times.values()), most=3.0)


if __name__ == "__main__":
    main()
