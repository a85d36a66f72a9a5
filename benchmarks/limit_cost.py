"""What a limit costs: CPU time, value and gap under each limit, beside the same problem without.

Four families, three sizes, three seeds. Rows: limits that are never reached, one conflict between
two sets that nobody wants, groups at shares of what the plain answer takes of them, conflicts, two
budgets, returns, chances, needs and minima. Names of families say which, ``--n`` one number of
edges. ``--save`` writes the values, ``--beside`` holds them against those of another version.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import maxcover as mc
from _graphs import GRAPHS
from _report import arguments, clock, heading, hold, table

SIZES = (20_000, 200_000, 1_000_000)
N_GROUPS = 20
# CPU time at most, in times of the plain problem's.
MOST = {
    "never reached": 1.3, "idle conflict": 1.3, "groups .95": 3, "groups .7": 4, "groups .3": 4,
    "conflicts": 4, "two budgets": 5, "returns": 5, "chances": 5, "needs": 5, "minima": 5,
}  # fmt: skip


def limited(
    problem: mc.CoverageProblem, plain: mc.Solution, seed: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each limit or return as options of a constructor."""
    n_sets, n_edges = problem.n_sets, problem.n_edges
    rng = np.random.default_rng([seed, 1])  # no stream that a family draws from
    own = rng.integers(N_GROUPS, size=n_sets)
    groups = [str(g) for g in own]
    taken = np.bincount(own[plain.selected], minlength=N_GROUPS)
    idle = np.setdiff1d(np.arange(n_sets), plain.selected)[:2].tolist()
    pairs = rng.integers(n_sets, size=(n_sets // 2, 2))
    other = rng.permutation(problem.costs)
    mean = taken.mean()
    yield "never reached", {"groups": groups, "max_items": int(taken.max()) + 1}
    yield "idle conflict", {"conflicts": [idle]}
    yield "groups .95", {"groups": groups, "max_items": int(0.95 * taken.max())}
    yield "groups .7", {"groups": groups, "max_items": max(int(0.7 * mean), 1)}
    yield "groups .3", {"groups": groups, "max_items": max(int(0.3 * mean), 1)}
    yield "conflicts", {"conflicts": pairs[pairs[:, 0] != pairs[:, 1]].tolist()}
    yield (
        "two budgets",
        {
            "costs": {"a": problem.costs, "b": other},
            "budget": {"a": problem.budget, "b": problem.budget},
        },
    )
    yield "returns", {"returns": [1, 0.5, 0.25]}
    yield "chances", {"chance": rng.uniform(0.1, 0.9, n_edges)}
    yield "needs", {"need": rng.integers(1, 4, problem.n_elements)}
    yield "minima", {"groups": groups, "min_items": int(mean)}


def solved(problem: mc.CoverageProblem, effort: str) -> tuple[mc.Solution, float]:
    """Return an answer and the CPU time it took."""
    begin = time.process_time()
    answer = mc.solve(problem, effort=effort)
    return answer, time.process_time() - begin


def cells(
    family: str, n_edges: int, seed: int, effort: str, only: str
) -> Iterator[tuple[Any, ...]]:
    """Yield each row of the table for one graph."""
    graph = GRAPHS[family](n_edges, seed)
    plain, base = solved(graph, effort)
    yield family, n_edges, seed, "plain", plain.value, plain.gap, base, 1.0
    sets = np.repeat(np.arange(graph.n_sets), np.diff(graph.indptr))
    for name, given in limited(graph, plain, seed):
        if only and only != name:
            continue
        options = {"costs": graph.costs, "budget": graph.budget, **given}
        problem = mc.CoverageProblem.from_edges(
            sets, graph.indices, weights=graph.weights, n_elements=graph.n_elements, **options
        )
        answer, cpu = solved(problem, effort)
        yield family, n_edges, seed, name, answer.value, answer.gap, cpu, cpu / base


def main() -> None:
    """Print the table, and hold it against what is aimed at."""
    options = arguments(
        __doc__, parts=tuple(GRAPHS), n=0, seeds=3, effort="normal", only="", save="", beside=""
    )
    sizes = (options.n,) if options.n else SIZES[:1] if options.quick else SIZES
    seeds = 1 if options.quick else options.seeds
    before = json.loads(Path(options.beside).read_text()) if options.beside else {}
    small = GRAPHS["biregular"](900, 0)
    mc.solve(small)  # loads what is compiled
    rows, values, worst, lost = [], {}, {}, []
    for n_edges in sizes:
        for family in options.parts or GRAPHS:
            for k in range(seeds):
                for cell in cells(family, n_edges, options.seed + k, options.effort, options.only):
                    name, (value, gap, cpu, times) = cell[3], cell[4:]
                    key = " ".join(map(str, cell[:4]))
                    values[key] = value, gap, cpu
                    beside = ("-", "-", "-")
                    if key in before:
                        old = before[key]
                        lost.append(value / old[0] - 1)
                        beside = (f"{lost[-1]:+.3%}", f"{old[1]:.2%}", f"{old[2]:.2f}")
                    worst[name] = max(worst.get(name, 0.0), times)
                    figures = f"{value:.0f}", f"{gap:.2%}", f"{cpu:.2f}", f"{times:.1f}"
                    rows.append((*cell[:4], *figures, *beside))
                    print(*rows[-1], flush=True)
    heading("What a limit costs", seed=options.seed)
    table(
        ("family", "edges", "seed", "limit", "value", "gap", "CPU, s", "times plain",
         "value beside", "its gap", "its CPU, s"),
        rows,
    )  # fmt: skip
    if options.save:
        Path(options.save).write_text(json.dumps(values, indent=1))
    for name, most in MOST.items():
        if name in worst:
            clock(f"{name}: times plain", worst[name], most=most)
    if lost:
        hold("value beside the other version, lowest", min(lost), least=-0.0002)


if __name__ == "__main__":
    main()
