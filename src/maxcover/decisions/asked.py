"""What a caller means by some sets, and by a solution of a problem."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core.notebook import Tabular
from maxcover.core.solution import Solution, certify
from maxcover.core.validation import index_list
from maxcover.errors import OptionError
from maxcover.solvers.control import Control
from maxcover.solvers.descent import relaxed_dual

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem


class AboutSolution(Tabular):
    """A result about a solution that knows its problem."""

    solution: Solution

    @property
    def problem(self) -> CoverageProblem:
        """The problem that was solved."""
        assert self.solution.problem is not None  # noqa: S101 - `solution_of` has seen to it
        return self.solution.problem

    def _named(self, sets: NDArray[np.int64]) -> dict[str, Any]:
        """Return the first columns of a table of sets: indices, and labels if there are any."""
        labels = [self.problem.label(i) for i in sets.tolist()]
        return {"set": sets, **({} if self.problem.set_labels is None else {"label": labels})}


def places_of(problem: CoverageProblem, sets: Any) -> NDArray[np.int64]:
    """Return the indices of sets that are named by label or by index, one or several.

    Examples
    --------
    >>> from maxcover import CoverageProblem
    >>> problem = CoverageProblem.from_sets({"north": [1], "south": [2]}, budget=1)
    >>> places_of(problem, "south"), places_of(problem, ["south", 0])
    (array([1]), array([1, 0]))
    """
    places = {label: i for i, label in enumerate(problem.set_labels or ())}
    is_label = isinstance(sets, Hashable) and sets in places
    is_several = isinstance(sets, Iterable) and not isinstance(sets, str | bytes)
    named = list(sets) if is_several and not is_label else [sets]
    found = [places.get(label, label) for label in named]
    for label in found:
        if not isinstance(label, int | np.integer):
            raise OptionError(f"expected labels or indices of sets, got {label!r}, which is none")
    index_list(found, "sets", problem.n_sets)
    return np.array(found, dtype=np.int64)


def solution_of(problem: CoverageProblem, answer: Any) -> Solution:
    """Return a certified solution of this very problem: the answer itself if it is one."""
    if not isinstance(answer, Solution):
        chosen = places_of(problem, answer)
        dual = None if problem.is_plain else relaxed_dual(problem, chosen, Control())
        return certify(problem, chosen, dual=dual)
    if answer.target is not None:
        raise OptionError(
            "expected an answer of solve, got one of cover; write "
            "maxcover.solve(problem.with_budget(answer.cost)) for what its cost can cover"
        )
    if answer.problem is problem:
        return answer
    if answer.dual is None or answer.dual.shares.shape != (problem.n_elements,):
        return solution_of(problem, answer.selected if answer.labels is None else answer.labels)
    chosen = places_of(problem, answer.selected if answer.labels is None else answer.labels)
    return certify(problem, chosen, dual=answer.dual)
