"""`auto` on large graphs: CPU time, value and gap, beside an earlier version where one is given.

``--old`` names the Python of an environment with the earlier version. Every run is a process of its
own; CPU seconds are those of `solve` on one thread, the transpose included.
"""

import json
import subprocess
import sys
import time

import numpy as np

import maxcover as mc
from _graphs import GRAPHS
from _report import arguments, clock, heading, hold, table


def run(kind: str, edges: int, seed: int, effort: str, threads: int) -> dict:
    """Solve one graph; return CPU and wall seconds, value, bound, and CPU seconds of each value."""
    mc.solve(mc.generate.biregular(2100, 6300, 9, 3, budget=2100), effort=effort)  # loads all
    problem = GRAPHS[kind](edges, seed)
    begin, wall = time.process_time(), time.perf_counter()
    curve: list[tuple[float, float]] = []
    found = mc.solve(
        problem,
        effort=effort,
        threads=threads,
        callback=lambda p: curve.append((time.process_time() - begin, p.value)) or False,
    )
    cpu, seconds = time.process_time() - begin, time.perf_counter() - wall
    value, bound = found.value, found.upper_bound
    near = next(at for at, reached in curve if reached >= 0.999 * value) / cpu
    return {"edges": problem.n_edges, "cpu": cpu, "wall": seconds, "value": value, "bound": bound,
            "near": near}  # fmt: skip


def child(python: str, *what: object) -> dict:
    """Run `run` by some Python."""
    program = f"import json, large; print(json.dumps(large.run(*{what!r})))"
    done = subprocess.run(  # noqa: S603 - this file in a fresh process
        [python, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=__file__.rpartition("/")[0] or ".",
    )
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    options = arguments(
        __doc__, edges="100000", kinds=",".join(GRAPHS), seeds=3, effort="normal", threads=1, old=""
    )
    sizes = [20_000] if options.quick else [int(float(one)) for one in options.edges.split(",")]
    rows, shares = [], []
    heading("Large graphs", effort=options.effort, threads=options.threads, old=options.old or "-")
    columns = ["graph", "edges", "seed", "CPU s", "s", "gap %", "0.999 of the value after"]
    old = ["CPU / old", "value / old", "gap / old"] if options.old else []
    for edges in sizes:
        for kind in options.kinds.split(","):
            for seed in range(options.seed, options.seed + (1 if options.quick else options.seeds)):
                what = (kind, edges, seed, options.effort, options.threads)
                new = child(sys.executable, *what)
                gap = 1 - new["value"] / new["bound"]
                row = [kind, new["edges"], seed, f"{new['cpu']:.2f}", f"{new['wall']:.2f}"]
                row += [f"{100 * gap:.3f}", f"{new['near']:.0%}"]
                shares.append(1 - gap)
                if options.old:
                    was = child(options.old, *what)
                    before = 1 - was["value"] / was["bound"]
                    row += [f"{new['cpu'] / was['cpu']:.2f}", f"{new['value'] / was['value']:.5f}"]
                    row += [f"{gap / before:.2f}" if before else "-"]
                print(*row, flush=True)
                rows.append(row)
    table([*columns, *old], rows)
    hold("large graphs, least certified fraction", min(shares), least=0.97)
    clock("0.999 of the value after", float(np.max([float(row[6][:-1]) for row in rows])), most=45)


if __name__ == "__main__":
    main()
