"""`auto`: runs greedy, dual bound, exchange search, proofs and belief propagation in turn.

Nothing is tuned to an instance; the temperature is a fixed fraction of the mean weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core import bounds
from maxcover.engine.core.relaxation import DEFAULT_STEPS
from maxcover.engine.core.solution import relative_gap
from maxcover.engine.solvers.bp import BELIEF
from maxcover.engine.solvers.control import INTERRUPTED, Aside
from maxcover.engine.solvers.exchange import SMALL, usual_moves
from maxcover.engine.solvers.folding import Folded, fold
from maxcover.engine.solvers.greedy import blurred_greedy, greedy_starts
from maxcover.engine.solvers.parts import Parts
from maxcover.engine.solvers.row_filling import breaks_much, first_fit
from maxcover.engine.solvers.seconds import PER_EDGE
from maxcover.ground.machine import available_cores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.control import Control, Draft
    from maxcover.ground.array_types import Int64s


@dataclass(frozen=True, kw_only=True)
class AutoNumbers:
    """Tuned constants of `auto`, chosen on the problems of docs/lab/auto.md unless stated.

    Attributes
    ----------
    few_edges : int
        Problems with at most this many edges are solved without folding, which would take longer.
    first_steps, price_steps : int
        Dual steps before the first search. `first_steps`: large problems with one budget, enough
        for a price of the budget. `price_steps`: other limits, where the prices of all rows guide
        the search (`limit_cost.py`).
    strong_steps, strong_strides : int
        Dual steps before the first search where edges have strengths, and most strides after it. A
        step takes four times as long there: with twice as many, chances at 2 x 10^5 edges take 1.4
        times as long and the gap falls from 2.1 to 2.0 % (geometric).
    more_steps, stride : int
        Dual steps when time is left over, and dual steps between two checks whether the bound still
        falls.
    small_effort, first_effort, brief_effort : float
        Length of the first search, in units of `usual_moves`: of a small problem, of a large one,
        and of a large one with effort `fast` (2,500 sentences with a quota for each document: a
        tenth of the time, the same value to 0.01 % in the mean).
    searches, limited_searches : int
        Most exchange searches of a large problem, with one budget and under other limits.
    effort, limited_effort : float
        Length of each of these searches, in units of `usual_moves`.
    least_lowered : float
        A search, or a stride of dual steps, is repeated if it closed at least this fraction of the
        gap.
    least_raised : float
        Under other limits a search is repeated if it raised the value by at least this fraction.
        (The gap is no measure there, because the bound may be far off.)
    plain_share : float
        Fraction of the time left for solving the same sets with one budget only.
    tolerance : float
        That run goes on while its selection breaks limits by at most this fraction of them in the
        mean: its last selection may keep limits that its first ones break, or need little repair.
    merge_used : float
        While the gap is wide, the problem with all limits merged into one budget is solved first if
        the relaxation uses at most this fraction of the sets: a fifth on text-like graphs, whose
        values rise by 0.3 to 0.9 %, and three fifths on biregular ones, where it takes four times
        as long as the plain problem and gains nothing.
    ticks : float
        Size in ticks of the budget into which `merge_limits` merges all limits.
    hills : int
        Most further starting points of `look_elsewhere`.
    most_open, narrow_gap : float
        Further starting points are tried if at most the fraction `most_open` of the sets is
        undecided, and until the relative gap is at most `narrow_gap`.
    wide_gap : float
        Above this relative gap belief propagation also begins at other temperatures, and HiGHS may
        get the root node of its tree without a deadline.
    near : float
        There the searches leave out sets that, by the dual point, lose more than this fraction of
        the gap. Chosen on text: 10 MB of Markdown takes a third of the time and is worth the same.
    promising_moves : int
        Moves of each search among promising sets (`Parts.promise`): with twice as many, needs on
        Zipf graphs of 2 x 10^5 edges end at the same values.
    strong_moves, strong_raised : int, float
        The same, and `least_raised`, where edges have strengths: a move takes so long there that
        the first greedy selection is hardly ever improved on Zipf graphs.
    root_edges : int
        Most edges of a model whose root node HiGHS gets.
    elite : int
        Number of selections that are collected before HiGHS searches among their sets.
    tiny : int
        Effort `fast` enumerates all selections if at most this many sets can be chosen: about a
        millisecond.
    proven, nodes : int
        Under limits, HiGHS gets `nodes` nodes if at most `proven` sets can be chosen.
    """

    few_edges: int = 200
    first_steps: int = 40
    price_steps: int = 100
    strong_steps: int = 60
    strong_strides: int = 1
    more_steps: int = 500
    stride: int = 20
    small_effort: float = 0.1
    first_effort: float = 0.25
    brief_effort: float = 0.02
    searches: int = 3
    limited_searches: int = 5
    effort: float = 0.2
    limited_effort: float = 0.4
    least_lowered: float = 0.02
    least_raised: float = 3e-4
    plain_share: float = 0.3
    tolerance: float = 0.02
    merge_used: float = 0.3
    ticks: float = 1e6
    hills: int = 3
    most_open: float = 0.9
    narrow_gap: float = 0.001
    wide_gap: float = 0.02
    near: float = 0.1
    promising_moves: int = 2000
    strong_moves: int = 500
    strong_raised: float = 1e-3
    root_edges: int = 10_000
    elite: int = 8
    tiny: int = 10
    proven: int = 30
    nodes: int = 2000


_NUMBERS = AutoNumbers()


def auto(
    problem: CoverageProblem,
    control: Control,
    *,
    threads: int | None = None,
    earlier: Int64s | None = None,
) -> Draft:
    """Find a good selection by a fixed schedule of searches, and prove an upper bound.

    The value is at least half of the optimum of plain coverage under one budget, by Greedy+Max,
    unless the time is too short for greedy; in practice it is far closer. The work is linear in the
    edges times a constant number of passes. The run stops when the bound meets the value, when the
    target gap is reached, at the deadline, or when all steps of the schedule are done. With a
    deadline the rest of the time goes into restarts and, on small models, into HiGHS, for at most
    four times as long as was spent before; the run ends early when nothing has improved for long.
    The search starts from greedy and from belief propagation; an `earlier` selection replaces the
    latter.

    References
    ----------
    Yaroslavtsev, Zhou and Avdiukhin, "'Bring your own greedy' + Max: near-optimal
    1/2-approximations for submodular knapsack", AISTATS 2020.
    """
    run = opened(problem, control, threads or available_cores())
    run.earlier = None if earlier is None else run.folded.inside(earlier)
    run.follow(run.schedule())
    return run.result()


def exact(problem: CoverageProblem, control: Control, *, earlier: Int64s | None = None) -> Draft:
    """Solve the integer program with HiGHS, warm-started from a short search.

    Optimal when it runs to the end; with a time limit, or stopped by Ctrl-C or by the callback, the
    best found so far with the best bound. Worst-case exponential: good up to some hundred sets,
    hopeless from some thousand. The bound is a claim of HiGHS.

    References
    ----------
    Huangfu and Hall, "Parallelizing the dual revised simplex method", Mathematical Programming
    Computation 10, 2018.
    """
    run = Auto(Folded(problem, problem), control, 1)
    run.method, run.earlier = "exact", earlier
    run.follow(run.schedule())
    return run.result()


def opened(problem: CoverageProblem, control: Control, threads: int) -> Auto:
    """Return a run of `auto` on `problem`; large problems are folded first (see `Folded`)."""
    found = Folded(problem, problem)
    if problem.n_edges > _NUMBERS.few_edges and control.affords(
        20 * problem.n_edges * PER_EDGE.fold
    ):
        found = (fold(problem) if problem.is_plain else found).packed()
    return Auto(found, control, threads)


class Auto(Parts):
    """The schedule of `auto`: which search and proof steps run, and in which order."""

    strides = 0  # number of strides that `lower_bound` has made
    is_free = False  # whether the best selection found without limits keeps all limits

    def begin(self) -> Iterator[None]:
        """Run the quick steps: first selections, a bound, a short search. `fast` ends here."""
        effort, plain = self.effort, self.problem.is_plain
        yield from self.first_selections()
        self.is_brief = True
        if self.is_free and self.control.time_limit is None:
            yield from self.settle_small()
            return
        if not self.affords_relaxation():
            self.stopped = "time limit"
            return
        self.is_brief = not effort.climbs
        if not self.is_small and self.relaxation is None:
            self.relax(steps=_NUMBERS.first_steps if plain else self.price_steps)
            yield
        if not plain:
            self.round()
        # On large problems the first search waits until most sets are fixed.
        if self.is_brief or (self.is_small and not plain):
            first = _NUMBERS.brief_effort if self.is_brief else _NUMBERS.first_effort
            self.search(self.selected, effort=_NUMBERS.small_effort if self.is_small else first)
            yield
        is_tiny = np.count_nonzero(self.problem.choosable) <= _NUMBERS.tiny
        if self.is_brief and is_tiny:
            if plain:
                self.branch()
            elif not self.control.checkable:
                self.look_at_all()
            yield

    def first_selections(self) -> Iterator[None]:
        """Offer greedy selections; small problems also get a bound, which proves most tiny ones."""
        plain = self.problem.is_plain
        if not plain:
            self.first()
            yield
            if not self.problem.returns.of.size:
                yield from self.ignore_limits()
                if self.is_free:
                    return
        elif self.control.time_limit is not None and self.earlier is None:
            self.offer("first that fit", first_fit(self.problem))
            yield
        if self.earlier is not None:
            start = self.begin_from(self.earlier)
            if not self.problem.violation(start):
                self.offer("start", start)
            yield
        starts = greedy_starts(self.problem, self.control) if plain else iter(())
        for selected in starts:
            self.offer("greedy", selected)
            yield
            break
        if not plain:
            self.try_start("greedy", self.problem.required)
            yield
        if self.is_small and self.affords_relaxation():
            self.relax(steps=self.effort.steps[0] if plain else self.price_steps)
            yield
        for selected in starts:
            self.offer("greedy", selected)
            yield

    def ignore_limits(self) -> Iterator[None]:
        """Solve the problem without its limits: the bound of that problem holds here too.

        The run ends early when its selection breaks limits by more than `tolerance`.
        """
        problem = self.problem
        run = opened(
            self.beside(problem.costs, problem.budget),
            Aside(other=self.control, share=_NUMBERS.plain_share),
            self.threads,
        )
        for _ in run.schedule():
            if breaks_much(problem, run.chosen, _NUMBERS.tolerance) or run.is_done():
                break
        self.take_over(run)
        self.is_free = not problem.violation(run.chosen)
        if self.is_free:
            self.offer("without limits", run.chosen)
        elif not breaks_much(problem, run.chosen, _NUMBERS.tolerance):
            repaired = self.begin_from(run.chosen)
            if not problem.violation(repaired):
                self.offer("repaired", repaired)
        yield

    def merge_limits(self) -> None:
        """Solve with all limits merged by their dual prices into one budget; offer what fits.

        Nothing is done if all prices are 0, or if the required sets alone exceed that budget.
        """
        rows, rates, prices = self.problem.rows, self.rates, self.prices
        if rates is None or prices is None:
            return
        worth = float((rates * np.where(rates > 0, rows.high, rows.low)).sum())
        if worth <= 0.0:  # the prices of minima are negative
            return
        spent = np.floor(prices * (_NUMBERS.ticks / worth))
        if float(spent[self.problem.required].sum()) > _NUMBERS.ticks:
            return
        found = self.begin_from(self.found_in(self.beside(spent, _NUMBERS.ticks)))
        if not self.problem.violation(found):
            self.offer("one budget", found)

    def found_in(self, problem: CoverageProblem) -> Int64s:
        """Return the selection of a run on another problem that has the same sets."""
        run = opened(problem, Aside(other=self.control), self.threads)
        run.follow(chain(run.begin(), run.climb()))
        if run.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        return run.chosen

    def climb(self) -> Iterator[None]:
        """Improve the selection by searches, and lower the upper bound."""
        if self.method != "exact":
            yield from self.climb_small() if self.is_small else self.climb_large()
            return
        self.search(self.selected, effort=0.5)
        yield
        # Get this bound before HiGHS uses up the time: it is far better than HiGHS's bound if HiGHS
        # does not finish.
        self.relax(steps=DEFAULT_STEPS)
        yield

    def settle_all(self) -> str:
        """Prove the optimum by enumeration or by HiGHS; return why the proof stopped."""
        if not self.problem.is_plain and (reason := self.settle()):
            return reason
        reason = self.hand_over(most_edges=np.inf, seconds=np.inf)
        if not reason and self.control.affords(self.problem.n_edges * PER_EDGE.bound):
            # HiGHS had nothing to decide. If no set can add anything, this bound equals the value
            # exactly.
            self.price(bounds.residual_dual(self.problem, self.left, self.selected))
        return reason

    def climb_large(self) -> Iterator[None]:
        """Run belief propagation, then exchange searches, then dual steps while the bound falls."""
        self.narrow()
        plain, is_few = self.problem.is_plain, False
        effort = _NUMBERS.effort if plain else _NUMBERS.limited_effort
        if self.earlier is None or not plain:
            relaxed = self.relaxed_sets()
            uses_few = self.is_few(relaxed, np.inf if self.is_vague else SMALL)
            used = np.count_nonzero(relaxed) / relaxed.size
            if uses_few and self.is_wide:
                yield from self.lower_bound()
            if not self.is_vague and (uses_few or not self.is_wide):
                self.lean()
                yield
            is_few = self.is_few(self.core.choosable)
            if is_few:
                self.offer("core", self.found_in(self.core))
                yield
            if is_few and self.is_wide:
                self.narrow(part=_NUMBERS.near)
            if plain and (self.is_wide or not is_few):
                yield from self.believe_all()
            elif self.is_wide and used <= _NUMBERS.merge_used and not self.problem.returns.of.size:
                self.merge_limits()
                yield
            if self.is_vague and uses_few:
                self.promise(relaxed)
                n_open = int(np.count_nonzero(self.core.choosable))
                moves = (_NUMBERS.promising_moves, _NUMBERS.strong_moves)
                effort = moves[bool(self.problem.strength.size)] / usual_moves(n_open)
            elif not (is_few and self.is_wide):
                self.narrow()
        searches = _NUMBERS.searches if plain else _NUMBERS.limited_searches
        if self.is_annealed:  # a core of few sets has been searched already
            searches = int(self.is_wide or not is_few)
        yield from self.search_on(searches, effort)
        yield from self.lower_bound()

    def search_on(self, searches: int, effort: float) -> Iterator[None]:
        """Search from the best selection, at most `searches` times, while that helps."""
        plain, strong = self.problem.is_plain, bool(self.problem.strength.size)
        for _ in range(searches):
            before, gap = self.value, self.bound - self.value
            # After belief propagation the budget is spread so well that budget saved in one place
            # is hardly of use in another.
            self.search(self.selected, effort=effort, credited=not plain)
            yield
            raised = _NUMBERS.strong_raised if strong else _NUMBERS.least_raised
            least = _NUMBERS.least_lowered * gap if plain else raised * self.value
            if self.value - before < least:
                return

    def believe_all(self) -> Iterator[None]:
        """Run belief propagation; from other temperatures too while the gap is wide."""
        self.believe()
        yield
        for hot in BELIEF.others:
            if self.is_wide:
                self.believe(hot)
                yield

    @property
    def price_steps(self) -> int:
        """Dual steps before the first search under limits or returns."""
        return _NUMBERS.strong_steps if self.problem.strength.size else _NUMBERS.price_steps

    @property
    def is_vague(self) -> bool:
        """Whether the relaxation says little of single sets: by chances, or by a wide gap."""
        problem = self.problem
        return bool(problem.returns.of.size and (problem.strength.size or self.is_wide))

    @property
    def is_wide(self) -> bool:
        """Whether the gap between value and bound is still wide."""
        return relative_gap(self.value, self.bound) > _NUMBERS.wide_gap

    def lower_bound(self) -> Iterator[None]:
        """Make dual steps while the bound falls, at most `steps[1]` of the effort in all."""
        strong = bool(self.problem.strength.size)
        most = _NUMBERS.strong_strides if strong else self.effort.steps[1] // _NUMBERS.stride
        while self.strides < most:
            self.strides += 1
            before, gap = self.bound, self.bound - self.value
            if self.relaxation is not None and self.relaxation.room < _NUMBERS.least_lowered * gap:
                return
            self.relax(steps=_NUMBERS.stride)
            yield
            if before - self.bound < _NUMBERS.least_lowered * gap:
                return

    def climb_small(self) -> Iterator[None]:
        """Search from two starts: the selections of greedy and of belief propagation."""
        effort = self.effort
        self.search(self.selected, effort=0.1)
        yield
        self.branch(work=effort.proofs[0])
        yield
        self.relax(steps=effort.steps[1])
        yield
        self.branch(work=effort.proofs[1])
        yield
        self.narrow()
        found = self.selected
        believed = self.believe() if self.earlier is None else self.begin_from(self.earlier)
        peak = self.search(believed, effort=0.5)
        yield
        if self.earlier is None:
            other = self.search(found, effort=0.5)
            yield
            # The two searches ended at different values, so there may be better selections: try
            # more starts.
            if abs(peak - other) > 1e-9 * peak:
                self.narrow()
                yield from self.look_elsewhere()
                self.narrow()
                self.search(self.selected, effort=1.5)
                yield

    def finish(self) -> Iterator[None]:
        """Try to prove the best selection optimal; without a deadline, `thorough` also restarts."""
        effort = self.effort
        yield from self.settle_small()
        if self.control.checkable:
            self.relax_more()
            yield
        self.branch(work=0.1 * effort.proof_work(self.problem.n_edges))
        yield
        if self.control.time_limit is None and effort.restarts:
            self.relax_more()
            yield
            for _ in range(effort.restarts):
                self.narrow()
                self.restart()
                yield
        self.branch()
        yield
        if (
            effort.roots
            and not self.problem.is_plain
            and self.control.time_limit is None
            and not self.control.checkable
            and self.is_wide
        ):
            self.hand_over(most_edges=_NUMBERS.root_edges, seconds=np.inf, nodes=1)
            yield

    def settle_small(self) -> Iterator[None]:
        """Under limits, solve problems of few sets (`proven`) by enumeration or by HiGHS."""
        problem = self.problem
        is_small = np.count_nonzero(problem.choosable) <= _NUMBERS.proven
        if problem.is_plain or not is_small or self.control.checkable or not self.effort.climbs:
            return
        self.stopped = self.settle() or self.hand_over(
            most_edges=np.inf, seconds=np.inf, nodes=_NUMBERS.nodes
        )
        yield

    def look_elsewhere(self) -> Iterator[None]:
        """Search from random greedy starts, if the bound is tight: reduced costs decide some sets.

        If the bound is tight, the gap is due to the selection. If no set is decided, as in text,
        more searching gains next to nothing.
        """
        n_open = np.count_nonzero(self.core.choosable)
        if n_open > _NUMBERS.most_open * np.count_nonzero(self.problem.choosable):
            return
        for _ in range(_NUMBERS.hills):
            if relative_gap(self.value, self.bound) <= _NUMBERS.narrow_gap:
                return
            # Search the whole problem, not the narrowed one: the way to a better selection may lead
            # through sets that no best selection has.
            self.core, self.narrowed = self.problem, (-1.0, np.inf, 1.0)
            self.search(blurred_greedy(self.core, self.control.seed + self.searches), effort=0.5)
            yield

    def relax_more(self) -> None:
        """Improve the dual point, by HiGHS's linear program or by `more_steps` steps."""
        if self.is_relaxed or not self.relax_by_program(patient=True):
            self.relax(steps=_NUMBERS.more_steps)

    def search_elsewhere(self) -> Iterator[None]:
        """Restart once; after every `elite` restarts let HiGHS search among the sets they found."""
        self.narrow()
        self.restart()
        yield
        if len(self.elite) == _NUMBERS.elite:
            self.hand_over(among=self.elite)
            self.elite = []
            yield
