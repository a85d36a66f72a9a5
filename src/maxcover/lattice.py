"""Real numbers as whole multiples of a common unit.

Money, word counts and rescaled integers are whole multiples of something. Counted in that unit they
add without rounding, in any order, so a budget is kept to the letter and a bound can be rounded
down. Three tenths fit into 0.3 although ``0.1 + 0.1 + 0.1 > 0.3`` in floating point.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# A multiple is accepted when it is off by rounding only; more multiples than this are not "whole
# numbers of something" but real numbers that happen to be close.
_ROUNDING = 1e-14
_MOST_MULTIPLES = 2.0**31
_REAL_TICKS = 2.0**48
_MOST_TICKS = 2.0**52


class Ticks(NamedTuple):
    """Costs as integers: ``unit`` is what one is worth, ``exact`` whether costs are multiples."""

    ticks: NDArray[np.int64]
    limit: int
    unit: float
    exact: bool


def common_unit(values: Floats) -> float | None:
    """Find the largest unit of which every value is a whole multiple, up to rounding.

    Parameters
    ----------
    values : array of float
        Finite, non-negative numbers.

    Returns
    -------
    float or None
        The unit, or None when there is none: real numbers without a common measure, or all zero.
        The answer does not depend on the order of the values. Whole numbers, and decimals such as
        prices, are always recognised; of other units, multiples up to about 500 are, and larger
        ones may be taken for real numbers. Cost: one pass for real numbers, a few for multiples.

    Examples
    --------
    >>> common_unit(np.array([4.0, 6.0, 0.0]))
    2.0
    >>> common_unit(np.array([0.1, 0.25]))
    0.05
    >>> common_unit(np.array([1.0, 2.0**0.5])) is None
    True
    """
    positive = values[values > 0]
    if not positive.size:
        return None
    top = float(positive.max())
    if top < 2.0**53 and bool((positive == np.floor(positive)).all()):
        return float(np.gcd.reduce(positive.astype(np.int64)))
    unit = _decimal_unit(positive, top)
    if unit is not None:
        return unit
    unit = _real_gcd(top, float(positive.min()))
    while unit * _MOST_MULTIPLES > top:
        unit = top / round(top / unit)  # free of the rounding that Euclid's algorithm piles up
        off = positive[np.abs(positive - np.rint(positive / unit) * unit) > _ROUNDING * positive]
        if not off.size:
            return unit
        finer = _real_gcd(float(off.min()), unit)
        if finer > 0.75 * unit:  # off by more than rounding, less than Euclid's algorithm can see
            return None
        unit = finer
    return None


def _decimal_unit(positive: Floats, top: float) -> float | None:
    """Return the unit of numbers with at most nine decimal places; None for others."""
    ends = np.array([float(positive.min()), top])
    for digits in range(1, 10):
        scale = 10.0**digits
        if top * scale > _MOST_MULTIPLES:
            break
        # the two ends decide for nearly all real numbers, without a pass over the others
        for part in (ends, positive):
            counts = np.rint(part * scale)
            if (np.abs(part * scale - counts) > 2.0**-51 * counts).any():
                break
        else:
            return float(np.gcd.reduce(counts.astype(np.int64)) / scale)
    return None


def _real_gcd(a: float, b: float) -> float:
    """Run Euclid's algorithm on real numbers; a remainder below the tolerance is zero."""
    tolerance = max(a, b) * 2.0**-44
    while b > tolerance:
        a, b = b, abs(a - round(a / b) * b)
    return a


def to_ticks(costs: Floats, budget: float) -> Ticks:
    """Express costs and budget in integer ticks.

    Where the affordable costs have a common unit a tick is that unit, and sums are exact. Otherwise
    a tick is 2^-48 of the budget, rounded down: a selection of n sets may then exceed the budget by
    n * 2^-48 of it, which is less than adding the costs in another order can change. A cost above
    the budget becomes ``limit + 1``.

    Examples
    --------
    >>> to_ticks(np.array([0.1, 0.2, 5.0]), 0.3)
    Ticks(ticks=array([1, 2, 4]), limit=3, unit=0.1, exact=True)
    """
    affordable = costs <= budget
    within = costs[affordable]
    unit = common_unit(within)
    if unit is not None and budget / unit > _MOST_TICKS:
        unit = None
    exact = unit is not None or not within.any()
    if unit is not None:
        multiples = budget / unit
        slack = 0.0 if unit == np.floor(unit) else 1e-12 * multiples
        limit = int(np.floor(multiples + slack))
        inside = np.rint(within / unit)
    elif exact:  # nothing affordable costs anything
        unit, limit, inside = budget, 1 if budget else 0, within
    else:
        unit, limit = budget / _REAL_TICKS, int(_REAL_TICKS)
        inside = np.floor(within / budget * _REAL_TICKS)
    ticks = np.full(costs.shape, limit + 1, dtype=np.int64)
    ticks[affordable] = inside
    return Ticks(ticks, limit, unit, exact)
