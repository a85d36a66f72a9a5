"""`cover` beside what people use instead: greedy set cover, and a bisection over `solve`.

Five families of problems, three targets each. Greedy is the textbook loop, most new weight per cost
until the target is met. The bisection asks `solve` for budgets between the bound that is known and
the cost of greedy until the budgets are a unit apart or twelve budgets are solved, and keeps the
cheapest answer that meets the target. All run in one process on the same problems; times are CPU
times, and "times one solve" is against a single `solve` at the budget of the plan.
"""

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import maxcover as mc
from _report import arguments, clock, heading, hold, table

TARGETS = (0.8, 0.95, 1.0)
BUDGETS = 12


def families(n_sets: int, seed: int) -> Iterator[tuple[str, mc.CoverageProblem]]:
    rng = np.random.default_rng(seed)
    yield (
        "(9,3)-biregular",
        mc.generate.biregular(n_sets, 3 * n_sets, 9, 3, budget=n_sets, seed=seed),
    )
    yield (
        "Zipf",
        _covered_part(mc.generate.zipf(n_sets, 3 * n_sets, 30 * n_sets, budget=n_sets, seed=seed)),
    )
    yield (
        "random, unit costs",
        mc.CoverageProblem.from_sparse(
            _random(n_sets, 2 * n_sets, 0.03, rng), budget=n_sets, weights=np.ones(2 * n_sets)
        ),
    )
    yield (
        "OR-library style",
        mc.CoverageProblem.from_sparse(
            _random(n_sets, n_sets // 5, 0.05, rng),
            budget=n_sets,
            costs=rng.integers(1, 100, n_sets, endpoint=True),
        ),
    )
    # tests: few share much, times over three decades, real numbers
    yield (
        "test suite",
        mc.CoverageProblem.from_sparse(
            _random(n_sets, 8 * n_sets, rng.beta(0.5, 12, n_sets)[:, None], rng),
            budget=n_sets,
            costs=np.exp(rng.normal(-4, 1.5, n_sets)),
        ),
    )


def _covered_part(problem: mc.CoverageProblem) -> mc.CoverageProblem:
    """Leave out the elements that no set covers."""
    elements, columns = np.unique(problem.indices, return_inverse=True)
    return mc.CoverageProblem(
        indptr=problem.indptr,
        indices=columns,
        costs=problem.costs,
        weights=problem.weights[elements],
        budget=problem.budget,
    )


def _random(
    n_sets: int, n_elements: int, density: float | np.ndarray, rng: np.random.Generator
) -> csr_array:
    """Return a random incidence matrix in which every element is in some set."""
    matrix = rng.random((n_sets, n_elements)) < density
    matrix[rng.integers(n_sets, size=n_elements), np.arange(n_elements)] = True
    return csr_array(matrix)


def greedy(problem: mc.CoverageProblem, need: float) -> float:
    """Return what the textbook loop pays."""
    open_weights, cost = problem.weights.copy(), 0.0
    while open_weights.sum() > problem.weights.sum() - need + 1e-9:
        running = np.concatenate(([0.0], np.cumsum(open_weights[problem.indices])))
        gains = running[problem.indptr[1:]] - running[problem.indptr[:-1]]
        best = int(np.argmax(gains / problem.costs))
        cost += problem.costs[best]
        open_weights[problem.elements_of(best)] = 0.0
    return cost


def bisection(problem: mc.CoverageProblem, need: float, most: float) -> float:
    """Return the cheapest cost at which `solve` meets the target."""
    low, high = 0.0, most
    unit = 1.0 if bool((problem.costs == np.floor(problem.costs)).all()) else 1e-4 * most
    for _ in range(BUDGETS):
        if high - low <= unit:
            break
        middle = math.floor((low + high) / 2) if unit == 1.0 else (low + high) / 2
        solution = mc.solve(problem.with_budget(middle), bound="trivial")
        if solution.value >= need - 1e-9:
            high = min(high, solution.cost)
        else:
            low = middle
    return high


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.process_time()
    result = call()
    return result, time.process_time() - begin


def main() -> None:
    options = arguments(__doc__, sets=400, problems=5)
    n_sets, problems = (150, 2) if options.quick else (options.sets, options.problems)
    rows: dict[tuple[str, float], list[tuple[float, ...]]] = {}
    for seed in range(options.seed, options.seed + problems):
        for name, problem in families(n_sets, seed):
            problem.transpose  # noqa: B018 - part of the problem, not of the search
            for target in TARGETS:
                plan, ours = timed(lambda p=problem, t=target: mc.cover(p, target=t))
                simple = greedy(problem, plan.target)
                other, theirs = timed(
                    lambda p=problem, need=plan.target, most=simple: bisection(p, need, most)
                )
                _, once = timed(lambda p=problem, cost=plan.cost: mc.solve(p.with_budget(cost)))
                assert mc.verify(problem, plan).ok
                rows.setdefault((name, target), []).append(
                    (
                        simple / plan.cost,
                        other / plan.cost,
                        plan.gap,
                        ours,
                        ours / once,
                        ours / theirs,
                    )
                )
    heading("`cover` beside greedy and bisection", sets=n_sets, problems=problems)
    table(
        (
            *("family", "target", "greedy costs", "bisection costs", "at worst", "gap", "ms"),
            *("times one solve", "of the bisection's time"),
        ),
        [
            (
                *(name, f"{target:.0%}"),
                *(f"{np.mean(column) - 1:+.2%}" for column in columns[:2]),
                f"{min(columns[1]) - 1:+.2%}",
                f"{np.mean(columns[2]):.2%}",
                f"{1e3 * np.mean(columns[3]):.0f}",
                f"{np.sum(columns[3]) / np.sum(columns[3] / np.array(columns[4])):.2f}",
                f"{np.mean(columns[5]):.2f}",
            )
            for (name, target), found in rows.items()
            for columns in [np.array(found).T]
        ],
    )
    every = np.array([row for found in rows.values() for row in found]).T
    hold("greedy against cover, at worst", float(every[0].min()), least=1.0 - 1e-9)
    hold("bisection against cover, at worst", float(every[1].min()), least=0.9999)
    hold("bisection against cover, on average", float(every[1].mean()), least=1.0)
    hold("mean saving against greedy", float(1 - (1 / every[0]).mean()), least=0.02)
    spent = every[3].sum() / (every[3] / every[4]).sum()
    clock("time, in times of one solve", float(spent), most=4.0)
    clock("time, of that of the bisection", float(every[5].mean()), most=0.8)


if __name__ == "__main__":
    main()
