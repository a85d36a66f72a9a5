"""Lazy g-greedy beside the C++ lazy greedy of submodlib, on the same graphs in one run.

Needs ``pip install --group solvers``. Only the solver call is timed, the
best of some repeats; ours includes `certify` with the quick bound, submodlib's has no such thing.
"""

import time
from collections.abc import Callable
from typing import Any

import maxcover as mc
from _report import arguments, clock, heading, table


def best_time(call: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the shortest time and the last answer."""
    seconds = []
    answer = None
    for _ in range(repeats):
        begin = time.perf_counter()
        answer = call()
        seconds.append(time.perf_counter() - begin)
    return min(seconds), answer


def row(n_sets: int, seed: int, repeats: int) -> tuple[tuple[object, ...], float]:
    from submodlib import SetCoverFunction

    problem = mc.generate.biregular(n_sets, 3 * n_sets, 9, 3, budget=n_sets // 2, seed=seed)
    ours, solution = best_time(lambda: mc.solve(problem, method="g-greedy", bound="quick"), repeats)
    function = SetCoverFunction(
        n=n_sets,
        cover_set=[set(problem.elements_of(i).tolist()) for i in range(n_sets)],
        num_concepts=problem.n_elements,
        concept_weights=problem.weights.tolist(),
    )
    costs = problem.costs.tolist()
    theirs, picks = best_time(
        lambda: function.maximize(
            budget=n_sets // 2,
            optimizer="LazyGreedy",
            costs=costs,
            costSensitiveGreedy=True,
            show_progress=False,
        ),
        repeats,
    )
    chosen = [index for index, _ in picks]
    value = problem.weights[problem.covered(chosen)].sum()
    cells = (
        f"{n_sets:,}",
        f"{solution.value:.0f}",
        f"{1e3 * ours:.1f}",
        f"{value:.0f}",
        f"{1e3 * theirs:.1f}",
        f"{ours / theirs:.2f}",
    )
    return cells, ours / theirs


def main() -> None:
    options = arguments(__doc__, repeats=5)
    sizes = (10_000,) if options.quick else (10_000, 100_000)
    mc.solve(mc.generate.biregular(10, 30, 9, 3, budget=10), method="g-greedy")  # compile
    measured = [row(size, options.seed, options.repeats) for size in sizes]
    heading("Lazy g-greedy beside submodlib", seed=options.seed, repeats=options.repeats)
    table(
        ("N", "our value", "our ms", "submodlib's value", "its ms", "our time / its time"),
        [cells for cells, _ in measured],
    )
    clock("largest ratio of times", max(ratio for _, ratio in measured), most=2.0)


if __name__ == "__main__":
    main()
