"""Kinds of block: which kinds may be in a summary, and which only give weight to words."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxcover.engine.core.ascending import is_new


class Kind(NamedTuple):
    """What a kind of block means for a summary; a row of `KINDS`.

    Attributes
    ----------
    chosen : bool
        Whether sentences of this kind may be in a summary.
    weighs : bool
        Whether the words of such sentences count for the weights of concepts.
    """

    chosen: bool
    weighs: bool


_PROSE, _NAME, _FRAME = Kind(True, True), Kind(False, True), Kind(False, False)

#: The kinds of block by name.
KINDS: dict[str, Kind] = {
    "paragraph": _PROSE,
    "list item": _PROSE,
    "item text": _PROSE,  # sentences of a list item after the first sentence
    "quotation": _PROSE,
    "speech": _PROSE,  # A turn of a transcript, without the speaker's name.
    "torn item": _NAME,  # A list item whose lead-in, which it needs, is too long to print.
    "label": _NAME,  # A list item that is no sentence and has items below it, or ends in a colon.
    "title": _NAME,
    "heading": _NAME,
    "caption": _NAME,
    "table": _NAME,
    "date line": _FRAME,
    "aside": _FRAME,  # a remark of the writer of a transcript
    "code": _FRAME,
    "greeting": _FRAME,
    "signature": _FRAME,
    "header": _FRAME,
}

_WEIGHS = {name: kind.weighs for name, kind in KINDS.items()}
_CHOSEN = {name: kind.chosen for name, kind in KINDS.items()}

END = frozenset(".!?…:;,。！？।॥؟۔")
CLOSING = "\"'”’»)]›“*_` "
"""`END` are marks that end a sentence or clause; `CLOSING` are marks that may follow them."""


def weighing(kinds: Sequence[str]) -> NDArray[np.bool_]:
    """Return for each sentence, by its kind, whether its words count for the weights."""
    return np.fromiter(map(_WEIGHS.__getitem__, kinds), np.bool_, len(kinds))


def choosable(kinds: Sequence[str]) -> NDArray[np.bool_]:
    """Return for each sentence, by its kind, whether it may be in a summary."""
    return np.fromiter(map(_CHOSEN.__getitem__, kinds), np.bool_, len(kinds))


def in_documents(
    values: NDArray[np.float64] | NDArray[np.bool_], document: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return for each sentence the sum of the values of all sentences of its document."""
    sums = np.bincount(document, values, minlength=int(document.max(initial=0)) + 1)
    return np.asarray(sums[document])


def place_in_documents(document: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of each sentence in its document, from 0."""
    starts = np.flatnonzero(is_new(document))
    lengths = np.diff(np.append(starts, document.size))
    return np.arange(document.size) - np.repeat(starts, lengths)


def find_heads(kinds: Sequence[str], document: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the row of the last heading or title at or before each sentence of a document, or -1.

    Examples
    --------
    >>> find_heads(["paragraph", "heading", "paragraph"], np.array([0, 1, 1])).tolist()
    [-1, 1, 1]
    """
    rows = np.arange(document.size)
    heads = np.array([kind in ("heading", "title") for kind in kinds], np.bool_)
    last: NDArray[np.int64] = np.maximum.accumulate(np.where(heads, rows, -1))
    return np.where(last >= np.searchsorted(document, document), last, -1)


def find_transcripts(kinds: Sequence[str], document: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return True for each sentence whose document has turns of speech.

    Examples
    --------
    >>> find_transcripts(["title", "speech", "paragraph"], np.array([0, 0, 1])).tolist()
    [True, True, False]
    """
    spoken = np.array([kind == "speech" for kind in kinds], np.bool_)
    return in_documents(spoken, document) > 0


class Block(NamedTuple):
    """A stretch of a document inside which a line end is only white space.

    Attributes
    ----------
    start, end : int
        ``text[start:end]`` is the block, without indent, quote marks and list marker.
    kind : str
        A key of `KINDS`.
    body : int
        Offset of the first word: after the name of a speaker, otherwise `start`.
    speaker : str
        The speaker or author, in talk, mail and threads; "" if unknown.
    parent : int
        Start of the parent block: the list item around this block, the line that introduces its
        list, or the heading above it; -1 if there is none.
    label : str
        Words of the parent that are printed before the block, if it says too little without them.
    """

    start: int
    end: int
    kind: str
    body: int
    speaker: str = ""
    parent: int = -1
    label: str = ""
