"""Whether a selection within the budget reaches a value: branch and bound on what is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.core import bounds
from maxcover.kernels.branch import branch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.bounds import Dual
    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control

# Open sets that are looked at in all, about ten milliseconds, and seconds per open set.
_WORK = 500_000
_NODE_SECONDS = 2e-8


def branch_for(
    problem: CoverageProblem, dual: Dual, value: float, control: Control
) -> tuple[NDArray[np.int64] | None, bool]:
    """Look for a selection worth at least `value`, with few nodes.

    Returns the selection, or None, and whether it is proven that there is none.
    """
    left, unit = bounds.reduced(problem), problem.weight_unit
    always, never = bounds.fixable(problem, left, dual, value - (unit or 0.0))
    fixed = np.union1d(problem.required, np.flatnonzero(always))
    if (always & never).any() or problem.violation(fixed):
        return None, True
    if problem.value(fixed) >= value * (1 - 1e-12):
        return fixed, False
    rest = np.flatnonzero(~(always | never))
    nodes = int(_WORK / max(rest.size, 8))
    if nodes < 4 * rest.size or not control.affords(nodes * rest.size * _NODE_SECONDS):
        return None, False
    scale = unit or 1.0
    # what the required sets cover is there anyway: a huge weight would drown the rest
    weights = left.weights / scale
    missing = (value - problem.value(problem.required)) / scale
    rounding = 1e-13 * float(weights.sum())
    step = 1 - max(1e-9, rounding) if unit else rounding
    picks, _, _, finished = branch(
        problem.indptr,
        problem.indices,
        *problem.transpose,
        np.rint(weights) if unit else weights,
        np.clip(dual.shares, 0.0, left.weights) / scale,
        dual.price / scale,
        problem.ticks.ticks,
        problem.ticks.limit,
        problem.group_of,
        problem.group_counts,
        problem.loose_group_ticks,
        fixed,
        rest,
        np.rint(missing) - 1 if unit else missing - 2 * step,
        step,
        nodes,
    )
    if not picks.size:
        return None, bool(finished)
    found = np.concatenate((fixed, picks))
    return (None if problem.violation(found) else found), False
