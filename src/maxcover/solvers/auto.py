"""`auto`: greedy, dual bound, exchange search, proof, belief propagation, in the order that pays.

Nothing is tuned to an instance; the temperature is a fixed fraction of the mean weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.core import bounds
from maxcover.core.ascending import union
from maxcover.core.bounds import Bound
from maxcover.core.relaxation import DEFAULT_STEPS, Relaxation, below_next
from maxcover.core.solution import relative_gap
from maxcover.machine import available_cores
from maxcover.solvers.bp import first_fit, take
from maxcover.solvers.branching import NODE_SECONDS, least_step, settle
from maxcover.solvers.decimation import HOT, OTHERS, affords_beliefs, believed
from maxcover.solvers.diversity import blurred_greedy, shaken
from maxcover.solvers.exchange import SMALL, Exchange
from maxcover.solvers.folding import FOLD_SECONDS, Folded, fold
from maxcover.solvers.greedy import complete, guarded_greedy
from maxcover.solvers.highs import BUILD_SECONDS
from maxcover.solvers.incumbent import Incumbent
from maxcover.solvers.limited import limited
from maxcover.solvers.program import Program
from maxcover.solvers.starts import fitting, greedy_starts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control, Draft

    Int64s = NDArray[np.int64]

# Problems of so few edges are solved before folding would pay.
_FEW_EDGES = 200
# Above SMALL sets, where searching from both hills does not pay: the first steps of the relaxation,
# enough for a price; searches at most, and their length in usual moves; steps between two looks at
# whether they help, and the part of the gap that a search, or these steps, have to close.
_FIRST_STEPS, _SEARCHES, _LARGE_EFFORT, _STRIDE, _LEAST_LOWERED = 40, 3, 0.2, 20, 0.02
# How much of a set the relaxation takes where a search leaves it out, or in, averaged over so many
# looks that are so many steps apart, after as many before.
_LEFT, _TAKEN, _LOOKS, _LOOK = 0.005, 0.98, 2, 10
# Part of its tree that a branch and bound has searched at least when it is worth four times as much
# work: of those that come to an end then nine in ten have, of the others a half.
_LEAST_SEARCHED = 1e-4
# Seconds that parts take, generously: with a deadline, what would not be through is not begun.
_TRANSPOSE_SECONDS = 8e-8  # per edge, before the first step of the relaxation
_OPEN_SECONDS = 1.5e-7  # per edge, to begin and to end a search
_BOUND_SECONDS = 6e-8  # per edge, to evaluate a bound
# HiGHS gets at most this multiple of the time already spent, and only models of so many edges.
HIGHS_SHARE = 4.0
_HIGHS_EDGES = 200_000
# Without a deadline only the root of its tree, where the gap is wide and the model small.
_WIDE_GAP = 0.02
_ROOT_EDGES = 10_000
# Other hills that are searched from where at most this part of the sets is undecided, until the
# gap is this narrow.
_HILLS, _OPEN, _NARROW_GAP = 3, 0.9, 0.001
# Spare time ends when nothing has improved for this multiple of the time up to the best.
_PATIENCE = 6.0
# Selections that are remembered, for HiGHS to choose among their sets.
_ELITE = 8


def auto(
    problem: CoverageProblem,
    control: Control,
    *,
    threads: int | None = None,
    earlier: Int64s | None = None,
) -> Draft:
    """Find a selection that nothing cheap improves, and prove how good it is.

    At least half of the optimum of plain coverage under one budget, by Greedy+Max, unless the time
    is too short for greedy; in practice far closer. Linear in the edges times a constant number of
    passes. Stops when the bound meets the value, when the target gap is reached, at the deadline,
    or when its schedule is through. With a deadline the rest of the time goes into restarts and, on
    small models, into HiGHS, for at most four times as long as was spent before; it ends early when
    nothing has improved for long. An `earlier` selection takes the place of belief propagation as
    the second hill to search from.

    References
    ----------
    Yaroslavtsev, Zhou and Avdiukhin, "'Bring your own greedy' + Max: near-optimal
    1/2-approximations for submodular knapsack", AISTATS 2020.
    """
    if not problem.is_plain:
        return limited(problem, control, earlier=earlier, plainly=plainly)
    return plainly(problem, control, threads=threads, earlier=earlier).draft()


def plainly(
    problem: CoverageProblem,
    control: Control,
    *,
    threads: int | None = None,
    earlier: Int64s | None = None,
) -> _Auto:
    """Go through the schedule of plain coverage."""
    folds = problem.n_edges > _FEW_EDGES and control.affords(20 * problem.n_edges * FOLD_SECONDS)
    folded = fold(problem) if folds else Folded(problem, problem)
    run = _Auto(folded, control, threads or available_cores())
    run.earlier = earlier
    run.follow(run.schedule())
    run.known = run.known_of_original()
    return run


def exact(problem: CoverageProblem, control: Control, *, earlier: Int64s | None = None) -> Draft:
    """Solve the integer program with HiGHS, warm-started from a short search.

    Optimal when it runs to the end; with a time limit, or stopped by Ctrl-C or by the callback, the
    best found so far with the best bound. Worst-case exponential: good up to some hundred sets,
    hopeless from some thousand. The bound rests on HiGHS's word.

    References
    ----------
    Huangfu and Hall, "Parallelizing the dual revised simplex method", Mathematical Programming
    Computation 10, 2018.
    """
    if not problem.is_plain:
        return limited(problem, control, prove=True, earlier=earlier, plainly=plainly)
    run = _Auto(Folded(problem, problem), control, 1)
    run.earlier = earlier
    run.follow(run.exact_schedule())
    return run.draft()


class _Attempt(NamedTuple):
    """A branch and bound that gave up: what was known, how much it did, and how far it came."""

    value: float = -1.0
    bound: float = np.inf
    work: int = 0
    searched: float = 0.0

    def is_vain_after(self, last: _Attempt) -> bool:
        """Whether nothing has changed, and with this much work the end is still out of sight."""
        same = (self.value, self.bound) == (last.value, last.bound)
        return same and (self.work <= last.work or last.searched < _LEAST_SEARCHED)


class _Auto(Incumbent):
    """The parts that improve the best selection and the bound, and their order."""

    def __init__(self, folded: Folded, control: Control, threads: int) -> None:
        super().__init__(folded.problem, control)
        self.folded, self.threads = folded, threads
        self.relaxation: Relaxation | None = None
        self.core = self.problem
        self.narrowed = (-1.0, np.inf)
        self.searches = 0
        self.attempt = _Attempt()
        self.is_small = self.problem.n_sets <= SMALL
        self.elite: list[Int64s] = []
        self.earlier: Int64s | None = None

    def schedule(self) -> Iterator[None]:
        """Run one part after the other; the caller decides after each whether to go on."""
        effort = self.effort
        if self.control.time_limit is not None:
            self.offer("first that fit", first_fit(self.problem))
            yield
        if self.earlier is not None:
            self.offer("start", self.begin_from(self.earlier))
            yield
        starts = greedy_starts(self.problem, self.control)
        self.offer("greedy", next(starts))
        yield
        if self.is_small and self.affords_relaxation():  # which proves most tiny problems
            self.relax(steps=effort.steps[0])
            yield
        for selected in starts:
            self.offer("greedy", selected)
            yield
        if not self.affords_relaxation():
            self.stopped = "time limit"
            return
        if not self.is_small:
            self.relax(steps=_FIRST_STEPS)
            yield
        if not effort.climbs:
            self.search(self.selected, effort=0.1 if self.is_small else 0.25)
            yield
            return
        yield from self.climb() if self.is_small else self.climb_large()
        yield from self.finish()

    def exact_schedule(self) -> Iterator[None]:
        """Search shortly, and let HiGHS do the rest."""
        self.offer("greedy", guarded_greedy(self.problem, self.control).selected)
        if self.earlier is not None:
            self.offer("start", self.begin_from(self.earlier))
        yield
        self.search(self.selected, effort=0.5)
        yield
        # before the clock runs out: where HiGHS proves nothing in time, this bound is far better
        self.relax(steps=DEFAULT_STEPS)
        yield
        reason = self.hand_over(most_edges=np.inf, seconds=np.inf)
        self.stopped = reason or self.control.why_stopped
        if not reason and self.control.affords(self.problem.n_edges * _BOUND_SECONDS):
            # where nothing is left to add, the residual gains prove it to the last digit
            self.price(bounds.residual_dual(self.problem, self.left, self.selected))
            yield

    def affords_relaxation(self) -> bool:
        """Whether there is time for the transpose, before the first step of the relaxation."""
        return self.control.affords(self.problem.n_edges * _TRANSPOSE_SECONDS)

    def climb_large(self) -> Iterator[None]:
        """Believe first, search from the best; lower the bound last, and only while that helps."""
        self.narrow()
        if self.earlier is None:
            if relative_gap(self.value, self.bound) <= _WIDE_GAP:
                self.lean()
                yield
            self.believe()
            yield
            for hot in OTHERS:
                if relative_gap(self.value, self.bound) > _WIDE_GAP:
                    self.believe(hot)
                    yield
            self.narrow()
        # beliefs have spread the budget well: what is saved in one place is hardly used in another
        for _ in range(_SEARCHES):
            before, gap = self.value, self.bound - self.value
            self.search(self.selected, effort=_LARGE_EFFORT, credited=False)
            yield
            if self.value - before < _LEAST_LOWERED * gap:
                break
        for _ in range(self.effort.steps[1] // _STRIDE):
            before, gap = self.bound, self.bound - self.value
            if self.relaxation is not None and self.relaxation.room < _LEAST_LOWERED * gap:
                return
            self.relax(steps=_STRIDE)
            yield
            if before - self.bound < _LEAST_LOWERED * gap:
                return

    def climb(self) -> Iterator[None]:
        """Search from two hills, that of greedy and that of belief propagation."""
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
            if abs(peak - other) > 1e-9 * peak:  # where two climbs end apart, there is more to find
                self.narrow()
                yield from self.look_elsewhere()
                self.narrow()
                self.search(self.selected, effort=1.5)
                yield

    def finish(self) -> Iterator[None]:
        """Prove the best; with a deadline, use the rest of the time."""
        effort = self.effort
        if self.control.time_limit is None:
            for _ in range(effort.restarts):
                self.narrow()
                self.restart()
                yield
        if self.control.checkable:
            self.relax(steps=500)
            yield
        self.branch(work=effort.proofs[2])
        yield
        if self.control.time_limit is not None:
            yield from self.spare_time()
        elif (
            effort.roots
            and not self.control.checkable
            and relative_gap(self.value, self.bound) > _WIDE_GAP
        ):
            self.hand_over(most_edges=_ROOT_EDGES, seconds=np.inf, nodes=1)
            yield

    def look_elsewhere(self) -> Iterator[None]:
        """Search from other hills where the bound decides some sets, and so is a tight one.

        What is missing there is the fault of the selection. Where nothing is decided, as in text,
        more searching wins next to nothing.
        """
        n_open = np.count_nonzero(self.core.choosable)
        if n_open > _OPEN * np.count_nonzero(self.problem.choosable):
            return
        for _ in range(_HILLS):
            if relative_gap(self.value, self.bound) <= _NARROW_GAP:
                return
            # in the whole problem: between two hills there may be sets that the best has no use for
            self.core, self.narrowed = self.problem, (-1.0, np.inf)
            self.search(blurred_greedy(self.core, self.control.seed + self.searches), effort=0.5)
            yield

    def spare_time(self) -> Iterator[None]:
        """Restart from elsewhere, and let HiGHS try, for longer each time."""
        self.relax(steps=500)
        yield
        is_for_highs = not self.control.checkable and bool(self.hand_over())
        yield
        last = self.control.elapsed
        # HiGHS may still prove what is there, however long ago it was found
        while is_for_highs or self.control.elapsed < (1 + _PATIENCE) * max(self.found_at, 0.05):
            self.narrow()
            self.restart()
            yield
            if len(self.elite) == _ELITE:
                self.hand_over(among=self.elite)
                self.elite = []
                yield
            if is_for_highs and self.control.elapsed > 2 * last:
                self.hand_over()
                last = self.control.elapsed
                yield
            self.branch(work=self.effort.proofs[2])
            yield
        self.stopped = "nothing has improved for long"

    def relax(self, *, steps: int) -> None:
        """Improve the dual point."""
        if self.relaxation is None:
            self.relaxation = Relaxation(self.problem, self.left)
        enough = self.value / max(1.0 - self.control.target_gap, 1e-9)
        dual = self.relaxation.improve(
            target=max(below_next(self.problem, self.value), enough * (1 - 1e-12)),
            steps=steps,
            expired=self.control.leaving(self.problem.n_edges * _BOUND_SECONDS),
            threads=self.threads,
        )
        self.price(dual)

    def decided(self) -> tuple[Int64s, Int64s] | None:
        """Return the sets that every better selection holds, and those that it may hold.

        None if there is no better selection: then the best so far is proven to be the best.
        """
        if self.priced is None:
            return self.problem.required, np.flatnonzero(self.problem.choosable)
        always, never = bounds.fixable_at(self.problem, self.left, self.priced, self.value)
        fixed = union(self.problem.required, np.flatnonzero(always))
        if (always & never).any() or self.problem.excess(fixed):
            self.prove("reduced costs", self.value)
            return None
        return fixed, np.flatnonzero(~(always | never))

    def known_of_original(self) -> Bound | None:
        """Return the best bound by a dual point, evaluated on the problem that was given."""
        if self.known is None or self.known.dual is None or self.folded.class_of is None:
            return self.known
        original = self.folded.original
        dual = self.folded.unfold(self.known.dual)
        value = bounds.dual_bound(original, bounds.reduced(original), dual)
        return Bound(value, self.known.by, dual)

    def search(self, start: Int64s, *, effort: float, credited: bool = True) -> float:
        """Search around a selection by moving a few sets at a time; return the value found."""
        if not self.control.affords(self.problem.n_edges * _OPEN_SECONDS):
            return self.value
        self.searches += 1
        exchange = Exchange(self.core, seed=self.control.seed + self.searches)
        found = exchange.improve(start, effort=effort, control=self.control, credited=credited)
        return self.offer("exchange search", found)

    def begin_from(self, earlier: Int64s) -> Int64s:
        """Return what of an earlier selection is still open, completed."""
        kept = fitting(self.core, earlier)
        return np.concatenate((kept, complete(self.core, kept, expired=self.control.expired)))

    def restart(self) -> None:
        """Search from a selection far from the best one."""
        seed = self.control.seed + self.searches
        draw = shaken(self.core, self.selected, seed) if self.searches % 2 else None
        start = blurred_greedy(self.core, seed) if draw is None else draw
        self.searches += 1
        exchange = Exchange(self.core, seed=self.control.seed + self.searches)
        found = exchange.improve(start, effort=0.5, control=self.control)
        self.offer("restart", found)
        self.elite.append(found)

    def believe(self, hot: float = HOT) -> Int64s:
        """Return what belief propagation would choose; the best so far if there is no time."""
        mean = float(self.folded.original.weights.mean())
        if mean <= 0 or self.relaxation is None or not affords_beliefs(self.core, self.control):
            return self.selected
        price = self.relaxation.dual.price / self.core.ticks.unit
        chosen = self.selected
        for chosen in believed(
            self.core, self.control, price=price, beta=hot / mean, threads=self.threads,
            is_small=self.is_small,
        ):  # fmt: skip
            self.offer("belief propagation", chosen)
        return chosen

    def branch(self, *, work: int) -> None:
        """Settle what reduced costs leave open by branch and bound, if that takes little work."""
        problem, relaxation = self.problem, self.relaxation
        attempt = _Attempt(self.value, self.bound, work)
        if self.control.checkable or attempt.is_vain_after(self.attempt):
            return  # nobody could check it, or it would give up again
        self.attempt = attempt
        split = self.decided()
        if split is None or relaxation is None:
            return
        fixed, rest = split
        nodes = int(work / max(rest.size, 8))
        if not self.control.affords(nodes * rest.size * NODE_SECONDS):
            nodes = int(max(self.control.remaining, 0.0) / (rest.size * NODE_SECONDS))
        if nodes < 4 * rest.size:  # the first way down the tree would not reach a leaf
            return
        # where weights have a unit, the step is that
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
            # whole values: the next one above would have been found
            more = 0.0 if problem.weight_unit else step
            self.prove("branch and bound", found.value + more)

    def narrow(self) -> None:
        """Leave out of the search what reduced costs decide for all selections as good as the best.

        Each of them has what is required here and nothing that is forbidden; so has the best one.
        """
        problem = self.problem
        if self.priced is None or self.narrowed == (self.value, self.bound):
            return
        if not self.control.affords(2 * problem.n_edges * FOLD_SECONDS):
            return
        self.narrowed = self.value, self.bound
        always, never = self.settled(self.priced)
        core = problem.with_choice(
            union(problem.required, np.flatnonzero(always)),
            union(problem.forbidden, np.flatnonzero(never & problem.choosable)),
        )
        self.core = fold(core).problem

    def lean(self) -> None:
        """Leave out of the search what the relaxation takes, or leaves, nearly whole.

        That is no proof, but where the gap is narrow the best selections differ in little else.
        """
        if self.relaxation is None:
            return
        self.leave_open(self.relaxation.selection)  # an early answer
        support = np.zeros(self.problem.n_sets)
        for look in range(2 * _LOOKS):
            self.relax(steps=_LOOK)
            support += (look >= _LOOKS) * self.relaxation.selection / _LOOKS
        self.leave_open(support)

    def leave_open(self, support: NDArray[np.float64]) -> None:
        """Search only among sets of which a fractional selection takes a part; greedily first."""
        problem = self.problem
        if not self.control.affords(2 * problem.n_edges * FOLD_SECONDS):
            return
        sure = np.flatnonzero(problem.choosable & (support > _TAKEN))
        sure = sure[np.argsort(-support[sure], kind="stable")]
        required = union(problem.required, take(problem, sure, problem.required))
        vain = problem.choosable & (support <= _LEFT)
        vain[required] = False
        core = problem.with_choice(required, union(problem.forbidden, np.flatnonzero(vain)))
        self.core, self.narrowed = fold(core).problem, (-1.0, np.inf)
        self.offer("relaxation", next(greedy_starts(self.core, self.control)))

    def hand_over(
        self,
        among: list[Int64s] | None = None,
        *,
        most_edges: float = _HIGHS_EDGES,
        seconds: float | None = None,
        nodes: int | None = None,
    ) -> str:
        """Let HiGHS settle what reduced costs leave open, for a multiple of the time spent so far.

        With `among` only the sets of some selections are open, which proves nothing but is quick.
        Returns why it stopped; nothing if there is no time, or nothing for it to do.
        """
        fixed, rest = self.decided() or (self.selected, self.selected[:0])
        if among is not None:
            rest = rest[np.isin(rest, np.concatenate(among))]
        if not rest.size:
            return ""
        open_edges = int(np.diff(self.problem.indptr)[rest].sum())
        if open_edges > most_edges or not self.control.affords(open_edges * BUILD_SECONDS):
            return ""
        out = np.ones(self.problem.n_sets, dtype=bool)
        out[fixed] = out[rest] = out[self.selected] = False
        smaller = self.problem.with_choice(fixed, np.flatnonzero(out))
        program = Program(fold(smaller).problem, value=self.value)
        if program.is_idle:
            return ""
        if seconds is None:
            seconds = (HIGHS_SHARE if among is None else 0.2) * self.control.elapsed
        reason = self.ask_highs(program, seconds, nodes=nodes, proves=among is None)
        if self.claim is None and program.is_wide and among is None:
            self.look_at_all()
        return reason
