"""Relevance: how a retriever's scores and the words of a query become weights. Nothing to tune."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.errors import OptionError
from maxcover.text.presets import Preset
from maxcover.text.relevance import raise_early, raise_relevant
from maxcover.text.weights import Counts, weigh

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from numpy.typing import NDArray

    from maxcover.packing.readings import Collected
    from maxcover.text.background import Background


def mentions(counts: Counts) -> NDArray[np.float64]:
    """Count the sentences that hold a concept.

    A summary passes over what is said once, because that is a detail; in a context, a detail may be
    the answer.
    """
    return counts.sentences.astype(np.float64)


#: How passages are read unless the caller says otherwise: as for a summary, details included.
PACKING = Preset(weights=mentions)


def relevance_of(
    scores: Sequence[float] | NDArray[np.float64] | None, n: int
) -> NDArray[np.float64]:
    """Turn scores, the higher the better, into relevances between 0 and 1.

    Scores that are all zero or more are divided by the largest, so that ratios stay. If some are
    below zero (logits, negated distances), the lowest becomes zero first. Scores that are all equal
    say nothing: every relevance is 1, as without scores.

    Examples
    --------
    >>> relevance_of([8.0, 4.0, 0.0], 3).tolist(), relevance_of([-1.0, -3.0, -2.0], 3).tolist()
    ([1.0, 0.5, 0.0], [1.0, 0.0, 0.5])
    """
    if scores is None:
        return np.ones(n)
    try:
        values = np.array(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"expected scores to be numbers, the higher the better: {error}"
        ) from error
    if values.shape != (n,) or not np.isfinite(values).all():
        raise OptionError(
            f"expected scores to be {n} finite numbers, one a passage, got the shape {values.shape}"
            f"{'' if np.isfinite(values).all() else ' with a missing or infinite number'}"
        )
    if n == 0 or values.min() == values.max():
        return np.ones(n)
    # halved, so that the difference of two huge numbers stays finite
    shifted = values / 2 - min(values.min() / 2, 0.0)
    return np.asarray(shifted / shifted.max())


def weigh_concepts(
    said: Collected,
    relevance: NDArray[np.float64],
    *,
    how: Preset,
    asked: Collection[Hashable] = (),
    background: Background | None = None,
) -> NDArray[np.float64]:
    r"""Weigh each concept of a collection of passages.

    The weight that `maxcover.summarize` gives a concept, times the mean relevance of the sentences
    that hold it (a sentence has the relevance of its passage), raised by the query as in
    `maxcover.text.relevance.raise_relevant`. With the weighting `mentions`, which counts the
    :math:`n_a` sentences that hold a concept, the first two are

    .. math:: w_a = n_a \cdot \frac{1}{n_a} \sum_{s \ni a} r_{p(s)} = \sum_{s \ni a} r_{p(s)},

    a count in which a sentence counts as much as its passage is relevant. So a passage of relevance
    zero contributes nothing, and equal relevances give the weights of the summary.
    """
    counts = said.count(background)
    worth = weigh(counts, how.weights)
    wanted = np.array([said.index[one] for one in asked if one in said.index], dtype=np.int64)
    worth = raise_early(worth, said.earliest(), boost=how.boost, reach=how.reach)
    together = np.bincount(said.ids, relevance[said.passage[said.rows]], worth.size)
    worth = worth * together / np.maximum(counts.sentences, 1)
    return raise_relevant(worth, wanted, rows=said.rows, indices=said.ids)
