"""Relevance: raises the weight of concepts of early sentences, and matches sentences with a query.

`summarize`, `compare` and `pack` match sentences with a query by the same rule: by the rarity of
the query's words that a sentence holds, squared relative to the best sentence; half as much passes
on to the sentences beside it, and from a heading to what stands below it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxcover.errors import OptionError

NEIGHBOUR = 0.5
"""The match of a sentence is at least this share of the match of a sentence beside it."""

UNDER_HEAD = 0.5
"""A sentence gets this share of the match of its head (its heading, or the signature or table
header above it) on top of its own."""


def raise_early(
    weights: NDArray[np.float64], places: NDArray[np.int64], *, boost: float, reach: int
) -> NDArray[np.float64]:
    """Multiply the weights of concepts in early sentences by a factor of up to `boost`.

    The factor is `boost` at place 0 and falls in equal steps to 1 at place `reach`.

    Parameters
    ----------
    weights : float64 array (n_concepts)
        Not changed; the result is a new array.
    places : int64 array (n_concepts)
        The earliest place of each concept in any document, 0 for a first sentence.
    boost : float
    reach : int
        At least 1, which raises first sentences only.

    Examples
    --------
    >>> raise_early(np.ones(4), np.array([0, 1, 3, 9]), boost=2.0, reach=4).tolist()
    [2.0, 1.75, 1.25, 1.0]
    """
    if not (np.isfinite(boost) and boost >= 0):
        raise OptionError(f"boost={boost}: expected a finite number, zero or more")
    if reach < 1:
        raise OptionError(f"reach={reach}: expected at least 1, for the first sentence")
    share = np.maximum(reach - places, 0) / reach
    with np.errstate(over="ignore"):  # `prepare` refuses infinite weights
        return np.asarray(weights * (1.0 + (boost - 1.0) * share))


def weigh_asked(
    asked: NDArray[np.int64], words: NDArray[np.integer[Any]], *, n_words: int, n_sentences: int
) -> NDArray[np.float64]:
    """Return the weight of each word: for words of a query their rarity among sentences, else 0.

    Parameters
    ----------
    asked : int64 array
        The words of the query.
    words : int array
        The word of each distinct (sentence, word) pair.

    Examples
    --------
    >>> weigh_asked(np.array([1]), np.array([0, 1, 0]), n_words=2, n_sentences=2).round(2).tolist()
    [0.0, 0.69]
    """
    held = np.bincount(words, minlength=n_words)
    weights = np.zeros(n_words)
    weights[asked] = np.log1p((n_sentences - held[asked] + 0.5) / (held[asked] + 0.5))
    return weights


def share_with_neighbours(
    matches: NDArray[np.float64], beside: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return for each sentence the best match of its neighbours.

    `beside` tells for each sentence but the first whether it follows the one before it.

    Examples
    --------
    >>> share_with_neighbours(np.array([1.0, 0.0, 0.5]), np.array([True, False])).tolist()
    [0.0, 1.0, 0.0]
    """
    near = np.zeros(len(matches))
    near[1:][beside] = matches[:-1][beside]
    near[:-1][beside] = np.maximum(near[:-1][beside], matches[1:][beside])
    return near
