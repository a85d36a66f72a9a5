"""`cover`: the cheapest selection that meets a target, certified.

The mirror image of `solve`, on the same kernels; `cover_run` does the work.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from maxcover.engine.core import stability
from maxcover.engine.core.solution import certify
from maxcover.engine.core.target import Target
from maxcover.engine.solvers.control import INTERRUPTED, Callback, Control, working_time
from maxcover.engine.solvers.cover_run import CoverRun
from maxcover.errors import OptionError
from maxcover.ground.options import checked

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Solution
    from maxcover.ground import names
    from maxcover.ground.options import row


CoverMethodName = Literal["auto", "greedy", "exact"]
COVER_METHODS: tuple[str, ...] = get_args(CoverMethodName)


@checked
def cover(
    problem: CoverageProblem,
    *,
    target: Annotated[
        float | None, row.data("Share of the total weight to cover, above 0 and up to 1.", float)
    ] = None,
    weight: Annotated[float | None, row.data("Weight to cover, instead of a share.", float)] = None,
    method: Annotated[
        CoverMethodName, row.one_of("Solution method.", names.COVER_METHODS)
    ] = "auto",
    time_limit: float | None = None,
    target_gap: float = 0.0,
    seed: int = 0,
    checkable: bool = False,
    start: ArrayLike | Solution | None = None,
    change_cost: Annotated[
        float,
        row.number(
            "Penalty for replacing an earlier set, as a fraction of its cost.", 0, 1, below=True
        ),
    ] = 0.0,
    callback: Callback | None = None,
) -> Solution:
    """Choose sets that cover enough for as little cost as possible, and certify the answer.

    Required and forbidden sets and all limits but the budget hold as in `solve`. Of several budgets
    the first is the cost that is minimised, and its maximum does not count; the others hold.

    Parameters
    ----------
    problem : CoverageProblem
    target : float
        The share of the total weight to cover, above 0 and up to 1. 1.0 is weighted set cover.
    weight : float
        The weight to cover, instead of a share.
    method : {"auto", "greedy", "exact"}
        "greedy" is the greedy algorithm for submodular cover, followed by dropping what is not
        needed; see Notes for its guarantee. "auto" adds exchange search and branch and bound.
        "exact" runs HiGHS until the cheapest selection is proven.
    time_limit : float, optional
        Seconds after which the search stops with the best it has. With other limits the first
        selection that meets the target may take longer.
    target_gap : float
        Stop when at most this fraction of the cost can be saved.
    seed : int
        Random seed. The same seed gives the same answer.
    checkable : bool
        Use only lower bounds that `verify` can check, not those by HiGHS.
    start : array of int or Solution, optional
        An earlier selection to begin from, completed and pruned as needed. Labels are looked up as
        in `solve`.
    change_cost : float
        Discount on the sets of `start`, as a fraction of their cost, from 0 up to below 1.
        At 0.1, replacing it has to save 10 % of its cost. Cost, bound, gap and status are true
        ones.
    callback : callable, optional
        Called with a `Progress` at every improvement, and at least ten times a second; ``value`` is
        the cost, and ``bound`` the lower bound. Return True to stop. With `change_cost` these are
        of the cheaper costs.

    Returns
    -------
    Solution
        Always meets the target, always certified.

    Raises
    ------
    InfeasibleError
        No selection meets the target; the message says what can be reached.

    Notes
    -----
    Without other limits and with whole weights, the sets that are not required cost at most H(d) =
    1 + 1/2 + ... + 1/d times as much as the cheapest ones, where d is the largest weight that a
    single set covers, or what is missing at the start if that is less (Wolsey 1982). Methods other
    than "greedy" start from its answer, unless the time is too short for it.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets(
    ...     {"a": [1, 2, 3], "b": [3, 4], "c": [5]}, costs={"a": 2, "b": 2, "c": 1}, budget=0
    ... )
    >>> plan = cover(problem, target=0.8)
    >>> plan.labels, plan.cost, plan.lower_bound, plan.status
    (('a', 'c'), 3.0, 3.0, 'optimal')
    """
    goal = Target(problem, target, weight)
    control = Control(
        sense=-1,
        time_limit=working_time(problem, time_limit),
        target_gap=float(target_gap),
        seed=int(seed) % 2**62,
        checkable=bool(checkable),
        callback=callback,
    )
    if change_cost and start is None:
        raise OptionError(f"expected start together with change_cost={change_cost:g}, got none")
    earlier = None if start is None else stability.earlier_sets(problem, start)
    asked = problem
    if change_cost and earlier is not None:
        asked = stability.cheaper_to_keep(problem, earlier, float(change_cost))
    reached = goal if asked is problem else replace(goal, problem=asked)
    run = CoverRun(asked, reached, control, earlier)
    run.method = method
    run.follow(run.schedule())
    claim = run.best.claim
    if claim is not None and claim.tree is None and run.stopped != INTERRUPTED:
        run.branch()
    if asked is not problem:
        run = run.at_true_costs(problem, goal)
    claim = run.best.claim
    plan = certify(
        problem,
        run.selected,
        target=goal,
        dual=run.dual_of_caller(),
        claim=None if checkable and not (claim and claim.tree) else claim,
        target_gap=control.target_gap,
        stopped=run.stopped,
        method=method,
    )
    if asked is problem:
        control.report("certificate", plan.cost, plan.lower_bound)
    return replace(plan, seconds=control.elapsed, trace=control.traced())
