"""Rankings of a few lines each: lead, random, and maximal marginal relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from maxcover.text import prepare

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.evaluate.case import Case
    from maxcover.text import Counts

# How much relevance counts against novelty: the middle of what the literature uses.
MMR_RELEVANCE = 0.7


def rank_lead(case: Case) -> list[int]:
    """Take the first sentence of each document, then the second of each, and so on."""
    order: list[int] = np.lexsort((case.document_of, case.place)).tolist()
    return order


def rank_randomly(case: Case, seed: int) -> list[int]:
    """Shuffle; the same seed gives every cluster a shuffle of its own, and always the same."""
    key = [seed, *case.cluster.id.encode()]
    order: list[int] = np.random.default_rng(key).permutation(len(case.sentences)).tolist()
    return order


def rank_by_mmr(case: Case) -> list[int]:
    """Rank by closeness to the centroid and distance from what was taken (Carbonell, Goldstein).

    Cosines of vectors that hold the inverse sentence frequency of each stem, stop words left out.
    """
    vectors = _unit_vectors(case)
    centroid = np.asarray(vectors.mean(axis=0)).ravel()
    relevance = vectors @ (centroid / max(float(np.linalg.norm(centroid)), 1e-300))
    nearest = np.zeros(len(relevance))
    order: list[int] = []
    left = np.ones(len(relevance), dtype=bool)
    for _ in range(len(relevance)):
        score = MMR_RELEVANCE * relevance - (1 - MMR_RELEVANCE) * nearest
        best = int(np.argmax(np.where(left, score, -np.inf)))
        order.append(best)
        left[best] = False
        nearest = np.maximum(nearest, vectors @ vectors[[best]].toarray().ravel())
    return order


def _inverse_frequency(counts: Counts) -> NDArray[np.float64]:
    """Weigh a word by 1 + ln(N / n), if n of the N sentences hold it."""
    return 1.0 + np.log(counts.n_sentences / np.maximum(counts.sentences, 1))


def _unit_vectors(case: Case) -> csr_array:
    """Return one vector of length 1 for each sentence."""
    corpus = prepare(
        case.documents,
        preset="plain",
        language=case.language,
        concepts="words",
        weights=_inverse_frequency,
        stop_words=True,
        boost=1.0,  # MMR knows nothing of places
    )
    weights: NDArray[np.float64] = corpus.weights[corpus.indices]
    vectors = csr_array(
        (weights, corpus.indices, corpus.indptr), shape=(len(corpus), len(corpus.labels))
    )
    lengths = np.sqrt(vectors.power(2).sum(axis=1))
    return csr_array(vectors.multiply(1 / np.maximum(lengths, 1e-300)[:, None]))
