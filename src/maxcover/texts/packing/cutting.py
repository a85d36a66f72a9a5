"""Cutting: a passage cut into pieces that can be chosen alone, with nothing lost between them."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

from maxcover.texts.packing.passage_kinds import PROSE, Part, Structure
from maxcover.texts.packing.structure import find_structure
from maxcover.texts.words.tokens import unspaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from maxcover.texts.split.sentences import Span

    Split = Callable[[Sequence[str]], Iterator[list[Span]]]

#: Characters of the longest piece of prose: in scripts with spaces, and without (denser).
LONGEST, LONGEST_UNSPACED = 800, 160
#: A sentence with fewer characters ("Yes.") is joined to its neighbour.
SHORTEST = 24
#: Characters of the longest block of code that stays one piece, by default.
LONGEST_BLOCK = 1 << 12


def cut(text: str, split: Split) -> list[Span]:
    r"""Cut a passage into sentences and blocks of lines that tile it.

    Parameters
    ----------
    text : str
    split : callable
        Finds the sentences of texts: `maxcover.texts.split.sentences.split_each`, with a language.

    Returns
    -------
    list of (start, end)
        In order. Only white space stands before, between and behind pieces: a list marker belongs
        to the piece behind it. A sentence that is very long is cut at white space, one that is very
        short goes with its neighbour. A text without letter or digit has no pieces. Code, tables,
        lists and formulas are cut between lines; `maxcover.texts.packing.structure` says where.

    Examples
    --------
    >>> from functools import partial
    >>> from maxcover.texts.split.sentences import split_each
    >>> from maxcover.texts.words.languages import find_language
    >>> split = partial(split_each, language=find_language("en"))
    >>> text = "Dr. Smith arrived at nine o'clock.  No.\n- He left again when it was ten."
    >>> [text[a:b] for a, b in cut(text, split)]
    ["Dr. Smith arrived at nine o'clock.  No.", '- He left again when it was ten.']
    """
    return [(one.start, one.end) for one in cut_all([text], split)[0].parts]


def cut_all(
    texts: Sequence[str],
    split: Split,
    *,
    endings: Sequence[str] = (),
    most: int = LONGEST_BLOCK,
) -> list[Structure]:
    """Cut several passages as `cut` does, their sentences found in one pass.

    Parameters
    ----------
    endings : sequence of str
        The ending of the file that each text is, "" where that is not known.
    most : int
        Characters of the longest block of code that is one piece.
    """
    told = endings or repeat("", len(texts))
    found = [
        find_structure(text, ending=ending, most=most)
        for text, ending in zip(texts, told, strict=True)
    ]
    # Prose between and around the other parts is split into sentences like a text of its own.
    gaps = [_gaps(one, len(text)) for one, text in zip(found, texts, strict=True)]
    prose = [text[a:b] for text, places in zip(texts, gaps, strict=True) for a, b in places]
    tiles = map(_tile, prose, ([end for _, end in spans] for spans in split(prose)))
    return [
        one
        if one.kind
        else Structure("", list(_join(text, one.parts, zip(places, tiles, strict=False))))
        for text, one, places in zip(texts, found, gaps, strict=True)
    ]


def _gaps(structure: Structure, length: int) -> list[Span]:
    """Return the spans of prose before, between and after the parts of a passage."""
    if structure.kind:
        return []
    starts = [0, *(part.end for part in structure.parts)]
    return list(zip(starts, [*(part.start for part in structure.parts), length], strict=True))


def _join(
    text: str, parts: Sequence[Part], between: Iterable[tuple[Span, list[Span]]]
) -> Iterator[Part]:
    """Merge the sentences of a passage and its other parts in reading order."""
    places: list[int] = []
    n_pieces = 0
    for number, ((start, end), sentences) in enumerate(between):
        bare = text[start:end].strip()
        begin = start + text[start:end].find(bare)
        own = [(a + start, b + start) for a, b in sentences]
        if parts and bare and not own:
            # A stretch of punctuation between other parts becomes one piece without words.
            own = [(begin, begin + len(bare))]
        for span in own:
            yield Part(*span, PROSE)
            n_pieces += 1
        if number < len(parts):
            one = parts[number]
            yield one if one.head < 0 else one._replace(head=places[one.head])
            places.append(n_pieces)
            n_pieces += 1


def _tile(text: str, ends: list[int]) -> list[Span]:
    """Make pieces of a text whose sentences end at `ends`: join short ones, cut long ones."""
    pieces: list[Span] = []
    start = 0
    if ends:
        ends[-1] = len(text.rstrip())
    for stop in ends:
        while text[start].isspace():
            start += 1
        if pieces and (stop - start < SHORTEST or pieces[-1][1] - pieces[-1][0] < SHORTEST):
            pieces[-1] = pieces[-1][0], stop
        elif stop - start <= LONGEST_UNSPACED:
            pieces.append((start, stop))
        else:
            pieces += _shorter(text, start, stop)
        start = stop
    return pieces


def _shorter(text: str, start: int, end: int) -> list[Span]:
    """Cut a long sentence at white space; without white space it stays whole."""
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
