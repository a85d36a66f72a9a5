"""Kinds of block: what a paragraph, a heading or a signature means for a summary. One table."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Kind(NamedTuple):
    """A row of KINDS.

    Attributes
    ----------
    chosen : bool
        Whether its sentences may be in a summary.
    weighs : bool
        Whether its words count as said by the text.
    """

    chosen: bool
    weighs: bool


_PROSE, _NAME, _FRAME = Kind(True, True), Kind(False, True), Kind(False, False)

#: What blocks can be.
KINDS: dict[str, Kind] = {
    "paragraph": _PROSE,
    "list item": _PROSE,
    "item text": _PROSE,  # what goes on behind the first sentence of an item
    "quotation": _PROSE,
    "speech": _PROSE,  # a turn of a transcript, its speaker's name apart
    "torn item": _NAME,  # of a list; the line that leads to it is too long to be printed
    "label": _NAME,  # an item that others hang on, and no sentence
    "title": _NAME,
    "heading": _NAME,
    "caption": _NAME,
    "table": _NAME,
    "date line": _FRAME,
    "aside": _FRAME,  # what the writer of a transcript adds
    "code": _FRAME,
    "greeting": _FRAME,
    "signature": _FRAME,
    "disclaimer": _FRAME,
    "header": _FRAME,
}

_WEIGHS = {name: kind.weighs for name, kind in KINDS.items()}
_CHOSEN = {name: kind.chosen for name, kind in KINDS.items()}

LETTERS = 0.02
"""Part of the sentences in frames of letters from which texts are mail: 0 to 0.01 in others."""

POSTS = 1 / 3
"""Documents answer one another if more than this part of them have a greeting or a header."""

_LETTER = ("header", "greeting", "signature", "disclaimer")
_POST = frozenset([*_LETTER, "quotation"])


def weighing(kinds: Sequence[str]) -> NDArray[np.bool_]:
    """Tell which of the sentences of these kinds count as said by the text."""
    return np.fromiter(map(_WEIGHS.__getitem__, kinds), np.bool_, len(kinds))


def choosable(kinds: Sequence[str]) -> NDArray[np.bool_]:
    """Tell which of the sentences of these kinds may be in a summary."""
    return np.fromiter(map(_CHOSEN.__getitem__, kinds), np.bool_, len(kinds))


def in_documents(
    values: NDArray[np.float64] | NDArray[np.bool_], document: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Add up the values of sentences in the document of each."""
    sums = np.bincount(document, values, minlength=int(document.max(initial=0)) + 1)
    return np.asarray(sums[document])


def find_transcripts(kinds: Sequence[str], document: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which sentences stand in a document that has turns of speech.

    Examples
    --------
    >>> find_transcripts(["title", "speech", "paragraph"], np.array([0, 0, 1])).tolist()
    [True, True, False]
    """
    return _share(kinds, ("speech",), document) > 0


def find_mail(kinds: Sequence[str], document: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which sentences stand in a document that is mail.

    Examples
    --------
    >>> find_mail(["paragraph", "signature", "title"], np.array([0, 0, 1])).tolist()
    [True, True, False]
    """
    return _share(kinds, _LETTER, document) > LETTERS


def are_posts(kinds: Sequence[str], document: NDArray[np.int64]) -> bool:
    """Tell whether documents answer one another: more than a third have a part of a letter.

    Examples
    --------
    >>> are_posts(["greeting", "paragraph", "paragraph"], np.array([0, 0, 1]))
    True
    """
    framed = {one for one, kind in zip(document.tolist(), kinds, strict=True) if kind in _POST}
    count = len({*document.tolist()})
    return count > 1 and len(framed) > POSTS * count


def _share(
    kinds: Sequence[str], wanted: Sequence[str], document: NDArray[np.int64]
) -> NDArray[np.float64]:
    if not {*kinds}.intersection(wanted):
        return np.zeros(len(kinds))
    found = np.array([kind in wanted for kind in kinds], np.float64)
    return np.asarray(in_documents(found, document) / in_documents(np.ones(len(kinds)), document))


class Block(NamedTuple):
    """A stretch of a document inside which a line end is only white space.

    Attributes
    ----------
    start, end : int
        ``text[start:end]``, without indent, quote marks and list marker.
    kind : str
        Of `KINDS`.
    body : int
        Where its words begin: behind the name of a speaker, otherwise `start`.
    speaker : str
        Who says it, in talk, mail and threads; empty if that is not known or not asked.
    parent : int
        Start of the block that it hangs on: the item around it, the line that leads to its list, or
        the heading above it; -1 if there is none.
    label : str
        Words of the parent that it is printed under, if it says too little without.
    """

    start: int
    end: int
    kind: str
    body: int
    speaker: str = ""
    parent: int = -1
    label: str = ""
