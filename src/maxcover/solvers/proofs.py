"""Proofs: the best selection and bound so far, and proofs that the selection is optimal.

The proofs are by reduced costs, by branch and bound, by HiGHS, or by enumeration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.core import bounds
from maxcover.core.ascending import union
from maxcover.core.bounds import Bound, Claim, Priced
from maxcover.core.relaxation import below_next
from maxcover.core.solution import status_of
from maxcover.kernels.arrays import BudgetTicks, CompressedRows
from maxcover.kernels.branch import branch
from maxcover.solvers.control import Draft, check_plain
from maxcover.solvers.effort import EFFORTS
from maxcover.solvers.engine import SPARE, Engine
from maxcover.solvers.exhaustive import exhaustive
from maxcover.solvers.folding import folded
from maxcover.solvers.highs import relaxed
from maxcover.solvers.program import Piece, Program
from maxcover.solvers.seconds import HIGHS_PATIENCE, PER_EDGE, PER_NODE

if TYPE_CHECKING:
    from maxcover.array_types import Int64s, Mask
    from maxcover.core.bounds import Dual, Reduced
    from maxcover.core.problem import CoverageProblem
    from maxcover.core.relaxation import Relaxation
    from maxcover.core.solution import Status
    from maxcover.solvers.control import Control
    from maxcover.solvers.descent import Descent
    from maxcover.solvers.folding import Folded


@dataclass(frozen=True, kw_only=True)
class ProofNumbers:
    """Tuned constants of the proofs, chosen on the problems of docs/lab/auto.md.

    Attributes
    ----------
    least_searched : float
        Retry branch and bound with four times the nodes only if the last try explored at least this
        fraction of the tree. (90 % of the retries that finish had; 50 % of those that do not.)
    most_cases : int
        Enumerate the open selections only if at most this many sets can be chosen.
    cover_work : int
        Most open sets that `branch_for` examines in all: about ten milliseconds.
    """

    least_searched: float = 1e-4
    most_cases: int = 500
    cover_work: int = 500_000


_NUMBERS = ProofNumbers()


class Attempt(NamedTuple):
    """A try of branch and bound: value and bound before it, its work limit, fraction searched."""

    value: float = -1.0
    bound: float = np.inf
    work: int = 0
    searched: float = 0.0

    def is_vain_after(self, last: Attempt) -> bool:
        """Whether this try would fail like `last`: same value and bound, too little more work."""
        same = (self.value, self.bound) == (last.value, last.bound)
        return same and (self.work <= last.work or last.searched < _NUMBERS.least_searched)


class Proofs(Engine):
    """The best selection and the lowest upper bound so far, and the steps that prove them."""

    def __init__(self, folded: Folded, control: Control) -> None:
        problem = folded.problem
        self.folded, self.problem, self.control = folded, problem, control
        self.effort = EFFORTS[control.effort]
        self.left = bounds.reduced(problem)
        self.selected = problem.required
        self.value = -1.0
        self.found_at = 0.0
        self.bound = np.inf
        self.known: Bound | None = None
        self.priced: Priced | None = None
        self.claim: Claim | None = None
        self.relaxation: Relaxation | Descent | None = None
        self.attempt = Attempt()
        self.pieces: list[Piece] = []

    @property
    def has_any(self) -> bool:
        """Whether a selection that keeps every limit was found."""
        return self.value >= 0

    def status(self) -> Status:
        """Return what the upper bound proves of the value."""
        return status_of(self.problem, self.value, self.bound, self.control.target_gap)

    @property
    def chosen(self) -> Int64s:
        """The best selection, in the numbers of the problem before folding."""
        return self.folded.outside(self.selected)

    def result(self) -> Draft:
        """Return the best selection with its bounds, evaluated on the problem before folding."""
        return Draft(self.chosen, self.stopped, known=self.known_of_original(), claim=self.claim)

    def offer(self, part: str, selected: Int64s) -> float:
        """Keep a selection if it is better than the best so far; return its value."""
        value = self.problem.value(selected)
        if value > self.value:
            self.value, self.selected, self.found_at = value, selected, self.control.elapsed
            self.control.report(part, value, self.bound)
        return value

    def lower(self, part: str, bound: float) -> None:
        """Keep a bound if it is lower than the best so far."""
        bound = max(bounds.round_down(self.problem, bound), self.value)
        if bound < self.bound:
            self.bound = bound
            self.control.report(part, self.value, bound)

    def prove(self, by: str, bound: float) -> None:
        """Record an upper bound that a search proved: branch and bound, HiGHS or enumeration."""
        bound = max(bound, self.value)
        if self.claim is None or bound < self.claim.value:
            self.claim = Claim(bound, by)
        self.lower(by, bound)

    def price(self, dual: Dual) -> None:
        """Evaluate a dual point, and keep its bound if that is lower than the best so far."""
        priced = bounds.priced(self.problem, self.left, dual)
        bound = bounds.priced_bound(self.left, priced)
        if self.known is None or bound < self.known.value:
            self.known, self.priced = Bound(bound, "dual point", dual), priced
            self.lower("dual bound", bound)

    def settled(self, at: Priced, value: float) -> tuple[Mask, Mask]:
        """Return masks of the sets in all, and in none, of the selections worth `value`."""
        slack = (self.problem.weight_unit or 0.0) + 1e-9 * value
        return bounds.fixable(self.problem, self.left, at, value - slack)

    def look_at_all(self) -> bool:
        """Enumerate all selections that may beat the best, if few; return whether that was done."""
        at = self.priced and self.priced._replace(bound=self.priced.bound + self.left.base)
        better = exhaustive(self.problem, at, below_next(self.problem, self.value))
        if better is None:
            return False
        if better.size:
            self.offer("cases", better)
        self.prove("branch and bound", self.value)
        return True

    def decided(self) -> tuple[Int64s, Int64s] | None:
        """Return the sets that every better selection has, and the sets that are undecided.

        None if there is no better selection: then the best so far is proven optimal.
        """
        if self.priced is None:
            return self.problem.required, np.flatnonzero(self.problem.choosable)
        always, never = bounds.fixable(self.problem, self.left, self.priced, self.value)
        fixed = union(self.problem.required, np.flatnonzero(always))
        if (always & never).any() or self.problem.excess(fixed):
            self.prove("reduced costs", self.value)
            return None
        return fixed, np.flatnonzero(~(always | never))

    def known_of_original(self) -> Bound | None:
        """Return the best dual bound, evaluated on the problem before folding."""
        original = self.folded.original
        if self.known is None or self.known.dual is None or self.folded.problem is original:
            return self.known
        dual = self.folded.unfold(self.known.dual)
        value = bounds.dual_bound(original, bounds.reduced(original), dual)
        return Bound(value, self.known.by, dual)

    def branch(self, work: int | None = None) -> None:
        """Branch and bound over the undecided sets, examining at most `work` open sets."""
        problem, relaxation = self.problem, self.relaxation
        work = self.effort.proofs[2] if work is None else work
        attempt = Attempt(self.value, self.bound, work)
        if not problem.is_plain or self.control.checkable or attempt.is_vain_after(self.attempt):
            return  # it cannot run, gives no checkable proof, or would fail again
        self.attempt = attempt
        split = self.decided()
        if split is None or relaxation is None:
            return
        fixed, rest = split
        nodes = nodes_for(work, rest.size, self.control)
        if not nodes:
            return
        # If weights have a unit, the step is that unit and `undecided` is not needed.
        undecided = 0.0 if problem.weight_unit else bounds.undecided(problem, self.value)
        step = least_step(problem, self.left, undecided)
        found = settle(
            problem,
            self.left,
            relaxation.dual,
            fixed=fixed,
            rest=rest,
            above=self.value,
            step=step,
            nodes=nodes,
        )
        self.attempt = attempt._replace(searched=found.searched)
        if found.selected is not None:
            self.offer("branch and bound", found.selected)
        if found.finished:
            # If weights have a unit, any better value would have been found. Otherwise a value up
            # to `step` higher may have been missed.
            more = 0.0 if problem.weight_unit else step
            self.prove("branch and bound", found.value + more)

    def settle(self) -> str:
        """Enumerate the selections that the LP bound leaves open, if few; return "" if not done."""
        few = np.count_nonzero(self.problem.choosable) <= _NUMBERS.most_cases
        if not few or self.control.checkable or not self.has_any:
            return ""
        # The argument `value` keeps weight that is covered in any case out of the objective. Beside
        # a huge weight HiGHS would not see small ones.
        found = relaxed(
            Program(self.problem, value=self.value),
            self.control.expired,
            min(self.control.remaining, HIGHS_PATIENCE),
        )
        if found is not None:
            self.price(found[0])
        return "all cases were looked at" if self.look_at_all() else ""

    def hand_over(
        self,
        among: list[Int64s] | None = None,
        *,
        most_edges: float = SPARE.highs_edges,
        seconds: float | None = None,
        nodes: int | None = None,
    ) -> str:
        """Run HiGHS on the undecided sets, by default for a multiple of the time spent so far.

        With `among`, only the sets of these selections are open, which is quick but proves nothing.
        Returns why HiGHS stopped, or "" if it did not run: no time, too many edges, or nothing left
        to decide.
        """
        fixed, rest = self.decided() or (self.selected, self.selected[:0])
        if among is not None:
            rest = rest[np.isin(rest, np.concatenate(among))]
        if not rest.size:
            return ""
        open_edges = int(np.diff(self.problem.indptr)[rest].sum())
        if open_edges > most_edges or not self.control.affords(open_edges * PER_EDGE.build):
            return ""
        out = np.ones(self.problem.n_sets, dtype=bool)
        out[fixed] = out[rest] = out[self.selected] = False
        smaller = self.problem.with_choice(fixed, np.flatnonzero(out))
        program = Program(folded(smaller), value=max(self.value, 0.0))
        program.pieces = [*self.pieces]
        if program.is_idle:
            return ""
        if nodes is not None and program.is_wide:
            return "weights span more than HiGHS can be trusted with"
        if seconds is None:
            share = SPARE.highs_share if among is None else SPARE.elite_share
            seconds = share * self.control.elapsed
        reason = self.ask_highs(program, seconds, nodes=nodes, proves=among is None)
        if self.claim is None and program.is_wide and among is None:
            self.look_at_all()
        return reason


class Settled(NamedTuple):
    """The result of a branch and bound.

    Attributes
    ----------
    selected : ndarray or None
        The best selection found, fixed sets included; None if none was found.
    value : float
        The value of `selected`; without one, the value that had to be exceeded.
    searched : float
        Fraction of the tree that was searched.
    finished : bool
        Whether the whole tree was searched.
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
    """Search for a selection of `fixed` and some of `rest` worth at least `above + step`.

    Values with a unit are counted in units. The weight that required sets cover is left out of the
    search: beside a huge certain weight small ones would be lost in rounding.
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
    if found is not None and problem.violation(found):  # ticks were too coarse for a limit
        return Settled(None, np.inf, searched, finished=False)
    return Settled(found, base + value * scale, searched, bool(finished))


def nodes_for(work: int, n_open: int, control: Control) -> int:
    """Return how many nodes `work` and the time left allow; 0 if too few to reach a leaf."""
    nodes = int(work / max(n_open, 8))
    if not control.affords(nodes * n_open * PER_NODE):
        nodes = int(max(control.remaining, 0.0) / (n_open * PER_NODE))
    return nodes if nodes >= 4 * n_open else 0


def least_step(problem: CoverageProblem, left: Reduced, undecided: float = 0.0) -> float:
    """Return the smallest improvement that branch and bound looks for, above rounding errors."""
    rounding = 1e-13 * float(left.weights.sum())
    if problem.weight_unit:
        return problem.weight_unit - max(1e-9 * problem.weight_unit, rounding)
    return max(0.5 * bounds.TOLERANCE * undecided, rounding)


def branch_for(
    problem: CoverageProblem, dual: Dual, value: float, control: Control
) -> tuple[Int64s | None, bool]:
    """Look for a selection worth at least `value` by a short branch and bound.

    Returns the selection, or None, and whether it is proven that there is none.
    """
    left, unit = bounds.reduced(problem), problem.weight_unit
    at = bounds.priced(problem, left, dual)
    always, never = bounds.fixable(problem, left, at, value - (unit or 0.0))
    fixed = union(problem.required, np.flatnonzero(always))
    if (always & never).any() or problem.excess(fixed):
        return None, True
    if problem.value(fixed) >= value * (1 - 1e-12):
        return fixed, False
    rest, step = np.flatnonzero(~(always | never)), least_step(problem, left)
    nodes = nodes_for(_NUMBERS.cover_work, rest.size, control)
    if not nodes:
        return None, False
    below = (np.rint(value / unit) - 1) * unit if unit else value - 2 * step
    found = settle(problem, left, dual, fixed=fixed, rest=rest, above=below, step=step, nodes=nodes)
    return found.selected, found.selected is None and found.finished
