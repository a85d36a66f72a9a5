"""`auto`: greedy, dual bound, exchange search, proofs and belief propagation, in one table.

The facts of a problem (`Facts`) choose the stages, and each stage says when it does not run.
Nothing is tuned to an instance; the temperature is a fixed fraction of the mean weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core import bounds
from maxcover.engine.core.relaxation import DEFAULT_STEPS
from maxcover.engine.core.solution import relative_gap
from maxcover.engine.solvers.bp import BELIEF
from maxcover.engine.solvers.control import INTERRUPTED, Aside
from maxcover.engine.solvers.engine import SPARE_TIME
from maxcover.engine.solvers.exchange import SMALL, usual_moves
from maxcover.engine.solvers.folding import Folded, fold
from maxcover.engine.solvers.greedy import blurred_greedy, greedy_starts
from maxcover.engine.solvers.parts import Parts
from maxcover.engine.solvers.row_filling import breaks_much, first_fit
from maxcover.engine.solvers.seconds import PER_EDGE
from maxcover.engine.solvers.stages import Stage, Unless, fact, listed
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
    return listed(run, run.table())


class Auto(Parts):
    """A run of `auto` or `exact`: the state that stages change, and the table of its stages."""

    strides = 0  # number of strides that `lower_bound` has made
    uses_few = False  # whether the relaxation uses few sets
    is_few = False  # whether few sets are open in the core that is searched
    used = 1.0  # share of the sets that the relaxation uses
    has_promised = False  # whether promising sets were searched
    peaks = 0.0, 0.0  # what the two searches of a small problem ended at

    proves = True  # whether proofs follow the searches

    def table(self) -> tuple[Stage, ...]:
        """Return the schedule that the facts of the problem choose."""
        if self.method == "exact":
            return (*FIRST, *EXACT)
        if self.facts.effort == "fast":
            return (*FIRST, *FAST)
        searches = SMALL_PROBLEMS if self.is_small else LARGE_PROBLEMS
        spare = SPARE_TIME if self.facts.deadline else ()
        return (*FIRST, *searches, *((*PROOFS, *spare) if self.proves else ()))

    @property
    def price_steps(self) -> int:
        """Dual steps before the first search under limits or returns."""
        return self.numbers.strong_steps if self.problem.strength.size else self.numbers.price_steps

    @property
    def is_vague(self) -> bool:
        """Whether the relaxation says little of single sets: by chances, or by a wide gap."""
        problem = self.problem
        return bool(problem.returns.of.size and (problem.strength.size or self.is_wide))

    @property
    def is_wide(self) -> bool:
        """Whether the gap between value and bound is still wide."""
        return relative_gap(self.value, self.bound) > self.numbers.wide_gap

    def relax_more(self) -> None:
        """Improve the dual point, by HiGHS's linear program or by `more_steps` steps."""
        if self.is_relaxed or not self.relax_by_program(patient=True):
            self.relax(steps=self.numbers.more_steps)

    def search_elsewhere(self) -> Iterator[None]:
        """Restart once; after every `elite` restarts let HiGHS search among the sets they found."""
        self.narrow()
        self.restart()
        yield
        if len(self.elite) == self.numbers.elite:
            self.hand_over(among=self.elite)
            self.elite = []
            yield

    def found_in(self, problem: CoverageProblem) -> Int64s:
        """Return the selection of a run on another problem that has the same sets."""
        run = opened(problem, Aside(other=self.control), self.threads)
        run.proves = False
        run.follow(run.schedule())
        if run.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        return run.chosen


def first_selections(run: Auto) -> Iterator[None]:
    """Take the first sets that fit; under limits, fill the minima first."""
    if run.facts.is_plain:
        run.offer("first that fit", first_fit(run.problem))
    else:
        run.first()
    yield


def ignore_limits(run: Auto) -> Iterator[None]:
    """Solve the problem without its limits, whose bound holds too; repair what breaks few limits.

    That run ends early when its selection breaks limits by more than `tolerance`. If it breaks
    none, the schedule ends.
    """
    problem = run.problem
    inner = opened(
        run.beside(problem.costs, problem.budget),
        Aside(other=run.control, share=run.numbers.plain_share),
        run.threads,
    )
    for _ in inner.schedule():
        # Greedy breaks limits that the first search of a small problem keeps.
        is_early = inner.is_small and not inner.searches
        is_hopeless = not is_early and breaks_much(problem, inner.chosen, run.numbers.tolerance)
        if is_hopeless or inner.is_done():
            break
    run.take_over(inner)
    if not problem.violation(inner.chosen):
        run.offer("without limits", inner.chosen)
        yield
        if not run.facts.deadline:
            run.branch(work=run.effort.proofs[1])
            yield
            run.ended = "the best selection without limits keeps all of them"
        return
    if not breaks_much(problem, inner.chosen, run.numbers.tolerance):
        repaired = run.begin_from(inner.chosen)
        if not problem.violation(repaired):
            run.offer("repaired", repaired)
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
    run.relax(steps=plain if run.facts.is_plain else run.price_steps)
    yield


def round_up(run: Auto) -> Iterator[None]:
    """Take the sets that the relaxation takes by more than half, and complete them greedily."""
    run.round()
    yield


def short_search(run: Auto) -> Iterator[None]:
    """Exchange sets, briefly, from the best selection."""
    effort = run.numbers.small_effort if run.is_small else run.numbers.brief_effort
    run.search(run.selected, effort=effort)
    yield


def all_cases(run: Auto) -> Iterator[None]:
    """Search the tree of a handful of sets."""
    run.branch()
    yield


def first_proof(run: Auto) -> Iterator[None]:
    """Search the tree for a few milliseconds."""
    run.branch(work=run.effort.proofs[0])
    yield


def relax_on(run: Auto) -> Iterator[None]:
    """Make more dual steps."""
    run.relax(steps=run.effort.steps[1])
    yield


def second_proof(run: Auto) -> Iterator[None]:
    """Search the tree for some more milliseconds; then fix the sets that reduced costs decide."""
    run.branch(work=run.effort.proofs[1])
    yield
    run.narrow()


def two_hills(run: Auto) -> Iterator[None]:
    """Exchange sets from what belief propagation finds, and from the best selection before."""
    found = run.selected
    believed = run.believe() if run.earlier is None else run.begin_from(run.earlier)
    peak = run.search(believed, effort=0.5)
    yield
    if run.earlier is None:
        run.peaks = peak, run.search(found, effort=0.5)
        yield


def look_elsewhere(run: Auto) -> Iterator[None]:
    """Exchange sets from random greedy selections if the gap is narrow; then longer, from the best.

    If the bound is tight, the gap is due to the selection. If no set is decided, as in text,
    more searching from elsewhere gains next to nothing.
    """
    run.narrow()
    n_open = np.count_nonzero(run.core.choosable)
    for _ in range(run.numbers.hills):
        if n_open > run.numbers.most_open * np.count_nonzero(run.problem.choosable):
            break
        if relative_gap(run.value, run.bound) <= run.numbers.narrow_gap:
            break
        # Search the whole problem, not the narrowed one: the way to a better selection may lead
        # through sets that no best selection has.
        run.core, run.narrowed = run.problem, (-1.0, np.inf, 1.0)
        run.search(blurred_greedy(run.core, run.control.seed + run.searches), effort=0.5)
        yield
    run.narrow()
    run.search(run.selected, effort=1.5)
    yield


def narrow(run: Auto) -> Iterator[None]:
    """Fix the sets that reduced costs decide; see how many sets the relaxation uses."""
    run.narrow()
    relaxed = run.relaxed_sets()
    run.uses_few = run.has_few(relaxed, np.inf if run.is_vague else SMALL)
    run.used = np.count_nonzero(relaxed) / relaxed.size
    run.is_few = run.has_few(run.core.choosable)
    yield from ()


def lower_bound(run: Auto) -> Iterator[None]:
    """Make dual steps while the bound falls."""
    strong = bool(run.problem.strength.size)
    most = run.numbers.strong_strides if strong else run.effort.steps[1] // run.numbers.stride
    while run.strides < most:
        run.strides += 1
        before, gap = run.bound, run.bound - run.value
        if run.relaxation is not None and run.relaxation.room < run.numbers.least_lowered * gap:
            return
        run.relax(steps=run.numbers.stride)
        yield
        if before - run.bound < run.numbers.least_lowered * gap:
            return


def leave_open(run: Auto) -> Iterator[None]:
    """Search only the sets that the relaxation takes in part."""
    run.lean()
    run.is_few = run.has_few(run.core.choosable)
    yield


def solve_core(run: Auto) -> Iterator[None]:
    """Solve the few open sets as a problem of their own."""
    run.offer("core", run.found_in(run.core))
    yield
    if run.is_wide:
        run.narrow(part=run.numbers.near)


def believe(run: Auto) -> Iterator[None]:
    """Fix the sets believed in most, round by round, at a falling temperature."""
    run.believe()
    yield


def believe_otherwise(run: Auto) -> Iterator[None]:
    """Do the same from other temperatures, until the gap is narrow."""
    for hot in BELIEF.others:
        if run.is_wide:
            run.believe(hot)
            yield


def merge_limits(run: Auto) -> Iterator[None]:
    """Solve with all limits merged by their dual prices into one budget; offer what fits.

    Nothing is done if all prices are 0, or if the required sets alone exceed that budget.
    """
    rows, rates, prices = run.problem.rows, run.rates, run.prices
    if rates is None or prices is None:
        return
    worth = float((rates * np.where(rates > 0, rows.high, rows.low)).sum())
    if worth <= 0.0:  # the prices of minima are negative
        return
    spent = np.floor(prices * (run.numbers.ticks / worth))
    if float(spent[run.problem.required].sum()) > run.numbers.ticks:
        return
    found = run.begin_from(run.found_in(run.beside(spent, run.numbers.ticks)))
    if not run.problem.violation(found):
        run.offer("one budget", found)
    yield


def search_promising(run: Auto) -> Iterator[None]:
    """Exchange sets among those of most profit, as long as it helps."""
    run.has_promised = True
    run.promise(run.relaxed_sets())
    n_open = int(np.count_nonzero(run.core.choosable))
    moves = (run.numbers.promising_moves, run.numbers.strong_moves)
    effort = moves[bool(run.problem.strength.size)] / usual_moves(n_open)
    yield from search_on(run, run.numbers.searches, effort)


def search(run: Auto) -> Iterator[None]:
    """Exchange sets from the best selection; under limits by annealing, or as long as it helps."""
    if not (run.is_few and run.is_wide):
        run.narrow()
    if run.facts.is_plain:
        yield from search_on(run, 1, run.numbers.effort)
    else:
        searches = 1 if run.is_annealed else run.numbers.searches
        yield from search_on(run, searches, run.numbers.limited_effort)


def search_on(run: Auto, searches: int, effort: float) -> Iterator[None]:
    """Exchange sets from the best selection, at most `searches` times, while that helps."""
    plain, strong = run.problem.is_plain, bool(run.problem.strength.size)
    for _ in range(searches):
        before = run.value
        # After belief propagation the budget is spread so well that budget saved in one place
        # is hardly of use in another.
        run.search(run.selected, effort=effort, credited=not plain)
        yield
        raised = run.numbers.strong_raised if strong else run.numbers.least_raised
        if run.value - before < raised * run.value:
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


def first_tree(run: Auto) -> Iterator[None]:
    """Search the tree for a tenth of the work of this effort."""
    run.branch(work=0.1 * run.effort.proof_work(run.problem.n_edges))
    yield


def restarts(run: Auto) -> Iterator[None]:
    """Make many dual steps; then search from selections that are shaken or drawn."""
    run.relax_more()
    yield
    for _ in range(run.effort.restarts):
        run.narrow()
        run.restart()
        yield


def tree(run: Auto) -> Iterator[None]:
    """Search the tree for the work of this effort."""
    run.branch()
    yield


PLAIN = fact("the budget is the only limit, and elements count once", lambda facts: facts.is_plain)
LIMITED = fact("there are other limits or returns", lambda facts: not facts.is_plain)
RETURNS = fact("elements do not count once", lambda facts: facts.returns != "once")
STARTED = fact("a start was given", lambda facts: facts.start)
PLAIN_START = fact("a start was given", lambda facts: facts.start and facts.is_plain)
DEADLINE = fact("time left over is used otherwise", lambda facts: facts.deadline)
NOT_THOROUGH = fact("only effort thorough does", lambda facts: facts.effort != "thorough")
NARROW_GAP = Unless("the gap is at most {numbers.wide_gap:.0%}", lambda run: not run.is_wide)
USES_MANY = Unless("the relaxation uses many sets", lambda run: not run.uses_few)
VAGUE = Unless("the relaxation says little of single sets", lambda run: run.is_vague)

#: What every run begins with.
FIRST = (
    Stage(
        "first sets that fit",
        first_selections,
        (
            PLAIN_START,
            fact(
                "without limits, returns or a deadline greedy comes soon enough",
                lambda facts: facts.is_plain and not facts.deadline,
            ),
        ),
    ),
    Stage("without limits", ignore_limits, (PLAIN, RETURNS)),
    Stage("start", use_start, (fact("no start was given", lambda facts: not facts.start),)),
    Stage("greedy", greedy),
    Stage("relaxation", relax_first),
    Stage("rounded relaxation", round_up, (PLAIN,)),
    Stage(
        "short search",
        short_search,
        (
            fact(
                "without limits and returns, and on large problems, longer searches follow",
                lambda facts: facts.effort != "fast" and (facts.is_plain or not facts.is_small),
            ),
        ),
    ),
)
#: What follows with effort `fast`.
FAST = (
    Stage(
        "all cases",
        all_cases,
        (
            Unless(
                "there are more than {numbers.tiny} candidate sets",
                lambda run: run.facts.sets > run.numbers.tiny,
                is_fact=True,
            ),
        ),
    ),
)
#: What follows where there are few candidate sets.
SMALL_PROBLEMS = (
    Stage("search", short_search),
    Stage("tree, briefly", first_proof),
    Stage("more dual steps", relax_on),
    Stage("tree, longer", second_proof),
    Stage("search from beliefs and from before", two_hills),
    Stage(
        "search elsewhere",
        look_elsewhere,
        (
            STARTED,
            Unless(
                "both searches ended at the same value",
                lambda run: min(run.peaks) >= (1 - 1e-9) * max(run.peaks),
            ),
        ),
    ),
)
#: What follows where there are many.
LARGE_PROBLEMS = (
    Stage("narrow", narrow, (PLAIN_START,)),
    Stage("early dual steps", lower_bound, (PLAIN_START, USES_MANY, NARROW_GAP)),
    Stage(
        "leave open what the relaxation takes in part",
        leave_open,
        (
            PLAIN_START,
            VAGUE,
            Unless(
                "the gap is wide and the relaxation uses many sets",
                lambda run: run.is_wide and not run.uses_few,
            ),
        ),
    ),
    Stage(
        "core by itself",
        solve_core,
        (PLAIN_START, Unless("many sets are open", lambda run: not run.is_few)),
    ),
    Stage(
        "belief propagation",
        believe,
        (
            LIMITED,
            STARTED,
            Unless("the core solved it well", lambda run: run.is_few and not run.is_wide),
        ),
    ),
    Stage("beliefs at other temperatures", believe_otherwise, (LIMITED, STARTED, NARROW_GAP)),
    Stage(
        "limits merged into one budget",
        merge_limits,
        (
            PLAIN,
            RETURNS,
            NARROW_GAP,
            Unless(
                "the relaxation uses more than {numbers.merge_used:.0%} of the sets",
                lambda run: run.used > run.numbers.merge_used,
            ),
        ),
    ),
    Stage(
        "search among promising sets",
        search_promising,
        (
            fact("elements count once", lambda facts: facts.returns == "once"),
            USES_MANY,
            Unless("the relaxation says much", lambda run: not run.is_vague),
        ),
    ),
    Stage(
        "search",
        search,
        (
            Unless("promising sets were searched", lambda run: run.has_promised),
            Unless(
                "the core was searched",
                lambda run: run.is_annealed and run.is_few and not run.is_wide,
            ),
        ),
    ),
    Stage("dual steps", lower_bound),
)
#: What follows on all problems.
PROOFS = (
    Stage(
        "dual steps for a bound that can be checked",
        relax_more,
        (fact("any bound will do", lambda facts: not facts.checkable),),
    ),
    Stage("tree, a tenth", first_tree, (DEADLINE, NOT_THOROUGH)),
    Stage(
        "restarts",
        restarts,
        (DEADLINE, NOT_THOROUGH),
    ),
    Stage("tree", tree),
)
#: What `exact` does after the first stages.
EXACT = (
    Stage("search and dual steps", search_before_highs),
    Stage("HiGHS", settle_all),
)
