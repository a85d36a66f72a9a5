"""Baselines: simple rankings of sentences: lead, random, and maximal marginal relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.texts import prepare

if TYPE_CHECKING:
    from maxcover.ground.array_types import Floats
    from maxcover.lab.evaluate.case import Case
    from maxcover.texts import Counts

# Weight of relevance in MMR, from 0 to 1; novelty has the rest. The middle of the values in the
# literature.
MMR_RELEVANCE = 0.7


def rank_lead(case: Case) -> list[int]:
    """Rank the first sentence of each document, then the second of each, and so on."""
    order: list[int] = np.lexsort((case.document_of, case.place)).tolist()
    return order


def rank_randomly(case: Case, seed: int) -> list[int]:
    """Rank in random order; seed and cluster id determine the order."""
    key = [seed, *case.cluster.id.encode()]
    order: list[int] = np.random.default_rng(key).permutation(len(case.sentences)).tolist()
    return order


def rank_by_mmr(case: Case) -> list[int]:
    """Rank by maximal marginal relevance: near the centroid, far from sentences ranked before.

    The method is that of Carbonell and Goldstein. Closeness is the cosine of vectors that hold the
    inverse sentence frequency of each stem, stop words left out. Memory: 8 bytes for each sentence
    and word.
    """
    vectors = _unit_vectors(case)
    centroid = vectors.sum(axis=0)
    relevance = vectors @ (centroid / max(float(np.linalg.norm(centroid)), 1e-300))
    nearest = np.zeros(len(relevance))
    order: list[int] = []
    left = np.ones(len(relevance), dtype=bool)
    for _ in range(len(relevance)):
        score = MMR_RELEVANCE * relevance - (1 - MMR_RELEVANCE) * nearest
        best = int(np.argmax(np.where(left, score, -np.inf)))
        order.append(best)
        left[best] = False
        nearest = np.maximum(nearest, vectors @ vectors[best])
    return order


def _inverse_frequency(counts: Counts) -> Floats:
    """Return the weight of each word, 1 + ln(N / n), if n of the N sentences hold it."""
    return 1.0 + np.log(counts.n_sentences / np.maximum(counts.sentences, 1))


def _unit_vectors(case: Case) -> Floats:
    """Return one vector of length 1 for each sentence, or of zeros if it holds no word."""
    corpus = prepare(
        case.documents,
        preset="plain",
        language=case.language,
        concepts="words",
        weights=_inverse_frequency,
        stop_words=True,
        boost=1.0,  # no extra weight for first sentences
    )
    vectors = np.zeros((len(corpus), len(corpus.labels)))
    sentence = np.repeat(np.arange(len(corpus)), np.diff(corpus.indptr))
    vectors[sentence, corpus.indices] = corpus.weights[corpus.indices]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.maximum(lengths, 1e-300)
    return vectors
