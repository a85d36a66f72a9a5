"""Boosts: the weight of a sentence itself, for its position."""

import numpy as np
from numpy.typing import NDArray

from maxcover.texts.read.kinds import in_documents
from maxcover.texts.weigh.incidence import Incidence
from maxcover.texts.weigh.presets import Preset

ARTICLE = (12, 60)
"""In documents of 12 to 60 candidates, early sentences get the full extra weight. Shorter and
longer documents get less of it, as their order says less."""


def rank_candidates(
    document: NDArray[np.int64], candidates: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the number of candidates before each sentence in its document.

    Examples
    --------
    >>> rank_candidates(np.array([0, 0, 0, 1]), np.array([False, True, True, True])).tolist()
    [0, 0, 1, 0]
    """
    before: NDArray[np.int64] = np.cumsum(candidates) - candidates
    return np.asarray(before - before[np.searchsorted(document, document)], np.int64)


def weigh_sentences(
    how: Preset,
    document: NDArray[np.int64],
    *,
    transcript: NDArray[np.bool_],
    among: NDArray[np.bool_],
    sizes: NDArray[np.int64],
    ranks: NDArray[np.int64],
    incidence: Incidence,
    worth: NDArray[np.float64],
) -> NDArray[np.float64]:
    r"""Return the weight that each sentence has besides its concepts; no other sentence covers it.

    .. math:: o_s = n_s \bar w \, \mathit{lead} \, a_d \, 2^{-r_s}

    for a sentence of :math:`n_s` words (`sizes`) at place :math:`r_s` (`ranks`, from 0) among the
    candidates of its document, and 0 for sentences that are no candidates (`among`).
    :math:`\bar w` is the mean weight of a word of all candidates. :math:`a_d` is 1 for a document
    of 12 to 60 candidates, less for shorter and longer ones, and 0 for a transcript.
    """
    total = np.bincount(incidence.rows, worth[incidence.ids], minlength=len(among))
    mean = total[among].sum() / max(1.0, sizes[among].sum())
    here = in_documents(among, document)
    few, many = ARTICLE
    article = np.minimum(1.0, here / few) * np.minimum(1.0, many / np.maximum(1.0, here))
    article = np.where(transcript, 0.0, article)
    return np.where(among, mean * sizes * how.lead * 0.5**ranks * article, 0.0)
