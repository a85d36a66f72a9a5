"""Replica: the replica-symmetric densities of biregular ensembles, by population dynamics.

In the limit of large graphs a neighbourhood is a tree, and belief propagation is a recursion of the
distribution of its messages. A population of messages r = e^{-beta h_hat} stands for the
distribution; if costs and weights are all equal it is a single number, the scalar equation of
Takabe, Maehara and Hukushima. Beginning from r = 1, the population after k sweeps is that of trees
of depth k whose leaves are sets with one element.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.engine.kernels.propagate import prior_odds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.ground.array_types import Floats


class Densities(NamedTuple):
    """What a set costs and an element gives on average, each with its standard error.

    Attributes
    ----------
    cost : float
        Expected cost of the chosen sets, per set.
    weight : float
        Expected weight of the elements that count as covered, per element.
    cost_error, weight_error : float
        Standard errors of the population; 0 if it has one member.
    moved : float
        Range of the mean message over the last ten sweeps.
    """

    cost: float
    weight: float
    cost_error: float
    weight_error: float
    moved: float


def replica_symmetric(
    set_degree: int,
    element_degree: int,
    *,
    beta: float,
    mu: float,
    costs: Sequence[float] = (1.0,),
    weights: Sequence[float] = (1.0,),
    hard: bool = False,
    size: int = 20_000,
    sweeps: int = 200,
    damping: float = 0.3,
    seed: int = 0,
) -> Densities:
    """Return the densities of infinite biregular graphs at one temperature and price.

    Parameters
    ----------
    set_degree, element_degree : int
    beta, mu : float
    costs, weights : sequence of float
        Each set and element draws one of these, all equally likely.
    hard : bool
        Whether a covered element always counts.
    size : int
        Messages in the population.
    sweeps : int
    damping : float
        Share of the messages that stay as they are in a sweep.
    seed : int

    Returns
    -------
    Densities
        Those of belief propagation on large graphs where it converges; where it does not, the
        population may keep moving, which `moved` says. Costs `sweeps` passes over the population.

    Examples
    --------
    >>> found = replica_symmetric(9, 3, beta=1.0, mu=1.0, size=1)
    >>> round(found.cost, 4), round(found.weight, 4)
    (0.5956, 0.7129)
    """
    rng = np.random.default_rng(seed)
    prices, values = np.asarray(costs, float), np.asarray(weights, float)
    r, history = np.ones(size), []
    for _ in range(sweeps):
        drawn = rng.choice(values, size)
        paid = rng.choice(prices, (size, element_degree - 1))
        others = _odds(rng, r, paid, set_degree - 1, beta * mu)
        reached = np.prod(1.0 + others, axis=1) * (1.0 + prior_odds(beta * drawn, hard=hard))
        stays = rng.random(size) < damping if size > 1 else np.full(1, damping)
        r = stays * r + (1.0 - stays) * (1.0 - 1.0 / reached)
        history.append(float(r.mean()))
    paid = rng.choice(prices, (size, 1))
    odds = _odds(rng, r, paid, set_degree, beta * mu)
    cost = (paid * odds / (1.0 + odds)).ravel()
    drawn = rng.choice(values, size)
    paid = rng.choice(prices, (size, element_degree))
    missed = 1.0 / np.prod(1.0 + _odds(rng, r, paid, set_degree - 1, beta * mu), axis=1)
    gain = np.exp(np.minimum(beta * drawn, 700.0))
    covered = gain * (1 - missed)
    counts = drawn * covered / (covered + missed + (0.0 if hard else 1 - missed))
    error = size**-0.5 if size > 1 else 0.0
    return Densities(
        float(cost.mean()),
        float(counts.mean()),
        float(cost.std()) * error,
        float(counts.std()) * error,
        float(np.ptp(history[-10:])),
    )


def _odds(rng: np.random.Generator, r: Floats, costs: Floats, degree: int, price: float) -> Floats:
    """Return the odds of sets with these costs that hear `degree` messages of the population."""
    heard = r[rng.integers(0, r.size, (*costs.shape, degree))]
    log_odds = -price * costs - np.log(np.maximum(heard, 1e-300)).sum(axis=-1)
    odds: Floats = np.exp(np.minimum(log_odds, 300.0))
    return odds
