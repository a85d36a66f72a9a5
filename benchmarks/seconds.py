"""Seconds per edge: what parts take here, beside what `engine.solvers.seconds` reckons with.

On graphs of 10^6 edges (``--quick``: 10^5), in CPU time, the best of three. A part that takes more
than is reckoned may end a search after its deadline.
"""

import time
from collections.abc import Callable
from dataclasses import asdict

import numpy as np

import maxcover as mc
from _report import arguments, clock, heading, table
from maxcover.engine.core import bounds
from maxcover.engine.core.validation import transposed
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.exchange import Exchange
from maxcover.engine.solvers.folding import fold
from maxcover.engine.solvers.highs import HighsRun
from maxcover.engine.solvers.program import Program
from maxcover.engine.solvers.seconds import PER_EDGE


def drawn(n_edges: int, seed: int, **given: object) -> mc.CoverageProblem:
    """Draw a graph of sets of ten elements."""
    rng, n_sets = np.random.default_rng(seed), n_edges // 10
    return mc.CoverageProblem.from_edges(
        np.repeat(np.arange(n_sets), 10),
        rng.permuted(np.tile(np.arange(2 * n_sets), 5)),
        costs=rng.integers(1, 20, n_sets),
        weights=rng.integers(1, 100, 2 * n_sets),
        n_elements=2 * n_sets,
        budget=n_sets,
        **given,
    )


def parts(n_edges: int, seed: int) -> dict[str, Callable[[], object]]:
    """Return what is timed, by the field that reckons with it."""
    rng = np.random.default_rng(seed)
    plain = drawn(n_edges, seed)
    limited = drawn(n_edges, seed, returns=[1, 0.5, 0.25])
    strong = drawn(n_edges, seed, chance=rng.uniform(0.1, 0.9, n_edges))
    some = np.sort(rng.permutation(plain.n_sets)[: plain.n_sets // 20])
    for problem in (plain, limited, strong):
        problem.transpose, problem.rows.by_set  # noqa: B018 - known before a search opens

    def bounded(problem: mc.CoverageProblem) -> float:
        left = bounds.reduced(problem)
        return bounds.dual_bound(problem, left, bounds.residual_dual(problem, left, some))

    point = bounds.residual_dual(plain, bounds.reduced(plain), some)
    return {
        "value": lambda: plain.value(some),
        "closing": lambda: bounded(limited),
        "strong_closing": lambda: bounded(strong),
        "bound": lambda: bounds.dual_bound(plain, bounds.reduced(plain), point),
        "transpose": lambda: transposed(plain.indptr, plain.indices, plain.n_elements),
        "fold": lambda: fold(plain),
        "search": lambda: Exchange(plain).opened(some),
        "limited_search": lambda: Exchange(limited).opened(some),
        "strong_search": lambda: Exchange(strong).opened(some),
        "build": lambda: HighsRun(Program(plain), Control(), some),
    }


def main() -> None:
    """Print both columns, and hold them against each other."""
    options = arguments(__doc__, n=0)
    n_edges = options.n or (100_000 if options.quick else 1_000_000)
    reckoned, rows, worst = asdict(PER_EDGE), [], 0.0
    for name, run in parts(n_edges, options.seed).items():
        took = []
        for _ in range(3):
            begin = time.process_time()
            run()
            took.append(time.process_time() - begin)
        seconds = min(took) / n_edges
        worst = max(worst, seconds / reckoned[name])
        rows.append((name, f"{seconds:.1e}", f"{reckoned[name]:.1e}"))
        print(*rows[-1], flush=True)
    heading("Seconds per edge", edges=n_edges, seed=options.seed)
    table(("part", "measured", "reckoned with"), rows)
    clock("seconds per edge, largest part of what is reckoned", worst, most=1.0)


if __name__ == "__main__":
    main()
