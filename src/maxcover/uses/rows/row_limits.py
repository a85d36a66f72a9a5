"""Row limits: quotas for the values of a column, and groups of connected near-duplicates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.errors import OptionError
from maxcover.ground.options.row import is_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.ground.array_types import AnyArray


def quota_limits(
    quota: Mapping[str, Any], column: Callable[[str], AnyArray], budget: float
) -> dict[str, Any]:
    """Return quotas as the arguments `groups` and `max_cost` of a problem."""
    names = {name: column(name) for name in quota}
    most: dict[Any, float] = {}
    for name, shares in quota.items():
        if names[name].ndim > 1:
            raise OptionError(f"expected quota of a column of labels, got vectors in {name!r}")
        values = {*names[name].tolist()}
        wanted = shares if isinstance(shares, Mapping) else dict.fromkeys(values, shares)
        for value, part in wanted.items():
            if not (is_number(part) and 0 <= part <= 1):
                raise OptionError(f"expected quota of {name!r} to be shares up to 1, got {part!r}")
            most[name, value] = float(part) * budget
        for value in wanted.keys() - values:
            raise OptionError(
                f"expected quota of values in {name!r}, got {value!r}, which no row has"
            )
    if not most:
        return {}
    columns = [[(name, value) for value in each.tolist()] for name, each in names.items()]
    # Each row lists one group per column, in a list: a tuple would count as one group name.
    return {"groups": [[*each] for each in zip(*columns, strict=True)], "max_cost": most}


def connected(n: int, first: AnyArray, second: AnyArray) -> list[list[int]]:
    """Return the connected components of at least two rows, each in ascending order.

    Examples
    --------
    >>> connected(5, np.array([0, 1, 4]), np.array([1, 2, 4]))
    [[0, 1, 2]]
    """
    leader = np.arange(n)
    while True:
        lower = leader.copy()
        np.minimum.at(lower, first, leader[second])
        np.minimum.at(lower, second, leader[first])
        lower = lower[lower]
        if (lower == leader).all():
            break
        leader = lower
    inside = np.flatnonzero(np.bincount(leader, minlength=n)[leader] > 1)
    order = inside[np.argsort(leader[inside], kind="stable")]
    cuts = np.flatnonzero(np.diff(leader[order])) + 1
    return [group.tolist() for group in np.split(order, cuts)] if order.size else []
