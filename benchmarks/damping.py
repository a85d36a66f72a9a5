"""How many sweeps belief propagation needs for each damping, at the price that meets the budget.

(9,3)-biregular graphs, budget one per set. A run that did not converge counts as the maximum; the
number of such runs stands in brackets.
"""

import numpy as np

import maxcover as mc
from _report import arguments, heading, hold, table
from maxcover.engine.kernels.propagate import DAMPING

DAMPINGS = (0.0, 0.2, 0.3, 0.5, 0.7)
MEAN_WEIGHT = 5.5
MOST = 400


def graph(n_sets: int, seed: int) -> mc.CoverageProblem:
    return mc.generate.biregular(n_sets, 3 * n_sets, 9, 3, budget=n_sets, seed=seed)


def balanced_mu(beta: float, coverage: str) -> float:
    """Bisect for the price at which a graph of a thousand sets expects to spend its budget."""
    problem = graph(1000, 0)
    low, high = 0.0, 20.0
    for _ in range(12):
        mu = (low + high) / 2
        found = mc.beliefs(problem, beta=beta, mu=mu, coverage=coverage, damping=0.5, tol=1e-3)
        low, high = (mu, high) if problem.costs @ found.sets > problem.budget else (low, mu)
    return mu


def main() -> None:
    options = arguments(__doc__, graphs=10)
    count = 2 if options.quick else options.graphs
    rows, at_default = [], []
    for coverage in ("hard",) if options.quick else ("hard", "soft"):
        for heat in (2.0,) if options.quick else (0.5, 2.0, 5.0, 10.0, 20.0):
            beta = heat / MEAN_WEIGHT
            mu = balanced_mu(beta, coverage)
            cells = []
            for damping in DAMPINGS:
                runs = [
                    mc.beliefs(
                        graph(100, 1 + options.seed + k),
                        beta=beta,
                        mu=mu,
                        coverage=coverage,
                        damping=damping,
                        tol=1e-3,
                        max_sweeps=MOST,
                    )
                    for k in range(count)
                ]
                failed = sum(not run.converged for run in runs)
                sweeps = float(np.mean([run.sweeps if run.converged else MOST for run in runs]))
                cells.append(f"{sweeps:.0f} [{failed}]")
                if damping == DAMPING and heat <= 5:
                    at_default.append(failed / count)
            rows.append((coverage, heat, f"{mu:.2f}", *cells))
    heading("damping, N = 100: mean sweeps to 1e-3", graphs=count, seed=options.seed)
    table(("coverage", "beta * mean weight", "mu", *map(str, DAMPINGS)), rows)
    hold("share of runs that did not converge at the default damping", max(at_default), most=0.3)


if __name__ == "__main__":
    main()
