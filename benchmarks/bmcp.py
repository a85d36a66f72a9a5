"""The 30 instances of the literature: `auto` beside the best published values and other solvers.

Z. Wei and J.-K. Hao, "Iterated hyperplane search for the budgeted maximum coverage problem", Expert
Systems with Applications 214, 2023. The instances state no licence: they are read where they lie,
and are no part of this project. ``--quick`` takes three of them. Parts: ``default`` and ``limit``
are `auto` without a limit and with two seconds; ``peers`` are HiGHS and CP-SAT with as much, each
in a process of its own, since CP-SAT cannot be loaded beside HiGHS. ``--first`` and ``--count``
take some of the instances.
"""

import csv
import json
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np

import maxcover as mc
from _report import arguments, heading, hold, table

DATA = Path(__file__).parents[2] / "shared" / "data" / "bmcp"
SEEDS = (0, 1, 2)
LIMIT = 2.0
QUICK = ("585_600_0.05_2000", "700_685_0.075_1500", "1000_985_0.05_2000")


def instances() -> dict[str, mc.CoverageProblem]:
    """Read a header line with three numbers, the costs, the weights, and the 0/1 matrix."""
    found = {}
    with zipfile.ZipFile(DATA / "instances.zip") as archive:
        for name in archive.namelist():
            path = Path(name)
            if path.suffix == ".txt" and not path.name.startswith("."):
                found[path.stem.removeprefix("bmcp_")] = parsed(archive.read(name).decode())
    return found


def parsed(text: str) -> mc.CoverageProblem:
    lines = iter(text.splitlines())
    words = next(line for line in lines if "=" in line).replace("=", " ").split()
    n_sets, n_elements, budget = (int(word) for word in words if word.isdigit())
    numbers = " ".join(line for line in lines if line[:1].isdigit())
    body = np.array(numbers.split(), dtype=float)
    costs, weights, matrix = np.split(body, [n_sets, n_sets + n_elements])
    sets, elements = np.nonzero(matrix.reshape(n_sets, n_elements))
    return mc.CoverageProblem.from_edges(
        sets, elements, costs=costs, weights=weights, budget=budget
    )


def peer(name: str, method: str) -> float:
    """Return what another solver reaches in as much time, in a process of its own."""
    command = [sys.executable, __file__, "--peer", method, "--instance", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - this file
    return float(json.loads(done.stdout)["value"])


def run_peer(method: str, name: str) -> None:
    from peers import run_cp_sat, run_highs, worth

    run = {"HiGHS": run_highs, "CP-SAT": run_cp_sat}[method]
    problem = instances()[name]
    print(json.dumps({"value": worth(problem, run(problem, LIMIT).selected)}))


def main() -> None:
    if "--peer" in sys.argv:
        run_peer(sys.argv[sys.argv.index("--peer") + 1], sys.argv[-1])
        return
    options = arguments(__doc__, parts=("default", "limit", "peers"), first=0, count=30)
    quick, parts = options.quick, options.parts or ["default", "limit", "peers"]
    ways = {"default": {}, "limit": {"time_limit": LIMIT}}
    others = ("HiGHS", "CP-SAT") if "peers" in parts and not quick else ()
    best = {row["instance"]: row for row in csv.DictReader((DATA / "best_known.csv").open())}
    problems = {name: problem for name, problem in instances().items() if name in best}
    names = sorted(best)[options.first : options.first + options.count]
    names = QUICK if quick else names
    mc.solve(mc.generate.biregular(20, 60, 9, 3, budget=20))
    rows, reached = [], []
    for name in names:
        problem, known = problems[name], float(best[name]["best_known"])
        values, seconds = {}, {}
        for way in (way for way in ways if way in parts):
            begin = time.process_time()
            seeds = SEEDS[:1] if quick else SEEDS
            values[way] = [mc.solve(problem, seed=seed, **ways[way]).value for seed in seeds]
            seconds[way] = (time.process_time() - begin) / len(seeds)
        greedy = mc.solve(problem, method="g-greedy", bound="quick").value
        reached.append(min(min(found) for found in values.values()) / known)
        rows.append(
            (
                name,
                f"{known:.0f}",
                *(f"{min(found):.0f} to {max(found):.0f}" for found in values.values()),
                *(f"{took:.2f}" for took in seconds.values()),
                f"{greedy:.0f}",
                *(f"{peer(name, method):.0f}" for method in others),
            )
        )
    heading("BMCP", instances=len(names), seeds=len(SEEDS[:1] if quick else SEEDS), limit=LIMIT)
    table(
        (
            *("instance", "best known", *values, *(f"CPU s, {way}" for way in values), "g-greedy"),
            *(f"{method}, {LIMIT:g} s" for method in others),
        ),
        rows,
    )
    mean = np.mean([float(row[2 + len(values)]) for row in rows])
    print(f"CPU seconds in the mean, {next(iter(values))}: {mean:.2f}")
    equal = np.mean(np.array(reached) >= 1.0)
    print(f"at or above the best known in every run: {equal:.0%} of the instances")
    hold("BMCP, least fraction of the best known", min(reached), least=0.999)


if __name__ == "__main__":
    main()
