"""Minima and needs: `auto` beside HiGHS on the same integer program, at equal time.

Random problems in which every element needs one to three sets, every group at least some sets, one
group a part of the budget and one a share of its weight. HiGHS gets the program of `exact` without
a warm start, for as many seconds as `auto` took. Both bounds are printed; that of `auto` is the one
that `verify` checks.
"""

import time

import numpy as np

import maxcover as mc
from _report import arguments, clock, heading, hold, table
from maxcover.core import demands
from maxcover.solvers.control import Control
from maxcover.solvers.demanding_exact import DemandRun


def drawn(n_sets: int, most_needed: int, seed: int) -> mc.CoverageProblem:
    rng = np.random.default_rng(seed)
    n_elements = 3 * n_sets // 2
    return mc.CoverageProblem.from_edges(
        np.repeat(np.arange(n_sets), 9),
        rng.integers(n_elements, size=9 * n_sets),
        costs=rng.integers(1, 10, n_sets),
        weights=rng.integers(1, 10, n_elements),
        n_elements=n_elements,
        budget=6 * n_sets // 5,
        groups=[f"g{k}" for k in rng.integers(8, size=n_sets)],
        min_items=n_sets // 40,
        min_cost={"g1": n_sets // 3},
        min_share={"g2": 0.5},
        need=rng.integers(1, most_needed, n_elements, endpoint=True),
    )


def main() -> None:
    options = arguments(__doc__, problems=3)
    problems = 1 if options.quick else options.problems
    rows = []
    for n_sets in (200, 600) if options.quick else (200, 1000, 5000):
        for needed in (1, 3):
            found = []
            for k in range(problems):
                problem = drawn(n_sets, needed, options.seed + k)
                begin = time.perf_counter()
                ours = mc.solve(problem)
                seconds = time.perf_counter() - begin
                run = DemandRun(problem, Control(), None)
                run.until_done(seconds)
                theirs = run.selection()
                is_found = not demands.shortfall(problem, theirs)
                value = problem.value(theirs) if is_found else 0.0
                if n_sets <= 1000:
                    assert mc.verify(problem, ours).ok
                found.append((ours.value / max(value, 1e-9), ours.gap, seconds, is_found))
            rows.append((n_sets, needed, np.array(found)))
    heading("Minima and needs", problems=problems, seed=options.seed)
    table(
        ("sets", "needs up to", "HiGHS found one", "auto above HiGHS", "gap of auto", "s"),
        [
            (n_sets, needed, f"{int(found[:, 3].sum())} of {len(found)}",
             f"{found[found[:, 3] > 0, 0].mean() - 1:+.2%}" if found[:, 3].any() else "",
             f"{found[:, 1].mean():.2%}", f"{found[:, 2].mean():.2f}")
            for n_sets, needed, found in rows
        ],
    )  # fmt: skip
    every = np.concatenate([found for _, _, found in rows])
    plain = np.concatenate([found for _, needed, found in rows if needed == 1])
    clock("value of auto, of that of HiGHS at equal time, at worst", every[:, 0].min(), least=0.98)
    hold("gap of auto with minima only, at most", plain[:, 1].max(), most=0.02)


if __name__ == "__main__":
    main()
