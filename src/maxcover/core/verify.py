"""Check an answer without trusting the code that made it: whole numbers and fractions only.

The proof is the inequality of `maxcover.core.bounds`. For any prices ``up[r], down[r] >= 0`` of the
limits, and any affine bounds ``F_a(S) <= c[a] + sum_{i in S} e[i, a]`` of what elements give,

    value(S) <= sum_a c[a] + sum_r (up[r] * high[r] - down[r] * low[r])
                + sum_i max(0, sum_a e[i, a] - sum_r (up[r] - down[r]) * amount[r, i])

for every S that keeps the limits; required sets count without the ``max``. The answer's dual point
supplies the numbers, whatever they are. Solved for what S costs, with ``mu`` the price of the
budget, the same inequality bounds the cost of every S that covers enough.

A number means itself if it is whole, else the decimal that it prints as. Values are counted in
1 / scale, and what cannot be whole in it is rounded to the side that raises the bound.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maxcover.core.rational import Row, number, several, whole
from maxcover.core.verdict import Verification
from maxcover.options import checked

if TYPE_CHECKING:
    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Solution, Status

# Whose word a bound may rest on where the dual point proves less.
WITNESSES = ("HiGHS", "branch and bound", "reduced costs")
# Stated values are floats: this is what their last digits may be off by.
ROUNDING = Fraction(1, 2**51)
# No float is between this and 0.
SMALLEST = Fraction(1, 2**1074)
# Minima of value are met to this part of them.
FLOOR = Fraction(1, 10**12)
# A proof about numbers without a unit leaves open 1e-9 of the value, and 5e-12 of it for rounding.
CLOSE = Fraction(1005, 10**12)


@checked
def verify(problem: CoverageProblem, solution: Solution, *, strict: bool = False) -> Verification:
    """Recompute value, cost, every limit and the bound of a solution in exact arithmetic.

    There are three outcomes. "proven": every statement was checked. "trusted": all else holds, but
    the bound is what HiGHS or branch and bound says, which is listed in ``trusted``. "refused":
    something does not hold. A status is "optimal" only where the dual point proves it.

    Parameters
    ----------
    problem : CoverageProblem
    solution : Solution
    strict : bool
        Refuse a bound that rests on somebody's word.

    Examples
    --------
    >>> import maxcover as mc
    >>> problem = mc.CoverageProblem.from_sets([[1, 2], [2, 3]], budget=1)
    >>> report = mc.verify(problem, mc.solve(problem))
    >>> report.outcome, report.bound
    ('proven', 2.0)
    """
    case = Case(problem, is_cover=solution.target is not None)
    chosen = solution.selected.tolist()
    known = chosen == sorted({*chosen}) and all(0 <= i < problem.n_sets for i in chosen)
    found = {"the selection names sets of the problem, each once, in order": known}
    chosen = chosen if known else []
    gives, is_cover = case.gives(chosen), solution.target is not None
    value, spent = Fraction(sum(gives), case.scale), case.rows[0].used(chosen)
    found["every required set is selected"] = {*problem.required.tolist()} <= {*chosen}
    found["no forbidden set is selected"] = not {*chosen} & {*problem.forbidden.tolist()}
    found |= {f"the limit of {x.name}": x.keeps(chosen) for x in case.rows[is_cover:]}
    for elements, low, name in case.floors:
        found[f"the minimum of {name}"] = sum(gives[a] for a in elements) >= low * case.scale
    names = problem.set_labels and tuple(problem.set_labels[i] for i in chosen)
    cost, terms = spent if is_cover else min(spent, case.rows[0].high), 4 + case.longest
    found["value, cost and labels are as stated"] = (
        abs(number(solution.value) - value) <= terms * ROUNDING * value
        and abs(number(solution.cost) - cost) <= ROUNDING * cost
        and solution.labels == names
    )
    if is_cover:
        goal = case.goal(solution)
        off = ROUNDING * goal + SMALLEST
        met = abs(number(solution.target) - goal) <= off <= 2**2000
        found["the target is as stated, and met"] = met and value >= goal * (1 - ROUNDING)
        said, near, proven, is_best = _least(case, solution, goal, spent)
        words = f"no selection that meets the target costs less than {solution.lower_bound:.15g}"
        holds, may_hold = near <= proven, near <= spent
    else:
        said, near, proven, is_best = _most(case, solution, value)
        words = f"no selection is worth more than {solution.upper_bound:.15g}"
        holds, may_hold = near >= proven, near >= value
    rests = solution.bound_by in WITNESSES and may_hold and not holds and not strict
    found[words] = holds or rests
    found["the status follows from the bound"] = solution.status != "optimal" or is_best(said)
    status: Status = "within gap" if solution.status == "within gap" else "heuristic"
    status = "unverified" if not all(found.values()) else "optimal" if is_best(proven) else status
    return Verification(
        checked=tuple(text for text in found if found[text] and not (rests and text == words)),
        refused=tuple(f"not so: {text}" for text in found if not found[text]),
        trusted=(f"{solution.bound_by}: {words}",) if rests else (),
        bound=float(proven) if abs(proven) < 2**1000 else math.inf,
        solution=replace(solution, status=status),
    )


def _most(case: Case, solution: Solution, value: Fraction) -> tuple[Any, ...]:
    """Return the stated upper bound, also to rounding, the proven one, and what proves a value."""
    unit, off = case.unit()

    def rounded(bound: Any) -> Any:
        """Round down to a multiple of the unit of values, if they are multiples of it."""
        return min(bound, (bound + off) // unit * unit + off) if unit and bound < 2**2000 else bound

    def is_best(bound: Any) -> bool:
        return bool(rounded(bound) <= value + (2 * off if unit else value * CLOSE))

    proven = max(rounded(Fraction(case.bound(solution.dual, None), case.scale)), value)
    said = number(solution.upper_bound)
    # amounts without a unit keep a limit to more than the last digits: see Row.slack
    return said, said * (1 + 32 * ROUNDING) + 2 * off, proven, is_best


def _least(case: Case, solution: Solution, goal: Any, spent: Fraction) -> tuple[Any, ...]:
    """Return the stated lower bound, also to rounding, the proven one, and what proves a cost."""
    least = case.rows[0].used(case.problem.required.tolist())
    within = {i: x for i, x in case.rows[0].amounts.items() if x <= spent}
    hint = 0.0 if solution.dual is None else solution.dual.unit
    row, (unit, off) = Row(("", within, (0, spent)), case.out, hint), case.unit()
    mu, needed = case.prices(solution.dual)[0], goal * (1 - ROUNDING)
    if mu > 0 and goal < 2**2000:
        needed = -(-(needed - off) // unit) * unit - off if unit else needed
        rest = (needed - Fraction(case.bound(solution.dual, spent), case.scale)) / mu
        coin = row.coin or Fraction(1)
        least = max(least, rest, -(-(rest - row.off) // coin) * coin - row.off)
    # a coin may be so small beside the cost that `certify` does not count in it
    near = max(row.coin / 2 if row.is_exact else 0, spent * CLOSE)

    def is_best(bound: Any) -> bool:
        return bool(bound * (1 + ROUNDING) >= spent - near)

    said = number(solution.lower_bound)
    return said, said * (1 - ROUNDING), min(least, spent), is_best


class Case:
    """A problem in whole numbers: values in 1 / scale, chances in 1 / fine."""

    def __init__(self, problem: CoverageProblem, *, is_cover: bool) -> None:
        self.problem, limits, floors = problem, problem.limits, problem.floors
        rows: Any = [("the budget", enumerate(problem.costs.tolist()), (0.0, problem.budget))]
        for r, name in enumerate(limits.names):
            own = slice(limits.indptr[r], limits.indptr[r + 1])
            amounts = zip(limits.sets[own].tolist(), limits.amounts[own].tolist(), strict=True)
            rows.append((name, amounts, (float(limits.low[r]), float(limits.high[r]))))
        rows = [(name, dict(amounts), ends) for name, amounts, ends in rows]
        # what is covered may cost more than the budget, which plays no part
        self.out = {
            i for _, each, (_, high) in rows[is_cover:] for i, x in each.items() if x > high
        }
        # the unit of costs up to a budget says nothing of costs above it
        units = (0.0 if is_cover else problem.ticks.unit, *problem.rows.unit.tolist()[1:])
        self.rows = [Row(row, self.out, unit) for row, unit in zip(rows, units, strict=True)]
        cuts, low = floors.indptr.tolist(), [number(x) * (1 - FLOOR) for x in floors.low.tolist()]
        parts = [floors.elements[cuts[r] : cuts[r + 1]].tolist() for r in range(len(low))]
        self.floors = [*zip(parts, low, floors.names, strict=True)]
        returns, self.indptr = problem.returns, problem.indptr.tolist()
        self.kinds = returns.of.tolist() or [0] * problem.n_elements
        self.edges_of: list[list[int]] = [[] for _ in self.kinds]
        for e, a in enumerate(problem.indices.tolist()):
            self.edges_of[a].append(e)
        self.longest = max(map(len, self.edges_of), default=0)
        weights, per = whole(problem.weights.tolist())
        numbers, self.one = whole(returns.steps.tolist() + returns.strength.tolist())
        cuts = returns.indptr.tolist()
        self.curves = [numbers[cuts[c] : cuts[c + 1]] for c in range(len(cuts) - 1)]
        self.strength, self.fine = numbers[cuts[-1] :], 2**320 if -2 in self.kinds else 2**64
        self.scale, self.weights = per * self.one * self.fine, [w * self.fine for w in weights]

    def goal(self, solution: Solution) -> Any:
        """Return the weight that a solution says it has to cover."""
        share = number(solution.share)
        if solution.share is None or not 0 < share <= 1:
            return number(solution.target if solution.share is None else math.inf)
        return share * Fraction(sum(self.weights) * self.one, self.scale)

    def levels(self, a: int, weight: int) -> list[int]:
        """Return what an element of kind COUNT may give, by the number of sets from 0."""
        found = [0]
        for step in self.curves[self.kinds[a]][: len(self.edges_of[a])]:
            found.append(found[-1] + weight * step)
        return found

    def inside(self, sets: list[int]) -> set[int]:
        """Return the edges of some sets."""
        return {e for i in sets for e in range(self.indptr[i], self.indptr[i + 1])}

    def gives(self, sets: list[int]) -> list[int]:
        """Return what each element gives."""
        inside, found = self.inside(sets), []
        for a, (kind, weight) in enumerate(zip(self.kinds, self.weights, strict=True)):
            held = [e for e in self.edges_of[a] if e in inside]
            if kind == -1:
                found.append(weight * max((self.strength[e] for e in held), default=0))
            elif kind == -2:
                won = self.fine - self.fails(held)[1]
                found.append(weight // self.fine * self.one * won)
            else:
                found.append(self.levels(a, weight)[: len(held) + 1][-1])
        return found

    def fails(self, edges: Any) -> tuple[int, int]:
        """Return the chance that all edges fail, in 1 / fine, rounded down and up."""
        low = high = self.fine
        for e in edges:
            loses = self.one - self.strength[e]
            low, high = low * loses // self.one, -(-high * loses // self.one)
        return low, high

    def unit(self) -> tuple[Fraction, Fraction]:
        """Return the unit of values, and what they may be off by; no unit if that is much."""
        unit = number(self.problem.weight_unit or 0.0)
        if not unit or -2 in self.kinds:
            return Fraction(), Fraction()
        count: Any = unit * self.scale
        count, off = int(count) if count.denominator == 1 else count, Fraction()
        for a, weight in enumerate(self.weights):
            some: Any = (weight * self.strength[e] for e in self.edges_of[a])
            some = some if self.kinds[a] == -1 else self.levels(a, weight)
            off += max((min(x % count, -x % count) for x in some), default=0)
        return (unit, off / self.scale) if 8 * off < count else (Fraction(), Fraction())

    def prices(self, dual: Any) -> list[Any]:
        """Return the price of each row: none for what is no number, nor above 0 without a limit."""
        if dual is None or not 0 < dual.unit < math.inf:
            return [Fraction()] * len(self.rows)
        mu = Fraction(dual.price) / Fraction(dual.unit) if 0 < dual.price < math.inf else 0
        pairs = zip((mu, *several(dual.rows, len(self.rows) - 1)), self.rows, strict=True)
        return [min(price, 0) if row.high >= 2**2000 else price for price, row in pairs]

    def bound(self, dual: Any, spent: Fraction | None) -> int:
        """Evaluate the inequality; with `spent`, without the budget, and for no dearer sets."""
        required, total = self.problem.required.tolist(), 0
        out, charges = self.out | {*self.problem.forbidden.tolist()}, [0] * self.problem.n_sets
        for r, (row, price) in enumerate(zip(self.rows, self.prices(dual), strict=True)):
            low, high = row.ends() if r or spent is None else (Fraction(), spent)
            room = high - row.used(required)
            out |= {i for i, x in row.amounts.items() if x > room}
            if r or spent is None:
                total -= math.floor(-price * (high if price > 0 else low) * self.scale)
            for i, x in row.amounts.items() if price else ():
                charges[i] += math.floor(price * x * self.scale)
        weights = self.weights.copy()
        rewards = several(dual and dual.floors, len(self.floors))
        for (elements, low, _), reward in zip(self.floors, rewards, strict=True):
            total -= math.floor(max(reward, 0) * low * self.scale)
            for a in elements if reward > 0 else ():
                weights[a] -= math.floor(-reward * self.weights[a])
        constant, paid = self.affine(dual, weights, self.inside(required))
        for i in {*range(len(charges))} - out | {*required}:
            profit = sum(paid[self.indptr[i] : self.indptr[i + 1]]) - charges[i]
            total += profit if i in required else max(profit, 0)
        return total + constant

    def affine(self, dual: Any, weights: list[int], taken: set[int]) -> tuple[int, list[int]]:
        """Return the sum of the constants of the affine bounds, and what each edge gets of them."""
        constant, paid, pieces = 0, [0] * self.problem.n_edges, self.pieces(dual)
        shares = several(dual and dual.shares, len(weights))
        for a, edges in enumerate(self.edges_of):
            share, weight = max(math.floor(shares[a] * self.scale), 0), weights[a]
            if not edges:
                continue
            if self.kinds[a] == -1:
                constant += share
                for e in edges:
                    paid[e] = max(weight * self.strength[e] - share, 0)
            elif self.kinds[a] == -2:
                whole, won, left, lost = pieces.get(a, (self.fine, 0, self.fine, {}))
                constant -= -weight * self.one * won // whole
                for e in edges:
                    paid[e] = -(-weight * self.strength[e] * (left - lost.get(e, 0)) // whole)
            else:
                levels = self.levels(a, weight)
                least, most = sum(e in taken for e in edges), len(levels) - 1
                # more than its best mean is wasted, and all where the required sets win the most
                share = min(share, max((-(-levels[k] // k) for k in range(1, most + 1)), default=0))
                share = share if least < most else 0
                constant += max(levels[k] - k * share for k in range(min(least, most), most + 1))
                for e in edges:
                    paid[e] = share
        return constant, paid

    def pieces(self, dual: Any) -> dict[int, tuple[int, int, int, dict[int, int]]]:
        """Return for elements of kind CHANCE: all shares, won, left open, and lost by edge."""
        if dual is None or dual.pieces is None:
            return dict.fromkeys(range(len(self.kinds)), (self.fine, self.fine, 0, {}))
        found: dict[int, Any] = {}
        elements, _, cuts, edges = (part.tolist() for part in dual.pieces)
        shares = several(dual.pieces.shares, len(elements))
        for a, share, first, last in zip(elements, shares, cuts, cuts[1:], strict=False):
            own, part = {*edges[first:last]}, math.floor(share * 2**60)
            if part > 0 and 0 <= a < len(self.kinds) and own <= {*self.edges_of[a]}:
                low, high = self.fails(own)
                whole, won, left, lost = found.get(a, (0, 0, 0, {}))
                lost |= {e: lost.get(e, 0) + part * high for e in own}
                won, left = won + part * (self.fine - low), left + part * high
                found[a] = whole + part * self.fine, won, left, lost
        return found
