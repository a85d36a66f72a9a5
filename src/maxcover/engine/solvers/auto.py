"""`auto`: greedy, dual bound, exchange search, proofs and belief propagation, in one table.

The facts of a problem (`Facts`) choose the stages, and each stage says when it does not run.
Nothing is tuned to an instance; the temperature is a fixed fraction of the mean weight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core import bounds
from maxcover.engine.core.relaxation import DEFAULT_STEPS
from maxcover.engine.core.solution import relative_gap
from maxcover.engine.solvers.control import INTERRUPTED
from maxcover.engine.solvers.engine import spare_time
from maxcover.engine.solvers.folding import Folded, fold
from maxcover.engine.solvers.greedy import blurred_greedy, greedy_starts
from maxcover.engine.solvers.parts import NEVER, Parts, without_limits
from maxcover.engine.solvers.row_filling import first_fit
from maxcover.engine.solvers.seconds import PER_EDGE
from maxcover.engine.solvers.stages import Stage, Unless, listed, unless
from maxcover.ground.machine import available_cores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.control import Control, Draft
    from maxcover.ground.array_types import Int64s


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
    run = opened(problem, control, threads or available_cores(), earlier)
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
    run = Auto(Folded(problem, problem), control, 1, earlier)
    run.method = "exact"
    run.follow(run.schedule())
    return run.result()


def opened(
    problem: CoverageProblem, control: Control, threads: int, earlier: Int64s | None = None
) -> Auto:
    """Return a run of `auto` on `problem`; the problem is folded first (see `Folded`)."""
    found = Folded(problem, problem)
    if control.affords(20 * problem.n_edges * PER_EDGE.fold):
        found = (fold(problem) if problem.is_plain else found).packed()
    return Auto(found, control, threads, None if earlier is None else found.inside(earlier))


def scheduled(problem: CoverageProblem, control: Control, earlier: Int64s | None) -> str:
    """Return the stages that `auto` may run, and what each of them depends on."""
    run = opened(problem, control, 1, earlier)
    return listed(run.facts, run.numbers, run.table())


class Auto(Parts):
    """A run of `auto` or `exact`: the state that stages change, and the table of its stages."""

    def table(self) -> tuple[Stage, ...]:
        """Return the schedule that the facts of the problem choose."""
        if self.method == "exact":
            return (*FIRST, *EXACT)
        if self.facts.effort == "fast":
            return (*FIRST, *FAST)
        searches = SMALL_PROBLEMS if self.is_small else LARGE_PROBLEMS
        return (*FIRST, *searches, *PROOFS, *(SPARE_TIME if self.facts.deadline else ()))

    def relax_more(self) -> None:
        """Improve the dual point, by HiGHS's linear program or by `more_steps` steps."""
        if self.is_relaxed or not self.relax_by_program(patient=True):
            self.relax(steps=self.numbers.more_steps)

    def search_elsewhere(self) -> Iterator[None]:
        """Restart once."""
        self.narrow()
        self.restart()
        yield


def first_selections(run: Auto) -> Iterator[None]:
    """Take the first sets that fit; under limits, fill the minima first."""
    if run.facts.is_plain:
        run.offer("first that fit", first_fit(run.problem))
    else:
        run.first()
    yield


def ignore_limits(run: Auto) -> Iterator[None]:
    """Solve the problem without its limits; if the answer keeps them, the search ends."""
    control = replace(
        run.control, callback=lambda _: run.control.expired(), trace=[], stages=[], exponent=0
    )
    inner = opened(without_limits(run.problem), control, run.threads)
    inner.follow(inner.schedule())
    if inner.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    known, claim = inner.known_of_original(), inner.best.claim
    if known is not None and known.dual is not None:
        run.price(known.dual)
    if claim is not None:
        run.prove(claim.by, claim.value)
    if not run.problem.violation(inner.chosen):
        run.offer("without limits", inner.chosen)
        run.branch(work=run.effort.proofs[1])
        run.ended = "the best selection without limits keeps all of them"
    yield


def use_start(run: Auto) -> Iterator[None]:
    """Make the earlier selection fit, and complete it greedily."""
    start = run.begin_from(run.problem.required if run.earlier is None else run.earlier)
    if not run.problem.violation(start):
        run.offer("start", start)
    yield


def greedy(run: Auto) -> Iterator[None]:
    """Take the most gain per price first; with one budget, Greedy+Max too: half of the optimum."""
    if run.facts.is_plain:
        for selected in greedy_starts(run.problem, run.control):
            run.offer("greedy", selected)
            yield
    else:
        run.try_start("greedy", run.problem.required)
        yield


def relax_first(run: Auto) -> Iterator[None]:
    """Make dual steps: an upper bound, prices of budget and limits, and a share of each element."""
    if not run.affords_relaxation():
        run.stopped = run.ended = "time limit"
        return
    plain = run.effort.steps[0] if run.is_small else run.numbers.first_steps
    run.relax(steps=plain if run.facts.is_plain else run.numbers.price_steps)
    yield


def round_up(run: Auto) -> Iterator[None]:
    """Take the sets that the relaxation takes by more than half, and complete them greedily."""
    run.round()
    yield


def short_search(run: Auto) -> Iterator[None]:
    """Exchange sets, briefly, from the best selection; under limits and for returns again."""
    effort = run.numbers.small_effort if run.is_small else run.numbers.brief_effort
    run.search(run.selected, effort=effort)
    yield
    if run.is_small and not run.facts.is_plain and run.facts.effort != "fast":
        run.search(run.selected, effort=effort)
        yield


def all_cases(run: Auto) -> Iterator[None]:
    """Search the tree of a handful of sets."""
    run.branch()
    yield


def first_proof(run: Auto) -> Iterator[None]:
    """Search the tree for a few milliseconds, make dual steps, and search it for some more."""
    run.branch(work=run.effort.proofs[0])
    yield
    run.relax(steps=run.effort.steps[1])
    yield
    run.branch(work=run.effort.proofs[1])
    yield


def search_small(run: Auto) -> Iterator[None]:
    """Exchange sets from beliefs and from before; if they end apart, from elsewhere, and longer.

    Elsewhere is a greedy selection by random weights, of which `hills` are tried while the gap is
    above `narrow_gap`. If few sets are decided, as in text, that gains next to nothing.
    """
    run.narrow()
    found = run.selected
    believed = run.believe() if run.earlier is None else run.begin_from(run.earlier)
    peak = run.search(believed, effort=0.5)
    yield
    if run.earlier is not None:
        return
    other = run.search(found, effort=0.5)
    yield
    if min(peak, other) >= (1 - 1e-9) * max(peak, other):
        return
    run.narrow()
    n_open, n_sets = (np.count_nonzero(one.choosable) for one in (run.core, run.problem))
    for _ in range(run.numbers.hills if n_open <= run.numbers.most_open * n_sets else 0):
        if relative_gap(run.value, run.bound) <= run.numbers.narrow_gap:
            break
        # Search the whole problem, not the narrowed one: the way to a better selection may lead
        # through sets that no best selection has.
        run.core, run.narrowed = run.problem, NEVER
        run.search(blurred_greedy(run.core, run.control.seed + run.searches), effort=0.5)
        yield
    run.narrow()
    run.search(run.selected, effort=1.5)
    yield


def believe(run: Auto) -> Iterator[None]:
    """Fix the sets believed in most, round by round, among those the relaxation leaves open."""
    run.narrow()
    if relative_gap(run.value, run.bound) <= run.numbers.wide_gap:
        run.lean()
        yield
    run.believe()
    yield


def search(run: Auto) -> Iterator[None]:
    """Exchange sets from the best selection; under limits by annealing, or as long as it helps."""
    run.narrow()
    plain = run.facts.is_plain
    searches = 1 if plain or run.is_annealed else run.numbers.searches
    for _ in range(searches):
        before = run.value
        # After belief propagation the budget is spread so well that budget saved in one place
        # is hardly of use in another.
        effort = run.numbers.effort if plain else run.numbers.limited_effort
        run.search(run.selected, effort=effort, credited=not plain)
        yield
        if run.value - before < run.numbers.least_raised * run.value:
            return


def lower_bound(run: Auto) -> Iterator[None]:
    """Make dual steps while the bound falls."""
    for _ in range(run.effort.steps[1] // run.numbers.stride):
        before, gap = run.bound, run.bound - run.value
        if run.relaxation is not None and run.relaxation.room < run.numbers.least_lowered * gap:
            return
        run.relax(steps=run.numbers.stride)
        yield
        if before - run.bound < run.numbers.least_lowered * gap:
            return


def search_before_highs(run: Auto) -> Iterator[None]:
    """Exchange sets from the best selection; then make as many dual steps as `certify` does.

    This bound is far better than that of HiGHS if HiGHS does not finish.
    """
    run.search(run.selected, effort=0.5)
    yield
    run.relax(steps=DEFAULT_STEPS)
    yield


def settle_all(run: Auto) -> Iterator[None]:
    """Prove the optimum by HiGHS, however long it takes."""
    reason = run.hand_over(most_edges=np.inf, seconds=np.inf)
    if not reason and run.control.affords(run.problem.n_edges * PER_EDGE.bound):
        # HiGHS had nothing to decide. If no set can add anything, this bound equals the value
        # exactly.
        run.price(bounds.residual_dual(run.problem, run.left, run.selected))
    run.stopped = reason or run.control.why_stopped
    yield from ()


def relax_more(run: Auto) -> Iterator[None]:
    """Make many dual steps, or take the dual point of HiGHS's linear program."""
    run.relax_more()
    yield


def restarts(run: Auto) -> Iterator[None]:
    """Search a tenth of the tree, make many dual steps; then search from shaken selections."""
    run.branch(work=0.1 * run.effort.proof_work(run.problem.n_edges))
    yield
    run.relax_more()
    yield
    for _ in range(run.effort.restarts):
        yield from run.search_elsewhere()


def tree(run: Auto) -> Iterator[None]:
    """Search the tree for the work of this effort."""
    run.branch()
    yield


PLAIN = unless("there is one budget and elements count once", lambda facts: facts.is_plain)
LIMITED = unless(
    "there are limits beside one budget, or elements count by a curve or strengths",
    lambda facts: not facts.is_plain,
)
STARTED = unless("a start was given", lambda facts: facts.start)
DEADLINE = unless("there is a deadline", lambda facts: facts.deadline)

#: What every run begins with.
FIRST = (
    Stage(
        "first sets that fit",
        first_selections,
        (
            unless(
                "there is one budget, elements count once, and there is no deadline",
                lambda facts: facts.is_plain and not facts.deadline,
            ),
            unless(
                "there is one budget, elements count once, and there is a start",
                lambda facts: facts.is_plain and facts.start,
            ),
        ),
    ),
    Stage(
        "without limits",
        ignore_limits,
        (
            unless("the facts do not say: that greedy keeps anyhow", lambda facts: not facts.idle),
            STARTED,
            DEADLINE,
        ),
    ),
    Stage("start", use_start, (unless("no start was given", lambda facts: not facts.start),)),
    Stage("greedy", greedy),
    Stage("relaxation", relax_first),
    Stage("rounded relaxation", round_up, (PLAIN,)),
)
#: What follows with effort `fast`.
FAST = (
    Stage("short search", short_search),
    Stage(
        "all cases",
        all_cases,
        (
            Unless(
                "there are more than {numbers.tiny} candidate sets",
                lambda facts, numbers: facts.sets > numbers.tiny,
            ),
        ),
    ),
)
#: What follows where there are few candidate sets.
SMALL_PROBLEMS = (
    Stage("short search", short_search),
    Stage("first proof", first_proof),
    Stage("search", search_small),
)
#: What follows where there are many.
LARGE_PROBLEMS = (
    Stage("belief propagation", believe, (LIMITED, STARTED)),
    Stage("search", search),
    Stage("dual steps", lower_bound),
)
#: What follows on all problems.
PROOFS = (
    Stage(
        "dual steps for a bound that can be checked",
        relax_more,
        (unless("a checkable bound was not asked for", lambda facts: not facts.checkable),),
    ),
    Stage(
        "restarts",
        restarts,
        (
            unless("effort is not thorough", lambda facts: facts.effort != "thorough"),
            DEADLINE,
        ),
    ),
    Stage("tree", tree),
)
#: What follows with a deadline.
SPARE_TIME = spare_time(Auto.relax_more, Auto.search_elsewhere, Auto.branch, Auto.hand_over)
#: What `exact` does after the first stages.
EXACT = (
    Stage("search and dual steps", search_before_highs),
    Stage("HiGHS", settle_all),
)
