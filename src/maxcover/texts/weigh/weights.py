"""Weights: how much it is worth to cover a concept, by name or by a caller's function."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxcover.errors import OptionError
from maxcover.texts.weigh.background import Background


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts that a weighting may use; arrays have one entry for each concept.

    Attributes
    ----------
    labels : sequence
        The concepts; a list if they are passed to a caller's function.
    occurrences, sentences, documents : int64 array
        How often a concept occurs, in how many sentences and in how many documents.
    n_sentences, n_documents : int
        Size of the collection.
    background : Background or None
        Document frequencies of a larger collection.
    pairs, common : bool arrays or None
        Which concepts are bigrams, and which consist of stop words only; None if not known.
    """

    labels: Sequence[Hashable]
    occurrences: NDArray[np.int64]
    sentences: NDArray[np.int64]
    documents: NDArray[np.int64]
    n_sentences: int
    n_documents: int
    background: Background | None = None
    pairs: NDArray[np.bool_] | None = None
    common: NDArray[np.bool_] | None = None


BIGRAM, COMMON, ONCE = 4.0, 0.25, 0.1
"""Factors of the weighting "readable": for bigrams, for stop words, and for concepts of only one
sentence. Chosen on development data: docs/lab/evaluation.md."""

#: A function that gives a finite weight, zero or more, for each concept.
WeightFunction: TypeAlias = Callable[[Counts], NDArray[np.float64]]


def _sentence_frequency(counts: Counts) -> NDArray[np.float64]:
    """Weigh a concept by its number of sentences; 0 for one sentence, as it is a detail then."""
    return np.where(counts.sentences > 1, counts.sentences, 0).astype(np.float64)


def _term_frequency(counts: Counts) -> NDArray[np.float64]:
    """Weigh a concept by its number of occurrences."""
    return counts.occurrences.astype(np.float64)


def _tf_idf(counts: Counts) -> NDArray[np.float64]:
    """Weigh a concept by its occurrences times ln(N / n), where n of N documents contain it.

    The documents of the background count too. Without a background, n and N are numbers of
    sentences, because a few documents are too few to tell a common word from a rare one.
    """
    total, holding = float(counts.n_sentences), counts.sentences.astype(np.float64)
    if counts.background is not None:
        total = float(counts.n_documents + counts.background.documents)
        holding = counts.documents + counts.background.frequencies(counts.labels)
    return np.multiply(counts.occurrences, np.log(total / np.maximum(holding, 1.0)))


def _readable(counts: Counts) -> NDArray[np.float64]:
    """Weigh a concept by its number of sentences times the square root of its number of documents.

    A concept of only one sentence counts a tenth, a bigram four times, stop words a quarter.
    """
    weights = np.where(counts.sentences > 1, counts.sentences, ONCE * (counts.sentences > 0))
    weights = weights * np.sqrt(np.maximum(counts.documents, 1))
    pairs = counts.pairs
    if pairs is None:
        pairs = np.array([" " in str(label) for label in counts.labels], np.bool_)
    weights = weights * np.where(pairs, BIGRAM, 1.0)
    return weights if counts.common is None else weights * np.where(counts.common, COMMON, 1.0)


#: The weightings by name.
WEIGHTS: dict[str, WeightFunction] = {
    "sentence-frequency": _sentence_frequency,
    "tf": _term_frequency,
    "tf-idf": _tf_idf,
    "readable": _readable,
}


def weigh(counts: Counts, kind: str | WeightFunction) -> NDArray[np.float64]:
    """Return the weight of each concept.

    Parameters
    ----------
    counts : Counts
    kind : {"sentence-frequency", "tf", "tf-idf", "readable"} or callable
        See `WEIGHTS`; a callable takes `counts` and returns one number for each concept.

    Returns
    -------
    float64 array
        Finite, zero or more. If a weighting of the table gives only zeros (a text in which nothing
        is said twice), the number of occurrences takes its place, so that a text with words always
        has something to cover.

    Raises
    ------
    OptionError
        The name is unknown, or the callable returns a wrong length, a negative number or no number.
    """
    if callable(kind):
        return _checked(kind(replace(counts, labels=list(counts.labels))), len(counts.labels))
    if kind not in WEIGHTS:
        raise OptionError(
            f"unknown weights {kind!r}; expected {', '.join(WEIGHTS)} or a function of Counts"
        )
    weights = WEIGHTS[kind](counts)
    return weights if weights.any() else _term_frequency(counts)


def _checked(given: object, n_concepts: int) -> NDArray[np.float64]:
    """Return the result of a caller's function as an array; raise an error if it is invalid."""
    try:
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(f"weights= returned no array of numbers: {error}") from error
    if weights.shape != (n_concepts,):
        raise OptionError(
            f"weights= returned the shape {weights.shape}; expected ({n_concepts},), "
            "one number for each of counts.labels"
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise OptionError("weights= returned a negative, infinite or missing number")
    return weights
