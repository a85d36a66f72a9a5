"""Proofs by default, beside HiGHS and SCIP: who proves the optimum, and in how much CPU time.

One thread each; times contain the making of the model. The seeds chose nothing.
"""

import time

import numpy as np

import maxcover as mc
from _report import arguments, heading, hold, table
from peers import run_highs, run_scip

#: Families of dense problems: sets, elements, elements of a set, budget.
DENSE = {
    "60 sets of 8 among 80, budget 12": (60, 80, 8, 12),
    "40 sets of 30 among 200, budget 6": (40, 200, 30, 6),
    "80 sets of 6 among 100, budget 12": (80, 100, 6, 12),
    "100 sets of 8 among 150, budget 15": (100, 150, 8, 15),
    "100 sets of 10 among 100, budget 10": (100, 100, 10, 10),
    "150 sets of 10 among 200, budget 15": (150, 200, 10, 15),
}
BIREGULAR = (100, 200, 300, 400)


def dense(seed, n_sets, n_elements, size, budget):
    rng = np.random.default_rng(seed)
    sets = [rng.choice(n_elements, size, replace=False).tolist() for _ in range(n_sets)]
    return mc.CoverageProblem.from_sets(sets, budget=budget)


def families(quick):
    for name, shape in list(DENSE.items())[: 2 if quick else None]:
        yield name, lambda seed, shape=shape: dense(seed, *shape)
    for n in BIREGULAR[: 2 if quick else None]:
        yield (
            f"(9,3)-biregular, N = {n}",
            lambda seed, n=n: mc.generate.biregular(n, 3 * n, 9, 3, budget=n, seed=seed),
        )


def timed(call):
    begin = time.process_time()
    answer = call()
    return answer, time.process_time() - begin


def main():
    options = arguments(__doc__, repeats=3, limit=60, start=6_200)
    rows, missed, shares = [], 0, []
    for name, make in families(options.quick):
        ours, theirs, leaves = [], {"HiGHS": [], "SCIP": []}, []
        for seed in range(options.start, options.start + options.repeats):
            problem = make(seed)
            found, seconds = timed(lambda problem=problem: mc.solve(problem, checkable=True))
            assert options.quick is False or mc.verify(problem, found).outcome == "proven"
            ours.append((found.status == "optimal", seconds))
            leaves.append(found.tree.n_leaves if found.tree else 1)
            for peer, run in (("HiGHS", run_highs), ("SCIP", run_scip)):
                if options.quick:
                    continue
                answer, spent = timed(lambda run=run, problem=problem: run(problem, options.limit))
                value = problem.value(np.array(answer.selected, dtype=np.int64))
                assert value <= found.upper_bound
                proven = answer.bound < value + 1
                theirs[peer].append((proven, spent))
                if proven and spent < 10:
                    missed += found.status != "optimal"
                    shares.append(seconds / spent)
        rows.append((name, *map(_cell, (ours, *theirs.values())), int(np.median(leaves))))
    heading("Proofs", repeats=options.repeats, first_seed=options.start, limit=options.limit)
    table(("problems", "maxcover, default", "HiGHS", "SCIP", "leaves, median"), rows)
    if shares:
        print(f"CPU time, of a peer that proves in 10 s: median {np.median(shares):.3f}, worst "
              f"{max(shares):.2f}; {missed} of {len(shares)} not proven by default")  # fmt: skip
    share = np.mean([done for row in rows for done in [row[1].startswith(f"{options.repeats} ")]])
    hold("families proven by default", float(share), least=1.0 if options.quick else 0.8)


def _cell(runs):
    """Return how many were proven, and the median and largest CPU time."""
    if not runs:
        return ""
    seconds = [spent for _, spent in runs]
    done = sum(proven for proven, _ in runs)
    return f"{done} of {len(runs)}; {np.median(seconds):.2f} s, at most {max(seconds):.2f} s"


if __name__ == "__main__":
    main()
