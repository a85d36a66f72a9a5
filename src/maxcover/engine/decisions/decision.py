"""Decision: base classes of results, with sentences, a table, JSON, a plot and files.

Functions find the sets and the solution that a caller means, and certify other selections.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from maxcover.engine.core import bounds, notebook
from maxcover.engine.core.arguments import plain
from maxcover.engine.core.ascending import difference, union
from maxcover.engine.core.solution import Solution, certify
from maxcover.engine.solvers.control import Control
from maxcover.engine.solvers.descent import relaxed_dual
from maxcover.engine.solvers.solve import solve
from maxcover.errors import OptionError
from maxcover.ground.options import checked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.control import Callback
    from maxcover.ground.array_types import Floats, Int64s


# Largest number of sets named in a sentence; of further sets only the number is given.
_NAMED = 8


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Decision(notebook.Tabular):
    """Base class of results; subclasses define the columns, the facts and the sentences.

    Attributes
    ----------
    unfinished : str
        What the time limit left undone, in a sentence; empty if nothing.
    """

    problem: CoverageProblem
    unfinished: str = ""
    _picture: ClassVar[str]

    def _facts(self) -> dict[str, Any]:
        """Return the entries of `to_dict` besides the table."""
        raise NotImplementedError

    def _sentences(self) -> list[str]:
        raise NotImplementedError

    def _notes(self) -> list[str]:
        return self._sentences()

    def __str__(self) -> str:
        return "\n".join(filter(None, (*self._sentences(), self.unfinished)))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dict for JSON; numbers that are not finite become None."""
        columns = {name: plain(values) for name, values in self._columns().items()}
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return {**self._facts(), "unfinished": self.unfinished, "sets": rows}

    def plot(self) -> Any:
        """Draw the result; needs the extra ``[plots]``."""
        return notebook.call_above("maxcover.plots", self._picture, self)

    @checked
    def save(self, path: str | Path) -> None:
        """Write the result to a file: data as .json or .csv, a plot as .png, .svg or .pdf."""
        target, writers = Path(path), self._writers()
        if target.suffix.lower() not in writers:
            raise OptionError(f"expected a path ending in {', '.join(writers)}, got {str(path)!r}")
        writers[target.suffix.lower()](target)

    def _writers(self) -> dict[str, Callable[[Path], Any]]:
        """Return the functions that write files, by file ending."""
        return {
            ".json": lambda path: path.write_text(
                json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8"
            ),
            ".csv": lambda path: self.to_pandas().to_csv(path, index=False),
            **dict.fromkeys((".png", ".svg", ".pdf"), self._draw),
        }

    def _draw(self, path: Path) -> None:
        notebook.call_above("maxcover.plots", "save_figure", self.plot(), path)

    def _named(self, sets: Int64s) -> dict[str, Any]:
        """Return the first columns of a table of sets: indices, and labels if there are any."""
        has_labels = self.problem.set_labels is not None
        return {"set": sets, **({"label": self._labels(sets)} if has_labels else {})}

    def _labels(self, sets: Int64s) -> tuple[Any, ...]:
        return tuple(self.problem.label(i) for i in sets.tolist())


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Frequencies(Decision):
    """Base class of results about several selections: how often each set is in them.

    Attributes
    ----------
    problem : CoverageProblem
    solution : Solution
        The selection that the others are compared with.
    frequencies : array of float, one for each set
        The share of the selections that contain the set.
    """

    solution: Solution
    frequencies: Floats

    @property
    def sets(self) -> Int64s:
        """All sets of the selections and of the solution, the most frequent first."""
        held = union(np.flatnonzero(self.frequencies), self.solution.selected)
        return held[np.argsort(-self.frequencies[held], kind="stable")]

    @property
    def always(self) -> tuple[Any, ...]:
        """Labels of the sets that are in every selection."""
        return self._labels(np.flatnonzero(self.frequencies == 1))

    @property
    def sometimes(self) -> tuple[Any, ...]:
        """Labels of those `sets` that are not in every selection, the most frequent first."""
        return self._labels(self.sets[self.frequencies[self.sets] < 1])

    def _columns(self) -> dict[str, Any]:
        sets = self.sets
        chosen = np.isin(sets, self.solution.selected)
        return self._named(sets) | {"chosen": chosen, "frequency": self.frequencies[sets]}


def listed(names: Sequence[Any]) -> str:
    """Return names as text, "a, b and c"; after eight names only the number of the others.

    Examples
    --------
    >>> listed("abc"), listed(range(10))
    ('a, b and c', '0, 1, 2, 3, 4, 5, 6, 7 and 2 more')
    """
    texts = list(map(str, names[:_NAMED]))
    if len(names) > _NAMED:
        texts.append(f"{len(names) - _NAMED:,} more")
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def changes(problem: CoverageProblem, before: Any, after: Any) -> str:
    """Return text: which sets enter and which leave if `after` replaces selection `before`."""
    parts = ((difference(after, before), "enter"), (difference(before, after), "leave"))
    return " and ".join(
        f"{listed([problem.label(i) for i in sets.tolist()])} {verb}{'s' * (sets.size == 1)}"
        for sets, verb in parts
        if sets.size
    )


#: Problems of at most this many sets are solved again for each set, even if no set is named.
SOLVED_SETS = 200


def places_of(problem: CoverageProblem, sets: Any) -> Int64s:
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


def solution_of(
    problem: CoverageProblem, answer: Any, *, seed: int, callback: Callback | None
) -> Solution:
    """Return `answer` as a certified solution of `problem`.

    If `answer` is None, the problem is solved, until `callback` returns True.
    """
    if answer is None:
        return solve(problem, seed=seed, callback=callback)
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
        dual = relaxed_dual(problem, problem.names[0].find(answer), Control(callback=callback))
    return certify(problem, answer, dual=dual)


def certify_other(solution: Solution, selected: Any, stopped: str) -> Solution:
    """Certify the sets `selected` for the problem of `solution`, reusing its bound."""
    assert solution.problem is not None  # noqa: S101 - `solution_of` has seen to it
    known = bounds.Bound(solution.upper_bound, solution.bound_by, solution.dual)
    return certify(solution.problem, selected, known=known, method="auto", stopped=stopped)


def has_minima(problem: CoverageProblem) -> bool:
    """Whether the problem has minima, so that leaving a set out may break a limit."""
    return bool(len(problem.floors) or (problem.limits.low > 0).any())
