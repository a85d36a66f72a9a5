"""Every limit and every return: value, gap and CPU time of `auto`, beside HiGHS at equal time.

Parts: ``groups`` (12 groups of at most 1 or 3 sets, uniform and skewed), ``returns`` (coverage,
twice, square root and chances, each under one budget, three budgets, groups and minima), ``chance``
(a probability for every edge), ``budgets`` (two and three), ``needs`` (minima and elements that
need up to three sets). HiGHS gets the program of `exact` without a warm start for as many seconds
as `auto` took.
"""

import time
from collections.abc import Iterator

import numpy as np

import maxcover as mc
from _report import arguments, heading, hold, table
from maxcover.solvers.control import Control
from maxcover.solvers.highs import HighsRun
from maxcover.solvers.program import Program

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
    for n in sizes:
        for skew in (False, True):
            for most in (1, 3):
                rng = np.random.default_rng(seed)
                own = [f"g{k}" for k in rng.integers(12, size=n)]
                limits = {"groups": own, "max_items": most, "budget": 10 * n}
                name = f"{n} sets, 12 groups of {most}, {'skewed' if skew else 'uniform'}"
                yield name, drawn(n, 8 * n // 3, rng, skew=skew, **limits)


def budgets(sizes: tuple[int, ...], seed: int, kinds: tuple[int, ...] = (2, 3)) -> Named:
    for n in sizes:
        for k in kinds:
            rng = np.random.default_rng(seed)
            costs = {f"b{j}": rng.integers(1, 11, n) for j in range(k)}
            most = dict.fromkeys(costs, 2 * n // 3)
            yield f"{n} sets, {k} budgets", drawn(n, 8 * n // 3, rng, costs=costs, budget=most)


def returns(sizes: tuple[int, ...], seed: int) -> Named:
    kinds = {"once": {}, "twice": {"returns": [0.6, 0.4]}, "sqrt": {"returns": "sqrt"}}
    for n in sizes:
        for kind, given in {**kinds, "chance 0.4": {"chance": 0.4}}.items():
            rng = np.random.default_rng(seed)
            own = [f"g{k}" for k in rng.integers(12, size=n)]
            costs = {f"b{j}": rng.integers(1, 11, n) for j in range(3)}
            for limit, more in {
                "one budget": {},
                "three budgets": {"costs": costs, "budget": dict.fromkeys(costs, 2 * n // 3)},
                "12 groups of 1": {"groups": own, "max_items": 1, "budget": 10 * n},
                "12 groups of 3": {"groups": own, "max_items": 3, "budget": 10 * n},
                "at least 2 of 12 groups": {"groups": own, "min_items": 2},
            }.items():
                fresh = {"chance": True} if kind.startswith("chance") else given
                yield f"{n} sets, {kind}, {limit}", drawn(n, 8 * n // 3, rng, **fresh, **more)


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


PARTS = {"groups": groups, "returns": returns, "chance": chance, "budgets": budgets, "needs": needs}
# Gap at most, without problems whose needs are above one.
FLOORS = {"groups": 0.03, "returns": 0.015, "chance": 0.01, "budgets": 0.03}


def main() -> None:
    options = arguments(__doc__, parts=tuple(PARTS))
    sizes = (300,) if options.quick else (300, 2000)
    for part in options.parts:
        rows, gaps, beside = [], [], []
        for name, problem in PARTS[part](sizes, options.seed):
            begin, wall = time.process_time(), time.perf_counter()
            ours = mc.solve(problem)
            cpu, wall = time.process_time() - begin, time.perf_counter() - wall
            run = HighsRun(Program(problem), Control(), None)
            run.until_done(wall)
            theirs = run.selection()
            value = 0.0 if theirs is None else problem.value(theirs)
            gaps.append(ours.gap)
            beside.append(ours.value / value - 1 if value else np.inf)
            rows.append(
                (name, f"{ours.value:.1f}", f"{ours.gap:.2%}", f"{beside[-1]:+.2%}", f"{cpu:.2f}")
            )
        heading(f"Limits: {part}", seed=options.seed)
        table(("problem", "value", "gap", "above HiGHS", "CPU s"), rows)
        if part in FLOORS:
            hold(f"{part}: gap at most", max(gaps), most=FLOORS[part])


if __name__ == "__main__":
    main()
