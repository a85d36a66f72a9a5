"""Character counts: what can be counted of the characters of many sentences in one pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.scan import count_classes
from maxcover.text.words.codepoints import (
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
from maxcover.text.words.keywords import Screen
from maxcover.text.words.tokens import UNSPACED

PAIRS = ("“”", "()", "«»", "「」", "『』")
"""Quotation marks and brackets that open and close."""

CODE = "{}_<>=\\|/:()[]#@~^"
"""Signs of code and formulas."""

SMALL = 4
"""Letters that a small word begins with at least."""

# Behind one of these a letter is part of a word, in scripts whose vowels are marks.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e"
_DIGITS = "0123456789"
# Classes of characters; those from `_SIGNS` on are one sign each.
_SPACE, _BLANK, _SMALL_LETTER, _LETTER, _MARKED_LETTER, _MARK, _DIGIT, _CODE, _OTHER = range(9)
_OWN = ('"', *"".join(PAIRS))
# Every class exists twice: the second copy is for scripts without spaces.
_N_CLASSES = _OTHER + 1 + len(_OWN)


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """Counts of sentences, one entry each.

    Attributes
    ----------
    sizes : int64 array
        Characters.
    first, last : uint32 arrays
        The first and the last of them; 0 in a sentence that has none.
    masks : int64 array
        The groups of a screen, if there is one, of which a sentence holds a word, a bit each.
    """

    sizes: Int64s
    first: NDArray[np.uint32]
    last: NDArray[np.uint32]
    masks: Int64s
    _counts: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Sequence[str], screen: Screen | None = None) -> "Looks":
        """Look at sentences.

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
        """Add up classes."""
        total = np.zeros(len(self._counts), np.int64)
        for one in classes:  # a few columns: faster than a sum over an axis
            total += self._counts[:, one]
        return total

    @property
    def spaces(self) -> Int64s:
        """Count plain spaces."""
        return self._counts[:, _SPACE].astype(np.int64)

    @property
    def letters(self) -> Int64s:
        """Count letters and marks of vowels; a mark that is a letter too counts twice."""
        plain = self._count(_SMALL_LETTER, _LETTER, _MARK)
        return plain + 2 * self._count(_MARKED_LETTER)

    @property
    def digits(self) -> Int64s:
        """Count the digits of ASCII."""
        return self._count(_DIGIT)

    @property
    def code(self) -> Int64s:
        """Count the signs of `CODE`."""
        return self._count(_CODE, *map(_class_of, "()"))

    @property
    def quoted(self) -> NDArray[np.bool_]:
        """Tell whether the number of straight quotation marks is even."""
        return np.asarray(self._count(_class_of('"')) % 2 == 0)

    @property
    def balanced(self) -> NDArray[np.bool_]:
        """Tell whether each of `PAIRS` opens as often as it closes."""
        same = np.ones(len(self._counts), np.bool_)
        for opening, closing in (map(_class_of, pair) for pair in PAIRS):
            same &= self._counts[:, opening] == self._counts[:, closing]
        return same

    @property
    def chunks(self) -> Int64s:
        """Count what stands between white space: the length of ``text.split()``."""
        return self._counts[:, -3].astype(np.int64)

    @property
    def small_words(self) -> Int64s:
        """Count the chunks that begin with `SMALL` small letters of ASCII."""
        return self._counts[:, -2].astype(np.int64)

    @property
    def spaced(self) -> NDArray[np.bool_]:
        """Tell whether nothing is of a script that is written without spaces."""
        return np.asarray(self._counts[:, -1] == 0)


def _look(page: Page, screen: Screen | None) -> tuple[NDArray[Any], ...]:
    """Return the columns of `Looks` for some sentences."""
    letters, starts, ends = page
    counts = np.empty((len(starts), _N_CLASSES + 3), np.int32)
    classes = _classes(count_codes(letters))
    count_classes(letters, classes, starts, ends, _N_CLASSES, SMALL, counts.ravel())
    sizes = ends - starts
    first, last = np.zeros((2, len(starts)), np.uint32)
    holds = np.flatnonzero(sizes)
    first[holds], last[holds] = letters[starts[holds]], letters[ends[holds] - 1]
    masks = screen.find(letters, starts, ends) if screen else np.zeros(len(starts), np.int64)
    return sizes, first, last, masks, counts


def _class_of(sign: str) -> int:
    return _OTHER + 1 + _OWN.index(sign)


@cache
def _classes(n_codes: int) -> NDArray[np.uint8]:
    """Give the first code points their classes."""
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
