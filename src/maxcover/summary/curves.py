"""What other budgets buy: a curve over the sentences that each budget may choose from."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.ascending import difference, union
from maxcover.core.validation import frozen
from maxcover.solvers.curve import BudgetCurve, budget_curve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.text.weigh.corpus import Corpus


def curve_of(
    corpus: Corpus,
    problem: CoverageProblem,
    budgets: Sequence[float],
    *,
    forbidden: NDArray[np.int64],
    time_limit: float | None,
) -> BudgetCurve:
    """Solve the problem of a corpus for many budgets, each with the candidates that it has.

    A small budget chooses among sentences that are understood by themselves, a larger one among
    more, so this is a curve for each set of candidates, put together from the largest budget down.
    """
    end = np.inf if time_limit is None else time.perf_counter() + time_limit
    joint = corpus.unit.joint

    def outside(budget: float) -> list[int]:
        below = np.flatnonzero(~corpus.candidates(budget, forbidden))
        out: list[int] = difference(union(forbidden, below), problem.required).tolist()
        return out

    parts: list[BudgetCurve] = []
    sizes = sorted(set(budgets), reverse=True)
    for out, group in groupby(sizes, key=outside):
        if parts and time.perf_counter() > end:
            break
        wanted = [size + joint for size in group]
        within = replace(problem, forbidden=np.array(out, dtype=np.int64))
        left = None if time_limit is None else max(0.0, end - time.perf_counter())
        parts.append(budget_curve(within, wanted, time_limit=left))
        if len(parts[-1]) < len(wanted):  # the time is over
            break
    return _joined(parts[::-1], joint)


def _joined(parts: Sequence[BudgetCurve], joint: float) -> BudgetCurve:
    """Put curves together; what a smaller budget buys, a larger one can have too."""
    points = [point for part in parts for point in part]
    values = np.array([point.value for point in points])
    most = np.maximum.accumulate(values)
    # the last point that has the largest value so far
    best = np.maximum.accumulate(np.where(values >= most, np.arange(len(points)), 0)).tolist()
    bounds = np.maximum([point.upper_bound for point in points], most)
    return BudgetCurve(
        budgets=frozen(np.array([point.budget for point in points]) - joint),
        values=frozen(most),
        costs=frozen(np.maximum([points[k].cost - joint for k in best], 0.0)),
        upper_bounds=frozen(np.maximum.accumulate(bounds)),
        selections=tuple(points[k].selected for k in best),
    )
