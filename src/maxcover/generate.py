"""Generate: seeded random problems, for tests, experiments and benchmarks alike.

Every function gives the same problem for the same arguments on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.problem import CoverageProblem
from maxcover.errors import OptionError
from maxcover.ground.options import checked

if TYPE_CHECKING:
    from maxcover.ground.array_types import Int64s

__all__ = ["biregular", "bmcp", "erdos_renyi", "greedy_trap", "ratio_trap", "zipf"]


@checked
def biregular(
    n_sets: int,
    n_elements: int,
    set_degree: int,
    element_degree: int,
    *,
    budget: float,
    high: int = 10,
    seed: int = 0,
) -> CoverageProblem:
    """Make a random biregular graph, as in the paper: the configuration model without double edges.

    Costs and weights are uniform integers from 1 to `high`; ``high=1`` is the unweighted problem of
    Takabe, Maehara and Hukushima.

    Examples
    --------
    >>> biregular(100, 300, 9, 3, budget=100, seed=0)
    CoverageProblem(100 sets, 300 elements, 900 edges, budget 100)
    """
    if n_sets * set_degree != n_elements * element_degree:
        raise OptionError(
            f"expected n_sets * set_degree == n_elements * element_degree, got {n_sets} * "
            f"{set_degree} and "
            f"{n_elements} * {element_degree}"
        )
    if set_degree > n_elements:
        raise OptionError(f"expected set_degree at most n_elements {n_elements}, got {set_degree}")
    rng = np.random.default_rng(seed)
    if 2 * set_degree > n_elements:  # draw the complement: it is sparser, and biregular too
        others = _simple_edges(
            n_sets, n_elements, n_elements - set_degree, n_sets - element_degree, rng
        )
        present = np.ones((n_sets, n_elements), dtype=bool)
        present[others] = False
        sets, elements = np.nonzero(present)
    else:
        sets, elements = _simple_edges(n_sets, n_elements, set_degree, element_degree, rng)
    return _with_numbers(sets, elements, (n_sets, n_elements), budget=budget, high=high, rng=rng)


def _with_numbers(
    sets: Int64s,
    elements: Int64s,
    sizes: tuple[int, int],
    *,
    budget: float,
    high: int,
    rng: np.random.Generator,
) -> CoverageProblem:
    """Return the problem of these edges, with uniform costs and weights from 1 to `high`."""
    costs, weights = (rng.integers(1, high, size, endpoint=True) for size in sizes)
    return CoverageProblem.from_edges(sets, elements, costs=costs, weights=weights, budget=budget)


def _simple_edges(
    n_sets: int, n_elements: int, set_degree: int, element_degree: int, rng: np.random.Generator
) -> tuple[Int64s, Int64s]:
    """Pair sets with elements at random, then swap repeated edges until no edge is repeated."""
    sets = np.repeat(np.arange(n_sets), set_degree)
    elements = rng.permutation(np.repeat(np.arange(n_elements), element_degree))
    while True:
        keys = sets * n_elements + elements
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        repeated = order[1:][keys[1:] == keys[:-1]]
        if not repeated.size:
            return sets, elements
        for edge, other in zip(
            repeated, rng.integers(0, elements.size, repeated.size), strict=True
        ):
            swapped = np.array([sets[edge], sets[other]]) * n_elements
            swapped += elements[[other, edge]]
            places = np.minimum(np.searchsorted(keys, swapped), keys.size - 1)
            if not (keys[places] == swapped).any():  # swap only if both new edges are new
                elements[edge], elements[other] = elements[other], elements[edge]


@checked
def erdos_renyi(
    n_sets: int,
    n_elements: int,
    mean_degree: float,
    *,
    budget: float,
    high: int = 10,
    seed: int = 0,
) -> CoverageProblem:
    """Make a graph in which every set covers every element with the same probability.

    Examples
    --------
    >>> erdos_renyi(50, 100, 4.0, budget=20, seed=1)
    CoverageProblem(50 sets, 100 elements, 206 edges, budget 20)
    """
    rng = np.random.default_rng(seed)
    degrees = rng.binomial(n_elements, min(1.0, mean_degree / max(1, n_elements)), n_sets)
    drawn = [rng.choice(n_elements, degree, replace=False, shuffle=False) for degree in degrees]
    elements = np.concatenate([*drawn, np.empty(0, dtype=np.int64)])
    sets = np.repeat(np.arange(n_sets), degrees)
    return _with_numbers(sets, elements, (n_sets, n_elements), budget=budget, high=high, rng=rng)


@checked
def bmcp(
    n_sets: int, n_elements: int, density: float, *, budget: float, high: int = 100, seed: int = 0
) -> CoverageProblem:
    """Make a dense problem in the manner of the budgeted-maximum-coverage literature.

    Each pair is an edge with probability `density` (0.05 to 0.3 there), costs and weights are
    uniform integers from 1 to `high`. On these the LP bound is loose and exchange search matters.

    Examples
    --------
    >>> bmcp(60, 50, 0.075, budget=150, seed=2)
    CoverageProblem(60 sets, 50 elements, 230 edges, budget 150)
    """
    return erdos_renyi(
        n_sets, n_elements, density * n_elements, budget=budget, high=high, seed=seed
    )


@checked
def zipf(
    n_sets: int,
    n_elements: int,
    n_edges: int,
    *,
    budget: float,
    exponent: float = 1.0,
    high: int = 10,
    seed: int = 0,
) -> CoverageProblem:
    """Make a heavy-tailed graph: the k-th largest degree is proportional to k^-exponent.

    Repeated edges are merged, so there are a few fewer than `n_edges`.

    Examples
    --------
    >>> zipf(100, 200, 1000, budget=50, seed=3)
    CoverageProblem(100 sets, 200 elements, 661 edges, budget 50)
    """
    rng = np.random.default_rng(seed)
    ends = []
    for size in (n_sets, n_elements):
        share = np.cumsum(np.arange(1, size + 1) ** -exponent)
        ranks = np.searchsorted(share, rng.random(n_edges) * share[-1])
        ends.append(rng.permutation(size)[ranks])
    sets, elements = ends
    return _with_numbers(sets, elements, (n_sets, n_elements), budget=budget, high=high, rng=rng)


@checked
def greedy_trap(budget: int = 100) -> CoverageProblem:
    """Make a problem on which greedy by gain per cost fails: a tiny set blocks the one large set.

    g-greedy gets 2, the optimum is `budget`: Algorithm 1 has no constant guarantee. Comparing with
    the best single set avoids the trap.

    Examples
    --------
    >>> greedy_trap(100).weights
    array([  2., 100.])
    """
    return CoverageProblem.from_edges(
        [0, 1], [0, 1], costs=[1, budget], weights=[2, budget], budget=budget
    )


@checked
def ratio_trap(budget: int = 100) -> CoverageProblem:
    """Make a problem on which greedy by gain fails: the best single set costs the whole budget.

    greedy gets 2, the optimum is `budget`.

    Examples
    --------
    >>> ratio_trap(100).n_sets
    101
    """
    return CoverageProblem.from_edges(
        np.arange(budget + 1),
        np.arange(budget + 1),
        costs=[budget, *[1] * budget],
        weights=[2, *[1] * budget],
        budget=budget,
    )
