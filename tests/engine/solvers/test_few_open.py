"""Few sets that can be chosen among many: the others are left out, and the answer mapped back."""

import numpy as np
import pytest

from maxcover import CoverageProblem, solve, verify
from maxcover.engine.solvers.auto import opened
from maxcover.engine.solvers.control import Control

# Each set of options of a constructor is one kind of problem.
KINDS = (
    {},
    {"groups": [str(i % 3) for i in range(300)], "max_items": 2},
    {"groups": [str(i % 3) for i in range(300)], "min_items": 1},
    {"conflicts": [[i, i + 1] for i in range(0, 298, 7)]},
    {"need": [1 + a % 2 for a in range(90)]},
    {"chance": 0.6},
    {"best": 0.5},
)


def among_many(seed, **options):
    """Return 300 sets of which 13 can be chosen and 1 is required, and these 14 by themselves."""
    random = np.random.default_rng(seed)
    sets = [np.sort(random.choice(90, random.integers(1, 9), replace=False)) for _ in range(300)]
    costs, weights = random.integers(1, 6, 300), random.random(90)
    kept = np.sort(random.choice(300, 14, replace=False))
    required = kept[[3]]

    def posed(members, **changes):
        given = options | changes
        if "groups" in given:
            given["groups"] = [given["groups"][i] for i in members]
        if "conflicts" in given:
            place = {int(i): k for k, i in enumerate(members)}
            pairs = [pair for pair in given["conflicts"] if {*pair} <= {*place}]
            given["conflicts"] = [[place[i] for i in pair] for pair in pairs]
        return CoverageProblem.from_edges(
            np.repeat(np.arange(len(members)), [len(sets[i]) for i in members]),
            np.concatenate([sets[i] for i in members]),
            costs=costs[members],
            weights=weights,
            n_elements=90,
            budget=16,
            required=np.searchsorted(members, required),
            **given,
        )

    everything = np.arange(300)
    return posed(everything, forbidden=np.setdiff1d(everything, kept)), posed(kept), kept


@pytest.mark.parametrize("options", KINDS, ids=lambda kind: "-".join(kind) or "plain")
@pytest.mark.parametrize("seed", range(6))
def test_the_answer_is_that_of_the_open_sets_alone(options, seed):
    problem, alone, kept = among_many(seed, **options)
    found, best = solve(problem), solve(alone, method="exact")
    assert found.value == pytest.approx(best.value)
    assert found.upper_bound >= best.value * (1 - 1e-12)
    assert {*found.selected.tolist()} <= {*kept.tolist()}
    assert verify(problem, found)


@pytest.mark.parametrize("options", KINDS[:5], ids=lambda kind: "-".join(kind) or "plain")
def test_the_search_holds_no_sets_that_cannot_be_chosen(options):
    problem, _, kept = among_many(0, **options)
    run = opened(problem, Control(), 1)
    assert run.problem.n_sets == kept.size
    assert run.is_small


def test_an_earlier_selection_is_found_among_the_open_sets():
    problem, _, _ = among_many(1)
    first = solve(problem)
    again = solve(problem, start=first)
    assert again.value >= first.value
    assert again.info["kept"] > 0
