"""Groups: reads further budgets, conflicts, and limits of groups and regions from arguments."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core import validation
from maxcover.core.ascending import distinct
from maxcover.core.labels import Labels
from maxcover.core.limits import Group, floors_of, limits_of
from maxcover.core.tables import is_missing
from maxcover.core.validation import some
from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from maxcover.array_types import Floats, Int32s, Int64s
    from maxcover.core.limits import Row

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
    kept = _groups(groups, names, "groups", {name: ends.get(name) for name in GROUP_LIMITS})
    rows = [row for group in kept for row in _group_rows(group, costs)]
    found = limits_of(
        [*further, *excluding, *rows],
        n_budgets=len(further),
        n_conflicts=len(excluding),
        groups=kept,
    )
    if graph is None or labels is None:
        return {"limits": found}
    indptr, indices, weights = graph
    parts = _groups(regions, labels[1], "regions", {"min_coverage": min_coverage})
    minima = []
    for group in (*kept, *parts):
        is_region = group.ends.get("min_coverage")
        share = group.ends.get("min_share", 0.0) if is_region is None else is_region
        if share > 0:
            elements = np.array(group.members, dtype=np.int64)
            if is_region is None:
                edges = validation.positions_of(indptr, elements)
                elements = distinct(indices[edges]).astype(np.int64)
            what = "group" if is_region is None else "region"
            least = share * float(weights[elements].sum())
            minima.append((f"the weight of {what} {group.label!r}", elements, least))
    return {"limits": found, "floors": floors_of(minima, parts)}


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


def _group_rows(group: Group, costs: Floats) -> list[Row]:
    """Return the rows of a group: a limit on the number of its sets, and one on their cost."""
    rows: list[Row] = []
    sets = np.array(group.members, dtype=np.int64)
    for what, amounts in (("items", np.ones(len(sets))), ("cost", costs[sets])):
        least, most = group.ends.get(f"min_{what}", 0.0), group.ends.get(f"max_{what}", np.inf)
        # Omit a maximum that even all sets together do not exceed.
        if least > 0 or most < float(amounts.sum()) * (1 + 1e-9):
            rows.append((f"the {what} of group {group.label!r}", sets, amounts, least, most))
    return rows


def _groups(groups: Any, labels: Labels, name: str, ends: dict[str, Any]) -> tuple[Group, ...]:
    """Return the groups of sets (or regions of elements) in order of first appearance."""
    is_limited = any(limit is not None for limit in ends.values())
    limits = EITHER_LIMIT if name == "groups" else "min_coverage"
    if groups is None:
        if is_limited:
            raise ProblemError(f"expected {name} together with {limits}, got limits alone")
        return ()
    if not is_limited:
        raise ProblemError(f"expected {limits} together with {name}, got {name} alone")
    if isinstance(groups, str):
        raise ProblemError(
            f"expected {name} to be the {name[:-1]} of each {labels.side}, got the text "
            f"{groups!r}; write {name}={{{labels.side}: {name[:-1]}, ...}}, or use from_table"
        )
    _check_turned(groups, labels, name)
    members: dict[Hashable, list[int]] = {}
    try:
        for i, own in enumerate(labels.each(groups, name, default=None)):
            several = own if isinstance(own, list | set | frozenset) else [own]
            for one in several:
                if not is_missing(one):
                    members.setdefault(one, []).append(i)
    except TypeError as error:
        raise ProblemError(f"expected {name} to be hashable labels or None: {error}") from error
    given = {end: _end_of_each(limit, members, end) for end, limit in ends.items()}
    return tuple(
        Group(one, tuple(own), {end: each[one] for end, each in given.items() if one in each})
        for one, own in members.items()
    )


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
