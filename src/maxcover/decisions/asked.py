"""Asked: finds the sets and the solution that a caller means, and certifies other selections."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

from maxcover.core import bounds
from maxcover.core.solution import Solution, certify
from maxcover.errors import OptionError
from maxcover.solvers.control import Control
from maxcover.solvers.descent import relaxed_dual
from maxcover.solvers.solve import solve

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem


#: Problems of at most this many sets are solved again for each set, even if no set is named.
SOLVED_SETS = 200


def places_of(problem: CoverageProblem, sets: Any) -> NDArray[np.int64]:
    """Return the indices of one or several sets, given by label or by index.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets({"north": [1], "south": [2]}, budget=1)
    >>> places_of(problem, "south"), places_of(problem, ["south", 0])
    (array([1]), array([1, 0]))
    """
    labels = problem.names[0]
    is_label = isinstance(sets, Hashable) and sets in labels.positions
    is_one = is_label or isinstance(sets, str | bytes) or not isinstance(sets, Iterable)
    return labels.find([sets] if is_one else sets, "sets")


def solution_of(problem: CoverageProblem, answer: Any, *, seed: int = 0) -> Solution:
    """Return `answer` as a certified solution of `problem`.

    If `answer` is None, the problem is solved.
    """
    if answer is None:
        return solve(problem, seed=seed)
    dual = None
    if isinstance(answer, Solution):
        if answer.target is not None:
            raise OptionError(
                "expected an answer of solve, got one of cover; write "
                "maxcover.solve(problem.with_budget(answer.cost)) for what its cost can cover"
            )
        if answer.problem is problem:
            return answer
        dual = answer.dual
    if dual is not None and dual.shares.shape != (problem.n_elements,):
        dual = None
    if dual is None and not problem.is_plain:
        dual = relaxed_dual(problem, problem.names[0].find(answer), Control())
    return certify(problem, answer, dual=dual)


def certify_other(solution: Solution, selected: Any, stopped: str) -> Solution:
    """Certify the sets `selected` for the problem of `solution`, reusing its bound."""
    assert solution.problem is not None  # noqa: S101 - `solution_of` has seen to it
    known = bounds.Bound(solution.upper_bound, solution.bound_by, solution.dual)
    return certify(solution.problem, selected, known=known, method="auto", stopped=stopped)


def has_minima(problem: CoverageProblem) -> bool:
    """Whether the problem has minima, so that leaving a set out may break a limit."""
    return bool(len(problem.floors) or (problem.limits.low > 0).any())
