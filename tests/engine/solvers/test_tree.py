"""The tree against brute force."""

import numpy as np
import pytest

from maxcover import generate
from maxcover.engine.core import bounds
from maxcover.engine.core.relaxation import improve_dual
from maxcover.engine.solvers.tree_search import TreeSearch
from tests.instances import random_problem
from tests.reference import brute_force, is_allowed, value_of


def searched(problem, *, dual=None, above=None, work=np.inf):
    """Return a search of the whole problem, or of as much of it as `work` allows."""
    dual = dual or improve_dual(problem, bounds.reduced(problem), steps=50)
    tree = TreeSearch(problem, dual, most_kept=0)
    if above is not None:
        tree.beat(above)
    tree.search(work, lambda: False)
    return tree


def dual_at_random(problem, rng):
    return bounds.Dual(float(rng.random()) * 3, problem.weights * rng.random(problem.n_elements))


@pytest.mark.parametrize("batch", range(4))
@pytest.mark.parametrize("start", ["good", "random"])
def test_finds_the_optimum(batch, start):
    """Also from a poor dual point, which takes more nodes."""
    rng = np.random.default_rng(batch)
    for _ in range(150):
        problem = random_problem(rng, most_sets=10, groups=False)
        best, _ = brute_force(problem)
        tree = searched(problem, dual=dual_at_random(problem, rng) if start == "random" else None)
        assert not tree.open_nodes.size
        assert is_allowed(problem, tree.selected)
        assert value_of(problem, tree.selected) == pytest.approx(best, rel=1e-9, abs=1e-300)
        assert bounds.proves(problem, tree.value, tree.bound)
        assert tree.bound >= best * (1 - 1e-12)


def test_says_when_nothing_better_exists():
    problem = generate.biregular(20, 60, 9, 3, budget=20, seed=1)
    best = searched(problem).value
    tree = searched(problem, above=best)
    assert tree.selected is None
    assert not tree.open_nodes.size
    assert bounds.round_down(problem, tree.bound) == best


def test_every_amount_of_work_gives_a_bound():
    """The bound holds wherever the search stops, and going on changes nothing."""
    problem = generate.bmcp(60, 50, 0.2, budget=300, seed=0)
    whole = searched(problem)
    assert not whole.open_nodes.size
    last, tree = np.inf, searched(problem, work=0)
    while tree.open_nodes.size:
        tree.search(tree.work + 1, lambda: False)
        assert whole.value <= tree.bound <= last
        last = tree.bound
    assert (tree.value, tree.nodes) == (whole.value, whole.nodes)
    np.testing.assert_array_equal(tree.selected, whole.selected)
