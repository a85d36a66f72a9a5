"""Layout: how chosen pieces become one text, in which order, and how large that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maxcover.packing.counters import count, count_all
from maxcover.text.units import JOINER, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Shelf:
    """What orders look at, one entry per passage.

    Attributes
    ----------
    ranks : int64 array
        From 1, the best.
    documents : sequence of hashable
        The document that each passage is from.
    positions : sequence of float
        Its place in that document.
    """

    ranks: NDArray[np.int64]
    documents: Sequence[Hashable]
    positions: Sequence[float]


def _as_retrieved(chosen: list[int], shelf: Shelf) -> list[int]:
    """As they came."""
    return chosen


def _by_document(chosen: list[int], shelf: Shelf) -> list[int]:
    """Documents in the order of their first chosen passage, passages as they stand in them."""
    place: dict[Hashable, int] = {}
    for passage in chosen:
        place.setdefault(shelf.documents[passage], len(place))
    return sorted(chosen, key=lambda p: (place[shelf.documents[p]], shelf.positions[p]))


def _best_at_both_ends(chosen: list[int], shelf: Shelf) -> list[int]:
    """First, last, second, second to last: models overlook what is in the middle."""
    ranked = sorted(chosen, key=lambda p: int(shelf.ranks[p]))
    return ranked[0::2] + ranked[1::2][::-1]


#: The orders by name.
ORDERS: dict[str, Callable[[list[int], Shelf], list[int]]] = {
    "retrieved": _as_retrieved,
    "document": _by_document,
    "ends": _best_at_both_ends,
}


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Pieces of passages, and how they are put together.

    A chosen passage is its header and its chosen pieces; between two passages stands the separator.
    Pieces that are neighbours in the passage stay as they stand there, white space included;
    between others there is one space.

    Attributes
    ----------
    texts : sequence of str
        The passages.
    passage, starts, ends : int64 arrays (n_pieces)
        Piece i is ``texts[passage[i]][starts[i]:ends[i]]``; pieces of a passage are in reading
        order, with nothing but white space between neighbours.
    headers : sequence of str
    separator : str
    order : str
        A name from `ORDERS`.
    shelf : Shelf
    unit : Unit
    """

    texts: Sequence[str]
    passage: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    headers: Sequence[str]
    separator: str
    order: str
    shelf: Shelf
    unit: Unit

    def piece(self, index: int) -> str:
        """Cut one piece out of its passage."""
        text: str = self.texts[int(self.passage[index])]
        return text[int(self.starts[index]) : int(self.ends[index])]

    def group(self, chosen: Iterable[int]) -> dict[int, list[int]]:
        """Give the chosen pieces of each passage, in the order in which they are printed."""
        pieces: dict[int, list[int]] = {}
        for index in sorted(chosen):
            pieces.setdefault(int(self.passage[index]), []).append(index)
        return {p: pieces[p] for p in ORDERS[self.order](sorted(pieces), self.shelf)}

    def spans(self, pieces: list[int]) -> list[tuple[int, int]]:
        """Give the places of chosen pieces of one passage; neighbours are one place."""
        spans: list[tuple[int, int]] = []
        for before, index in zip([-2, *pieces], pieces, strict=False):
            start, end = int(self.starts[index]), int(self.ends[index])
            if before == index - 1:
                start = spans.pop()[0]
            spans.append((start, end))
        return spans

    def show(self, pieces: list[int]) -> str:
        """Put chosen pieces of one passage together, without its header."""
        text: str = self.texts[int(self.passage[pieces[0]])]
        return JOINER.join([text[start:end] for start, end in self.spans(pieces)])

    def render(self, chosen: Iterable[int]) -> str:
        """Put the chosen pieces together."""
        return self.separator.join(
            self.headers[passage] + self.show(pieces)
            for passage, pieces in self.group(chosen).items()
        )

    def measure(self, chosen: Sequence[int]) -> float:
        """Size of the text of the chosen pieces; nothing costs nothing."""
        return count(self.unit, self.render(chosen)) if len(chosen) else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """What pieces cost as far as that adds up; each piece is counted once.

    Attributes
    ----------
    pieces : float64 array (n_pieces)
        What a piece takes of the budget, with what stands before it.
    charges : float64 array (n_passages)
        What the first chosen piece of a passage takes besides: header and separator.
    credit : float
        What to add to the budget, because the first passage has no separator before it.
    exact : bool
        The size of a text is the sum of these prices less the credit, always.
    """

    pieces: NDArray[np.float64]
    charges: NDArray[np.float64]
    credit: float
    exact: bool

    def total(self, layout: Layout, chosen: Sequence[int]) -> float:
        """Add up what a selection takes of the budget."""
        if not len(chosen):
            return 0.0
        passages = np.unique(layout.passage[chosen])
        return float(self.pieces[chosen].sum() + self.charges[passages].sum() - self.credit)


def price(layout: Layout, *, whole: bool) -> Prices:
    """Count every piece once, with what stands before it.

    A tokenizer joins a word with the space before it, so that is how pieces are counted. What a
    counter says of the empty text (special tokens) is counted once for the whole.
    """
    unit, separator = layout.unit, layout.separator
    base = count(unit, "")
    n_passages = len(layout.texts)
    indices = range(len(layout.passage))
    if whole:
        texts = [
            f"{separator}{layout.headers[p]}{layout.texts[p]}" for p in layout.passage.tolist()
        ]
        sizes, charges = count_all(unit, texts) - base, np.zeros(n_passages)
    else:
        joint = count(unit, JOINER) - base
        sizes = count_all(unit, [JOINER + layout.piece(i) for i in indices]) - base
        fronts = count_all(unit, [separator + header for header in layout.headers]) - base
        charges = np.maximum(fronts - joint, 0.0)
    return Prices(
        pieces=np.maximum(sizes, 0.0),
        charges=charges,
        credit=count(unit, separator) - base - base,
        # white space between neighbours may be more than one character
        exact=unit.additive and (whole or unit.joint == 0) and _parts_never_touch(layout),
    )


def _parts_never_touch(layout: Layout) -> bool:
    """Whether white space stands wherever two parts meet, so that no word or token spans them."""
    separator = layout.separator
    apart = bool(separator) and separator[0].isspace() and separator[-1].isspace()
    return apart and all(not header or header[-1].isspace() for header in layout.headers)
