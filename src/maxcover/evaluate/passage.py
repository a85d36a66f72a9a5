"""Passage: text as ROUGE sees it: words line by line, stemmed or not.

Words are lower-case runs of ``a-z0-9``, as in the literature, or words of any script.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from threading import Lock
from typing import Any

import Stemmer

_TOKEN = re.compile(r"[a-z0-9]+")
_LETTER = re.compile(r"[^\W\d_]")
_LOCK = Lock()


@cache
def _stemmer(algorithm: str) -> Any:
    return Stemmer.Stemmer(algorithm)


@lru_cache(maxsize=400_000)
def stem_word(word: str, algorithm: str) -> str:
    """Stem one lower-case word by an algorithm of the Snowball project.

    Examples
    --------
    >>> stem_word("Häuser".lower(), "german")
    'haus'
    """
    with _LOCK:  # a Stemmer has internal buffers: one thread at a time may use it
        return str(_stemmer(algorithm).stemWord(word))


def porter(word: str) -> str:
    """Stem one lower-case word with Porter's algorithm of 1980, in the Snowball project's version.

    Examples
    --------
    >>> porter("generalizations"), porter("they")
    ('gener', 'thei')
    """
    return stem_word(word, "porter")


def ascii_words(line: str) -> list[str]:
    """List the runs of ``a-z0-9`` in a lower-cased line: the words of ROUGE in the literature.

    Examples
    --------
    >>> ascii_words("Naïve cats")
    ['na', 've', 'cats']
    """
    return _TOKEN.findall(line.lower())


def beyond_ascii(texts: Iterable[str]) -> float:
    """Return the share of letters outside ASCII, at which `ascii_words` would cut words apart.

    Examples
    --------
    >>> beyond_ascii(["Cats", "Käse"])
    0.125
    """
    letters = [letter for text in texts for letter in _LETTER.findall(text)]
    return sum(not letter.isascii() for letter in letters) / max(1, len(letters))


@dataclass(frozen=True)
class RougePassage:
    """The words of a text, line by line, with cached counts of words and of pairs of words."""

    lines: tuple[tuple[str, ...], ...]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words in order; a line end is no boundary for n-grams, as in ROUGE-1.5.5."""
        return tuple(word for line in self.lines for word in line)

    @cached_property
    def unigrams(self) -> Counter[str]:
        """How often each word occurs."""
        return Counter(self.words)

    @cached_property
    def bigrams(self) -> Counter[tuple[str, str]]:
        """How often each pair of neighbouring words occurs."""
        return Counter(zip(self.words, self.words[1:], strict=False))


def read_passage(
    text: str,
    *,
    stem: Callable[[str], str] | None,
    stop_words: frozenset[str],
    words: Callable[[str], Iterable[str]] = ascii_words,
) -> RougePassage:
    r"""Split a text into the words that ROUGE compares.

    Stop words are compared before stemming, and only words of more than three letters are stemmed:
    both as in ROUGE-1.5.5.

    Examples
    --------
    >>> read_passage("The cat's\ncats, running.", stem=porter, stop_words=frozenset({"the"})).lines
    (('cat', 's'), ('cat', 'run'))
    """
    return RougePassage(
        tuple(
            tuple(
                stem(word) if stem is not None and len(word) > 3 else word
                for word in words(line)
                if word not in stop_words
            )
            for line in text.split("\n")
        )
    )


def count_words(text: str) -> int:
    """Count the runs of non-space characters: the unit of every word budget.

    Examples
    --------
    >>> count_words("A well-known  fact: 3.5 %")
    5
    """
    return len(text.split())
