"""Pieces: a budget curve that keeps a deadline, computed piece by piece from the largest budget."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from maxcover.solvers.curve import BudgetCurve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Points of one piece: after each the clock is looked at.
_PIECE = 8


def curve_within(
    curve_of: Callable[[Sequence[float]], BudgetCurve], budgets: Sequence[float], *, end: float
) -> BudgetCurve:
    """Compute a curve until the clock says `end`; what was not reached by then is missing.

    Parameters
    ----------
    curve_of : callable
        Computes the curve of some budgets.
    budgets : sequence of float
    end : float
        On the clock of `time.perf_counter`. The first piece is computed in any case.
    """
    sizes = np.unique(np.asarray(budgets, dtype=np.float64)).tolist()
    pieces = [curve_of(sizes[-_PIECE:])]
    for stop in range(len(sizes) - _PIECE, 0, -_PIECE):
        if time.perf_counter() > end:
            break
        pieces.append(curve_of(sizes[max(0, stop - _PIECE) : stop]))
    pieces.reverse()
    return _joined(pieces)


def _joined(pieces: list[BudgetCurve]) -> BudgetCurve:
    """Join curves of ascending budgets; what a smaller budget buys, a larger one buys too."""
    names = ("budgets", "values", "costs", "upper_bounds")
    columns = {name: np.concatenate([getattr(part, name) for part in pieces]) for name in names}
    chosen = [selection for part in pieces for selection in part.selections]
    values = columns["values"]
    best: list[int] = []
    for k, value in enumerate(values.tolist()):
        best.append(k if not best or value >= values[best[-1]] else best[-1])
    return BudgetCurve(
        budgets=columns["budgets"],
        values=values[best],
        costs=columns["costs"][best],
        upper_bounds=np.minimum.accumulate(columns["upper_bounds"][::-1])[::-1],
        selections=tuple(chosen[k] for k in best),
    )
