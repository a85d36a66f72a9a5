"""Pieces: a passage cut into what can be taken by itself, with nothing lost between two pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from maxcover.packing.structure import find_structure
from maxcover.text.words.tokens import unspaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from maxcover.packing.structure import Structure
    from maxcover.text.split.sentences import Span

    Split = Callable[[Sequence[str]], Iterator[list[Span]]]

#: Characters of the longest piece; in scripts without spaces, where a clause says as much.
LONGEST, LONGEST_UNSPACED = 800, 160
#: A shorter sentence ("Yes.") goes with its neighbour.
SHORTEST = 24
#: Characters of the longest block of code that is one piece, unless told otherwise.
LONGEST_BLOCK = 1 << 12


#: What is said of a piece that is prose, and of one that is made of lines and has no head.
PROSE, LINED = -2, -1


class Shape(NamedTuple):
    """What is said of the pieces of a passage that is not prose only.

    Attributes
    ----------
    kind : str
        What the whole passage is, "" if it is prose with other parts.
    heads : list of int
        Of each piece: `PROSE`, `LINED`, or the place of the piece without which it cannot be read.
    worth : list of float
        What each is worth whatever is asked, relative to the best match.
    """

    kind: str
    heads: list[int]
    worth: list[float]


def cut(text: str, split: Split) -> list[Span]:
    r"""Cut a passage into sentences and blocks of lines that tile it.

    Parameters
    ----------
    text : str
    split : callable
        Finds the sentences of texts: `maxcover.text.split.sentences.split_each`, with a language.

    Returns
    -------
    list of (start, end)
        In order. Only white space stands before, between and behind pieces: a list marker belongs
        to the piece behind it. A sentence that is very long is cut at white space, one that is very
        short goes with its neighbour. A text without letter or digit has no pieces. Code, tables,
        lists and formulas are cut between lines; `maxcover.packing.structure` says where.

    Examples
    --------
    >>> from functools import partial
    >>> from maxcover.text.split.sentences import split_each
    >>> from maxcover.text.words.languages import find_language
    >>> split = partial(split_each, language=find_language("en"))
    >>> text = "Dr. Smith arrived at nine o'clock.  No.\n- He left again when it was ten."
    >>> [text[a:b] for a, b in cut(text, split)]
    ["Dr. Smith arrived at nine o'clock.  No.", '- He left again when it was ten.']
    """
    return cut_all([text], split)[0][0]


def cut_all(
    texts: Sequence[str],
    split: Split,
    *,
    endings: Sequence[str] = (),
    most: int = LONGEST_BLOCK,
) -> tuple[list[list[Span]], dict[int, Shape]]:
    """Cut passages, all of them in one pass, each as `cut` does.

    Parameters
    ----------
    endings : sequence of str
        The ending of the file that each text is, "" where that is not known.
    most : int
        Characters of the longest block of code that is one piece.

    Returns
    -------
    spans : list of list of (start, end)
    shapes : dict of Shape
        What is said of the pieces of each text that is not prose only.
    """
    found = {
        number: structure
        for number, text in enumerate(texts)
        if (structure := find_structure(text, ending=endings[number] if endings else "", most=most))
    }
    # prose between and around the regions is cut as a text of its own
    prose: list[str] = []
    for number, text in enumerate(texts):
        around = _between(found.get(number), len(text))
        prose += [text[a:b] for a, b in around]
    ends = ([end for _, end in spans] for spans in split(prose))
    tiles = map(_tile, prose, ends)
    spans: list[list[Span]] = []
    shapes: dict[int, Shape] = {}
    for number, text in enumerate(texts):
        if number in found:
            own, heads, worth = _join(text, found[number], tiles)
            shapes[number] = Shape(found[number].kind, heads, worth)
            spans.append(own)
        else:
            spans.append(next(tiles))
    return spans, shapes


def _join(
    text: str, structure: Structure, tiles: Iterator[list[Span]]
) -> tuple[list[Span], list[int], list[float]]:
    """Put the sentences of a passage and its regions together."""
    spans: list[Span] = []
    heads: list[int] = []
    worth: list[float] = []
    stray = -1
    regions = structure.regions
    for place, (start, end) in enumerate(_between(structure, len(text))):
        sentences = next(tiles)
        if sentences:
            spans += [(a + start, b + start) for a, b in sentences]
            heads += [PROSE] * len(sentences)
            worth += [0.0] * len(sentences)
        elif text[start:end].strip():
            # signs alone go with what stands before or, if nothing does, behind them
            if spans:
                spans[-1] = spans[-1][0], start + len(text[start:end].rstrip())
            else:
                stray = start + len(text[start:end]) - len(text[start:end].lstrip())
        if place < len(regions):
            first = len(spans)
            spans += [(part.start, part.end) for part in regions[place]]
            heads += [LINED if part.head < 0 else part.head + first for part in regions[place]]
            worth += [part.worth for part in regions[place]]
            if stray >= 0:
                spans[first], stray = (stray, spans[first][1]), -1
    return spans, heads, worth


def _between(structure: Structure | None, length: int) -> list[Span]:
    """Give what stands before, between and behind regions; a passage of one kind has no prose."""
    if structure is None:
        return [(0, length)]
    starts = [0, *(region[-1].end for region in structure.regions)]
    ends = [*(region[0].start for region in structure.regions), length]
    if structure.kind:
        starts = ends
    return list(zip(starts, ends, strict=True))


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
