"""Concepts: what a sentence covers. One table, or a function of the caller's."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxcover.errors import OptionError
from maxcover.kernels.rows import group_columns
from maxcover.text.labels import Labels
from maxcover.text.terms import Terms

#: A function of one sentence's terms that gives the concepts it holds, with repetitions.
ConceptFunction: TypeAlias = Callable[[Sequence[str]], Iterable[Hashable]]


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Which concept occurs in which sentence, repetitions included.

    Attributes
    ----------
    rows : int32 array
        Sentences.
    ids : int32 array
        Concepts, numbers into `labels`.
    labels : Labels
        A word is its term, a bigram two terms with a space between them.
    pairs, common : bool arrays (n_labels)
        Which concepts are bigrams, and which are made of words without content of their own.
    """

    rows: NDArray[np.int32]
    ids: NDArray[np.int32]
    labels: Labels
    pairs: NDArray[np.bool_]
    common: NDArray[np.bool_]


def _words(terms: Terms) -> Occurrences:
    """Every term that is not a stop word."""
    kept = ~terms.stops
    pairs = np.zeros(len(terms.labels), np.bool_)
    labels = Labels.of(terms.labels)
    return Occurrences(terms.rows[kept], terms.ids[kept], labels, pairs, terms.common)


def _bigrams(terms: Terms) -> Occurrences:
    """Every two neighbours of a sentence that are not both stop words."""
    rows, ids = terms.rows, terms.ids
    kept = (rows[1:] == rows[:-1]) & ~(terms.stops[1:] & terms.stops[:-1])
    left, right = ids[:-1][kept], ids[1:][kept]
    n_terms = len(terms.labels)
    order = _group_places(left, _group_places(right, np.arange(right.size), n_terms), n_terms)
    left, right = left[order], right[order]
    is_first = np.ones(order.size, np.bool_)
    is_first[1:] = (left[1:] != left[:-1]) | (right[1:] != right[:-1])
    numbers = np.empty(order.size, np.int32)
    numbers[order] = np.cumsum(is_first) - 1
    left, right = left[is_first], right[is_first]
    labels, common = Labels(terms.labels, left, right), terms.common[left] & terms.common[right]
    return Occurrences(rows[:-1][kept], numbers, labels, np.ones(left.size, np.bool_), common)


def _group_places(
    terms: NDArray[np.int32], places: NDArray[np.signedinteger], n_terms: int
) -> NDArray[np.int32]:
    """Order places by the term that stands there, those of one term as they come."""
    grouped = np.empty(places.size, np.int32)
    starts = np.zeros(n_terms + 1, np.int64)
    group_columns(terms[places], places.astype(np.int32), starts, grouped)
    return grouped


def _words_and_bigrams(terms: Terms) -> Occurrences:
    """Both: the words first, then the bigrams."""
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
    """List the concepts of each sentence.

    Parameters
    ----------
    terms : Terms
    kind : {"words", "bigrams", "words+bigrams"} or callable
        A callable takes the terms of one sentence (stop words left out if they were to be) and
        returns hashable concepts.

    Examples
    --------
    >>> from maxcover.text.terms import find_terms
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
    """Ask the caller's function about each sentence."""
    index: defaultdict[Hashable, int] = defaultdict()
    index.default_factory = index.__len__
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
    labels = Labels.of(list(index))
    return Occurrences(np.array(rows, np.int32), np.array(ids, np.int32), labels, none, none)
