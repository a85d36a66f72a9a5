"""Branching: branch and bound on what reduced costs leave open."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.core import bounds
from maxcover.core.ascending import union
from maxcover.kernels.arrays import BudgetTicks, CompressedRows
from maxcover.kernels.branch import branch
from maxcover.solvers.control import check_plain
from maxcover.solvers.seconds import PER_NODE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.bounds import Dual, Reduced
    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control

    Int64s = NDArray[np.int64]

# Open sets that `branch_for` looks at in all, about ten milliseconds.
_WORK = 500_000


class Settled(NamedTuple):
    """What a branch and bound has found.

    Attributes
    ----------
    selected : ndarray or None
        The best selection that was found, the fixed sets among it; None if there is none.
    value : float
        What it is worth, or else what was there before.
    searched : float
        Part of the tree that was searched.
    finished : bool
        Whether all of it was.
    """

    selected: Int64s | None
    value: float
    searched: float
    finished: bool


def settle(
    problem: CoverageProblem,
    left: Reduced,
    dual: Dual,
    *,
    fixed: Int64s,
    rest: Int64s,
    above: float,
    step: float,
    nodes: int,
) -> Settled:
    """Search for a selection that has `fixed` and some of `rest` and is worth `step` above `above`.

    Values that have a unit are counted in it. Only what is still to be won counts: a huge weight
    that is sure would drown the rest.
    """
    check_plain(problem, "branch and bound")
    scale = problem.weight_unit or 1.0
    weights = left.weights / scale
    base = problem.value(problem.required) if problem.required.size else 0.0
    picks, value, searched, finished = branch(
        CompressedRows(problem.indptr, problem.indices),
        CompressedRows(*problem.transpose),
        weights if problem.weight_unit is None else np.rint(weights),
        BudgetTicks(problem.ticks.ticks, problem.ticks.limit),
        shares=np.clip(dual.shares, 0.0, left.weights) / scale,
        price=dual.price / scale,
        start=fixed,
        candidates=rest,
        floor=(above - base) / scale,
        step=step / scale,
        most_nodes=nodes,
    )
    found = np.concatenate((fixed, picks)) if picks.size else None
    if found is not None and problem.violation(found):  # of a limit that ticks are too coarse for
        return Settled(None, np.inf, searched, finished=False)
    return Settled(found, base + value * scale, searched, bool(finished))


def nodes_for(work: int, n_open: int, control: Control) -> int:
    """Return how many nodes so much work and time allow; 0 where that would reach no leaf."""
    nodes = int(work / max(n_open, 8))
    if not control.affords(nodes * n_open * PER_NODE):
        nodes = int(max(control.remaining, 0.0) / (n_open * PER_NODE))
    return nodes if nodes >= 4 * n_open else 0


def least_step(problem: CoverageProblem, left: Reduced, undecided: float = 0.0) -> float:
    """Return the smallest improvement that a branch and bound looks for, above its rounding."""
    rounding = 1e-13 * float(left.weights.sum())
    if problem.weight_unit:
        return problem.weight_unit - max(1e-9 * problem.weight_unit, rounding)
    return max(0.5 * bounds.TOLERANCE * undecided, rounding)


def branch_for(
    problem: CoverageProblem, dual: Dual, value: float, control: Control
) -> tuple[Int64s | None, bool]:
    """Look for a selection worth at least `value`, with few nodes.

    Returns the selection, or None, and whether it is proven that there is none.
    """
    left, unit = bounds.reduced(problem), problem.weight_unit
    always, never = bounds.fixable(problem, left, dual, value - (unit or 0.0))
    fixed = union(problem.required, np.flatnonzero(always))
    if (always & never).any() or problem.excess(fixed):
        return None, True
    if problem.value(fixed) >= value * (1 - 1e-12):
        return fixed, False
    rest, step = np.flatnonzero(~(always | never)), least_step(problem, left)
    nodes = nodes_for(_WORK, rest.size, control)
    if not nodes:
        return None, False
    below = (np.rint(value / unit) - 1) * unit if unit else value - 2 * step
    found = settle(problem, left, dual, fixed=fixed, rest=rest, above=below, step=step, nodes=nodes)
    return found.selected, found.selected is None and found.finished
