"""How greedy selection grows with the edges, beside the two sparse products of the same graph.

Processor time per edge of g-greedy on (9, 3)-biregular graphs, and of ``A @ x`` and ``A.T @ y`` in
CSR form in the same process, in turns, the best of some rounds. Memory gets slower as a graph
outgrows the caches, for the products more than for anything else: the ratio is what to look at.
"""

import time
from collections.abc import Callable

import numpy as np
from scipy import sparse

import maxcover as mc
from _report import arguments, clock, heading, table
from maxcover.engine.solvers.greedy import complete, complete_plus_max


def best(tasks: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the seconds of each task: the best of some rounds, the tasks taking turns."""
    times = dict.fromkeys(tasks, float("inf"))
    for _ in range(rounds):
        for name, task in tasks.items():
            begin = time.process_time()
            task()
            times[name] = min(times[name], time.process_time() - begin)
    return times


def measure(n_edges: int, seed: int, rounds: int) -> tuple[tuple[object, ...], float, float]:
    """Return a row of the table, greedy over the products, and Greedy+Max over greedy."""
    n_sets = n_edges // 9
    problem = mc.generate.biregular(n_sets, 3 * n_sets, 9, 3, budget=n_sets, seed=seed)
    shape = (problem.n_sets, problem.n_elements)
    rows = sparse.csr_matrix(
        (np.ones(problem.n_edges), problem.indices, problem.indptr), shape=shape
    )
    columns = rows.T.tocsr()
    x, y = np.ones(problem.n_elements), np.ones(problem.n_sets)
    complete(problem, problem.required)  # what the problem remembers
    times = best(
        {
            "greedy": lambda: complete(problem, problem.required),
            "plus max": lambda: complete_plus_max(problem, problem.required),
            "pair": lambda: (rows @ x, columns @ y),
        },
        rounds,
    )
    per_edge = {name: 1e9 * seconds / problem.n_edges for name, seconds in times.items()}
    to_pair, plus = times["greedy"] / times["pair"], times["plus max"] / times["greedy"]
    cells = (
        f"{problem.n_edges:,}",
        *(f"{per_edge[name]:.1f}" for name in ("greedy", "pair")),
        f"{to_pair:.2f}",
        f"{plus:.2f}",
    )
    return cells, to_pair, plus


def main() -> None:
    options = arguments(__doc__, repeats=5)
    sizes = (10**5, 10**6) if options.quick else (10**5, 10**6, 10**7)
    measured = [measure(size, options.seed, options.repeats) for size in sizes]
    heading("Greedy selection by the edge", seed=options.seed, repeats=options.repeats)
    table(
        (
            "edges",
            "greedy, ns per edge",
            "products",
            "greedy / products",
            "with Greedy+Max / greedy",
        ),
        [cells for cells, *_ in measured],
    )
    clock("largest ratio of greedy to the products", max(r for _, r, _ in measured), most=12.0)
    clock("largest cost of Greedy+Max", max(p for *_, p in measured), most=3.0)


if __name__ == "__main__":
    main()
