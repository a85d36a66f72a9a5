"""Sentences: splits texts into sentences, each an exact span of the caller's string."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import sentencex

from maxcover.texts.read.blocks import Form, cut_blocks
from maxcover.texts.read.kinds import Block
from maxcover.texts.read.lines import LineMode, block_edges
from maxcover.texts.split.false_ends import is_joint
from maxcover.texts.words.languages import Language, find_language

LONGEST = 4_000
"""Most characters of a sentence, and of the text that sentencex sees at once. sentencex takes
quadratic time on unclosed quotation marks; with this limit the whole is linear."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_WORD = re.compile(r"[^\W_]")
# A block that surely is one sentence: ASCII, with a word and no sentence end before the last sign.
_SINGLE = re.compile(rf"(?=\S)(?=[\W_]*[^\W_])[^.!?\x80-\U0010ffff]{{0,{LONGEST - 1}}}\S")
_ANNOUNCING = frozenset(["paragraph", "list item"])
_LEADS = re.compile(r"[:：][*_`]{0,3}\Z")
# Non-ASCII spaces before a full stop. The look-behind lets a match begin only at the start of a run
# of spaces, which keeps the search linear.
_WIDE_SPACE = re.compile(r"(?<![^\S\x00-\x7f])[^\S\x00-\x7f]++(?=\.)")
# Quick check whether `_WIDE_SPACE` occurs at all; it takes a third of the time.
_WIDE_STOP = re.compile(r"[^\S\x00-\x7f]\.")
# sentencex searches for the partner of each of these characters. If more than one character in
# eight is such a mark, that search takes very long and finds nothing, so the marks are blanked out.
_PAIRED = '"“”„‟«»‹›「」『』()[]{}' + "'`‘’"
_WITHOUT_PAIRED = str.maketrans(dict.fromkeys(_PAIRED, " "))
_LEAST_PAIRED = 1_000
_LONGEST_ENUMERATOR = 8
# Language code passed to sentencex 1.0.32 instead of the real one. For Catalan, Danish and Italian
# it compiles a regular expression at every full stop, which takes up to 700 µs. It uses the Spanish
# abbreviations for Catalan anyway. Its Tamil rules have no abbreviations in Latin letters;
# `false_ends` handles the common Danish and Italian ones.
_ASKED = {"ca": "es", "da": "ta", "it": "ta"}
# Hebrew abbreviations have a gershayim sign before the last letters, mostly typed as a straight
# quotation mark.
_GERSHAYIM = re.compile(r'(?<=[א-ת])"(?=[א-ת]\b)|(?<=[א-ת]{2})"(?=[א-ת]{2,3}\b)')
# The full stop in "I use R. I have ...": sentencex takes "R." for an initial.
_LETTER_STOP = re.compile(r"\.(?<= [A-Z]\.)(?= I['’ ])")
# A number or letter of an enumeration; sentencex makes it a sentence of its own.
_ENUMERATOR = re.compile(r"\s*[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{2,4})[.)\]]+\s*")
Span = tuple[int, int]


def split_sentences(
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
    >>> [text[a:b] for a, b in split_sentences(text)]
    ['Dr. Smith arrived.', 'He left!']
    """
    return next(split_each([text], find_language(language), lines=lines))


def split_each(
    texts: Iterable[str], language: Language, *, lines: LineMode = "auto"
) -> Iterator[list[Span]]:
    """Split many texts; each result is that of `split_sentences`."""
    for text in map(without_surrogates, texts):
        blocks = split_blocks_of(text, *block_edges(text, lines), language.code)
        yield [span for spans in blocks for span in spans]


def split_blocks_of(
    text: str, starts: Sequence[int], ends: Sequence[int], code: str
) -> list[list[Span]]:
    """Return the sentences of each block of a text; `code` is the language code.

    The text must not contain lone surrogates.
    """
    return [
        [(start, end)]
        if _SINGLE.fullmatch(text, start, end)
        else _tidy(text, _pieces(text, _find_cuts(text, start, end, code), end, code))
        for start, end in zip(starts, ends, strict=True)
    ]


class SentencePieces(NamedTuple):
    """The sentences of a text with kind, speaker and label; each list has an entry per sentence.

    Attributes
    ----------
    starts, ends : list of int
        ``text[start:end]`` is the sentence.
    bodies : list of int
        Offset of the first word: after the speaker's name if there is one, otherwise the start.
    kinds : list of str
        Kind of the block that the sentence is in; see `KINDS`.
    speakers : list of str
        Speaker of the sentence, or ""; see `Block`.
    labels : list of str
        Label of the sentence other than its speaker, or ""; see `Block`.
    """

    starts: list[int]
    ends: list[int]
    bodies: list[int]
    kinds: list[str]
    speakers: list[str]
    labels: list[str]


def read(
    texts: Sequence[str], language: Language, forms: Sequence[Form], modes: Sequence[LineMode]
) -> Iterator[SentencePieces]:
    r"""Split texts into sentences with kind, speaker and label; spans as in `split_sentences`.

    In a transcript the first sentence of a turn begins with the speaker's name.

    Examples
    --------
    >>> from maxcover.texts.words.languages import find_language
    >>> next(read(["Ferries\n\nThe ferry is late."], find_language("en"), ["auto"], ["auto"]))[:4]
    ([0, 9], [7, 27], [0, 9], ['title', 'paragraph'])
    """
    english = language.code == "en"
    for text, form, lines in zip(map(without_surrogates, texts), forms, modes, strict=False):
        blocks = cut_blocks(text, lines=lines, form=form, english=english)
        bodies, ends = [one.body for one in blocks], [one.end for one in blocks]
        yield _name_pieces(text, blocks, split_blocks_of(text, bodies, ends, language.code))


def _name_pieces(
    text: str, blocks: Sequence[Block], found: Sequence[Sequence[Span]]
) -> SentencePieces:
    """Give each sentence the kind, speaker and label of its block."""
    starts = [start for spans in found for start, _ in spans]
    ends = [end for spans in found for _, end in spans]
    counts = list(map(len, found))
    kinds: list[str] = []
    bodies = starts.copy()
    for (first, _, kind, body, *_), count in zip(blocks, counts, strict=True):
        if body > first and count:
            starts[len(kinds)] = first
        if kind == "list item":
            kinds += [kind, *["item text"] * (count - 1)][:count]
        else:
            kinds += [kind] * count
        end = ends[len(kinds) - 1] if count else 0
        # A sentence that ends with a colon says nothing without what stands below it.
        if (
            end
            and kind in _ANNOUNCING
            and text[end - 1] in "*_`:："
            and _LEADS.search(text, end - 4, end)
        ):
            kinds[-1] = "label"
    speakers = [
        one.speaker for one, count in zip(blocks, counts, strict=True) for _ in range(count)
    ]
    labels = [one.label for one, count in zip(blocks, counts, strict=True) for _ in range(count)]
    return SentencePieces(starts, ends, bodies, kinds, speakers, labels)


def without_surrogates(text: str) -> str:
    """Replace each lone surrogate, which has no UTF-8 form, by U+FFFD; offsets do not change."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def without_abbreviations(text: str) -> str:
    """Replace the quotation mark inside a Hebrew abbreviation by gershayim; offsets do not change.

    Examples
    --------
    >>> without_abbreviations('ארה"ב "תרמה" ע"י') == 'ארה״ב "תרמה" ע״י'
    True
    """
    return _GERSHAYIM.sub("\u05f4", text) if '"' in text else text


def _cuts(text: str, offset: int, code: str) -> list[int]:
    """Return the start of each sentence that sentencex finds in `text`, plus `offset`."""
    if not text.isascii():
        # sentencex 1.0.32 crashes on non-ASCII white space before a full stop
        if _WIDE_STOP.search(text):
            text = _WIDE_SPACE.sub(lambda found: " " * len(found.group()), text)
        text = without_abbreviations(text) if code == "he" else text
    if len(text) > _LEAST_PAIRED and sum(map(text.count, _PAIRED)) > len(text) // 8:
        text = text.translate(_WITHOUT_PAIRED)
    text = text.replace("`!", "` ")  # The "!" of `!important` ends no sentence.
    if "./" in text:  # A file path: its dots end no sentence.
        text = text.replace("../", "  /").replace("./", " /")
    if code == "en" and ". I" in text:
        text = _LETTER_STOP.sub("!", text)
    code = _ASKED.get(code, code)
    parts = sentencex.segment(code, text)
    ends = list(accumulate(map(len, parts), initial=offset))
    if ends[-1] != offset + len(text):  # the parts leave out some text, so lengths do not add up
        found = sentencex.get_sentence_boundaries(code, text)
        return [offset + boundary["start_index"] for boundary in found]
    return ends[:-1]


def _find_cuts(text: str, start: int, end: int, code: str) -> list[int]:
    """Return where sentences of a block may begin; sentencex sees `LONGEST` characters at once."""
    cuts: list[int] = []
    while end - start > LONGEST:
        window = text[start : start + LONGEST]
        cuts += _cuts(window, start, code)
        if cuts[-1] - start >= LONGEST // 2:
            # The last sentence may continue after this window: start the next window with it.
            start = cuts.pop()
        else:
            # The last sentence fills more than half of the window. Break it before the window's
            # last word, but not in the first half, so that the windows advance.
            whole = window[-1].isspace()
            start += LONGEST if whole else max(LONGEST // 2, len(window.rsplit(None, 1)[0]))
    return cuts + _cuts(text[start:end], start, code)


def _pieces(text: str, cuts: list[int], end: int, code: str) -> list[Span]:
    """Split one block where sentences end."""
    return list(pairwise([*_without_joints(text, cuts, end, code), end]))


def _without_joints(text: str, cuts: list[int], end: int, code: str) -> list[int]:
    """Remove the cuts where the sentence continues."""
    kept = cuts[:1]
    for cut, behind in pairwise([*cuts[1:], end]):
        if behind - kept[-1] > LONGEST or not is_joint(text, kept[-1], cut, code):
            kept.append(cut)
    return kept


def _tidy(text: str, pieces: list[Span]) -> list[Span]:
    """Trim the pieces of one block; join pieces without words, and bare numbers, to a neighbour."""
    spans: list[Span] = []
    begin = -1  # start of a piece without a word, or of a bare number, that joins the next piece
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
        elif end - start <= _LONGEST_ENUMERATOR and _ENUMERATOR.fullmatch(text, start, end):
            begin = first
        else:
            spans.append(_trim(text, first, end))
            begin = -1
    if begin >= 0:
        spans.extend(_if_worded(text, begin, pieces[-1][1]))
    return spans


def _if_worded(text: str, start: int, end: int) -> list[Span]:
    """Return the trimmed span of ``text[start:end]``, or [] if it has no letter or digit."""
    return [_trim(text, start, end)] if _WORD.search(text, start, end) else []


def _trim(text: str, start: int, end: int) -> Span:
    """Return the span of ``text[start:end]`` without white space at its ends."""
    if not (text[start].isspace() or text[end - 1].isspace()):
        return start, end
    body = text[start:end]
    return start + len(body) - len(body.lstrip()), start + len(body.rstrip())
