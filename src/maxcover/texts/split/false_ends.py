"""False ends: places where sentencex ends a sentence although the sentence continues.

Examples are an abbreviation before a number or a name (``data/abbreviations.toml``), an ordinal,
initials, and a quotation followed by "he asked". `tests/texts/sentence_cases.py` has the test
cases.
"""

import re
from functools import cache

from maxcover.texts.words.languages import find_language
from maxcover.texts.words.lists import read_table

# At most this many characters before a sentence end are examined.
_WINDOW = 24
# A character that may precede an abbreviation.
_BEFORE = re.compile(r"[\s(\['’\"“«]")
_HALF_DAY = re.compile(r"\b[ap]\.m\.\s*$", re.IGNORECASE)
_DAY = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:E|C|P|M)[SD]?T\b|GMT|UTC|\(")
_INITIAL = re.compile(r"(?:^|[\s.(-])[A-Z]\.\s*$")
_INITIAL_NEXT = re.compile(r"[A-Z]\.")
_ENUMERATED = re.compile(r"(?:(?<!\d)[:;,–—-]|[:;,–—-]\s)\s*(?:\d{1,2}|[a-z])[.)]\s*$")
# A decimal number with a space in it: "a 15. 4 inch screen", "USB 2. 0".
_WHOLE_PART = re.compile(r"(?:^|[\s(])\d{1,2}\. $")
_DECIMALS = re.compile(r"\d{1,2}(?![\w.,:)-])")
# The part of a name that directly follows a full stop: "home.PNG", "typing.Annotated",
# "~/.Xresources". `_ENDING` is a file extension in capitals.
_PART = re.compile(r"[A-Z][\w-]*")
_ENDING = re.compile(r"[A-Z]{2,4}")
# Initials in a script without capitals: letters, each followed by a full stop, as in "ए.एफ़.पी".
_LETTERED = re.compile(r"(?:^|\s)(?:[^\W\d]\S{0,3}?\.){2,}$")
# Per language: marks that close a quotation, and words after them that continue the sentence.
_SAID = {
    "ja": ("」』", re.compile(r"\s*(?:と|って|という|、|，|などと)")),
    "ko": ('"”’」', re.compile(r"(?:이?라|고|며|는|란)[^\s.]{0,2}(?=[\s,])")),
    "zh": (
        "”」』",
        re.compile(r"[^。！？，“”「\s]{1,12}(?:说|說|表示|指出|称|稱|问|問|道)[^。]{0,6}。"),
    ),
}


@cache
def _words(kind: str, code: str = "any") -> frozenset[str]:
    """Return the abbreviations of one kind ("name", "number", ...) for the language `code`."""
    return frozenset(read_table("abbreviations")[kind].get(code, "").split())


@cache
def _known() -> frozenset[str]:
    """Return the abbreviations, of all languages, that may precede a name."""
    table = read_table("abbreviations")
    kinds = [words for kind in ("name", "small", "word") for words in table[kind].values()]
    return frozenset(" ".join(kinds).split())


@cache
def _pattern_of(kind: str, code: str) -> re.Pattern[str] | None:
    """Return the pattern for the units or ordinals of a language, or None if none are listed."""
    words = "|".join(sorted(_words(kind, code)))
    pattern = {
        "unit": rf"(?:^|[\s\d.])(?:{words})\.\s*$",
        "ordinal": rf"(?:^|\s)(?:{words})\s+\d{{1,2}}\.\s*$",
    }[kind]
    return re.compile(pattern, re.IGNORECASE) if words else None


def is_joint(text: str, start: int, cut: int, code: str) -> bool:
    """Return True if the sentence that begins at `start` continues after `cut`.

    Examples
    --------
    >>> text = "See Fig. 3 for more. It is late."
    >>> is_joint(text, 0, 9, "en"), is_joint(text, 0, 21, "en")
    (True, False)
    """
    first = text[cut]
    if code in _SAID:
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
        # sentencex recognises decimals in ASCII digits only
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
    """Return True if the word at `cut`, directly after a full stop, is part of a dotted name.

    It is not if the word is a stop word like "The": then only the space after the stop is missing.
    """
    found = _PART.match(text, cut)
    if found is None or _ENDING.fullmatch(found.group()):
        return found is not None
    known = find_language(code).stop_words
    return bool(known) and found.group().casefold() not in known


def _is_plain(word: str) -> bool:
    """Return True if `word` certainly is no abbreviation; False means that it may be one.

    This cheap check spares most words the regular expressions.
    """
    if word.isalpha():
        return len(word) > 1 and word not in _known()
    return len(word) > 2 and word.isalnum()


def _is_before_name(text: str, before: str, cut: int, word: str, code: str) -> bool:
    """Return True if `before` ends with a title, unit, ordinal, initial or "a.m."/"p.m.".

    `word` is the last word of `before`.
    """
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
