"""Sentences: exact spans into the caller's own string."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
import sentencex

from maxcover.kernels.outlines import find_single
from maxcover.text.read.blocks import Form, cut_blocks
from maxcover.text.read.kinds import Block
from maxcover.text.read.lines import LineMode, block_edges
from maxcover.text.split.false_ends import QUOTING, is_joint, settle_ends
from maxcover.text.words.codepoints import batches, places_of, to_letters
from maxcover.text.words.languages import Language, find_language

LONGEST = 4_000
"""No sentence is longer, in characters. The splitter is quadratic in unclosed quotation marks, so
that it sees at most this much at once, which makes the whole linear."""

LONG_QUOTE = 300
"""Above this many characters a sentence is split inside its quotation marks and brackets too: a
speech of a page is no use as one sentence, and *"Stop! Who is there?" he cried.* is."""

_BREAKERS = '"“”„‟«»‹›「」『』()[]{}'
_WITHOUT_BREAKERS = str.maketrans(dict.fromkeys(_BREAKERS, " "))
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORD = re.compile(r"[^\W_]")
# Looked for at the beginning of a run only, which makes it linear.
_WIDE_SPACE = re.compile(r"(?<![^\S\x00-\x7f])[^\S\x00-\x7f]++(?=\.)")
# Whether there is one, which takes a third of the time.
_WIDE_STOP = re.compile(r"[^\S\x00-\x7f]\.")
# The splitter looks for the other end of each of these; where one character in eight is one, for
# nothing, and for long.
_PAIRED = _BREAKERS + "'`‘’"
_WITHOUT_PAIRED = str.maketrans(dict.fromkeys(_PAIRED, " "))
_LEAST_PAIRED = 1_000
_LONGEST_ENUMERATOR = 8
# The language that sentencex 1.0.32 is asked to split another one as. In Catalan, Danish and
# Italian it compiles a regular expression at every full stop, up to 700 µs each. Its abbreviations
# of Catalan are the Spanish ones. Tamil has none in Latin letters; `false_ends` has the most used.
_ASKED = {"ca": "es", "da": "ta", "it": "ta"}
# Hebrew abbreviates with a sign that is mostly typed as a quotation mark, before the last letters.
_GERSHAYIM = re.compile(r'(?<=[א-ת])"(?=[א-ת]\b)|(?<=[א-ת]{2})"(?=[א-ת]{2,3}\b)')
# "I use R. I have ...": what the splitter takes for an initial, before a word that is no name.
_LETTER_STOP = re.compile(r"\.(?<= [A-Z]\.)(?= I['’ ])")
# A number or letter of an enumeration, which the splitter takes for a sentence of its own.
_ENUMERATOR = re.compile(r"\s*[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{2,4})[.)\]]+\s*")
# Up to three words, all with a capital, at most dashes before them.
_BARE_NAME = re.compile(r"[-–—\s]*[A-Z][^\W\d_]*(?:\.? [A-Z][^\W\d_]*){0,2}")

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
    """Split texts, many at once, each as `split` does."""
    for some in batches(map(without_surrogates, texts)):
        blocks = [block_edges(text, lines) for text in some]
        for starts, ends, _ in split_all(some, blocks, language.code):
            yield list(zip(starts, ends, strict=True))


class _Split(NamedTuple):
    """Where the sentences of a text begin and end, and how many each of its blocks has."""

    starts: list[int]
    ends: list[int]
    counts: list[int]


def split_all(
    texts: Sequence[str], blocks: Sequence[tuple[list[int], list[int]]], code: str
) -> Iterator[_Split]:
    """Split blocks of texts without lone surrogates, all in one pass.

    `blocks` are where those of each text begin and end; `code` is the language's.
    """
    letters = to_letters("\n".join(texts))
    starts, ends = ([edge for some in blocks for edge in some[side]] for side in (0, 1))
    owner = np.repeat(np.arange(len(texts)), [len(some) for some, _ in blocks])
    # where each block is once the texts are joined
    shifts = places_of(texts)[0][owner]
    single = np.empty(len(starts), np.bool_)
    first, last = (np.array(side, np.int64) + shifts for side in (starts, ends))
    find_single(letters, first, last, LONG_QUOTE, single)
    several: list[int] = []
    counts = np.full(len(starts), 2)  # of the cuts of each block, its end among them
    for number in np.flatnonzero(~single).tolist():
        some = _find_cuts(texts[owner[number]], starts[number], ends[number], code)
        several += some
        several.append(ends[number])
        counts[number] = len(some) + 1
    lasts = np.cumsum(counts) - 1
    offsets = np.repeat(shifts, counts)
    places = np.empty(len(offsets), np.int64)
    alone = np.repeat(single, counts)
    places[~alone] = several
    places[~alone] += offsets[~alone]
    places[alone] = np.stack((first[single], last[single]), axis=1).ravel()
    closing = np.zeros(len(places), np.bool_)
    closing[lasts] = True
    doubts, spans = settle_ends(
        letters, places, closing, sizes=(_LONGEST_ENUMERATOR + 1, LONG_QUOTE)
    )
    if code in QUOTING:
        doubts[~closing] = 1
    firsts = np.concatenate(([0], lasts + 1))
    doubtful = np.diff(np.concatenate(([0], np.cumsum(doubts > 0)))[firsts]) > 0
    sure = ~(closing | np.repeat(doubtful, counts))
    begins, stops = (spans - offsets[:, None])[sure].T.tolist()
    sizes = np.where(doubtful, 0, np.diff(firsts) - 1)
    before = np.cumsum(sizes) - sizes
    split = _Split([], [], sizes.tolist())
    done = 0
    for number in np.flatnonzero(doubtful).tolist():
        own, text = slice(*firsts[number : number + 2] - (0, 1)), texts[owner[number]]
        cuts = (places[own] - shifts[number]).tolist()
        pieces = _pieces(text, cuts, ends[number], code, doubts[own].tolist())
        tidy = _tidy(text, pieces)
        split.starts.extend((*begins[done : before[number]], *(start for start, _ in tidy)))
        split.ends.extend((*stops[done : before[number]], *(end for _, end in tidy)))
        split.counts[number] = len(tidy)
        done = int(before[number])
    split.starts.extend(begins[done:])
    split.ends.extend(stops[done:])
    block = place = 0
    for some, _ in blocks:
        own_counts = split.counts[block : block + len(some)]
        here = slice(place, place + sum(own_counts))
        yield _Split(split.starts[here], split.ends[here], own_counts)
        block, place = block + len(some), here.stop


class SentencePieces(NamedTuple):
    """The sentences of a text and where they stand, one entry each.

    Attributes
    ----------
    starts, ends : list of int
        ``text[start:end]``.
    bodies : list of int
        Where their words begin: behind the name of a speaker, otherwise at the start.
    kinds : list of str
        Of their blocks; see `KINDS`.
    speakers : list of str
        Who says them; see `Block`.
    labels : list of str
        What they are printed under, speakers apart; see `Block`.
    """

    starts: list[int]
    ends: list[int]
    bodies: list[int]
    kinds: list[str]
    speakers: list[str]
    labels: list[str]


def read(
    texts: Sequence[str], language: Language, forms: Sequence[Form], *, lines: LineMode = "auto"
) -> Iterator[SentencePieces]:
    r"""Split texts into sentences that know what they stand in; spans as in `split`.

    In a transcript the first sentence of a turn begins with the speaker's name.

    Examples
    --------
    >>> from maxcover.text.words.languages import find_language
    >>> next(read(["Ferries\n\nThe ferry is late."], find_language("en"), ["auto"]))[:4]
    ([0, 9], [7, 27], [0, 9], ['title', 'paragraph'])
    """
    english, left = language.code == "en", iter(forms)
    for some in batches(map(without_surrogates, texts)):
        blocks = [
            cut_blocks(text, lines=lines, form=form, english=english)
            for text, form in zip(some, left, strict=False)
        ]
        bodies = [([one.body for one in own], [one.end for one in own]) for own in blocks]
        found = split_all(some, bodies, language.code)
        for text, own, spans in zip(some, blocks, found, strict=True):
            yield _name_pieces(text, own, spans)


def _name_pieces(text: str, blocks: Sequence[Block], found: _Split) -> SentencePieces:
    """Tell the sentences of blocks what they stand in."""
    starts, ends, counts = found
    kinds: list[str] = []
    bodies = starts.copy()
    for (first, _, kind, body, *_), count in zip(blocks, counts, strict=True):
        if body > first and count:
            starts[len(kinds)] = first
        if kind == "list item":
            kinds += [kind, *["item text"] * (count - 1)][:count]
        else:
            kinds += [kind] * count
    speakers = [
        one.speaker for one, count in zip(blocks, counts, strict=True) for _ in range(count)
    ]
    labels = [one.label for one, count in zip(blocks, counts, strict=True) for _ in range(count)]
    if kinds[1:] and kinds[-1] == "paragraph":
        signed = _is_signed(text, ends[-2], (starts[-1], ends[-1]))
        kinds[-1] = "signature" if signed else "paragraph"
    return SentencePieces(starts, ends, bodies, kinds, speakers, labels)


def _is_signed(text: str, before: int, last: Span) -> bool:
    """Tell whether a text ends with the bare name of who wrote it, behind a sentence."""
    if last[1] - last[0] > 40 or text[before - 1] not in ".!?":
        return False
    return _BARE_NAME.fullmatch(text, *last) is not None


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which no other program can read, one for one."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)  # one for one: offsets stay


def without_abbreviations(text: str) -> str:
    """Replace the quotation marks of Hebrew abbreviations, one for one, by the sign that is meant.

    Examples
    --------
    >>> without_abbreviations('ארה"ב "תרמה" ע"י') == 'ארה״ב "תרמה" ע״י'
    True
    """
    return _GERSHAYIM.sub("\u05f4", text) if '"' in text else text


def _cuts(text: str, offset: int, code: str) -> list[int]:
    """Find where sentencex begins a sentence in `text`; add `offset`."""
    if not text.isascii():
        # sentencex 1.0.32 ends the program where such white space stands before a full stop
        if _WIDE_STOP.search(text):
            text = _WIDE_SPACE.sub(lambda found: " " * len(found.group()), text)
        text = without_abbreviations(text) if code == "he" else text
    if len(text) > _LEAST_PAIRED and sum(map(text.count, _PAIRED)) > len(text) // 8:
        text = text.translate(_WITHOUT_PAIRED)
    text = text.replace("`!", "` ")  # `!important`, `!name` without a link
    if "./" in text:  # paths
        text = text.replace("../", "  /").replace("./", " /")
    if code == "en" and ". I" in text:
        text = _LETTER_STOP.sub("!", text)
    code = _ASKED.get(code, code)
    parts = sentencex.segment(code, text)
    ends = list(accumulate(map(len, parts), initial=offset))
    if ends[-1] != offset + len(text):  # something was left out between two of them
        found = sentencex.get_sentence_boundaries(code, text)
        return [offset + boundary["start_index"] for boundary in found]
    return ends[:-1]


def _find_cuts(text: str, start: int, end: int, code: str) -> list[int]:
    """Find where sentences of a block may begin, looking at `LONGEST` characters at a time."""
    cuts: list[int] = []
    while end - start > LONGEST:
        window = text[start : start + LONGEST]
        cuts += _cuts(window, start, code)
        if cuts[-1] - start >= LONGEST // 2:
            # the last sentence of the window may go on behind it: the next window begins with it
            start = cuts.pop()
        else:
            # longer than half of a window: it ends before the last word, and no window is short
            whole = window[-1].isspace()
            start += LONGEST if whole else max(LONGEST // 2, len(window.rsplit(None, 1)[0]))
    return cuts + _cuts(text[start:end], start, code)


def _pieces(text: str, cuts: list[int], end: int, code: str, doubts: list[int]) -> list[Span]:
    """Cut one block where no sentence goes on, and long ones inside their quotations."""
    cuts = _without_joints(text, cuts, end, code, doubts)
    pieces = list(pairwise([*cuts, end]))
    if end - cuts[0] <= LONG_QUOTE:
        return pieces
    parts: list[Span] = []
    for piece in pieces:
        parts += _inside(text, piece, code) if piece[1] - piece[0] > LONG_QUOTE else [piece]
    return parts


def _without_joints(
    text: str, cuts: list[int], end: int, code: str, doubts: list[int]
) -> list[int]:
    """Leave out cuts where the sentence goes on, of those that may be such."""
    kept = cuts[:1]
    last = cuts[0]
    edges = pairwise([*cuts[1:], end])
    for (cut, behind), doubt in zip(edges, doubts[1:], strict=True):
        # behind a joint the sentence is another than the one that was looked at
        maybe = doubt & 1 or last != kept[-1]
        if not maybe or not is_joint(text, kept[-1], cut, code) or behind - kept[-1] > LONGEST:
            kept.append(cut)
        last = cut
    return kept


def _inside(text: str, span: Span, code: str) -> list[Span]:
    """Cut a long sentence at the sentence ends within its quotations and brackets."""
    start, end = span
    cuts = [start]
    for found in _cuts(text[start:end].translate(_WITHOUT_BREAKERS), start, code)[1:]:
        cut = found
        while cut - 1 > cuts[-1] and text[cut - 1] in _BREAKERS:
            cut -= 1
        goes_on = text[found].islower() or is_joint(text, cuts[-1], found, code)
        if cut > cuts[-1] and not goes_on:  # "Who is there?" he cried
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
        elif end - start <= _LONGEST_ENUMERATOR and _ENUMERATOR.fullmatch(text, start, end):
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
