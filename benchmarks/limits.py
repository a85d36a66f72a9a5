"""Every limit and every return: value, gap and CPU time of `auto`, beside HiGHS at equal time.

Parts: ``groups`` (12 groups of at most 1 or 3 sets, uniform and skewed, four seeds; the best known
is the best of this, of `auto` with effort "thorough" and of 10 s of HiGHS), ``returns`` (coverage,
twice, square root and a chance of 0.4, each under one budget, three budgets, groups and minima),
``chance`` (a probability for every edge), ``budgets`` (two and three; the linear program's bound
beside ours), ``needs`` (minima and elements that need up to three sets). HiGHS gets the program of
`exact` without a warm start for as much CPU time as `auto` took. ``clock``: how late every method
is under every limit at a deadline, and after a callback said stop. ``corpus``: all features of a
fuzzer's corpus for the fewest bytes. Beside chances stands the greedy selection of submodlib where
it is installed.
"""

import time
from collections.abc import Iterator
from dataclasses import fields
from itertools import product

import numpy as np

import maxcover as mc
from _report import arguments, clock, heading, hold, table
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.highs import HighsRun
from maxcover.engine.solvers.program import Program

Named = Iterator[tuple[str, mc.CoverageProblem]]


def edges(n: int, m: int, rng: np.random.Generator, *, skew: bool = False, degree: int = 8):
    """Draw the pairs of a graph, each once."""
    drawn = rng.zipf(1.3, n * degree) % m if skew else rng.integers(m, size=n * degree)
    pairs = np.unique(np.repeat(np.arange(n), degree) * m + drawn)
    return pairs // m, pairs % m


def drawn(n: int, m: int, rng: np.random.Generator, *, skew: bool = False, **given):
    sets, elements = edges(n, m, rng, skew=skew)
    given = {"costs": rng.integers(1, 11, n), "budget": 2 * n // 3} | given
    for name in ("chance", "best"):
        if name in given:
            given[name] = rng.uniform(0.1, 0.9, len(sets))
    return mc.CoverageProblem.from_edges(
        sets, elements, weights=rng.integers(1, 11, m), n_elements=m, **given
    )


def groups(sizes: tuple[int, ...], seed: int) -> Named:
    for n, skew, most, k in product(sizes, (False, True), (1, 3), range(4)):
        rng = np.random.default_rng(seed + k)
        own = [f"g{k}" for k in rng.integers(12, size=n)]
        limits = {"groups": own, "max_items": most, "budget": 10 * n}
        name = f"{n} sets, 12 groups of {most}, {'skewed' if skew else 'uniform'}, seed {seed + k}"
        yield name, drawn(n, 8 * n // 3, rng, skew=skew, **limits)


def budgets(sizes: tuple[int, ...], seed: int, kinds: tuple[int, ...] = (2, 3)) -> Named:
    for n in sizes:
        for k in kinds:
            rng = np.random.default_rng(seed)
            costs = {f"b{j}": rng.integers(1, 11, n) for j in range(k)}
            most = dict.fromkeys(costs, 2 * n // 3)
            yield f"{n} sets, {k} budgets", drawn(n, 8 * n // 3, rng, costs=costs, budget=most)


def returns(sizes: tuple[int, ...], seed: int) -> Named:
    """Draw the 20 problems in which the bound by a price for every row was tried first."""
    kinds = {
        "once": {},
        "twice": {"returns": [0.6, 0.4]},
        "sqrt": {"returns": "sqrt"},
        "chance 0.4": {"chance": 0.4},
    }
    for n in sizes:
        rng, most = np.random.default_rng(seed + 1), 2 * n // 3
        for (kind, given), k in product(kinds.items(), range(5)):
            sets, elements = edges(n, 8 * n // 3, rng)
            weights = rng.integers(1, 11, 8 * n // 3)
            costs = dict(zip("abc", rng.integers(1, 11, (3, n)), strict=True))
            own = [f"g{g}" for g in rng.integers(0, 12, n)]
            one = {"costs": costs["a"], "budget": most}
            limit, limits = [
                ("one budget", one),
                ("three budgets", {"costs": costs, "budget": dict.fromkeys(costs, most)}),
                ("12 groups of 1", {"groups": own, "max_items": 1, "budget": n}),
                ("12 groups of 3", {"groups": own, "max_items": 3, "budget": n}),
                ("at least 2 of 12 groups", {"groups": own, "min_items": 2, **one}),
            ][k]
            yield (
                f"{n} sets, {kind}, {limit}",
                mc.CoverageProblem.from_edges(
                    sets, elements, weights=weights, n_elements=8 * n // 3, **given, **limits
                ),
            )


def chance(sizes: tuple[int, ...], seed: int) -> Named:
    for n in sizes:
        yield f"{n} sets, chances", drawn(n, 2 * n, np.random.default_rng(seed), chance=True)
        yield f"{n} sets, best", drawn(n, 2 * n, np.random.default_rng(seed), best=True)


def needs(sizes: tuple[int, ...], seed: int) -> Named:
    for n in sizes:
        for most in (1, 3):
            rng = np.random.default_rng(seed)
            m = 3 * n // 2
            yield f"{n} sets, minima, needs up to {most}", drawn(
                n, m, rng, budget=6 * n // 5,
                groups=[f"g{k}" for k in rng.integers(8, size=n)], min_items=n // 40,
                min_cost={"g1": n // 3}, min_share={"g2": 0.5},
                need=rng.integers(1, most, m, endpoint=True),
            )  # fmt: skip


def fuzzed(n: int, m: int, seed: int) -> mc.CoverageProblem:
    """Draw a corpus of mutants: each keeps features of an earlier file and has a few new ones."""
    rng = np.random.default_rng(seed)
    core = m // 30
    common, known, sizes = rng.uniform(0.5, 1.0, core), core + 100, [200.0]
    files = [np.arange(core, known)]
    for k in range(1, n):
        parent = files[rng.integers(max(0, k - 1500), k)]
        fresh = np.arange(known, min(m, known + rng.poisson((m - core - 100) / n)))
        known += fresh.size
        again = core + ((known - core) * rng.random(60) ** 1.5).astype(int)
        own = np.unique(np.concatenate((parent[rng.random(parent.size) < 0.95], fresh, again)))
        own = np.sort(rng.choice(own, 1200, replace=False)) if own.size > 1200 else own
        files.append(own)
        sizes.append(max(1.0, sizes[rng.integers(k)] * rng.lognormal(0, 0.4)))
    files = [np.concatenate((np.flatnonzero(rng.random(core) < common), own)) for own in files]
    elements = np.unique(np.concatenate(files), return_inverse=True)[1]
    sets = np.repeat(np.arange(n), [own.size for own in files])
    return mc.CoverageProblem.from_edges(sets, elements, costs=np.ceil(sizes), budget=0)


def corpus(*, quick: bool, seed: int) -> None:
    rows, gaps = [], []
    for k in range(1 if quick else 3):
        problem = fuzzed(400 if quick else 4097, 1200 if quick else 11507, seed + k)
        for what, costs in (("bytes", problem.costs), ("files", np.ones(problem.n_sets))):
            begin = time.process_time()
            fresh = mc.CoverageProblem(
                indptr=problem.indptr, indices=problem.indices, costs=costs,
                weights=problem.weights, budget=0,
            )  # fmt: skip
            plan = mc.cover(fresh, target=1.0, time_limit=3)
            cpu = time.process_time() - begin
            gaps.append(plan.gap)
            rows.append(
                (f"{problem.n_edges:,}", what, f"{plan.cost:.0f}", f"{plan.gap:.2%}", f"{cpu:.2f}")
            )
    heading("Corpora: cover all features in 3 s", seed=seed)
    table(("edges", "cost", "cover", "gap", "CPU, s"), rows)
    hold("corpus: largest gap", max(gaps), most=0.1)


def limited(n: int, seed: int) -> Named:
    """Draw a problem of 25 edges a set for every limit and return."""
    rng = np.random.default_rng(seed)
    sets, elements = np.repeat(np.arange(n), 25), rng.integers(n, size=25 * n)
    own = [f"g{k}" for k in rng.integers(12, size=n)]
    costs = rng.integers(1, 10, (2, n))
    pairs = np.arange(min(n, 2000)).reshape(-1, 2).tolist()
    for name, given in {
        "one budget": {},
        "two budgets": {"costs": {"a": costs[0], "b": costs[1]}, "budget": {"a": n, "b": n}},
        "groups": {"groups": own, "max_items": n // 200},
        "minima": {"groups": own, "min_items": n // 400},
        "share": {"groups": own, "min_share": 0.05},
        "conflicts": {"conflicts": pairs},
        "worth": {"worth": rng.random(n)},
        "need": {"need": rng.integers(1, 4, n)},
        "steps": {"returns": [1, 0.5, 0.25]},
        "sqrt": {"returns": "sqrt"},
        "chance": {"chance": rng.uniform(0.1, 0.9, 25 * n)},
        "best": {"best": rng.uniform(0.1, 0.9, 25 * n)},
    }.items():
        all_given = {"costs": costs[0], "budget": n, **given}
        yield name, mc.CoverageProblem.from_edges(sets, elements, n_elements=n, **all_given)


def lateness(problem: mc.CoverageProblem, method: str, limit: float | None) -> float:
    """Return how many seconds an answer came after a deadline, or after a callback said stop."""
    fresh = mc.CoverageProblem(**{f.name: getattr(problem, f.name) for f in fields(problem)})
    solve, how = mc.solve, {"method": method}
    if method == "cover":
        solve, how = mc.cover, {"target": 0.3}
    elif "threads" in mc.METHODS[method].options:
        how["threads"] = 1
    marks = [time.process_time()]
    if limit is None:
        how["callback"] = lambda _: bool(marks.append(time.process_time())) or True
    solve(fresh, time_limit=limit, **how)
    return time.process_time() - marks[min(1, len(marks) - 1)] - (limit or 0.0)


def clock_part(*, quick: bool, seed: int) -> None:
    """Measure lateness by a clock of CPU time, which solvers read too: others do not count."""
    rows, worst, limits = [], 0.0, (0.0,) if quick else (0.0, 0.1, 1.0)
    wall, time.perf_counter = time.perf_counter, time.process_time
    for name, problem in limited(4_000 if quick else 40_000, seed):
        is_bare = not (len(problem.floors) or (problem.limits.low > 0).any())
        able = [
            method
            for method, row in mc.METHODS.items()
            if (row.minima or is_bare) and (row.returns or not problem.returns.of.size)
        ]
        for method in (*able, "cover"):
            late = [lateness(problem, method, limit) for limit in limits]
            late.append(lateness(problem, method, None) if method in ("auto", "cover") else 0.0)
            rows.append((name, method, *(f"{1e3 * one:.0f}" for one in late)))
            worst = max(worst, *late)
    time.perf_counter = wall
    heading("Clock: ms of CPU after the deadline, or after a callback said stop", seed=seed)
    table(("limit", "method", *(f"{limit:g} s" for limit in limits), "callback"), rows)
    clock("clock, latest answer, s", worst, most=0.05)


def by_submodlib(problem: mc.CoverageProblem) -> float:
    """Return the value of submodlib's greedy under the budget; not a number without submodlib."""
    try:
        from submodlib import ProbabilisticSetCoverFunction
    except ImportError:
        return np.nan
    chances = np.zeros((problem.n_sets, problem.n_elements))
    owners = np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr))
    chances[owners, problem.indices] = problem.strength
    function = ProbabilisticSetCoverFunction(
        n=problem.n_sets,
        num_concepts=problem.n_elements,
        probs=chances.tolist(),
        concept_weights=problem.weights.tolist(),
    )
    picks = function.maximize(
        budget=problem.budget, optimizer="NaiveGreedy", costs=problem.costs.tolist(),
        costSensitiveGreedy=True, show_progress=False,
    )  # fmt: skip
    return problem.value(np.array([i for i, _ in picks], dtype=np.int64))


class Timed(Control):
    """A control that ends a run after so many seconds of CPU time."""

    def expired(self) -> bool:
        """Whether it is time to stop."""
        return time.process_time() > self.until


def by_highs(problem: mc.CoverageProblem, seconds: float) -> float:
    """Return what HiGHS finds in as much CPU time, without a warm start."""
    control = Timed()
    control.until = time.process_time() + seconds
    run = HighsRun(Program(problem), control, None)
    run.until_done(100 * seconds)
    found = run.selection()
    return 0.0 if found is None else problem.value(found)


WHOLE = {"clock": clock_part, "corpus": corpus}
PARTS = {"groups": groups, "returns": returns, "chance": chance, "budgets": budgets, "needs": needs}
SIZES = {
    "groups": (300,),
    "returns": (300, 2000),
    "chance": (60, 150, 300, 1000, 2000),
    "budgets": (200, 1000, 5000),
    "needs": (300, 2000),
}
# Gap at most, without problems whose needs are above one. Aimed at are 1.5 % for returns and 1 %
# for chances. 60 sets with chances leave 1.12 % at a value that HiGHS proves best in 12 s.
FLOORS = {"groups": 0.03, "returns": 0.015, "chance": 0.015, "budgets": 0.01}


def part_of(part: str, sizes: tuple[int, ...], seed: int) -> None:
    rows, gaps = [], []
    for name, problem in PARTS[part](sizes, seed):
        begin = time.process_time()
        ours = mc.solve(problem)
        cpu = time.process_time() - begin
        theirs = by_highs(problem, cpu)
        peer = "-"
        if name.endswith("chances"):
            peer = f"{ours.value / by_submodlib(problem) - 1:+.2%}"
        if part == "groups":
            more = mc.solve(problem, effort="thorough").value
            best = max(ours.value, theirs, more, by_highs(problem, 10.0))
            peer = f"{ours.value / best - 1:+.2%}"
        gaps.append(ours.gap)
        beside = f"{ours.value / theirs - 1:+.2%}" if theirs else "nothing found"
        rows.append((name, f"{ours.value:.1f}", f"{ours.gap:.2%}", beside, peer, f"{cpu:.2f}"))
    heading(f"Limits: {part}", seed=seed)
    other = "of the best known" if part == "groups" else "above submodlib"
    table(("problem", "value", "gap", "above HiGHS", other, "CPU s"), rows)
    if part in FLOORS:
        hold(f"{part}: gap at most", max(gaps), most=FLOORS[part])


def main() -> None:
    options = arguments(__doc__, parts=(*PARTS, *WHOLE), n=0)
    small = next(budgets((30,), 0))[1]
    mc.solve(small), mc.cover(small, target=0.3)  # loads what is compiled
    for part in options.parts or [*PARTS, *WHOLE]:
        if part in WHOLE:
            WHOLE[part](quick=options.quick, seed=options.seed)
            continue
        sizes = SIZES[part][:1] if options.quick else SIZES[part]
        part_of(part, (options.n,) if options.n else sizes, options.seed)


if __name__ == "__main__":
    main()
