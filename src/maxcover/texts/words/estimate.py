"""Estimate: how many tokens a text has for a language model, without the model's vocabulary."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.texts.kernels import letters as kernel
from maxcover.texts.words.codepoints import places_of, to_letters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maxcover.texts.words.codepoints import Int64s, Letters


class TokenKind(NamedTuple):
    """A class of characters, given by code point `ranges`, and its token estimate.

    A run of n characters of the class has ``first + ceil(max(n - free, 0) * rate)`` tokens.
    """

    ranges: tuple[tuple[int, int], ...]
    first: int
    free: int
    rate: float


# The numbers were fitted to the larger of the token counts of cl100k and o200k. The script
# benchmarks/tokens.py measures the error. In Latin scripts, other vocabularies differ little.
KINDS: tuple[TokenKind, ...] = (
    # White space costs nothing: vocabularies join it to the word after it.
    TokenKind(
        ((9, 13), (28, 32), (0x85, 0x85), (0xA0, 0xA0), (0x2000, 0x200A), (0x3000, 0x3000)), 0, 0, 0
    ),
    # The next two rows are ASCII letters and ASCII digits.
    TokenKind(((0x41, 0x5A), (0x61, 0x7A)), 1, 7, 0.2),
    TokenKind(((0x30, 0x39),), 1, 3, 1 / 3),
    # The next row is ASCII punctuation and control characters.
    TokenKind(
        ((0, 8), (14, 27), (0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7F)), 1, 1, 0.6
    ),
    TokenKind(((0xA1, 0xBF), (0x2010, 0x2027)), 1, 1, 1),
    # The next row is accented Latin letters.
    TokenKind(((0xC0, 0x24F),), 2, 1, 2),
    TokenKind(((0x300, 0x36F), (0x1E00, 0x1EFF)), 1, 1, 1),
    # The next four rows are Greek, Cyrillic, Hebrew and Arabic.
    TokenKind(((0x370, 0x3FF), (0x1F00, 0x1FFF)), 1, 1, 1.05),
    TokenKind(((0x400, 0x52F),), 1, 1, 0.45),
    TokenKind(((0x590, 0x5FF),), 1, 1, 1.25),
    TokenKind(((0x600, 0x77F), (0xFB50, 0xFDFF), (0xFE70, 0xFEFF)), 1, 1, 0.7),
    # The next two rows are Devanagari and Thai.
    TokenKind(((0x900, 0x97F),), 1, 1, 1.3),
    TokenKind(((0xE00, 0xE7F),), 1, 1, 1.02),
    # The next three rows are kana with full-width forms, Han, and Hangul.
    TokenKind(((0x3001, 0x30FF), (0x31F0, 0x31FF), (0xFF00, 0xFFEF)), 1, 1, 1),
    TokenKind(((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF)), 1, 1, 1.3),
    TokenKind(((0x1100, 0x11FF), (0xAC00, 0xD7AF)), 1, 1, 1.1),
    # The next two rows are emoji (with arrows and supplementary planes), and all other characters.
    TokenKind(((0x2190, 0x2BFF), (0xFE00, 0xFE0F), (0x10000, 0x10FFFF)), 3, 1, 3),
    TokenKind((), 2, 1, 2.2),
)
_LETTERS = 1
# `free` and `rate` of ASCII letters in languages other than English, whose words have more tokens.
_FREE_ABROAD, _RATE_ABROAD = 4, 0.25


def estimate_tokens(text: str, *, english: bool = True) -> int:
    """Estimate how many tokens `text` has for a language model, without the model's vocabulary.

    This is an **estimate** for byte-pair vocabularies of 100,000 entries or more. A run of ASCII
    letters is one token, plus one for every five letters beyond the seventh; if not `english`, for
    every four beyond the fourth. Three digits are one token. Other scripts count by the character,
    each at its own rate. For a hard limit pass the tokenizer itself:
    ``unit=lambda text: len(tokenizer.encode(text))``.

    Examples
    --------
    >>> estimate_tokens("The transformation of 1234 cats.")
    9
    """
    return int(estimate_all([text], english=english)[0])


def estimate_all(texts: Sequence[str], *, english: bool = True) -> NDArray[np.float64]:
    """Estimate the tokens of each text, all in one pass; see `estimate_tokens`.

    Examples
    --------
    >>> estimate_all(["Two words.", ""]).tolist()
    [3.0, 0.0]
    """
    return estimate_at(to_letters("\n".join(texts)), *places_of(texts), english=english)


def estimate_at(
    letters: Letters, starts: Int64s, ends: Int64s, *, english: bool = True
) -> NDArray[np.float64]:
    """Estimate the tokens of each part ``letters[start:end]`` of a text; see `estimate_tokens`."""
    sizes = np.empty(len(starts))
    kernel.count_tokens(letters, _kind_of_code(), starts, ends, _rates(english), sizes)
    return sizes


@cache
def _rates(english: bool) -> NDArray[np.void]:
    """Return the fields `first`, `free` and `rate` of each kind, as a structured array."""
    rates = np.array([kind[1:] for kind in KINDS], kernel.TOKEN_RATE)
    if not english:
        rates[_LETTERS] = rates["first"][_LETTERS], _FREE_ABROAD, _RATE_ABROAD
    return rates


@cache
def _kind_of_code() -> NDArray[np.uint8]:
    """Return for every code point the index of its kind in `KINDS`."""
    table = np.full(0x110000, len(KINDS) - 1, dtype=np.uint8)
    for number, kind in enumerate(KINDS):
        for first, last in kind.ranges:
            table[first : last + 1] = number
    return table
