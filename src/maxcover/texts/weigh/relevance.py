"""Relevance: raises the weight of concepts of early sentences, and of concepts near a query."""

import numpy as np
from numpy.typing import NDArray

from maxcover.errors import OptionError


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


def raise_relevant(
    weights: NDArray[np.float64],
    asked: NDArray[np.int64],
    *,
    rows: NDArray[np.int32],
    indices: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Raise the weight of the query's concepts, and of concepts in the same sentences as these.

    Let the *relevance* of a sentence be the weight of the query's concepts in it, divided by that
    of the most relevant sentence. The weight of a concept of the query is doubled. The weight of
    any other is multiplied by 1 + (mean relevance of the sentences that contain it), which is 1 if
    it is never in a sentence with the query's concepts. No parameter is tuned, and rescaling the
    weights rescales the result.

    Parameters
    ----------
    weights : float64 array (n_concepts)
        Not changed; the result is a new array.
    asked : int64 array
        The concepts of the query. If none of them has weight, no weight changes.
    rows, indices : int32 arrays
        Sentence and concept of each pair, without repetitions.

    Returns
    -------
    float64 array (n_concepts)

    Examples
    --------
    >>> rows, indices = np.array([0, 0, 1], np.int32), np.array([0, 1, 2], np.int32)
    >>> raise_relevant(np.ones(3), np.array([0]), rows=rows, indices=indices).tolist()
    [2.0, 2.0, 1.0]
    """
    wanted = np.zeros_like(weights)
    wanted[asked] = weights[asked]
    peak = wanted.max(initial=0.0)
    if peak == 0.0:
        return weights.copy()
    wanted /= peak  # scale before the sum, so that huge weights stay finite
    relevance = np.bincount(rows, wanted[indices])
    relevance = relevance / relevance.max(initial=np.finfo(np.float64).tiny)
    degree = np.bincount(indices, minlength=weights.size)
    together = np.bincount(indices, relevance[rows], minlength=weights.size)
    factor = 1.0 + together / np.maximum(degree, 1)
    factor[asked] = 2.0
    with np.errstate(over="ignore"):
        return np.asarray(weights * factor)
