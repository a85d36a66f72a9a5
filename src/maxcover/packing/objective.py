r"""Objective: what each word and phrase of the passages is worth. Nothing to tune.

1. A passage is as relevant as its rank: the first most, the others less and less.
2. A sentence is relevant if its passage is and if it holds the rarer words of the query, stands
   beside one that does, or is the first of a passage that has one.
3. A phrase (two words in a row) is worth as much as the most relevant sentence that holds it, so
   that saying it again adds nothing.
4. Single words are worth something too, the more the less the query tells the passages apart: with
   a topic instead of a question, the context becomes a summary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maxcover.packing.said import Said

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]

# The relevance of the passage of rank k is k to the power of minus this.
STEEPNESS = 0.7
# Part of its passage's relevance that a sentence keeps without any word of the query.
FLOOR = 0.1
# Part of its neighbour's match that a sentence has at least; for the first sentence of a passage,
# of the best match in the passage.
NEIGHBOUR = 0.5
# Exponent of the length of a piece by which the worth of its phrases is divided.
LENGTH = 0.5
# The breadth stays finite where the query matches every passage alike.
_MOST_ALIKE = 0.98


def rank(scores: Sequence[float | None] | NDArray[np.float64] | None, n: int) -> Int64s:
    """Turn scores, the higher the better, into ranks from 1; only their order counts.

    Without scores the order given is the ranking. Equal scores stay in the order given. A passage
    whose score is missing or NaN stays right behind the one before it.

    Examples
    --------
    >>> rank([0.2, 0.9, None, 0.5], 4).tolist(), rank(None, 3).tolist()
    ([4, 1, 2, 3], [1, 2, 3])
    """
    if scores is None:
        return np.arange(1, n + 1)
    if len(scores) != n:
        raise OptionError(f"expected scores to be {n} numbers, one per passage, got {len(scores)}")
    try:
        values = np.array([np.nan if x is None else x for x in scores], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"expected scores to be numbers, the higher the better: {error}"
        ) from error
    if values.shape != (n,):
        raise OptionError(f"expected scores to be {n} numbers, got the shape {values.shape}")
    # each missing score becomes the last one before it; with none before it, the best
    last = np.maximum.accumulate(np.where(np.isnan(values), -1, np.arange(n)))
    filled = np.where(last < 0, np.inf, values[np.maximum(last, 0)])
    place = np.empty(n, dtype=np.int64)
    place[np.argsort(-filled, kind="stable")] = np.arange(1, n + 1)
    return place


def match(said: Said, asked: Int64s) -> tuple[Floats, float]:
    """Tell how well each sentence matches a query, and how alike the passages are in that.

    A word of the query weighs its inverse document frequency among the sentences. The match of a
    sentence is the weight of the query's words in it, divided by the best sentence's, squared.

    Returns
    -------
    match : float64 array (n_sentences)
        Between 0 and 1; all 1 if there is no query, or no word of it occurs.
    alike : float
        Mean over passages of the best match in each, before squaring; 0 without a query.
    """
    rows, words = said.word_pairs
    held = np.bincount(words, minlength=said.n_words)
    worth = np.zeros(said.n_words)
    worth[asked] = np.log(1 + (said.n_sentences - held[asked] + 0.5) / (held[asked] + 0.5))
    found = np.bincount(rows, worth[words], minlength=said.n_sentences)
    peak = found.max(initial=0.0)
    if peak == 0.0:
        return np.ones(said.n_sentences), 0.0
    best = np.zeros(said.n_passages)
    np.maximum.at(best, said.passage, found / peak)
    matches = (found / peak) ** 2
    same = said.passage[1:] == said.passage[:-1]
    near = np.zeros(said.n_sentences)
    near[1:][same] = matches[:-1][same]
    near[:-1][same] = np.maximum(near[:-1][same], matches[1:][same])
    # the first sentence of a passage names what the others speak of
    first = np.flatnonzero(np.concatenate(([True], ~same)))
    near[first] = np.maximum(near[first], best[said.passage[first]] ** 2)
    return np.maximum(matches, NEIGHBOUR * near), float(best.mean())


def weigh(said: Said, ranks: Int64s, asked: Int64s, *, whole: bool) -> tuple[Floats, Floats]:
    """Weigh words and phrases.

    Parameters
    ----------
    said : Said
    ranks : int64 array (n_passages)
        From 1, the best.
    asked : int64 array
        The words of the query, as numbered in `said`.
    whole : bool
        Passages are taken whole, not by the sentence.

    Returns
    -------
    words, phrases : float64 arrays
    """
    relevance = ranks.astype(np.float64) ** -STEEPNESS
    matches, alike = match(said, asked)
    of_sentence = relevance[said.passage] * (FLOOR + (1 - FLOOR) * matches)
    rows, phrases = said.phrase_pairs
    piece = said.passage if whole else np.arange(said.n_sentences)
    length = np.bincount(piece[rows], minlength=len(ranks) if whole else said.n_sentences)
    of_phrase = of_sentence / (np.maximum(length, 1) ** LENGTH)[piece]
    worth = np.zeros(len(said.phrase_codes))
    np.maximum.at(worth, phrases, of_phrase[rows])
    alike = min(alike, _MOST_ALIKE)
    breadth = alike / (1 - alike)
    rows, words = said.word_pairs
    of_word = np.sqrt(relevance)[said.passage]
    single = np.bincount(words, of_word[rows], minlength=said.n_words)
    return single * (breadth * worth.sum() / max(single.sum(), 1e-12)), worth
