"""One million sets and nine million edges: build, solve and bound, in a process of its own."""

import json
import resource
import subprocess
import sys
import time

import maxcover as mc
from _report import arguments, clock, heading, hold, table


def run(n_sets: int, seed: int) -> dict[str, float]:
    """Build a problem from an edge list, run g-greedy, certify it; return seconds and memory."""
    import numpy as np

    mc.solve(mc.generate.biregular(10, 30, 9, 3, budget=10), method="g-greedy")  # compile
    rng = np.random.default_rng(seed)
    sets = np.repeat(np.arange(n_sets, dtype=np.int32), 9)
    elements = rng.permutation(np.repeat(np.arange(3 * n_sets, dtype=np.int32), 3))
    costs, weights = rng.integers(1, 11, n_sets), rng.integers(1, 11, 3 * n_sets)
    start = time.perf_counter()
    problem = mc.CoverageProblem.from_edges(
        sets, elements, costs=costs, weights=weights, budget=n_sets
    )
    built = time.perf_counter()
    quick = mc.solve(problem, method="g-greedy", bound="quick")
    solved = time.perf_counter()
    certified = mc.certify(problem, quick.selected)
    end = time.perf_counter()
    return {
        "edges": problem.n_edges,
        "build": built - start,
        "solve": solved - built,
        "bound": end - solved,
        "total": end - start,
        "gap": certified.gap,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,  # GiB, from KiB
    }


def main() -> None:
    options = arguments(__doc__, sets=1_000_000)
    n_sets = 100_000 if options.quick else options.sets
    program = f"import json, million; print(json.dumps(million.run({n_sets}, {options.seed})))"
    child = subprocess.run(  # noqa: S603 - this file in a fresh process, so that the peak is its own
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=__file__.rpartition("/")[0] or ".",
    )
    found = json.loads(child.stdout)
    heading("A large problem", seed=options.seed, repeats=1)
    table(
        ("sets", "edges", "build s", "g-greedy s", "dual bound s", "total s", "gap", "peak GiB"),
        [
            (
                f"{n_sets:,}",
                f"{found['edges']:,}",
                *(f"{found[part]:.2f}" for part in ("build", "solve", "bound", "total")),
                f"{found['gap']:.3%}",
                f"{found['peak']:.2f}",
            )
        ],
    )
    clock("seconds", found["total"], most=30 if options.quick else 60)
    hold("peak GiB", found["peak"], most=2.0)
    hold("gap", found["gap"], most=0.01)


if __name__ == "__main__":
    main()
