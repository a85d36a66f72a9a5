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
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.core.verdict import Verification
from maxcover.options import checked

if TYPE_CHECKING:
    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Solution, Status

# Whose word a bound may rest on where the dual point proves less.
WITNESSES = ("HiGHS", "branch and bound", "reduced costs")
# Stated values are floats: this is what their last digits may be off by.
ROUNDING = Fraction(1, 2**51)
# Minima of value are met to this part of them, and proofs without a unit to this part of the value.
FLOOR, CLOSE = Fraction(1, 10**12), Fraction(1, 10**9)


@checked
def verify(problem: CoverageProblem, solution: Solution) -> Verification:
    """Recompute value, cost, every limit and the bound of a solution in exact arithmetic.

    Examples
    --------
    >>> import maxcover as mc
    >>> problem = mc.CoverageProblem.from_sets([[1, 2], [2, 3]], budget=1)
    >>> report = mc.verify(problem, mc.solve(problem))
    >>> report.ok, report.bound, report.trusted
    (True, 2.0, ())
    """
    case = Case(problem)
    chosen = solution.selected.tolist()
    known = chosen == sorted({*chosen}) and all(0 <= i < problem.n_sets for i in chosen)
    found = {"the selection names sets of the problem, each once, in order": known}
    chosen = chosen if known else []
    found |= {f"{row.name} is kept": row.is_kept(chosen) for row in case.rows}
    gives = case.gives(chosen)
    for elements, low, name in case.floors():
        reached = sum(gives[a] for a in elements)
        found[f"{name} is reached"] = reached >= low * case.scale
    value, spent = Fraction(sum(gives), case.scale), case.rows[0].used(chosen)
    found["every required set is selected"] = {*problem.required.tolist()} <= {*chosen}
    found["no forbidden set is selected"] = not {*chosen} & {*problem.forbidden.tolist()}
    names = problem.set_labels and tuple(problem.set_labels[i] for i in chosen)
    is_cover = solution.target is not None
    cost = spent if is_cover else min(spent, read(problem.budget))
    stated = _equal(solution.value, value, case) and _equal(solution.cost, cost)
    found["value, cost and labels are as stated"] = stated and solution.labels == names
    check = _cost_bound if is_cover else _value_bound
    said, proven, end, is_best, words = check(case, solution, value, spent, found)
    rests = solution.bound_by in WITNESSES and not said(proven) and said(end)
    found[words] = said(proven) or rests
    claimed = is_best(solution.lower_bound if is_cover else solution.upper_bound)
    found["the status follows from the bound"] = claimed or solution.status != "optimal"
    status: Status = "within gap" if solution.status == "within gap" else "heuristic"
    if not all(found.values()):
        status = "unverified"
    elif is_best(proven):
        status = "optimal"
    return Verification(
        checked=tuple(text for text in found if found[text] and not (rests and text == words)),
        refused=tuple(f"not so: {text}" for text in found if not found[text]),
        trusted=(f"{solution.bound_by}: {words}",) if rests else (),
        bound=_floating(proven),
        solution=replace(solution, status=status),
    )


def _value_bound(case: Case, solution: Solution, value: Any, spent: Any, found: Any) -> Any:
    """Return how to judge the stated upper bound, what is proven, and what is best in any case."""
    unit, off = case.unit()

    def rounded(bound: Any) -> Any:
        """Round down to a multiple of the unit of values, if they are multiples of it."""
        finite = unit and bound < math.inf
        return min(bound, (bound + off) // unit * unit + off) if finite else bound

    def said(bound: Any) -> bool:
        return bool(exactly(solution.upper_bound) * (1 + ROUNDING) + 2 * off >= bound)

    def is_best(bound: Any) -> bool:
        return bool(rounded(exactly(bound)) <= value + (2 * off if unit else value * CLOSE))

    proven = max(rounded(Fraction(case.bound(solution.dual, None), case.scale)), value)
    words = f"no selection is worth more than {solution.upper_bound:.15g}"
    return said, proven, value, is_best, words


def _cost_bound(case: Case, solution: Solution, value: Any, spent: Any, found: Any) -> Any:
    """Do the same for the lower bound on what it costs to cover enough."""
    goal, share = exactly(solution.target), exactly(solution.share)
    if solution.share is not None:
        goal = share * sum(map(read, case.problem.weights.tolist())) if 0 < share <= 1 else math.inf
    met = value >= goal * (1 - ROUNDING) and _equal(solution.target, goal)
    found["the target is as stated, and met"] = bool(met)
    least = case.rows[0].used(case.problem.required.tolist())
    unit, off = case.unit()
    within = {i: x for i, x in case.rows[0].amounts.items() if x <= spent}
    row = _row("the cost", within, (0, spent), case.out)
    mu, coin = case.prices(solution.dual)[0], row.coin
    if mu > 0 and goal < math.inf:
        needed = goal * (1 - ROUNDING)
        needed = -(-(needed - off) // unit) * unit - off if unit else needed
        rest = (needed - Fraction(case.bound(solution.dual, spent), case.scale)) / mu
        least = max(least, -(-rest // coin) * coin if coin else rest)
    near = coin / 2 if row.is_exact else spent * CLOSE

    def said(bound: Any) -> bool:
        return bool(exactly(solution.lower_bound) * (1 - ROUNDING) <= bound)

    def is_best(bound: Any) -> bool:
        return bool(exactly(bound) * (1 + ROUNDING) >= spent - near)

    words = f"no selection that meets the target costs less than {solution.lower_bound:.15g}"
    return said, min(least, spent), spent, is_best, words


def read(value: Any) -> Fraction:
    """Return what a float stands for: itself if whole, else the decimal that it prints as."""
    if isinstance(value, Fraction):
        return value
    if value == math.floor(value):
        return Fraction(int(value))
    return Fraction(repr(float(value))) if abs(value) > 1e-290 else Fraction(value)


def exactly(value: Any) -> Any:
    """Return a stated number as a fraction, or infinity; what is no number is nothing at all."""
    if isinstance(value, Fraction):
        return value
    known = isinstance(value, int | float) and not math.isnan(value)
    return (read(value) if math.isfinite(value) else value) if known else -math.inf


def _equal(said: Any, true: Any, case: Case | None = None) -> bool:
    """Whether a stated number is the true one, but for its last digits."""
    terms = 1 if case is None else 4 + max(map(len, case.edges_of), default=0)
    near = exactly(said)
    return math.isfinite(near) and abs(near - true) <= terms * ROUNDING * true


def _floating(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


class Row(NamedTuple):
    """A limit: its sets with their amounts, and the coin that these are multiples of."""

    name: str
    amounts: dict[int, Fraction]
    low: Fraction
    high: Any
    coin: Fraction
    total: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether amounts are whole numbers or decimals, and few enough to be counted."""
        if self.coin.denominator == 1:
            return self.total < max(self.coin, 1) * 2**61
        return 10**9 % self.coin.denominator == 0 and max(self.amounts.values()) < 2**40

    def used(self, sets: Any) -> Fraction:
        """Return what sets amount to."""
        return sum((self.amounts[i] for i in sets if i in self.amounts), Fraction())

    def slack(self, terms: int) -> Fraction:
        """Return what a sum is off by: decimals by a digit of the limit, others by rounding."""
        if self.is_exact:
            return Fraction(self.coin.denominator > 1, 2**50)
        return Fraction(terms + 4, 2**50)

    def is_kept(self, sets: list[int]) -> bool:
        """Whether sets keep the limit."""
        slack = self.slack(sum(i in self.amounts for i in sets))
        return bool(self.low * (1 - slack) <= self.used(sets) <= self.high * (1 + slack))

    def ends(self) -> tuple[Any, Any]:
        """Return the least and the most that sums can be, which are multiples of the coin."""
        slack = self.slack(len(self.amounts))
        low, high = self.low * (1 - slack), min(self.high * (1 + slack), self.total)
        return (
            (-(-low // self.coin) * self.coin, high // self.coin * self.coin)
            if self.coin
            else (low, high)
        )


def _row(name: str, amounts: dict[int, Any], ends: tuple[Any, Any], out: set[int]) -> Row:
    """Read a row; the sets in `out` fit nowhere, and do not count for the coin."""
    numbers, places = _whole(list(amounts.values()))
    each = {i: Fraction(x, places) for i, x in zip(amounts, numbers, strict=True)}
    inside = [x for i, x in zip(amounts, numbers, strict=True) if i not in out]
    coin, total = Fraction(math.gcd(*inside), places), Fraction(sum(inside), places)
    return Row(name, each, read(ends[0]), exactly(ends[1]), coin, total)


def _whole(values: list[float]) -> tuple[list[int], int]:
    """Return whole numbers, and what to divide them by to get the values."""
    numbers = [*map(read, values)]
    scale = math.lcm(*(x.denominator for x in numbers))
    return [x.numerator * (scale // x.denominator) for x in numbers], scale


class Case:
    """A problem in whole numbers: values in 1 / scale, chances in 1 / fine."""

    def __init__(self, problem: CoverageProblem) -> None:
        self.problem, limits, returns = problem, problem.limits, problem.returns
        rows = [("the budget", dict(enumerate(problem.costs.tolist())), (0.0, problem.budget))]
        for r, name in enumerate(limits.names):
            own = slice(limits.indptr[r], limits.indptr[r + 1])
            amounts = zip(limits.sets[own].tolist(), limits.amounts[own].tolist(), strict=True)
            rows.append((name, dict(amounts), (float(limits.low[r]), float(limits.high[r]))))
        self.out = {i for _, each, (_, high) in rows for i, x in each.items() if x > high}
        self.rows = [_row(*row, self.out) for row in rows]
        self.kinds = returns.of.tolist() or [0] * problem.n_elements
        self.indptr, self.edges_of = problem.indptr.tolist(), [[] for _ in self.kinds]  # type: ignore[var-annotated]
        for e, a in enumerate(problem.indices.tolist()):
            self.edges_of[a].append(e)
        weights, per = _whole(problem.weights.tolist())
        numbers, self.one = _whole(returns.steps.tolist() + returns.strength.tolist())
        cuts = returns.indptr.tolist()
        self.curves = [numbers[cuts[c] : cuts[c + 1]] for c in range(len(cuts) - 1)]
        self.strength = numbers[cuts[-1] :]
        self.fine = 2**320 if -2 in self.kinds else 2**64
        self.scale, self.weights = per * self.one * self.fine, [w * self.fine for w in weights]

    def floors(self) -> list[tuple[list[int], Fraction, str]]:
        """Return the minima of value: elements, what they have to give, and the name."""
        floors = self.problem.floors
        cuts, elements = floors.indptr.tolist(), floors.elements.tolist()
        low = [read(x) * (1 - FLOOR) for x in floors.low.tolist()]
        return [(elements[cuts[r] : cuts[r + 1]], x, floors.names[r]) for r, x in enumerate(low)]

    def inside(self, sets: list[int]) -> set[int]:
        """Return the edges of some sets."""
        return {e for i in sets for e in range(self.indptr[i], self.indptr[i + 1])}

    def levels(self, a: int) -> list[int]:
        """Return what an element of kind COUNT may give, by the number of sets from 0."""
        found = [0]
        for step in self.curves[self.kinds[a]][: len(self.edges_of[a])]:
            found.append(found[-1] + self.weights[a] * step)
        return found

    def gives(self, sets: list[int]) -> list[int]:
        """Return what each element gives."""
        inside, found = self.inside(sets), []
        for a, kind in enumerate(self.kinds):
            held = [e for e in self.edges_of[a] if e in inside]
            if kind == -1:
                found.append(self.weights[a] * max((self.strength[e] for e in held), default=0))
            elif kind == -2:
                won = self.fine - self.fails(held)[1]
                found.append(self.weights[a] // self.fine * self.one * won)
            else:
                found.append(self.levels(a)[: len(held) + 1][-1])
        return found

    def fails(self, edges: Any) -> tuple[int, int]:
        """Return the chance that all edges fail, in 1 / fine, rounded down and up."""
        low = high = self.fine
        for e in edges:
            loses = self.one - self.strength[e]
            low, high = low * loses // self.one, -(-high * loses // self.one)
        return low, high

    def unit(self) -> tuple[Any, Any]:
        """Return the unit of values, and what they may be off by in all; no unit if that is much."""
        unit = read(self.problem.weight_unit or 0.0)
        if not unit or -2 in self.kinds:
            return Fraction(), Fraction()
        count = unit * self.scale
        count, off = count.numerator if count.denominator == 1 else count, Fraction()
        for a, kind in enumerate(self.kinds):
            some = (self.weights[a] * self.strength[e] for e in self.edges_of[a])
            off += max(
                (min(x % count, -x % count) for x in (some if kind == -1 else self.levels(a))),
                default=0,
            )
        off /= self.scale
        return (unit, off) if 8 * off < unit else (Fraction(), Fraction())

    def prices(self, dual: Any) -> list[Any]:
        """Return the price of each row; nothing for what is no number."""
        if dual is None or not 0 < dual.unit < math.inf:
            return [Fraction()] * len(self.rows)
        budget = (
            Fraction(dual.price) / Fraction(dual.unit) if 0 < dual.price < math.inf else Fraction()
        )
        prices = [budget, *_numbers(dual.rows, len(self.rows) - 1)]
        # what may be as much as one likes has no price
        return [
            min(x, 0) if row.high == math.inf else x
            for x, row in zip(prices, self.rows, strict=True)
        ]

    def bound(self, dual: Any, spent: Any) -> int:
        """Evaluate the inequality; with `spent`, less what the budget is worth, for at most that."""
        required, prices = self.problem.required.tolist(), self.prices(dual)
        out, charges, total = (
            self.out | {*self.problem.forbidden.tolist()},
            [0] * self.problem.n_sets,
            0,
        )
        for r, (row, price) in enumerate(zip(self.rows, prices, strict=True)):
            low, high = row.ends() if r or spent is None else (Fraction(), spent)
            room = high - row.used(required)
            out |= {i for i, x in row.amounts.items() if x > room}
            if price and (r or spent is None):
                total -= (-price * (high if price > 0 else low) * self.scale).__floor__()
            for i, x in row.amounts.items() if price else ():
                charges[i] += (price * x * self.scale).__floor__()
        weights = self.weights.copy()
        for (elements, low, _), reward in zip(
            self.floors(), _numbers(dual and dual.floors, len(self.problem.floors)), strict=True
        ):
            total -= (max(reward, 0) * low * self.scale).__floor__()
            for a in elements if reward > 0 else ():
                weights[a] -= (-reward * self.weights[a]).__floor__()
        constant, paid = self.affine(dual, weights, self.inside(required))
        for i, charge in enumerate(charges):
            if i not in out or i in required:
                profit = sum(paid[self.indptr[i] : self.indptr[i + 1]]) - charge
                total += profit if i in required else max(profit, 0)
        return total + constant

    def affine(self, dual: Any, weights: list[int], taken: set[int]) -> tuple[int, list[int]]:
        """Return the sum of the constants of the affine bounds, and what each edge gets of them."""
        constant, paid, pieces = 0, [0] * self.problem.n_edges, self.pieces(dual)
        shares = _numbers(dual and dual.shares, len(weights))
        for a, kind in enumerate(self.kinds):
            edges, share = self.edges_of[a], max((shares[a] * self.scale).__floor__(), 0)
            if kind == -1:
                constant += share
                for e in edges:
                    paid[e] = max(weights[a] * self.strength[e] - share, 0)
            elif kind == -2:
                whole, won, left, lost = pieces.get(a, (1, 0, self.fine, {}))
                constant -= -weights[a] * self.one * won // (whole * self.fine)
                for e in edges:
                    still = left - lost.get(e, 0)
                    paid[e] = -(-weights[a] * self.strength[e] * still // (whole * self.fine))
            else:
                steps = self.curves[kind][: len(edges)]
                levels = [0, *(weights[a] * sum(steps[: k + 1]) for k in range(len(steps)))]
                least = sum(e in taken for e in edges)
                # an element that the required sets leave nothing of pays nobody; nobody gets more than it has
                share = (
                    0
                    if least >= len(steps)
                    else min(share, max(-(-x // k) for k, x in enumerate(levels) if k))
                )
                constant += max(
                    x - k * share for k, x in enumerate(levels) if k >= min(least, len(steps))
                )
                for e in edges:
                    paid[e] = share
        return constant, paid

    def pieces(self, dual: Any) -> dict[int, tuple[int, int, int, dict[int, int]]]:
        """Return for elements of kind CHANCE: all shares, won, left open, and lost by edge."""
        found: dict[int, Any] = {}
        if dual is None or dual.pieces is None:
            return found
        elements, stated, cuts, edges = (part.tolist() for part in dual.pieces)
        if len(cuts) != len(elements) + 1:
            return found
        for p, share in enumerate(_numbers(dual.pieces.shares, len(elements))):
            a, own = elements[p], edges[cuts[p] : cuts[p + 1]]
            if not 0 <= a < len(self.kinds) or share <= 0 or not {*own} <= {*self.edges_of[a]}:
                continue
            part = (share * 2**60).__floor__()
            low, high = self.fails({*own})
            whole, won, left, lost = found.get(a, (0, 0, 0, {}))
            for e in {*own}:
                lost[e] = lost.get(e, 0) + part * high
            found[a] = whole + part, won + part * (self.fine - low), left + part * high, lost
        return {a: piece for a, piece in found.items() if piece[0]}


def _numbers(values: Any, size: int) -> list[Fraction]:
    """Return numbers as fractions; nothing where they are not finite, or not as many."""
    stated = [] if values is None else values.ravel().tolist()
    if len(stated) != size:
        return [Fraction()] * size
    return [Fraction(x) if math.isfinite(x) else Fraction() for x in stated]
