"""False ends: sentence ends that the splitter underneath sees where there are none.

An abbreviation before a number or a name (``data/abbreviations.toml``), an ordinal, initials, a
quotation that goes on with "he asked". `tests/text/sentence_cases.py` is what they are checked on.
"""

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.ends import settle
from maxcover.text.words.codepoints import DIGIT, Int64s, Letters, count_codes, traits
from maxcover.text.words.languages import find_language
from maxcover.text.words.lists import read_table

# Characters before a sentence end that are looked at.
_WINDOW = 24
# What may stand before an abbreviation.
_BEFORE = re.compile(r"[\s(\['’\"“«]")
_HALF_DAY = re.compile(r"\b[ap]\.m\.\s*$", re.IGNORECASE)
_DAY = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:E|C|P|M)[SD]?T\b|GMT|UTC|\(")
_INITIAL = re.compile(r"(?:^|[\s.(-])[A-Z]\.\s*$")
_INITIAL_NEXT = re.compile(r"[A-Z]\.")
_ENUMERATED = re.compile(r"(?:(?<!\d)[:;,–—-]|[:;,–—-]\s)\s*(?:\d{1,2}|[a-z])[.)]\s*$")
# A decimal with a blank in it: "a 15. 4 inch screen", "USB 2. 0".
_WHOLE_PART = re.compile(r"(?:^|[\s(])\d{1,2}\. $")
_DECIMALS = re.compile(r"\d{1,2}(?![\w.,:)-])")
# With nothing before it but the full stop: "home.PNG", "typing.Annotated", "~/.Xresources".
_PART = re.compile(r"[A-Z][\w-]*")
_ENDING = re.compile(r"[A-Z]{2,4}")
# Letters with a full stop behind each, as in "ए.एफ़.पी", where no capitals say so.
_LETTERED = re.compile(r"(?:^|\s)(?:[^\W\d]\S{0,3}?\.){2,}$")
# Marks that close a quotation, and words after them that continue the same sentence.
_SAID = {
    "ja": ("」』", re.compile(r"\s*(?:と|って|という|、|，|などと)")),
    "ko": ('"”’」', re.compile(r"(?:이?라|고|며|는|란)[^\s.]{0,2}(?=[\s,])")),
    "zh": (
        "”」』",
        re.compile(r"[^。！？，“”「\s]{1,12}(?:说|說|表示|指出|称|稱|问|問|道)[^。]{0,6}。"),
    ),
}
QUOTING = frozenset(_SAID)
"""Codes of languages whose every cut is looked at."""


@cache
def _words(kind: str, code: str = "any") -> frozenset[str]:
    """Return the abbreviations of a kind, in a language."""
    return frozenset(read_table("abbreviations")[kind].get(code, "").split())


@cache
def _known() -> frozenset[str]:
    """Return the abbreviations of all languages that may stand before a name."""
    table = read_table("abbreviations")
    kinds = [words for kind in ("name", "small", "word") for words in table[kind].values()]
    return frozenset(" ".join(kinds).split())


@cache
def _pattern_of(kind: str, code: str) -> re.Pattern[str] | None:
    """Return the pattern of units or of ordinals, if a language has some."""
    words = "|".join(sorted(_words(kind, code)))
    pattern = {
        "unit": rf"(?:^|[\s\d.])(?:{words})\.\s*$",
        "ordinal": rf"(?:^|\s)(?:{words})\s+\d{{1,2}}\.\s*$",
    }[kind]
    return re.compile(pattern, re.IGNORECASE) if words else None


def settle_ends(
    letters: Letters, cuts: Int64s, closing: NDArray[np.bool_], *, sizes: tuple[int, int]
) -> tuple[NDArray[np.uint8], Int64s]:
    """Trim the sentences between cuts, and tell which ones the characters leave in doubt.

    Parameters
    ----------
    letters : uint32 array
        A text.
    cuts : int64 array
        Where sentences begin, and behind the last one of a block where it ends.
    closing : bool array
        Which cuts are such ends.
    sizes : (int, int)
        Length of the shortest and of the longest sentence that is no doubt.

    Returns
    -------
    doubts : uint8 array
        For each cut, 1 if it may be a joint, provided that those before it are none; plus 2 if the
        sentence behind it holds no letter or digit, is too long, or may be a number of the next.
    spans : int64 array (n_cuts, 2)
        The sentence behind each cut, without white space around it.

    Examples
    --------
    >>> from maxcover.text.words.codepoints import to_letters
    >>> text = "See Fig. 3 for more. It is always late."
    >>> closing = np.array([False, False, False, True])
    >>> settle_ends(to_letters(text), np.array([0, 9, 21, 39]), closing, sizes=(9, 300))[0].tolist()
    [0, 1, 0, 0]
    """
    spans = np.zeros((len(cuts), 2), np.int64)
    doubts = np.empty(len(cuts), np.uint8)
    fixed = (_WINDOW, *sizes, _packed_names())
    known = _traits(count_codes(letters))
    settle(letters, known, cuts, closing, *fixed, doubts, spans.ravel())
    return doubts, spans


@cache
def _traits(n_codes: int) -> NDArray[np.uint8]:
    """Say what the first characters are, as the kernel has it; a plus sign begins a number."""
    found = traits(n_codes).copy()
    found[ord("+")] |= DIGIT
    return found


@cache
def _packed_names() -> NDArray[np.int64]:
    """Give the known abbreviations in ASCII as numbers, eight bits a letter, the last one first."""
    names = (name for name in sorted(_known()) if name.isascii())
    return np.array([int.from_bytes(name.encode()[::-1], "big") for name in names], np.int64)


def is_joint(text: str, start: int, cut: int, code: str) -> bool:
    """Tell whether the sentence that begins at `start` goes on behind `cut`.

    Examples
    --------
    >>> text = "See Fig. 3 for more. It is late."
    >>> is_joint(text, 0, 9, "en"), is_joint(text, 0, 21, "en")
    (True, False)
    """
    first = text[cut]
    if code in QUOTING:
        marks, said = _SAID[code]
        if code != "ko" or text[cut - 1] in marks:
            closed = text[start:cut].rstrip()[-1:]
            return closed in marks and said.match(text, cut) is not None
    before = text[cut - _WINDOW if cut - start > _WINDOW else start : cut]
    stem = before.rstrip()
    if stem[-1:] != ".":
        return False
    word = stem[:-1].rpartition(" ")[2]
    if not word.isalnum():
        word = _BEFORE.split(word)[-1]
    if first.isdigit() or first == "+":
        # the splitter knows decimals in European digits only
        inside = first > "\x7f" and before[-1] == "." and before[-2:-1].isdigit()
        inside = inside or bool(_WHOLE_PART.search(before) and _DECIMALS.match(text, cut))
        return inside or word.casefold() in _words("number") or word in _words("word", code)
    goes_on = first.islower() and text[start].isupper()
    if goes_on or (before[-1] == "." and _is_part(text, cut, code)):
        return True
    if _is_plain(word):
        return False
    return _ENUMERATED.search(before) is not None or _is_before_name(text, before, cut, word, code)


def _is_part(text: str, cut: int, code: str) -> bool:
    """Tell whether a name goes on: sentences that run together go on with a word like "The"."""
    found = _PART.match(text, cut)
    if found is None or _ENDING.fullmatch(found.group()):
        return found is not None
    known = find_language(code).stop_words
    return bool(known) and found.group().casefold() not in known


def _is_plain(word: str) -> bool:
    """Tell of most words and numbers, without a regular expression, that no table holds them."""
    if word.isalpha():
        return len(word) > 1 and word not in _known()
    return len(word) > 2 and word.isalnum()


def _is_before_name(text: str, before: str, cut: int, word: str, code: str) -> bool:
    """Tell whether a title, ordinal, initial or hour ends `before`; `word` is its last word."""
    if any(word in _words(*kind) for kind in (("name",), ("name", code), ("word", code))):
        return True
    if not text[cut].isupper() and word in _words("small", code):
        return True
    if _INITIAL.search(before) and _INITIAL_NEXT.match(text, cut):
        return True
    if _HALF_DAY.search(before) and _DAY.match(text, cut):
        return True
    if before[-1] == "." and not text[cut].isascii() and _LETTERED.search(before):
        return True
    rules = (_pattern_of(kind, code) for kind in ("unit", "ordinal"))
    return any(rule is not None and rule.search(before) for rule in rules)
