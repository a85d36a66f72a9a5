"""Speech: what makes an utterance of a transcript unfit for print; mostly English."""

import re
from collections.abc import Sequence
from functools import cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from maxcover.text.words.lists import read_table
from maxcover.text.words.terms import Terms

_LISTS = read_table("speech")
FILLERS = frozenset(_LISTS["fillers"].split())
"""Words without content in a transcript: what fills a pause, and verbs that could be any verb."""

# What makes a stumble, each with what words it needs (`_find_marks`), which few utterances have.
_NO_SUBJECT = (
    "Just|Might|Got|Not that|Think|Guess|Needs?|Means|Looks?|Sounds|Seems|Did|Do|Does|Is|Are|Was"
    "|Were|Have|Has|Had|Can|Could|Will|Would|Should|Who|Wanna|Gonna|Trying"
)
_STUMBLES = (
    # a word that is said twice: "we we", "we need we need", "they are they"
    r"(?i:\b([\w'’]+),? \1\b|\b(\w+ ['’]?\w+),?(?: (?!and|but|or|if)\w{1,4},?){0,2} \2\b)"
    r"|(?i:\b(i|we|they) [a-z]{1,3},? \3\b|\b(in|on|at|of|to|for|with) (?:the|a|an|this|that) \4\b)"
    r"|(?i:\b(\w{3,}),? (?!by|to|for|after|and|in|of|or|on|than|is|the|do|did)[\w']{1,4} \5\b)",
    # or broken off: "bu button"
    rf"(?i:\b(?!(?:{_LISTS['whole'].strip().replace(' ', '|')}) )(?<!['’])(\w{{2,12}}) \1\w+)",
    # or no word: "w but"
    r"(?<!['’.&])\b(?:[bcdfghjklmnpqrstvwxz]{1,2}|[iy])\b(?!['’.&])",
    # words that do not follow each other
    r"\b(?:I|[Ww]e|[Yy]ou|[Tt]hey) (?:I|we|they|he|she)\b"
    r"|\b(?i:a|an|the|my|your|our|their) (?:a|an|the|this|that|my|your|it|we|he|they|if|what|is|are"
    r"|and|but|to|of|you)\b"
    r"|\b(?i:you know|i mean|i guess|like i|or whatever|or something)\b"
    r"|\b(?i:and (?:stuff|things|everything|all that)|that sort of|kind of like|all kinds of)\b"
    r"|\bI (?:you|we|they|he|she|dun|dunno)\b|\b(?:it|they|we|you|he|she) (?:the|a|an)\b",
    # a new start: "we thought about Yeah, the back"
    rf"(?:[a-z],?|\bI) (?:{'|'.join(_LISTS['starts'].split())})\b",
    # no subject, or no word, at the beginning
    r"^\W*(?:[BCDFGHJKLMNPQRSTVWXZ][bcdfghjklmnpqrstvwxz]?\b(?!['’.&])|[B-HJ-Z] [a-z]"
    rf"|(?:{_NO_SUBJECT})\b)",
)
_CONSONANTS = frozenset("bcdfghjklmnpqrstvwxz")
_TWICE, _BROKEN, _LONE, _PAIR, _NEW, _FIRST, _SURE = (1 << k for k in range(7))
# What a word may be, a bit each; from bit 8 and from bit 24 on, the pairs that it begins and ends.
_SOUND_WORD, _LAST_WORD, _STARTS, _BIT, _WHOLE, _SUBJECTLESS = (1 << k for k in range(6))
_ROWS_OF_PAIRS = [row.partition("|")[::2] for row in _LISTS["pairs"].strip().splitlines()]
# Sounds of other languages; words of theirs may look like stumbles of English.
_SOUND = (
    r"\b(?:äh+m?|öh+m?|ehm+|hm+|mm+|euh|heu|eeh+|э-?э+м?|м-?м+|eee+)\b|えーと|ええと|えっと|あのー"
    r"|呃|嗯"
)
MARKS_OF_QUESTION = ("?", "？", "؟", '?"', "?”", "ますか。", "ですか。", "でしょうか。")


def is_question(text: str) -> bool:
    """Tell whether a sentence asks something.

    Examples
    --------
    >>> is_question("Who repairs the crane?"), is_question("Nobody does.")
    (True, False)
    """
    return text.endswith(MARKS_OF_QUESTION)


def holds_sound(text: str) -> bool:
    """Tell whether an utterance of another language than English holds a sound of a pause."""
    return _compiled(_SOUND, re.IGNORECASE).search(text) is not None


def find_stumbles(said: Sequence[str], terms: Terms, among: NDArray[np.int64]) -> list[int]:
    """Find the utterances, of those asked about, that could not be printed. English.

    They stumble, or end with a word for something else. Their words say which of the patterns may
    match.

    Examples
    --------
    >>> from maxcover.text.words.terms import find_terms
    >>> said = ["We w we need a crane.", "You can see it there.", "The port needs a crane."]
    >>> find_stumbles(said, find_terms(said, stemmer=None), np.arange(3))
    [0, 1]
    """
    if not among.size:
        return []
    marks = _find_marks(terms, among)
    return [
        row
        for row, mark in zip(among.tolist(), marks.tolist(), strict=True)
        if mark & _SURE or (mark and _stumbles(said[row], mark))
    ]


def _stumbles(text: str, marks: int) -> bool:
    return any(
        marks >> number & 1 and _compiled(pattern).search(text) is not None
        for number, pattern in enumerate(_STUMBLES)
    )


def _find_marks(terms: Terms, among: NDArray[np.int64]) -> NDArray[np.int64]:
    """Tell by their words which patterns may match utterances."""
    lengths = np.diff(terms.indptr)[among]
    ends = np.cumsum(lengths)
    rows = np.repeat(np.arange(len(among)), lengths)
    places = np.arange(len(rows)) + (terms.indptr[among] - ends + lengths)[rows]
    words, small = terms.words[places], ~terms.capital[places]
    traits = terms.vocabulary.look_up(_classify)[words]
    marks = np.zeros(len(among), np.int64)
    holds = np.flatnonzero(lengths)
    marks[holds[traits[ends[holds] - 1] & _LAST_WORD != 0]] |= _SURE
    marks[rows[traits & _SOUND_WORD != 0]] |= _SURE
    first = (ends - lengths)[holds]
    marks[holds[traits[first] & (_SUBJECTLESS | _BIT) != 0]] |= _FIRST
    marks[rows[small & (traits & _BIT != 0)]] |= _LONE
    inside = np.ones(len(rows), np.bool_)
    inside[first] = False
    marks[rows[inside & ~small & (traits & _STARTS != 0)]] |= _NEW
    same_word = terms.vocabulary.look_up(_number)[words]
    for size in range(1, 5):
        same = (same_word[size:] == same_word[:-size]) & (rows[size:] == rows[:-size])
        # so far apart, two of them
        again = same if size < 3 else same[1:] & same[:-1]
        marks[rows[: len(again)][again]] |= _TWICE
    before, behind = traits[:-1], traits[1:]
    marks[rows[1:][inside[1:] & (before >> 8 & behind >> 24 & 0xFFFF != 0)]] |= _PAIR
    part = np.flatnonzero(inside[1:] & (before & _WHOLE == 0))
    pairs = zip(*(terms.vocabulary.pick(words[part + k]) for k in (0, 1)), strict=True)
    broken = np.array([b != a and b.startswith(a) for a, b in pairs], np.bool_)
    marks[rows[part[broken]]] |= _BROKEN
    return marks


def _number(word: str) -> int:
    """Give a word a number, as far as an apostrophe: "it's" is "it" again."""
    return crc32(word.partition("'")[0].encode())


def _classify(word: str) -> int:
    """Say what a word may be; one with an apostrophe may be what its parts are."""
    table = _table()
    found = table.get(word, 0)
    if "'" in word:
        *parts, last = word.split("'")
        for part in (*parts, last):
            found |= table.get(part, 0) & ~(_SOUND_WORD | _LAST_WORD)
        found |= table.get(last, 0) & _LAST_WORD
    if len(word) < 3:
        found |= _BIT * (word in {"i", "y"} or _CONSONANTS.issuperset(word))
        found |= (_WHOLE | _SUBJECTLESS) * (len(word) == 1)
    return found if len(word) <= 12 else found | _WHOLE


@cache
def _table() -> dict[str, int]:
    """Say what the words of the lists are."""
    lists = {
        _SOUND_WORD: _LISTS["sounds"],
        _LAST_WORD: _LISTS["last"],
        _STARTS: _LISTS["starts"].lower(),
        _WHOLE: _LISTS["whole"],
        _SUBJECTLESS: _NO_SUBJECT.lower().replace("|", " ").replace("s?", " needs looks"),
    }
    for number, (firsts, seconds) in enumerate(_ROWS_OF_PAIRS):
        lists |= {1 << 8 + number: firsts, 1 << 24 + number: seconds}
    found: dict[str, int] = {}
    for trait, words in lists.items():
        for word in words.split():
            found[word] = found.get(word, 0) | trait
    return found


# Compiled when there is talk to read: it takes milliseconds.
_compiled = cache(re.compile)
