"""Any limits and any returns: greedy, the linear relaxation with a price for every row, annealing.

The path of every problem that is not plain coverage under one budget. The bound is that of the
linear relaxation, evaluated by `maxcover.core.bounds`, so `verify` can check it. There is no
guarantee: with minima even a first selection may be hard to find.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.ascending import union
from maxcover.core.limits import NO_FLOORS, NO_LIMIT, NO_LIMITS
from maxcover.core.solution import relative_gap
from maxcover.errors import InfeasibleError
from maxcover.solvers.annealing import Annealing, fitting_first, missing
from maxcover.solvers.control import INTERRUPTED, Aside, Control, Draft
from maxcover.solvers.descent import Descent
from maxcover.solvers.effort import EFFORTS
from maxcover.solvers.highs import BUILD_SECONDS, HighsRun, relaxed
from maxcover.solvers.incumbent import Incumbent
from maxcover.solvers.program import Piece, Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from maxcover.core.bounds import Dual
    from maxcover.core.problem import CoverageProblem

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]

# Seconds that HiGHS gets for a first selection, and for the linear program.
_PATIENCE = 60.0
# Share of the time that is left which the same problem without its limits gets.
_PLAIN_SHARE = 0.3
# Runs of annealing after the first one: from the best so far, at a lower temperature.
_COOL = 0.3
# A gap that is not worth another run which may find nothing.
_NARROW_GAP = 0.003
# Problems of so many sets that may be chosen are settled, by HiGHS in so many nodes.
_PROVEN, _NODES = 30, 2000
# The linear program is left to first-order steps in a problem of more edges.
_LP_EDGES = 100_000
# Seconds per edge, generously, of parts that do not look at the clock: to open the search, and to
# evaluate a bound.
_OPEN_SECONDS, _BOUND_SECONDS = 3e-7, 1e-7
# The same, twice that where edges have strengths, for a step of the descent and a bound after it,
# for its beginning, and for prices of several budgets.
_STEP_SECONDS, _BEGIN_SECONDS, _COMBINE_SECONDS = 1.3e-7, 5e-8, 1e-7


def limited(
    problem: CoverageProblem,
    control: Control,
    *,
    prove: bool = False,
    earlier: Int64s | None = None,
    plainly: Callable[[CoverageProblem, Control], Incumbent] | None = None,
) -> Draft:
    """Choose sets that keep every limit and are worth much; `prove` lets HiGHS end the search.

    `plainly` is the search of plain coverage, for the same problem without its limits.
    """
    run = _Limited(problem, control)
    run.plainly = plainly
    run.follow(run.schedule(earlier, prove=prove))
    return run.draft()


def relax(
    problem: CoverageProblem, selected: Int64s, value: float, control: Control
) -> tuple[Dual, Floats, list[Piece]] | None:
    """Return a dual point of the relaxation, its selection and its pieces; None without time."""
    if problem.n_edges > _LP_EDGES:
        work = problem.n_edges * (2 if problem.strength.size else 1)
        if not control.affords(work * (_BEGIN_SECONDS + _STEP_SECONDS)):
            return None
        descent = Descent(problem, selected, value)
        if _has_budgets_alone(problem):
            dual = descent.combine(control.leaving(work * _COMBINE_SECONDS))
        else:
            steps = sum(EFFORTS[control.effort].steps)
            dual = descent.improve(steps, control.leaving(work * _STEP_SECONDS))
        return dual, descent.x, []
    program = Program(problem)
    found = relaxed(program, control.expired, min(control.remaining, _PATIENCE))
    return found and (*found, program.pieces)


def _has_budgets_alone(problem: CoverageProblem) -> bool:
    """Whether each element gives once and every limit is a maximum over all sets."""
    rows = problem.rows
    whole = np.diff(rows.indptr) == problem.n_sets
    return bool(
        not problem.returns.of.size
        and not len(problem.floors)
        and whole.all()
        and (rows.low <= 0).all()
        and ((rows.high > 0) & (rows.high < NO_LIMIT)).all()
    )


def relaxed_dual(
    problem: CoverageProblem, selected: Int64s, control: Control, *, value: float | None = None
) -> Dual | None:
    """Return a dual point for a selection that came without one, or that is to be worth `value`."""
    found = relax(problem, selected, problem.value(selected) if value is None else value, control)
    return found and found[0]


class _Limited(Incumbent):
    """The parts that improve the best selection and the bound, and their order."""

    def __init__(self, problem: CoverageProblem, control: Control) -> None:
        super().__init__(problem, control)
        self.search: Annealing | None = None
        self.movable: Int64s | None = None
        self.pieces: list[Piece] = []
        self.runs = 0
        self.starts: list[Int64s] = []
        self.plainly: Callable[[CoverageProblem, Control], Incumbent] | None = None

    def schedule(self, earlier: Int64s | None, *, prove: bool) -> Iterator[None]:
        """Run one part after the other; the caller decides after each whether to go on."""
        problem, control = self.problem, self.control
        if not problem.choosable.any() and not problem.violation(problem.required):
            self.offer("required", problem.required)
            self.prove("branch and bound", self.value)
            self.stopped = "no set may be chosen"
            return
        for found in fitting_first(problem):
            if not problem.violation(found):
                self.offer("first that fit", found)
        fits = False
        if self.plainly is not None and not problem.returns.of.size:
            fits = self.without_limits(self.plainly)
            yield
        if not fits or control.time_limit is not None:
            search = self.begin()
            if search is None:
                self.stopped = control.why_stopped
                return
            yield from self.climb(search, earlier)
        if prove or self.is_for_proof:
            self.stopped = self.settle() or self.hand_over(nodes=None if prove else _NODES)
        elif self.search is not None:
            yield from self.spend(self.search)

    def without_limits(self, plainly: Callable[[CoverageProblem, Control], Incumbent]) -> bool:
        """Solve plain coverage, which bounds this problem; return whether the answer keeps limits.

        Where it does not, it is kept to begin from.
        """
        problem, control = self.problem, self.control
        plain = replace(
            problem, limits=NO_LIMITS, floors=NO_FLOORS,
            forbidden=np.flatnonzero(~(problem.choosable | problem.is_required)),
        )  # fmt: skip
        run = plainly(plain, Aside(other=control, share=_PLAIN_SHARE))
        if run.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        if run.known is not None and run.known.dual is not None:
            self.price(run.known.dual)
        if run.claim is not None:
            self.prove(run.claim.by, run.claim.value)
        if problem.violation(run.selected):
            self.starts.append(run.selected)
            return False
        self.offer("without limits", run.selected)
        return True

    def climb(self, search: Annealing, earlier: Int64s | None) -> Iterator[None]:
        """Begin greedily, relax, anneal."""
        control = self.control
        search.fresh(control.seed)
        search.grow(self.problem.required, expired=control.expired)
        self.note("greedy")
        starts = [*self.starts] if earlier is None else [*self.starts, earlier]
        for start in starts:
            search.grow(search.fitting(start), expired=control.expired)
            self.note("start")
        if not self.has_any:
            self.first(search)
        yield
        self.relax(search)
        for k in range(self.effort.anneals):
            yield
            before = self.value
            self.anneal(search, heat=_COOL ** min(k, self.coolest))
            if k > 0 and self.value == before and self.is_narrow:
                break
        yield

    @property
    def coolest(self) -> int:
        """How often to cool: the moves for a large problem are too few to come back from heat."""
        return 3 if self.problem.n_edges > _LP_EDGES else 1

    @property
    def is_for_proof(self) -> bool:
        """Whether the problem is so small that HiGHS settles it by the way."""
        is_small = np.count_nonzero(self.problem.choosable) <= _PROVEN
        return bool(is_small) and not self.control.checkable and self.effort.climbs

    def spend(self, search: Annealing) -> Iterator[None]:
        """Use the time that is left for HiGHS and for more annealing."""
        problem, control = self.problem, self.control
        is_for_highs = not control.checkable and problem.n_edges <= _LP_EDGES
        if self.effort.roots and is_for_highs:
            self.hand_over(nodes=1)
            yield
        while control.time_limit is not None:
            if is_for_highs and control.remaining > 0.05:
                self.hand_over(min(2 * control.elapsed, control.remaining))
                yield
            self.anneal(search, heat=_COOL * (1 + self.runs % 3))
            yield

    @property
    def is_narrow(self) -> bool:
        """Whether little is left to find."""
        return relative_gap(self.value, self.bound) <= _NARROW_GAP

    def note(self, part: str) -> None:
        """Offer the best selection of the search."""
        found = None if self.search is None else self.search.best
        if found is not None:
            self.offer(part, found)

    def begin(self) -> Annealing | None:
        """Open the search; None if there is something to return and no time for more."""
        reserved = self.problem.n_edges * _OPEN_SECONDS
        if self.has_any and (self.control.expired() or not self.control.affords(reserved)):
            return None
        self.search = Annealing(self.problem)
        return self.search

    def anneal(self, search: Annealing, *, heat: float) -> None:
        self.narrow()
        search.fresh(self.control.seed + self.runs)
        self.runs += 1
        search.begin(self.selected)
        search.anneal(
            control=self.control, movable=self.movable, heat=heat, effort=self.effort.moves
        )
        self.note("annealing")

    def first(self, search: Annealing) -> None:
        """Find something that keeps every limit, however long it takes."""
        problem, patient = self.problem, Control(seed=self.control.seed)
        everything = union(problem.required, np.flatnonzero(problem.choosable))
        if lack := missing(problem, everything):
            raise InfeasibleError(
                f"expected minima that can be reached: with all sets that may be chosen, {lack}"
            )
        for heat in (1.0, 4.0):
            search.begin(search.now)
            search.anneal(control=patient, heat=heat)
            self.note("first")
            if self.has_any:
                return
        run = HighsRun(Program(problem), patient, None)
        reason = run.until_done(_PATIENCE)
        found = run.selection()
        if found is None:
            words = "proven" if reason == "Infeasible" else f"after {_PATIENCE:g} s"
            raise InfeasibleError(
                f"expected minima that can be reached within the limits, found no selection "
                f"({words}); with the required sets alone, {missing(problem, problem.required)}"
            )
        self.offer("first", found)

    def relax(self, search: Annealing) -> None:
        """Bound the value by the linear relaxation, and search from what it chooses."""
        problem, control = self.problem, self.control
        found = relax(problem, self.selected, self.value, control)
        if found is None or not control.affords(problem.n_edges * _BOUND_SECONDS):
            return
        dual, x, self.pieces = found
        self.price(dual)
        rows = np.zeros(0) if dual.rows is None else dual.rows
        search.rate = np.maximum(np.append(dual.price, rows * problem.rows.unit[1:]), 0.0)
        prices = search.prices(search.rate)
        likely = np.flatnonzero(x > 0.5)
        search.fresh(control.seed)
        kept = search.fitting(likely[np.argsort(-x[likely], kind="stable")])
        search.grow(kept, prices, expired=control.expired)
        self.note("rounding")

    def narrow(self) -> None:
        """Leave out of the moves what reduced costs decide for all selections as good as this."""
        problem = self.problem
        if self.priced is None or not self.has_any:
            return
        always, never = self.settled(self.priced)
        held = np.zeros(problem.n_sets, dtype=bool)
        held[self.selected] = True
        settled = (never & ~held) | (always & held)
        self.movable = np.flatnonzero(problem.choosable & ~settled)

    def settle(self) -> str:
        """Look at all that the bound leaves open, if that is little; return why that is the end."""
        problem, control = self.problem, self.control
        if control.checkable or not self.has_any:
            return ""
        # what is sure is no part of this program, where it would drown the rest
        found = relaxed(
            Program(problem, value=self.value), control.expired, min(control.remaining, _PATIENCE)
        )
        if found is not None:
            self.price(found[0])
        return "all cases were looked at" if self.look_at_all() else ""

    def hand_over(self, seconds: float = np.inf, *, nodes: int | None = None) -> str:
        """Let HiGHS search and prove; return why it stopped."""
        if not self.control.affords(self.problem.n_edges * BUILD_SECONDS):
            return self.control.why_stopped
        program = Program(self.problem, value=max(self.value, 0.0))
        program.pieces = [*self.pieces]
        if nodes is not None and program.is_wide:
            return "weights span more than HiGHS can be trusted with"
        return self.ask_highs(program, seconds, nodes=nodes)
