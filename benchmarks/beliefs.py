"""Where belief propagation earns its place in the default: `auto` with and without it.

Each problem is solved by `auto`, and by `auto` whose belief propagation gives back the best
selection so far. Ensembles and sizes as in `maxcover reproduce when`, at 15 and 30 % of all costs.
``--save`` writes the file from which the pages are made.
"""

import json
import time
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np

import maxcover as mc
from _report import arguments, heading, table
from maxcover.engine.solvers.parts import Parts
from maxcover.lab.evaluate.intervals import mean_interval
from maxcover.lab.reproduce.when import ENSEMBLES, Ensemble

FAMILIES = {"biregular": "N = 100", "text-like": "text-like", "Erdős-Rényi": "Erdős-Rényi"}
# Number of sets, and problems of each family and budget.
SIZES = {100: 20, 1000: 4, 5000: 4, 20_000: 4}
SHARES = (0.15, 0.3)
# Nothing was chosen on these seeds.
SEED = 61_000


def solved(problem: mc.CoverageProblem) -> tuple[float, float, float]:
    """Return the value, the gap in per cent and the CPU seconds of `auto`."""
    begun = time.process_time()
    found = mc.solve(problem, threads=1)
    return found.value, 100 * found.gap, time.process_time() - begun


def compared(ensemble: Ensemble, share: float, seed: int) -> tuple[float, ...]:
    """Return what belief propagation adds in per cent, both gaps, and both times."""
    problem = ensemble.problem(share, seed)
    with_it = solved(problem)
    with patch.object(Parts, "believe", lambda self, *_: self.selected):
        without = solved(problem)
    more = 100 * (with_it[0] / without[0] - 1)
    return more, with_it[1], without[1], with_it[2], without[2]


def main() -> None:
    """Print the table, and write it."""
    options = arguments(__doc__, save="")
    heading("Belief propagation in the default", seeds=f"{SEED} and on")
    rows = []
    by_name = {one.name: one for one in ENSEMBLES}
    for n_sets, problems in SIZES.items():
        for family, name in FAMILIES.items():
            ensemble = replace(by_name[name], n_sets=n_sets)
            count = 1 if options.quick else problems
            found = np.array(
                [compared(ensemble, s, SEED + k) for s in SHARES for k in range(count)]
            )
            rows.append(
                {
                    "sets": n_sets,
                    "family": family,
                    "problems": len(found),
                    "value": list(mean_interval(found[:, 0])),
                    "gap": float(found[:, 1].mean()),
                    "gap_without": float(found[:, 2].mean()),
                    "cpu": float(found[:, 3].sum() / found[:, 4].sum()),
                }
            )
            print(rows[-1], flush=True)
        if options.quick and n_sets == 1000:
            break
    table(list(rows[0]), [list(row.values()) for row in rows])
    if options.save:
        Path(options.save).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
