"""What `solve` promises about time: deadlines are kept, and a looser target never costs more.

Each part prints a table; ``--quick`` is the small form with its floors. Values are compared with
g-greedy's wherever g-greedy alone would have been through in time; the last part has families on
which `auto` once lost against HiGHS in the same time.
"""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import maxcover as mc
from _report import arguments, clock, heading, table
from peers import dense, run_highs, worth

DATA = Path(__file__).parents[2] / "shared" / "data"
TARGETS = (0.05, 0.02, 0.01, 0.001)


def biregular(n_edges: int, seed: int) -> mc.CoverageProblem:
    n_sets = n_edges // 9
    return mc.generate.biregular(n_sets, 3 * n_sets, 9, 3, budget=n_sets, seed=seed)


def zipf(n_edges: int, seed: int) -> mc.CoverageProblem:
    """Draw sets of 12 elements by a power law; costs and weights are real numbers."""
    rng = np.random.default_rng(seed)
    n_sets = n_edges // 12
    ranks = np.minimum(rng.zipf(1.3, n_edges), 4 * n_sets) - 1
    return mc.CoverageProblem.from_edges(
        np.repeat(np.arange(n_sets), 12),
        ranks[: 12 * n_sets],
        costs=rng.uniform(1, 10, n_sets),
        weights=rng.uniform(1, 10, 4 * n_sets),
        n_elements=4 * n_sets,
        budget=float(n_sets),
    )


def wide(n_edges: int, seed: int) -> mc.CoverageProblem:
    """Few sets of many elements."""
    rng = np.random.default_rng(seed)
    n_sets = max(20, round((n_edges / 10) ** 0.5))
    size = n_edges // n_sets
    return mc.CoverageProblem.from_edges(
        np.repeat(np.arange(n_sets), size),
        rng.integers(0, 3 * size, n_sets * size),
        costs=rng.integers(1, 20, n_sets),
        weights=rng.integers(1, 100, 3 * size),
        n_elements=3 * size,
        budget=2 * n_sets,
    )


FAMILIES: dict[str, Callable[[int, int], mc.CoverageProblem]] = {
    "biregular": biregular,
    "Zipf": zipf,
    "wide": wide,
}


def planted(seed: int) -> mc.CoverageProblem:
    """300 elements covered by 30 sets of ten, hidden among 600 decoys of eleven."""
    rng = np.random.default_rng(seed)
    sets = [*rng.permutation(300).reshape(30, 10)]
    sets += [rng.choice(300, 11, replace=False) for _ in range(600)]
    order = rng.permutation(630)
    return mc.CoverageProblem.from_sets([sets[i].tolist() for i in order], budget=30)


def locations(seed: int) -> mc.CoverageProblem:
    """60 of 2,000 sites, each of which serves what lies within a distance."""
    rng = np.random.default_rng(seed)
    points = rng.random((2000, 2))
    near = np.linalg.norm(points[:, None] - points[None], axis=2) < 0.06
    sets, elements = np.nonzero(near)
    return mc.CoverageProblem.from_edges(sets, elements, budget=60)


def seconds_of(call: Callable[[], mc.Solution]) -> tuple[mc.Solution, float]:
    begin = time.perf_counter()
    return call(), time.perf_counter() - begin


def least_late(
    problem: mc.CoverageProblem, limit: float, *, least: float
) -> tuple[mc.Solution, float]:
    """Solve within a limit; what comes late or below `least` may be another program's doing.

    It is tried at most three times, each time as a problem of which nothing is known yet.
    """
    tries = []
    for _ in range(3):
        fresh = mc.CoverageProblem(
            indptr=problem.indptr,
            indices=problem.indices,
            costs=problem.costs,
            weights=problem.weights,
            budget=problem.budget,
        )
        found, took = seconds_of(lambda fresh=fresh: mc.solve(fresh, time_limit=limit))
        tries.append((found, took))
        if found.value >= least and took < limit + 0.05:
            break
    return max(tries, key=lambda one: (one[0].value >= least, -one[1]))


def deadlines(*, quick: bool, seed: int) -> None:
    """Measure by how much a deadline is missed, whatever the size."""
    sizes = (10**3, 10**5, 10**6) if quick else (10**3, 10**4, 10**5, 10**6, 10**7)
    rows, worst, behind = [], 0.0, 0
    for name, family in FAMILIES.items():
        for size in sizes:
            problem = family(size, seed)
            greedy, alone = seconds_of(
                lambda problem=problem: mc.solve(problem, method="g-greedy", bound="trivial")
            )
            for limit in (0.0, 0.01, 0.1, 1.0):
                found, took = least_late(problem, limit, least=greedy.value)
                worst = max(worst, (took - limit) / max(0.05, 0.05 * limit))
                behind += 2 * alone < limit and found.value < greedy.value
                rows.append(
                    (
                        name,
                        f"{problem.n_edges:,}",
                        f"{1e3 * limit:.0f}",
                        f"{1e3 * took:.0f}",
                        f"{found.value / greedy.value:.4f}",
                        f"{found.gap:.2%}",
                    )
                )
    heading("Deadlines", seed=seed)
    table(("family", "edges", "limit, ms", "took, ms", "of g-greedy's value", "gap"), rows)
    # at ten million edges a pass takes 20 ms and more; a shared machine takes its own time too
    clock("deadlines, largest overrun in allowed overruns", worst, most=4.0 if quick else 1.5)
    clock("deadlines, answers below g-greedy's that had the time", float(behind), most=0.0)


def text_problems(every: int) -> Iterator[mc.CoverageProblem]:
    from maxcover.texts import prepare

    for path in sorted(DATA.glob("*/clusters.jsonl")):
        for line in path.read_text().splitlines()[::every]:
            texts = [document["text"] for document in json.loads(line)["documents"]]
            corpus = prepare(texts, preset="paper")
            yield corpus.problem(100)


def cpu_seconds(problem: mc.CoverageProblem, target: float) -> float:
    begin = time.process_time()
    mc.solve(problem, target_gap=target, threads=1)
    return time.process_time() - begin


def targets(*, quick: bool, seed: int) -> None:
    """Measure that a looser target never takes longer than none."""
    every = 60 if quick else 6
    groups = {
        "text": list(text_problems(every)),
        "biregular, N = 300": [biregular(2700, seed + k) for k in range(5 if quick else 20)],
        "dense, 300": [dense(300, seed + k) for k in range(2 if quick else 5)],
        "planted": [planted(seed + k) for k in range(2 if quick else 5)],
    }
    rows, worst = [], 0.0
    for name, problems in groups.items():
        spent = dict.fromkeys((*TARGETS, 0.0), 0.0)
        for problem in problems:
            for target in spent:
                spent[target] += min(cpu_seconds(problem, target) for _ in range(3))
        plain = spent[0.0]
        worst = max(worst, *(spent[target] / plain for target in TARGETS))
        rows.append(
            (
                name,
                len(problems),
                f"{1e3 * plain / len(problems):.1f}",
                *(f"{spent[target] / plain:.2f}" for target in TARGETS),
            )
        )
    heading("Target gaps: CPU time against no target, best of 3", seed=seed)
    table(("family", "problems", "ms, none", *(f"{target:g}" for target in TARGETS)), rows)
    clock("targets, largest ratio of times", worst, most=1.5 if quick else 1.1)


def lost_ground(*, quick: bool, seed: int) -> None:
    """Hold `auto` against HiGHS in the same time where it once lost."""
    limit = 5.0
    chosen = {"planted": planted(seed), "locations": locations(seed)}
    if not quick:
        chosen |= {"dense, 3000": dense(3000, seed), "dense, 5000": dense(5000, seed)}
    rows, least = [], 1.0
    for name, problem in chosen.items():
        ours = [mc.solve(problem, time_limit=limit, seed=k).value for k in range(1 if quick else 3)]
        default = mc.solve(problem).value
        highs = worth(problem, run_highs(problem, limit).selected)
        least = min(least, min(ours) / max(highs, 1.0))  # HiGHS may have found nothing yet
        rows.append((name, f"{default:.0f}", " ".join(f"{v:.0f}" for v in ours), f"{highs:.0f}"))
    heading("Where `auto` once lost", seed=seed, limit=f"{limit:g} s")
    table(("family", "default", "auto with the limit, by seed", "HiGHS"), rows)
    clock("once lost, least fraction of HiGHS's value", least, least=0.98 if quick else 0.999)


def main() -> None:
    options = arguments(__doc__)
    mc.solve(mc.generate.biregular(20, 60, 9, 3, budget=20))
    for part in (deadlines, targets, lost_ground):
        part(quick=options.quick, seed=options.seed)


if __name__ == "__main__":
    main()
