"""Context: the packed text, a table of what is in it, and what was left out and why."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from maxcover.engine.core import notebook, wording
from maxcover.engine.core.solution import relative_gap

if TYPE_CHECKING:
    from collections.abc import Callable

# Limits of printed tables: how many passages left out are listed, and how many characters of each
# text are shown.
_SHOWN, _BEGINNING = 20, 60


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A passage or file of which nothing was taken.

    Attributes
    ----------
    index : int
        Its number among the passages given, or among the files that were read.
    rank : int
        Place of the passage in the order of the scores, or of the best block of the file among all
        that match, from 1; 0 if no block does.
    kind : {"too long", "repeats", "matches nothing", "matches little", "no room", "empty"}
    reason : str
        The same in words.
    repeats : tuple of int
        The chosen passages that hold what it says, the one that holds most first.
    path, first, last : str, int, int
        Of a file: where it is, and the lines of its best block.
    """

    index: int
    rank: int
    kind: str
    reason: str
    repeats: tuple[int, ...] = ()
    path: str = ""
    first: int = 0
    last: int = 0

    @property
    def place(self) -> str:
        """The number of a passage, or the path of a file with the lines of its best block."""
        lines = f":{self.first}-{self.last}" if self.rank else ""
        return f"{self.path}{lines}" if self.path else f"passage {self.index}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Context(notebook.Tabular):
    """A text within a budget, certified; ``str(context)`` is the text.

    Base of `Packed` and `PackedFiles`, which describe the attributes.
    """

    text: str
    cost: float
    budget: float
    unit: str
    value: float
    total_weight: float
    _prove: Callable[[], tuple[float, str]] = field(repr=False)
    _find_left_out: Callable[[], tuple[LeftOut, ...]] = field(repr=False)

    @cached_property
    def _proof(self) -> tuple[float, str]:
        """The upper bound, and `witness`: the solver that has to be trusted for it, or ""."""
        return self._prove()

    @property
    def upper_bound(self) -> float:
        """Upper bound on the value of any selection within the budget; computed on first use."""
        return max(self.value, self._proof[0])

    @property
    def witness(self) -> str:
        """The solver to be trusted for the bound, such as HiGHS; "" if a dual point proves it."""
        return self._proof[1]

    @property
    def status(self) -> str:
        """Whether the bound proves the value the best possible: "optimal" or "heuristic"."""
        return "optimal" if self.gap <= 1e-9 else "heuristic"

    @property
    def gap(self) -> float:
        """How far the value is below the upper bound, as a share of it: from 0 to 1."""
        return relative_gap(self.value, self.upper_bound)

    @property
    def certificate(self) -> str:
        """What the bound proves, in a sentence."""
        proven = wording.certificate(
            status=self.status,
            gap=self.gap,
            within=f"of {self.pieces} within {wording.amount(self.budget, self.unit)}",
            beats="has more weight",
            by=self.witness,
        )
        return f"{proven} It is about the choice, not about whether the answer is in it."

    @property
    def pieces(self) -> str:
        """What was chosen among, in the plural: "sentences", "blocks"."""
        raise NotImplementedError

    @cached_property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The passages or files of which nothing was taken, best first, each with the reason."""
        return self._find_left_out()

    @property
    def remark(self) -> str:
        """A sentence about the choice, printed below the table."""
        raise NotImplementedError

    def explain(self) -> str:
        """Return a table of what was taken and what was left out, as plain text."""
        columns = self._table()
        widths = [max(len(str(value)) for value in values) for values in columns]
        lines = [repr(self)]
        for row in zip(*columns, strict=True):
            cells = (str(cell).rjust(size) for cell, size in zip(row, widths, strict=True))
            lines.append("  ".join(cells))
        if self.left_out:
            lines += ["", f"left out: {len(self.left_out)}"]
            lines += [f"{one.place}, rank {one.rank}: {one.reason}" for one in self._first_out]
        return "\n".join([*lines, "", self.remark])

    def _repr_html_(self) -> str:
        left = [(one.place, one.rank, one.reason) for one in self._first_out]
        total = len(self.left_out)
        names, *rows = zip(*self._table(), strict=True)
        return notebook.card(
            repr(self),
            notebook.table(names, rows),
            notebook.paragraph(self.remark),
            notebook.folded(
                f"{total} left out",
                notebook.table(("left out", "rank", "reason"), left, total=total),
            ),
            notebook.folded("text", notebook.written(self.text)),
        )

    @property
    def _first_out(self) -> tuple[LeftOut, ...]:
        return self.left_out[:_SHOWN]

    def _table(self) -> list[list[Any]]:
        """Return the columns, each as its name and values; long texts are cut short."""
        columns = self._columns().items()
        return [[name, *(_short(value) for value in values)] for name, values in columns]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        left_out = [asdict(one) | {"repeats": list(one.repeats)} for one in self.left_out]
        names = "text cost budget unit value upper_bound gap status certificate total_weight"
        return {name: getattr(self, name) for name in names.split()} | {"left_out": left_out}

    def to_json(self, **options: Any) -> str:
        """Return `to_dict` as JSON text; options go to `json.dumps`."""
        return json.dumps(self.to_dict(), ensure_ascii=False, **options)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling; lazy values are computed, as functions do not pickle."""
        lazy = {"left_out": self.left_out, "_proof": self._proof}
        return {**vars(self), **lazy, "_find_left_out": None, "_prove": None}

    def __str__(self) -> str:
        return self.text


def _short(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.4g}"
    if not isinstance(value, str):
        return value
    line = " ".join(value.split())
    return line if len(line) <= _BEGINNING else f"{line[:_BEGINNING]}..."
