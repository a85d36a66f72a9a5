"""Receipts: what was taken and what was left out, and why, as a table for people."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core import notebook

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maxcover.packing.layout import Layout, Prices
    from maxcover.packing.posing import Posed

# A passage repeats others if they hold at least this part of its weight.
_REPEATED = 0.7
# At most so many passages are named as holding the same.
_NAMED = 3
# Rows of what was left out that tables for people show.
_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A passage of which nothing was taken.

    Attributes
    ----------
    index : int
        Its number among the passages given.
    rank : int
        Its place in the order of the scores, from 1.
    kind : {"too long", "repeats", "matches nothing", "no room", "empty"}
    reason : str
        The same in words.
    repeats : tuple of int
        The chosen passages that hold what it says, the one that holds most first.
    gain : float
        The weight that it would have added.
    cost : float
        Its size, as far as sizes add up.
    """

    index: int
    rank: int
    kind: str
    reason: str
    repeats: tuple[int, ...]
    gain: float
    cost: float

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self) | {"repeats": list(self.repeats)}


def find_left_out(
    layout: Layout,
    posed: Posed,
    chosen: list[int],
    *,
    prices: Prices,
    asked: NDArray[np.int64],
    budget: float,
) -> tuple[LeftOut, ...]:
    """Say of each passage of which nothing was taken why that is, best first."""
    judge = _Judge(layout, posed, chosen, asked)
    taken = set(layout.passage[chosen].tolist())
    ranks = layout.shelf.ranks
    found = []
    for passage in sorted(range(len(layout.texts)), key=lambda p: int(ranks[p])):
        if passage in taken:
            continue
        pieces = np.flatnonzero(layout.passage == passage)
        cost = float(prices.pieces[pieces].sum())
        too_long = bool(pieces.size) and float(prices.pieces[pieces].min()) > budget
        gain, kind, reason, repeats = judge.explain(passage, pieces, too_long=too_long)
        found.append(
            LeftOut(
                index=passage,
                rank=int(ranks[passage]),
                kind=kind,
                reason=reason,
                repeats=repeats,
                gain=gain,
                cost=cost,
            )
        )
    return tuple(found)


class _Judge:
    """Looks up who covers what."""

    def __init__(
        self, layout: Layout, posed: Posed, chosen: list[int], asked: NDArray[np.int64]
    ) -> None:
        self.concepts = posed.concepts
        self.covered = np.zeros(len(self.concepts.weights), dtype=bool)
        self.covered[self.concepts.of(np.array(chosen, dtype=np.int64))] = True
        self.holds = {
            passage: self.concepts.of(np.array(pieces))
            for passage, pieces in layout.group(chosen).items()
        }
        rows, words = posed.said.word_pairs
        self.asked = bool(asked.size)
        self.matched = set(posed.said.passage[rows[np.isin(words, asked)]].tolist())

    def explain(
        self, passage: int, pieces: NDArray[np.int64], *, too_long: bool
    ) -> tuple[float, str, str, tuple[int, ...]]:
        """Return what a passage would have added, the kind of reason, words for it, and twins."""
        elements = self.concepts.of(pieces)
        weights = self.concepts.weights[elements]
        total = float(weights.sum())
        gain = float(weights[~self.covered[elements]].sum())
        if total == 0.0:
            return 0.0, "empty", "it has no words", ()
        part = 1 - gain / total
        if part >= _REPEATED:
            twins = self._twins(elements)
            named = _listed(twins)
            what = "everything" if gain == 0.0 else f"{100 * part:.0f} % of what"
            return gain, "repeats", f"{what} it says is in {named}", twins
        if too_long:
            return gain, "too long", "it does not fit even by itself", ()
        if self.asked and passage not in self.matched:
            return gain, "matches nothing", "it holds no word of the query", ()
        return gain, "no room", "what was taken instead is worth more for its size", ()

    def _twins(self, elements: NDArray[np.int64]) -> tuple[int, ...]:
        """Name the chosen passages that hold most of some elements, each for what others lack."""
        left = elements[self.covered[elements]]
        twins: list[int] = []
        while left.size and len(twins) < _NAMED:
            worth = {
                passage: float(self.concepts.weights[left[np.isin(left, held)]].sum())
                for passage, held in self.holds.items()
            }
            best = max(worth, key=lambda passage: worth[passage])
            twins.append(best)
            left = left[~np.isin(left, self.holds[best])]
        return tuple(twins)


def _listed(passages: tuple[int, ...]) -> str:
    names = [str(passage) for passage in passages]
    if len(names) == 1:
        return f"passage {names[0]}"
    return f"passages {', '.join(names[:-1])} and {names[-1]}"


_COLUMNS = ("passage", "rank", "size", "adds", "such as")


def as_text(
    title: str, taken: Sequence[tuple[str, ...]], left_out: Sequence[LeftOut], certificate: str
) -> str:
    """Show a packed context as a table in plain text."""
    rows = [_COLUMNS, *taken]
    widths = [max(len(row[k]) for row in rows) for k in range(len(_COLUMNS) - 1)]
    lines = [title]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join([*cells, row[-1]]))
    if left_out:
        lines += ["", f"left out: {len(left_out)}"]
        lines += [f"{one.index:>7}  rank {one.rank}: {one.reason}" for one in left_out[:_SHOWN]]
    if len(left_out) > _SHOWN:
        lines.append(f"        and {len(left_out) - _SHOWN} more")
    return "\n".join([*lines, "", certificate])


def as_html(
    title: str,
    taken: Sequence[tuple[str, ...]],
    left_out: Sequence[LeftOut],
    certificate: str,
    *,
    text: str,
) -> str:
    """Show a packed context as an HTML fragment; texts are escaped."""
    left = [(one.index, one.rank, one.reason) for one in left_out[:_SHOWN]]
    total = len(left_out)
    return notebook.card(
        title,
        notebook.table(_COLUMNS, taken),
        notebook.paragraph(certificate),
        notebook.folded(
            f"{total} left out",
            notebook.table(("passage", "rank", "reason"), left, total=total),
        ),
        notebook.folded("text", notebook.written(text)),
    )


def read_schema() -> dict[str, Any]:
    """Return the JSON Schema of `Packed.to_json`.

    Examples
    --------
    >>> read_schema()["properties"]["schema"]
    {'const': 'maxcover.packed/2'}
    """
    text = Path(__file__).with_name("packed.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
