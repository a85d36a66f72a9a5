"""Rank: what a sentence is worth by its place and for standing by itself."""

import numpy as np
from numpy.typing import NDArray

from maxcover.text.incidence import Incidence, is_new
from maxcover.text.presets import Preset
from maxcover.text.spans import Spans
from maxcover.text.standing import SENTENCE, leans

ARTICLE = (12, 60)
"""Candidates of a document whose order says most: fewer have no order, more are no article."""

SPOKEN = 4.0
"""Factor of standing alone in a transcript, where every other sentence leans on the one before."""


def rank_candidates(
    document: NDArray[np.int64], candidates: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return how many candidates stand before each sentence in its document.

    Examples
    --------
    >>> rank_candidates(np.array([0, 0, 0, 1]), np.array([False, True, True, True])).tolist()
    [0, 0, 1, 0]
    """
    before: NDArray[np.int64] = np.cumsum(candidates) - candidates
    return np.asarray(before - before[np.searchsorted(document, document)], np.int64)


def weigh_sentences(
    how: Preset,
    said: Spans,
    *,
    ranks: NDArray[np.int64],
    standing: NDArray[np.int8],
    incidence: Incidence,
    worth: NDArray[np.float64],
) -> NDArray[np.float64]:
    r"""Weigh each sentence itself, in weight that no other sentence covers.

    .. math:: o_s = n_s \bar w \, (\mathit{lead} \, a_d \, 2^{-r_s} + \mathit{alone} \, b_s)

    for a sentence of :math:`n_s` words at place :math:`r_s` among the candidates of its document:
    :math:`\bar w` is the mean weight of a word of all candidates, :math:`a_d` is 1 for a document
    of 12 to 60 candidates and falls on both sides, 0 for a transcript, and :math:`b_s` is 1 (4 in a
    transcript) unless the sentence begins with a connective or pronoun and does not open its
    document.
    """
    chosen = standing == SENTENCE
    n_rows = len(chosen)
    sizes = np.fromiter((text.count(" ") + 1 for text in said.said), np.float64, n_rows)
    total = np.bincount(incidence.rows, worth[incidence.ids], minlength=n_rows)
    mean = total[chosen].sum() / max(1.0, sizes[chosen].sum())
    here = np.bincount(said.document, chosen, minlength=1)[said.document]
    spoken = said.spoken
    few, many = ARTICLE
    article = np.minimum(1.0, here / few) * np.minimum(1.0, many / np.maximum(1.0, here))
    if spoken:
        article = np.zeros(n_rows)
    lean = (leans(text, spoken=spoken) for text in said.said)
    stands = ~np.fromiter(lean, np.bool_, n_rows) | is_new(said.document)
    alone = how.alone * (SPOKEN if spoken else 1.0)
    own = mean * sizes * (how.lead * 0.5**ranks * article + alone * stands)
    return np.where(chosen, own, 0.0)
