"""Parts: the steps of a search that improve the best selection and the bound."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.ascending import union
from maxcover.engine.core.limits import NO_LIMITS
from maxcover.engine.core.relaxation import below_next, best_bound
from maxcover.engine.core.solution import relative_gap
from maxcover.engine.solvers.bp import affords_beliefs, believed
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.descent import by_program, relaxation_of
from maxcover.engine.solvers.exchange import Exchange
from maxcover.engine.solvers.folding import Folded, folded
from maxcover.engine.solvers.greedy import (
    blurred_greedy,
    complete,
    fitting,
    greedy_starts,
    own_weights,
    shaken,
)
from maxcover.engine.solvers.highs import HighsRun, why_missing
from maxcover.engine.solvers.program import Program
from maxcover.engine.solvers.proofs import Proofs
from maxcover.engine.solvers.row_filling import (
    charges,
    fitting_first,
    minima_first,
    missing,
    rates_of,
    take,
)
from maxcover.engine.solvers.seconds import HIGHS_PATIENCE, PER_EDGE
from maxcover.engine.solvers.stages import Facts
from maxcover.errors import InfeasibleError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.engine.core.bounds import Dual
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Floats, Int64s


# Value and bound at which `Parts.narrow` has not narrowed yet.
NEVER = -1.0, np.inf


class Parts(Proofs):
    """The search and relaxation steps of the engine, one method each."""

    def __init__(
        self, folded: Folded, control: Control, threads: int, earlier: Int64s | None = None
    ) -> None:
        super().__init__(folded, control)
        self.facts = Facts.of(
            self.problem, control, start=earlier is not None, idle=self.has_idle_limits()
        )
        self.threads = threads
        self.core = self.problem
        self.narrowed = NEVER
        self.searches = 0
        self.earlier = earlier
        self.support = np.zeros(self.problem.n_sets)  # LP value of each set.
        self.is_relaxed = False  # Whether HiGHS has solved the relaxation.
        self.rates: Floats | None = None  # Dual price of a tick of each limit row.
        self.prices: Floats | None = None  # Cost of each set over all rows at `rates`.

    @property
    def is_small(self) -> bool:
        """Whether few sets can be chosen."""
        return self.facts.is_small

    def has_idle_limits(self) -> bool:
        """Whether greedy keeps the limits beside the budget without knowing them."""
        problem = self.problem
        if problem.is_plain or problem.returns.of.size or not self.affords_search():
            return False
        plain = without_limits(problem)
        found = complete(plain, plain.required, expired=self.control.expired)
        return not problem.violation(np.concatenate((plain.required, found)))

    def affords_relaxation(self) -> bool:
        """Whether there is time to transpose the graph, which the first dual step needs."""
        return self.control.affords(self.problem.n_edges * PER_EDGE.transpose)

    def price(self, dual: Dual) -> None:
        """Evaluate a dual point; if its bound is the lowest so far, update the prices of sets."""
        super().price(dual)
        problem = self.problem
        if not problem.is_plain and self.known is not None and self.known.dual is dual:
            self.rates = rates_of(problem, dual)
            self.prices = charges(problem, self.rates)

    def relax(self, *, steps: int) -> None:
        """Improve the dual point by at most `steps` steps, unless HiGHS has solved the LP."""
        if self.is_relaxed or (self.relaxation is None and self.relax_by_program()):
            return
        if self.relaxation is None:
            self.relaxation = relaxation_of(
                self.problem, self.left, self.selected, self.numbers.descent
            )
        enough = self.value / max(1.0 - self.control.target_gap, 1e-9)
        seconds = PER_EDGE.descent if self.problem.strength.size else PER_EDGE.bound
        dual = self.relaxation.improve(
            target=max(below_next(self.problem, self.value), enough * (1 - 1e-12)),
            steps=steps,
            expired=self.control.leaving(self.problem.n_edges * seconds),
            threads=self.threads,
        )
        self.price(dual)
        self.support = self.relaxation.selection

    def relax_by_program(self, *, patient: bool = False) -> bool:
        """Take the dual point of HiGHS's LP if the problem is small; return `is_relaxed`."""
        found = by_program(self.problem, self.control, patient=patient)
        if found is not None:
            dual, self.support, program = found
            self.pieces, self.is_relaxed = program.pieces, True
            self.price(dual)
        return self.is_relaxed

    def search(self, start: Int64s, *, effort: float, credited: bool = True) -> float:
        """Search around a selection by moving a few sets at a time; return the value found."""
        if not self.affords_search():
            return self.value
        return self.offer("exchange search", self.moved(start, effort, credited=credited))

    def moved(self, start: Int64s, effort: float, *, credited: bool = True) -> Int64s:
        """Return the selection that exchange search finds from `start`."""
        self.searches += 1
        core = Folded(self.core, self.core).packed()
        prices = self.prices if core.kept is None or self.prices is None else self.prices[core.kept]
        exchange = Exchange(
            core.problem,
            seed=self.control.seed + self.searches,
            prices=prices,
            numbers=self.numbers,
        )
        inside = core.inside(start)
        if self.is_annealed and (self.searches % 2 == 0 or not self.is_small):
            gap = relative_gap(self.value, self.bound)
            found = exchange.annealed(inside, effort=effort, control=self.control, gap=gap)
        else:
            found = exchange.improve(inside, effort=effort, control=self.control, credited=credited)
        return core.outside(found)

    @property
    def is_annealed(self) -> bool:
        """Whether to search by annealing: under maxima with prices; every other time if small."""
        problem = self.problem
        has_minima = len(problem.floors) or bool((problem.rows.low > 0).any())
        has_rows = len(problem.limits) and not problem.returns.of.size
        return bool(has_rows and self.prices is not None and not has_minima)

    def begin_from(self, earlier: Int64s) -> Int64s:
        """Return the required sets and the sets of `earlier` that fit, completed greedily."""
        if self.core.is_plain:
            kept = fitting(self.core, earlier)
        else:
            own = own_weights(self.core, earlier)
            rates = own if self.prices is None else own / self.prices[earlier]
            ranking = earlier[np.argsort(-rates, kind="stable")]
            kept = self.fitting(minima_first(self.core, ranking, self.selected))
        return np.concatenate((kept, self.completed(kept)))

    def fitting(self, ranking: Int64s) -> Int64s:
        """Return the required sets, and the sets of `ranking` that fit beside them."""
        return union(self.core.required, take(self.core, ranking, self.core.required))

    def completed(self, kept: Int64s) -> Int64s:
        """Return the sets that greedy adds to `kept`, most gain per price first."""
        if self.core.is_plain:
            return complete(self.core, kept, expired=self.control.expired)
        return Exchange(self.core, prices=self.prices, numbers=self.numbers).grown(
            kept, expired=self.control.expired
        )

    def restart(self) -> None:
        """Search from a random start: the best selection without some sets, or a random greedy run.

        Both are completed greedily by weights times random factors.
        """
        seed = self.control.seed + self.searches
        draw = shaken(self.core, self.selected, seed) if self.searches % 2 else None
        start = blurred_greedy(self.core, seed) if draw is None else draw
        if self.core.violation(start):  # the start may miss a minimum
            start = self.selected
        self.offer("restart", self.moved(start, 0.5))

    def believe(self) -> Int64s:
        """Return the selection of belief propagation, or the best so far if it cannot run."""
        mean = float(self.folded.original.weights.mean())
        if (
            not self.problem.is_plain
            or mean <= 0
            or self.relaxation is None
            or not affords_beliefs(self.core, self.control)
        ):
            return self.selected
        price = self.relaxation.dual.price / self.core.ticks.unit
        chosen = self.selected
        for chosen in believed(
            self.core, self.control, price=price, beta=self.numbers.beliefs.hot / mean,
            threads=self.threads, is_small=self.is_small,
        ):  # fmt: skip
            self.offer("belief propagation", chosen)
        return chosen

    def narrow(self) -> None:
        """In `core`, the problem that is searched, fix the sets that reduced costs decide.

        Every selection at least as good as the best so far has the sets that become required, and
        none of those that become forbidden. This is also true of the best so far.
        """
        problem = self.problem
        asked = self.value, self.bound
        if self.priced is None or self.narrowed == asked:
            return
        if not self.control.affords(2 * problem.n_edges * PER_EDGE.fold):
            return
        self.narrowed = asked
        always, never = self.settled(self.priced, self.value)
        chosen = problem.is_required
        chosen[self.selected] = True
        always, never = always & chosen, never & ~chosen
        core = problem.with_choice(
            union(problem.required, np.flatnonzero(always)),
            union(problem.forbidden, np.flatnonzero(never & problem.choosable)),
        )
        self.core = folded(core)

    def lean(self) -> None:
        """In `core`, the problem that is searched, fix sets with an LP value near 0 or 1.

        That is no proof, but where the gap is narrow the best selections differ in few other sets.
        """
        if self.relaxation is None:
            return
        support = np.zeros(self.problem.n_sets)
        self.relax(steps=self.numbers.stride)
        for _ in range(2):  # a single selection says less than a mean of two
            self.relax(steps=self.numbers.stride // 2)
            support += 0.5 * self.relaxation.selection
        self.leave_open(support)

    def leave_open(self, support: NDArray[np.float64]) -> None:
        """In `core`, fix sets with an LP value near 0 or 1; offer a greedy selection from it."""
        problem = self.problem
        if not self.control.affords(2 * problem.n_edges * PER_EDGE.fold):
            return
        sure = np.flatnonzero(problem.choosable & (support > self.numbers.taken))
        sure = sure[np.argsort(-support[sure], kind="stable")]
        self.core = problem
        required = self.fitting(sure)
        vain = problem.choosable & (support <= self.numbers.left)
        vain[required] = False
        core = problem.with_choice(required, union(problem.forbidden, np.flatnonzero(vain)))
        self.core, self.narrowed = folded(core), NEVER
        if problem.is_plain:
            self.offer("relaxation", next(greedy_starts(self.core, self.control)))
        else:
            self.try_start("relaxation", self.core.required)

    def try_start(self, part: str, kept: Int64s) -> bool:
        """Complete `kept` greedily and offer it; return whether it was feasible and in time."""
        if not self.affords_search():
            return False
        found = np.concatenate((kept, self.completed(kept)))
        if self.core.violation(found):
            return False
        self.offer(part, found)
        return True

    def round(self) -> None:
        """Round the LP solution: take sets with values above 0.5 that fit, then add greedily."""
        if not self.affords_search():
            return
        likely = np.flatnonzero(self.support > 0.5)
        ranking = likely[np.argsort(-self.support[likely], kind="stable")]
        self.try_start("relaxation", self.fitting(minima_first(self.core, ranking, self.selected)))

    def first(self) -> None:
        """Find a selection that keeps every limit, even after the deadline, or raise an error."""
        problem = self.problem
        for found in fitting_first(problem):
            if not problem.violation(found):
                self.offer("first that fit", found)
        if self.best.is_any:
            return
        everything = union(problem.required, np.flatnonzero(problem.choosable))
        if lack := missing(problem, everything):
            raise InfeasibleError(
                f"expected minima that can be reached: with all sets that may be chosen, {lack}"
            )
        patient, exchange = Control(seed=self.control.seed), Exchange(problem)
        found = union(problem.required, exchange.grown(problem.required))
        found = exchange.improve(found, effort=1.0, control=patient, enough=0.0)
        if not problem.violation(found):
            self.offer("first", found)
            return
        selected, words = None, why_missing()
        if not words:
            run = HighsRun(Program(problem), patient, None)
            reason = run.until_done(HIGHS_PATIENCE)
            selected = run.selection()
            words = "proven" if reason == "Infeasible" else f"after {HIGHS_PATIENCE:g} s"
        if selected is None:
            raise InfeasibleError(
                f"expected minima that can be reached within the limits, found no selection "
                f"({words}); {out_of_reach(problem) or missing(problem, problem.required)}"
            )
        self.offer("first", selected)


def without_limits(problem: CoverageProblem) -> CoverageProblem:
    """Return the problem without the limits beside its budget; what cannot be chosen stays out."""
    unusable = np.flatnonzero(~(problem.choosable | problem.is_required))
    return replace(problem, limits=NO_LIMITS, floors=NO_LIMITS, forbidden=unusable)


def out_of_reach(problem: CoverageProblem) -> str:
    """Return a message about the first minimum of value that alone is too high; "" if none is."""
    for name, low, members in problem.floors.each():
        weights = np.zeros(problem.n_elements)
        weights[members] = problem.weights[members]
        alone = replace(problem, floors=NO_LIMITS, weights=weights)
        value = alone.value(alone.required)
        most = best_bound(alone, alone.required, value, how="dual").value
        if most < low:
            whole = float(weights.sum())
            return (
                f"at most {most / whole:.0%} of {name} can be reached, {low / whole:.0%} is asked"
            )
    return ""
