"""Tokens: the words of a sentence, normalised so that spellings of the same word compare equal."""

import re
import sys
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from maxcover.texts.words.codepoints import within

#: Scripts written without spaces: Thai, Lao, Myanmar, Khmer; kana and Han (with the rarer planes).
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
# Soft hyphen, zero-width space and joiners, word joiner, byte-order mark, variation selectors.
_IGNORED = "\u00ad-\u00ad\u200b-\u200d\u2060-\u2060\ufeff-\ufeff\ufe00-\ufe0f\U000e0100-\U000e01ef"
_LEADING = re.compile(r"^[\u0300-\u036f]+")
_IGNORED_MARK = re.compile(f"[{_IGNORED}]")
# Code points searched for combining marks: all but Han, Hangul, cuneiform, hieroglyphs and emoji.
_MARK_BLOCKS = (
    range(0x300, 0x3100),
    range(0xA600, 0xAC00),
    range(0xFB00, 0x12000),
    range(0x16A00, 0x17000),
    range(0x1BC00, 0x1F000),
)


# These patterns are compiled when first used: each takes milliseconds, and most texts need none.
@cache
def unspaced() -> re.Pattern[str]:
    """Return the pattern of one character of a script written without spaces."""
    return re.compile(f"[{UNSPACED}]")


@cache
def _script_run() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")


def normalize(run: str) -> tuple[str, ...]:
    """Turn a run of word characters, as found in a text, into words.

    Parameters
    ----------
    run : str
        One of the runs of `find_runs`.

    Returns
    -------
    tuple of str
        The run in Unicode form NFKC, case-folded, without soft hyphens and zero-width characters,
        and with plain apostrophes. It is mostly one word. A run in a script without spaces becomes
        its overlapping pairs of characters. A run without a letter or digit becomes ``()``.

    Examples
    --------
    >>> normalize("Stra\u00dfe"), normalize("co\u00adop"), normalize("東京都")
    (('strasse',), ('coop',), ('東京', '京都'))
    """
    if run.isascii():
        return (run.lower(),)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", run).casefold())
    folded = _IGNORED_MARK.sub("", folded).replace("\u2019", "'")
    words: list[str] = []
    for part in folded.split():
        if unspaced().search(part):
            for piece in _script_run().findall(part):
                words.extend(_pairs(piece) if unspaced().match(piece) else [piece])
        else:
            words.append(part)
    # A combining mark at the start of a word belongs to the sign before the word: "=\u03380" is
    # another way to write "≠0".
    words = [word if word[0].isalnum() else _LEADING.sub("", word) for word in words]
    return tuple(word for word in words if any(map(str.isalnum, word)))


def find_runs(text: str, *, elides: bool = False) -> list[str]:
    """List the runs of word characters of a text, in order, not normalised.

    A run is made of letters, digits and combining marks. An apostrophe between letters belongs to
    the run (*don't*) unless `elides` is True (*l'homme* is two runs). A point or comma between
    digits belongs to it (*3.14*). Hyphens and underscores separate runs.
    """
    return _pattern(text.isascii(), elides).findall(text.replace("_", " "))


def words(text: str, *, elides: bool = False) -> list[str]:
    """List the words of a text.

    Examples
    --------
    >>> words("Don't pay 1,000 for a state-of-the-art CAFE\u0301!")
    ["don't", 'pay', '1,000', 'for', 'a', 'state', 'of', 'the', 'art', 'café']
    """
    return [word for run in find_runs(text, elides=elides) for word in normalize(run)]


def locate(text: str, *, elides: bool = False) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield the span of each run of word characters in `text`, with the words of the run.

    Yields
    ------
    (start, end, words)
        ``normalize(text[start:end]) == words``; concatenated they are ``words(text)``.

    Examples
    --------
    >>> list(locate("To BE."))
    [(0, 2, ('to',)), (3, 5, ('be',))]
    """
    pattern = _pattern(text.isascii(), elides)
    for match in pattern.finditer(text.replace("_", " ")):
        found = normalize(match.group())
        if found:
            yield match.start(), match.end(), found


@cache
def _pattern(ascii_only: bool, elides: bool) -> re.Pattern[str]:
    return re.compile(run_pattern(ascii_only=ascii_only, elides=elides))


def run_pattern(*, ascii_only: bool = False, elides: bool = False) -> str:
    """Return the regular expression for a run of word characters; see `find_runs`."""
    letters = "a-zA-Z0-9" if ascii_only else rf"\w{_marks()}{_IGNORED}"
    joint = r"(?<=\d)[.,](?=\d)" + ("" if elides else r"|['\u2019]")
    return rf"[{letters}]+(?:(?:{joint})[{letters}]+)*"


def find_word_characters(n_codes: int) -> NDArray[np.bool_]:
    """Return which of the first `n_codes` code points are word characters, as a bool array."""
    found = np.asarray(np.char.isalnum(np.arange(n_codes, dtype=np.uint32).view("U1")))
    marks = _IGNORED if n_codes <= 128 else _marks() + _IGNORED
    return found | within(marks, n_codes)


@cache
def _marks() -> str:
    r"""Return all combining marks, which ``\w`` does not match, as ranges of a character class.

    This takes milliseconds, so it is done once and only if a text needs it.
    """
    ranges: list[list[int]] = []
    for code in chain(*_MARK_BLOCKS):
        if unicodedata.category(chr(code)) in {"Mn", "Mc"}:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


def _pairs(run: str) -> list[str]:
    """Return the overlapping pairs of characters of `run`, each with its combining marks."""
    characters = _cluster().findall(run)
    if len(characters) < 2:
        return characters
    return [sys.intern(a + b) for a, b in pairwise(characters)]


@cache
def _cluster() -> re.Pattern[str]:
    return re.compile(rf".[{_marks()}]*", re.DOTALL)
