"""Codepoints: texts as arrays of code points, which kernels read."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]
Letters = NDArray[np.uint32]


#: What a character can be, a bit each.
ALNUM, WHITE, LOWER, UPPER, DIGIT, ALPHA = (1 << k for k in range(6))
_ASKED = {
    ALNUM: np.char.isalnum,
    WHITE: np.char.isspace,
    LOWER: np.char.islower,
    UPPER: np.char.isupper,
    DIGIT: np.char.isdigit,
    ALPHA: np.char.isalpha,
}
# Characters that are read at once.
_AT_ONCE = 1_000_000
# Tables of characters are as long as a text needs: ASCII, most scripts with spaces, all.
_N_CODES = (0x80, 0x3000, 0x110000)


def count_codes(letters: Letters) -> int:
    """Return how many characters a table needs for a text; of a few sizes, so that it is kept."""
    most = int(letters.max(initial=0))
    return next(n_codes for n_codes in _N_CODES if most < n_codes)


@cache
def traits(n_codes: int) -> NDArray[np.uint8]:
    """Say what the first code points are; all of them take a while, once and if needed."""
    signs = np.arange(n_codes, dtype=np.uint32).view("U1")
    found = np.zeros(n_codes, np.uint8)
    for trait, ask in _ASKED.items():
        found[ask(signs)] |= trait
    return found


def within(ranges: str, n_codes: int) -> NDArray[np.bool_]:
    """Tell which of the first code points are in ranges, written as in a character class.

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
    """Return the text of code points."""
    return letters.tobytes().decode("utf-32-le", "surrogatepass")


def places_of(texts: Sequence[str]) -> tuple[Int64s, Int64s]:
    """Say where texts begin and end once they are joined by one character."""
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1) - 1
    return np.concatenate(([0], ends[:-1] + 1))[: len(texts)], ends


class Page(NamedTuple):
    """The code points of texts joined by line ends, and where each of them begins and ends."""

    letters: Letters
    starts: Int64s
    ends: Int64s


class Written(tuple[str, ...]):
    """Sentences that are read several times over: their code points are made once."""

    @cached_property
    def page(self) -> Page | None:
        """All of them, unless they are too many to be read at once."""
        return _to_page(self) if 0 < sum(map(len, self)) <= _AT_ONCE else None


def pages(texts: Iterable[str]) -> Iterator[Page]:
    """Give the code points of many texts at once; see `batches`."""
    if isinstance(texts, Written) and texts.page is not None:
        yield texts.page
    else:
        yield from map(_to_page, batches(texts))


def _to_page(texts: Sequence[str]) -> Page:
    return Page(to_letters("\n".join(texts)), *places_of(texts))


NO_PAGE = _to_page(())


def batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Take many texts at once, which is fast, not all, which would fill the memory."""
    if isinstance(texts, list) and 0 < sum(map(len, texts)) <= _AT_ONCE:
        yield texts
        return
    some: list[str] = []
    size = 0
    for text in texts:
        some.append(text)
        size += len(text)
        if size > _AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some
