"""Statistics: means with their uncertainty."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Mean(NamedTuple):
    """A mean, its standard error, and of how many numbers."""

    mean: float
    standard_error: float
    n: int


class Difference(NamedTuple):
    """A mean difference and its 95 % confidence interval."""

    difference: float
    low: float
    high: float
    n: int


def mean_of(values: NDArray[np.float64]) -> Mean:
    """Return the mean of the numbers that are there; those that are not are NaN.

    Examples
    --------
    >>> mean_of(np.array([1.0, 3.0, np.nan]))
    Mean(mean=2.0, standard_error=1.0, n=2)
    """
    there = values[~np.isnan(values)]
    if not there.size:
        return Mean(math.nan, math.nan, 0)
    spread = float(there.std(ddof=1)) if there.size > 1 else math.nan
    return Mean(float(there.mean()), spread / math.sqrt(there.size), int(there.size))


def student(freedom: int, level: float = 0.95) -> float:
    """Return t such that Student's variable lies between -t and t with this probability.

    By bisection in the angle, whose distribution has a closed form for whole degrees of freedom
    (Abramowitz and Stegun, 26.7.3 and 26.7.4).

    Examples
    --------
    >>> round(student(2), 4), round(student(999), 4)
    (4.3027, 1.9623)
    """
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        angle = (low + high) / 2
        if _within(angle, freedom) < level:
            low = angle
        else:
            high = angle
    return math.tan(low) * math.sqrt(freedom)


def _within(angle: float, freedom: int) -> float:
    """Return the probability of what is between -t and t, if tan(angle) = t / sqrt(freedom)."""
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for k in range(2 + odd, freedom + 1, 2):
        total += term
        term *= math.cos(angle) ** 2 * (k - 1) / k
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total


def paired(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> Difference:
    """Return the mean of ``ours - theirs``, pair by pair, with Student's 95 % interval.

    Examples
    --------
    >>> paired(np.array([2.0, 3.0, 4.0]), np.array([1.0, 1.0, 1.0]))
    Difference(difference=2.0, low=-0.484..., high=4.484..., n=3)
    """
    mean, error, n = mean_of(ours - theirs)
    reach = student(n - 1) * error if n > 1 else math.nan
    return Difference(mean, mean - reach, mean + reach, n)
