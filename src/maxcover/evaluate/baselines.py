"""Baselines: simple rankings of sentences: lead, random, and maximal marginal relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.text import prepare

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.evaluate.case import Case
    from maxcover.text import Counts

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
    inverse sentence frequency of each stem, stop words left out.
    """
    vectors = _unit_vectors(case)
    centroid = vectors.sum()
    relevance = vectors.cosines(centroid / max(float(np.linalg.norm(centroid)), 1e-300))
    nearest = np.zeros(len(relevance))
    order: list[int] = []
    left = np.ones(len(relevance), dtype=bool)
    for _ in range(len(relevance)):
        score = MMR_RELEVANCE * relevance - (1 - MMR_RELEVANCE) * nearest
        best = int(np.argmax(np.where(left, score, -np.inf)))
        order.append(best)
        left[best] = False
        nearest = np.maximum(nearest, vectors.cosines(vectors.one(best)))
    return order


def _inverse_frequency(counts: Counts) -> NDArray[np.float64]:
    """Return the weight of each word, 1 + ln(N / n), if n of the N sentences hold it."""
    return 1.0 + np.log(counts.n_sentences / np.maximum(counts.sentences, 1))


def _added(
    places: NDArray[np.integer], numbers: NDArray[np.float64], n_places: int
) -> NDArray[np.float64]:
    """Sum by place: entry p of the result is the sum of numbers[k] where places[k] == p."""
    totals = np.zeros(n_places)
    np.add.at(totals, places, numbers)
    return totals


class _Vectors(NamedTuple):
    """Sparse vectors, one per sentence, stored as (sentence, word, number) of every entry."""

    sentence: NDArray[np.int64]
    word: NDArray[np.int32]
    number: NDArray[np.float64]
    n_sentences: int
    n_words: int

    def sum(self) -> NDArray[np.float64]:
        return _added(self.word, self.number, self.n_words)

    def one(self, sentence: int) -> NDArray[np.float64]:
        """Return the vector of one sentence as a dense array."""
        own = self.sentence == sentence
        return _added(self.word[own], self.number[own], self.n_words)

    def cosines(self, other: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the dot product of every sentence's vector with `other`, a vector of length 1."""
        return _added(self.sentence, self.number * other[self.word], self.n_sentences)


def _unit_vectors(case: Case) -> _Vectors:
    """Return one vector of length 1 for each sentence."""
    corpus = prepare(
        case.documents,
        preset="plain",
        language=case.language,
        concepts="words",
        weights=_inverse_frequency,
        stop_words=True,
        boost=1.0,  # no extra weight for first sentences
    )
    weights: NDArray[np.float64] = corpus.weights[corpus.indices]
    sentence = np.repeat(np.arange(len(corpus)), np.diff(corpus.indptr))
    lengths = np.sqrt(_added(sentence, weights**2, len(corpus)))
    number = weights / np.maximum(lengths, 1e-300)[sentence]
    return _Vectors(sentence, corpus.indices, number, len(corpus), len(corpus.labels))
