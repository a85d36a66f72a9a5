"""Ticks: real numbers as whole multiples of a common unit.

Money, word counts and rescaled integers are whole multiples of some unit. Counted in that unit they
add without rounding, in any order, so a budget is kept exactly and a bound can be rounded down.
Three tenths fit into 0.3 although ``0.1 + 0.1 + 0.1 > 0.3`` in floating point: a number means the
decimal that it prints as.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.engine.core.verify import real_gcd

if TYPE_CHECKING:
    from maxcover.ground.array_types import Floats, Int64s, Mask


# Relative error up to which a number counts as a multiple of a unit.
_ROUNDING = 1e-14
# Largest multiple of a unit that is accepted: every real number is close to some larger multiple.
_MOST_MULTIPLES = 2.0**31
# Largest multiple of a decimal unit (0.1, 0.01, ...) that is accepted.
_MOST_DECIMALS = 2.0**40
# A budget without a common unit is divided into this many ticks.
_REAL_TICKS = 2**56
# Relative error of multiples of a unit that is known only up to rounding, such as 1/3.
_SLACK = 2.0**-48
# Largest budget in ticks: a sum of ticks up to twice this limit has to fit into 64 bits.
_MOST_TICKS = 2**61
# The greatest common divisor is computed in batches of this size, until it is 1.
_GCD_PART = 65_536


class Ticks(NamedTuple):
    """Costs and a budget (`limit`) as integers, in ticks.

    ``unit`` is the cost of one tick, ``exact`` whether costs are multiples of it. ``room`` is the
    budget in ticks as a float, rounded up for upper bounds. ``fraction`` is the unit if it is known
    exactly, else None.
    """

    ticks: Int64s
    limit: int
    unit: float
    exact: bool
    room: float
    fraction: Fraction | None = None


def read(value: float) -> Fraction:
    """Return the number that a float stands for: itself if whole, else the decimal it prints as.

    A float below 1e-290 has too few digits for that, and stands for itself.

    Examples
    --------
    >>> read(0.1), read(2.0**60) == 2**60
    (Fraction(1, 10), True)
    """
    if value == np.floor(value):
        return Fraction(int(value))
    return Fraction(repr(float(value))) if value > 1e-290 else Fraction(float(value))


def common_unit(values: Floats) -> float | None:
    """Find the largest unit of which every value is a whole multiple, up to rounding.

    Parameters
    ----------
    values : array of float
        Finite, non-negative numbers.

    Returns
    -------
    float or None
        The unit; None for real numbers without a common unit, or if all are zero.
        The answer does not depend on the order of the values. Whole numbers below 2**63, and
        decimals such as prices, are always recognised; of other units, multiples up to about 500
        are, and larger ones may be taken for real numbers. This takes one pass over real numbers
        and a few over multiples.

    Examples
    --------
    >>> common_unit(np.array([4.0, 6.0, 0.0]))
    2.0
    >>> common_unit(np.array([0.1, 0.25]))
    0.05
    >>> common_unit(np.array([1.0, 2.0**0.5])) is None
    True
    """
    has_zeros = values.size and not values.min() > 0
    unit = _unit(values[values > 0] if has_zeros else values)
    return None if unit is None else float(unit)


def _unit(positive: Floats) -> Fraction | float | None:
    """Return the common unit of `positive` numbers: a Fraction if it is known exactly, or None."""
    if not positive.size:
        return None
    top = float(positive.max())
    if top < 2.0**63 and top.is_integer() and bool((positive == np.floor(positive)).all()):
        return Fraction(_gcd(positive))
    return _decimal_unit(positive, top) or _real_unit(positive, top)


def _gcd(numbers: Floats) -> int:
    """Return the greatest common divisor of whole numbers; stop as soon as it is 1."""
    found = 0
    for start in range(0, numbers.size, _GCD_PART):
        part = numbers[start : start + _GCD_PART].astype(np.int64)
        found = math.gcd(found, int(np.gcd.reduce(part)))
        if found == 1:
            break
    return found


def _decimal_unit(positive: Floats, top: float) -> Fraction | None:
    """Return the unit of numbers with at most nine decimal places; None for others."""
    ends = (float(positive.min()), top)
    for digits in range(1, 10):
        scale = 10.0**digits
        if top * scale > _MOST_DECIMALS:
            break
        # Test the smallest and largest number first: that rules out nearly all real numbers.
        scaled = [end * scale for end in ends]
        if any(abs(end - round(end)) > 2.0**-51 * round(end) for end in scaled):
            continue
        counts = np.rint(positive * scale)
        if not (np.abs(positive * scale - counts) > 2.0**-51 * counts).any():
            return Fraction(_gcd(counts), 10**digits)
    return None


def _real_unit(positive: Floats, top: float) -> float | None:
    """Return the unit of numbers that are not decimals, such as thirds; None if there is none."""
    unit = real_gcd(top, float(positive.min()))
    while unit * _MOST_MULTIPLES > top:
        unit = top / round(top / unit)  # remove the rounding errors of Euclid's algorithm
        off = positive[np.abs(positive - np.rint(positive / unit) * unit) > _ROUNDING * positive]
        if not off.size:
            return unit
        finer = real_gcd(float(off.min()), unit)
        if finer > 0.75 * unit:  # neither a rounding error nor a finer unit: give up
            return None
        unit = finer
    return None


def slack(terms: int, limit: int) -> int:
    """Return by how many ticks a sum of `terms` numbers may exceed `limit` by rounding alone."""
    return (terms + 4) * limit >> 52


def above(number: int) -> float:
    """Return the smallest float that is at least the integer `number`."""
    near = float(number)
    return near if near >= number else float(np.nextafter(near, np.inf))


def _multiples(limit: float, unit: Fraction) -> int:
    """Return how many times `unit` fits into `limit`, up to rounding if the unit is not whole."""
    number = read(limit)
    nearest = round(number / unit)
    if unit.denominator > 1 and abs(nearest * unit - number) <= number / 2**51:
        return nearest
    return int(number / unit)


def to_ticks(costs: Floats, budget: float, affordable: Mask | None = None) -> Ticks:
    """Express costs and budget in integer ticks.

    The budget is first clipped to the cost of all affordable sets, so that a very large budget is
    no special case. If the affordable costs have a common unit, a tick is that unit, and sums are
    exact. Otherwise a tick is 2^-56 of the budget and costs are rounded down: a selection of n sets
    may then exceed the budget by (n + 4) * 2^-51 of it. Adding the costs in another order changes
    their sum by about as much. A cost that is not affordable becomes ``limit + 1``.

    Parameters
    ----------
    costs : array of float
    budget : float
    affordable : array of bool, optional
        Sets that may be chosen; by default all. Sets above the budget are never affordable.

    Examples
    --------
    >>> to_ticks(np.array([0.1, 0.2, 5.0]), 0.3)
    Ticks(ticks=array([1, 2, 4]), limit=3, unit=0.1, exact=True, room=3.0, fraction=Fraction(1, 10))
    """
    affordable = costs <= budget if affordable is None else affordable & (costs <= budget)
    within = costs[affordable]
    # Slightly more than the sum of all costs, so that rounding cannot exclude any set.
    total = float(within.sum()) * (1 + 2.0**-20)
    spendable = min(budget, total) if np.isfinite(total) else budget
    unit = _unit(within[within > 0])
    if unit is not None and spendable / float(unit) >= _MOST_TICKS:
        unit = None
    if unit is not None:
        counted = _counted(within, unit, spendable)
    elif not within.any():  # all affordable sets are free
        counted = Ticks(np.zeros(within.size, np.int64), 0, spendable or 1.0, exact=True, room=0.0)
    else:
        inside = np.floor(within / spendable * float(_REAL_TICKS)).astype(np.int64)
        limit = _REAL_TICKS + slack(within.size, _REAL_TICKS)
        counted = Ticks(inside, limit, spendable / _REAL_TICKS, exact=False, room=above(limit))
    ticks = np.full(costs.shape, counted.limit + 1, dtype=np.int64)
    ticks[affordable] = counted.ticks
    return counted._replace(ticks=ticks)


def _counted(within: Floats, unit: Fraction | float, spendable: float) -> Ticks:
    """Return the costs `within` and the budget `spendable` in ticks of `unit`."""
    size = float(unit)
    if isinstance(unit, Fraction):
        limit = _multiples(spendable, unit)
        if unit.denominator == 1:
            inside = within.astype(np.int64) // int(unit)
        else:
            inside = np.rint(within / size).astype(np.int64)
        return Ticks(inside, limit, size, exact=True, room=above(limit), fraction=unit)
    multiples = spendable / size * (1 + _SLACK)
    inside = np.rint(within / size).astype(np.int64)
    return Ticks(inside, int(multiples), size, exact=True, room=multiples)
