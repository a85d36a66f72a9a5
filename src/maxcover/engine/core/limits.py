"""Limits as rows: each bounds a sum of amounts over the chosen sets from below and above.

A budget is a row of costs, a group maximum or minimum a row of ones or costs over its members, a
conflict a row of two ones. `Limits` holds the rows as floats; `CountedRows` counts each row in its
own ticks, which decide what fits. Rows of elements are minima of what they give.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core import validation
from maxcover.engine.core.ticks import read, to_ticks
from maxcover.engine.core.wording import number
from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from maxcover.engine.core.ticks import Ticks
    from maxcover.ground.array_types import AnyArray, Floats, Int32s, Int64s, Mask

    # A limit as a tuple: name, members, amounts, minimum, maximum.
    Row = tuple[str, Any, Any, float, float]

NO_LIMIT = 2**62
# A row of whole amounts below this is counted in ticks of 1.
_MOST_WHOLE = 2.0**40
# Relative tolerance of minima of value: a total of `low * (1 - FLOOR_ROUNDING)` is enough.
FLOOR_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class Limits:
    """Rows ``low <= sum of amounts of the chosen sets <= high``, as CSR arrays.

    Rows of elements, ``problem.floors``, are minima of the value that their elements give.

    Attributes
    ----------
    indptr : array of int64, length n_rows + 1
    members : array of int32
        Sets (or elements) of each row, ascending.
    amounts : array of float64
        Finite, at least 0; one for each entry of `members`.
    low, high : array of float64, length n_rows
        0 for no minimum, infinity for no maximum.
    names : tuple of str
        Names of the rows, for messages and certificates.
    n_budgets : int
        The first `n_budgets` rows are further budgets.
    stated : mapping
        The arguments of a constructor that the other rows were made of, such as ``groups``. Limits
        that exclude nothing are listed too: they may exclude something after costs change.
    """

    indptr: Int64s
    members: Int32s
    amounts: Floats
    low: Floats
    high: Floats
    names: tuple[str, ...]
    n_budgets: int = 0
    stated: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ends = dict.fromkeys(("amounts", "low", "high"), np.float64)
        validation.freeze(self, indptr=np.int64, members=np.int32, **ends)

    def __len__(self) -> int:
        return len(self.names)

    def fits_alone(self, n_sets: int) -> Mask:
        """Return a mask of the sets whose amount is within the maximum in every row."""
        alone = np.ones(n_sets, dtype=bool)
        alone[self.members[self.amounts > np.repeat(self.high, np.diff(self.indptr))]] = False
        return alone

    def row(self, r: int) -> tuple[Int32s, Floats]:
        """Return the members of row `r` and their amounts."""
        own = slice(self.indptr[r], self.indptr[r + 1])
        return self.members[own], self.amounts[own]

    def each(self) -> Iterator[tuple[str, float, Int32s]]:
        """Yield (name, minimum, members) of each row."""
        for r, name in enumerate(self.names):
            yield name, float(self.low[r]), self.row(r)[0]

    def budgets(self, chosen: Int64s) -> list[tuple[str, float, float]]:
        """Return (name, total of the `chosen` sets, maximum) of each further budget."""
        found: list[tuple[str, float, float]] = []
        for r in range(self.n_budgets):
            most, taken = float(self.high[r]), float(self.row(r)[1][chosen].sum())
            # The total fits in ticks, so any excess here is floating-point rounding.
            found.append((self.names[r], min(taken, most), most))
        return found

    def among(self, kept: Int64s, n_sets: int) -> Limits:
        """Return the rows restricted to the sets `kept`; set ``kept[k]`` becomes set ``k``."""
        place = np.full(n_sets, -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))
        inside = place[self.members] >= 0
        owners = np.repeat(np.arange(len(self)), np.diff(self.indptr))
        counts = np.bincount(owners[inside], minlength=len(self))
        return replace(
            self,
            indptr=np.append(0, np.cumsum(counts)).astype(np.int64),
            members=place[self.members[inside]].astype(np.int32),
            amounts=self.amounts[inside],
            stated={},
        )

    def reached(self, values: Floats) -> Floats:
        """Return the sum over the members of each row, where `values` has one number for each."""
        return row_sums(self.indptr, values[self.members])


def limits_of(rows: Iterable[Row], **made_of: Any) -> Limits:
    """Build `Limits` from rows of (name, members, amounts, minimum, maximum)."""
    kept = list(rows)
    if not kept and not made_of.get("stated"):
        return NO_LIMITS
    for name, _, _, least, most in kept:
        if least > most:
            raise ProblemError(
                f"expected at most {number(most)} of {name} to be no less than the minimum, "
                f"{number(least)}"
            )
    names, members, amounts, low, high = zip(*kept, strict=True) if kept else ((),) * 5
    return Limits(
        indptr=np.append(0, np.cumsum([len(one) for one in members])),
        members=np.concatenate([validation.NO_GROUPS, *members]),
        amounts=np.concatenate([validation.NO_NUMBERS, *amounts]),
        low=np.array(low),
        high=np.array(high),
        names=names,
        **made_of,
    )


NO_LIMITS = Limits(
    indptr=validation.frozen(np.zeros(1, np.int64)),
    members=validation.NO_GROUPS,
    amounts=validation.NO_NUMBERS,
    low=validation.NO_NUMBERS,
    high=validation.NO_NUMBERS,
    names=(),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedRows:
    """All limits of a problem in ticks; row 0 is the budget and has an entry for every set.

    A selection within ``low`` and ``high`` in ticks keeps the limit itself. An amount above the
    maximum of its row counts ``high + 1`` ticks, so that its set never fits.
    """

    limits: Limits
    ticks: Int64s
    low: Int64s
    high: Int64s
    unit: Floats
    exact: Mask
    n_sets: int

    @property
    def indptr(self) -> Int64s:
        """Offsets: row ``r`` has the entries ``indptr[r]:indptr[r + 1]``."""
        return self.limits.indptr

    @property
    def sets(self) -> Int32s:
        """The set of each entry."""
        return self.limits.members

    @cached_property
    def owners(self) -> Int64s:
        """The row of each entry."""
        return np.repeat(np.arange(len(self.limits)), np.diff(self.indptr))

    @cached_property
    def by_set(self) -> tuple[Int64s, Int32s, Int64s]:
        """The transpose as CSR arrays: offsets by set, rows (ascending for each set), ticks."""
        order = np.argsort(self.sets, kind="stable")
        counts = np.bincount(self.sets, minlength=self.n_sets)
        indptr = np.append(0, np.cumsum(counts)).astype(np.int64)
        return indptr, self.owners[order].astype(np.int32), self.ticks[order]

    @cached_property
    def fits_alone(self) -> Mask:
        """Mask of the sets that break no maximum when chosen alone."""
        alone = np.ones(self.n_sets, dtype=bool)
        alone[self.sets[self.ticks > self.high[self.owners]]] = False
        return alone

    def among(self, kept: Int64s) -> CountedRows:
        """Return the rows restricted to the sets `kept`, counted in the same ticks."""
        inside = np.zeros(self.n_sets, dtype=bool)
        inside[kept] = True
        limits = self.limits.among(kept, self.n_sets)
        ticks = self.ticks[inside[self.sets]]
        return replace(self, limits=limits, ticks=ticks, n_sets=len(kept))

    def broken(self, selected: Int64s, *, minima: bool = True) -> str:
        """Return a message on the first limit that `selected` breaks; empty if it breaks none."""
        inside = np.zeros(self.n_sets, dtype=bool)
        inside[selected] = True
        entry = inside[self.sets]
        amounts = row_sums(self.indptr, np.where(entry, self.limits.amounts, 0.0))
        counts = row_sums(self.indptr, entry.astype(np.int64))
        # Compare in floats first: integer sums of rows far above their maximum may overflow.
        over = 0.5 * amounts > self.limits.high
        used = row_sums(self.indptr, np.where(entry & ~over[self.owners], self.ticks, 0))
        slack = (counts + 4) * 2.0**-51
        over |= np.where(self.exact, used > self.high, amounts > self.limits.high * (1 + slack))
        under = np.zeros_like(over)
        if minima:
            short = np.where(self.exact, used < self.low, amounts < self.limits.low * (1 - slack))
            under = short & ~over & (self.limits.low > 0)
        for r in np.flatnonzero(over | under)[:1]:
            words = "at most" if over[r] else "at least"
            limit = self.limits.high[r] if over[r] else self.limits.low[r]
            name = self.limits.names[r]
            got = f"{number(amounts[r])} ({counts[r]} sets)"
            return f"expected {name} to be {words} {number(limit)}, got {got}"
        return ""


def row_sums(indptr: Int64s, values: AnyArray) -> AnyArray:
    """Return the sum of ``values[indptr[r]:indptr[r + 1]]`` for each row ``r``."""
    sums = np.zeros(len(indptr) - 1, dtype=values.dtype)
    filled = np.flatnonzero(np.diff(indptr))
    if filled.size:
        sums[filled] = np.add.reduceat(values, indptr[filled])
    return sums


# Where a row has only a minimum, amounts count at most this multiple of the minimum. A row has up
# to 2^56 ticks, so that at least 2^16 are left for the minimum itself.
_FAR_ABOVE = 2.0**40


def rows_of(limits: Limits, ticks: Ticks, costs: Floats, budget: float) -> CountedRows:
    """Count the budget (row 0) and all other limits in ticks, each row in its own unit."""
    n_sets = len(costs)
    everything = Limits(
        indptr=np.append(0, n_sets + limits.indptr).astype(np.int64),
        members=np.concatenate((np.arange(n_sets, dtype=np.int32), limits.members)),
        amounts=np.concatenate((costs, limits.amounts)),
        low=np.append(0.0, limits.low),
        high=np.append(budget, limits.high),
        names=("the budget", *limits.names),
    )
    counted, low, high, unit, exact = _counted(limits)
    return CountedRows(
        limits=everything,
        ticks=np.concatenate((ticks.ticks, counted)),
        low=np.append(0, low).astype(np.int64),
        high=np.append(ticks.limit, high).astype(np.int64),
        unit=np.append(ticks.unit, unit),
        exact=np.append(ticks.exact, exact),
        n_sets=n_sets,
    )


def _counted(limits: Limits) -> tuple[Int64s, Int64s, Int64s, Floats, Mask]:
    """Return the amounts in ticks, and for each row minimum, maximum, unit and exactness."""
    amounts, n_rows = limits.amounts, len(limits)
    unit, exact = np.ones(n_rows), np.ones(n_rows, dtype=bool)
    odd = (amounts != np.floor(amounts)) | (amounts >= _MOST_WHOLE)
    is_odd = row_sums(limits.indptr, odd.astype(np.int64)) > 0
    # Convert all rows of whole amounts in one go, because there may be very many conflicts.
    ends = np.minimum(limits.high, 2.0**60)
    high = np.where(limits.high < 2.0**60, np.floor(ends).astype(np.int64), NO_LIMIT)
    low = np.ceil(np.minimum(limits.low, 2.0**60) * (1 - 2.0**-51)).astype(np.int64)
    owners = np.repeat(np.arange(n_rows), np.diff(limits.indptr))
    ticks = np.where(odd, 0.0, np.minimum(amounts, high[owners] + 1.0)).astype(np.int64)
    for r in np.flatnonzero(is_odd).tolist():
        inside = slice(limits.indptr[r], limits.indptr[r + 1])
        own, end = amounts[inside], min(float(limits.high[r]), 1e300)
        if limits.high[r] == np.inf and limits.low[r] > 0:
            # Cap amounts far above the minimum, of which one is enough. Without the cap a tick, a
            # fraction of the largest amounts, could be larger than the minimum.
            own = np.minimum(own, _FAR_ABOVE * limits.low[r])
        found = to_ticks(own, end)
        ticks[inside], unit[r], exact[r] = found.ticks, found.unit, found.exact
        high[r] = found.limit
        low[r] = _least(found, float(limits.low[r]), len(found.ticks))
    return ticks, low, high, unit, exact


def _least(ticks: Ticks, low: float, terms: int) -> int:
    """Return the minimum `low` in ticks, rounded up; `terms` is the number of amounts."""
    if low <= 0:
        return 0
    if ticks.fraction is not None:
        return math.ceil(read(low) * (1 - Fraction(1, 2**51)) / ticks.fraction)
    slack = 2.0**-48 if ticks.exact else (terms + 4) * 2.0**-51
    return math.ceil(min(low / ticks.unit, 2.0**61) * (1 - slack))
