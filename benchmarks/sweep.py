"""One sweep of belief propagation against the two sparse products that any method has to make.

The ratio is the number to look at: processor time of a sweep over that of ``A @ x`` and ``A.T @ y``
in CSR form, prepared beforehand, on the same graph in the same process, best of some rounds.
"""

import os
import time
from collections.abc import Callable

import numpy as np
from scipy import sparse

import maxcover as mc
from _report import arguments, clock, heading, table
from maxcover.engine.kernels.arrays import CompressedRows
from maxcover.engine.kernels.propagate import Propagation

DAMPING = 0.3
ROUNDS = 15


def graphs(*, quick: bool, seed: int) -> dict[str, mc.CoverageProblem]:
    sizes = (1000, 30_000) if quick else (1000, 100_000, 1_000_000)
    found = {
        f"(9,3)-biregular, {n_sets:,} sets": mc.generate.biregular(
            n_sets, 3 * n_sets, 9, 3, budget=n_sets, seed=seed
        )
        for n_sets in sizes
    }
    if not quick:
        found["Zipf"] = mc.generate.zipf(
            600_000, 300_000, 13_000_000, budget=1000, exponent=0.8, seed=seed
        )
    return found


def best(tasks: dict[str, Callable[[], object]], clock: Callable[[], float]) -> dict[str, float]:
    """Return the seconds of each task: the best of some rounds, the tasks taking turns."""
    times = dict.fromkeys(tasks, float("inf"))
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            begin = clock()
            task()
            times[name] = min(times[name], clock() - begin)
    return times


def measure(problem: mc.CoverageProblem, threads: int) -> tuple[float, float, float, float]:
    """Return seconds of the pair and of a sweep, the gain by threads, and bytes per edge."""
    indptr, indices, n_edges = problem.indptr, problem.indices, problem.n_edges
    shape = (problem.n_sets, problem.n_elements)
    rows = sparse.csr_matrix((np.ones(n_edges), indices, indptr), shape=shape)
    columns = rows.T.tocsr()
    x, y = np.ones(problem.n_elements), np.ones(problem.n_sets)
    gains, field = 0.5 * problem.weights, -2.5 * problem.costs
    propagation = Propagation(CompressedRows(*problem.transpose), problem.n_sets, gains, hard=True)
    repeat = max(10, 100_000 // n_edges)

    def sweep(threads: int) -> None:
        # never at rest
        propagation.at(field, damping=DAMPING, max_sweeps=repeat, tol=-1.0, threads=threads)

    def pair() -> None:
        for _ in range(repeat):
            rows @ x
            columns @ y

    # processor time for the ratio, which a busy machine disturbs least; wall time for threads
    alone = best({"pair": pair, "sweep": lambda: sweep(1)}, time.thread_time)
    wall = best({"one": lambda: sweep(1), "many": lambda: sweep(threads)}, time.perf_counter)
    held = (propagation.r, propagation.prior, *propagation.rows, *5 * (field,))
    size = sum(array.nbytes for array in held)
    return (
        alone["pair"] / repeat,
        alone["sweep"] / repeat,
        wall["one"] / wall["many"],
        size / n_edges,
    )


def main() -> None:
    options = arguments(__doc__, threads=os.cpu_count() or 1)
    rows, ratios = [], []
    for name, problem in graphs(quick=options.quick, seed=options.seed).items():
        pair, sweep, gain, size = measure(problem, options.threads)
        ratios.append(sweep / pair)
        nanoseconds = [f"{1e9 * seconds / problem.n_edges:.2f}" for seconds in (pair, sweep)]
        rows.append((name, f"{problem.n_edges:,}", *nanoseconds, f"{ratios[-1]:.2f}"))
        rows[-1] += (f"{gain:.2f}", f"{size:.1f}")
    heading("a sweep of belief propagation", seed=options.seed, rounds=ROUNDS)
    table(
        (
            *("graph", "edges", "CSR pair, ns per edge", "sweep, ns per edge", "ratio"),
            *(f"{options.threads} threads", "bytes per edge"),
        ),
        rows,
    )
    clock("sweep against the CSR pair, worst", max(ratios), most=4 if options.quick else 2.6)


if __name__ == "__main__":
    main()
