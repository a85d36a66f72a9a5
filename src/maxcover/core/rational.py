"""Numbers as fractions, for checks that trust no floating-point sum."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maxcover.core.problem import CoverageProblem

# Stated values are floats: this is what their last digits may be off by.
ROUNDING = Fraction(1, 2**51)


def read(value: float) -> Any:
    """Return what a float stands for: itself if whole, else the decimal that it prints as."""
    if not math.isfinite(value) or value == math.floor(value):
        return Fraction(int(value)) if math.isfinite(value) else value
    return Fraction(repr(float(value))) if abs(value) > 1e-290 else Fraction(value)


def whole(values: list[float]) -> tuple[list[int], int]:
    """Return whole numbers, and what to divide them by to get the values."""
    numbers = [*map(read, values)]
    scale = math.lcm(*(x.denominator for x in numbers))
    return [x.numerator * (scale // x.denominator) for x in numbers], scale


def union(problem: CoverageProblem, sets: Iterable[int]) -> set[int]:
    """Return the elements that sets cover together."""
    return {a for i in sets for a in problem.elements_of(i).tolist()}


def equal(said: float, true: Fraction) -> bool:
    """Whether a stated number is the true one, but for its last digits."""
    return math.isfinite(said) and abs(Fraction(said) - true) <= ROUNDING * true
