"""Proofs: the best selection and bound so far, and proofs that the selection is optimal.

The proofs are by reduced costs, by the tree, or by HiGHS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core import bounds
from maxcover.engine.core.ascending import union
from maxcover.engine.core.bounds import Bound, Claim, Priced
from maxcover.engine.core.solution import status_of
from maxcover.engine.solvers.control import INTERRUPTED, Draft
from maxcover.engine.solvers.effort import EFFORTS
from maxcover.engine.solvers.engine import Engine
from maxcover.engine.solvers.folding import folded
from maxcover.engine.solvers.incumbent import Incumbent
from maxcover.engine.solvers.program import Piece, Program
from maxcover.engine.solvers.seconds import PER_EDGE
from maxcover.engine.solvers.tree_search import KEPT, TreeSearch

if TYPE_CHECKING:
    from maxcover.engine.core.bounds import Dual
    from maxcover.engine.core.relaxation import Relaxation
    from maxcover.engine.core.solution import Status
    from maxcover.engine.solvers.control import Control
    from maxcover.engine.solvers.descent import Descent
    from maxcover.engine.solvers.folding import Folded
    from maxcover.ground.array_types import Int64s, Mask


class Proofs(Engine):
    """The best selection and the lowest upper bound so far, and the steps that prove them."""

    def __init__(self, folded: Folded, control: Control) -> None:
        super().__init__(control)
        problem = folded.problem
        self.folded, self.problem = folded, problem
        self.effort = EFFORTS[control.effort]
        self.left = bounds.reduced(problem)
        self.best = Incumbent(control, problem.required, np.inf)
        self.known: Bound | None = None
        self.priced: Priced | None = None
        self.relaxation: Relaxation | Descent | None = None
        self.tree: TreeSearch | None = None
        self.pieces: list[Piece] = []

    @property
    def selected(self) -> Int64s:
        """The best selection."""
        return self.best.selected

    @property
    def value(self) -> float:
        """The best value; -1 before the first selection."""
        return self.best.worth

    @property
    def bound(self) -> float:
        """The lowest upper bound."""
        return self.best.bound

    def status(self) -> Status:
        """Return what the upper bound proves of the value."""
        return status_of(self.problem, self.value, self.bound, self.control.target_gap)

    @property
    def chosen(self) -> Int64s:
        """The best selection, in the numbers of the problem before folding."""
        return self.folded.outside(self.selected)

    def result(self) -> Draft:
        """Return the best selection with its bounds, evaluated on the problem before folding.

        What the dual point alone does not prove gets a tree, if the work of the effort is enough.
        """
        known, original = self.known_of_original(), self.folded.original
        proven = known is not None and bounds.proves(original, self.value, known.value)
        if self.status() == "optimal" and not proven and self.stopped != INTERRUPTED:
            self.branch()
        claim, tree = self.best.claim, self.tree
        if claim is not None and tree is not None:
            as_good = bounds.proves(self.problem, self.value, tree.bound)
            if as_good or tree.bound <= claim.value:
                proof = tree.proof(self.folded)
                claim = claim if proof is None else Claim(tree.bound, "branch and bound", proof)
        return Draft(self.chosen, self.stopped, known=known, claim=claim)

    def offer(self, part: str, selected: Int64s) -> float:
        """Keep a selection if it is better than the best so far; return its value."""
        value = self.problem.value(selected)
        self.best.keep(part, selected, value)
        return value

    def prove(self, by: str, bound: float) -> None:
        """Record an upper bound that a search proved: branch and bound or HiGHS."""
        self.best.claims(by, bound)
        self.best.tighten(by, bounds.round_down(self.problem, bound))

    def price(self, dual: Dual) -> None:
        """Evaluate a dual point, and keep its bound if that is lower than the best so far."""
        priced = bounds.priced(self.problem, self.left, dual)
        bound = bounds.priced_bound(self.left, priced)
        if self.known is None or bound < self.known.value:
            self.known, self.priced = Bound(bound, "dual point", dual), priced
            self.best.tighten("dual bound", bounds.round_down(self.problem, bound))

    def settled(self, at: Priced, value: float) -> tuple[Mask, Mask]:
        """Return masks of the sets in all, and in none, of the selections worth `value`."""
        slack = (self.problem.weight_unit or 0.0) + 1e-9 * value
        return bounds.fixable(self.problem, self.left, at, value - slack)

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

    def branch(self, work: float | None = None, seconds: float = np.inf) -> None:
        """Go on with the tree until it has done `work` in all; by default, what the effort allows.

        It also ends after `seconds`.
        """
        problem = self.problem
        if self.known is None or self.known.dual is None:
            return
        # A tree that proves less than one dual point begins anew, from that point.
        if self.tree is None or self.known.value < self.tree.bound:
            most = KEPT[self.control.checkable]
            self.tree = TreeSearch(problem, self.known.dual, most_kept=most)
        tree, work = self.tree, self.effort.proof_work(problem.n_edges) if work is None else work
        tree.offer(self.selected)
        until = self.control.elapsed + seconds
        tree.search(work, lambda: self.control.expired() or self.control.elapsed > until)
        if tree.selected is not None:
            self.offer("branch and bound", tree.selected)
        self.prove("branch and bound", tree.bound)

    def hand_over(
        self,
        *,
        most_edges: float | None = None,
        seconds: float | None = None,
    ) -> str:
        """Run HiGHS on the undecided sets, by default for a multiple of the time spent so far.

        `auto` goes on with its tree instead.

        Returns why HiGHS stopped, or "" if it did not run: no time, too many edges, or nothing left
        to decide.
        """
        if self.method == "auto":
            self.branch(np.inf, self.numbers.spare.highs_share * self.control.elapsed)
            return "" if self.tree is None else "the tree took its share of the time"
        fixed, rest = self.decided() or (self.selected, self.selected[:0])
        if not rest.size:
            return ""
        open_edges = int(np.diff(self.problem.indptr)[rest].sum())
        most = self.numbers.spare.highs_edges if most_edges is None else most_edges
        if open_edges > most or not self.control.affords(open_edges * PER_EDGE.build):
            return ""
        out = np.ones(self.problem.n_sets, dtype=bool)
        out[fixed] = out[rest] = out[self.selected] = False
        smaller = self.problem.with_choice(fixed, np.flatnonzero(out))
        program = Program(folded(smaller), value=max(self.value, 0.0))
        program.pieces = [*self.pieces]
        if program.is_idle:
            return ""
        if seconds is None:
            seconds = self.numbers.spare.highs_share * self.control.elapsed
        reason = self.ask_highs(program, seconds)
        if self.best.claim is None and program.is_wide:
            self.branch()
        return reason
