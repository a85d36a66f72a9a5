"""Check a solution without trusting the code that made it: integers and fractions only.

Nothing of the solvers, the bounds or the kernels is used, and no floating-point number is added.
The proof is one inequality (docs/certificates.md): for a price ``mu >= 0`` and shares ``0 <= lam[a]
<= w[a]``, with what the required sets cover and cost taken off, a feasible selection covers at most

    mu * budget + sum_a (w[a] - lam[a]) + sum_i max(0, sum_{a in i} lam[a] - mu * cost[i]).

A number means itself if it is whole, else the decimal that it prints as. Linear in the edges.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maxcover.problem import CoverageProblem
    from maxcover.solution import Solution

# Whose word a bound may rest on where the dual point proves less.
WITNESSES = ("HiGHS", "branch and bound", "reduced costs")
# Stated values are floats: this is what their last digits may be off by.
ROUNDING = Fraction(1, 2**48)


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What came out of checking a solution.

    `ok` says whether everything in `checked` held, that is whether `refused` is empty; `trusted`
    names what rests on somebody's word and was not checked. `bound` is the upper bound that the
    dual point proves, and `solution` the same solution with the status that was found here.
    """

    checked: tuple[str, ...]
    refused: tuple[str, ...]
    trusted: tuple[str, ...]
    bound: float
    solution: Solution

    @property
    def ok(self) -> bool:
        """Whether nothing was refused."""
        return not self.refused


def verify(problem: CoverageProblem, solution: Solution) -> Verification:
    """Recompute value, cost, every limit and the upper bound of a solution in exact arithmetic.

    Examples
    --------
    >>> import maxcover as mc
    >>> problem = mc.CoverageProblem.from_sets([[1, 2], [2, 3, 4], [4]], costs=[1, 2, 1], budget=2)
    >>> report = verify(problem, mc.solve(problem))
    >>> report.ok, report.bound
    (True, 3.0)
    """
    costs, weights = _exact(problem.costs.tolist()), _exact(problem.weights.tolist())
    chosen, required = solution.selected.tolist(), set(problem.required.tolist())
    known = chosen == sorted({*chosen}) and all(0 <= i < problem.n_sets for i in chosen)
    found = {"the selection names sets of the problem, each once, in order": known}
    chosen = chosen if known else []
    value = sum((weights[a] for a in _union(problem, chosen)), Fraction())
    spent = sum((costs[i] for i in chosen), Fraction())
    budget, labels = _number(problem.budget), problem.set_labels
    names = None if labels is None else tuple(labels[i] for i in chosen)
    found["every required set is selected"] = required <= {*chosen}
    found["no forbidden set is selected"] = not {*chosen} & set(problem.forbidden.tolist())
    found[f"the cost {float(spent):.15g} is within the budget"] = _fits(costs, chosen, budget)
    found["the cost is as stated"] = _equal(solution.cost, min(spent, budget))
    found["the labels are those of the selected sets"] = solution.labels == names
    found[f"the value is {float(value):.15g}, as stated"] = _equal(solution.value, value)
    for group, most in enumerate(problem.group_items.tolist()):
        inside = [i for i in chosen if problem.groups[i] == group]
        limit = _number(problem.group_costs[group])
        found[f"group {group} keeps its limits"] = (
            len(inside) <= most and _fits(costs, inside, limit)
        )
    proven = max(_rounded(problem, weights, _bound(problem, costs, weights, solution)), value)
    said, trusted = _number(solution.upper_bound), ()
    words = f"no selection is worth more than {solution.upper_bound:.15g}"
    if said * (1 + ROUNDING) < proven and solution.bound_by in WITNESSES:
        trusted = (f"{words}, says {solution.bound_by}; proven is {float(proven):.15g}",)
        found["the bound is not below the value"] = said * (1 + ROUNDING) >= value
    else:
        found[words] = said * (1 + ROUNDING) >= proven
    highest = _rounded(problem, weights, said * (1 + ROUNDING))
    best = highest <= value + (Fraction(1, 10**9) if problem.weight_unit is None else 0) * value
    if solution.status == "optimal":
        found["the bound leaves no room for a better selection"] = best
    sound = all(found.values())
    status = "within gap" if solution.status == "within gap" else "heuristic"
    return Verification(
        checked=tuple(words for words, holds in found.items() if holds),
        refused=tuple(f"not so: {words}" for words, holds in found.items() if not holds),
        trusted=trusted,
        bound=float(proven),
        solution=replace(solution, status=(best and "optimal" or status) if sound else "unverified"),
    )


def _bound(
    problem: CoverageProblem, costs: list[Fraction], weights: list[Fraction], solution: Solution
) -> Fraction:
    """Evaluate the inequality at the solution's dual point, moved into its domain."""
    required, dual = problem.required.tolist(), solution.dual
    have = _union(problem, required)
    left = [Fraction() if a in have else w for a, w in enumerate(weights)]
    base = sum((weights[a] for a in have), Fraction())
    if dual is None or len(dual.shares) != len(left) or not 0 < dual.unit < math.inf:
        return base + sum(left)
    stated = [_number(x) if math.isfinite(x) else Fraction() for x in dual.shares.tolist()]
    shares = [min(max(x, Fraction()), w) for x, w in zip(stated, left, strict=True)]
    unit = _number(dual.unit)
    mu = Fraction(dual.price) / unit if 0 < dual.price < math.inf else Fraction()
    room = _number(problem.budget) - sum(costs[i] for i in required)
    limits = [*map(_number, problem.group_costs.tolist()), math.inf]
    group_of = problem.group_of.tolist()
    out = {*required, *problem.forbidden.tolist()}
    sets = [i for i, c in enumerate(costs) if i not in out and c <= min(room, limits[group_of[i]])]
    room = min(room, sum((costs[i] for i in sets), Fraction()))
    if all((costs[i] / unit).denominator == 1 for i in sets):
        room = room // unit * unit
    scale = math.lcm(*(x.denominator for x in shares))  # whole numbers add faster
    whole = [int(x * scale) for x in shares]
    bound = base + mu * room + sum(left) - sum(shares)
    for i in sets:
        pays = sum(map(whole.__getitem__, problem.elements_of(i).tolist()))
        bound += max(Fraction(), Fraction(pays, scale) - mu * costs[i])
    return bound


def _rounded(problem: CoverageProblem, weights: list[Fraction], bound: Fraction) -> Fraction:
    """Round down to a multiple of the unit of the weights, if they are multiples of it."""
    if problem.weight_unit is None or bound == math.inf:
        return bound
    unit = _number(problem.weight_unit)
    off = [abs(w - round(w / unit) * unit) for w in weights]
    if any(x > ROUNDING * w for x, w in zip(off, weights, strict=True)):
        return bound
    return min(bound, (bound + sum(off)) // unit * unit + sum(off))


def _fits(costs: list[Fraction], sets: list[int], limit: Fraction) -> bool:
    """Whether sets cost at most `limit`: exactly if decimals, to rounding if real numbers."""
    total = sum((costs[i] for i in sets), Fraction())
    places = math.lcm(*(costs[i].denominator for i in sets))
    exactly = 10**9 % places == 0 and total * places < 2**61
    return total <= limit * (1 if exactly else 1 + (len(sets) + 4) * Fraction(1, 2**50))


def _union(problem: CoverageProblem, sets: Iterable[int]) -> set[int]:
    return {a for i in sets for a in problem.elements_of(i).tolist()}


def _equal(said: float, true: Fraction) -> bool:
    return math.isfinite(said) and abs(Fraction(said) - true) <= ROUNDING * true


def _number(value: float) -> Fraction:
    if not math.isfinite(value):
        return value
    if value == math.floor(value):
        return Fraction(int(value))
    return Fraction(repr(float(value))) if abs(value) > 1e-290 else Fraction(value)


def _exact(values: list[float]) -> list[Fraction]:
    return [_number(value) for value in values]
