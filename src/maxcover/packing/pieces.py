"""Pieces: a passage cut into what can be taken by itself, with nothing lost between two pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxcover.text.split.sentences import split_each
from maxcover.text.words.tokens import unspaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.text.read.lines import LineMode
    from maxcover.text.split.sentences import Span
    from maxcover.text.words.languages import Language

#: Characters of the longest piece; in scripts without spaces, where a clause says as much.
LONGEST, LONGEST_UNSPACED = 800, 160
#: A shorter piece ("Yes.", a row of a table, a line of code) goes with its neighbour.
SHORTEST = 24


def cut(text: str, language: Language, *, lines: LineMode = "auto") -> list[Span]:
    r"""Cut a passage into sentences that tile it.

    Parameters
    ----------
    text : str
    language : Language
    lines : {"auto", "break", "wrap"}
        Whether a line end ends a sentence, as in `maxcover.text.split.sentences.split`.

    Returns
    -------
    list of (start, end)
        In order. Only white space stands before, between and behind pieces: a list marker belongs
        to the piece behind it. A sentence that is very long is cut at white space, one that is very
        short goes with its neighbour. A text without letter or digit has no pieces.

    Examples
    --------
    >>> from maxcover.text.words.languages import find_language
    >>> text = "Dr. Smith arrived at nine o'clock.  No.\n- He left again when it was ten."
    >>> [text[a:b] for a, b in cut(text, find_language("en"))]
    ["Dr. Smith arrived at nine o'clock.  No.", '- He left again when it was ten.']
    """
    return cut_all([text], language, lines=lines)[0]


def cut_all(
    texts: Sequence[str], language: Language, *, lines: LineMode = "auto"
) -> list[list[Span]]:
    """Cut passages, all of them in one pass, each as `cut` does."""
    found = split_each(texts, language, lines=lines)
    return [
        _tile(text, [end for _, end in spans]) for text, spans in zip(texts, found, strict=True)
    ]


def _tile(text: str, ends: list[int]) -> list[Span]:
    """Make pieces of a passage of whose sentences it is known where they end."""
    pieces: list[Span] = []
    start = 0
    longest = LONGEST if text.isascii() or not unspaced().search(text) else LONGEST_UNSPACED
    if ends:
        ends[-1] = len(text.rstrip())
    for stop in ends:
        while text[start].isspace():
            start += 1
        if pieces and (stop - start < SHORTEST or pieces[-1][1] - pieces[-1][0] < SHORTEST):
            pieces[-1] = pieces[-1][0], stop
        elif stop - start <= longest:
            pieces.append((start, stop))
        else:
            pieces += _shorter(text, start, stop)
        start = stop
    return pieces


def _shorter(text: str, start: int, end: int) -> list[Span]:
    """Cut a long sentence at white space, where there is some."""
    most = (
        LONGEST if text.isascii() or not unspaced().search(text, start, end) else LONGEST_UNSPACED
    )
    pieces = []
    while end - start > most:
        at = text.rfind(" ", start + most // 2, start + most)
        at = text.find(" ", start + most, end) if at < 0 else at
        if at < 0 or end - at < SHORTEST:
            break
        pieces.append((start, at))
        start = at + 1
        while text[start].isspace():
            start += 1
    return [*pieces, (start, end)]
