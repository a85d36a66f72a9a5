"""Codepoints: texts as arrays of code points, the form in which kernels read text."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]
Letters = NDArray[np.uint32]


#: Trait bits; a character may have several.
ALNUM, WHITE, LOWER, UPPER, DIGIT, ALPHA = (1 << k for k in range(6))
_ASKED = {
    ALNUM: np.char.isalnum,
    WHITE: np.char.isspace,
    LOWER: np.char.islower,
    UPPER: np.char.isupper,
    DIGIT: np.char.isdigit,
    ALPHA: np.char.isalpha,
}
# Texts are read in batches of about this many characters.
_AT_ONCE = 1_000_000
# Lengths of lookup tables by code point: ASCII, most scripts written with spaces, all of Unicode.
# A text uses the shortest table that has its characters.
_N_CODES = (0x80, 0x3000, 0x110000)


def count_codes(letters: Letters) -> int:
    """Return the length of the lookup table that a text needs: one of `_N_CODES`.

    There are only three lengths, so few tables are made and cached.
    """
    most = int(letters.max(initial=0))
    return next(n_codes for n_codes in _N_CODES if most < n_codes)


@cache
def traits(n_codes: int) -> NDArray[np.uint8]:
    """Return the trait bits of each of the first `n_codes` code points.

    The table of all code points takes a while, so it is made only if a text needs it.
    """
    signs = np.arange(n_codes, dtype=np.uint32).view("U1")
    found = np.zeros(n_codes, np.uint8)
    for trait, ask in _ASKED.items():
        found[ask(signs)] |= trait
    return found


def within(ranges: str, n_codes: int) -> NDArray[np.bool_]:
    """Mark which of the first `n_codes` code points are in `ranges`, written like "a-z0-9".

    Examples
    --------
    >>> within("b-cx-z", 128).nonzero()[0].tolist()
    [98, 99, 120, 121, 122]
    """
    found = np.zeros(n_codes, np.bool_)
    for first, last in zip(ranges[0::3], ranges[2::3], strict=True):
        found[ord(first) : ord(last) + 1] = True
    return found


def to_letters(text: str) -> Letters:
    """Return the code points of a text.

    Examples
    --------
    >>> to_letters("aé").tolist()
    [97, 233]
    """
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def to_text(letters: Letters) -> str:
    """Turn code points back into a text."""
    return letters.tobytes().decode("utf-32-le", "surrogatepass")


def places_of(texts: Sequence[str]) -> tuple[Int64s, Int64s]:
    """Return the start and end offsets of `texts` in a string that joins them by one character."""
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1) - 1
    return np.concatenate(([0], ends[:-1] + 1))[: len(texts)], ends


class Page(NamedTuple):
    """The code points of texts joined by line ends, and the start and end offset of each text."""

    letters: Letters
    starts: Int64s
    ends: Int64s


class Written(tuple[str, ...]):
    """A tuple of sentences that caches their code points, because several passes read them."""

    @cached_property
    def page(self) -> Page | None:
        """The page of all sentences; None if they are empty or exceed `_AT_ONCE` characters."""
        return _to_page(self) if 0 < sum(map(len, self)) <= _AT_ONCE else None


def pages(texts: Iterable[str]) -> Iterator[Page]:
    """Yield pages of code points, each with many texts; see `batches`."""
    if isinstance(texts, Written) and texts.page is not None:
        yield texts.page
    else:
        yield from map(_to_page, batches(texts))


def _to_page(texts: Sequence[str]) -> Page:
    return Page(to_letters("\n".join(texts)), *places_of(texts))


NO_PAGE = _to_page(())


def batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in lists of about `_AT_ONCE` characters.

    One text at a time would be slow, and all texts at once could fill the memory.
    """
    texts = list(texts)
    ends = list(accumulate(map(len, texts)))
    first = size = 0
    while first < len(texts):
        last = bisect_right(ends, size + _AT_ONCE) + 1
        yield texts[first:last]
        size, first = ends[min(last, len(texts)) - 1], last
