"""Target: the weight that `cover` must reach, compared exactly, and lower bounds on its cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from maxcover.engine.core import bounds
from maxcover.engine.core.ticks import read
from maxcover.errors import OptionError
from maxcover.ground.options.row import is_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from maxcover.engine.core.problem import CoverageProblem

# Relative tolerance for meeting a target: the rounding error of a computed share or weight.
ROUNDING = Fraction(1, 2**51)
# For costs without a common unit, a cost counts as optimal if it exceeds its lower bound by less
# than this part of the cost.
TOLERANCE = 1e-9
# Above this number of weights with many digits, the exact sum of their decimals takes too long.
_MANY = 2000


@dataclass(frozen=True)
class Target:
    """The weight that a selection of `problem` has to cover.

    Exactly one of `share` and `weight` is given. A whole number counts as it is, any other as
    the decimal that it prints as. The target is met with a relative tolerance of 2^-51.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> target = Target(CoverageProblem.from_sets([[1, 2], [3]], budget=0), share=0.5)
    >>> target.needed, target.counted, target.is_met([1]), target.is_met([0])
    (1.5, 2.0, False, True)
    """

    problem: CoverageProblem
    share: float | None = None
    weight: float | None = None

    def __post_init__(self) -> None:
        if (self.share is None) == (self.weight is None):
            raise OptionError(
                "expected either target (a share of the weight, as in target=0.95) or weight "
                f"(as in weight=120), got {'both' if self.share is not None else 'neither'}"
            )
        if self.share is not None and not (is_number(self.share) and 0 < self.share <= 1):
            raise OptionError(
                f"expected target to be a share above 0 and up to 1, got {self.share!r}; write "
                "0.95 for 95 %, or weight=... for an absolute weight"
            )
        if self.weight is not None and not (is_number(self.weight) and 0 <= self.weight < math.inf):
            raise OptionError(f"expected weight to be a number of at least 0, got {self.weight!r}")

    @cached_property
    def exactly(self) -> Fraction:
        """The weight to cover, as an exact fraction."""
        if self.share is None:
            return read(float(self.weight or 0.0))
        weights = self.problem.weights
        if weights.size > _MANY and not _prints_short(weights):
            # Printing all weights takes too long. Their exact sum is at most this rounded sum.
            return read(float(self.share)) * Fraction(math.fsum(weights)) * (1 + ROUNDING / 2)
        return read(float(self.share)) * _exact_sum(weights)

    @cached_property
    def least(self) -> Fraction:
        """The smallest weight that counts as meeting the target."""
        return self.exactly * (1 - ROUNDING)

    @property
    def needed(self) -> float:
        """The weight to cover, as a float."""
        return float(self.exactly)

    @cached_property
    def floor(self) -> float:
        """A lower bound on the value of every selection that meets the target, rounded down.

        If weights are whole numbers or decimals, this is a multiple of their unit.
        """
        unit = self.problem.weight_unit
        least = self.least
        if unit is not None and _prints_short(self.problem.weights):
            least = math.ceil(least / read(unit)) * read(unit)
        near = float(least)
        return near if Fraction(near) <= least else float(np.nextafter(near, -np.inf))

    @cached_property
    def counted(self) -> float:
        """The target in the same unit as ``problem.counted_weights``."""
        unit = self.problem.weight_unit
        if unit is None:
            return float(self.least)
        # Subtract a millionth of a unit, because a unit such as 1/3 is only known up to rounding.
        return float(math.ceil(self.least / read(unit) - Fraction(1, 10**6)))

    def is_met(self, selected: ArrayLike) -> bool:
        """Whether `selected` meets the target; sums near it are computed in exact arithmetic."""
        won = self.problem.won(selected)
        value, near = float(won.sum()), float(self.least)
        if abs(value - near) > (won.size + 8) * 2.0**-52 * max(value, near):
            return value > near
        return _exact_sum(won) >= self.least


def _exact_sum(numbers: NDArray[np.float64]) -> Fraction:
    """Return the exact sum of `numbers`, each read as the decimal that it prints as."""
    is_whole = numbers == np.floor(numbers)
    is_tiny = ~is_whole & (numbers <= 1e-290)
    whole, tiny, parts = numbers[is_whole], numbers[is_tiny], numbers[~is_whole & ~is_tiny]
    small = float(whole.sum()) < 2.0**53
    total = Fraction(int(whole.sum()) if small else sum(map(int, whole.tolist())))
    # 700 digits hold all decimals from 1e308 down to the last digit of 1e-290 exactly
    with localcontext(Context(prec=700)):
        total += Fraction(sum(map(Decimal, map(repr, parts.tolist())), Decimal()))
    return total + sum(map(Fraction, tiny.tolist()), Fraction())


def _prints_short(values: NDArray[np.float64]) -> bool:
    """Whether all `values` are whole numbers or decimals with at most nine places."""
    parts = values[values != np.floor(values)]
    return bool((np.round(parts, 9) == parts).all())


def cost_step(problem: CoverageProblem) -> Fraction | None:
    """Return the unit that all costs are exact multiples of; None if there is none.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> cost_step(CoverageProblem.from_sets([[1], [2]], costs=[0.5, 1], budget=2))
    Fraction(1, 2)
    """
    ticks = problem.ticks
    usable = problem.costs[ticks.ticks <= ticks.limit]
    return ticks.fraction if ticks.exact and _prints_short(usable) else None


def saving(cost: float, bound: float) -> float:
    """Return (cost - bound) / cost, from 0 to 1: the most that a cheaper selection can save."""
    if not 0 < cost < math.inf:
        return 1.0 if cost else 0.0
    return min(max(0.0, (cost - bound) / cost), 1.0)


def capped(problem: CoverageProblem, cost: float) -> CoverageProblem:
    """Return the problem with `cost` as its budget, raised by one floating-point step."""
    budget = float(np.nextafter(cost, np.inf))
    return problem if problem.budget == budget else problem.with_budget(budget)


def cost_status(
    problem: CoverageProblem, cost: float, bound: float, gap: float = 0.0
) -> Literal["optimal", "within gap", "heuristic"]:
    """Return the status that the lower bound `bound` proves for a selection of this `cost`."""
    step = cost_step(capped(problem, cost))
    slack = 0.5 * float(step) if step is not None else TOLERANCE * cost
    if cost - bound < slack or cost == bound:
        return "optimal"
    return "within gap" if saving(cost, bound) <= gap else "heuristic"


def lowest_cost(problem: CoverageProblem, target: Target, dual: bounds.Dual) -> float:
    """Return a lower bound on the cost of every selection that meets the target in the budget.

    It is the inequality of `maxcover.engine.core.bounds` solved for the budget: within a smaller
    budget, the dual point proves that no selection meets the target. The result is infinite if
    `fewest_ticks` is.
    """
    left = bounds.reduced(problem)
    unit = problem.ticks.unit
    point = dual._replace(price=dual.price / dual.unit * unit, unit=unit)
    ticks = bounds.fewest_ticks(problem, left, point, target.floor)
    if not math.isfinite(ticks):
        return ticks
    spent = int(problem.ticks.ticks[problem.required].sum())
    step = cost_step(problem)
    if step is None:
        return max((ticks + spent) * unit * (1 - 2.0**-48), 0.0)
    return float((math.ceil(Fraction(ticks) * (1 - Fraction(1, 2**48))) + spent) * step)


def least_cost(
    problem: CoverageProblem,
    target: Target,
    cost: float,
    *,
    dual: bounds.Dual | None,
    claim: bounds.Claim | None,
) -> tuple[float, str]:
    """Return the highest available lower bound, at most `cost`, and the name of what proves it."""
    least, by = float(problem.costs[problem.required].sum()), "the required sets"
    found = (
        [] if dual is None else [(lowest_cost(capped(problem, cost), target, dual), "dual point")]
    )
    found += [] if claim is None else [(claim.value, claim.by)]
    # The bounds ignore sets dearer than this selection, so they hold only up to its cost.
    for bound, name in found:
        if min(bound, cost) > least:
            least, by = min(bound, cost), name
    return min(least, cost), by
