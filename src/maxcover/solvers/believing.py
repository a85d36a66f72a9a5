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
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control

ROUNDS = 14
SWEEPS = 15
# Inverse temperature of the first round in units of 1 / mean weight, that of the last in units of
# the first, and the share of the old messages that stays: on 24 graphs of 10^5 edges 0.0011 better
# than 8, 1 and 0.3 in six rounds on those like text, 0.00004 on biregular and 0.0002 on geometric
# ones. Where the bound leaves much open, a hotter start finds another hill.
HOT, HOTTER, COOLING, DAMPING = 4.0, 3.0, 2.0, 0.5
# Of a sweep, per edge, generously: with a deadline, what would not be through is not begun.
_SWEEP_SECONDS = 4e-8


def affords_beliefs(problem: CoverageProblem, control: Control) -> bool:
    """Whether there is time for another round."""
    return control.affords(3 * SWEEPS * problem.n_edges * _SWEEP_SECONDS)


def believed(
    problem: CoverageProblem, control: Control, *, price: float, beta: float, threads: int
) -> NDArray[np.int64]:
    """Decimate at the price where the expected cost of the beliefs meets the budget; fill it up.

    The temperature falls from round to round.
    """
    state = Decimation(problem, beta=beta, hard=True, damping=DAMPING, threads=threads)
    for k in range(ROUNDS):
        stop = control.expired() or not affords_beliefs(problem, control)
        if stop or not state.open.any():
            break
        state.cool(beta * (1 + (COOLING - 1) * k / (ROUNDS - 1)))
        price = _meet_budget(state, price, tries=2 if k == 0 else 1)
        share = max(1, state.room // (ROUNDS - k))
        if not state.pick(share=share, least_belief=0.5).size:
            break
    return np.concatenate((state.selected, complete(problem, state.selected)))


def _meet_budget(state: Decimation, mu: float, *, tries: int) -> float:
    """Correct the price until the expected cost of the beliefs meets what is left of the budget."""
    costs, ticks = state.problem.costs, state.problem.ticks.ticks
    for _ in range(tries):
        state.believe(mu, max_sweeps=SWEEPS, tol=1e-2)
        excess = state.expected_ticks - state.room
        if abs(excess) <= 0.01 * state.room or state.beliefs is None:
            break
        chosen = state.beliefs.chosen[state.open]
        slope = state.beta * float((chosen * (1 - chosen) * costs[state.open]) @ ticks[state.open])
        step = excess / slope if slope > 0 else np.copysign(np.inf, excess)
        mu += min(max(float(step), -0.1 * mu), 0.1 * mu)
    return mu
