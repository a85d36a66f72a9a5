"""The paper's ensemble: every method against the proven optimum.

(9,3)-biregular graphs, costs and weights uniform integers from 1 to 10, budget N. Prints the
mean value and its standard error, the mean fraction of the optimum, and the time a graph takes.
"""

import time

import numpy as np

import maxcover as mc
from _report import arguments, heading, hold, table

METHODS = ("greedy", "g-greedy", "guarded-greedy", "exact")


def measure(
    n_sets: int, graphs: int, seed: int
) -> tuple[dict[str, np.ndarray], dict[str, float], int]:
    """Return the values and the seconds of each method, and how many optima were proven."""
    values = {method: np.zeros(graphs) for method in METHODS}
    seconds = dict.fromkeys(METHODS, 0.0)
    proven = 0
    for graph in range(graphs):
        problem = mc.generate.biregular(n_sets, 3 * n_sets, 9, 3, budget=n_sets, seed=seed + graph)
        for method in METHODS:
            begin = time.perf_counter()
            solution = mc.solve(problem, method=method, bound="quick")
            seconds[method] += time.perf_counter() - begin
            values[method][graph] = solution.value
            proven += method == "exact" and solution.status == "optimal"
    return values, seconds, proven


def main() -> None:
    options = arguments(__doc__, graphs=1000, sets=100)
    graphs = 20 if options.quick else options.graphs
    mc.solve(mc.generate.biregular(10, 30, 9, 3, budget=10))  # compile
    values, seconds, proven = measure(options.sets, graphs, options.seed)
    heading(
        f"(9,3)-biregular, N = {options.sets}, M = {3 * options.sets}, K = {options.sets}",
        seeds=f"{options.seed} to {options.seed + graphs - 1}",
        graphs=graphs,
    )
    fraction = {method: values[method] / values["exact"] for method in METHODS}
    table(
        ("method", "value, mean", "standard error", "of the optimum", "optimal", "ms per graph"),
        [
            (
                method,
                f"{values[method].mean():.2f}",
                f"{values[method].std(ddof=1) / graphs**0.5:.2f}",
                f"{fraction[method].mean():.5f}",
                f"{(fraction[method] == 1.0).mean():.1%}",
                f"{1e3 * seconds[method] / graphs:.3g}",
            )
            for method in METHODS
        ],
    )
    hold("optima proven, share of graphs", proven / graphs, least=1.0)
    hold("g-greedy, fraction of the optimum", fraction["g-greedy"].mean(), least=0.988, most=1.0)
    hold("greedy, fraction of the optimum", fraction["greedy"].mean(), least=0.70, most=0.85)


if __name__ == "__main__":
    main()
