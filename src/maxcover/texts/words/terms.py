"""Terms: the sentences of a collection as arrays of numbered stems."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from maxcover.texts.kernels import word_pairs as kernel
from maxcover.texts.words.stems import stem_words
from maxcover.texts.words.vocabulary import WordNames, borrow_lexicon


@dataclass(frozen=True, slots=True)
class Terms:
    """All words of all sentences, as arrays of numbers.

    Attributes
    ----------
    labels : WordNames
        The distinct terms (stems, or words if stemming is off), by first appearance.
    ids : int32 array (n_words)
        Number of each word's term, sentence after sentence.
    words : int32 array (n_words)
        Number of each word before stemming.
    vocabulary : WordNames
        The distinct words, by number.
    capital : bool array (n_words)
        Which words begin with a capital letter.
    stops : bool array (n_words)
        Which words are stop words to be left out.
    common : bool array (n_labels)
        Which terms are stems of the language's stop words.
    indptr : int64 array (n_sentences + 1)
        Sentence i has the words ``indptr[i]:indptr[i + 1]``.
    """

    labels: WordNames
    ids: NDArray[np.int32]
    words: NDArray[np.int32]
    vocabulary: WordNames
    capital: NDArray[np.bool_]
    stops: NDArray[np.bool_]
    common: NDArray[np.bool_]
    indptr: NDArray[np.int64]

    @property
    def rows(self) -> NDArray[np.int32]:
        """The sentence number of each word."""
        lengths = np.diff(self.indptr)
        return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)


def find_terms(
    sentences: Iterable[str],
    *,
    stemmer: str | None,
    stop_words: Collection[str] = (),
    common: Collection[str] = (),
    elides: bool = False,
) -> Terms:
    """Return the words of sentences as `Terms`; each distinct spelling is stemmed only once.

    Examples
    --------
    >>> terms = find_terms(["Cats purr.", "A cat!"], stemmer="english")
    >>> terms.labels, terms.ids.tolist(), terms.indptr.tolist()
    (['cat', 'purr', 'a'], [0, 1, 2, 0], [0, 2, 4])
    """
    with borrow_lexicon(stemmer) as lexicon:
        runs, indptr = lexicon.read(sentences, elides=elides)
        lengths = lexicon.until[runs + 1] - lexicon.until[runs]
        n_words, until = int(lengths.sum()), np.empty_like(indptr)
        (words, ids), (met, stems) = (np.empty((2, n_words), np.int32) for _ in range(2))
        capital = np.empty(n_words, np.bool_)
        unmet = (lexicon.words, lexicon.stems)
        word_numbers, stem_numbers = (np.full(len(one.words), -1, np.int32) for one in unmet)
        # Keep no view of the lexicon's arrays: an array with a view cannot grow for the next user.
        sizes = kernel.number_words(
            *(runs, indptr, lexicon.until, lexicon.flat, lexicon.capital, lexicon.stem_of),
            *(word_numbers, stem_numbers, words, ids, capital, until, met, stems),
        )
        # Copy the used parts: slices would keep the whole arrays, one entry per word, in memory.
        vocabulary = WordNames(lexicon.words, met[: sizes[0]].copy())
        labels = WordNames(lexicon.stems, stems[: sizes[1]].copy())
    empty, left_out = _stems(frozenset(common), stemmer), frozenset(stop_words)
    stops = np.zeros(n_words, np.bool_)
    if left_out:
        stops = vocabulary.look_up(left_out.__contains__, left_out).astype(np.bool_)[words]
    return Terms(
        labels=labels,
        ids=ids,
        words=words,
        vocabulary=vocabulary,
        capital=capital,
        stops=stops,
        common=labels.look_up(empty.__contains__, empty).astype(np.bool_),
        indptr=until,
    )


@lru_cache(maxsize=64)
def _stems(words: frozenset[str], stemmer: str | None) -> frozenset[str]:
    return frozenset(stem_words(sorted(words), stemmer))


def expand(
    runs: NDArray[np.int32],
    indptr: NDArray[np.int64],
    until: NDArray[np.int64],
    flat: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Replace each run of word characters by its words; return the words and the new `indptr`.

    The words of a run with number k are ``flat[until[k]:until[k + 1]]``.
    """
    begins = until[runs]
    lengths = until[1:][runs] - begins
    if (lengths == 1).all():
        return flat[begins], indptr
    ends = np.concatenate(([0], np.cumsum(lengths)))
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)
    return flat[np.repeat(begins, lengths) + within], ends[indptr]
