"""Numbers and limits as fractions, for a check that trusts no floating-point sum."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any


def number(value: Any) -> Any:
    """Return what a float stands for: itself if whole, else the decimal that it prints as.

    What is infinite is far beyond all others, and what is no number nowhere near any.
    """
    if isinstance(value, Fraction):
        return value
    if not isinstance(value, int | float) or math.isnan(value):
        return Fraction(-(2**3000))
    if abs(value) == math.inf:
        return Fraction(2**3000) * (1 if value > 0 else -1)
    if value == math.floor(value):
        return Fraction(int(value))
    return Fraction(repr(float(value))) if abs(value) > 1e-290 else Fraction(value)


def whole(values: Any) -> tuple[list[int], int]:
    """Return whole numbers, and what to divide them by to get the values."""
    numbers = [number(x) for x in values]
    scale = math.lcm(*(x.denominator for x in numbers))
    return [x.numerator * (scale // x.denominator) for x in numbers], scale


def several(values: Any, size: int) -> list[Fraction]:
    """Return numbers as they are; nothing where they are not finite, or not as many."""
    stated = [] if values is None else values.ravel().tolist()
    stated = stated if len(stated) == size else [0.0] * size
    return [number(x) if math.isfinite(x) else Fraction() for x in stated]


class Row:
    """A limit: its sets with their amounts, and the coin that these are multiples of.

    The sets in `out` fit nowhere, and do not count for the coin. Amounts may be off multiples of a
    larger coin, the `hint`, by rounding.
    """

    def __init__(self, stated: tuple[str, dict[int, Any], Any], out: set[int], hint: Any) -> None:
        name, amounts, ends = stated
        numbers, places = whole(amounts.values())
        pairs: list[Any] = [*zip(amounts, numbers, strict=True)]
        inside = [x for i, x in pairs if i not in out]
        self.name, self.low, self.high = name, number(ends[0]), number(ends[1])
        self.amounts = {i: Fraction(x, places) for i, x in pairs}
        self.coin, self.total = Fraction(math.gcd(*inside), places), Fraction(sum(inside), places)
        unit, self.off = number(hint) if 0 < hint < math.inf else Fraction(), Fraction()
        if self.coin < unit:
            kept = (x for i, x in self.amounts.items() if i not in out)
            off = sum((min(x % unit, -x % unit) for x in kept), Fraction())
            if 8 * off < unit:
                self.coin, self.off = unit, off
        # whole numbers and decimals are exact, if there are few enough of them to be counted
        is_decimal = 10**9 % self.coin.denominator == 0 and max([*numbers, 0]) < places * 2**40
        is_few = self.coin.denominator == 1 and self.total < (self.coin or 1) * 2**61
        self.is_exact = is_few or (self.coin.denominator > 1 and is_decimal)

    def used(self, sets: list[int]) -> Fraction:
        """Return what sets amount to."""
        return sum((self.amounts[i] for i in sets if i in self.amounts), Fraction())

    def slack(self, terms: int) -> Fraction:
        """Return what a sum is off by: decimals by a digit of the limit, others by rounding."""
        return Fraction((self.coin.denominator > 1) if self.is_exact else terms + 4, 2**50)

    def keeps(self, sets: list[int]) -> bool:
        """Whether sets keep the limit."""
        slack = self.slack(len(sets))
        low, high = self.low * (1 - slack) - self.off, self.high * (1 + slack) + self.off
        return bool(low <= self.used(sets) <= high)

    def ends(self) -> tuple[Fraction, Fraction]:
        """Return the least and the most that sums can be, which are multiples of the coin."""
        slack, coin, off = self.slack(len(self.amounts)), self.coin or Fraction(1), self.off
        low, high = self.low * (1 - slack) - off, min(self.high * (1 + slack), self.total) + off
        return -(-low // coin) * coin - off, high // coin * coin + off
