"""Random and hand-made problems for the exams."""

import numpy as np
from hypothesis import strategies as st

from maxcover import CoverageProblem, generate


def random_problem(
    rng: np.random.Generator, *, most_sets: int = 14, groups: bool = True
) -> CoverageProblem:
    """Draw a small problem: integers or reals, wild scales, ties, zeros; with groups or plain."""
    n_sets = int(rng.integers(1, most_sets + 1))
    n_elements = int(rng.integers(1, 16))
    density = rng.choice([0.1, 0.25, 0.5])
    sets, elements = np.nonzero(rng.random((n_sets, n_elements)) < density)
    kind = rng.choice(["integers", "ties", "reals", "decimals", "wild"])
    costs, weights = _numbers(rng, kind, n_sets), _numbers(rng, kind, n_elements)
    if rng.random() < 0.2:
        costs[rng.random(n_sets) < 0.3] = 0.0
    if rng.random() < 0.2:
        weights[rng.random(n_elements) < 0.3] = 0.0
    budget = float(
        rng.choice([0.0, costs.min(), costs.sum() * rng.random(), costs.sum() * rng.random()])
    )
    if kind in ("integers", "ties"):
        budget = float(np.floor(budget))
    elif kind == "decimals":
        budget = round(budget, 2)
    plain = CoverageProblem.from_edges(sets, elements, costs=costs, weights=weights, budget=budget)
    return with_random_limits(plain, rng, groups=groups)


def _numbers(rng: np.random.Generator, kind: str, size: int) -> np.ndarray:
    if kind == "integers":
        return rng.integers(1, 11, size).astype(float)
    if kind == "ties":
        return np.full(size, 2.0)
    if kind == "decimals":
        return rng.integers(1, 200, size) / 100
    if kind == "reals":
        return rng.random(size)
    return 10.0 ** rng.uniform(-6, 6, size)


def with_random_limits(
    problem: CoverageProblem, rng: np.random.Generator, *, groups: bool = True
) -> CoverageProblem:
    """Add required, forbidden and group limits, each half of the time; something stays allowed."""
    n = problem.n_sets
    limits = {}
    if rng.random() < 0.5:
        limits["forbidden"] = np.flatnonzero(rng.random(n) < 0.15)
    if rng.random() < 0.5 and groups:
        group = rng.integers(-1, 3, n)
        limits["groups"] = [None if g < 0 else int(g) for g in group]
        if rng.random() < 0.7:
            limits["max_items"] = int(rng.integers(0, 4))
        if rng.random() < 0.5 or "max_items" not in limits:
            limits["max_cost"] = float(problem.budget * rng.random())
    edges = np.repeat(np.arange(n), np.diff(problem.indptr)), problem.indices
    common = {"costs": problem.costs, "weights": problem.weights, "budget": problem.budget}
    made = CoverageProblem.from_edges(*edges, **common, **limits)
    if rng.random() < 0.5:
        required = []
        for candidate in rng.permutation(n)[: int(rng.integers(0, 3))]:
            trial = np.array([*required, candidate])
            if candidate not in made.forbidden and not made.violation(trial):
                required.append(int(candidate))
        made = CoverageProblem.from_edges(*edges, **common, **limits, required=required)
    return made


@st.composite
def problems(draw: st.DrawFn) -> CoverageProblem:
    """Let hypothesis choose a small problem, so that a failure shrinks to a readable one."""
    numbers = draw(
        st.sampled_from(
            [
                st.integers(0, 6).map(float),
                st.just(0.0) | st.floats(1e-85, 10),  # costs below are refused
                st.sampled_from([0.1, 0.2, 0.3, 0.7]),
            ]
        )
    )
    n_sets, n_elements = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    members = st.sets(st.integers(0, n_elements - 1), max_size=n_elements)
    sets = [draw(members) for _ in range(n_sets)]
    groups = draw(st.lists(st.sampled_from([None, "a", "b"]), min_size=n_sets, max_size=n_sets))
    limit = draw(st.integers(0, 3))
    return CoverageProblem.from_edges(
        [i for i, s in enumerate(sets) for _ in s],
        [a for s in sets for a in sorted(s)],
        costs=[draw(numbers) for _ in range(n_sets)],
        weights=[draw(numbers) for _ in range(n_elements)],
        budget=draw(st.one_of(numbers, st.integers(0, 20).map(float))),
        groups=groups,
        max_items=limit,
    )


def edge_cases() -> dict[str, CoverageProblem]:
    build = CoverageProblem.from_edges
    return {
        "no sets": build([], [], budget=1, weights=[1.0, 2.0]),
        "no elements": build([], [], budget=1, costs=[1.0, 2.0]),
        "nothing at all": build([], [], budget=0),
        "one set": build([0, 0], [0, 1], budget=1),
        "empty sets": build([1], [0], budget=3, costs=[1, 1, 1]),
        "zero budget": build([0, 1], [0, 1], budget=0),
        "zero budget, free set": build([0, 1], [0, 1], costs=[0, 1], budget=0),
        "all free": build([0, 1, 2], [0, 1, 1], costs=[0, 0, 0], budget=0),
        "everything fits": build([0, 1, 2], [0, 1, 2], budget=3),
        "nothing fits": build([0, 1], [0, 1], costs=[5, 6], budget=4),
        "all weights zero": build([0, 1], [0, 1], weights=[0, 0], budget=1),
        "element in no set": build([0], [0], weights=[1, 50], budget=1),
        "identical sets": build([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], budget=2),
        "three tenths": build([0, 1, 2], [0, 1, 2], costs=[0.1, 0.1, 0.1], budget=0.3),
        "greedy trap": generate.greedy_trap(50),
        "ratio trap": generate.ratio_trap(12),
        "group of none": build([0, 1], [0, 1], budget=2, groups=["a", None], max_items=0),
    }
