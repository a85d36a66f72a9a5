"""Shortlist: its answers keep required sets, are no worse than greedy, and their bounds hold."""

import numpy as np
import pytest

import maxcover.summary.summarize as module
from maxcover import CoverageProblem, solve, summarize, verify
from maxcover.summary.shortlist import solve_shortlist


def some_problem(seed):
    """Return a random problem of 60 sets, two of them required and three forbidden."""
    random = np.random.default_rng(seed)
    sets = [random.choice(90, random.integers(1, 8), replace=False).tolist() for _ in range(60)]
    return CoverageProblem.from_sets(
        sets,
        costs=random.integers(1, 6, 60),
        weights=dict(enumerate(random.random(90))),
        budget=25,
        required=[3, 7],
        forbidden=[1, 2, 9],
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_bound_holds_and_greedy_is_no_better(seed):
    problem = some_problem(seed)
    found, best = solve_shortlist(problem), solve(problem, method="exact")
    assert found.upper_bound >= best.value * (1 - 1e-12)
    assert found.value >= solve(problem, method="g-greedy").value
    assert found.value >= 0.98 * best.value
    assert {3, 7} <= {*found.selected.tolist()}
    assert verify(problem, found)


def test_a_summary_by_way_of_a_shortlist_is_as_good(monkeypatch):
    random = np.random.default_rng(0)
    words = [f"{a}{b}{c}ing" for a in "bdfglmnprst" for b in "aeiou" for c in "bdfglmnprst"]
    text = " ".join(
        f"The {' '.join(random.choice(words, random.integers(5, 12)))} was seen."
        for _ in range(300)
    )
    whole = summarize(text, budget=80)
    monkeypatch.setattr(module, "MANY", 2)
    short = summarize(text, budget=80)
    assert short.problem.n_edges == whole.problem.n_edges
    assert short.cost <= 80
    assert short.value >= 0.99 * whole.value
    assert short.upper_bound >= whole.value
