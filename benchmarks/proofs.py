"""Proofs by default, beside HiGHS and SCIP: who proves the optimum, and in how much CPU time.

Parts: ``dense`` (six families of 40 to 150 sets), ``ensemble`` ((9,3)-biregular graphs of 100 to
400 sets), ``limits`` (40 to 80 sets under each limit and with each return, beside `exact`, which is
HiGHS) and ``sites`` (100 sites in a square). One thread each, in a process of its own that is ended
after ``--limit`` seconds of CPU time; times contain the making of the model. Also printed: the
size of a proof, in problems, and the time of its check, in solves. The seeds chose nothing.
"""

import json
import os
import resource
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import maxcover as mc
from _report import arguments, heading, hold, table
from limits import drawn
from maxcover.engine.core import verify as checker
from maxcover.engine.core.io import plain_record
from peers import run_highs, run_scip

Maker = Callable[[int], mc.CoverageProblem]

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
LIMITS = ("groups", "conflicts", "two budgets", "returns", "chances", "minima")


def dense(shape: tuple[int, int, int, int], seed: int) -> mc.CoverageProblem:
    n_sets, n_elements, size, budget = shape
    rng = np.random.default_rng(seed)
    sets = [rng.choice(n_elements, size, replace=False).tolist() for _ in range(n_sets)]
    return mc.CoverageProblem.from_sets(sets, budget=budget)


def biregular(n: int, seed: int) -> mc.CoverageProblem:
    return mc.generate.biregular(n, 3 * n, 9, 3, budget=n, seed=seed)


def limited(name: str, seed: int) -> mc.CoverageProblem:
    """Return a problem of 40 to 80 sets under one kind of limits, or with one kind of returns."""
    rng = np.random.default_rng([seed, LIMITS.index(name)])
    n = int(rng.integers(40, 81))
    groups = [f"g{k}" for k in rng.integers(6, size=n)]
    pairs = rng.integers(n, size=(n, 2))
    given: dict[str, Any] = {
        "groups": {"groups": groups, "max_items": 2, "budget": n // 2},
        "conflicts": {"conflicts": pairs[pairs[:, 0] != pairs[:, 1]].tolist()},
        "two budgets": {
            "costs": dict(zip("ab", rng.integers(1, 11, (2, n)), strict=True)),
            "budget": {"a": n // 2, "b": n // 2},
        },
        "returns": {"returns": [0.6, 0.4]},
        "chances": {"chance": True},
        "minima": {"groups": groups, "min_items": 2, "budget": n},
    }[name]
    return drawn(n, 8 * n // 3, rng, **given)


def sites(seed: int) -> mc.CoverageProblem:
    rng = np.random.default_rng(seed)
    homes, places = (30 * rng.random((n, 2)) for n in (200_000, 100))
    return mc.CoverageProblem.from_points(places, homes, radius=5.5, coordinates="xy", budget=20)


def families(parts: list[str], *, quick: bool) -> Iterator[tuple[str, Maker, bool]]:
    """Yield families with their name, and whether they are plain."""
    few = 2 if quick else None
    if "dense" in parts:
        yield from ((name, partial(dense, x), True) for name, x in [*DENSE.items()][:few])
    if "ensemble" in parts:
        for n in BIREGULAR[:few]:
            yield f"(9,3)-biregular, N = {n}", partial(biregular, n), True
    if "limits" in parts:
        yield from ((name, partial(limited, name), False) for name in LIMITS)
    if "sites" in parts:
        yield "100 sites, 20 to be chosen", sites, True


def ours(problem: mc.CoverageProblem) -> dict[str, Any]:
    """Solve by default with a proof to be checked; say how large it is, and how slow to check."""
    began = time.process_time()
    found = mc.solve(problem, checkable=True)
    spent = time.process_time() - began
    answer = {"proven": found.status == "optimal", "value": found.value, "seconds": spent}
    if problem.n_edges < 100_000:
        records = plain_record(problem), plain_record(found)
        began = time.process_time()
        report = checker.check(*records, strict=True)
        assert report.ok, report.refused
        answer["check"] = (time.process_time() - began) / spent
        parts = [len(json.dumps(records[1].get(f"tree_{x}", ""))) for x in ("nodes", "points")]
        answer["size"] = sum(parts) / len(json.dumps(records[0]))
        answer["leaves"] = found.tree.n_leaves if found.tree else 1
    return answer


def theirs(run: Callable[..., Any], problem: mc.CoverageProblem) -> dict[str, Any]:
    began = time.process_time()
    answer = run(problem, 1e6)
    spent = time.process_time() - began
    value = problem.value(np.array(answer.selected, dtype=np.int64))
    return {"proven": answer.bound < value + 1, "value": value, "seconds": spent}


def by_exact(problem: mc.CoverageProblem) -> dict[str, Any]:
    began = time.process_time()
    found = mc.solve(problem, method="exact")
    spent = time.process_time() - began
    return {"proven": found.status == "optimal", "value": found.value, "seconds": spent}


def apart(call: Callable[[], dict[str, Any]], limit: float) -> dict[str, Any]:
    """Call in a process of its own; without an answer after `limit` s of CPU, nothing is proven."""
    read, write = os.pipe()
    if not (child := os.fork()):
        used = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(used + limit) + 1, int(used + limit) + 2))
        try:
            os.write(write, json.dumps(call()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"proven": False, "seconds": limit, "value": None}


def main() -> None:
    parts = ("dense", "ensemble", "limits", "sites")
    options = arguments(__doc__, parts=parts, repeats=3, limit=10, start=6_200)
    rows, answers = [], []
    for name, make, is_plain in families(options.parts or [*parts[:2]], quick=options.quick):
        found: dict[str, list[dict[str, Any]]] = {"ours": [], "HiGHS": [], "SCIP": []}
        for seed in range(options.start, options.start + options.repeats):
            problem = make(seed)
            calls = {"ours": partial(ours, problem)}
            if not options.quick and name != "100 sites, 20 to be chosen":
                calls["HiGHS"] = partial(by_exact, problem)
                if is_plain:
                    calls["HiGHS"] = partial(theirs, run_highs, problem)
                    calls["SCIP"] = partial(theirs, run_scip, problem)
            each = {who: apart(call, options.limit) for who, call in calls.items()}
            for who, answer in each.items():
                found[who].append(answer)
            values = [x["value"] for x in each.values() if x["proven"]]
            assert max(values, default=0) - min(values, default=0) < 1e-6, (name, seed, each)
            answers.append(each)
        rows.append((name, *map(_cell, found.values())))
        print(*rows[-1], sep=" | ", flush=True)
    heading("Proofs", repeats=options.repeats, first_seed=options.start, limit=options.limit,
            load=os.getloadavg()[0])  # fmt: skip
    table(("problems", "maxcover, default", "HiGHS", "SCIP"), rows)
    say(answers)
    if options.quick:
        share = np.mean([each["ours"]["proven"] for each in answers])
        hold("problems proven by default", float(share), least=1.0)


def say(answers: list[dict[str, Any]]) -> None:
    """Print times beside the peers that proved, and sizes and checks of proofs."""
    shares, missed = [], 0
    for each in answers:
        spent = [x["seconds"] for who, x in each.items() if who != "ours" and x["proven"]]
        if spent:
            shares.append(each["ours"]["seconds"] / min(spent))
            missed += not each["ours"]["proven"]
    if shares:
        print(f"CPU time, of the quickest peer that proves: median {np.median(shares):.3f}, worst "
              f"{max(shares):.2f}; {missed} of {len(shares)} not proven by default")  # fmt: skip
    kept = [each["ours"] for each in answers if each["ours"].get("leaves", 1) > 1]
    if kept:
        for what in ("leaves", "size", "check"):
            numbers = [x[what] for x in kept]
            print(f"{what} of {len(kept)} proofs by cases: median {np.median(numbers):.3g}, most "
                  f"{max(numbers):.3g}")  # fmt: skip


def _cell(runs: list[dict[str, Any]]) -> str:
    """Return how many were proven, and the median and largest CPU time."""
    if not runs:
        return ""
    seconds = [each["seconds"] for each in runs]
    done = sum(each["proven"] for each in runs)
    return f"{done} of {len(runs)}; {np.median(seconds):.2f} s, at most {max(seconds):.2f} s"


if __name__ == "__main__":
    main()
