"""Character counts: letters, digits, spaces, signs and words of many sentences, in one pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxcover.texts.kernels.scan import count_classes
from maxcover.texts.words.codepoints import (
    ALPHA,
    NO_PAGE,
    WHITE,
    Int64s,
    Page,
    count_codes,
    pages,
    traits,
    within,
)
from maxcover.texts.words.keywords import Screen
from maxcover.texts.words.tokens import UNSPACED

PAIRS = ("“”", "()", "«»", "「」", "『』")
"""Pairs of opening and closing quotation marks or brackets."""

CODE = "{}_<>=\\|/:()[]#@~^"
"""Characters that are frequent in code and formulas."""

# Combining marks that count as letters, such as the vowel signs of Hebrew, Arabic and Thai. For the
# Indic scripts these are whole blocks, letters included.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e"
_DIGITS = "0123456789"
# Numbers of the character classes. After `_OTHER`, each quotation mark or bracket of `_OWN` has a
# number too.
_SPACE, _BLANK, _SMALL_LETTER, _LETTER, _MARKED_LETTER, _MARK, _DIGIT, _CODE, _OTHER = range(9)
_OWN = ('"', *"".join(PAIRS))
# Number of classes. A class number plus `_N_CLASSES` is the same class in a script without spaces.
_N_CLASSES = _OTHER + 1 + len(_OWN)


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """Character counts of sentences; each attribute has one entry per sentence.

    Attributes
    ----------
    sizes : int64 array
        Number of characters.
    last : uint32 array
        Code point of the last character; 0 for an empty sentence.
    masks : int64 array
        Bit k is set if the sentence contains a word of group k of the screen; 0 without a screen.
    """

    sizes: Int64s
    last: NDArray[np.uint32]
    masks: Int64s
    _counts: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Sequence[str], screen: Screen | None = None) -> "Looks":
        """Count the characters of each text; if `screen` is given, search for its words too.

        Examples
        --------
        >>> looks = Looks.of(["Two  words", "(1,"], Screen.of(["word"]))
        >>> looks.chunks.tolist(), looks.spaces.tolist(), looks.letters.tolist()
        ([2, 1], [2, 0], [8, 0])
        >>> looks.masks.tolist(), looks.balanced.tolist()
        ([1, 0], [True, False])
        """
        parts = [_look(page, screen) for page in pages(texts)] or [_look(NO_PAGE, screen)]
        if len(parts) == 1:
            return cls(*parts[0])
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _count(self, *classes: int) -> Int64s:
        """Return the number of characters of these classes in each sentence."""
        total = np.zeros(len(self._counts), np.int64)
        for one in classes:  # for a few columns this is faster than a sum over an axis
            total += self._counts[:, one]
        return total

    @property
    def spaces(self) -> Int64s:
        """Number of plain spaces."""
        return self._counts[:, _SPACE].astype(np.int64)

    @property
    def letters(self) -> Int64s:
        """Number of letters plus vowel marks; a character that is both counts twice."""
        plain = self._count(_SMALL_LETTER, _LETTER, _MARK)
        return plain + 2 * self._count(_MARKED_LETTER)

    @property
    def digits(self) -> Int64s:
        """Number of ASCII digits."""
        return self._count(_DIGIT)

    @property
    def code(self) -> Int64s:
        """Number of characters that are in `CODE`."""
        return self._count(_CODE, *map(_class_of, "()"))

    @property
    def quoted(self) -> NDArray[np.bool_]:
        """True where the number of straight quotation marks is even."""
        return np.asarray(self._count(_class_of('"')) % 2 == 0)

    @property
    def balanced(self) -> NDArray[np.bool_]:
        """True where each of `PAIRS` opens as often as it closes."""
        same = np.ones(len(self._counts), np.bool_)
        for opening, closing in (map(_class_of, pair) for pair in PAIRS):
            same &= self._counts[:, opening] == self._counts[:, closing]
        return same

    @property
    def chunks(self) -> Int64s:
        """Number of chunks, which white space separates: the length of ``text.split()``."""
        return self._counts[:, -2].astype(np.int64)

    @property
    def spaced(self) -> NDArray[np.bool_]:
        """True where no character is of a script that is written without spaces."""
        return np.asarray(self._counts[:, -1] == 0)


def _look(page: Page, screen: Screen | None) -> tuple[NDArray[Any], ...]:
    """Return the attributes of `Looks`, in order, for the sentences of one page."""
    letters, starts, ends = page
    counts = np.empty((len(starts), _N_CLASSES + 2), np.int32)
    classes = _classes(count_codes(letters))
    count_classes(letters, classes, starts, ends, _N_CLASSES, counts.ravel())
    sizes = ends - starts
    last = np.zeros(len(starts), np.uint32)
    holds = np.flatnonzero(sizes)
    last[holds] = letters[ends[holds] - 1]
    masks = screen.find(letters, starts, ends) if screen else np.zeros(len(starts), np.int64)
    return sizes, last, masks, counts


def _class_of(sign: str) -> int:
    return _OTHER + 1 + _OWN.index(sign)


@cache
def _classes(n_codes: int) -> NDArray[np.uint8]:
    """Return the class of each of the first `n_codes` code points."""
    known = traits(n_codes)
    is_letter, is_mark = known & ALPHA != 0, within(_MARKS, n_codes)
    classes = np.full(n_codes, _OTHER, np.uint8)
    classes[is_letter] = _LETTER
    classes[is_mark] = _MARK
    classes[is_letter & is_mark] = _MARKED_LETTER
    classes[known & WHITE != 0] = _BLANK
    classes[within(UNSPACED, n_codes)] += _N_CLASSES
    signs = {" ": _SPACE, _DIGITS: _DIGIT, CODE: _CODE, "abcdefghijklmnopqrstuvwxyz": _SMALL_LETTER}
    for some, kind in [*signs.items(), *((sign, _class_of(sign)) for sign in _OWN)]:
        classes[[ord(sign) for sign in some if ord(sign) < n_codes]] = kind
    return classes
