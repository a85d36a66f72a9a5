"""Concepts: the words and bigrams that a sentence covers, or the result of a caller's function."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxcover.engine.core.ascending import is_new
from maxcover.engine.kernels.rows import group_columns
from maxcover.errors import OptionError
from maxcover.texts.words.terms import Terms
from maxcover.texts.words.vocabulary import ConceptNames

#: A function that takes the terms of a sentence and returns its concepts, with repetitions.
ConceptFunction: TypeAlias = Callable[[Sequence[str]], Iterable[Hashable]]


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The occurrences of concepts in sentences, with repetitions.

    Attributes
    ----------
    rows : int32 array
        Sentence of each occurrence.
    ids : int32 array
        Concept of each occurrence, an index into `labels`.
    labels : ConceptNames
        The label of a word is its term, that of a bigram two terms with a space between them.
    pairs, common : bool arrays (n_labels)
        Which concepts are bigrams, and which consist of stop words only.
    """

    rows: NDArray[np.int32]
    ids: NDArray[np.int32]
    labels: ConceptNames
    pairs: NDArray[np.bool_]
    common: NDArray[np.bool_]


def _words(terms: Terms) -> Occurrences:
    """Return every word except the stop words that are to be left out."""
    rows, ids = terms.rows, terms.ids
    if terms.stops.any():
        rows, ids = rows[~terms.stops], ids[~terms.stops]
    pairs = np.zeros(len(terms.labels), np.bool_)
    return Occurrences(rows, ids, ConceptNames.of(terms.labels), pairs, terms.common)


def _bigrams(terms: Terms) -> Occurrences:
    """Return every pair of neighbouring words, unless both are stop words to be left out."""
    all_rows, stops = terms.rows, terms.stops
    kept = np.flatnonzero((all_rows[1:] == all_rows[:-1]) & ~(stops[1:] & stops[:-1]))
    left, right = terms.ids[kept], terms.ids[kept + 1]
    # Bigrams are numbered by their left and then by their right term: a radix sort.
    order = np.arange(kept.size, dtype=np.int32)
    for side in (right, left):
        starts, grouped = np.zeros(len(terms.labels) + 1, np.int64), np.empty_like(order)
        group_columns(side[order], order, starts, grouped)
        order = grouped
    is_first = is_new(left[order]) | is_new(right[order])
    numbers = np.empty_like(order)
    numbers[order] = np.cumsum(is_first) - 1
    left, right = left[order[is_first]], right[order[is_first]]
    common, pairs = terms.common[left] & terms.common[right], np.ones(left.size, np.bool_)
    labels = ConceptNames(terms.labels, left, right)
    return Occurrences(all_rows[kept], numbers, labels, pairs, common)


def _words_and_bigrams(terms: Terms) -> Occurrences:
    """Return the words, followed by the bigrams."""
    words, bigrams = _words(terms), _bigrams(terms)
    return Occurrences(
        np.concatenate((words.rows, bigrams.rows)),
        np.concatenate((words.ids, bigrams.ids + np.int32(len(words.labels)))),
        words.labels + bigrams.labels,
        np.concatenate((words.pairs, bigrams.pairs)),
        np.concatenate((words.common, bigrams.common)),
    )


#: The kinds of concept by name.
CONCEPTS: dict[str, Callable[[Terms], Occurrences]] = {
    "words": _words,
    "bigrams": _bigrams,
    "words+bigrams": _words_and_bigrams,
}


def find_concepts(terms: Terms, kind: str | ConceptFunction) -> Occurrences:
    """Return the concepts of the sentences.

    Parameters
    ----------
    terms : Terms
    kind : {"words", "bigrams", "words+bigrams"} or callable
        A callable takes the terms of one sentence, without the stop words to be left out, and
        returns hashable concepts.

    Examples
    --------
    >>> from maxcover.texts.words.terms import find_terms
    >>> terms = find_terms(["to be or not to be"], stemmer=None)
    >>> found = find_concepts(terms, "bigrams")
    >>> sorted(found.labels)
    ['be or', 'not to', 'or not', 'to be']
    """
    if callable(kind):
        return _called(terms, kind)
    if kind not in CONCEPTS:
        raise OptionError(
            f"unknown concepts {kind!r}; expected {', '.join(CONCEPTS)} or a function that takes "
            "the words of a sentence"
        )
    return CONCEPTS[kind](terms)


def _called(terms: Terms, function: ConceptFunction) -> Occurrences:
    """Return the concepts that the caller's function gives for each sentence."""
    index: defaultdict[Hashable, int] = defaultdict(count().__next__)
    rows: list[int] = []
    ids: list[int] = []
    names, all_ids, stops = terms.labels, terms.ids.tolist(), terms.stops.tolist()
    bounds = terms.indptr.tolist()
    for row, (start, end) in enumerate(pairwise(bounds)):
        sentence = [names[all_ids[k]] for k in range(start, end) if not stops[k]]
        try:
            found = [index[concept] for concept in function(sentence)]
        except TypeError as error:
            raise OptionError(f"expected concepts to return hashable concepts: {error}") from error
        ids.extend(found)
        rows.extend([row] * len(found))
    none = np.zeros(len(index), np.bool_)
    labels = ConceptNames.of(list(index))
    return Occurrences(np.array(rows, np.int32), np.array(ids, np.int32), labels, none, none)
