r"""Upper bounds on the best value of a problem, in plain NumPy, rounded outward.

Every bound here is one inequality. For any price of a tick of budget ``mu >= 0`` and any shares
``0 <= lam[a] <= weights[a]``, each feasible selection is worth at most

    mu * limit + sum_a (weights[a] - lam[a]) + sum_i max(0, sum_{a in i} lam[a] - mu * ticks[i])

since a covered element pays its share to at least one chosen set and the chosen sets cost at most
the budget. So price and shares may come from anywhere (`maxcover.kernels.dual`, belief propagation,
a file): a poor pair gives a loose bound, never a wrong one. Group limits are not used: leaving them
out can only raise the bound.

Why the numbers hold in floating point
--------------------------------------
With ``u = 2**-53``, a sum of ``n`` non-negative numbers, in whatever order NumPy adds them, is at
least ``(1 - n*u)`` times the true sum, and sums never underflow. Each term here carries at most one
more rounding, so the true sum is at most ``(1 + (n + 4) * 2**-52)`` times the computed one while
``n < 2**50``; the 4 also pays for forming and applying that factor (`_above`; `_below` is its
mirror). Products and differences of two numbers are correctly rounded: one `nextafter` step away
from the computed number lies on the safe side of the true one, also where a product underflows.
Costs enter as ticks. They are whole numbers, but may have more digits than a float, and a tick may
be known up to rounding only, so what a set is charged is widened by a relative 2**-50 (1e-13 where
costs are multiples of a unit such as a third) on either side.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from maxcover.core.demand_bounds import demanding_bound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

BoundName = Literal["dual", "quick", "trivial"]
BOUNDS: tuple[str, ...] = get_args(BoundName)
# What may be left open, relative to what is undecided, of a proof for weights without a unit.
TOLERANCE = 1e-9
# What rounding may leave open, relative to the value.
ROUNDING = 4e-13

_BLOCK_EDGES = (
    1 << 20
)  # edges gathered at once: 8 MB of temporary memory whatever the size of the problem


class Dual(NamedTuple):
    """A dual point: what `unit` of cost is priced at, and what each element pays to its sets.

    `rewards`, of shape (3, n_groups), are for problems with minima: for a set of a group, for a
    unit of its cost, and on the weight of a minimum of a share (see `demand_bounds`).
    """

    price: float
    shares: Floats
    unit: float = 1.0
    rewards: Floats | None = None


class Claim(NamedTuple):
    """An upper bound that somebody else proved, and who."""

    value: float
    by: str


class Bound(NamedTuple):
    """An upper bound, the argument that gives it, and the best dual point that is known.

    The dual point is the argument itself unless somebody else proved more.
    """

    value: float
    by: str
    dual: Dual | None


class Reduced(NamedTuple):
    """A problem less its required sets: what is left to win and to spend, and what is won."""

    weights: Floats
    ticks: Floats
    limit: float
    allowed: Mask
    base: float
    loose: float = 2.0**-50


def reduced(problem: CoverageProblem) -> Reduced:
    """Take the required sets as chosen.

    Their elements weigh nothing any more and their cost has left the budget. A bound on the problem
    is ``base`` plus a bound on what is left; ``base`` is rounded up.
    """
    ticks = problem.ticks
    counted = ticks.ticks.astype(np.float64)
    loose = 1e-13 if ticks.exact and ticks.fraction is None else 2.0**-50
    if not problem.required.size:
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
    """Round a bound down to what a selection can be worth, where weights have a common unit.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> round_down(CoverageProblem.from_sets([[1, 2], [3]], budget=1), 2.9)
    2.0
    """
    unit = problem.weight_unit
    if unit is None or not math.isfinite(bound):
        return bound
    slack = _unit_slack(unit)
    multiples = float(np.floor(bound / unit * (1 + slack)))
    return min(bound, multiples * unit * (1 + slack))


def _unit_slack(unit: float) -> float:
    """Return what multiples of a unit may be off by: nothing for whole numbers or 1/2, 1/4, ..."""
    return 0.0 if unit == math.floor(unit) or math.frexp(unit)[0] == 0.5 else 1e-13


def proves(problem: CoverageProblem, value: float, bound: float) -> bool:
    """Whether a bound shows that no selection is worth more than `value`.

    Exactly, where weights have a common unit; otherwise to rounding and `TOLERANCE` of what is
    undecided: the value less what every selection has that is worth as much.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> proves(CoverageProblem.from_sets([[1, 2], [3]], budget=1), 2.0, 2.9)
    True
    """
    # no unit is above any weight: far apart needs no look at all of them
    if bound - value > max(2.0 * float(problem.weights.max(initial=0.0)), 1e-8 * value):
        return False
    unit = problem.weight_unit
    if unit is not None:
        return bool(np.floor(bound / unit * (1 + _unit_slack(unit))) <= np.rint(value / unit))
    rounding = ROUNDING * value
    if bound - value > TOLERANCE * value + rounding:
        return False
    return bound - value <= TOLERANCE * undecided(problem, value) + rounding


def undecided(problem: CoverageProblem, value: float) -> float:
    """Return the value less what every selection that is worth as much is sure to have.

    What the required sets cover is sure. So is an element that weighs more than all that the others
    could make up for: without it the value is out of reach.
    """
    weights = problem.weights
    sure = problem.covered(problem.required)
    spare = float(weights[problem.coverable].sum()) * (1 + 1e-9) - value
    sure |= problem.coverable & (weights > spare)
    return max(value - float(weights[sure].sum()), 0.0)


def dual_bound(problem: CoverageProblem, left: Reduced, dual: Dual) -> float:
    """Return the bound that a dual point gives.

    Any point will do: it is moved into its domain first. Cost: one pass over the edges, 8 MB beyond
    a few vectors.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets([[1], [1]], weights={1: 2.0}, budget=1)
    >>> round(dual_bound(problem, reduced(problem), Dual(0.0, np.zeros(1))), 9)
    2.0
    """
    if problem.is_demanding:
        return demanding_bound(problem, dual.price / dual.unit, dual.shares, dual.rewards)
    return priced_bound(left, priced(problem, left, dual))


def priced_bound(left: Reduced, at: Priced) -> float:
    """Return the bound on the whole problem that a dual point gives, from its evaluation."""
    bound = left.base + at.bound
    return math.nextafter(bound, math.inf) if left.base else bound


def fewest_ticks(problem: CoverageProblem, left: Reduced, dual: Dual, weight: float) -> float:
    """Return how many ticks a selection worth at least `weight` costs, beyond the required sets.

    The same inequality, solved for the budget: at fewer ticks it proves that no selection is worth
    `weight`. Infinite if none within the budget of the problem is. Rounded down.

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
    with np.errstate(over="ignore"):
        return float(np.nextafter(missing / price, 0.0)) if price else np.inf


def trivial_bound(problem: CoverageProblem) -> Bound:
    """Return the weight of all elements: a bound for when there is no time for another."""
    dual = Dual(0.0, np.zeros(problem.n_elements), problem.ticks.unit)
    return Bound(_total_above(problem.weights), "the weight of everything", dual)


def residual_dual(problem: CoverageProblem, left: Reduced, selected: NDArray[np.int64]) -> Dual:
    """Return the dual point of the classical bound by residual gains.

    That bound is the value of a selection and the best fractional use of all the budget on top of
    it: covered elements share nothing and the others everything, at the price where the budget runs
    out. Valid for any selection because coverage is submodular.
    """
    shares = np.where(problem.covered(selected), 0.0, left.weights)
    gains = _row_sums(problem, shares)
    sold = left.allowed & (left.ticks > 0.0) & (gains > 0.0)
    costs, gains = left.ticks[sold], gains[sold]
    density = gains / costs
    order = np.argsort(-density, kind="stable")
    spent = np.cumsum(costs[order])
    last = int(np.searchsorted(spent, left.limit, side="right"))
    price = float(density[order[last]]) if last < order.size else 0.0
    return Dual(price, shares, problem.ticks.unit)


def fixable(problem: CoverageProblem, left: Reduced, dual: Dual, value: float) -> tuple[Mask, Mask]:
    """Return which sets are in, and which are out of, every selection better than `value`.

    Leaving a set out takes its profit ``sum_{a in i} lam[a] - mu * ticks[i]`` off the bound if that
    is positive; forcing it in adds the profit if that is negative. If what remains does not reach a
    better value, the decision is forced. If some set is in both masks, nothing better exists at
    all. Where weights have a common unit, better means better by at least that.
    """
    return fixable_at(problem, left, priced(problem, left, dual), value)


def fixable_at(
    problem: CoverageProblem, left: Reduced, at: Priced, value: float
) -> tuple[Mask, Mask]:
    """Return what `fixable` does, from the evaluation of a dual point."""
    unit = problem.weight_unit or 0.0
    goal = value + unit * (1 - 1e-9)  # a little less: fewer sets are fixed, none wrongly
    without = np.nextafter(at.bound - np.maximum(at.low, 0.0), np.inf) + left.base
    within = np.nextafter(at.bound + np.minimum(at.high, 0.0), np.inf) + left.base
    return left.allowed & (without < goal), ~left.allowed | (within < goal)


class Priced(NamedTuple):
    """A dual point evaluated on what is left of a problem.

    The bound, and for each set an interval around ``sum_{a in i} lam[a] - mu * ticks[i]``.
    """

    bound: float
    low: Floats
    high: Floats


def priced(problem: CoverageProblem, left: Reduced, dual: Dual) -> Priced:
    """Evaluate the bound at a point moved into its domain; what is not a number counts as zero."""
    price = np.float64(dual.price if 0.0 < dual.price < np.inf else 0.0)
    shares = np.fmin(np.fmax(dual.shares, 0.0), left.weights)
    degrees = np.diff(problem.indptr)
    sums = _row_sums(problem, shares)
    with np.errstate(
        over="ignore", under="ignore"
    ):  # an infinite bound is valid; see the head of this file
        charges = price * left.ticks
        lowered = np.nextafter(charges * (1 - left.loose), 0.0)
        high = np.nextafter(_above(sums, degrees) - lowered, np.inf)
        raised = np.nextafter(charges * (1 + left.loose), np.inf)
        low = np.nextafter(_below(sums, degrees) - raised, -np.inf)
        budget_value = float(np.nextafter(price * left.limit, np.inf)) if price else 0.0
    profits = np.where(left.allowed & (sums > 0.0), np.maximum(high, 0.0), 0.0)
    parts = np.array([budget_value, _total_above(left.weights - shares), _total_above(profits)])
    return Priced(_total_above(parts), low, high)


def _row_sums(problem: CoverageProblem, values: Floats) -> Floats:
    """Return the sum of ``values`` over the elements of each set, a block of sets at a time."""
    indptr, indices = problem.indptr, problem.indices
    sums = np.zeros(problem.n_sets)
    first = 0
    while first < sums.size:
        reach = indptr[first] + _BLOCK_EDGES
        last = max(first + 1, int(np.searchsorted(indptr, reach, side="right")) - 1)
        start = indptr[first]
        # reduceat returns the *next* row's first number for an empty row, so only the others take
        # part
        filled = first + np.flatnonzero(indptr[first + 1 : last + 1] > indptr[first:last])
        if filled.size:
            gathered = values[indices[start : indptr[last]]]
            sums[filled] = np.add.reduceat(gathered, indptr[filled] - start)
        first = last
    return sums


def _above(totals: Floats, terms: NDArray[np.int64]) -> Floats:
    """Return numbers not below the true sums whose computed values are ``totals``."""
    grown: Floats = np.nextafter(totals * (1.0 + (terms + 4.0) * 2.0**-52), np.inf)
    return np.where(totals > 0.0, grown, 0.0)


def _below(totals: Floats, terms: NDArray[np.int64]) -> Floats:
    """Return numbers not above the true sums whose computed values are ``totals``."""
    shrunk: Floats = np.nextafter(totals * (1.0 - (terms + 4.0) * 2.0**-52), -np.inf)
    return np.maximum(shrunk, 0.0)


def _total_above(terms: Floats) -> float:
    """Return a number not below the true sum of ``terms`` >= 0, each one rounding from exact."""
    total = float(np.sum(terms))
    grown = math.nextafter(total * (1.0 + (terms.size + 4.0) * 2.0**-52), math.inf)
    return grown if total > 0.0 else 0.0
