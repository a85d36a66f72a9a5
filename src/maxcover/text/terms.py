"""Terms: the sentences of a collection as arrays of numbered stems."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from maxcover.text.lexicon import borrow_lexicon
from maxcover.text.stems import stem_words


@dataclass(frozen=True, slots=True)
class Terms:
    """Every word of every sentence, as numbers.

    Attributes
    ----------
    labels : list of str
        The distinct terms (stems, or words where stemming is off), by first appearance.
    ids : int32 array (n_words)
        The term of each word, sentence after sentence.
    words : int32 array (n_words)
        The same before stemming: equal numbers are equal words.
    vocabulary : list of str
        The distinct words, by number.
    capital : bool array (n_words)
        Which words begin with a capital letter.
    stops : bool array (n_words)
        Where a stop word stands that is to be left out.
    common : bool array (n_labels)
        Which terms carry no content of their own: those of the language's stop words.
    indptr : int64 array (n_sentences + 1)
        Sentence i holds the words ``indptr[i]:indptr[i + 1]``.
    """

    labels: list[str]
    ids: NDArray[np.int32]
    words: NDArray[np.int32]
    vocabulary: list[str]
    capital: NDArray[np.bool_]
    stops: NDArray[np.bool_]
    common: NDArray[np.bool_]
    indptr: NDArray[np.int64]

    @property
    def rows(self) -> NDArray[np.int32]:
        """The sentence of each word."""
        lengths = np.diff(self.indptr)
        return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)

    def count_content(self) -> NDArray[np.int64]:
        """Count the words with content of each sentence."""
        kept = ~self.common[self.ids] if self.labels else np.zeros(0, np.bool_)
        running = np.concatenate(([0], np.cumsum(kept)))
        return np.asarray(np.diff(running[self.indptr]), np.int64)

    def only(self, kept: NDArray[np.bool_]) -> "Terms":
        """Return the words of some sentences; numbers and labels stay."""
        if kept.all():
            return self
        lengths = np.diff(self.indptr)
        inside = np.repeat(kept, lengths)
        indptr = np.concatenate(([0], np.cumsum(lengths[kept])))
        return replace(
            self,
            ids=self.ids[inside],
            words=self.words[inside],
            capital=self.capital[inside],
            stops=self.stops[inside],
            indptr=indptr,
        )


def find_terms(
    sentences: Iterable[str],
    *,
    stemmer: str | None,
    stop_words: Collection[str] = (),
    common: Collection[str] = (),
    elides: bool = False,
) -> Terms:
    """Read the words of sentences; each distinct spelling is normalised and stemmed once.

    Examples
    --------
    >>> terms = find_terms(["Cats purr.", "A cat!"], stemmer="english")
    >>> terms.labels, terms.ids.tolist(), terms.indptr.tolist()
    (['cat', 'purr', 'a'], [0, 1, 2, 0], [0, 2, 4])
    """
    with borrow_lexicon(stemmer) as lexicon:
        runs, indptr = lexicon.read(sentences, elides=elides)
        capital = lexicon.capital[runs]
        lengths = np.diff(lexicon.until)[runs]
        if (lengths != 1).any():
            capital = np.repeat(capital, lengths)
        met, indptr = expand(runs, indptr, lexicon.until, lexicon.flat)
        words, distinct = number_anew(met, len(lexicon.words))
        vocabulary = [lexicon.words[number] for number in distinct.tolist()]
        term_of_word, distinct = number_anew(lexicon.stem_of[distinct], len(lexicon.stems))
        labels = [lexicon.stems[number] for number in distinct.tolist()]
    empty = _stems(frozenset(common), stemmer)
    is_stop = np.fromiter(map(stop_words.__contains__, vocabulary), np.bool_, len(vocabulary))
    return Terms(
        labels=labels,
        ids=term_of_word[words],
        words=words,
        vocabulary=vocabulary,
        capital=capital,
        stops=is_stop[words],
        common=np.fromiter(map(empty.__contains__, labels), np.bool_, len(labels)),
        indptr=indptr,
    )


@lru_cache(maxsize=64)
def _stems(words: frozenset[str], stemmer: str | None) -> frozenset[str]:
    return frozenset(stem_words(sorted(words), stemmer))


def number_anew(
    values: NDArray[np.int32], n_values: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give values, all below `n_values`, numbers by first appearance.

    Returns
    -------
    numbers : int32 array
    distinct : int32 array
        The value of each number.

    Examples
    --------
    >>> number_anew(np.array([7, 3, 7, 5], np.int32), 9)
    (array([0, 1, 0, 2], dtype=int32), array([7, 3, 5], dtype=int32))
    """
    order = np.arange(values.size, dtype=np.int32)
    place = np.empty(n_values, np.int32)
    place[values[::-1]] = order[::-1]  # the last one stays
    distinct = values[place[values] == order]
    place[distinct] = order[: distinct.size]
    return place[values], distinct


def expand(
    runs: NDArray[np.int32],
    indptr: NDArray[np.int64],
    until: NDArray[np.int64],
    flat: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Replace each run by its words, and move the sentence ends.

    The words of the runs with number k are those of `flat` from ``until[k]`` to ``until[k + 1]``.
    """
    begins = until[runs]
    lengths = until[1:][runs] - begins
    if (lengths == 1).all():
        return flat[begins], indptr
    ends = np.concatenate(([0], np.cumsum(lengths)))
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)
    return flat[np.repeat(begins, lengths) + within], ends[indptr]
