"""Text as ROUGE sees it: lower-case runs of ``a-z0-9``, line by line, stemmed or not."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import Lock

import Stemmer

_TOKEN = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"\S+")
_PORTER = Stemmer.Stemmer("porter")
_PORTER_LOCK = Lock()


@lru_cache(maxsize=200_000)
def porter(word: str) -> str:
    """Stem one lower-case word with Porter's algorithm of 1980, as the Snowball project keeps it.

    Examples
    --------
    >>> porter("generalizations"), porter("they")
    ('gener', 'thei')
    """
    with _PORTER_LOCK:  # a Stemmer object has buffers of its own and must not be entered twice
        return str(_PORTER.stemWord(word))


@dataclass(frozen=True)
class Passage:
    """The words of a text, line by line; everything counted from them is counted once."""

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
        """How often each pair of neighbours occurs."""
        return Counter(zip(self.words, self.words[1:], strict=False))


def read_passage(
    text: str, *, stem: Callable[[str], str] | None, stop_words: frozenset[str]
) -> Passage:
    r"""Split a text into the words that ROUGE compares.

    Stop words are compared before stemming, and only words of more than three letters are stemmed:
    both as in ROUGE-1.5.5.

    Examples
    --------
    >>> read_passage("The cat's\ncats, running.", stem=porter, stop_words=frozenset({"the"})).lines
    (('cat', 's'), ('cat', 'run'))
    """
    return Passage(
        tuple(
            tuple(
                stem(word) if stem is not None and len(word) > 3 else word
                for word in _TOKEN.findall(line)
                if word not in stop_words
            )
            for line in text.lower().split("\n")
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


def cut_words(text: str, limit: int) -> str:
    r"""Keep the first ``limit`` space-separated words and the line ends between them.

    Examples
    --------
    >>> cut_words("one two\nthree four", 3)
    'one two\nthree'
    """
    if limit == 0:
        return ""
    for number, word in enumerate(_WORD.finditer(text), start=1):
        if number == limit:
            return text[: word.end()]
    return text


def cut_bytes(text: str, limit: int) -> str:
    """Keep the first ``limit`` bytes of the UTF-8 form; a character cut in two is dropped.

    Examples
    --------
    >>> cut_bytes("naïve", 3)
    'na'
    """
    return text.encode()[:limit].decode(errors="ignore")
