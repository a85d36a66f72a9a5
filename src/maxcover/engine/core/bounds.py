r"""Bounds: upper bounds on the value of every selection, rounded up.

Every bound here is one inequality. Give each limit r a price ``up[r]`` of its maximum and a price
``down[r]`` of its minimum, and each element an affine bound, ``F_a(S) <= c[a] + sum_{i in S}
e[i, a]`` for every selection S. Then each feasible selection is worth at most

    sum_a c[a] + sum_r (up[r] * high[r] - down[r] * low[r])
    + sum_i max(0, sum_a e[i, a] - sum_r (up[r] - down[r]) * amount[r, i])

where sets that are required count without the ``max``. In the dual point each element has one
number, which gives its affine bound:

- COUNT, lam: e = lam, and c is the maximum over k of the curve at k sets minus k * lam. For
  coverage this is ``c = w - lam``, with 0 <= lam <= w.
- BEST, v: c = v and e = max(0, w * strength - v).
- CHANCE, pieces of sets T that share a weight of 1: with r the probability that all of T fail,
  c = w (1 - r), and e = w * r * strength outside of T, 0 inside.

A minimum of value over some elements has a reward: the value of these elements counts 1 + reward
times, and reward * minimum is subtracted. So the numbers may come from anywhere
(`maxcover.engine.kernels.dual`, HiGHS, a file): poor ones give a loose bound, never a wrong one.
For plain coverage under one budget, costs are counted in ticks, and the required sets are taken as
chosen first.

Why the numbers hold in floating point
--------------------------------------
With ``u = 2**-53``, a sum of ``n`` non-negative numbers, in whatever order they are added, is at
least ``(1 - n*u)`` times the true sum, and sums never underflow. Each term here carries at most one
more rounding, so the true sum is at most ``(1 + (n + 4) * 2**-52)`` times the computed one while
``n < 2**50``; the 4 also pays for forming and applying that factor (`at_least`; `at_most` is its
mirror). Products and differences of two numbers are correctly rounded: one `nextafter` step away
from the computed number lies on the safe side of the true one, also where a product underflows.
Costs enter as ticks. They are whole numbers, but may have more digits than a float, and a tick may
be known up to rounding only, so what a set is charged is widened by a relative 2**-50 (1e-13 where
costs are multiples of a unit such as a third) on either side.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from maxcover.engine.core.limits import FLOOR_ROUNDING, NO_LIMIT, row_sums
from maxcover.engine.core.returns import BEST, CHANCE, COUNT
from maxcover.engine.core.validation import positions_of
from maxcover.engine.kernels.dual import row_sums as set_sums
from maxcover.engine.kernels.price import at_least, earn

if TYPE_CHECKING:
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import AnyArray, Floats, Int32s, Int64s, Mask


BoundName = Literal["dual", "quick", "trivial"]
# For weights without a common unit, a value counts as optimal if the bound is above it by at most
# this part of the undecided weight (see `undecided`), plus ROUNDING.
TOLERANCE = 1e-9
# Rounding error of the value and its bound that a proof tolerates, relative to the value.
ROUNDING = 4e-13


class AffinePieces(NamedTuple):
    """Affine bounds of elements of kind CHANCE; a piece is one bound, with a share and a set T.

    Piece ``p`` bounds element ``elements[p]``. Its T is ``edges[indptr[p]:indptr[p + 1]]``,
    positions in ``problem.indices``. The shares of an element are divided by their sum.
    """

    elements: Int32s
    shares: Floats
    indptr: Int64s
    edges: Int64s


class Dual(NamedTuple):
    """A dual point: the price of one `unit` of budget, and a dual value (share) per element.

    `rows` are the prices of the other limits, per amount of 1: above 0 for a maximum, below 0 for a
    minimum. `floors` are the rewards of minima of value, and `pieces` the bounds of
    elements of kind CHANCE.
    """

    price: float
    shares: Floats
    unit: float = 1.0
    rows: Floats | None = None
    floors: Floats | None = None
    pieces: AffinePieces | None = None


class CaseTree(NamedTuple):
    """A proof by cases: a binary tree of decisions, with a dual point at each leaf.

    `nodes` lists the tree, each node before its two parts. ``2 * i`` decides set i, the cases with
    it first; ``2 * i + 1`` decides it too, the cases without it first. ``~p`` is a leaf that point
    p bounds, or in which a limit cannot be kept. `points` holds the points one after the other, as
    `maxcover.engine.core.verify.TreePoints` reads them; `rates` turn their prices into those of an
    amount of 1 of each limit, and `most` is the largest share, as a multiple of a weight.
    """

    nodes: Int64s
    points: bytes
    rates: Floats
    most: float

    @property
    def n_leaves(self) -> int:
        """The number of leaves: cases that a dual point bounds."""
        return int(np.count_nonzero(self.nodes < 0))

    def raised(self, exponent: int, n_limits: int) -> CaseTree | None:
        """Return the tree for weights 2**exponent as large; None if prices exceed all floats.

        The prices of the `n_limits` limits grow with the weights, the rewards of minima do not.
        """
        with np.errstate(over="ignore"):
            rates = np.append(np.ldexp(self.rates[:n_limits], exponent), self.rates[n_limits:])
        return self._replace(rates=rates) if np.isfinite(rates).all() else None


class Claim(NamedTuple):
    """An upper bound that a solver claims, its name, and the proof by cases if there is one."""

    value: float
    by: str
    tree: CaseTree | None = None


class Bound(NamedTuple):
    """An upper bound, the name of what proves it (`by`), and the best dual point known.

    The dual point proves the bound, unless a solver claims a tighter one.
    """

    value: float
    by: str
    dual: Dual | None


class Reduced(NamedTuple):
    """The rest of a problem after its required sets are chosen; `base` is the value they cover."""

    weights: Floats
    ticks: Floats
    limit: float
    allowed: Mask
    base: float
    loose: float = 2.0**-50


def reduced(problem: CoverageProblem) -> Reduced:
    """Return the rest of a plain problem after its required sets are chosen.

    The elements of required sets then have weight 0, and their cost is taken off the budget. A
    problem that is not plain stays as it is. A bound on the problem is ``base`` plus a bound on
    what is left; ``base`` is rounded up.
    """
    ticks = problem.ticks
    counted = ticks.ticks.astype(np.float64)
    loose = 1e-13 if ticks.exact and ticks.fraction is None else 2.0**-50
    if not problem.required.size or not problem.is_plain:
        return Reduced(problem.weights, counted, ticks.room, problem.choosable, 0.0, loose)
    have = problem.covered(problem.required)
    spent = int(ticks.ticks[problem.required].sum())
    return Reduced(
        weights=np.where(have, 0.0, problem.weights),
        ticks=counted,
        limit=float(np.nextafter(ticks.room - spent, np.inf)),
        allowed=problem.choosable & (ticks.ticks <= ticks.limit - spent),
        base=_total_above(problem.weights[have]),
        loose=loose,
    )


def round_down(problem: CoverageProblem, bound: float) -> float:
    """Round a bound down to a multiple of the unit of weights, if they have a common unit.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> round_down(CoverageProblem.from_sets([[1, 2], [3]], budget=1), 2.9)
    2.0
    """
    return float(round_each_down(problem, np.array([bound]))[0])


def round_each_down(problem: CoverageProblem, limits: Floats) -> Floats:
    """Apply `round_down` to each of many bounds."""
    unit = problem.weight_unit
    if unit is None:
        return limits
    slack = _unit_slack(unit)
    with np.errstate(over="ignore", invalid="ignore"):
        multiples = np.floor(limits / unit * (1 + slack)) * unit * (1 + slack)
    return np.where(np.isfinite(multiples), np.minimum(limits, multiples), limits)


def _unit_slack(unit: float) -> float:
    """Return the relative error of multiples of `unit`: 0 if it is whole or a power of two."""
    return 0.0 if unit == math.floor(unit) or math.frexp(unit)[0] == 0.5 else 1e-13


def proves(problem: CoverageProblem, value: float, bound: float) -> bool:
    """Whether `bound` proves that no selection is worth more than `value`.

    The proof is exact if weights have a common unit. Otherwise the bound may exceed the value by
    rounding and by `TOLERANCE` of the undecided weight (see `undecided`).

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> proves(CoverageProblem.from_sets([[1, 2], [3]], budget=1), 2.0, 2.9)
    True
    """
    if bound <= value * (1 + 2.0**-52):
        return True
    # A bound this far above the value proves nothing, as the unit is at most the largest weight.
    # This saves the search for the unit.
    if bound - value > max(2.0 * float(problem.weights.max(initial=0.0)), 1e-8 * value):
        return False
    unit = problem.weight_unit
    if unit is not None:
        return math.floor(bound / unit * (1 + _unit_slack(unit))) <= round(value / unit)
    rounding = (ROUNDING if problem.is_plain else 10 * ROUNDING) * value
    if bound - value > TOLERANCE * value + rounding:
        return False
    return bound - value <= TOLERANCE * undecided(problem, value) + rounding


def undecided(problem: CoverageProblem, value: float) -> float:
    """Return `value` minus the weight that is covered by every selection worth `value` or more.

    Every such selection covers what the required sets cover. It also covers an element without
    which the weight of all others does not reach `value`.
    """
    if problem.returns.of.size:
        most = problem.given(np.flatnonzero(problem.choosable | problem.is_required))
        spare = float(most.sum()) * (1 + 1e-9) - value
        return max(value - float(np.maximum(most - spare, 0.0).sum()), 0.0)
    weights = problem.weights
    sure = problem.covered(problem.required)
    spare = float(weights[problem.coverable].sum()) * (1 + 1e-9) - value
    sure |= problem.coverable & (weights > spare)
    return max(value - float(weights[sure].sum()), 0.0)


def dual_bound(problem: CoverageProblem, left: Reduced, dual: Dual) -> float:
    """Return the bound that a dual point gives.

    Any point gives a valid bound: it is moved into its domain first. This takes one pass over the
    edges, and 8 MB beyond a few vectors.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets([[1], [1]], weights={1: 2.0}, budget=1)
    >>> round(dual_bound(problem, reduced(problem), Dual(0.0, np.zeros(1))), 9)
    2.0
    """
    return priced_bound(left, priced(problem, left, dual))


def priced_bound(left: Reduced, at: Priced) -> float:
    """Return the bound on the whole problem from `at`, the evaluation of a dual point."""
    bound = left.base + at.bound
    return math.nextafter(bound, math.inf) if left.base else bound


def fewest_ticks(problem: CoverageProblem, left: Reduced, dual: Dual, weight: float) -> float:
    """Return a lower bound on the ticks of a selection worth `weight`, without required sets.

    It is the inequality of `dual_bound`, solved for the budget, and rounded down. It is infinite if
    the price is 0 and the inequality proves that no selection is worth `weight`.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets([[1, 2], [3]], costs=[4, 1], budget=9)
    >>> fewest_ticks(problem, reduced(problem), Dual(0.5, np.ones(3)), 3.0) > 3.99
    True
    """
    worth = priced(problem, left._replace(limit=0.0), dual).bound
    missing = np.nextafter(np.nextafter(weight - left.base, -np.inf) - worth, -np.inf)
    if missing <= 0.0:
        return 0.0
    price = dual.price if 0.0 < dual.price < np.inf else 0.0
    # If the problem is not plain, `left` still has the required sets: subtract their ticks.
    spent = 0 if problem.is_plain else int(problem.ticks.ticks[problem.required].sum())
    with np.errstate(over="ignore"):
        return max(float(np.nextafter(missing / price, 0.0)) - spent, 0.0) if price else np.inf


def trivial_bound(problem: CoverageProblem) -> Bound:
    """Return the total weight of all elements as a bound that takes almost no time."""
    if problem.returns.of.size:
        return _everything(problem)
    dual = Dual(0.0, np.zeros(problem.n_elements), problem.ticks.unit)
    return Bound(_total_above(problem.weights), "the weight of everything", dual)


def _everything(problem: CoverageProblem) -> Bound:
    """Return the value of all sets together as a bound; CHANCE elements count their full weight."""
    of, returns = problem.returns.of, problem.returns
    most = np.add.reduceat(returns.steps, returns.indptr[:-1])[np.maximum(of, 0)]
    best = np.zeros(problem.n_elements)
    if bool((of == -1).any()):
        np.maximum.at(best, problem.indices, returns.strength)
    most = problem.weights * np.where(of == -1, best, np.where(of == -2, 1.0, most))
    dual = Dual(0.0, np.where(of == -1, most, 0.0), problem.ticks.unit)
    return Bound(_total_above(most) * (1 + 2.0**-48), "the weight of everything", dual)


def residual_dual(
    problem: CoverageProblem,
    left: Reduced,
    selected: Int64s,
    *,
    missing: float | None = None,
) -> Dual:
    """Return a dual point from the gains that the other sets would add to `selected`.

    It gives the classical bound by residual gains: the value of `selected` plus the fractional
    knapsack optimum of these gains within the whole budget. Covered elements have share 0, the
    others their weight. The price is the density at which the budget runs out, or at which the
    gains reach `missing`. The bound holds for any selection because coverage is submodular.
    """
    pieces = None
    if problem.returns.of.size:
        shares, pieces = _marginal(problem, selected)
        dual = Dual(0.0, shares, problem.ticks.unit, pieces=pieces)
        if problem.strength.size:
            gains = affine(problem, dual, problem.weights).income
        else:
            gains = _row_sums(problem, shares)
    else:
        shares = np.where(problem.covered(selected), 0.0, left.weights)
        gains = _row_sums(problem, shares)
    sold = left.allowed & (left.ticks > 0.0) & (gains > 0.0)
    costs, gains = left.ticks[sold], gains[sold]
    density = gains / costs
    order = np.argsort(-density, kind="stable")
    if missing is None:
        last = int(np.searchsorted(np.cumsum(costs[order]), left.limit, side="right"))
    else:
        last = int(np.searchsorted(np.cumsum(gains[order]), missing))
    price = float(density[order[last]]) if last < order.size else 0.0
    return Dual(price, shares, problem.ticks.unit, pieces=pieces)


def _marginal(problem: CoverageProblem, selected: Int64s) -> tuple[Floats, AffinePieces]:
    """Return the shares and pieces whose affine bounds are tight at the selection `selected`."""
    indptr, steps = problem.steps
    held = positions_of(problem.indptr, np.sort(selected))
    counts = np.bincount(problem.indices[held], minlength=problem.n_elements)
    at = np.minimum(indptr[:-1] + counts, indptr[1:] - 1)
    shares = np.where(counts < np.diff(indptr), steps[at], 0.0)
    best = problem.kind == BEST
    if best.any():
        shares = np.where(best, problem.given(selected), shares)
    held = held[problem.kind[problem.indices[held]] == CHANCE]
    held = held[np.argsort(problem.indices[held], kind="stable")]
    elements = np.flatnonzero(problem.kind == CHANCE)
    sizes = np.bincount(problem.indices[held], minlength=problem.n_elements)[elements]
    starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
    return shares, AffinePieces(elements.astype(np.int32), np.ones(elements.size), starts, held)


def fixable(problem: CoverageProblem, left: Reduced, at: Priced, value: float) -> tuple[Mask, Mask]:
    """Return two masks of sets: those in every selection better than `value`, and those in none.

    `at` is the evaluation of a dual point. Leaving a set out lowers the bound by its profit
    ``sum_{a in i} lam[a] - mu * ticks[i]`` if that is positive; forcing it in lowers the bound by
    the loss if it is negative. If the lowered bound is not better than `value`, the decision is
    forced. If some set is in both masks, no selection is better. If weights have a common unit,
    better means better by at least that unit.
    """
    unit = problem.weight_unit or 0.0
    goal = value + unit * (1 - 1e-9)  # a slightly low goal fixes fewer sets, never a wrong one
    without = np.nextafter(at.bound - np.maximum(at.low, 0.0), np.inf) + left.base
    within = np.nextafter(at.bound + np.minimum(at.high, 0.0), np.inf) + left.base
    return left.allowed & (without < goal), ~left.allowed | (within < goal)


class Priced(NamedTuple):
    """Evaluation of a dual point on a reduced problem: the bound, and the profit of each set.

    `low` and `high` enclose the profits ``sum_{a in i} lam[a] - mu * ticks[i]``.
    """

    bound: float
    low: Floats
    high: Floats


def priced(problem: CoverageProblem, left: Reduced, dual: Dual) -> Priced:
    """Evaluate a dual point, clipped to its valid range first; NaN counts as 0."""
    if not problem.is_plain:
        return _priced_rows(problem, left, dual)
    price = float(dual.price) if 0.0 < dual.price < np.inf else 0.0
    shares = np.fmin(np.fmax(dual.shares, 0.0), left.weights)
    low, high = np.empty((2, problem.n_sets))
    profits = earn(
        *(problem.indptr, problem.indices, shares, left.ticks, left.allowed, price, left.loose),
        *(low, high),
    )
    parts = (
        math.nextafter(price * left.limit, math.inf) if price else 0.0,
        _total_above(left.weights - shares),
        at_least(profits, problem.n_sets),
    )
    return Priced(at_least(sum(parts), len(parts)), low, high)


class Affine(NamedTuple):
    """Affine bounds of all elements: a constant per element, and the sum of coefficients per set.

    Rounding errors are proportional to `size` (per set) and `loose` (in all), which are sums of
    absolute terms.
    """

    constants: Floats
    income: Floats
    size: Floats
    loose: float


def affine(problem: CoverageProblem, dual: Dual, weights: Floats) -> Affine:
    """Return the affine bounds that a dual point gives if the elements have these `weights`."""
    shares = np.zeros(problem.n_elements)
    if dual.shares.shape == shares.shape:
        shares = np.fmin(np.fmax(dual.shares, 0.0), 1e300)
    shares, constants = _counting(problem, shares, weights)
    loose = float(weights.sum())
    if not problem.strength.size:
        income = _row_sums(problem, shares)
        return Affine(constants, income, income, loose)
    indptr, indices, kind = problem.indptr, problem.indices, problem.kind
    best, chance = kind == BEST, kind == CHANCE
    worth = weights[indices]
    worth *= problem.strength
    paid = np.zeros(0)
    if best.any():
        paid = np.maximum(worth - shares[indices], 0.0) if shares[best].any() else worth
    constants = np.where(best, shares, constants)
    if chance.any():
        won, failing = won_by_pieces(problem, dual.pieces)
        constants = np.where(chance, weights * won, constants)
        open_worth = worth if failing is None else failing * worth
        paid = np.where(best[indices], paid, open_worth) if paid.size else open_worth
    size = worth
    if not (best | chance).all():
        counts = ~(best | chance)[indices]
        paid = np.where(counts, shares[indices], paid)
        size = np.maximum(worth, paid)
    income = row_sums(indptr, paid)
    return Affine(constants, income, income if paid is size else row_sums(indptr, size), loose)


def _counting(problem: CoverageProblem, shares: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return shares clipped to their valid range, and constants of elements of kind COUNT.

    The constant is the maximum over k of the curve at k sets minus k shares, for k from the number
    of required sets that hold the element. A share is at most the largest mean of the first steps,
    and 0 if the required sets alone reach the end of the curve.
    """
    indptr, steps = problem.steps
    lengths, held = np.diff(indptr), np.zeros(problem.n_elements, dtype=np.int64)
    if problem.required.size:
        edges = positions_of(problem.indptr, problem.required)
        held = np.bincount(problem.indices[edges], minlength=problem.n_elements)
    if weights is not problem.weights:
        with np.errstate(divide="ignore", invalid="ignore"):
            raised = np.where(problem.weights > 0, weights / problem.weights, 1.0)
        steps = steps * np.repeat(raised, lengths)
    first, last = steps[indptr[:-1]], steps[indptr[1:] - 1]
    most = np.where(held >= lengths, 0.0, np.where(first > 0, first, last / lengths))
    most = np.where(problem.kind == COUNT, most, np.inf) if problem.kind.size else most
    shares = np.minimum(shares, most)
    less = steps - np.repeat(shares, lengths)
    won = np.maximum(less, 0.0)
    if problem.required.size:
        place = np.arange(steps.size) - np.repeat(indptr[:-1], lengths)
        won = np.where(place < np.repeat(held, lengths), less, won)
    bent = row_sums(indptr, won) - shares * np.maximum(held - lengths, 0)
    # For curves that are 0 up to one last step, the maximum is at one of the two ends.
    rest = np.maximum(lengths - held, 0)
    late = np.where(rest > 0, np.maximum(last - shares * rest, 0.0), last) - shares * held
    return shares, np.where((lengths > 1) & (first == 0), late, bent)


def won_by_pieces(
    problem: CoverageProblem, pieces: AffinePieces | None
) -> tuple[Floats, Floats | None]:
    """Return factors for bounds of kind CHANCE: of each element's constant c, each edge's e.

    With r the probability that all edges of a T fail, they are means of ``1 - r`` and of r over the
    pieces of an element, with their shares. For an edge, pieces whose T contains it count 0.

    Elements not listed get one piece with T = {}. If `pieces` is None, every element is bounded by
    its full weight. The second array is None if no piece has an edge in its T.
    """
    if pieces is None:
        return np.ones(problem.n_elements), np.zeros(problem.n_edges)
    if not pieces.edges.size or not _is_sound(problem, pieces):
        return np.zeros(problem.n_elements), None
    sizes = np.diff(pieces.indptr)
    total = _sums(pieces.elements, pieces.shares, problem.n_elements)
    with np.errstate(invalid="ignore"):
        share = np.nan_to_num(pieces.shares / total[pieces.elements])
    fails = np.ones(pieces.elements.size)
    filled = np.flatnonzero(sizes)
    lost = 1.0 - problem.strength[pieces.edges]
    if filled.size:
        fails[filled] = np.multiply.reduceat(lost, pieces.indptr[filled])
    won = _sums(pieces.elements, share * (1.0 - fails), problem.n_elements)
    left = _sums(pieces.elements, share * fails, problem.n_elements)
    failing = np.where(total > 0, left, 1.0)[problem.indices]
    inside = _sums(pieces.edges, np.repeat(share * fails, sizes), problem.n_edges)
    return won, np.maximum(failing - inside, 0.0)


def _is_sound(problem: CoverageProblem, pieces: AffinePieces) -> bool:
    """Whether each piece lists edges of its own element, ascending and each once."""
    elements, shares, indptr, edges = pieces
    sizes = np.diff(indptr)
    if not (len(shares) == len(elements) == len(sizes) and indptr[-1] == len(edges)):
        return False
    if indptr[0] != 0 or sizes.min() < 0 or not ((shares >= 0) & (shares < np.inf)).all():
        return False
    if elements.min() < 0 or elements.max() >= problem.n_elements:
        return False
    if edges.size and (edges.min() < 0 or edges.max() >= problem.n_edges):
        return False
    starts = np.zeros(edges.size + 1, dtype=bool)
    starts[indptr] = True
    rising = starts[1:-1] | (np.diff(edges) > 0)
    return bool(rising.all() and (problem.indices[edges] == np.repeat(elements, sizes)).all())


def _priced_rows(problem: CoverageProblem, left: Reduced, dual: Dual) -> Priced:
    """Evaluate a dual point with all limits and returns; add the rounding error to the bound."""
    rows, floors = problem.rows, problem.floors
    rewards = cleaned(dual.floors, len(floors), least=0.0)
    owner = np.repeat(np.arange(len(floors)), np.diff(floors.indptr))
    premium = _sums(floors.members, rewards[owner], problem.n_elements)
    found = affine(problem, dual, problem.weights * (1.0 + premium))
    unit = dual.unit if 0.0 < dual.unit < np.inf else 1.0
    budget = dual.price / unit if 0.0 < dual.price < np.inf else 0.0
    prices = cleaned(dual.rows, len(problem.limits), least=-np.inf)
    high = np.where(rows.exact & (rows.high < NO_LIMIT), rows.high * rows.unit, rows.limits.high)
    high[0] = left.limit * rows.unit[0]
    # A limit without a maximum cannot have a positive price.
    prices = np.where((prices > 0) & np.isinf(problem.limits.high), 0.0, prices)
    prices = np.append(min(budget, 1e300), prices)
    ends = np.where(prices > 0, high, rows.limits.low)
    with np.errstate(over="ignore", invalid="ignore"):  # infinity is a valid bound
        entries = prices[rows.owners] * rows.limits.amounts
        charges = _sums(rows.sets, entries, problem.n_sets)
        profit = found.income - charges
        size = found.size + _sums(rows.sets, np.abs(entries), problem.n_sets)
        # Sums along a set or an element are added one by one, so their rounding error grows with
        # their length. NumPy adds the other sums pairwise.
        longest = max(np.diff(problem.indptr).max(initial=0), problem.degrees.max(initial=0))
        loose = float(longest + np.diff(rows.by_set[0]).max(initial=0) + 48) * 2.0**-52
        low, top = profit - loose * size, profit + loose * size
        counted = np.where(left.allowed, np.maximum(top, 0.0), 0.0)
        counted[problem.required] = top[problem.required]
        earned = prices * np.where(prices == 0, 0.0, ends)
        # Limits on amounts without a common unit are kept only up to rounding: widen them.
        earned += np.where(rows.exact, 0.0, np.abs(earned) * (np.diff(rows.indptr) + 4) * 2.0**-51)
        less = rewards * floors.low * (1 - 2 * FLOOR_ROUNDING)
        parts = (found.constants, earned, -less, counted)
        rough = sum(float(np.abs(part).sum()) for part in parts) + found.loose
        bound = sum(float(np.sum(part)) for part in parts) + loose * rough
    return Priced(bound if rough < np.inf else np.inf, low, top)


def _sums(where: AnyArray, values: Floats, size: int) -> Floats:
    """Return an array of length `size`: entry k is the sum of `values` where `where` is k."""
    return np.bincount(where, weights=values, minlength=size).astype(np.float64, copy=False)


def cleaned(values: Floats | None, size: int, *, least: float) -> Floats:
    """Return `values`, with 0 for numbers that are infinite, NaN or below `least`."""
    if values is None or values.shape != (size,):
        return np.zeros(size)
    return np.where(np.isfinite(values) & (values >= least), values, 0.0)


def _row_sums(problem: CoverageProblem, values: Floats) -> Floats:
    """Return the sum of ``values`` over the elements of each set."""
    sums = np.zeros(problem.n_sets)
    set_sums(problem.indptr, problem.indices, values, sums)
    return sums


def _total_above(terms: Floats) -> float:
    """Return an upper bound on the true sum of ``terms`` >= 0, each off by one rounding at most."""
    return at_least(float(terms.sum()), terms.size)
