"""Check a plan without trusting the code that made it: integers and fractions only.

The proof is the inequality of `maxcover.core.verification`, read the other way round: a selection
that covers the weight T, with what the required sets cover and cost taken off, costs at least

    (T - sum_a (w[a] - lam[a]) - sum_i max(0, sum_{a in i} lam[a] - mu * cost[i])) / mu

for every price ``mu > 0`` and shares ``0 <= lam[a] <= w[a]``. Sets that cost more than the plan are
left out: a selection that holds one costs more anyway. Linear in the edges.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maxcover.core.rational import ROUNDING, equal, read, union, whole
from maxcover.core.verdict import Verification

if TYPE_CHECKING:
    from maxcover.core.plan import Plan
    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Status

# Whose word a bound may rest on where the dual point proves less.
WITNESSES = ("HiGHS", "branch and bound")


def verify_plan(problem: CoverageProblem, plan: Plan) -> Verification:
    """Recompute value, cost, every limit, the target and the lower bound of a plan."""
    costs, places = whole(problem.costs.tolist())
    weights, scale = whole(problem.weights.tolist())
    chosen, required = plan.selected.tolist(), {*problem.required.tolist()}
    known = chosen == sorted({*chosen}) and all(0 <= i < problem.n_sets for i in chosen)
    found = {"the selection names sets of the problem, each once, in order": known}
    chosen = chosen if known else []
    value = Fraction(sum(weights[a] for a in union(problem, chosen)), scale)
    spent = Fraction(sum(costs[i] for i in chosen), places)
    found["every required set is selected"] = required <= {*chosen}
    found["no forbidden set is selected"] = not {*chosen} & {*problem.forbidden.tolist()}
    for k, (most, limit) in enumerate(zip(problem.group_items, problem.group_costs, strict=True)):
        inside = [i for i in chosen if problem.groups[i] == k]
        paid = Fraction(sum(costs[i] for i in inside), places)
        slack = 0 if places == 1 and paid < 2**61 else Fraction(len(inside) + 4, 2**50)
        kept = len(inside) <= most and paid <= read(limit) * (1 + slack)
        found[f"group {k} keeps its limits"] = bool(kept)
    total = Fraction(sum(weights), scale)
    goal = read(plan.target) if plan.share is None else read(plan.share) * total
    found["the target is as stated, and met"] = (
        math.isfinite(plan.target)
        and (plan.share is None or 0 < plan.share <= 1)
        and plan.target == float(goal)
        and value >= goal * (1 - ROUNDING)
    )
    names = problem.set_labels and tuple(problem.set_labels[i] for i in chosen)
    found["value, cost and labels are as stated"] = (
        equal(plan.value, value) and equal(plan.cost, spent) and plan.labels == names
    )
    said = read(plan.lower_bound) * (1 - ROUNDING)
    proven = min(_bound(problem, (costs, places), (weights, scale), (plan, goal, spent)), spent)
    rests = proven < said <= spent and plan.bound_by in WITNESSES
    words = f"no selection that meets the target costs less than {plan.lower_bound:.15g}"
    found[words] = bool(said <= (spent if rests else proven))
    step, most = math.gcd(*costs), max(costs, default=0)
    # whole numbers and decimals are exact; others, and numbers of too many digits, are not
    exact = spent * places < step * 2**61 and (
        places == 1 or (10**9 % places == 0 and most < 2**40)
    )
    near = Fraction(step, 2 * places) if exact else spent / 10**9
    is_best = bool(read(plan.lower_bound) * (1 + ROUNDING) >= spent - near)
    found["the status follows from the bound"] = is_best or plan.status != "optimal"
    status: Status = "within gap" if plan.status == "within gap" else "heuristic"
    status = "unverified" if not all(found.values()) else "optimal" if is_best else status
    return Verification(
        checked=tuple(text for text in found if found[text] and not (rests and text == words)),
        refused=tuple(f"not so: {text}" for text in found if not found[text]),
        trusted=(f"{plan.bound_by}: {words}",) if rests else (),
        bound=float(proven),
        solution=replace(plan, status=status),
    )


def _bound(
    problem: CoverageProblem,
    costs: tuple[list[int], int],
    weights: tuple[list[int], int],
    stated: tuple[Plan, Any, Fraction],
) -> Fraction:
    """Evaluate the inequality at the plan's dual point, moved into its domain."""
    (prices, places), (worth, per), (plan, goal, spent) = costs, weights, stated
    required = problem.required.tolist()
    paid = sum(prices[i] for i in required)
    least, dual = Fraction(paid, places), plan.dual
    if dual is None or len(dual.shares) != len(worth) or not 0 < dual.unit < math.inf:
        return least
    if not (0 < dual.price < math.inf and math.isfinite(goal)):
        return least
    have = union(problem, required)
    shares, own = whole([x if math.isfinite(x) else 0.0 for x in dual.shares.tolist()])
    scale = math.lcm(own, per)
    left = [0 if a in have else w * (scale // per) for a, w in enumerate(worth)]
    shares = [min(max(x * (scale // own), 0), w) for x, w in zip(shares, left, strict=True)]
    limits = [read(x) * places for x in problem.group_costs.tolist()] + [math.inf]
    out, group = {*required, *problem.forbidden.tolist()}, problem.group_of.tolist()
    most = spent * places - paid
    sets = [i for i, c in enumerate(prices) if i not in out and c <= most and c <= limits[group[i]]]
    mu = Fraction(dual.price) / read(dual.unit)
    pay, charge, profit = places * mu.denominator, mu.numerator * scale, 0
    for i in sets:  # counted in 1 / (scale * pay)
        income = sum(map(shares.__getitem__, problem.elements_of(i).tolist()))
        profit += max(0, income * pay - prices[i] * charge)
    loose = Fraction((sum(left) - sum(shares)) * pay + profit, scale * pay)
    # what is covered is a multiple of what all weights are multiples of, and so is what it costs
    grain = Fraction(math.gcd(*worth), per) or Fraction(1)
    needed = -(-goal * (1 - ROUNDING) // grain) * grain
    rest = (needed - Fraction(sum(worth[a] for a in have), per) - loose) / mu
    coin = Fraction(math.gcd(*(prices[i] for i in sets)), places)
    return least + max(Fraction(), -(-rest // coin) * coin if coin else Fraction())
