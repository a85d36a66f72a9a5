"""Limits as rows: each bounds a sum of amounts over the chosen sets from below and above.

A budget is a row of costs, a group maximum or minimum a row of ones or costs over its members, a
conflict a row of two ones. `Limits` holds the rows as floats; `CountedRows` counts each row in its
own ticks, which decide what fits. `Floors` are minima of value over some of the elements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.core import validation
from maxcover.core.ticks import read, to_ticks
from maxcover.core.wording import number
from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import NDArray

    from maxcover.array_types import Floats, Int32s, Int64s, Mask
    from maxcover.core.ticks import Ticks

    # A limit as a tuple: name, sets, amounts, minimum, maximum.
    Row = tuple[str, Any, Any, float, float]

NO_LIMIT = 2**62
# A row of whole amounts below this is counted in ticks of 1.
_MOST_WHOLE = 2.0**40
# Relative tolerance of minima of value: a total of `low * (1 - FLOOR_ROUNDING)` is enough.
FLOOR_ROUNDING = 1e-12


class Group(NamedTuple):
    """A group of sets, or a region of elements, as a caller described it.

    `ends` are its limits by the names of the arguments, as in ``{"max_items": 2}``. Limits that
    exclude nothing are listed too, because they may exclude something after costs change.
    """

    label: Hashable
    members: tuple[int, ...]
    ends: dict[str, float]


def said_of(groups: Iterable[Group], name: str, count: int) -> dict[str, Any]:
    """Return the constructor arguments that make the same groups.

    The argument `name` has the labels of each of `count` items, and each limit is a dict by group.

    Examples
    --------
    >>> said_of([Group("g", (0, 2), {"max_items": 1.0})], "groups", 3)
    {'groups': ['g', None, 'g'], 'max_items': {'g': 1.0}}
    """
    each: list[list[Hashable]] = [[] for _ in range(count)]
    found: dict[str, Any] = {name: None}
    for label, members, ends in groups:
        for member in members:
            each[member].append(label)
        for end, value in ends.items():
            found.setdefault(end, {})[label] = value
    found[name] = [own if len(own) > 1 else next(iter(own), None) for own in each]
    return found if len(found) > 1 else {}


@dataclass(frozen=True, eq=False, kw_only=True)
class Limits:
    """Rows ``low <= sum of amounts of the chosen sets <= high``, as CSR arrays.

    Attributes
    ----------
    indptr : array of int64, length n_rows + 1
    sets : array of int32
        Sets of each row, ascending.
    amounts : array of float64
        Finite, at least 0; one for each entry of `sets`.
    low, high : array of float64, length n_rows
        0 for no minimum, infinity for no maximum.
    names : tuple of str
        Names of the rows, for messages and certificates.
    n_budgets, n_conflicts : int
        The first `n_budgets` rows are further budgets, the next `n_conflicts` rows are conflicts,
        and the rest come from `groups`.
    groups : tuple of Group
        The groups that the rows were made of.
    """

    indptr: Int64s
    sets: Int32s
    amounts: Floats
    low: Floats
    high: Floats
    names: tuple[str, ...]
    n_budgets: int = 0
    n_conflicts: int = 0
    groups: tuple[Group, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def fits_alone(self, n_sets: int) -> Mask:
        """Return a mask of the sets whose amount is within the maximum in every row."""
        alone = np.ones(n_sets, dtype=bool)
        alone[self.sets[self.amounts > np.repeat(self.high, np.diff(self.indptr))]] = False
        return alone

    def row(self, r: int) -> tuple[Int32s, Floats]:
        """Return the sets of row `r` and their amounts."""
        own = slice(self.indptr[r], self.indptr[r + 1])
        return self.sets[own], self.amounts[own]

    def budgets(self, chosen: Int64s) -> list[tuple[str, float, float]]:
        """Return (name, total of the `chosen` sets, maximum) of each further budget."""
        found: list[tuple[str, float, float]] = []
        for r in range(self.n_budgets):
            most, taken = float(self.high[r]), float(self.row(r)[1][chosen].sum())
            # The total fits in ticks, so any excess here is floating-point rounding.
            found.append((self.names[r], min(taken, most), most))
        return found

    def arguments(self, n_sets: int) -> dict[str, Any]:
        """Return the groups and conflicts as arguments of a constructor."""
        if len(self) > self.n_budgets + self.n_conflicts and not self.groups:
            raise ProblemError(f"expected limits that a constructor made, got {self.names[-1]!r}")
        rows = range(self.n_budgets, self.n_budgets + self.n_conflicts)
        conflicts = [self.row(r)[0].tolist() for r in rows]
        found = said_of(self.groups, "groups", n_sets)
        return found | ({"conflicts": conflicts} if conflicts else {})

    def among(self, kept: Int64s, n_sets: int) -> Limits:
        """Return the rows restricted to the sets `kept`; set ``kept[k]`` becomes set ``k``."""
        place = np.full(n_sets, -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))
        inside = place[self.sets] >= 0
        owners = np.repeat(np.arange(len(self)), np.diff(self.indptr))
        counts = np.bincount(owners[inside], minlength=len(self))
        groups = tuple(
            one._replace(members=tuple(k for k in place[list(one.members)].tolist() if k >= 0))
            for one in self.groups
        )
        return replace(
            self,
            indptr=np.append(0, np.cumsum(counts)).astype(np.int64),
            sets=place[self.sets[inside]].astype(np.int32),
            amounts=self.amounts[inside],
            groups=groups,
        )

    def checked(self, n_sets: int) -> Limits:
        """Return the same rows; raise ProblemError if they do not suit `n_sets` sets."""
        if self is NO_LIMITS:
            return self
        n_rows = len(self.names)
        indptr, sets = validation.csr(self.indptr, self.sets, n_sets=n_rows, n_elements=n_sets)
        low = validation.numbers(self.low, "low")
        high = validation.numbers(self.high, "high", infinite=True)
        amounts = validation.numbers(self.amounts, "amounts")
        if not (len(low) == len(high) == n_rows and len(amounts) == len(sets)):
            raise ProblemError(
                f"expected low and high of {n_rows} limits and {len(sets)} amounts, got "
                f"{len(low)}, {len(high)} and {len(amounts)}"
            )
        for r in np.flatnonzero(low > high)[:1]:
            raise ProblemError(
                f"expected at most {number(high[r])} of {self.names[r]} to be no less than the "
                f"minimum, {number(low[r])}"
            )
        return replace(self, indptr=indptr, sets=sets, amounts=amounts, low=low, high=high)


@dataclass(frozen=True, eq=False, kw_only=True)
class Floors:
    """Minima of value: the elements of row ``r`` together give at least ``low[r]``.

    `regions` are the groups of elements that have a minimum; further rows come from groups of sets.
    """

    indptr: Int64s
    elements: Int32s
    low: Floats
    names: tuple[str, ...]
    regions: tuple[Group, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def row(self, r: int) -> Int32s:
        """Return the elements of row `r`."""
        return self.elements[self.indptr[r] : self.indptr[r + 1]]

    def checked(self, n_elements: int) -> Floors:
        """Return the same rows; raise ProblemError if they do not suit `n_elements` elements."""
        if self is NO_FLOORS:
            return self
        indptr, elements = validation.csr(
            self.indptr, self.elements, n_sets=len(self.names), n_elements=n_elements
        )
        low = validation.numbers(self.low, "low")
        if len(low) != len(self.names):
            raise ProblemError(f"expected {len(self.names)} minima of value, got {len(low)}")
        return replace(self, indptr=indptr, elements=elements, low=low)

    def reached(self, given: Floats) -> Floats:
        """Return the total value of each row, where `given` has the value of each element."""
        return row_sums(self.indptr, given[self.elements])


def limits_of(rows: Iterable[Row], **made_of: Any) -> Limits:
    """Build `Limits` from rows of (name, sets, amounts, minimum, maximum)."""
    kept = list(rows)
    if not kept and not made_of.get("groups"):
        return NO_LIMITS
    names, sets, amounts, low, high = zip(*kept, strict=True) if kept else ((),) * 5
    return Limits(
        indptr=np.append(0, np.cumsum([len(one) for one in sets])).astype(np.int64),
        sets=np.concatenate([validation.NO_GROUPS, *sets]).astype(np.int32),
        amounts=np.concatenate([validation.NO_NUMBERS, *amounts]),
        low=np.array(low, dtype=np.float64),
        high=np.array(high, dtype=np.float64),
        names=names,
        **made_of,
    )


def floors_of(
    rows: Iterable[tuple[str, NDArray[Any], float]], regions: tuple[Group, ...] = ()
) -> Floors:
    """Build `Floors` from rows of (name, elements, minimum)."""
    kept = list(rows)
    if not kept and not regions:
        return NO_FLOORS
    names, elements, low = zip(*kept, strict=True) if kept else ((),) * 3
    return Floors(
        indptr=np.append(0, np.cumsum([len(own) for own in elements])).astype(np.int64),
        elements=np.concatenate([validation.NO_GROUPS, *elements]).astype(np.int32),
        low=np.array(low, dtype=np.float64),
        names=names,
        regions=regions,
    )


_NO_ROWS = validation.frozen(np.zeros(1, np.int64))
NO_FLOORS = Floors(
    indptr=_NO_ROWS, elements=validation.NO_GROUPS, low=validation.NO_NUMBERS, names=()
)
NO_LIMITS = Limits(
    indptr=_NO_ROWS,
    sets=validation.NO_GROUPS,
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
        return self.limits.sets

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


def row_sums(indptr: Int64s, values: NDArray[Any]) -> NDArray[Any]:
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
        sets=np.concatenate((np.arange(n_sets, dtype=np.int32), limits.sets)),
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
    ticks = np.zeros(amounts.size, dtype=np.int64)
    low = np.zeros(n_rows, dtype=np.int64)
    high = np.full(n_rows, NO_LIMIT, dtype=np.int64)
    unit, exact = np.ones(n_rows), np.ones(n_rows, dtype=bool)
    odd = (amounts != np.floor(amounts)) | (amounts >= _MOST_WHOLE)
    is_odd = row_sums(limits.indptr, odd.astype(np.int64)) > 0
    # Convert all rows of whole amounts in one go, because there may be very many conflicts.
    ends = np.minimum(limits.high, 2.0**60)
    high = np.where(limits.high < 2.0**60, np.floor(ends).astype(np.int64), high)
    low = np.ceil(np.minimum(limits.low, 2.0**60) * (1 - 2.0**-51)).astype(np.int64)
    owners = np.repeat(np.arange(n_rows), np.diff(limits.indptr))
    ticks[:] = np.where(odd, 0.0, np.minimum(amounts, high[owners] + 1.0)).astype(np.int64)
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
