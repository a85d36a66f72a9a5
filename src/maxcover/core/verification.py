"""Check a solution without trusting the code that made it: integers and fractions only.

Nothing of the solvers, the bounds or the kernels is used, and no floating-point number is added.
The proof is one inequality (docs/certificates.md): for a price ``mu >= 0`` and shares ``0 <= lam[a]
<= w[a]``, with what the required sets cover and cost taken off, a feasible selection covers at most

    mu * budget + sum_a (w[a] - lam[a]) + sum_i max(0, sum_{a in i} lam[a] - mu * cost[i]).

A number means itself if it is whole, else the decimal that it prints as. Linear in the edges.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maxcover.core.demand_verification import bound_of, enough, reaches_minima
from maxcover.core.plan import Plan
from maxcover.core.plan_verification import verify_plan
from maxcover.core.rational import ROUNDING, equal, read, union, whole
from maxcover.core.verdict import Verification
from maxcover.options import checked

if TYPE_CHECKING:
    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Solution, Status

# Whose word a bound may rest on where the dual point proves less.
WITNESSES = ("HiGHS", "branch and bound", "reduced costs")


@checked
def verify(problem: CoverageProblem, solution: Solution | Plan) -> Verification:
    """Recompute value, cost, every limit and the bound of a solution or plan in exact arithmetic.

    Examples
    --------
    >>> import maxcover as mc
    >>> problem = mc.CoverageProblem.from_sets([[1, 2], [2, 3, 4], [4]], costs=[1, 2, 1], budget=2)
    >>> verify(problem, mc.solve(problem)).ok
    True
    """
    if isinstance(solution, Plan):
        return verify_plan(problem, solution)
    costs, places = whole(problem.costs.tolist())
    weights, scale = whole(problem.weights.tolist())
    chosen, required = solution.selected.tolist(), {*problem.required.tolist()}
    known = chosen == sorted({*chosen}) and all(0 <= i < problem.n_sets for i in chosen)
    found = {"the selection names sets of the problem, each once, in order": known}
    chosen = chosen if known else []
    covered = enough(problem, chosen) if problem.is_demanding else union(problem, chosen)
    value = Fraction(sum(weights[a] for a in covered), scale)
    found["every required set is selected"] = required <= {*chosen}
    found["no forbidden set is selected"] = not {*chosen} & {*problem.forbidden.tolist()}
    everybody = (chosen, problem.n_sets, problem.budget, "the budget is kept")
    limits = zip(problem.group_items, problem.group_costs, strict=True)
    groups = [
        ([i for i in chosen if problem.groups[i] == k], most, limit, f"group {k} keeps its limits")
        for k, (most, limit) in enumerate(limits)
    ]
    for inside, most, limit, words in (everybody, *groups):
        spent = Fraction(sum(costs[i] for i in inside), places)
        # whole numbers are exact, decimals but for the last digit of the limit, others to rounding
        terms = len(inside) + 4 if 10**9 % places or spent * places > 2**40 else 1
        slack = 0 if places == 1 and spent < 2**61 else Fraction(terms, 2**50)
        found[words] = len(inside) <= most and bool(spent <= read(limit) * (1 + slack))
    if problem.group_least.size:
        found["every group reaches its minima"] = reaches_minima(problem, chosen)
    spent = Fraction(sum(costs[i] for i in chosen), places)
    names = problem.set_labels and tuple(problem.set_labels[i] for i in chosen)
    found["value, cost and labels are as stated"] = (
        equal(solution.value, value)
        and equal(solution.cost, min(spent, read(problem.budget)))
        and solution.labels == names
    )
    unit, said = read(problem.weight_unit or 0.0), read(solution.upper_bound) * (1 + ROUNDING)
    off = [abs(w - round(w / (unit * scale)) * unit * scale) for w in weights] if unit else []
    counts = (
        all(x <= ROUNDING * w for x, w in zip(off, weights, strict=False))
        and unit
        and said < math.inf
    )
    off_by = Fraction(sum(off)) / scale

    def rounded(bound: Any) -> Any:
        """Round down to a multiple of the unit of the weights, if they are multiples of it."""
        return min(bound, (bound + off_by) // unit * unit + off_by) if counts else bound

    proven = max(rounded(_bound(problem, (costs, places), (weights, scale), solution)), value)
    rests = said < proven and solution.bound_by in WITNESSES
    words = f"no selection is worth more than {solution.upper_bound:.15g}"
    found[words] = said >= (value if rests else proven)
    is_best = rounded(read(solution.upper_bound)) <= value + (0 if counts else value / 10**9)
    found["the status follows from the bound"] = is_best or solution.status != "optimal"
    status: Status = "within gap" if solution.status == "within gap" else "heuristic"
    status = "unverified" if not all(found.values()) else "optimal" if is_best else status
    return Verification(
        checked=tuple(text for text in found if found[text] and not (rests and text == words)),
        refused=tuple(f"not so: {text}" for text in found if not found[text]),
        trusted=(f"{solution.bound_by}: {words}",) if rests else (),
        bound=float(proven),
        solution=replace(solution, status=status),
    )


def _bound(
    problem: CoverageProblem, costs: tuple[Any, int], weights: tuple[Any, int], solution: Solution
) -> Fraction:
    """Evaluate the inequality at the solution's dual point, moved into its domain."""
    if problem.is_demanding:
        return bound_of(problem, solution)
    (prices, places), (worth, per), dual = costs, weights, solution.dual
    if dual is None or len(dual.shares) != len(worth) or not 0 < dual.unit < math.inf:
        return Fraction(sum(worth), per)
    required = problem.required.tolist()
    have = union(problem, required)
    stated, own = whole([x if math.isfinite(x) else 0.0 for x in dual.shares.tolist()])
    scale = math.lcm(own, per)
    left = [0 if a in have else w * (scale // per) for a, w in enumerate(worth)]
    shares = [min(max(x * (scale // own), 0), w) for x, w in zip(stated, left, strict=True)]
    room = read(problem.budget) - Fraction(sum(prices[i] for i in required), places)
    limits = [read(x) * places for x in problem.group_costs.tolist()] + [math.inf]
    out, group = {*required, *problem.forbidden.tolist()}, problem.group_of.tolist()
    most = [min(room * places, limits[g]) for g in group]
    sets = [i for i, c in enumerate(prices) if i not in out and c <= most[i]]
    unit = read(dual.unit)
    mu = Fraction(dual.price) / unit if 0 < dual.price < math.inf else Fraction()
    room, tick = min(room, Fraction(sum(prices[i] for i in sets), places)), unit * places
    if tick.denominator == 1 and not any(prices[i] % int(tick) for i in sets):
        room = room // unit * unit
    pay, charge, profit = places * mu.denominator, mu.numerator * scale, 0
    for i in sets:  # counted in 1 / (scale * pay)
        income = sum(map(shares.__getitem__, problem.elements_of(i).tolist()))
        profit += max(0, income * pay - prices[i] * charge)
    loose = Fraction((sum(left) - sum(shares)) * pay + profit, scale * pay)
    return Fraction(Fraction(sum(worth[a] for a in have), per) + mu * room + loose)
