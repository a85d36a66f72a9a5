"""What the answers to all questions have in common: words, a table, JSON, a picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from maxcover.core import notebook
from maxcover.core.solution import plain_labels
from maxcover.core.wording import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem

    Int64s = NDArray[np.int64]

# Columns that are shares, which a notebook shows as bars.
_SHARES = ("share", "frequency")


class Decision(notebook.Tabular):
    """A result about a solution: its class gives the columns, the facts and the sentences."""

    problem: CoverageProblem
    _picture: ClassVar[str]

    def _facts(self) -> dict[str, Any]:
        """Return what JSON says besides the table."""
        raise NotImplementedError

    def _sentences(self) -> list[str]:
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n".join(self._sentences())

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; a number without end is None."""
        columns = {name: _plain(values) for name, values in self._columns().items()}
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return {**self._facts(), "sets": rows}

    def plot(self) -> Any:
        """Draw it; needs the extra ``[plots]``."""
        return notebook.call_above("maxcover.plots", self._picture, self)

    def _repr_html_(self) -> str:
        columns = {name: _plain(values) for name, values in self._columns().items()}
        for name in (name for name in _SHARES if name in columns):
            columns[name] = [notebook.bar(share, percent(share)) for share in columns[name]]
        rows = list(zip(*columns.values(), strict=True))
        table = notebook.table(list(columns), rows[: notebook.SHOWN], total=len(rows))
        return notebook.card(repr(self), *map(notebook.paragraph, self._heading()), table)

    def _heading(self) -> list[str]:
        """Return the sentences that a notebook shows above the table."""
        return self._sentences()

    def _named(self, sets: Int64s) -> dict[str, Any]:
        """Return the first columns of a table of sets: indices, and labels if there are any."""
        labels = [self.problem.label(i) for i in sets.tolist()]
        return {"set": sets, **({} if self.problem.set_labels is None else {"label": labels})}


def _plain(values: Any) -> list[Any]:
    """Return a column as JSON can hold it."""
    column = values.tolist() if isinstance(values, np.ndarray) else values
    column = [None if isinstance(x, float) and math.isinf(x) else x for x in column]
    return [
        list(map(str, x)) if isinstance(x, tuple) else x for x in plain_labels(tuple(column)) or ()
    ]


def changes(problem: CoverageProblem, before: Int64s, after: Int64s) -> str:
    """Say how one selection differs from another: with these and without those sets."""
    parts = (("with", np.setdiff1d(after, before)), ("without", np.setdiff1d(before, after)))
    words = [
        f"{word} {listed([problem.label(i) for i in sets])}" for word, sets in parts if sets.size
    ]
    return " and ".join(words)


def listed(names: Sequence[Any]) -> str:
    """Write names as a list, "a, b and c"; of more than ten, the rest is counted."""
    texts = list(map(str, names[:10]))
    if len(names) > len(texts):
        texts.append(f"{len(names) - len(texts):,} more")
    return " and ".join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else "".join(texts)
