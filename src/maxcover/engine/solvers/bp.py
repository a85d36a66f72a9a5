"""BP: methods by belief propagation: sets ranked by local field per cost, once or repeatedly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from maxcover.engine.kernels.arrays import CompressedRows
from maxcover.engine.kernels.propagate import DAMPING, Propagation
from maxcover.engine.solvers.beliefs import match_price, prior_field, relaxed_price
from maxcover.engine.solvers.control import Draft
from maxcover.engine.solvers.greedy import complete
from maxcover.engine.solvers.row_filling import first_fit, fits_beside, take
from maxcover.engine.solvers.seconds import PER_EDGE
from maxcover.errors import OptionError
from maxcover.ground.machine import available_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.kernels.propagate import Propagated
    from maxcover.engine.solvers.beliefs import CoverageName, ScheduleName
    from maxcover.engine.solvers.control import Control
    from maxcover.engine.solvers.numbers import BeliefNumbers

#: First messages, as in `beliefs`; "auto" is "offers" or, where that makes all sets look alike,
#: "random" with serial sweeps.
FirstName = Literal["auto", "offers", "random"]


# `believed` yields early selections after these rounds, counted from 0, and picks no set with a
# smaller marginal than this.
EARLY, LEAST_BELIEF = (2, 3), 0.5
# Fields per cost that differ by no more than this fraction count as equal.
_TIE = 1e-9


def bp(
    problem: CoverageProblem,
    control: Control,
    *,
    beta: float | None = None,
    mu: float | None = None,
    coverage: CoverageName = "soft",
    max_sweeps: int = 150,
    tol: float = 1e-6,
    damping: float = DAMPING,
    schedule: ScheduleName = "parallel",
    init: FirstName = "auto",
    threads: int | None = 1,
) -> Draft:
    """Run belief propagation, then take the sets by falling h_i / c_i while they fit.

    Without `mu`, nine prices are tried, first on the way to the one at which the expected cost of
    the beliefs meets the budget, then around the best, and the best selection is kept;
    `Solution.info` lists them as ``tried``: price, expected cost, value. No guarantee; near-optimal
    where the price is right. For mu to infinity it is the static ranking by weight per cost. Linear
    in edges times sweeps.
    """
    begun = natural(problem, beta, mu, control)
    if begun is None:
        return Draft(first_fit(problem), control.why_stopped)
    beta, first = begun
    is_over = control.leaving(problem.n_edges * PER_EDGE.take)
    state = Decimation(
        problem,
        beta=beta,
        hard=coverage == "hard",
        damping=damping,
        threads=threads or available_cores(),
        schedule=schedule,
        init=init,
        seed=control.seed,
    )
    numbers = control.numbers.beliefs
    tried: list[tuple[float, NDArray[np.int64], dict[str, Any]]] = []

    def cost_at(price: float) -> float:
        state.propagation.begin()  # kept messages would lead to other, worse fixed points
        if state.init == "random":
            state.propagation.shake(control.seed)
        found = state.believe(price, max_sweeps=max_sweeps, tol=tol, expired=is_over)
        cost = float(problem.costs @ np.where(problem.is_required, 1.0, found.chosen))
        selected = np.concatenate((problem.required, state.ranked()))
        tried.append((problem.value(selected), selected, _told(found, cost, price, state)))
        return cost

    if mu is not None:
        cost_at(mu)
    elif cost_at(0.0) > problem.budget:
        match_price(cost_at, problem, first, runs=numbers.search, near=numbers.near, stop=is_over)
        _try_around(cost_at, tried, numbers, stop=is_over)
    _, selected, info = max(tried, key=lambda one: one[0])
    info["tried"] = [(told["mu"], told["expected_cost"], value) for value, _, told in tried]
    # Sets whose support rounds to 0 are left; the one that adds most per cost is taken first.
    selected = np.concatenate((selected, complete(problem, selected, expired=is_over)))
    return Draft(selected, _ending(info, control, is_over(), damping), info=info)


def _try_around(
    cost_at: Callable[[float], float],
    tried: Sequence[Any],
    numbers: BeliefNumbers,
    stop: Callable[[], bool],
) -> None:
    """Call `cost_at`, which adds to `tried`, with prices around the best of those tried."""
    value, _, best = max((one for one in tried if one[2]["mu"] > 0), key=lambda one: one[0])
    values = {0: value}  # by the number of steps from the best price
    while len(tried) < numbers.prices and not stop():
        at = max(values, key=lambda place: values[place])
        place = next(at + k for k in (1, -1, 2, -2, 3, -3, 4, -4) if at + k not in values)
        cost_at(best["mu"] * numbers.step**place)
        values[place] = tried[-1][0]


def _told(found: Propagated, cost: float, mu: float, state: Decimation) -> dict[str, Any]:
    """Return what a solution says of the beliefs that it was ranked by."""
    return {
        "init": state.init,
        "schedule": state.schedule,
        "sweeps": found.sweeps,
        "converged": found.converged,
        "oscillating": found.oscillating,
        "residual": float(found.residuals[-1]) if found.sweeps else 0.0,
        "expected_cost": cost,
        "mu": mu,
    }


def _ending(info: dict[str, Any], control: Control, is_over: bool, damping: float) -> str:
    """Say how the beliefs ended that gave the selection."""
    if info["converged"]:
        return "beliefs converged"
    if is_over:
        return control.why_stopped
    sweeps = f"{info['sweeps']} sweeps"
    if not info["oscillating"]:
        return f"beliefs had not converged after {sweeps}"
    advice = f"; damping={DAMPING} ends most such cycles" if damping == 0 else ""
    return f"beliefs repeat every second sweep after {sweeps}{advice}"


def natural(
    problem: CoverageProblem, beta: float | None, mu: float | None, control: Control
) -> tuple[float, float] | None:
    """Return `beta` and `mu`; None is replaced by a default from the scale of the problem.

    By default the temperature is an eighth of the mean weight, and the price of the budget that of
    the linear relaxation. None if there is no time to begin belief propagation.
    """
    expired = control.leaving(problem.n_edges * PER_EDGE.search)
    if beta is None:
        scale = control.numbers.beliefs.beta
        beta = scale / (float(problem.weights.mean()) or 1.0) if problem.n_elements else 1.0
    if mu is None and not expired():
        mu = relaxed_price(problem, expired)
    return None if mu is None or control.expired() else (beta, mu)


def rank(
    problem: CoverageProblem, support: NDArray[np.float64], sets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Order sets by falling h_i / c_i, which is support_i / c_i - mu.

    Free sets come first; ties go to the lowest index.
    """
    costs, worth = problem.costs[sets], support[sets]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        score = np.where(costs > 0, worth / costs, np.where(worth > 0, np.inf, 0.0))
    return sets[np.argsort(-score, kind="stable")]


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
    schedule: ScheduleName = "parallel",
    init: FirstName = "auto",
    threads: int | None = 1,
) -> Draft:
    """Repeat: run belief propagation, and take the sets of largest h_i / c_i that fit.

    Each round goes on from the messages of the last. For mu to infinity with hard coverage this is
    g-greedy. ``batches=0`` picks one set at a time; otherwise each of this many rounds fills an
    equal share of the budget, which keeps a million sets practical. By default up to 1,000 sets are
    picked one at a time, more in 32 batches. No guarantee; linear in edges times sweeps times
    rounds.
    """
    begun = natural(problem, beta, mu, control)
    if begun is None:
        return Draft(first_fit(problem), control.why_stopped)
    beta, mu = begun
    if batches is None:
        numbers = control.numbers.beliefs
        batches = 0 if problem.n_sets <= numbers.one_at_a_time else numbers.batches
    state = Decimation(
        problem,
        beta=beta,
        hard=coverage == "hard",
        damping=damping,
        threads=threads or available_cores(),
        schedule=schedule,
        init=init,
        seed=control.seed,
    )
    stopped = "nothing that fits adds anything"
    rounds = 0
    # Reserve time for two selections: at the deadline the last beliefs fill the rest of the budget.
    is_over = control.leaving(2 * problem.n_edges * PER_EDGE.take)
    while state.open.any():
        if is_over():
            stopped = control.why_stopped
            if state.beliefs is not None:
                state.selected = np.concatenate((state.selected, state.ranked()))
            break
        state.believe(mu, max_sweeps=max_sweeps, tol=tol, expired=is_over)
        share = 1 if batches == 0 else state.room // max(1, batches - rounds)
        if not state.pick(share=max(1, share)).size:
            break
        rounds += 1
    info = {
        "rounds": rounds,
        "sweeps": state.sweeps,
        "init": state.init,
        "schedule": state.schedule,
        "order": state.selected[problem.required.size :],
    }
    return Draft(state.selected, stopped, info=info)


class Decimation:
    """A growing selection, with belief propagation on the sets that are still open."""

    def __init__(
        self,
        problem: CoverageProblem,
        *,
        beta: float,
        hard: bool,
        damping: float = DAMPING,
        threads: int = 1,
        schedule: ScheduleName = "parallel",
        init: FirstName = "offers",
        seed: int = 0,
    ) -> None:
        self.problem, self.beta = problem, beta
        self.damping, self.threads, self.schedule = damping, threads, schedule
        self.init, self.seed = init, seed
        columns, gains = CompressedRows(*problem.transpose), beta * problem.weights
        self.propagation = Propagation(columns, problem.n_sets, gains, hard=hard)
        if init == "random":
            self.propagation.shake(seed)
        self.selected = problem.required.copy()
        self.open = problem.choosable.copy()
        self.beliefs: Propagated | None = None
        self.sweeps = 0
        self._close_what_does_not_fit(problem.required)

    @property
    def room(self) -> int:
        """Ticks that are left of the budget."""
        ticks = self.problem.ticks
        return ticks.limit - int(ticks.ticks[self.selected].sum())

    @property
    def excess_price(self) -> float:
        """Newton step of the price towards the one at which the expected cost meets the budget."""
        if self.beliefs is None:
            return 0.0
        chosen, ticks = self.beliefs.chosen[self.open], self.problem.ticks.ticks[self.open]
        # Avoid matrix products: threads of BLAS would compete with ours and add in another order.
        wanted = chosen * ticks
        excess = float(wanted.sum()) - self.room
        slope = self.beta * float((wanted * (1 - chosen) * self.problem.costs[self.open]).sum())
        return excess / slope if slope > 0 else math.copysign(math.inf, excess)

    def believe(
        self,
        mu: float,
        *,
        max_sweeps: int,
        tol: float,
        expired: Callable[[], bool] = lambda: False,
    ) -> Propagated:
        """Run belief propagation at the price `mu`, beginning from the last messages."""
        found = self.propagation.at(
            np.where(self.open, prior_field(self.problem, self.beta, mu), -np.inf),
            damping=self.damping,
            max_sweeps=max_sweeps,
            tol=tol,
            threads=self.threads,
            schedule=self.schedule,
            watch=lambda _: expired(),
        )
        self.beliefs = found
        self.sweeps += found.sweeps
        if self.init == "auto":
            self.init = "random" if self._all_tie(found.support) else "offers"
            if self.init == "random":
                # Sent all at once, messages that are alike would keep rising and falling together.
                self.schedule = "serial"
                self.propagation.shake(self.seed)
                return self.believe(mu, max_sweeps=max_sweeps, tol=tol, expired=expired)
        return found

    def _all_tie(self, support: NDArray[np.float64]) -> bool:
        """Whether several sets are open and all have the same field per cost."""
        costs = self.problem.costs[self.open]
        with np.errstate(divide="ignore", invalid="ignore"):
            score = support[self.open] / costs
        if score.size < 2 or not np.isfinite(score).all():  # sets without a cost need no order
            return False
        return bool(np.ptp(score) <= _TIE * score.max())

    def cool(self, beta: float) -> None:
        """Set the inverse temperature to `beta`; the messages stay."""
        self.beta = beta
        self.propagation.weigh(beta * self.problem.weights)

    def ranked(self, quota: int | None = None, least_belief: float = 0.0) -> NDArray[np.int64]:
        """Return the best open sets that fit, until `quota` ticks are used; see `pick`."""
        if self.beliefs is None:
            raise OptionError("expected believe() before pick()")
        support = self.beliefs.support
        able = np.flatnonzero(self.open & (support > 0) & (self.beliefs.chosen >= least_belief))
        return take(self.problem, rank(self.problem, support, able), self.selected, quota=quota)

    def pick(self, *, share: int, least_belief: float = 0.0) -> NDArray[np.int64]:
        """Take the best open sets that fit until `share` ticks more are used.

        Sets that no longer fit are closed. Sets whose marginal is below `least_belief`, or whose
        support is not above 0, are not taken.
        """
        picks = self.ranked(self.problem.ticks.limit - self.room + share, least_belief)
        self.selected = np.concatenate((self.selected, picks))
        self.open[picks] = False
        self._close_what_does_not_fit(picks)
        return picks

    def _close_what_does_not_fit(self, picks: NDArray[np.int64]) -> None:
        """Close sets that no longer fit, and remove covered elements from belief propagation."""
        self.open &= self.problem.ticks.ticks <= self.room
        if not self.problem.is_plain:
            self.open &= fits_beside(self.problem, self.selected)
        if picks.size or not self.open.all():
            self.propagation.shrink(self.problem.covered(picks), self.open)


def affords_beliefs(problem: CoverageProblem, control: Control) -> bool:
    """Whether there is time for another round, and edges can be numbered in 32 bits."""
    return problem.n_edges < 2**31 and control.affords(
        3 * control.numbers.beliefs.sweeps * problem.n_edges * PER_EDGE.sweep
    )


def believed(
    problem: CoverageProblem,
    control: Control,
    *,
    price: float,
    beta: float,
    threads: int,
    is_small: bool,
) -> Iterator[NDArray[np.int64]]:
    """Yield selections by decimation, with the price adjusted so that expected cost meets budget.

    `auto` uses belief propagation in this form. The price begins at that of the linear relaxation,
    and the temperature falls from round to round. If the problem is not small, early selections are
    yielded after some rounds: 0.999 of the last on most graphs.
    """
    numbers = control.numbers.beliefs
    rounds = numbers.few_rounds if is_small else numbers.rounds
    state = Decimation(problem, beta=beta, hard=True, damping=numbers.damping, threads=threads)
    for k in range(rounds):
        stop = control.expired() or not affords_beliefs(problem, control)
        if stop or not state.open.any():
            break
        state.cool(beta * (1 + (numbers.cooling - 1) * k / (rounds - 1)))
        state.believe(price, max_sweeps=numbers.sweeps, tol=numbers.tolerance)
        correction = state.excess_price / price if price > 0 else 0.0
        price *= 1 + min(max(correction, -numbers.most_correction), numbers.most_correction)
        share = max(1, state.room // (rounds - k))
        if not state.pick(share=share, least_belief=LEAST_BELIEF).size:
            break
        if k in EARLY and not is_small:
            yield _completed(problem, np.concatenate((state.selected, state.ranked())))
    yield _completed(problem, state.selected)


def _completed(problem: CoverageProblem, start: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate((start, complete(problem, start)))
