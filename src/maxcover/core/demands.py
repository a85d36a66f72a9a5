"""What a selection has to reach: minima of groups, and elements that need several sets.

A group has three minima: the number of its sets, what they cost, and the share of the weight that
all its sets cover together which the selection covers. Costs and shares are met to 1e-12 of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.core import needs
from maxcover.core.ascending import distinct
from maxcover.core.needs import SHARE
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from maxcover.core.problem import CoverageProblem

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]

ROUNDING = 1e-12
NAMES = ("min_items", "min_cost", "min_share")


def held(problem: CoverageProblem, selected: ArrayLike) -> Int64s:
    """Return how many of the selected sets hold each element."""
    return needs.held(problem.indptr, problem.indices, selected, problem.n_elements)


def asked(problem: CoverageProblem) -> tuple[str, ...]:
    """Return which demands a problem makes, by the names of their options."""
    least = problem.group_least
    names = [name for k, name in enumerate(NAMES) if least.size and least[k].any()]
    return (*names, *(("need",) if problem.needs.size else ()))


def check_demands(problem: CoverageProblem, owner: str, *, able: bool = False) -> None:
    """Refuse a problem with demands by name where nothing can be done about them."""
    if problem.is_demanding and not able:
        raise OptionError(
            f"expected a problem without {' and '.join(asked(problem))} for {owner}, which cannot "
            "meet them; use solve with method 'auto' or 'exact'"
        )


class Shared(NamedTuple):
    """Which elements the sets of groups with a minimum of weight cover, and that minimum."""

    elements: Int64s
    groups: Int64s
    least: Floats


def shared_weight(problem: CoverageProblem) -> Shared:
    """Return the pairs of elements and groups that minima of shares are about."""
    n_groups = problem.n_groups
    nobody = np.empty(0, dtype=np.int64)
    if not problem.group_least.size or not problem.group_least[SHARE].any():
        return Shared(nobody, nobody, np.zeros(n_groups))
    group = np.repeat(problem.group_of, np.diff(problem.indptr)).astype(np.int64)
    counts = (group >= 0) & (np.append(problem.group_least[SHARE], 0.0)[group] > 0)
    pairs = distinct(problem.indices[counts].astype(np.int64) * n_groups + group[counts])
    elements, groups = pairs // max(n_groups, 1), pairs % max(n_groups, 1)
    totals = np.bincount(groups, weights=problem.weights[elements], minlength=n_groups)
    return Shared(elements, groups, problem.group_least[SHARE] * totals)


def reached(problem: CoverageProblem, selected: Int64s) -> tuple[Floats, Floats]:
    """Return what a selection reaches of each group, in the rows of the minima, and these."""
    inside = selected[problem.group_of[selected] >= 0]
    group = problem.group_of[inside]
    shared = shared_weight(problem)
    covered = problem.covered(selected)[shared.elements]
    size = {"minlength": problem.n_groups}
    have = [
        np.bincount(group, **size),
        np.bincount(group, weights=problem.costs[inside], **size),
        np.bincount(
            shared.groups[covered],
            weights=problem.weights[shared.elements[covered]],
            **size,
        ),
    ]
    least = np.stack((*problem.group_least[:2], shared.least))
    return np.stack(have).astype(np.float64), least


def shortfall(problem: CoverageProblem, selected: Int64s) -> str:
    """Say which minimum a selection misses; an empty string when it misses none."""
    if not problem.group_least.size:
        return ""
    have, least = reached(problem, selected)
    for kind, group in np.argwhere(have < least * (1 - ROUNDING))[:1]:
        name = int(group) if problem.group_labels is None else problem.group_labels[group]
        what = ("sets", "cost", "of the weight of its sets covered")[kind]
        return (
            f"group {name!r} needs at least {least[kind, group]:g} {what} ({NAMES[kind]}), "
            f"got {have[kind, group]:g}"
        )
    return ""
