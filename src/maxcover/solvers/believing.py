"""The hill of `auto` that belief propagation finds: decimation in a few rounds, within the budget.

The price of the budget comes from the linear relaxation and is corrected until the expected cost of
the beliefs meets the budget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.solvers.decimation import Decimation
from maxcover.solvers.greedy import complete

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control

ROUNDS, EARLY = 14, 4
SWEEPS = 10
# Inverse temperature of the first round in units of 1 / mean weight, that of the last in units of
# the first, and the share of the old messages that stays: on 24 graphs of 10^5 edges 0.0011 better
# than 8, 1 and 0.3 in six rounds on those like text, 0.00004 on biregular and 0.0002 on geometric
# ones. Where the bound leaves much open, a hotter start finds another hill.
HOT, HOTTER, COOLING, DAMPING = 4.0, 3.0, 2.0, 0.5
# Of a sweep, per edge, generously: with a deadline, what would not be through is not begun.
_SWEEP_SECONDS = 4e-8


def affords_beliefs(problem: CoverageProblem, control: Control) -> bool:
    """Whether there is time for another round, and messages can be numbered."""
    return problem.n_edges < 2**31 and control.affords(
        3 * SWEEPS * problem.n_edges * _SWEEP_SECONDS
    )


def believed(
    problem: CoverageProblem, control: Control, *, price: float, beta: float, threads: int
) -> Iterator[NDArray[np.int64]]:
    """Decimate at the price where the expected cost of the beliefs meets the budget; fill it up.

    The temperature falls from round to round. An early answer, in the order of the beliefs, comes
    after some of them: 0.999 of the last on most graphs.
    """
    state = Decimation(problem, beta=beta, hard=True, damping=DAMPING, threads=threads)
    for k in range(ROUNDS):
        stop = control.expired() or not affords_beliefs(problem, control)
        if stop or not state.open.any():
            break
        state.cool(beta * (1 + (COOLING - 1) * k / (ROUNDS - 1)))
        state.believe(price, max_sweeps=SWEEPS, tol=1e-2)
        correction = state.excess_price / price if price > 0 else 0.0
        price *= 1 + min(max(correction, -0.1), 0.1)
        share = max(1, state.room // (ROUNDS - k))
        if not state.pick(share=share, least_belief=0.5).size:
            break
        if k == EARLY:
            yield _completed(problem, np.concatenate((state.selected, state.ranked())))
    yield _completed(problem, state.selected)


def _completed(problem: CoverageProblem, start: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate((start, complete(problem, start)))
