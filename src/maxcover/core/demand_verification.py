"""Check minima, needs and the bound of a demanding problem: integers and fractions only.

The slow twin of `maxcover.core.demand_bounds`, whose inequality it evaluates exactly.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maxcover.core.rational import read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Solution

# Costs and shares of minima are met to this fraction of them.
ROUNDING = Fraction(1, 10**12)


def held(problem: CoverageProblem, sets: Iterable[int]) -> Counter[int]:
    """Return how many sets hold each element."""
    return Counter(a for i in sets for a in problem.elements_of(i).tolist())


def enough(problem: CoverageProblem, sets: Iterable[int]) -> set[int]:
    """Return the elements that as many sets hold as they need."""
    needs = problem.needs.tolist() or [1] * problem.n_elements
    return {a for a, count in held(problem, sets).items() if count >= needs[a]}


def minima_of(problem: CoverageProblem, sets: list[int]) -> list[list[tuple[Fraction, Any]]]:
    """Return of each group what sets reach, and the minimum: sets, cost and weight."""
    covered, group = enough(problem, sets), problem.group_of.tolist()
    costs = [read(x) for x in problem.costs.tolist()]
    weights = [read(x) for x in problem.weights.tolist()]
    found = []
    for k in range(problem.n_groups if problem.group_least.size else 0):
        inside = [i for i in sets if group[i] == k]
        mine = held(problem, [i for i in range(problem.n_sets) if group[i] == k])
        total = sum((weights[a] for a in mine), Fraction())
        items, cost, share = (read(x) for x in problem.group_least[:, k].tolist())
        have = sum((weights[a] for a in mine if a in covered), Fraction())
        spent = sum((costs[i] for i in inside), Fraction())
        found.append([(Fraction(len(inside)), items), (spent, cost), (have, share * total)])
    return found


def reaches_minima(problem: CoverageProblem, sets: list[int]) -> bool:
    """Whether every group has what it needs."""
    return all(
        have >= least * (1 - ROUNDING)
        for group in minima_of(problem, sets)
        for have, least in group
    )


def bound_of(problem: CoverageProblem, solution: Solution) -> Fraction:
    """Evaluate the inequality at the solution's dual point, moved into its domain."""
    weights = [read(x) for x in problem.weights.tolist()]
    dual, required = solution.dual, problem.required.tolist()
    if dual is None or len(dual.shares) != len(weights) or not 0 < dual.unit < math.inf:
        return sum(weights, Fraction())
    costs = [read(x) for x in problem.costs.tolist()]
    needs = problem.needs.tolist() or [1] * len(weights)
    counts, have = held(problem, required), enough(problem, required)
    group, n_groups = problem.group_of.tolist(), problem.n_groups
    rewards = [[Fraction()] * n_groups for _ in range(3)]
    if dual.rewards is not None and dual.rewards.shape == (3, n_groups):
        rewards = [[Fraction(x) if math.isfinite(x) else Fraction() for x in row]
                   for row in dual.rewards.tolist()]  # fmt: skip
    earned, premium = Fraction(), [Fraction(1)] * len(weights)
    least = minima_of(problem, required) or [[(Fraction(), Fraction())] * 3] * n_groups
    for k in range(n_groups):
        inside = [i for i in required if group[i] == k]
        used = Fraction(len(inside)), sum((costs[i] for i in inside), Fraction())
        most = read(float(problem.group_items[k])), read(float(problem.group_costs[k]))
        for kind in range(2):
            if rewards[kind][k] < 0 and most[kind] == math.inf:
                rewards[kind][k] = Fraction()
            there, minimum = least[k][kind]
            floor = max(minimum * (1 - ROUNDING) - there, Fraction())
            end = floor if rewards[kind][k] > 0 else most[kind]
            end = end - used[kind] if rewards[kind][k] < 0 else end
            earned += rewards[kind][k] * end if rewards[kind][k] else 0
        extra = rewards[2][k] = max(rewards[2][k], Fraction())
        if extra and problem.group_least.size and problem.group_least[2, k] > 0:
            there, minimum = least[k][2]
            earned += extra * max(minimum * (1 - ROUNDING) - there, Fraction())
            for a in held(problem, [i for i in range(problem.n_sets) if group[i] == k]):
                premium[a] += extra
    left = [Fraction() if a in have else w * premium[a] for a, w in enumerate(weights)]
    stated = [Fraction(x) if math.isfinite(x) else Fraction() for x in dual.shares.tolist()]
    shares = [min(max(x, Fraction()), w) for x, w in zip(stated, left, strict=True)]
    paid = [x / max(need - counts[a], 1) if x else x
            for a, (x, need) in enumerate(zip(shares, needs, strict=True))]  # fmt: skip
    price = Fraction(dual.price) / Fraction(dual.unit) if 0 < dual.price < math.inf else Fraction()
    room = read(problem.budget) - sum((costs[i] for i in required), Fraction())
    out, profit = {*required, *problem.forbidden.tolist()}, Fraction()
    limits = [*map(read, problem.group_costs.tolist()), math.inf]
    for i, cost in enumerate(costs):
        if i in out or cost > min(read(problem.budget), limits[group[i]]):
            continue
        income = sum((paid[a] for a in problem.elements_of(i).tolist()), Fraction())
        reward = Fraction()
        if group[i] >= 0:
            reward = rewards[0][group[i]] + rewards[1][group[i]] * cost
        profit += max(Fraction(), income - price * cost + reward)
    base = sum((weights[a] for a in have), Fraction())
    loose = sum(left, Fraction()) - sum(shares, Fraction())
    return Fraction(base + price * room - earned + loose + profit)
