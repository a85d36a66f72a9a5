"""Earlier selections: where to begin, and what it costs to leave them."""

import random
from itertools import combinations

import numpy as np
import pytest

from maxcover import METHODS, CoverageProblem, cover, generate, load, save, solve, verify
from maxcover.engine.core.stability import price_of_change
from maxcover.errors import OptionError, ProblemError
from tests.reference import is_allowed, value_of


def drawn(k):
    rng = random.Random(k)
    n, m = rng.randint(3, 7), rng.randint(3, 10)
    sets = [[a for a in range(m) if rng.random() < 0.35] for _ in range(n)]
    costs = [rng.randint(1, 5) for _ in range(n)]
    limits = {"groups": [rng.choice("ab") for _ in range(n)], "max_items": 2} if k % 3 == 0 else {}
    problem = CoverageProblem.from_edges(
        [i for i, own in enumerate(sets) for _ in own],
        [a for own in sets for a in own],
        costs=costs,
        weights=[rng.randint(1, 9) for _ in range(m)],
        budget=rng.randint(1, sum(costs)),
        n_sets=n,
        forbidden=[rng.randrange(n)] if k % 4 == 0 else [],
        **limits,
    )
    # often too dear, or forbidden
    return problem, sorted(rng.sample(range(n), rng.randint(1, n - 1)))


def every(problem):
    n = problem.n_sets
    return [one for size in range(n + 1) for one in combinations(range(n), size)]


@pytest.mark.parametrize("method", METHODS)
def test_the_objective_is_value_and_what_is_kept(method):
    for k in range(40):
        problem, start = drawn(k)
        price = price_of_change(problem, np.setdiff1d(start, problem.forbidden), 0.5)
        solution = solve(problem, method=method, start=start, change_cost=0.5, seed=k)
        assert verify(problem, solution).ok
        worth = {
            one: value_of(problem, one) + price * len({*one} & {*start})
            for one in every(problem)
            if is_allowed(problem, one)
        }
        best = max(worth.values())
        reached = worth[tuple(solution.selected.tolist())]
        if solution.selected.size and "objective" in solution.info:
            assert solution.info["objective"] == pytest.approx(reached)
            assert solution.info["objective_bound"] >= best - 1e-9
        assert reached >= METHODS[method].guarantee * best - 1e-9 or not problem.is_plain
        assert solution.value == value_of(problem, solution.selected)
        assert solution.upper_bound >= max(value_of(problem, one) for one in worth)
        assert solution.info["kept"] == len({*solution.selected.tolist()} & {*start})
        if method == "exact":
            assert reached == pytest.approx(best)


def test_a_plan_leaves_its_start_only_for_less():
    for k in range(60):
        problem, start = drawn(k)
        usable = [i for i in range(problem.n_sets) if i not in problem.forbidden]
        most = problem.value(usable)
        if not problem.is_plain or not most:
            continue
        need = 0.7 * most
        plan = cover(problem, weight=need, start=start, change_cost=0.2, method="exact", seed=k)
        assert verify(problem, plan).ok
        enough = [
            one for one in every(problem) if {*one} <= {*usable} and value_of(problem, one) >= need
        ]

        def dear(one, problem=problem, start=start):
            return sum(problem.costs[i] * (0.8 if i in start else 1.0) for i in one)

        assert dear(plan.selected) == pytest.approx(min(map(dear, enough)))
        assert plan.lower_bound <= min(problem.costs[list(one)].sum() for one in enough)


def test_nothing_changes_where_nothing_has_changed():
    problem = generate.biregular(300, 900, 9, 3, budget=90, seed=1)
    first = solve(problem)
    for method in ("auto", "exact"):
        again = solve(problem, start=first, change_cost=0.01, method=method, time_limit=60)
        assert np.array_equal(again.selected, first.selected)
    plan = cover(problem, target=0.8)
    again = cover(problem, target=0.8, start=plan, change_cost=0.01)
    assert np.array_equal(again.selected, plan.selected)
    assert again.lower_bound <= again.cost


def test_a_start_is_never_made_worse():
    problem = generate.biregular(300, 900, 9, 3, budget=90, seed=2)
    best = solve(problem, effort="thorough")
    assert solve(problem, start=best.selected, effort="fast").value >= best.value
    cheap = cover(problem, target=0.9, time_limit=1)
    assert cover(problem, target=0.9, start=cheap, method="greedy").cost <= cheap.cost


def test_labels_are_looked_up(tmp_path):
    first = CoverageProblem.from_sets({"a": [1, 2], "b": [3, 4], "c": [5]}, budget=2)
    found = solve(first)
    save(found, tmp_path / "last.json")
    later = CoverageProblem.from_sets({"x": [1, 2], "b": [3, 4], "y": [3, 4]}, budget=2)
    again = solve(later, start=load(tmp_path / "last.json"), change_cost=0.1)
    assert again.labels == ("x", "b")
    assert again.info["kept"] == 1


def test_what_is_refused():
    problem = CoverageProblem.from_sets([[1], [2]], budget=1)
    with pytest.raises(OptionError, match=r"no start for method 'bp', .* can: auto, exact"):
        solve(problem, method="bp", start=[0])
    for function, asked in ((solve, {}), (cover, {"target": 1.0})):
        with pytest.raises(OptionError, match="start together with change_cost"):
            function(problem, change_cost=0.1, **asked)
        with pytest.raises(OptionError, match="change_cost"):
            function(problem, start=[0], change_cost=-1, **asked)
        with pytest.raises(ProblemError, match="start"):
            function(problem, start=[7], **asked)
