"""Receipts: what was taken and what was left out, and why, as a table for people."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core import notebook
from maxcover.core.ascending import distinct
from maxcover.packing.occurrences import unique_pairs
from maxcover.packing.statements import are_repeated, find_copies
from maxcover.solvers.order import added_weight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maxcover.packing.coverage import Posed
    from maxcover.packing.layout import Layout, Prices

# At most so many passages are named.
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
    kind : {"too long", "repeats", "matches nothing", "matches little", "no room", "empty"}
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
    """Say of each passage of which nothing was taken why that is, best first.

    Time is that of sorting the words of all passages.
    """
    n_passages, ranks = len(layout.texts), layout.shelf.ranks
    out = np.ones(n_passages, dtype=bool)
    out[layout.passage[chosen]] = False
    if not out.any():
        return ()
    gains = _gains(layout, posed, chosen)
    costs = np.bincount(layout.passage, prices.pieces, n_passages)
    smallest = np.full(n_passages, np.inf)
    np.minimum.at(smallest, layout.passage, prices.pieces)
    rows, words = posed.said.word_pairs
    matched = np.ones(n_passages, dtype=bool)
    if asked.size:
        matched[:] = False
        matched[posed.said.passage[rows[np.isin(words, asked)]]] = True
    close = np.bincount(posed.said.passage[posed.worth.close], minlength=n_passages) > 0
    worded = np.bincount(posed.said.passage[rows], minlength=n_passages) > 0
    twins, whole = _find_twins(posed, chosen, out)
    shown = _are_shown(posed, chosen)
    instead = _Instead(layout, posed, chosen, prices, budget)
    found = []
    for passage in np.flatnonzero(out)[np.argsort(ranks[out], kind="stable")].tolist():
        same = twins.get(passage, ())
        if not worded[passage]:
            kind, reason = "empty", "it has no words"
        elif same:
            what = "its sentences" if whole[passage] else "its best matches"
            kind, reason = "repeats", f"{what} stand in {_listed(same)}"
        elif smallest[passage] > budget:
            kind, reason = "too long", "it does not fit even by itself"
        elif not matched[passage]:
            kind, reason = "matches nothing", "it holds no content word of the query"
        elif not close[passage]:
            kind, reason = "matches little", "it holds few words of the query, or common ones"
        elif gains[passage] <= 0 and shown[passage]:
            kind, reason = "repeats", "the phrases of its best matches stand in what was taken"
        elif gains[passage] <= 0:
            kind, reason = "no room", "other passages say as much, or something newer"
        else:
            kind, reason = "no room", instead.explain(passage)
        found.append(
            LeftOut(
                index=passage,
                rank=int(ranks[passage]),
                kind=kind,
                reason=reason,
                repeats=same,
                gain=float(gains[passage]),
                cost=float(costs[passage]),
            )
        )
    return tuple(found)


def _gains(layout: Layout, posed: Posed, chosen: list[int]) -> NDArray[np.float64]:
    """Add up the weight that each passage would add as a whole."""
    held = posed.held
    weights = held.weights.copy()
    weights[held.of(np.array(chosen, dtype=np.int64))] = 0.0
    sizes = np.diff(held.indptr)
    passages, elements = unique_pairs(
        np.repeat(layout.passage, sizes), held.indices.astype(np.int64), len(weights)
    )
    return np.asarray(np.bincount(passages, weights[elements], len(layout.texts)), np.float64)


def _find_twins(
    posed: Posed, chosen: list[int], out: NDArray[np.bool_]
) -> tuple[dict[int, tuple[int, ...]], NDArray[np.bool_]]:
    """Name the chosen passages where the sentences of others recur.

    Returns
    -------
    twins : dict
        For each passage that is out and whose best matches all recur, where they do.
    whole : bool array (n_passages)
        Whether all its sentences recur.
    """
    said, close = posed.said, posed.worth.close
    taken = np.isin(posed.piece, chosen)
    left = np.flatnonzero(out[said.passage])
    one, two, *_ = find_copies(said.phrase_pairs, said.n_sentences, left, np.flatnonzero(taken))
    same, _ = are_repeated(said, one, two)
    one, two = one[same], two[same]
    missing = np.ones(said.n_sentences, dtype=bool)
    missing[one] = False
    whole, recur = np.ones_like(out), np.ones_like(out)
    whole[said.passage[missing]] = False
    recur[said.passage[missing & close]] = False
    # a sentence that has nothing to do with the query is no reason
    told = close[one] | whole[said.passage[one]]
    twins: dict[int, dict[int, int]] = {}
    pairs = zip(said.passage[one[told]].tolist(), said.passage[two[told]].tolist(), strict=True)
    for passage, twin in pairs:
        if recur[passage]:
            counts = twins.setdefault(passage, {})
            counts[twin] = counts.get(twin, 0) + 1
    named = {
        passage: tuple(sorted(counts, key=lambda twin: (-counts[twin], twin))[:_NAMED])
        for passage, counts in twins.items()
    }
    return named, whole


def _are_shown(posed: Posed, chosen: list[int]) -> NDArray[np.bool_]:
    """Tell of which passages the best matches stand, phrase by phrase, in what was taken."""
    rows, phrases = posed.said.phrase_pairs
    taken = np.isin(posed.piece, chosen)
    shown = np.zeros(len(posed.said.phrase_codes), dtype=bool)
    shown[phrases[taken[rows]]] = True
    lacking = rows[posed.worth.close[rows] & ~shown[phrases]]
    return np.asarray(
        np.bincount(posed.said.passage[lacking], minlength=posed.said.n_passages) == 0
    )


class _Instead:
    """What was taken instead of a passage: what adds more for its size, or more in all."""

    def __init__(
        self, layout: Layout, posed: Posed, chosen: list[int], prices: Prices, budget: float
    ) -> None:
        n_passages = len(layout.texts)
        self.unit = layout.unit.name
        gains = np.bincount(layout.passage[chosen], posed.held.gains(chosen), n_passages)
        costs = np.bincount(layout.passage[chosen], prices.pieces[chosen], n_passages)
        self.taken = distinct(layout.passage[chosen])
        density = gains[self.taken] / np.maximum(costs[self.taken], 1e-9)
        order = np.argsort(density, kind="stable")
        self.taken, self.density = self.taken[order], density[order]
        self.room = max(budget - float(prices.total(layout, chosen)), 0.0)
        # the best that a piece of each passage would add for its size
        added = added_weight(posed.problem, np.array(chosen, dtype=np.int64))
        self.best = np.zeros(n_passages)
        np.maximum.at(self.best, layout.passage, added / np.maximum(prices.pieces, 1e-9))
        self.least = np.full(n_passages, np.inf)
        np.minimum.at(self.least, layout.passage, prices.pieces)

    def explain(self, passage: int) -> str:
        """Name what was taken instead."""
        better = self.taken[self.density >= self.best[passage]]
        if len(better) == len(self.taken) and len(better):
            closest = _listed((int(better[0]),))
            return f"everything taken adds more for its size; {closest} is the closest"
        if len(better):
            names = _listed(tuple(better[::-1][:_NAMED].tolist()))
            return f"no room was left beside what adds more for its size, such as {names}"
        return f"no room was left: {self.room:g} {self.unit}, and it takes {self.least[passage]:g}"


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
