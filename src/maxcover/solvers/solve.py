"""`solve`: one function for every method."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from maxcover.errors import OptionError
from maxcover.solution import Solution, certify
from maxcover.solvers.auto import auto
from maxcover.solvers.bp import bp
from maxcover.solvers.control import Control, Draft
from maxcover.solvers.decimation import decimation
from maxcover.solvers.enumeration import enumerate_triples
from maxcover.solvers.exact import exact
from maxcover.solvers.greedy import g_greedy, greedy, guarded_greedy

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.problem import CoverageProblem
    from maxcover.solvers.control import Callback


@dataclass(frozen=True, kw_only=True)
class Method:
    """A row of METHODS.

    Attributes
    ----------
    run : callable
        ``(problem, control, **options) -> Draft``.
    title : str
        One line for tables and help texts.
    guarantee : float
        The fraction of the optimum that is always reached when there are no group limits; 0 for
        none.
    exact : bool
        Whether an uninterrupted run ends at a proven optimum.
    options : tuple of str
        What else `run` takes.
    """

    run: Callable[..., Draft]
    title: str
    guarantee: float = 0.0
    exact: bool = False
    options: tuple[str, ...] = ()


# Up to this many, a dual bound after the deadline takes no more than ten milliseconds.
_FEW_EDGES = 10_000

METHODS: dict[str, Method] = {
    "auto": Method(
        run=auto,
        title="greedy, dual bound, belief propagation, exchange search, proof; nothing to tune",
        guarantee=1 - 2.718281828459045**-0.5,
        options=("threads",),
    ),
    "greedy": Method(run=greedy, title="most new weight first, whatever it costs"),
    "g-greedy": Method(
        run=g_greedy, title="most new weight per cost first: the paper's Algorithm 1"
    ),
    "guarded-greedy": Method(
        run=guarded_greedy,
        title="g-greedy, and g-greedy after the best single set; at least 0.393 of the optimum",
        guarantee=1 - 2.718281828459045**-0.5,
    ),
    "enumerate": Method(
        run=enumerate_triples,
        title="g-greedy after every start of up to three sets; at least 0.632 of the optimum",
        guarantee=1 - 1 / 2.718281828459045,
    ),
    "bp": Method(
        run=bp,
        title="belief propagation, ranked once: the paper's Algorithm 2",
        options=("beta", "mu", "coverage", "max_sweeps", "tol", "damping", "threads"),
    ),
    "bp-decimation": Method(
        run=decimation,
        title="belief propagation, run again after every pick",
        options=("beta", "mu", "coverage", "batches", "max_sweeps", "tol", "damping", "threads"),
    ),
    "exact": Method(run=exact, title="branch and bound by HiGHS", guarantee=1.0, exact=True),
}


def solve(
    problem: CoverageProblem,
    *,
    method: str = "auto",
    time_limit: float | None = None,
    target_gap: float = 0.0,
    seed: int = 0,
    bound: str = "dual",
    callback: Callback | None = None,
    **options: Any,
) -> Solution:
    """Choose sets within the budget that cover much weight, and certify the answer.

    Parameters
    ----------
    problem : CoverageProblem
    method : str
        A name from `METHODS`.
    time_limit : float, optional
        Seconds after which the method stops with the best it has. Methods that are always fast
        ignore it.
    target_gap : float
        Stop when the answer is proven within this fraction of the best possible.
    seed : int
        Of everything random. The same seed gives the same answer, whatever the number of threads.
    bound : {"dual", "quick"}
        How hard `certify` tries to bound the optimum.
    callback : callable, optional
        Called with a `Progress` at every improvement; return True to stop.
    **options
        What the method takes besides.

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
    row = _look_up(method, options)
    control = Control(
        time_limit=_positive(time_limit, "time_limit"),
        target_gap=_positive(target_gap, "target_gap") or 0.0,
        seed=seed,
        callback=callback,
    )
    draft = row.run(problem, control, **options)
    solution = certify(
        problem,
        draft.selected,
        bound="quick" if control.expired and problem.n_edges > _FEW_EDGES else bound,
        dual=draft.dual,
        claim=draft.claim,
        target_gap=control.target_gap,
        stopped=draft.stopped,
        method=method,
        info=draft.info,
    )
    control.report("certificate", solution.value, solution.upper_bound)
    return replace(solution, seconds=control.elapsed, trace=tuple(control.trace))


def _look_up(method: str, options: dict[str, Any]) -> Method:
    if method not in METHODS:
        raise OptionError(f"expected method to be one of {', '.join(METHODS)}, got {method!r}")
    row = METHODS[method]
    unknown = [name for name in options if name not in row.options]
    if unknown:
        allowed = ", ".join(row.options) or "no further options"
        raise OptionError(f"expected {allowed} for method {method!r}, got {unknown[0]!r}")
    return row


def _positive(value: float | None, name: str) -> float | None:
    if value is not None and not value >= 0:
        raise OptionError(f"expected {name} to be at least 0, got {value!r}")
    return value
