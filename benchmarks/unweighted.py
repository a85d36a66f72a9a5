"""The predecessor's problem: K sets of equal cost that cover the most elements of equal weight.

Mean number of covered elements on (9,3)-biregular graphs of 100 sets and 300 elements. ``--save``
writes the file from which docs/lab/predecessor.md is made.
"""

import json
from pathlib import Path

import numpy as np

import maxcover as mc
from _report import arguments, heading, table

BUDGETS = (5, 10, 15, 20, 25, 30, 40)
METHODS = {
    "order of the indices": {"method": "bp", "init": "offers", "mu": 1.0},
    "g-greedy": {"method": "g-greedy"},
    "`bp`": {"method": "bp"},
    "decimation": {"method": "bp-decimation"},
    '`auto`, effort "fast"': {"method": "auto", "effort": "fast"},
}


def main() -> None:
    """Print the table, and write it."""
    options = arguments(__doc__, save="", graphs=100)
    graphs = 5 if options.quick else options.graphs
    heading("Unweighted graphs", seeds=f"0 to {graphs - 1}")
    rows = []
    for budget in BUDGETS:
        problems = [
            mc.generate.biregular(100, 300, 9, 3, budget=budget, high=1, seed=seed)
            for seed in range(graphs)
        ]
        found = np.array(
            [
                [mc.solve(one, bound="quick", **how).value for how in METHODS.values()]
                for one in problems
            ]
        )
        errors = found.std(axis=0, ddof=1) / graphs**0.5
        rows.append([budget, *found.mean(axis=0).tolist(), float(errors.max())])
        print(rows[-1], flush=True)
    columns = ["K", *METHODS, "largest standard error"]
    table(columns, rows)
    if options.save:
        text = json.dumps({"columns": columns, "rows": rows}, indent=1) + "\n"
        Path(options.save).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
