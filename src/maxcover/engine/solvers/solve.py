"""`solve`: one function for every method."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np

from maxcover.engine.core import bounds, stability
from maxcover.engine.core.bounds import round_down
from maxcover.engine.core.relaxation import Relaxation
from maxcover.engine.core.solution import Trace, certify
from maxcover.engine.solvers.auto import auto, exact, scheduled
from maxcover.engine.solvers.bp import bp, decimation
from maxcover.engine.solvers.control import Control, Draft, check_able, working_time
from maxcover.engine.solvers.descent import relaxed_dual
from maxcover.engine.solvers.folding import raised, tamed, within_reach
from maxcover.engine.solvers.greedy import enumerate_pairs, g_greedy, greedy, guarded_greedy
from maxcover.engine.solvers.numbers import NUMBERS
from maxcover.engine.solvers.seconds import GRACE, PER_EDGE
from maxcover.errors import OptionError
from maxcover.ground.options import check_names, checked, names_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from maxcover.engine.core.bounds import BoundName, Dual
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution
    from maxcover.engine.solvers.beliefs import CoverageName, ScheduleName
    from maxcover.engine.solvers.bp import FirstName
    from maxcover.engine.solvers.control import Callback
    from maxcover.engine.solvers.effort import EffortName
    from maxcover.engine.solvers.numbers import Numbers


@dataclass(frozen=True, kw_only=True)
class Method:
    """One solution method: an entry of the table `METHODS`.

    Attributes
    ----------
    run : callable
        ``(problem, control, **options) -> Draft``.
    title : str
        One line for tables and help texts.
    guarantee : float
        The fraction of the optimum that is always reached under one budget without other limits; 0
        if there is no guarantee.
    exact : bool
        Whether an uninterrupted run ends at a proven optimum.
    options : tuple of str
        Names of the further keyword options of `run`.
    starts : bool
        Whether the method can begin from an earlier selection: `run` takes ``earlier``.
    minima : bool
        Whether the method tries to meet minima; it may fail to.
    returns : bool
        Whether the method handles elements that do not simply count once when covered.
    """

    run: Callable[..., Draft]
    title: str
    guarantee: float = 0.0
    exact: bool = False
    options: tuple[str, ...] = ()
    starts: bool = False
    minima: bool = False
    returns: bool = True


# `_MANY_PASSES`: the dual bound is improved only if the time left allows more than this many passes
# over the edges. `_GRACE_SHARE`: the bound may end this fraction of the time limit after the
# deadline.
_MANY_PASSES, _GRACE_SHARE = 200, 0.02


#: The names of `METHODS`, for type checkers.
MethodName = Literal[
    "auto", "greedy", "g-greedy", "guarded-greedy", "enumerate", "bp", "bp-decimation", "exact"
]

# Options of the methods by belief propagation.
_SWEEPING = ("beta", "mu", "coverage", "max_sweeps", "tol", "damping", "schedule", "init")

METHODS: dict[str, Method] = {
    "auto": Method(
        run=auto,
        title="greedy, dual bound, belief propagation, exchange search, proof; nothing to tune",
        guarantee=0.5,
        options=("threads",),
        starts=True,
        minima=True,
    ),
    "greedy": Method(run=greedy, title="most new weight first, whatever it costs"),
    "g-greedy": Method(
        run=g_greedy, title="most new weight per cost first: the paper's Algorithm 1"
    ),
    "guarded-greedy": Method(
        run=guarded_greedy,
        title="g-greedy, and g-greedy after the best single set; at least 0.405 of the optimum",
        guarantee=0.405,
    ),
    "enumerate": Method(
        run=enumerate_pairs,
        title="g-greedy after every start of up to two sets; at least 0.632 of the optimum",
        guarantee=1 - 1 / 2.718281828459045,
    ),
    "bp": Method(
        run=bp,
        title="belief propagation, ranked once: the paper's Algorithm 2",
        options=(*_SWEEPING, "threads"),
        returns=False,
    ),
    "bp-decimation": Method(
        run=decimation,
        title="belief propagation, run again after every pick",
        options=(*_SWEEPING, "batches", "threads"),
        returns=False,
    ),
    "exact": Method(
        run=exact,
        title="branch and bound by HiGHS",
        guarantee=1.0,
        exact=True,
        starts=True,
        minima=True,
    ),
}


class MethodOptions(TypedDict, total=False):
    """The options of single methods, for functions that pass them on to `solve`."""

    beta: float | None
    mu: float | None
    coverage: CoverageName | None
    max_sweeps: int | None
    tol: float | None
    damping: float | None
    schedule: ScheduleName | None
    init: FirstName | None
    batches: int | None
    threads: int | None


@checked
def solve(
    problem: CoverageProblem,
    *,
    method: MethodName = "auto",
    time_limit: float | None = None,
    target_gap: float = 0.0,
    seed: int = 0,
    bound: BoundName = "dual",
    checkable: bool = False,
    effort: EffortName = "normal",
    start: ArrayLike | Solution | None = None,
    change_cost: float = 0.0,
    callback: Callback | None = None,
    dry_run: bool = False,
    numbers: Numbers | None = None,
    **options: Any,
) -> Solution:
    """Choose sets within the budget that cover much weight, and certify the answer.

    Parameters
    ----------
    problem : CoverageProblem
    method : str
        A name from `METHODS`.
    time_limit : float, optional
        Seconds after which the method stops with the best it has, at most 50 ms or 5 % late on up
        to a million edges, and about 80 ms late on ten million. At 0 there is a feasible, certified
        answer too.
    target_gap : float
        Stop when the answer is proven within this fraction of the best possible.
    seed : int
        Random seed. The same seed gives the same answer, whatever the number of threads.
    bound : {"dual", "quick", "trivial"}
        How hard `certify` tries to bound the optimum.
    effort : {"fast", "normal", "thorough"}
        How hard ``method="auto"`` tries, see `EFFORTS`. "fast" takes a fifth to a half of the
        time of "normal" and proves little; "thorough" takes several times as long.
    checkable : bool
        Use only upper bounds that `verify` can check, not those by HiGHS or branch and bound.
    start : array of int or Solution, optional
        An earlier selection to begin from, made to fit if it does not. The sets of a Solution that
        has labels are looked up by their labels, so it may be of another problem.
    change_cost : float
        Penalty for dropping a set of `start`, as a fraction of what these sets cover on average.
        At 0.1, replacing all of them has to win 10 % of their value, and replacing a tenth of them
        1 %. Value, bound, gap and status are those of the problem without this price; ``info``
        holds the ``objective`` with it, its ``objective_bound`` and ``objective_status``, and how
        many sets were ``kept``.
    callback : callable, optional
        Called with a `Progress` at every improvement, and at least ten times a second; return True
        to stop. With `change_cost`, its values, and those of the trace, count what keeping is
        worth.
    dry_run : bool
        Do not search: ``print(solution.trace)`` says which stages of ``method="auto"`` would run,
        and why not. The answer is the one of ``time_limit=0``.
    numbers : Numbers, optional
        Other tuned numbers for ``method="auto"``: `maxcover.engine.solvers.numbers.Numbers`, made
        by hand or loaded from a TOML file.
    **options
        Further options of the method; None stands for the method's default.

    Returns
    -------
    Solution
        Never above the budget, always certified.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets(
    ...     {"a": [1, 2, 3], "b": [3, 4], "c": [5]}, costs={"a": 2, "b": 2, "c": 1}, budget=3
    ... )
    >>> solve(problem, method="g-greedy").labels
    ('a', 'c')
    """
    row = METHODS[method]
    options = _of_method(method, options)
    _check_method(method, effort, dry_run=dry_run)
    check_able(problem, f"method {method!r}", minima=row.minima, returns=row.returns)
    earlier = None if start is None else stability.earlier_sets(problem, start)
    _check_start(method, earlier, float(change_cost))
    if row.starts:
        options = {**options, "earlier": earlier}
    asked = problem
    if change_cost and earlier is not None:
        asked = stability.worth_keeping(problem, earlier, float(change_cost))
    control = Control(
        time_limit=working_time(problem, time_limit),
        target_gap=float(target_gap),
        seed=int(seed) % 2**62,
        checkable=bool(checkable),
        effort=effort,
        callback=callback,
        numbers=numbers or NUMBERS,
    )
    plan = scheduled(asked, control, earlier) if dry_run else ""
    if dry_run:
        control.time_limit = 0.0
    draft, dual = _run(row, asked, control, options)
    how = _affordable(problem, control, time_limit, bound)
    if how == "dual" and draft.known is None and dual is None and not asked.is_plain:
        dual = relaxed_dual(asked, draft.selected, control)
    solution = certify(
        asked,
        draft.selected,
        bound=how,
        known=draft.known,
        dual=dual,
        claim=None if checkable and not (draft.claim and draft.claim.tree) else draft.claim,
        target_gap=control.target_gap,
        stopped=draft.stopped,
        method=method,
        info=draft.info,
    )
    control.report("certificate", solution.value, solution.upper_bound)
    if asked is not problem:
        how = _affordable(problem, control, time_limit, bound)
        solution = _without_price(problem, solution, how, control.target_gap)
    if earlier is not None:
        kept = int(np.isin(earlier, solution.selected).sum())
        solution = replace(solution, info={**solution.info, "kept": kept})
    trace = Trace(control.trace, facts=plan) if dry_run else control.traced()
    return replace(solution, seconds=control.elapsed, trace=trace)


def _of_method(method: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that have a value; OptionError if `method` does not take one."""
    known = METHODS[method].options
    given = {name: own for name, own in options.items() if own is not None}
    for name in MethodOptions.__annotations__.keys() & given.keys() - {*known}:
        able = ", ".join(other for other, row in METHODS.items() if name in row.options)
        raise OptionError(f"expected {name} only for the methods {able}, got method {method!r}")
    check_names(options, (*names_of(solve), *MethodOptions.__annotations__), f"method {method!r}")
    return given


def _check_method(method: str, effort: str, *, dry_run: bool) -> None:
    """Raise OptionError if an option of `auto` is given for another method."""
    if effort != "normal" and method != "auto":
        raise OptionError(f"expected effort only for method 'auto', got {effort!r} for {method!r}")
    if dry_run and method != "auto":
        raise OptionError(f"expected dry_run only for method 'auto', got method {method!r}")


def _check_start(method: str, earlier: NDArray[np.int64] | None, change_cost: float) -> None:
    """Raise OptionError if `method` would ignore `earlier`, or if `change_cost` lacks `earlier`."""
    if change_cost and earlier is None:
        raise OptionError(f"expected start together with change_cost={change_cost:g}, got none")
    if earlier is not None and not change_cost and not METHODS[method].starts:
        able = ", ".join(name for name, row in METHODS.items() if row.starts)
        raise OptionError(
            f"expected no start for method {method!r}, which cannot begin from one without "
            f"change_cost; those that can: {able}"
        )


def _without_price(
    problem: CoverageProblem, solution: Solution, how: BoundName, target_gap: float
) -> Solution:
    """Certify the selection by its own value; `info` keeps the objective with `change_cost`."""
    dual = stability.of_original(problem, solution.dual)
    if how == "dual" and not problem.is_plain:
        dual = relaxed_dual(problem, solution.selected, Control())
    elif how == "dual" and dual is not None:
        dual = Relaxation(problem, bounds.reduced(problem), start=dual).improve(steps=60)
    objective = {
        "objective": solution.value,
        "objective_bound": solution.upper_bound,
        "objective_status": solution.status,
    }
    return certify(
        problem,
        solution.selected,
        bound=how,
        dual=dual,
        target_gap=target_gap,
        stopped=solution.stopped,
        method=solution.method,
        info={**solution.info, **objective},
    )


def _run(
    row: Method, problem: CoverageProblem, control: Control, options: dict[str, Any]
) -> tuple[Draft, Dual | None]:
    """Run a method, on rescaled weights if they are extreme; return its draft and a dual point.

    Weights so small or large that their squares would underflow or overflow are multiplied by a
    power of two, which changes no digit. The dual point is None unless weights were rescaled;
    `certify` has to evaluate it again.
    """
    given, exponent = tamed(within_reach(problem))
    if given is problem:
        return row.run(problem, control, **options), None
    control.exponent = exponent
    draft = row.run(given, control, **options)
    control.exponent = 0
    claim, dual = draft.claim, None if draft.known is None else draft.known.dual
    if claim is not None:
        least = round_down(given, claim.value)
        highest = float(np.ldexp(least, exponent))
        if float(np.ldexp(highest, -exponent)) < least:  # scaling back rounded the bound down
            highest = float(np.nextafter(highest, np.inf))
        tree = claim.tree
        if tree is not None:
            tree = tree.raised(exponent, len(given.rows.low))
        claim = claim._replace(value=highest, tree=tree)
    return draft._replace(known=None, claim=claim), raised(dual, exponent)


def _affordable(
    problem: CoverageProblem, control: Control, time_limit: float | None, bound: BoundName
) -> BoundName:
    """Return how strong a bound `certify` can afford in the time left, at most `bound`."""
    if math.isinf(control.remaining) and not control.stop_requested:
        return bound
    limit = float(time_limit or 0.0)
    left = control.remaining if time_limit is None else limit - control.elapsed
    left = 0.0 if control.stop_requested else left
    grace = max(GRACE, _GRACE_SHARE * limit)
    seconds = PER_EDGE.strong_closing if problem.strength.size else PER_EDGE.closing
    if problem.is_plain:
        seconds = PER_EDGE.bound
    passes = (left + grace) / (problem.n_edges * seconds + 1e-4)
    if passes > _MANY_PASSES:
        return bound
    return "quick" if passes > 1 and bound != "trivial" else "trivial"
