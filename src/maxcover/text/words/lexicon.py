"""Lexicon: words that were met before, so that no text pays for the words of the last one."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count

import numpy as np
from numpy.typing import NDArray

from maxcover.text.words.codepoints import pages
from maxcover.text.words.names import WordList
from maxcover.text.words.spellings import Spellings
from maxcover.text.words.stems import stem_words
from maxcover.text.words.tokens import normalize

MOST_SPELLINGS, MOST_LETTERS = 50_000, 500_000
"""A larger lexicon is forgotten behind the text that made it so: a few megabytes are kept."""

_held: dict[str | None, "Lexicon"] = {}


class Lexicon:
    """Spellings, the words that they are, and the stems of these, each by its number.

    Numbers depend on what was met before; `maxcover.text.words.terms` gives each collection its
    own.

    Attributes
    ----------
    words, stems : WordList
    """

    def __init__(self, stemmer: str | None) -> None:
        self._stemmer = stemmer
        self._spellings = Spellings()
        self._numbers, self._stem_numbers = _numbering(), _numbering()
        self.words, self.stems = WordList(), WordList()
        # of spellings: where their words end in `_flat`, and a capital; of words: the stem
        self._until, self._capital = array("q", [0]), array("b")
        self._flat, self._stem_of = array("i"), array("i")

    @property
    def is_large(self) -> bool:
        """Whether it is to be forgotten."""
        return len(self._spellings) > MOST_SPELLINGS or self._spellings.n_letters > MOST_LETTERS

    def read(
        self, sentences: Iterable[str], *, elides: bool
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Give the spelling of each run of word characters, and where each sentence ends."""
        parts: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
        until: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
        for page in pages(sentences):
            runs, ends = self._spellings.read(*page, elides=elides)
            until.append(ends[1:] + until[-1][-1])
            parts.append(runs)
        if len(self._spellings) > len(self._capital):
            self._learn(self._spellings.since(len(self._capital)))
        return np.concatenate(parts), np.concatenate(until)

    def _learn(self, spellings: list[str]) -> None:
        """Read new spellings: mostly one word each."""
        joined = "\n".join(spellings)
        first = self._until[-1]
        if joined.isascii():
            given = joined.lower().split("\n")
            self._until.extend(range(first + 1, first + 1 + len(given)))
        else:
            groups = [normalize(spelling) for spelling in spellings]
            given = [word for group in groups for word in group]
            ends = np.cumsum([len(group) for group in groups], dtype=np.int64) + first
            self._until.frombytes(ends.tobytes())
        self._capital.extend([spelling[0].isupper() for spelling in spellings])
        words = self.words.words
        n_words = len(words)
        self._flat.extend(_number(given, self._numbers, words))
        stems = stem_words(words[n_words:], self._stemmer)
        self._stem_of.extend(_number(stems, self._stem_numbers, self.stems.words))

    @property
    def until(self) -> NDArray[np.int64]:
        """The words of spelling k are those of `flat` from ``until[k]`` to ``until[k + 1]``."""
        return np.frombuffer(self._until, np.int64)

    @property
    def flat(self) -> NDArray[np.int32]:
        """The words of all spellings."""
        return np.frombuffer(self._flat, np.int32)

    @property
    def capital(self) -> NDArray[np.bool_]:
        """Which spellings begin with a capital letter."""
        return np.frombuffer(self._capital, np.bool_)

    @property
    def stem_of(self) -> NDArray[np.int32]:
        """The stem of each word."""
        return np.frombuffer(self._stem_of, np.int32)


@contextmanager
def borrow_lexicon(stemmer: str | None) -> Iterator[Lexicon]:
    """Lend the lexicon of a stemmer; who comes while it is lent gets a new one."""
    lexicon = _held.pop(stemmer, None) or Lexicon(stemmer)
    yield lexicon
    if not lexicon.is_large:
        _held[stemmer] = lexicon


def _numbering() -> defaultdict[str, int]:
    """Make a dictionary that gives each new string the next number.

    It must not refer to itself: a lexicon of megabytes would wait for the cycle collector.
    """
    return defaultdict(count().__next__)


def _number(items: list[str], index: defaultdict[str, int], names: list[str]) -> list[int]:
    """Give strings their numbers, and put those that are new behind the names."""
    numbers = list(map(index.__getitem__, items))
    for item, number in zip(items, numbers, strict=True):
        if number == len(names):
            names.append(item)
    return numbers
