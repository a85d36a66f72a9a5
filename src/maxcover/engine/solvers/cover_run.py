"""Cover run: the steps that find cheaper selections and raise the lower bound, and their order.

The question "is there a selection for less than the best so far that covers enough?" is a coverage
problem under a smaller budget: exchange search and branch and bound look for its answer, and a dual
point of it bounds the cost from below.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core import bounds
from maxcover.engine.core.ascending import union
from maxcover.engine.core.relaxation import Relaxation
from maxcover.engine.core.solution import exact_total
from maxcover.engine.core.target import TOLERANCE, lowest_cost
from maxcover.engine.solvers.auto import exact
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.cover_state import CoverState, in_units_of
from maxcover.engine.solvers.descent import relaxed_dual
from maxcover.engine.solvers.effort import EFFORTS
from maxcover.engine.solvers.engine import spare_time
from maxcover.engine.solvers.exchange import Exchange, usual_moves
from maxcover.engine.solvers.folding import Folded
from maxcover.engine.solvers.full_cover import RowWeighting
from maxcover.engine.solvers.greedy import complete, fitting, quick_cover, reach, shaken
from maxcover.engine.solvers.highs import relaxed
from maxcover.engine.solvers.program import Program
from maxcover.engine.solvers.row_filling import charges, fitting_first, rates_of, take
from maxcover.engine.solvers.seconds import HIGHS_PATIENCE, PER_EDGE
from maxcover.engine.solvers.stages import Facts, Stage, unless
from maxcover.engine.solvers.tree_search import KEPT, TreeSearch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from maxcover.engine.core.bounds import Dual
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.target import Target
    from maxcover.ground.array_types import Int64s


# Most edges that the tree visits between two searches, about ten milliseconds.
_TREE_WORK = 3_000_000


class CoverRun(CoverState):
    """The search of `cover`: steps that lower the cost or raise the lower bound, in order."""

    def __init__(
        self,
        problem: CoverageProblem,
        goal: Target,
        control: Control,
        earlier: Int64s | None = None,
    ) -> None:
        super().__init__(problem, goal, control)
        self.searches = 0
        self.improved = False
        self.weighting: RowWeighting | None = None
        if self.is_full:
            self.weighting = RowWeighting(self.open, seed=control.seed)
        self.tree: TreeSearch | None = None
        self.asked = -1.0  # the cost below which the tree searches
        self.earlier = earlier
        self.facts = Facts.of(
            self.open,
            control,
            start=earlier is not None,
            full=self.is_full,
        )

    def table(self) -> tuple[Stage, ...]:
        """Return the schedule of the method."""
        if self.method == "greedy":
            return FIRST
        if self.method == "exact":
            return (*FIRST, *IMPROVING, HIGHS)
        return (*FIRST, *IMPROVING, *LAST, *(SPARE_TIME if self.facts.deadline else ()))

    def relax_more(self) -> None:
        """Improve the dual point by 12 rounds of `relax`."""
        self.relax(rounds=12)

    def search_elsewhere(self) -> Iterator[None]:
        """Search by row weighting if all elements have to be covered; otherwise restart."""
        if self.weighting is not None:
            yield from self.weigh(2.0)
        else:
            self.restart()
            yield

    def first_bound(self) -> None:
        """Bound the cost from below by single sets' gain per cost: one pass over the edges."""
        problem = self.open
        missing = self.inner.floor - problem.value(problem.required)
        dual = bounds.residual_dual(
            problem, bounds.reduced(problem), problem.required, missing=missing
        )
        if dual.price > 0:
            self.dual = dual
            if not self.control.expired():
                self.best.tighten("single sets", self.bound_of(problem))

    def first(self) -> None:
        """Find a selection that meets the target, even after the deadline, or raise an error."""
        problem, control = self.open, self.control
        if not control.expired() and self.affords_search():
            self.offer("greedy", self.completed(problem.required))
        if not self.best.is_any:
            quick = (
                (quick_cover(problem, self.need),) if problem.is_plain else fitting_first(problem)
            )
            for found in quick:
                self.offer("first that fit", found)
        if self.best.is_any:
            return
        reachable = union(problem.required, np.flatnonzero(problem.choosable))
        if not self.inner.is_met(reachable):
            raise self.unreachable("the sets that may be chosen cover", reachable)
        if problem.is_plain:  # the selections above missed the target by rounding
            self.offer("all sets", reachable)
            return
        # Ignore the deadline: a selection that misses the target is no answer.
        enough = self.inner.floor
        patient = Control(
            time_limit=HIGHS_PATIENCE,
            seed=control.seed,
            callback=lambda progress: progress.value >= enough,
        )
        found = exact(problem, patient).selected
        if not self.offer("first", found):
            raise self.unreachable("the most that was found within the limits is", found)

    def completed(self, selected: Int64s) -> Int64s:
        """Add sets greedily until the target is met, or until no set adds anything."""
        return reach(self.open, selected, self.enough, expired=self.control.expired)

    def at_true_costs(self, problem: CoverageProblem, goal: Target) -> CoverRun:
        """Return a run with the true costs, the selection of this run, and a new bound."""
        true = CoverRun(problem, goal, self.control)
        true.stopped = self.stopped
        true.best.selected = self.selected
        true.best.worth = exact_total(true.open.costs[self.selected])
        true.dual = self.dual
        true.relax(rounds=4)
        return true

    def relax(self, *, rounds: int) -> None:
        """Improve the dual point, and find the budget at which its value bound meets the target.

        The bound on the value is a concave function of the budget. The budget at which its tangent
        meets the target is the next one of Newton's method, and is itself a lower bound on the
        cost.
        """
        within = self.within
        if within.strength.size or len(within.floors):
            self.relax_rows(within)
            return
        left = bounds.reduced(within)
        spent = exact_total(within.costs[within.required])
        # Only for plain coverage does `left` exclude the required sets and their cost.
        gone = spent if within.is_plain else 0.0
        is_over = self.control.leaving(within.n_edges * PER_EDGE.bound)
        best = self.bound_of(within)
        at = best if best > spent else self.cost
        for _ in range(rounds):
            if is_over():
                return
            room = (at - gone) / within.ticks.unit
            start = None if self.dual is None else in_units_of(self.dual, within)
            relaxation = Relaxation(within, left._replace(limit=max(room, 1e-9)), start=start)
            dual = relaxation.improve(steps=self.numbers.cover.dual_steps, expired=is_over)
            found = lowest_cost(within, self.inner, dual)
            if self.dual is None or found > best:
                best, self.dual = found, dual
                self.best.tighten("dual bound", found)
            if found >= self.cost:
                return
            at = max(best, spent) if found > spent else (at + spent) / 2

    def relax_rows(self, within: CoverageProblem) -> None:
        """Bound the cost by HiGHS's LP with every limit; if that is too large, by dual steps."""
        dual: Dual | None
        affords = self.control.affords(2 * within.n_edges * PER_EDGE.program)
        if within.n_edges > self.numbers.spare.highs_edges or not affords:
            dual = relaxed_dual(within, self.selected, self.control, value=self.inner.floor)
        else:
            program = Program(within, target=self.inner.floor)
            seconds = min(0.5 * self.control.remaining, HIGHS_PATIENCE)
            solved = relaxed(program, self.control.expired, seconds)
            dual = solved and solved[0]
        if dual is None:
            return
        found = lowest_cost(within, self.inner, dual)
        # Ignore a bound near 0: it comes from rounding.
        if found > max(self.bound_of(within), TOLERANCE * self.cost):
            self.dual = dual
            self.best.tighten("dual bound", found)

    def improve(self, effort: float) -> Iterator[None]:
        """Search by row weighting if all elements have to be covered, otherwise by exchanges."""
        if self.weighting is not None:
            yield from self.weigh(effort)
        else:
            self.search(effort)
            yield

    def search(self, effort: float) -> None:
        """Look for a cheaper selection that meets the target, by moving a few sets at a time.

        Each slice tries to save a fraction of the gap between cost and bound. If it fails, its
        selection is completed to the target nevertheless, and the next slice tries to save less.
        """
        share, left = self.numbers.cover.saving, effort
        while left > 0 and self.affords_search() and not self.control.expired():
            problem = self.cheaper(share * (self.cost - self.bound))
            if problem is None:
                return
            start = self.selected
            # If searches keep failing, every third starts from greedy within this budget.
            if not self.improved and self.searches % 3 == 2:
                start = np.concatenate((problem.required, complete(problem, problem.required)))
            used = self.search_within(problem, start, effort / self.numbers.cover.slices)
            if not self.improved:
                if used == 0.0:  # the search found no set to move
                    return
                share /= self.numbers.cover.less
            left -= max(used, effort / (4 * self.numbers.cover.slices))

    def weigh(self, effort: float) -> Iterator[None]:
        """Look for ever cheaper full covers by row weighting, until one try fails."""
        self.improved = self.weighting is not None
        while self.improved and self.weighting is not None:
            problem = self.cheaper()
            if problem is None:
                return
            usual = usual_moves(int(np.count_nonzero(problem.choosable)))
            steps = int(self.numbers.cover.steps_per_move * effort * usual)
            found = self.weighting.find(problem, self.selected, steps=steps, control=self.control)
            self.improved = found is not None and self.offer("row weighting", found)
            yield

    def search_within(self, problem: CoverageProblem, start: Int64s, effort: float) -> float:
        """Search within `problem.budget` from the sets of `start` that fit; return effort used."""
        self.searches += 1
        exchange = Exchange(
            problem, seed=self.control.seed + self.searches, prices=self.prices_of(problem)
        )
        if problem.is_plain:
            begin = fitting(problem, start)
        else:
            begin = union(problem.required, take(problem, start, problem.required))
            begin = np.concatenate((begin, exchange.grown(begin, expired=self.control.expired)))
        found = exchange.improve(begin, effort=effort, control=self.control, enough=self.need)
        if not self.inner.is_met(found) and not self.control.expired():
            found = self.completed(found)
        self.improved = self.offer("exchange search", found)
        return exchange.used

    def prices_of(self, problem: CoverageProblem) -> NDArray[np.float64] | None:
        """Return each set's cost over all limits at the dual prices; None without prices."""
        if problem.is_plain or self.dual is None or self.dual.price <= 0:
            return None
        return charges(problem, rates_of(problem, self.dual))

    def restart(self) -> None:
        """Search from the best selection with a random part replaced."""
        problem = self.cheaper(0.25 * (self.cost - self.bound))
        if problem is None:
            return
        kept = fitting(problem, self.selected) if problem.is_plain else self.selected
        self.search_within(problem, shaken(problem, kept, self.control.seed + self.searches), 0.25)

    def branch(self, work: float = _TREE_WORK) -> None:
        """Go on with the tree that looks for a cheaper selection, until it has done `work`."""
        while self.best.is_any:
            if self.tree is None or self.asked != self.cost:
                problem = self.cheaper()
                if problem is None:
                    return
                start = self.dual or bounds.Dual(0.0, 0.5 * problem.weights)
                self.tree = TreeSearch(problem, start, most_kept=KEPT[self.control.checkable])
                self.tree.ask(self.inner.floor)
                self.asked = self.cost
            tree = self.tree
            tree.search(work, lambda: tree.selected is not None or self.control.expired())  # noqa: B023
            if tree.selected is None:
                if not tree.open_nodes.size:
                    found = tree.proof(Folded(tree.problem, tree.problem))
                    if found is not None:
                        found = found.raised(self.exponent, len(tree.problem.rows.low))
                    self.prove("branch and bound", self.cost, found)
                return
            if not self.offer("branch and bound", tree.selected):
                return

    def hand_over(self, seconds: float | None = None) -> str:
        """Run HiGHS on the sets that reduced costs do not exclude, if the model is small enough."""
        problem = self.within
        if self.control.checkable or self.control.expired():
            return ""
        if self.dual is not None:
            left, dual = bounds.reduced(problem), in_units_of(self.dual, problem)
            unit = problem.weight_unit or 0.0
            at = bounds.priced(problem, left, dual)
            _, never = bounds.fixable(problem, left, at, self.inner.floor - unit)
            never[self.selected] = False
            forbidden = np.flatnonzero(never)
            problem = replace(problem, forbidden=union(problem.forbidden, forbidden))
        open_edges = int(np.diff(problem.indptr)[problem.choosable].sum())
        if seconds is None:
            seconds = self.numbers.spare.highs_share * self.control.elapsed
            if open_edges > self.numbers.spare.highs_edges:
                return ""
        if not self.control.affords(open_edges * PER_EDGE.build):
            return ""
        return self.ask_highs(Program(problem, target=self.inner.floor), seconds)


def first_selection(run: CoverRun) -> Iterator[None]:
    """Bound the cost by single sets; find a first selection that meets the target."""
    run.first_bound()
    run.first()
    yield


def use_start(run: CoverRun) -> Iterator[None]:
    """Complete the earlier selection to the target."""
    problem = run.open
    earlier = problem.required if run.earlier is None else run.earlier
    movable = earlier[problem.choosable[earlier]]
    kept = np.concatenate((problem.required, take(problem, movable, problem.required)))
    run.offer("start", run.completed(kept))
    yield


def first_relaxation(run: CoverRun) -> Iterator[None]:
    """Bound the cost by dual steps, before the searches, which may use up the time."""
    run.relax(rounds=4)
    yield


def first_weighing(run: CoverRun) -> Iterator[None]:
    """Search by row weighting, briefly, and make dual steps."""
    yield from run.weigh(0.1)
    run.relax(rounds=2)
    yield


def branch(run: CoverRun) -> Iterator[None]:
    """Ask the tree whether a selection is cheaper."""
    run.branch()
    yield


def search(run: CoverRun) -> Iterator[None]:
    """Look for cheaper selections three times; after each, raise the bound and ask the tree."""
    for effort in run.numbers.cover.efforts:
        yield from run.improve(effort)
        run.relax(rounds=2)
        yield
        run.branch()
        yield


def long_tree(run: CoverRun) -> Iterator[None]:
    """Go on with the tree for as much work as `solve` allows a proof."""
    run.branch(EFFORTS["normal"].proof_work(run.open.n_edges))
    yield


def more_steps(run: CoverRun) -> Iterator[None]:
    """Make many dual steps."""
    run.relax(rounds=10)
    yield


def highs(run: CoverRun) -> Iterator[None]:
    """Run HiGHS until it proves the cheapest selection."""
    run.stopped = run.hand_over(np.inf) or run.control.why_stopped
    yield from ()


FIRST = (
    Stage("first selection", first_selection),
    Stage("start", use_start, (unless("no start was given", lambda facts: not facts.start),)),
    Stage("relaxation", first_relaxation),
)
IMPROVING = (
    Stage(
        "row weighting, briefly",
        first_weighing,
        (unless("some elements may stay uncovered", lambda facts: not facts.full),),
    ),
    Stage("tree", branch),
    Stage("search", search),
)
LAST = (
    Stage(
        "dual steps for a bound that can be checked",
        more_steps,
        (unless("a checkable bound was not asked for", lambda facts: not facts.checkable),),
    ),
    Stage("tree, longer", long_tree),
)
#: What follows with a deadline.
SPARE_TIME = spare_time(
    CoverRun.relax_more, CoverRun.search_elsewhere, CoverRun.branch, CoverRun.hand_over
)
HIGHS = Stage("HiGHS", highs)
