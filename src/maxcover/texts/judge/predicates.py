"""Predicates: rules about sentences that a regular expression cannot express."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from maxcover.texts.split.sentences import without_abbreviations
from maxcover.texts.words.character_counts import CODE, PAIRS, Looks
from maxcover.texts.words.codepoints import count_codes
from maxcover.texts.words.languages import Language

Bools = NDArray[np.bool_]
Int64s = NDArray[np.int64]

LEAST_WORDS, UNSPACED_WORDS = 5, 10
"""Least number of words of a sentence that may be chosen, and the same for languages without
spaces, in which every character may count as a word."""

LEAST_LETTERS = 0.5
"""A sentence may be chosen if at least this share of its characters, spaces not counted, are
letters."""

MANY_SIGNS = 4
"""A sentence with at least this many brackets and other signs of code may be code; its words
decide."""

ADDRESSED_WORDS = 10
"""A sentence with fewer words than this for each address in it is only a list of addresses."""

_END_MARKS = frozenset(".!?…。！？।॥؟۔")
_CLOSING = "\"'”’»)]›“*_` \u200e\u200f"
_ADDRESS = re.compile(
    r"https?://\S*|www\.\w\S*|ftp://\S*|mailto:\S*|(?<![\w.+-])[\w.+-]+@[\w-]+\.\w\S*|\[email\]"
    r"|(?<![\w.-])(?:[\w-]+\.)+[a-z]{2,}/\S*",
    re.I,
)
_ENTRY = re.compile(rf"\W*(?:{_ADDRESS.pattern})", re.I)
_LINK_TARGET = re.compile(r"\]\([^)\s]*\)")  # the address of a Markdown link
_WORDS = re.compile(r"[^\W\d_]{2,}")
_PLAIN = re.compile(r"[\"'“”‘’«»(\[]*[^\W_]+(?:['’.,-][^\W_]+)*[\"'“”‘’«»)\].,:;!?%…-]*")


@dataclass(frozen=True, eq=False)
class Asked:
    """The sentences that rules are applied to; sequences and arrays have one entry per sentence.

    Attributes
    ----------
    said : sequence of str
        The sentences without the names of speakers.
    kinds : sequence of str
        Kind of the block that the sentence is in; see `KINDS`.
    n_words : int64 array
        Number of words.
    looks : Looks
        Character counts, with the keywords of the rules (`find_screen`).
    language : Language
    labelled : bool array
        Which sentences are printed with a label; these need not have the shape of a sentence.
    """

    said: Sequence[str]
    kinds: Sequence[str]
    n_words: Int64s
    looks: Looks
    language: Language
    labelled: Bools

    def which(self, rule: Callable[[str], bool], maybe: Bools) -> Bools:
        """Return a mask: True for the sentences of the mask `maybe` for which `rule` is true."""
        found = np.zeros(len(self.said), np.bool_)
        for row in np.flatnonzero(maybe).tolist():
            found[row] = rule(self.said[row])
        return found

    @property
    def least(self) -> int:
        """The smallest number of words of a sentence that may be chosen."""
        return LEAST_WORDS if self.language.spaced else UNSPACED_WORDS


def few_letters(asked: Asked, _: Bools) -> Bools:
    """Return True for sentences that are mostly digits and signs."""
    looks = asked.looks
    return np.asarray(looks.letters < LEAST_LETTERS * (looks.sizes - looks.spaces))


def address(asked: Asked, maybe: Bools) -> Bools:
    """Return True for sentences that are little more than web or mail addresses."""
    return asked.which(_is_address, maybe)


def _is_address(text: str) -> bool:
    if "](" in text:
        text = _LINK_TARGET.sub("]", text)
    found = len(_ADDRESS.findall(text))
    if found and _ENTRY.match(text) and text.rstrip(_CLOSING)[-1:] not in _END_MARKS:
        return True  # the sentence is only an address and the title of its page
    return found > 0 and len(_WORDS.findall(_ADDRESS.sub(" ", text))) < found * ADDRESSED_WORDS


def short(asked: Asked, _: Bools) -> Bools:
    """Return True for sentences that have too few words and no label."""
    return np.asarray((asked.n_words < asked.least) & ~asked.labelled)


def unclosed(asked: Asked, maybe: Bools) -> Bools:
    """Return True for sentences with an unpaired quotation mark or bracket."""
    if asked.language.code != "he":
        return asked.which(_is_open, maybe & ~(asked.looks.quoted & asked.looks.balanced))
    # An even count proves nothing in Hebrew: one of two quotation marks may be in an abbreviation.
    return asked.which(lambda text: _is_open(without_abbreviations(text)), maybe)


def _is_open(text: str) -> bool:
    pairs = PAIRS[1:2] if text.isascii() else PAIRS
    return text.count('"') % 2 != 0 or any(
        text.count(pair[0]) != text.count(pair[1]) for pair in pairs
    )


def code(asked: Asked, maybe: Bools) -> Bools:
    """Return True for sentences with many signs and few plain words: code, formulas, file names."""
    return asked.which(_is_code, maybe & (asked.looks.code >= MANY_SIGNS))


def _is_code(text: str) -> bool:
    if sum(map(text.count, CODE)) < MANY_SIGNS:
        return False
    words = text.split()
    return sum(_PLAIN.fullmatch(word) is not None for word in words) < 0.6 * len(words)


def no_end(asked: Asked, maybe: Bools) -> Bools:
    """Return True for sentences that do not end with a full stop or another end mark."""
    last = asked.looks.last
    maybe = maybe & ~_are_end_marks(count_codes(last))[last] & ~asked.labelled
    return asked.which(lambda text: text.rstrip(_CLOSING)[-1:] not in _END_MARKS, maybe)


@cache
def _are_end_marks(n_codes: int) -> Bools:
    """Return which of the first `n_codes` code points are end marks of sentences."""
    found = np.zeros(n_codes, np.bool_)
    found[[ord(mark) for mark in _END_MARKS if ord(mark) < n_codes]] = True
    return found


PREDICATES = {
    rule.__name__: rule
    for rule in (
        few_letters, address, short, unclosed, code, no_end,
    )
}  # fmt: skip
"""The predicates by the names that ``data/rules.toml`` uses."""
