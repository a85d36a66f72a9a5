"""Decimation: pick by belief, let the others know, believe again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.errors import OptionError
from maxcover.kernels.propagate import DAMPING, Propagation
from maxcover.machine import available_cores
from maxcover.solvers.annealing import fits_beside
from maxcover.solvers.beliefs import prior_field
from maxcover.solvers.bp import affords_begin, first_fit, natural, rank, take
from maxcover.solvers.control import Draft
from maxcover.solvers.greedy import complete

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.kernels.propagate import Propagated
    from maxcover.solvers.control import Control

# Up to this many sets are picked one at a time unless asked otherwise; above, in this many batches.
ONE_AT_A_TIME = 1000
BATCHES = 32
# Of `believed`.
ROUNDS = 6
SWEEPS = 20
# Of a sweep, per edge, generously: with a deadline, what would not be through is not begun.
_SWEEP_SECONDS = 4e-8


def decimation(
    problem: CoverageProblem,
    control: Control,
    *,
    beta: float | None = None,
    mu: float | None = None,
    coverage: str = "hard",
    batches: int | None = None,
    max_sweeps: int = 150,
    tol: float = 1e-3,
    damping: float = DAMPING,
    threads: int | None = 1,
) -> Draft:
    """Pick the set of the largest h_i / c_i that fits, fix it, believe again, and so on.

    Each round goes on from the messages of the last. For mu to infinity with hard coverage this is
    g-greedy. ``batches=0`` picks one set at a time; otherwise each of so many rounds fills its
    share of the budget, which keeps a million sets practical. By default up to 1,000 sets are
    picked one at a time, more in 32 batches. No guarantee; linear in edges times sweeps times
    rounds.
    """
    if not affords_begin(problem, control):
        return Draft(first_fit(problem), control.why_stopped)
    beta, mu = natural(problem, beta, mu, control)
    if batches is None:
        batches = 0 if problem.n_sets <= ONE_AT_A_TIME else BATCHES
    cores = threads or available_cores()
    state = Decimation(problem, beta=beta, hard=coverage == "hard", damping=damping, threads=cores)
    stopped = "nothing that fits adds anything"
    rounds = 0
    while state.open.any():
        if control.expired():
            stopped = control.why_stopped
            break
        state.believe(mu, max_sweeps=max_sweeps, tol=tol, control=control)
        share = 1 if batches == 0 else state.room // max(1, batches - rounds)
        if not state.pick(share=max(1, share)).size:
            break
        rounds += 1
    info = {
        "rounds": rounds,
        "sweeps": state.sweeps,
        "order": state.selected[problem.required.size :],
    }
    return Draft(state.selected, stopped, info=info)


class Decimation:
    """A selection that grows while beliefs about the rest are kept up to date."""

    def __init__(
        self,
        problem: CoverageProblem,
        *,
        beta: float,
        hard: bool,
        damping: float = DAMPING,
        threads: int = 1,
    ) -> None:
        self.problem, self.beta = problem, beta
        self.damping, self.threads = damping, threads
        gains = beta * problem.weights
        self.propagation = Propagation(problem.indptr, problem.indices, gains, hard=hard)
        self.selected = problem.required.copy()
        self.open = problem.choosable.copy()
        self.beliefs: Propagated | None = None
        self.messages: NDArray[np.float64] | None = None
        self.sweeps = 0
        self._close_what_does_not_fit()

    @property
    def room(self) -> int:
        """Ticks that are left of the budget."""
        ticks = self.problem.ticks
        return ticks.limit - int(ticks.ticks[self.selected].sum())

    @property
    def expected_ticks(self) -> float:
        """What the beliefs expect the open sets to cost, in ticks."""
        if self.beliefs is None:
            return 0.0
        return float(self.beliefs.chosen[self.open] @ self.problem.ticks.ticks[self.open])

    def believe(
        self, mu: float, *, max_sweeps: int, tol: float, control: Control | None = None
    ) -> None:
        """Run belief propagation at a price, from the last messages on, while there is time."""
        field = prior_field(self.problem, self.beta, mu)
        field[~self.open] = -np.inf
        field[self.selected] = np.inf
        self.beliefs = self.propagation.at(
            field,
            damping=self.damping,
            max_sweeps=max_sweeps,
            tol=tol,
            r=self.messages,
            elements=False,
            threads=self.threads,
            watch=None if control is None else lambda _: control.expired(),
        )
        self.messages = self.beliefs.r
        self.sweeps += self.beliefs.sweeps

    def pick(self, *, share: int, least_belief: float = 0.0) -> NDArray[np.int64]:
        """Take the best open sets that fit until `share` ticks more are used.

        What no longer fits is closed. Sets believed in by no more than `least_belief`, or supported
        by nothing, are not taken.
        """
        if self.beliefs is None or self.messages is None:
            raise OptionError("expected believe() before pick()")
        support = self.beliefs.support
        able = np.flatnonzero(self.open & (support > 0) & (self.beliefs.chosen >= least_belief))
        used = self.problem.ticks.limit - self.room
        picks = take(
            self.problem, rank(self.problem, support, able), self.selected, quota=used + share
        )
        self.selected = np.concatenate((self.selected, picks))
        self.open[picks] = False
        # Covered for certain, an element has nothing more to say. Damping would take sweeps to
        # forget what it said, and where odds underflow the run ends after the first one.
        self.messages[self.problem.covered(picks)[self.problem.indices]] = 1.0
        self._close_what_does_not_fit()
        return picks

    def _close_what_does_not_fit(self) -> None:
        self.open &= self.problem.ticks.ticks <= self.room
        if not self.problem.is_plain:
            self.open &= fits_beside(self.problem, self.selected)


def affords_beliefs(problem: CoverageProblem, control: Control) -> bool:
    """Whether there is time for another round."""
    return control.affords(3 * SWEEPS * problem.n_edges * _SWEEP_SECONDS)


def believed(
    problem: CoverageProblem, control: Control, *, price: float, beta: float, threads: int
) -> NDArray[np.int64]:
    """Decimate at the price where the expected cost of the beliefs meets the budget; fill it up.

    That of the linear relaxation is where it begins. It is how `auto` uses belief propagation.
    """
    state = Decimation(problem, beta=beta, hard=True, threads=threads)
    for k in range(ROUNDS):
        stop = control.expired() or not affords_beliefs(problem, control)
        if stop or not state.open.any():
            break
        price = _meet_budget(state, price, tries=4 if k == 0 else 1)
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
