"""Layout: how chosen pieces become one text, in which order, and of which size."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from maxcover.texts.packing.counters import count, count_all, count_before, is_estimate
from maxcover.texts.packing.file_blocks import GAP
from maxcover.texts.packing.passage_kinds import KINDS, PassageKind
from maxcover.texts.words.estimate import estimate_all
from maxcover.texts.words.units import JOINER, LINE, Unit

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from maxcover.ground.array_types import Floats, Int64s, Mask

PackOrderName = Literal["retrieved", "document", "ends"]
#: Orders of passages: as given; by document, each in reading order; the most relevant at both ends.
ORDERS: tuple[str, ...] = get_args(PackOrderName)
_PROSE = PassageKind(lambda _text, _lines: [])


def _none() -> Int64s:
    return np.empty(0, np.int64)


def at_both_ends(ranked: list[int]) -> list[int]:
    """Move the best of a list, given best first, to both ends: models overlook the middle.

    Examples
    --------
    >>> at_both_ends([1, 2, 3, 4, 5])
    [1, 3, 5, 4, 2]
    """
    return ranked[0::2] + ranked[1::2][::-1]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Layout:
    """The pieces of passages, and how chosen pieces are joined to one text.

    A chosen passage is shown as its header and its chosen pieces; the separator stands between two
    passages. Pieces that are neighbours in the passage stay as they are there, white space
    included. Between other pieces stands `GAP`, on a line of its own if the text left out contains
    a line end.

    Attributes
    ----------
    texts : sequence of str
        The passages.
    passage, starts, ends : int64 arrays (n_pieces)
        Piece i is ``texts[passage[i]][starts[i]:ends[i]]``; pieces of a passage are in reading
        order, with nothing but white space between neighbours.
    heads : int64 array (n_pieces)
        The piece that is shown whenever this one is, -1 if there is none.
    piece : int64 array (n_sentences)
        The piece that each sentence belongs to.
    headers : sequence of str
    separator : str
    order : str
        A name from `ORDERS`.
    ranks : int64 array (n_passages)
        From 1, the best.
    documents : sequence of hashable
        The document that each passage is from.
    positions : sequence of float
        Its place in that document.
    unit : Unit
    sizes : float64 array (n_pieces), optional
        The size of each piece by itself, where that is known.
    kinds : sequence of str
        What each passage is; `maxcover.texts.packing.passage_kinds` says how some kinds are shown.
    english : sequence of bool
        Which passages are estimated as English, if the unit is the estimate of tokens.
    before : str
        The text that the result begins with: an earlier context, or "".
    """

    texts: Sequence[str]
    headers: Sequence[str]
    separator: str
    order: str
    ranks: Int64s
    documents: Sequence[Hashable]
    positions: Sequence[float]
    unit: Unit
    kinds: Sequence[str]
    english: Sequence[bool]
    before: str = ""
    passage: Int64s = field(default_factory=_none)
    starts: Int64s = field(default_factory=_none)
    ends: Int64s = field(default_factory=_none)
    heads: Int64s = field(default_factory=_none)
    piece: Int64s = field(default_factory=_none)
    sizes: Floats | None = None

    def pieces(self) -> list[str]:
        """Return the text of every piece."""
        places = zip(self.passage.tolist(), self.starts.tolist(), self.ends.tolist(), strict=True)
        return [self.texts[passage][start:end] for passage, start, end in places]

    def singles(self) -> Mask:
        """Return which passages are one piece, measured with its header and separator."""
        return np.asarray(np.bincount(self.passage, minlength=len(self.texts)) == 1)

    def complete(self, chosen: Sequence[int]) -> list[int]:
        """Return the chosen pieces, then the heads (headings, signatures) that they need."""
        found = dict.fromkeys(chosen)
        for piece in chosen:
            head = int(self.heads[piece])
            while head >= 0 and head not in found:
                found[head] = None
                head = int(self.heads[head])
        return list(found)

    def number_documents(self) -> Int64s:
        """Return the number of the document of each piece; documents are numbered from 0.

        A passage whose document is None is a document of its own.
        """
        places: dict[Hashable, int] = {}
        names = [("own", k) if one is None else ("of", one) for k, one in enumerate(self.documents)]
        numbers = [places.setdefault(name, len(places)) for name in names]
        return np.array(numbers, dtype=np.int64)[self.passage]

    def group(self, chosen: Iterable[int]) -> dict[int, list[int]]:
        """Map each passage to its chosen pieces, in the order in which they are printed."""
        pieces: dict[int, list[int]] = {}
        ordered = sorted(chosen)
        for index, passage in zip(ordered, self.passage[ordered].tolist(), strict=True):
            pieces.setdefault(passage, []).append(index)
        return {passage: pieces[passage] for passage in self._arrange(list(pieces))}

    def _arrange(self, passages: list[int]) -> list[int]:
        """Sort passage numbers into the order that the caller asked for."""
        if self.order == "ends":
            return at_both_ends(sorted(passages, key=self.ranks.__getitem__))
        if self.order == "document":
            # Documents are ordered by their first passage.
            first: dict[Hashable, int] = {}
            for one in passages:
                first.setdefault(self.documents[one], one)
            return sorted(passages, key=lambda p: (first[self.documents[p]], self.positions[p]))
        return passages

    def spans(self, pieces: list[int]) -> list[tuple[int, int]]:
        """Return the (start, end) ranges of chosen pieces of a passage; neighbours are merged."""
        spans: list[tuple[int, int]] = []
        places = zip(self.starts[pieces].tolist(), self.ends[pieces].tolist(), strict=True)
        for before, index, (start, end) in zip([-2, *pieces], pieces, places, strict=False):
            spans.append((spans.pop()[0] if before == index - 1 else start, end))
        return spans

    def show(self, passage: int, spans: Sequence[tuple[int, int]]) -> str:
        """Join the chosen ranges of one passage to a text, without its header."""
        text: str = self.texts[passage]
        kind = KINDS.get(self.kinds[passage], _PROSE)
        if kind.show is not None and spans[0] != (0, len(text)):
            return kind.show(text, spans)
        shown = text[slice(*spans[0])]
        for (_, end), (start, stop) in pairwise(spans):
            space = LINE if "\n" in text[end:start] else JOINER
            shown += space + (GAP + space if kind.gaps else "") + text[start:stop]
        return shown

    def render(self, shown: Iterable[tuple[int, Sequence[tuple[int, int]]]]) -> str:
        """Join passages to one text; each comes with the ranges of it that are shown."""
        parts = (self.headers[passage] + self.show(passage, spans) for passage, spans in shown)
        return self.separator.join([*([self.before] if self.before else []), *parts])

    def shown(self, chosen: Iterable[int]) -> list[tuple[int, list[tuple[int, int]]]]:
        """Return the passages of chosen pieces, as they are printed, each with its ranges."""
        return [(passage, self.spans(pieces)) for passage, pieces in self.group(chosen).items()]

    def measure(self, chosen: Sequence[int]) -> float:
        """Return the size of the text of the chosen pieces, 0 if there is no text."""
        if not len(chosen) and not self.before:
            return 0.0
        shown = self.shown(chosen)
        if not is_estimate(self.unit) or not self.separator.isspace():
            return count(self.unit, self.render(shown))
        # The estimate depends on the language of each passage, and white space counts nothing.
        size = count(self.unit, self.before)
        for english in (True, False):
            own = (one for one in shown if self.english[one[0]] == english)
            texts = [self.headers[passage] + self.show(passage, spans) for passage, spans in own]
            size += float(estimate_all(texts, english=english).sum())
        return size


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """Sizes of pieces and passage headers; the size of a text is estimated as their sum.

    Attributes
    ----------
    pieces : float64 array (n_pieces)
        Size of a piece, with the space (for a whole passage: separator and header) before it.
    charges : float64 array (n_passages)
        Size of header and separator, paid once if any piece of the passage is chosen; 0 if the
        passage is one piece.
    credit : float
        Size of one separator: the first passage has none before it.
    before : float
        Size of the text that the result begins with.
    """

    pieces: Floats
    charges: Floats
    credit: float
    before: float = 0.0


def price(layout: Layout, budget: float) -> Prices:
    """Measure every piece once, together with the space or separator before it.

    Tokenizers join a word with the space before it, so pieces are measured with that space. A
    passage that is one piece is measured with its separator and header; other passages have these
    as their charge. What a counter gives for the empty text (special tokens) counts once for the
    whole.
    """
    unit, separator = layout.unit, layout.separator
    numbers = {header: k for k, header in enumerate(dict.fromkeys(layout.headers))}
    header = np.array([numbers[one] for one in layout.headers], dtype=np.int64)
    around = ["", JOINER, separator, *(separator + one for one in numbers)]
    base, joiner, between, *counted = count_all(unit, around).tolist()
    fronts_and_base = np.array(counted)[header]
    single = layout.singles()
    alone = single[layout.passage]
    if layout.sizes is not None:
        fronts = (fronts_and_base - base)[layout.passage]
        sizes = layout.sizes + np.where(alone, fronts, 0.0)
    else:
        before = (
            separator + layout.headers[passage] if single[passage] else JOINER
            for passage in layout.passage.tolist()
        )
        sizes = count_all(unit, map(str.__add__, before, layout.pieces())) - base
    charges = fronts_and_base - base - (joiner - base)
    charges[single] = 0.0
    return Prices(
        pieces=np.maximum(sizes, 0.0),
        charges=np.maximum(charges, 0.0),
        # The first passage has no separator before it, unless the text begins with an earlier
        # context.
        credit=0.0 if layout.before else between - base - base,
        before=count_before(unit, layout.before, budget),
    )
