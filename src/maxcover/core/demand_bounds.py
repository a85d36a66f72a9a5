r"""The upper bound of problems with minima of groups and elements that need several sets.

The inequality of `maxcover.core.bounds` with three more kinds of numbers. An element that needs
``k`` sets pays ``lam / k`` to each of its sets. A reward ``r[g]`` for each set of a group, and one
for each unit of its cost, may have either sign: all selections together earn at least ``r * least``
where it is positive, and pay at least ``r * most`` where it is negative, so that is taken off. A
premium ``t[g] >= 0`` on the weight that a group's minimum of a share is about raises the weights of
these elements, less ``t * least``. So a feasible selection is worth at most

    mu * budget - sum_g earned[g] + sum_a (w'[a] - lam[a])
    + sum_i max(0, sum_{a in i} lam[a] / k[a] - mu * cost[i] + r[g(i)] + r'[g(i)] * cost[i])

for any ``mu, t >= 0``, any ``r`` and ``0 <= lam <= w'``, with what the required sets cover, cost
and hold taken off. It is evaluated in floating point and raised by what rounding may hide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.core import demands
from maxcover.core.needs import COST, ITEMS, SHARE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem

    Floats = NDArray[np.float64]


class Left(NamedTuple):
    """What the required sets leave: of needs, of minima and of maxima of groups."""

    have: NDArray[np.bool_]
    needs: Floats
    least: Floats
    most: Floats
    room: float


def left_of(problem: CoverageProblem) -> Left:
    """Take the required sets as chosen. Costs are numbers here, not ticks."""
    required = problem.required
    needs = problem.needs.astype(np.float64) if problem.needs.size else np.ones(problem.n_elements)
    counts = demands.held(problem, required)
    most = np.stack((problem.group_items, problem.group_costs))
    least = np.zeros((3, problem.n_groups))
    have = np.zeros_like(least)
    if problem.group_least.size:
        have, least = demands.reached(problem, required)
    elif problem.n_groups:
        inside = required[problem.group_of[required] >= 0]
        group, size = problem.group_of[inside], problem.n_groups
        have[ITEMS] = np.bincount(group, minlength=size)
        have[COST] = np.bincount(group, weights=problem.costs[inside], minlength=size)
    return Left(
        have=counts >= needs,
        needs=np.maximum(needs - counts, 1.0),
        least=np.maximum(least * (1 - demands.ROUNDING) - have, 0.0),
        most=most - have[:2],
        room=float(problem.budget - problem.costs[required].sum()),
    )


def demanding_bound(
    problem: CoverageProblem, price: float, shares: Floats, rewards: Floats | None
) -> float:
    """Return the bound that a dual point gives; any point, moved into its domain first.

    `price` is that of a unit of cost.
    """
    left, n_groups = left_of(problem), problem.n_groups
    if rewards is None or rewards.shape != (3, n_groups):
        rewards = np.zeros((3, n_groups))
    rewards = np.nan_to_num(rewards, nan=0.0, posinf=0.0, neginf=0.0)
    # a reward below zero is about a maximum: without one there is nothing to pay for
    rewards[:2] = np.where((rewards[:2] < 0) & ~np.isfinite(left.most), 0.0, rewards[:2])
    rewards[SHARE] = np.maximum(rewards[SHARE], 0.0)
    shared = demands.shared_weight(problem)
    premium = np.bincount(
        shared.elements, weights=rewards[SHARE][shared.groups], minlength=problem.n_elements
    )
    weights = np.where(left.have, 0.0, problem.weights * (1.0 + premium))
    shares = np.fmin(np.fmax(shares, 0.0), weights)
    price = price if 0.0 < price < np.inf else 0.0
    degrees = np.diff(problem.indptr)
    rows = np.repeat(np.arange(problem.n_sets), degrees)
    income = np.bincount(
        rows, weights=(shares / left.needs)[problem.indices], minlength=problem.n_sets
    )
    own = np.append(rewards, np.zeros((3, 1)), axis=1)[:, problem.group_of]
    profit = income - price * problem.costs + own[ITEMS] + own[COST] * problem.costs
    size = income + (price + np.abs(own[COST])) * problem.costs + np.abs(own[ITEMS])
    worth = np.where(problem.choosable, np.maximum(profit, 0.0), 0.0)
    most = np.where(np.isfinite(left.most), left.most, 0.0)
    limits = np.where(rewards[:2] > 0, left.least[:2], most)
    earned = np.concatenate((rewards[:2] * limits, rewards[SHARE:] * left.least[SHARE:]))
    base = float(problem.weights[left.have].sum())
    parts = (base, price * left.room, float((weights - shares).sum()), float(worth.sum()))
    # sums along a set add one after the other, others in pairs; each term is rounded a few times
    terms = int(degrees.max(initial=0)) + 256
    rough = sum(map(abs, parts)) + float(np.abs(earned).sum())
    rough += float(size[problem.choosable].sum()) + float(weights.sum())
    return float(sum(parts) - float(earned.sum()) + terms * 2.0**-51 * rough)
