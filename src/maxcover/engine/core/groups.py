"""Groups: reads further budgets, conflicts, and limits of groups and regions from arguments."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.engine.core import validation
from maxcover.engine.core.ascending import distinct
from maxcover.engine.core.labels import Labels
from maxcover.engine.core.limits import limits_of
from maxcover.engine.core.tables import is_missing
from maxcover.engine.core.validation import some
from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxcover.engine.core.limits import Row
    from maxcover.ground.array_types import Floats, Int32s, Int64s

GROUP_LIMITS = ("max_items", "max_cost", "min_items", "min_cost", "min_share")
EITHER_LIMIT = "max_items, max_cost, min_items, min_cost or min_share"
# Limits that are a share of a weight, from 0 to 1.
_SHARES = ("min_share", "min_coverage")


def named_budgets(budget: Any, costs: Any) -> tuple[Any, Any, list[tuple[str, Any, Any]]]:
    """Return the first budget, its costs, and (name, costs, budget) of each further budget."""
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
    """Return `limits` and `floors` for a problem: all its limits except the first budget.

    `graph` is ``(indptr, indices, weights)``, and `ends` are the limits of groups by their names.
    """
    names = Labels(None, len(costs)) if labels is None else labels[0]
    further = [_budget_row(*one, names) for one in others]
    excluding = _conflict_rows(conflicts, names)
    held = _groups(groups, names, "groups", {name: ends.get(name) for name in GROUP_LIMITS})
    stated = dict(held.stated)
    if excluding:
        stated["conflicts"] = [sets.tolist() for _, sets, *_ in excluding]
    rows = [*further, *excluding, *_group_rows(held, costs)]
    found = {"limits": limits_of(rows, n_budgets=len(further), stated=stated)}
    if graph is None or labels is None:
        return found
    indptr, indices, weights = graph
    parts = _groups(regions, labels[1], "regions", {"min_coverage": min_coverage})
    minima: list[Row] = []
    for what, given, end in (("group", held, "min_share"), ("region", parts, "min_coverage")):
        for label, share in given.ends.get(end, {}).items():
            elements = given.members[label]
            if what == "group":
                edges = validation.positions_of(indptr, elements)
                elements = distinct(indices[edges]).astype(np.int64)
            least = share * float(weights[elements].sum())
            if share > 0:
                name, ones = f"the weight of {what} {label!r}", np.ones(len(elements))
                minima.append((name, elements, ones, least, np.inf))
    return {**found, "floors": limits_of(minima, stated=parts.stated)}


def _budget_row(name: str, amounts: Any, most: Any, names: Labels) -> Row:
    each = names.numbers(amounts, f"costs of {name!r}")
    return name, np.arange(names.count), each, 0.0, validation.budget(most, each)


def _conflict_rows(conflicts: Any, names: Labels) -> list[Row]:
    """Return one row per conflict; it allows at most one of the sets in conflict."""
    rows: list[Row] = []
    for one in validation.iterable(conflicts, "conflicts"):
        if isinstance(one, str) or not isinstance(one, Iterable):
            line = ", ".join(map(repr, conflicts))
            raise ProblemError(
                f"expected conflicts as pairs of sets, got {one!r}; write conflicts=[({line})]"
            )
        sets = distinct(names.find(one, "conflicts"))
        if len(sets) < 2:
            raise ProblemError(f"expected conflicts of at least two different sets, got {one!r}")
        called = ", ".join(repr(names.called(i)) for i in sets.tolist())
        rows.append((f"the sets of {called}", sets, np.ones(len(sets)), 0.0, 1.0))
    return rows


class _Groups(NamedTuple):
    """Groups of sets (or regions of elements): members and limits by label, and as arguments."""

    members: dict[Hashable, Int64s]
    ends: dict[str, dict[Hashable, float]]
    stated: dict[str, Any]


def _group_rows(groups: _Groups, costs: Floats) -> Iterator[Row]:
    """Yield the rows of each group: a limit on the number of its sets, and one on their cost."""
    for label, sets in groups.members.items():
        for what, amounts in (("items", np.ones(len(sets))), ("cost", costs[sets])):
            least = groups.ends.get(f"min_{what}", {}).get(label, 0.0)
            most = groups.ends.get(f"max_{what}", {}).get(label, np.inf)
            # Omit a maximum that even all sets together do not exceed.
            if least > 0 or most < float(amounts.sum()) * (1 + 1e-9):
                yield f"the {what} of group {label!r}", sets, amounts, least, most


def _groups(groups: Any, labels: Labels, name: str, ends: dict[str, Any]) -> _Groups:
    """Return the groups of sets (or regions of elements) in order of first appearance."""
    is_limited = any(limit is not None for limit in ends.values())
    limits = EITHER_LIMIT if name == "groups" else "min_coverage"
    if groups is None:
        if is_limited:
            raise ProblemError(f"expected {name} together with {limits}, got limits alone")
        return _Groups({}, {}, {})
    if not is_limited:
        raise ProblemError(f"expected {limits} together with {name}, got {name} alone")
    if isinstance(groups, str):
        raise ProblemError(
            f"expected {name} to be the {name[:-1]} of each {labels.side}, got the text "
            f"{groups!r}; write {name}={{{labels.side}: {name[:-1]}, ...}}, or use from_table"
        )
    _check_turned(groups, labels, name)
    members: dict[Hashable, list[int]] = {}
    said: list[Any] = []
    try:
        for i, own in enumerate(labels.each(groups, name, default=None)):
            several = own if isinstance(own, list | set | frozenset) else [own]
            kept = [one for one in several if not is_missing(one)]
            for one in kept:
                members.setdefault(one, []).append(i)
            said.append(kept if len(kept) > 1 else next(iter(kept), None))
    except TypeError as error:
        raise ProblemError(f"expected {name} to be hashable labels or None: {error}") from error
    each = {end: _end_of_each(limit, members, end) for end, limit in ends.items()}
    given = {end: own for end, own in each.items() if own}
    sets = {label: np.array(own, dtype=np.int64) for label, own in members.items()}
    return _Groups(sets, given, {name: said, **given} if given else {})


def _end_of_each(limit: Any, groups: Mapping[Hashable, Any], name: str) -> dict[Hashable, float]:
    """Return the limit of each group that has one; a single number holds for all groups."""
    if limit is None:
        return {}
    if not isinstance(limit, Mapping):
        return dict.fromkeys(groups, _end(limit, name, name))
    unknown = [group for group in limit if group not in groups]
    if unknown:
        owners = "elements" if name == "min_coverage" else "sets"
        raise ProblemError(
            f"{name} has {unknown[0]!r}, which no {owners} belong to"
            f"{validation.near(unknown[0], groups)}; the groups are {some(groups)}"
        )
    return {
        group: _end(end, f"{name} of {group!r}", name)
        for group, end in limit.items()
        if end is not None and end != np.inf
    }


def _end(value: Any, said: str, name: str) -> float:
    """Check and return the limit of a group: a count, a cost or a share."""
    end = validation.number(value, said, whole=name.endswith("items"))
    if name in _SHARES and end > 1:
        raise ProblemError(
            f"expected {name} to be a share from 0 to 1, got {end:g}; for {end:g} % write "
            f"{end / 100:g}"
        )
    return end


def _check_turned(groups: Any, labels: Labels, name: str) -> None:
    """Raise ProblemError if `groups` maps groups to members instead of members to groups."""
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
