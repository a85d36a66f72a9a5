"""Solving again after a hundredth of a problem has changed: time, value and churn.

A problem is solved; then 1 % of its weights and of its costs are drawn again from the others, and
1 % of its edges lead elsewhere. It is solved again from scratch, from the earlier selection
(`start`), and with a price of change (`change_cost`). Churn is the part of the earlier selection
that is gone. The change that is forced, or that pays most, is part of it. Times are CPU times of
one process, problems of three families, means over several problems.
"""

import time
from dataclasses import replace

import numpy as np

import maxcover as mc
from _report import arguments, clock, heading, hold, table

CHANGED = 0.01
WAYS = {
    "from scratch": {},
    "start": {"start": True},
    "start, change_cost 0.01": {"start": True, "change_cost": 0.01},
    "start, change_cost 0.1": {"start": True, "change_cost": 0.1},
}


def families(n_sets: int, seed: int) -> list[tuple[str, mc.CoverageProblem]]:
    regular = mc.generate.biregular(n_sets, 3 * n_sets, 9, 3, budget=n_sets, seed=seed)
    zipf = mc.generate.zipf(n_sets, 3 * n_sets, 30 * n_sets, budget=n_sets, seed=seed)
    bmcp = mc.generate.bmcp(n_sets // 2, n_sets // 2, 0.05, budget=1500, seed=seed)
    found = [("(9,3)-biregular", regular), ("Zipf", zipf)]
    found = [(name, one.with_budget(0.2 * float(one.costs.sum()))) for name, one in found]
    return [*found, ("BMCP", bmcp)]


def changed(problem: mc.CoverageProblem, seed: int) -> mc.CoverageProblem:
    """Draw a hundredth of weights, costs and edges again."""
    rng = np.random.default_rng(seed)

    def redrawn(numbers: np.ndarray) -> np.ndarray:
        which = rng.random(numbers.size) < CHANGED
        return np.where(which, rng.choice(numbers, numbers.size), numbers)

    rows = np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr))
    columns = np.where(
        rng.random(rows.size) < CHANGED,
        rng.integers(problem.n_elements, size=rows.size),
        problem.indices,
    )
    return mc.CoverageProblem.from_edges(
        rows,
        columns,
        costs=redrawn(problem.costs),
        weights=redrawn(problem.weights),
        budget=problem.budget,
        n_elements=problem.n_elements,
    )


def main() -> None:
    options = arguments(__doc__, problems=10)
    problems, n_sets = (3, 600) if options.quick else (options.problems, 2000)
    rows: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for k in range(problems):
        for name, problem in families(n_sets, options.seed + k):
            before = mc.solve(problem)
            after = changed(problem, options.seed + k)
            scratch: tuple[float, float] | None = None
            for way, asked in WAYS.items():
                given = asked | ({"start": before.selected} if "start" in asked else {})
                begin = time.process_time()
                found = mc.solve(after, **given)
                seconds = time.process_time() - begin
                scratch = scratch or (seconds, found.value)
                kept = np.isin(before.selected, found.selected).mean()
                rows.setdefault((name, way), []).append(
                    (seconds, seconds / scratch[0], found.value / scratch[1], 1 - kept, found.gap)
                )
                assert mc.verify(after, replace(found)).ok
    heading("Solved again after 1 % has changed", sets=n_sets, problems=problems)
    means = {key: np.mean(found, axis=0) for key, found in rows.items()}
    table(
        ("family", "solved", "ms", "of the time", "value", "churn", "gap"),
        [
            (*key, f"{1e3 * mean[0]:.0f}", f"{mean[1]:.2f}", f"{mean[2] - 1:+.3%}",
             f"{mean[3]:.1%}", f"{mean[4]:.3%}")
            for key, mean in means.items()
        ],
    )  # fmt: skip

    def overall(way: str, column: int) -> float:
        return float(np.mean([mean[column] for key, mean in means.items() if key[1] == way]))

    hold("value from a start, of that from scratch", overall("start", 2), least=0.9995)
    clock("time from a start, of that from scratch", overall("start", 1), most=1.1)
    kept, free = (overall(way, 3) for way in ("start, change_cost 0.1", "from scratch"))
    hold("churn at 0.1, of that from scratch", kept / free, most=0.4)
    hold("value at 0.1", overall("start, change_cost 0.1", 2), least=0.99)


if __name__ == "__main__":
    main()
