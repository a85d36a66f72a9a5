"""More effort is never worse: `fast`, `normal` and `thorough` on small problems of every kind.

Eight kinds in turn: plain, groups, returns, needs, minima, conflicts, two budgets, chances; 20 to
160 sets, the same seed for the three efforts. ``--first`` and ``--count`` say which problems.
"""

from itertools import pairwise
from typing import Any

import numpy as np

import maxcover as mc
from _report import arguments, heading, hold
from maxcover.errors import InfeasibleError

EFFORTS = ("fast", "normal", "thorough")


def kinds(n_sets: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return the options of each kind."""
    n_elements = 2 * n_sets
    groups = [f"g{g}" for g in rng.integers(6, size=n_sets)]
    pairs = rng.permutation(n_sets)[: n_sets // 2 * 2].reshape(-1, 2)[: n_sets // 4]
    costs = {name: rng.integers(1, 10, n_sets) for name in "ab"}
    return [
        {},
        {"groups": groups, "max_items": max(n_sets // 20, 1)},
        {"returns": [1, 0.5, 0.25]},
        {"need": rng.integers(1, 3, n_elements)},
        {"groups": groups, "min_items": max(n_sets // 60, 1)},
        {"conflicts": pairs.tolist()},
        {"costs": costs, "budget": dict.fromkeys(costs, n_sets // 2)},
        {"chance": rng.uniform(0.1, 0.9, 7 * n_sets)},
    ]


def posed(number: int, seed: int) -> mc.CoverageProblem:
    """Draw a problem."""
    rng = np.random.default_rng([number, seed])
    n_sets = int(rng.integers(20, 160))
    elements = rng.integers(2 * n_sets, size=7 * n_sets)
    given = kinds(n_sets, rng)[number % 8]
    plain = {"costs": rng.integers(1, 10, n_sets), "budget": n_sets // 2}
    return mc.CoverageProblem.from_edges(
        np.repeat(np.arange(n_sets), 7),
        elements,
        weights=rng.integers(1, 10, 2 * n_sets),
        n_elements=2 * n_sets,
        **plain | given,
    )


def main() -> None:
    """Count the problems on which more effort found less."""
    options = arguments(__doc__, first=0, count=1000)
    count = 16 if options.quick else options.count
    worse, raised, infeasible = 0, 0, 0
    for number in range(options.first, options.first + count):
        problem = posed(number, options.seed)
        try:
            values = [mc.solve(problem, effort=effort, seed=number).value for effort in EFFORTS]
        except InfeasibleError:  # minima that no selection within the budget meets
            infeasible += 1
            continue
        raised += values[0] < values[-1]
        if any(later < earlier * (1 - 1e-12) for earlier, later in pairwise(values)):
            worse += 1
            print(number, values, flush=True)
    heading("fast <= normal <= thorough", problems=count, first=options.first, seed=options.seed)
    print(
        f"problems on which thorough is above fast: {raised}; without any selection: {infeasible}"
    )
    hold("problems on which more effort found less", float(worse), most=0.0)


if __name__ == "__main__":
    main()
