"""What `effort` promises: more of it finds and proves more, and every door takes it."""

import numpy as np
import pytest

from maxcover import CoverageProblem, generate, pack, solve, summarize
from maxcover.engine.solvers import EFFORTS
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.exchange import Exchange
from maxcover.errors import OptionError

TEXT = "Cats purr. Dogs bark at cats. All cats and dogs sleep a lot. Birds sing to dogs at night."


@pytest.fixture(scope="module")
def by_effort():
    graphs = [generate.biregular(150, 450, 9, 3, budget=150, seed=seed) for seed in range(4)]
    graphs.append(generate.zipf(400, 300, 3000, budget=60, seed=1))
    rng = np.random.default_rng(1)  # dense: the linear relaxation leaves a gap of six per cent
    dense = [rng.choice(200, 10, replace=False).tolist() for _ in range(160)]
    graphs.append(CoverageProblem.from_sets(dense, budget=15))
    return {effort: [solve(graph, effort=effort) for graph in graphs] for effort in EFFORTS}


def test_more_effort_finds_and_proves_more(by_effort):
    values = {effort: sum(s.value for s in found) for effort, found in by_effort.items()}
    gaps = {effort: sum(s.gap for s in found) for effort, found in by_effort.items()}
    assert values["fast"] < values["normal"] <= values["thorough"]
    assert gaps["fast"] > gaps["normal"] > gaps["thorough"]
    assert values["fast"] > 0.99 * values["thorough"]


def test_fast_neither_believes_nor_branches(by_effort):
    parts = {step.part for solution in by_effort["fast"] for step in solution.trace}
    assert parts <= {"greedy", "dual bound", "exchange search", "certificate"}


def test_thorough_gives_the_same_answer_twice(by_effort):
    again = solve(generate.biregular(150, 450, 9, 3, budget=150, seed=0), effort="thorough")
    assert again.selected.tolist() == by_effort["thorough"][0].selected.tolist()
    assert again.upper_bound == by_effort["thorough"][0].upper_bound


def test_every_door_takes_it():
    for effort in EFFORTS:
        assert summarize(TEXT, budget=8, effort=effort).text
        assert pack([TEXT, "Dogs bark."], budget=12, effort=effort).text


@pytest.mark.parametrize("call", [solve, lambda problem, **options: summarize(TEXT, **options)])
def test_what_it_is_not_for_is_refused(call):
    problem = generate.greedy_trap()
    with pytest.raises(OptionError, match=r"one of fast, normal, thorough, got 'hard'"):
        call(problem, effort="hard")
    with pytest.raises(OptionError, match=r"effort only for method 'auto', got 'fast'"):
        call(problem, method="g-greedy", effort="fast")


def test_a_stale_search_ends():
    """Where nothing moves, most of the moves are not made; where something does, they are."""
    sets = np.repeat(np.arange(600), 2)
    flat = CoverageProblem.from_edges(sets, np.arange(1200), budget=300)
    hard = generate.biregular(600, 1800, 9, 3, budget=600, seed=0)
    used = []
    for problem in (flat, hard):
        start = solve(problem, method="g-greedy", bound="quick").selected
        exchange = Exchange(problem, seed=0)
        exchange.improve(start, effort=1.0, control=Control())
        used.append(exchange.used)
    assert used[0] < 0.6 * used[1]


def test_the_tree_finds_a_cover_among_decoys():
    """Every decoy covers more than a set of the cover: only a tree finds it."""
    rng = np.random.default_rng(2)
    cover = rng.permutation(180).reshape(18, 10)
    decoys = [rng.choice(180, 11, replace=False) for _ in range(200)]
    problem = CoverageProblem.from_sets([row.tolist() for row in (*decoys, *cover)], budget=18)
    found = solve(problem, effort="thorough")
    assert (found.value, found.status) == (180, "optimal")
    assert any(step.part == "branch and bound" for step in found.trace)
