"""Limits as rows: at least and at most so much of something over some of the sets.

A budget is a row of costs, a group maximum or minimum a row of ones or costs over its members, a
conflict a row of two ones. `Limits` holds them as numbers; `Rows` counts each in ticks of its own,
on which it is decided what fits. `Floors` are minima of value: what some elements have to give.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core import validation
from maxcover.core.ascending import distinct
from maxcover.core.labels import Labels
from maxcover.core.tables import is_missing
from maxcover.core.ticks import read, to_ticks
from maxcover.core.validation import EITHER_LIMIT, GROUP_LIMITS, some
from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.core.ticks import Ticks

    Floats = NDArray[np.float64]
    Int32s = NDArray[np.int32]
    Int64s = NDArray[np.int64]
    Mask = NDArray[np.bool_]
    # name, sets, amounts, least, most
    Row = tuple[str, Any, Any, float, float]
    # what a row was made of, as in `Limits.keys`
    Key = tuple[str, Any]

NO_LIMIT = 2**62
# Whole amounts below this are counted as they are.
_MOST_WHOLE = 2.0**40
# Minima of value are met to this part of them.
FLOOR_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class Limits:
    """Rows ``low <= sum of amounts of the chosen sets <= high``, as a sparse matrix by rows.

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
        What the rows are about, for messages and certificates.
    keys : tuple of (str, label)
        What each row was made of: ("budget", its name), ("conflict", number), ("items", group) or
        ("cost", group). Empty where nobody said.
    loose : tuple of (str, label, tuple of int, float or None)
        Groups that nothing limits now, or a maximum that nothing reaches: kind, group, sets, most.
        They count once costs or limits change.
    """

    indptr: Int64s
    sets: Int32s
    amounts: Floats
    low: Floats
    high: Floats
    names: tuple[str, ...]
    keys: tuple[tuple[str, Any], ...] = ()
    loose: tuple[tuple[str, Any, tuple[int, ...], float | None], ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def fits_alone(self, n_sets: int) -> Mask:
        """Return which sets have no amount above a maximum."""
        alone = np.ones(n_sets, dtype=bool)
        alone[self.sets[self.amounts > np.repeat(self.high, np.diff(self.indptr))]] = False
        return alone

    def budgets(self, chosen: Int64s, n_sets: int) -> list[tuple[str, float, float]]:
        """Return each maximum over all sets: its name, what chosen sets take of it, and itself."""
        found: list[tuple[str, float, float]] = []
        if self is NO_LIMITS:
            return found
        for r in np.flatnonzero((np.diff(self.indptr) == n_sets) & (self.high < np.inf)).tolist():
            most = float(self.high[r])
            taken = float(self.amounts[self.indptr[r] : self.indptr[r + 1]][chosen].sum())
            # in ticks it is within the maximum; what is above it here is rounding
            found.append((self.names[r], min(taken, most), most))
        return found

    def among(self, kept: Int64s, n_sets: int) -> Limits:
        """Return the rows of some sets alone, which are numbered anew in the order of `kept`."""
        place = np.full(n_sets, -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))
        inside = place[self.sets] >= 0
        owners = np.repeat(np.arange(len(self)), np.diff(self.indptr))
        counts = np.bincount(owners[inside], minlength=len(self))
        return replace(
            self,
            indptr=np.append(0, np.cumsum(counts)).astype(np.int64),
            sets=place[self.sets[inside]].astype(np.int32),
            amounts=self.amounts[inside],
        )

    def checked(self, n_sets: int) -> Limits:
        """Return the same rows, checked against the number of sets."""
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
                f"expected at most {high[r]:g} of {self.names[r]} to be no less than the minimum, "
                f"{low[r]:g}"
            )
        return Limits(
            indptr=indptr, sets=sets, amounts=amounts, low=low, high=high,
            names=tuple(map(str, self.names)), keys=self.keys, loose=self.loose,
        )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Floors:
    """Minima of value: the elements of row ``r`` together give at least ``low[r]``.

    `keys` are as of `Limits`: ("min_share", group) or ("min_coverage", region).
    """

    indptr: Int64s
    elements: Int32s
    low: Floats
    names: tuple[str, ...]
    keys: tuple[tuple[str, Any], ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def checked(self, n_elements: int) -> Floors:
        """Return the same rows, checked against the number of elements."""
        if self is NO_FLOORS:
            return self
        indptr, elements = validation.csr(
            self.indptr, self.elements, n_sets=len(self.names), n_elements=n_elements
        )
        low = validation.numbers(self.low, "low")
        if len(low) != len(self.names):
            raise ProblemError(f"expected {len(self.names)} minima of value, got {len(low)}")
        names = tuple(map(str, self.names))
        return Floors(indptr=indptr, elements=elements, low=low, names=names, keys=self.keys)

    def reached(self, given: Floats) -> Floats:
        """Return what the elements of each row give."""
        return row_sums(self.indptr, given[self.elements])


NO_FLOORS = Floors(
    indptr=validation.frozen(np.zeros(1, np.int64)),
    elements=validation.NO_GROUPS,
    low=validation.NO_NUMBERS,
    names=(),
)


def limits_of(rows: Iterable[Row], keys: Iterable[Key] = ()) -> Limits:
    """Put rows together: name, sets, amounts, least and most of each."""
    kept = list(rows)
    if not kept:
        return NO_LIMITS
    names, sets, amounts, low, high = zip(*kept, strict=True)
    return Limits(
        indptr=np.append(0, np.cumsum([len(one) for one in sets])).astype(np.int64),
        sets=np.concatenate(sets).astype(np.int32),
        amounts=np.concatenate(amounts).astype(np.float64),
        low=np.array(low, dtype=np.float64),
        high=np.array(high, dtype=np.float64),
        names=names,
        keys=tuple(keys),
    )


def floors_of(rows: Iterable[tuple[str, NDArray[Any], float]], keys: Iterable[Key] = ()) -> Floors:
    """Put minima of value together: name, elements and least of each."""
    kept = list(rows)
    if not kept:
        return NO_FLOORS
    names, elements, low = zip(*kept, strict=True)
    return Floors(
        indptr=np.append(0, np.cumsum([len(own) for own in elements])).astype(np.int64),
        elements=np.concatenate(elements).astype(np.int32),
        low=np.array(low),
        names=names,
        keys=tuple(keys),
    )


NO_LIMITS = Limits(
    indptr=NO_FLOORS.indptr,
    sets=validation.NO_GROUPS,
    amounts=validation.NO_NUMBERS,
    low=validation.NO_NUMBERS,
    high=validation.NO_NUMBERS,
    names=(),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """All limits of a problem in ticks; row 0 is the budget and has an entry for every set.

    What keeps ``low`` and ``high`` in ticks keeps the limit itself. An amount above the maximum of
    its row counts ``high + 1``, so a set that has one fits nowhere.
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
        """Where the entries of each row begin."""
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
        """The entries of each set: where they begin, their rows in ascending order, their ticks."""
        order = np.argsort(self.sets, kind="stable")
        counts = np.bincount(self.sets, minlength=self.n_sets)
        indptr = np.append(0, np.cumsum(counts)).astype(np.int64)
        return indptr, self.owners[order].astype(np.int32), self.ticks[order]

    @cached_property
    def fits_alone(self) -> Mask:
        """Which sets break no maximum by themselves."""
        alone = np.ones(self.n_sets, dtype=bool)
        alone[self.sets[self.ticks > self.high[self.owners]]] = False
        return alone

    def broken(self, selected: Int64s, *, minima: bool = True) -> str:
        """Say which row a selection breaks; an empty string when it breaks none."""
        inside = np.zeros(self.n_sets, dtype=bool)
        inside[selected] = True
        entry = inside[self.sets]
        amounts = row_sums(self.indptr, np.where(entry, self.limits.amounts, 0.0))
        counts = row_sums(self.indptr, entry.astype(np.int64))
        # the first comparison keeps the sums of integers far from overflow
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
            return f"expected {name} to be {words} {limit:g}, got {amounts[r]:g} ({counts[r]} sets)"
        return ""


def row_sums(indptr: Int64s, values: NDArray[Any]) -> NDArray[Any]:
    """Return the sum over each row."""
    sums = np.zeros(len(indptr) - 1, dtype=values.dtype)
    filled = np.flatnonzero(np.diff(indptr))
    if filled.size:
        sums[filled] = np.add.reduceat(values, indptr[filled])
    return sums


def rows_of(problem: CoverageProblem) -> Rows:
    """Count the budget and all other limits of a problem in ticks, each row in its own."""
    limits = problem.limits
    ticks, n_sets, budget = problem.ticks, problem.n_sets, problem.budget
    everything = Limits(
        indptr=np.append(0, n_sets + limits.indptr).astype(np.int64),
        sets=np.concatenate((np.arange(n_sets, dtype=np.int32), limits.sets)),
        amounts=np.concatenate((problem.costs, limits.amounts)),
        low=np.append(0.0, limits.low),
        high=np.append(budget, limits.high),
        names=("the budget", *limits.names),
    )
    counted, low, high, unit, exact = _counted(limits)
    return Rows(
        limits=everything,
        ticks=np.concatenate((ticks.ticks, counted)),
        low=np.append(0, low).astype(np.int64),
        high=np.append(ticks.limit, high).astype(np.int64),
        unit=np.append(ticks.unit, unit),
        exact=np.append(ticks.exact, exact),
        n_sets=n_sets,
    )


def _counted(limits: Limits) -> tuple[Int64s, Int64s, Int64s, Floats, Mask]:
    """Count the amounts of each row in ticks; return also minima, maxima, units, and if exact."""
    amounts, n_rows = limits.amounts, len(limits)
    ticks = np.zeros(amounts.size, dtype=np.int64)
    low = np.zeros(n_rows, dtype=np.int64)
    high = np.full(n_rows, NO_LIMIT, dtype=np.int64)
    unit, exact = np.ones(n_rows), np.ones(n_rows, dtype=bool)
    odd = (amounts != np.floor(amounts)) | (amounts >= _MOST_WHOLE)
    is_odd = row_sums(limits.indptr, odd.astype(np.int64)) > 0
    # whole amounts, such as items, all at once: there may be many conflicts
    ends = np.minimum(limits.high, 2.0**60)
    high = np.where(limits.high < 2.0**60, np.floor(ends).astype(np.int64), high)
    low = np.ceil(np.minimum(limits.low, 2.0**60) * (1 - 2.0**-51)).astype(np.int64)
    owners = np.repeat(np.arange(n_rows), np.diff(limits.indptr))
    ticks[:] = np.where(odd, 0.0, np.minimum(amounts, high[owners] + 1.0)).astype(np.int64)
    for r in np.flatnonzero(is_odd).tolist():
        inside = slice(limits.indptr[r], limits.indptr[r + 1])
        found = to_ticks(amounts[inside], min(float(limits.high[r]), 1e300))
        ticks[inside], unit[r], exact[r] = found.ticks, found.unit, found.exact
        high[r] = found.limit
        low[r] = _least(found, float(limits.low[r]), len(found.ticks))
    return ticks, low, high, unit, exact


def _least(ticks: Ticks, low: float, terms: int) -> int:
    """Return how many ticks a minimum takes: what has as many meets it, to rounding."""
    if low <= 0:
        return 0
    if ticks.fraction is not None:
        return math.ceil(read(low) * (1 - Fraction(1, 2**51)) / ticks.fraction)
    slack = 2.0**-48 if ticks.exact else (terms + 4) * 2.0**-51
    return math.ceil(min(low / ticks.unit, 2.0**61) * (1 - slack))


def group_rows(
    members: Mapping[Hashable, Int64s], costs: Floats, ends: dict[str, Floats]
) -> tuple[dict[Key, Row], tuple[Any, ...]]:
    """Return the rows of groups, how many of their sets and what these cost, and loose ones.

    `ends` holds ``min_items``, ``max_items``, ``min_cost`` and ``max_cost`` of each group.
    """
    rows: dict[Key, Row] = {}
    loose: list[Any] = []
    for g, (group, sets) in enumerate(members.items()):
        n_before = len(rows)
        for what, amounts in (("items", np.ones(len(sets))), ("cost", costs[sets])):
            least, most = float(ends[f"min_{what}"][g]), float(ends[f"max_{what}"][g])
            if least > 0 or most < float(amounts.sum()) * (1 + 1e-9):
                name = f"the {what} of group {group!r}"
                rows[what, group] = (name, sets, amounts, least, most)
            elif most < np.inf:
                loose.append((what, group, tuple(sets.tolist()), most))
        if len(rows) == n_before and (not loose or loose[-1][1] != group):
            loose.append(("items", group, tuple(sets.tolist()), None))
    return rows, tuple(loose)


def named_budgets(budget: Any, costs: Any) -> tuple[Any, Any, list[tuple[str, Any, Any]]]:
    """Return the first budget and its costs, and the others: name, costs and budget of each."""
    if not isinstance(budget, Mapping):
        return budget, costs, []
    if not isinstance(costs, Mapping) or {*costs} != {*budget} or not budget:
        raise ProblemError(
            "expected costs and budget with the same names, as in costs={'money': ..., 'hours': "
            "...}, budget={'money': 100, 'hours': 8} (of a table: columns cost:money, cost:hours), "
            "got "
            f"{some(costs) if isinstance(costs, Mapping) else type(costs).__name__} and "
            f"{some(budget)}"
        )
    first, *rest = budget
    return budget[first], costs[first], [(name, costs[name], budget[name]) for name in rest]


def group_limits(
    groups: Any,
    costs: Floats,
    graph: tuple[Int64s, Int32s, Floats] | None = None,
    *,
    labels: tuple[Labels, Labels] | None = None,
    others: Iterable[tuple[str, Any, Any]] = (),
    conflicts: Iterable[Iterable[Hashable]] = (),
    regions: Any = None,
    min_coverage: Any = None,
    **ends: Any,
) -> dict[str, Any]:
    """Return all rows besides the budget: further budgets, conflicts, limits of groups, minima."""
    n_sets = len(costs)
    names = Labels(None, n_sets) if labels is None else labels[0]
    rows: dict[Key, Row] = {}
    for name, amounts, most in others:
        each = validation.numbers(names.align(amounts, f"costs of {name!r}"), name)
        if len(each) != n_sets:
            raise ProblemError(f"{name} needs {n_sets} numbers, one per set; it has {len(each)}")
        high = validation.budget(most, each)
        rows["budget", name] = (name, np.arange(n_sets), each, 0.0, high)
    rows |= {("conflict", k): row for k, row in enumerate(_conflict_rows(conflicts, names))}
    members = _members(groups, names, "groups", {name: ends.get(name) for name in GROUP_LIMITS})
    limits = validation.limits_of_each(members, **{name: ends.get(name) for name in GROUP_LIMITS})
    grouped, loose = group_rows(members, costs, limits)
    floors: dict[Key, tuple[str, NDArray[Any], float]] = {}
    if graph is not None and labels is not None:
        indptr, indices, _ = graph
        inside = {group: distinct(indices[validation.positions_of(indptr, sets)])
                  for group, sets in members.items()}  # fmt: skip
        floors = _floor_rows("min_share", inside, limits["min_share"], graph[2])
        parts = _members(regions, labels[1], "regions", {"min_coverage": min_coverage})
        least = validation.limits_of_each(parts, min_coverage=min_coverage)["min_coverage"]
        floors |= _floor_rows("min_coverage", parts, least, graph[2])
    rows |= grouped
    found = limits_of(rows.values(), rows)
    found = replace(found, loose=loose) if loose else found
    return {"limits": found, "floors": floors_of(floors.values(), floors)}


def _conflict_rows(conflicts: Any, names: Labels) -> list[Row]:
    """Return a row of at most one item for each conflict."""
    rows: list[Row] = []
    for one in validation.iterable(conflicts, "conflicts"):
        sets = distinct(names.find(one, "conflicts"))
        if len(sets) < 2:
            raise ProblemError(f"expected conflicts of at least two different sets, got {one!r}")
        called = ", ".join(
            repr(i if names.names is None else names.names[i]) for i in sets.tolist()
        )
        rows.append((f"the sets of {called}", sets, np.ones(len(sets)), 0.0, 1.0))
    return rows


def _floor_rows(
    kind: str, members: Mapping[Hashable, NDArray[Any]], shares: Floats, weights: Floats
) -> dict[Key, tuple[str, NDArray[Any], float]]:
    """Return the elements of groups or regions that have to give a share of their weight."""
    found: dict[Key, tuple[str, NDArray[Any], float]] = {}
    for (group, elements), share in zip(members.items(), shares.tolist(), strict=True):
        if share > 1:
            raise ProblemError(
                f"expected {kind} to be a share from 0 to 1, got {share:g}; for {share:g} % write "
                f"{share / 100:g}"
            )
        if share > 0:
            least = share * float(weights[elements].sum())
            what = "group" if kind == "min_share" else "region"
            found[kind, group] = (f"the weight of {what} {group!r}", elements, least)
    return found


def _members(
    groups: Any, labels: Labels, name: str, ends: dict[str, Any]
) -> dict[Hashable, Int64s]:
    """Return the sets of each group (the elements of each region), as groups first appear."""
    is_limited = any(limit is not None for limit in ends.values())
    limits = EITHER_LIMIT if name == "groups" else "min_coverage"
    if groups is None:
        if is_limited:
            raise ProblemError(f"expected {name} together with {limits}, got limits alone")
        return {}
    if not is_limited:
        raise ProblemError(f"expected {limits} together with {name}, got {name} alone")
    if isinstance(groups, str):
        raise ProblemError(
            f"expected {name} to be the {name[:-1]} of each {labels.side}, got the text "
            f"{groups!r}; write {name}={{{labels.side}: {name[:-1]}, ...}}, or use from_table"
        )
    _check_turned(groups, labels, name)
    each = list(validation.iterable(labels.align(groups, name, default=None), name))
    if len(each) != labels.count:
        raise ProblemError(
            f"{name} needs {labels.count} entries, one per {labels.side}; it has {len(each)}"
        )
    members: dict[Hashable, list[int]] = {}
    try:
        for i, own in enumerate(each):
            several = own if isinstance(own, list | set | frozenset) else [own]
            for one in several:
                if not is_missing(one):
                    members.setdefault(one, []).append(i)
    except TypeError as error:
        raise ProblemError(f"expected {name} to be hashable labels or None: {error}") from error
    return {one: np.array(own, dtype=np.int64) for one, own in members.items()}


def _check_turned(groups: Any, labels: Labels, name: str) -> None:
    """Refuse a mapping from group to members; what is meant is one from member to group."""
    if not isinstance(groups, Mapping) or any(key in labels.positions for key in groups):
        return
    for group, own in groups.items():
        if isinstance(own, list | tuple | set | frozenset) and own:
            inside = [one for one in own if isinstance(one, Hashable) and one in labels.positions]
            if len(inside) == len(own):
                line = ", ".join(f"{one!r}: {group!r}" for one in inside[:3])
                raise ProblemError(
                    f"expected {name} as {{{labels.side}: {name[:-1]}}}, got {{{group!r}: "
                    f"{own!r}}}; write {name}={{{line}, ...}}"
                )
