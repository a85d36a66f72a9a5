"""Problems with minima of groups, or elements that need several sets: annealing, LP bound, HiGHS.

Their value is not submodular and even a first selection may be hard to find, so no method but these
takes them, and none has a guarantee. The bound is that of the linear relaxation, evaluated by
`maxcover.core.demand_bounds`, so `verify` can check it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.core import bounds, demands
from maxcover.core.ascending import union
from maxcover.core.bounds import Bound, Claim
from maxcover.core.solution import relative_gap
from maxcover.errors import InfeasibleError
from maxcover.solvers.annealing import Annealing
from maxcover.solvers.control import INTERRUPTED, Control, Draft
from maxcover.solvers.demanding_exact import DemandRun, relaxed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem

    Int64s = NDArray[np.int64]

# Seconds that HiGHS gets for a first selection, and for the linear program.
_PATIENCE = 60.0
# Runs of annealing after the first one: from the best so far, at a lower temperature.
_RUNS, _COOL = 3, 0.3
# The linear program is left out of a problem of more edges.
_MOST_EDGES = 2_000_000


def demanding(
    problem: CoverageProblem, control: Control, *, prove: bool, earlier: Int64s | None = None
) -> Draft:
    """Choose sets that reach every minimum and cover much; `prove` lets HiGHS end the search."""
    run = _Demanding(problem, control)
    try:
        return run.draft(earlier, prove=prove)
    except KeyboardInterrupt:
        if run.selected is None:
            raise
        return run.ended(INTERRUPTED)


class _Demanding:
    def __init__(self, problem: CoverageProblem, control: Control) -> None:
        self.problem, self.control = problem, control
        self.annealing = Annealing(problem)
        self.selected: Int64s | None = None
        self.value = -1.0
        self.known: Bound | None = None
        self.claim: Claim | None = None
        self.runs = 0

    def draft(self, earlier: Int64s | None, *, prove: bool) -> Draft:
        control = self.control
        self.anneal(self.problem.required if earlier is None else earlier)
        if self.selected is None:
            self.first()
        if not control.expired() and self.problem.n_edges <= _MOST_EDGES:
            self.relax()
        for _ in range(_RUNS):
            if reason := self.is_over():
                return self.ended(reason)
            self.anneal(self.selected, cool=_COOL)
        if prove:
            return self.ended(self.is_over() or self.hand_over(np.inf))
        while control.time_limit is not None and not (reason := self.is_over()):
            if not control.checkable and control.remaining > 0.05:
                self.hand_over(min(2 * control.elapsed, control.remaining))
            if not (reason := self.is_over()):
                self.anneal(self.selected, cool=_COOL * (1 + self.runs % 3))
        return self.ended(self.is_over() or "the schedule is through")

    def ended(self, reason: str) -> Draft:
        selected = self.problem.required if self.selected is None else self.selected
        return Draft(selected, reason, known=self.known, claim=self.claim)

    def is_over(self) -> str:
        """Say why the search is over; nothing if it is not."""
        bound = np.inf if self.known is None else self.known.value
        if self.claim is not None:
            bound = min(bound, self.claim.value)
        bound = bounds.round_down(self.problem, bound)
        if bounds.proves(self.problem, self.value, bound):
            return "the bound meets the value"
        if relative_gap(self.value, bound) <= self.control.target_gap:
            return "the target gap is reached"
        return self.control.why_stopped if self.control.expired() else ""

    def anneal(self, start: Int64s | None, *, cool: float = 1.0) -> None:
        begin = self.problem.required if start is None else start
        seed = self.control.seed + self.runs
        self.runs += 1
        found = self.annealing.run(begin, seed=seed, control=self.control, cool=cool)
        if found is not None:
            self.offer("annealing", found)

    def offer(self, part: str, selected: Int64s) -> None:
        value = self.problem.value(selected)
        if value > self.value:
            self.value, self.selected = value, selected
            bound = np.inf if self.known is None else self.known.value
            self.control.report(part, value, bound)

    def first(self) -> None:
        """Find something that reaches every minimum, however long it takes."""
        problem = self.problem
        everything = union(problem.required, np.flatnonzero(problem.choosable))
        if lack := demands.shortfall(problem, everything):
            raise InfeasibleError(
                f"expected minima that can be reached: with all sets that may be chosen, {lack}"
            )
        patient = Control(seed=self.control.seed)
        found = self.annealing.run(self.problem.required, seed=self.control.seed, control=patient)
        if found is None:
            run = DemandRun(self.problem, patient, None)
            reason = run.until_done(_PATIENCE)
            found = run.selection()
            if lack := demands.shortfall(self.problem, found):
                words = "proven" if reason == "Infeasible" else f"after {_PATIENCE:g} s"
                raise InfeasibleError(
                    f"expected minima that can be reached within the limits, found no selection "
                    f"({words}); with the required sets alone, {lack}"
                )
        self.offer("first", found)

    def relax(self) -> None:
        """Bound the value by the linear relaxation."""
        dual = relaxed(self.problem, min(self.control.remaining, _PATIENCE))
        if dual is not None:
            value = bounds.dual_bound(self.problem, bounds.reduced(self.problem), dual)
            self.known = Bound(value, "dual point", dual)
            self.control.report("dual bound", self.value, value)

    def hand_over(self, seconds: float) -> str:
        """Let HiGHS search and prove; return why it stopped."""
        run = DemandRun(self.problem, self.control, self.selected)
        reason = run.until_done(min(seconds, self.control.remaining))
        self.offer("HiGHS", run.selection())
        claim = run.claim()
        if claim is not None and (self.claim is None or claim.value < self.claim.value):
            self.claim = claim._replace(value=max(claim.value, self.value))
        if reason == INTERRUPTED:
            raise KeyboardInterrupt
        return reason
