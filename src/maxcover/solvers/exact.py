"""Branch and bound by HiGHS: the integer program of the paper's first equation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.core import bounds
from maxcover.core.bounds import Bound, Claim
from maxcover.core.relaxation import Relaxation, below_next
from maxcover.solvers.control import Draft
from maxcover.solvers.exchange import Exchange
from maxcover.solvers.exhaustive import exhaustive
from maxcover.solvers.folding import fold
from maxcover.solvers.greedy import complete, guarded_greedy
from maxcover.solvers.highs import BUILD_SECONDS, HighsRun
from maxcover.solvers.program import Program
from maxcover.solvers.starts import earlier_start

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control

    Int64s = NDArray[np.int64]


def exact(
    problem: CoverageProblem,
    control: Control,
    *,
    start: Int64s | None = None,
    earlier: Int64s | None = None,
    most_seconds: float = np.inf,
    root: bool = False,
) -> Draft:
    """Solve the integer program with HiGHS, warm-started from the best heuristic.

    Optimal when it runs to the end; with a time limit, or stopped by Ctrl-C or by the callback, the
    best found so far with HiGHS's own dual bound. Worst-case exponential: good up to some hundred
    sets, hopeless from some thousand. The bound rests on HiGHS's word. With `root` HiGHS presolves,
    cuts and searches at the root of its tree, and does not branch.

    References
    ----------
    Huangfu and Hall, "Parallelizing the dual revised simplex method", Mathematical Programming
    Computation 10, 2018.
    """
    warm = _good_start(problem, control, earlier) if start is None else start
    known = None
    if start is None and not control.expired():
        # before the clock runs out: where HiGHS proves nothing in time, this bound is far better
        left = bounds.reduced(problem)
        dual = Relaxation(problem, left).improve(expired=control.expired)
        value = bounds.round_down(problem, bounds.dual_bound(problem, left, dual))
        known = Bound(value, "dual point", dual)
    build = 0.0 if start is not None else problem.n_edges * BUILD_SECONDS
    if control.expired() or not control.affords(build):
        return Draft(warm, control.why_stopped, known=known)
    program = Program(fold(problem).problem, value=problem.value(warm))
    if program.is_idle:
        # then the residual gains, which `certify` looks at, prove it to the last digit
        return Draft(warm, "no set that is left can add anything")
    run = HighsRun(program, control, warm)
    control.report("exact", problem.value(warm), np.inf)
    if root:
        run.highs.setOptionValue("mip_max_nodes", 1)
    reason = run.until_done(min(most_seconds, control.remaining))
    found, claim = run.selection(), run.claim()
    if found is not None:
        completed = np.concatenate((found, complete(problem, found)))
        warm = max(warm, completed, key=problem.value)
    if claim is None and known is not None and known.dual is not None and program.is_wide:
        at = bounds.priced(problem, left, known.dual)
        at = at._replace(bound=at.bound + left.base)
        better = exhaustive(problem, at, below_next(problem, problem.value(warm)))
        if better is not None:
            warm = max(warm, better, key=problem.value)
            claim = Claim(problem.value(warm), "branch and bound")
    if run.is_too_coarse:
        reason = "what HiGHS found breaks a limit by less than HiGHS can see"
    return Draft(warm, reason, known=known, claim=claim)


def _good_start(problem: CoverageProblem, control: Control, earlier: Int64s | None) -> Int64s:
    """Return what a short exchange search makes of greedy or of an earlier selection."""
    begin = guarded_greedy(problem, control).selected
    if earlier is not None:
        kept = earlier_start(problem, earlier, control.expired)
        begin = max(begin, kept, key=problem.value)
    if control.expired():
        return begin
    return Exchange(problem, seed=control.seed).improve(begin, effort=0.5, control=control)
