"""Many small problems: how many a second from edges to a certified answer, on one core."""

import time
from collections.abc import Callable

import numpy as np

import maxcover as mc
from _report import arguments, clock, heading, table

Edges = dict[str, np.ndarray]


def biregular(seed: int) -> Edges:
    problem = mc.generate.biregular(100, 300, 9, 3, budget=100, seed=seed)
    return {
        "sets": np.repeat(np.arange(100), 9),
        "elements": problem.indices,
        "costs": problem.costs,
        "weights": problem.weights,
    }


def text_like(seed: int) -> Edges:
    """Fifty sentences of 5 to 40 words out of a vocabulary with Zipf frequencies."""
    rng = np.random.default_rng(seed)
    costs = rng.integers(5, 41, 50)
    chance = 1.0 / np.arange(1, 401)
    words = rng.choice(400, size=costs.sum(), p=chance / chance.sum())
    weights = np.bincount(words, minlength=400).astype(float)
    return {
        "sets": np.repeat(np.arange(50), costs),
        "elements": words,
        "costs": costs,
        "weights": weights,
    }


FAMILIES: dict[str, Callable[[int], Edges]] = {
    "(9,3)-biregular, N = 100": biregular,
    "text-like, 50 sentences": text_like,
}


def per_second(edges: list[Edges], bound: str) -> float:
    begin = time.perf_counter()
    for one in edges:
        problem = mc.CoverageProblem.from_edges(**one, budget=100)
        mc.solve(problem, method="g-greedy", bound=bound)
    return len(edges) / (time.perf_counter() - begin)


def main() -> None:
    options = arguments(__doc__, problems=2000)
    count = 200 if options.quick else options.problems
    rows, rates = [], []
    for name, make in FAMILIES.items():
        edges = [make(options.seed + k) for k in range(count)]
        per_second(edges[:2], "dual")  # compile
        quick, dual = per_second(edges, "quick"), per_second(edges, "dual")
        rates.append(quick)
        rows.append((name, count, f"{quick:,.0f}", f"{dual:,.0f}"))
    heading("Small problems a second, one core", seed=options.seed, repeats=1)
    table(("family", "problems", "with the quick bound", "with the dual bound"), rows)
    clock("problems a second with the quick bound", min(rates), least=100)


if __name__ == "__main__":
    main()
