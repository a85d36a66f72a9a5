"""`auto`: greedy, dual bound, exchange search, belief propagation, proof, in the order that pays.

Nothing is tuned to an instance. The price of the budget comes from the linear relaxation and is
corrected until the expected cost of the beliefs meets the budget; the temperature is a fixed
fraction of the mean weight.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maxcover import bounds
from maxcover.bounds import Claim
from maxcover.kernels.branch import branch
from maxcover.relax import Relaxation
from maxcover.solution import OPTIMAL_GAP, relative_gap
from maxcover.solvers.bp import BETA
from maxcover.solvers.control import INTERRUPTED, Control, Draft
from maxcover.solvers.decimation import Decimation
from maxcover.solvers.exact import exact
from maxcover.solvers.exchange import Exchange
from maxcover.solvers.greedy import complete, guarded_greedy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from maxcover.problem import CoverageProblem

ROUNDS = 6
SWEEPS = 20
# Up to this many sets, searching from both hills pays.
_SMALL = 2000
# Open sets that a branch and bound of ours looks at in all, about ten milliseconds.
_BRANCH_WORK = 500_000
# Seconds that a pass of belief propagation takes for one edge, and a node of a branch and bound for
# one open set, generously: with a deadline, what would not be through by then is not begun.
_EDGE_SECONDS = 4e-8
_NODE_SECONDS = 2e-8


def auto(problem: CoverageProblem, control: Control, *, threads: int | None = None) -> Draft:
    """Find a selection that nothing cheap improves, and prove how good it is.

    Never worse than guarded-greedy. Linear in the edges times a constant number of passes. Stops
    when the bound meets the value, when the target gap is reached, at the deadline, or when its
    schedule is through; with a deadline or a target gap, HiGHS has what time is left.
    """
    run = _Auto(problem, control, threads or os.cpu_count() or 1)
    try:
        for _ in run.schedule():
            if run.is_done():
                break
    except KeyboardInterrupt:
        run.stopped = INTERRUPTED
    dual = None if run.relaxation is None else run.relaxation.dual
    return Draft(run.selected, run.stopped, dual=dual, claim=run.claim)


class _Auto:
    """The best selection and bound so far, and the parts that improve them."""

    def __init__(self, problem: CoverageProblem, control: Control, threads: int) -> None:
        self.problem, self.control, self.threads = problem, control, threads
        self.left = bounds.reduced(problem)
        self.selected = problem.required
        self.value = -1.0
        self.bound = np.inf
        self.relaxation: Relaxation | None = None
        self.searches = 0
        self.branched = (-1.0, np.inf)
        self.claim: Claim | None = None
        self.stopped = "the schedule is through"
        self.is_small = problem.n_sets <= _SMALL

    def schedule(self) -> Iterator[None]:
        """Run one part after the other; the caller decides after each whether to go on."""
        self.offer("greedy", guarded_greedy(self.problem, self.control).selected)
        yield
        self.relax(steps=100)
        yield
        self.search(self.selected, effort=0.1 if self.is_small else 0.25)
        yield
        self.relax(steps=200)
        yield
        self.branch()
        yield
        # two different hills: what greedy and exchange found, and what belief propagation finds
        found = self.selected
        believed = self.believe()
        peak = self.search(believed, effort=0.5 if self.is_small else 1.0)
        yield
        if self.is_small:
            other = self.search(found, effort=0.5)
            yield
            if abs(peak - other) > 1e-9 * peak:  # where two climbs end apart, there is more to find
                self.search(self.selected, effort=1.5)
                yield
        self.branch()
        yield
        if self.control.time_limit is not None or self.control.target_gap > 0:
            self.relax(steps=500)
            yield
            self.hand_over()
            yield

    def is_done(self) -> bool:
        """Whether there is nothing left to do, or no time to do it; says which."""
        if self.bound <= self.value * (1 + OPTIMAL_GAP):
            self.stopped = "the bound meets the value"
        elif relative_gap(self.value, self.bound) <= self.control.target_gap:
            self.stopped = "the target gap is reached"
        elif self.control.expired:
            asked = self.control.stop_requested
            self.stopped = "stopped by the callback" if asked else "time limit"
        else:
            return False
        return True

    def offer(self, part: str, selected: NDArray[np.int64]) -> float:
        """Keep a selection if it is better than the best so far; return its value."""
        value = float(self.problem.weights[self.problem.covered(selected)].sum())
        if value > self.value * (1 + 1e-12) or self.value < 0:
            self.value, self.selected = value, selected
            self.control.report(part, value, self.bound)
        return value

    def lower(self, part: str, bound: float) -> None:
        """Keep a bound if it is lower than the best so far."""
        bound = max(bounds.round_down(self.problem, bound), self.value)
        if bound < self.bound:
            self.bound = bound
            self.control.report(part, self.value, bound)

    def relax(self, *, steps: int) -> None:
        """Improve the dual point."""
        if self.relaxation is None:
            self.relaxation = Relaxation(self.problem, self.left)
        dual = self.relaxation.improve(
            target=self.value, steps=steps, expired=lambda: self.control.expired
        )
        self.lower("dual bound", bounds.dual_bound(self.problem, self.left, dual))

    def search(self, start: NDArray[np.int64], *, effort: float) -> float:
        """Search around a selection by moving a few sets at a time; return the value found."""
        self.searches += 1
        exchange = Exchange(self.problem, seed=self.control.seed + self.searches)
        found = exchange.improve(start, effort=effort, control=self.control)
        return self.offer("exchange search", found)

    def believe(self) -> NDArray[np.int64]:
        """Decimate at the price where the expected cost of the beliefs meets the budget."""
        problem = self.problem
        mean, unit = float(problem.weights.mean()), problem.ticks.unit
        seconds = 3 * SWEEPS * problem.n_edges * _EDGE_SECONDS
        if mean <= 0 or unit <= 0 or self.relaxation is None or self.control.remaining < seconds:
            return self.selected
        mu = self.relaxation.dual.price / unit
        state = Decimation(problem, beta=BETA / mean, hard=True, threads=self.threads)
        for k in range(ROUNDS):
            if self.control.remaining < seconds or not state.open.any():
                break
            mu = _meet_budget(state, mu, tries=4 if k == 0 else 1)
            share = max(1, state.room // (ROUNDS - k))
            if not state.pick(share=share, least_belief=0.5).size:
                break
        chosen = np.concatenate((state.selected, complete(problem, state.selected)))
        self.offer("belief propagation", chosen)
        return chosen

    def branch(self) -> None:
        """Settle what reduced costs leave open by branch and bound, if that takes few nodes."""
        problem, relaxation = self.problem, self.relaxation
        if self.branched == (self.value, self.bound):  # nothing has changed since it gave up
            return
        self.branched = self.value, self.bound
        split = self.decided()
        if split is None or relaxation is None:
            return
        fixed, rest = split
        nodes = int(_BRANCH_WORK / max(rest.size, 8))
        if self.control.remaining < nodes * rest.size * _NODE_SECONDS:
            nodes = int(max(self.control.remaining, 0.0) / (rest.size * _NODE_SECONDS))
        if nodes < 4 * rest.size:  # the first way down the tree would not reach a leaf
            return
        dual = relaxation.dual
        scale = problem.weight_unit or 1.0
        now = self.value / scale
        total = float(problem.counted_weights.sum())
        step = 1 - 1e-9 if problem.weight_unit else max(1e-9 * now, 1e-13 * total)
        picks, value, _, finished = branch(
            problem.indptr,
            problem.indices,
            *problem.transpose,
            problem.counted_weights,
            np.clip(dual.shares, 0.0, self.left.weights) / scale,
            dual.price / scale,
            problem.ticks.ticks,
            problem.ticks.limit,
            problem.group_of,
            problem.group_counts,
            problem.group_ticks,
            fixed,
            rest,
            now,
            step,
            nodes,
        )
        if picks.size:
            self.offer("branch and bound", np.concatenate((fixed, picks)))
        if finished:
            # whole values: the next one above would have been found
            more = 0.0 if problem.weight_unit else step
            self.prove("branch and bound", max(self.value, (value + more) * scale))

    def decided(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Return the sets that every better selection holds, and those that it may hold.

        None if there is no better selection: then the best so far is proven to be the best.
        """
        if self.relaxation is None:
            return self.problem.required, np.flatnonzero(self.problem.choosable)
        dual = self.relaxation.dual
        always, never = bounds.fixable(self.problem, self.left, dual, self.value)
        fixed = np.union1d(self.problem.required, np.flatnonzero(always))
        if (always & never).any() or self.problem.violation(fixed):
            self.prove("reduced costs", self.value)
            return None
        return fixed, np.flatnonzero(~(always | never))

    def prove(self, by: str, bound: float) -> None:
        """Note an upper bound that was found by cases."""
        self.claim = Claim(bound, by)
        self.lower(by, bound)

    def hand_over(self) -> None:
        """Let HiGHS settle what reduced costs leave open in the time that is left."""
        split = self.decided()
        if split is None:
            return
        fixed, rest = split
        out = np.ones(self.problem.n_sets, dtype=bool)
        out[fixed] = out[rest] = False
        smaller = replace(self.problem, required=fixed, forbidden=np.flatnonzero(out))
        draft = exact(smaller, self.control, start=self.selected)
        self.offer("exact", draft.selected)
        if draft.claim is not None:
            self.prove("HiGHS", max(self.value, draft.claim.value))
        if draft.stopped == INTERRUPTED:
            raise KeyboardInterrupt


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
        mu += float(np.clip(step, -0.1 * mu, 0.1 * mu))
    return mu
