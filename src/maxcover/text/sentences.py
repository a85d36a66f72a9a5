"""Sentences: exact spans into the caller's own string."""

import re
from itertools import accumulate, pairwise
from typing import NamedTuple

import sentencex

from maxcover.text.blocks import Form, find_blocks
from maxcover.text.joints import is_joint
from maxcover.text.languages import Language, find_language
from maxcover.text.lines import LineMode, split_blocks

LONGEST = 4_000
"""No sentence is longer, in characters. The splitter is quadratic in unclosed quotation marks, so
that it sees at most this much at once, which makes the whole linear."""

LONG_QUOTE = 300
"""Above this many characters a sentence is split inside its quotation marks and brackets too: a
speech of a page is no use as one sentence, and *"Stop! Who is there?" he cried.* is."""

_BREAKERS = '"“”„‟«»‹›「」『』()[]{}'
_BREAKER = re.compile(f"[{re.escape(_BREAKERS)}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORD = re.compile(r"[^\W_]")
# Without any of these inside it, a block is one sentence: most headings, list items and chat lines.
_MAYBE_END = re.compile(r"[.!?]|[^\x00-\x7f]")
# A number or letter of an enumeration, which the splitter takes for a sentence of its own.
_ENUMERATOR = re.compile(r"\s*[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{2,4})[.)\]]+\s*")
# Up to three words, all with a capital, at most dashes before them.
_BARE_NAME = re.compile(r"[-–—\s]*[A-Z][^\W\d_]*(?:\.? [A-Z][^\W\d_]*){0,2}")

Span = tuple[int, int]


def split(
    text: str, language: str | Language = "english", *, lines: LineMode = "auto"
) -> list[Span]:
    """Split a text into sentences.

    Parameters
    ----------
    text : str
        Any string: line ends of any kind, NUL, lone surrogates and zero-width characters included.
    language : str or Language
        Chooses the abbreviations; see `LANGUAGES`.
    lines : {"auto", "break", "wrap"}
        Whether a line end ends a sentence; see `split_blocks`.

    Returns
    -------
    list of (start, end)
        In order, disjoint. ``text[start:end]`` is the sentence: it neither begins nor ends with
        white space, holds at least one letter or digit, and has at most `LONGEST` characters.
        What has no letter or digit (rules, emoji) goes with the sentence before it on the same
        line, or is left out if there is none or it would become too long. List markers and quote
        marks at the beginning of a line are no part of a sentence. Time and memory are linear in
        the length of the text.

    Examples
    --------
    >>> text = "Dr. Smith arrived.  He left!"
    >>> [text[a:b] for a, b in split(text)]
    ['Dr. Smith arrived.', 'He left!']
    """
    code = find_language(language).code
    safe = _without_surrogates(text)
    spans: list[Span] = []
    for start, end in split_blocks(safe, lines):
        spans.extend(_tidy(safe, _pieces(safe, start, end, code)))
    return spans


class Piece(NamedTuple):
    """A sentence and where it stands.

    Attributes
    ----------
    start, end : int
        ``text[start:end]``.
    body : int
        Where its words begin: behind the name of a speaker, otherwise `start`.
    kind : str
        Of its block; see `KINDS`.
    """

    start: int
    end: int
    body: int
    kind: str


def read(
    text: str, language: Language, *, lines: LineMode = "auto", form: Form = "auto"
) -> list[Piece]:
    r"""Split a text into sentences that know what they stand in; spans as in `split`.

    In a transcript the first sentence of a turn begins with the speaker's name.

    Examples
    --------
    >>> from maxcover.text.languages import find_language
    >>> read("Ferries\n\nThe ferry is late.", find_language("en"))[1]
    Piece(start=9, end=27, body=9, kind='paragraph')
    """
    safe = _without_surrogates(text)
    found: list[Piece] = []
    for block in find_blocks(safe, lines=lines, form=form):
        spans = _tidy(safe, _pieces(safe, block.body, block.end, language.code))
        for start, end in spans:
            named = start == spans[0][0] and block.body > block.start
            found.append(Piece(block.start if named else start, end, start, block.kind))
    if len(found) > 1 and _is_signed(safe, found[-2], found[-1]):
        found[-1] = found[-1]._replace(kind="signature")
    return found


def _is_signed(text: str, before: Piece, last: Piece) -> bool:
    """Tell whether a text ends with the bare name of who wrote it."""
    if last.kind != "paragraph" or last.end - last.start > 40 or text[before.end - 1] not in ".!?":
        return False
    return _BARE_NAME.fullmatch(text, last.start, last.end) is not None


def _without_surrogates(text: str) -> str:
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)  # one for one: offsets stay


def _cuts(text: str, offset: int, code: str) -> list[int]:
    """Find where sentencex begins a sentence in `text`; add `offset`."""
    parts = sentencex.segment(code, text)
    ends = list(accumulate(map(len, parts), initial=offset))
    if ends[-1] != offset + len(text):  # something was left out between two of them
        found = sentencex.get_sentence_boundaries(code, text)
        return [offset + boundary["start_index"] for boundary in found]
    return ends[:-1]


def _pieces(text: str, start: int, end: int, code: str) -> list[Span]:
    """Cut one block, looking at `LONGEST` characters at a time."""
    if end - start <= LONG_QUOTE and _MAYBE_END.search(text, start, end - 1) is None:
        return [(start, end)]
    cuts: list[int] = []
    while end - start > LONGEST:
        window = text[start : start + LONGEST]
        found = _cuts(window, start, code)
        # The last sentence of the window may go on behind it: the next window begins with it.
        if len(found) > 1:
            cuts += found[:-1]
            start = found[-1]
        else:
            cuts.append(start)
            head = window.rsplit(None, 1)[0]
            start += len(head) if head.strip() else LONGEST
    cuts += _cuts(text[start:end], start, code)
    cuts = _without_joints(text, cuts, end, code)
    pieces = list(pairwise([*cuts, end]))
    if end - cuts[0] <= LONG_QUOTE:
        return pieces
    parts: list[Span] = []
    for piece in pieces:
        parts += _inside(text, piece, code) if piece[1] - piece[0] > LONG_QUOTE else [piece]
    return parts


def _without_joints(text: str, cuts: list[int], end: int, code: str) -> list[int]:
    """Leave out cuts where the sentence goes on."""
    kept = cuts[:1]
    for cut, behind in pairwise([*cuts[1:], end]):
        if not is_joint(text, kept[-1], cut, code) or behind - kept[-1] > LONGEST:
            kept.append(cut)
    return kept


def _inside(text: str, span: Span, code: str) -> list[Span]:
    """Cut a long sentence at the sentence ends within its quotations and brackets."""
    start, end = span
    cuts = [start]
    for found in _cuts(_BREAKER.sub(" ", text[start:end]), start, code)[1:]:
        cut = found
        while cut - 1 > cuts[-1] and text[cut - 1] in _BREAKERS:
            cut -= 1
        if cut > cuts[-1] and not text[found].islower():  # "Who is there?" he cried
            cuts.append(cut)
    return list(pairwise([*cuts, end]))


def _tidy(text: str, pieces: list[Span]) -> list[Span]:
    """Trim the pieces of one block and join those that are no sentence to a neighbour."""
    spans: list[Span] = []
    begin = -1  # of a piece that still wants a word, or the text behind its number
    for start, end in pieces:
        if begin >= 0 and end - begin > LONGEST:
            spans.extend(_if_worded(text, begin, start))
            begin = -1
        first = start if begin < 0 else begin
        if _WORD.search(text, start, end) is None:
            if begin >= 0 or not spans:
                begin = first
            elif end - spans[-1][0] <= LONGEST:
                spans[-1] = _trim(text, spans[-1][0], end)
        elif end - start <= 8 and _ENUMERATOR.fullmatch(text, start, end):
            begin = first
        else:
            spans.append(_trim(text, first, end))
            begin = -1
    if begin >= 0:
        spans.extend(_if_worded(text, begin, pieces[-1][1]))
    return spans


def _if_worded(text: str, start: int, end: int) -> list[Span]:
    """Make a sentence of ``text[start:end]``, or none if it holds no letter or digit."""
    return [_trim(text, start, end)] if _WORD.search(text, start, end) else []


def _trim(text: str, start: int, end: int) -> Span:
    """Leave out the white space around ``text[start:end]``."""
    if not (text[start].isspace() or text[end - 1].isspace()):
        return start, end
    body = text[start:end]
    return start + len(body) - len(body.lstrip()), start + len(body.rstrip())
