r"""Objective: what each word and phrase of the passages is worth. Nothing to tune.

1. A passage is as relevant as its rank: the first most, the others less and less.
2. A sentence is relevant if its passage is and if it holds the rarer words of the query, stands
   beside one that does, or is the first of a passage that has one.
3. A phrase (two words in a row) is worth as much as the most relevant sentence that holds it, so
   that saying it again adds nothing.
4. Of several questions, each has its own first passage and its own best sentence; a sentence is as
   relevant as it is to the question that it answers best.
5. Single words are worth something too, the more the less the query tells the passages apart: with
   a topic instead of a question, the context becomes a summary.
6. A block of code, a row or an entry of a log is matched as a sentence is.
7. A sentence is worth something by itself, whatever its phrases, unless a near-copy says as much.
   One that differs from a near-copy in a value (a number, a name, a negation) is worth more.
8. What has nothing to do with the question is worth nothing; the less of the text fits, the better
   a sentence has to match.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.errors import OptionError
from maxcover.packing.occurrences import unique_pairs
from maxcover.packing.passages import TELLING
from maxcover.packing.statements import Statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maxcover.array_types import Floats, Int64s
    from maxcover.packing.occurrences import PassageOccurrences
    from maxcover.packing.statements import Versions


# The relevance of the passage of rank k is k to the power of minus this.
STEEPNESS = 0.7
# Part of its passage's relevance that a sentence keeps without any word of the query.
FLOOR = 0.1
# Part of its neighbour's match that a sentence has at least; for the first sentence of a passage,
# of the best match in the passage.
NEIGHBOUR = 0.5
# Exponent of the length of a piece by which the worth of its phrases is divided.
LENGTH = 0.5
# How much more the words of the question count among the first words of a block of code, its name
# and signature, and how many these are.
SIGNATURE, N_FIRST = 1.0, 6
# Part of the match of its head that a piece has besides its own.
UNDER_HEAD = 0.5
# Heads above one another that count.
MOST_HEADS = 3
# Part of the match of a block of code that is divided by its length over the mean length.
LONG_BLOCK = 0.3
# How many times the weight of its phrases a sentence has by itself, and how many times that if it
# differs from a near-copy in a value.
EACH, VERSION = 0.5, 9.0
# A sentence has nothing to do with the question, and is left out whatever room there is, if its
# relevance and its match are below this part of the best ones, unless it stands in this part of the
# passages, the first ones: a retriever finds by more than words.
LEAST, FIRST = 0.1, 0.2
# Required match: TIGHT when nothing of the text fits, falling linearly to 0 when the part AMPLE of
# it fits. The first passage needs none, nor does one that holds the part ON_SUBJECT of what the
# best passage holds of the question.
TIGHT, AMPLE, ON_SUBJECT = 0.35, 0.2, 0.6
# Bridge: also keep a sentence that shares at least SEVERAL rare words (words in exactly two
# passages) with a sentence whose relevance is at least BRIDGE of the best. In the first passages
# one rare word and a word of the question are enough.
SEVERAL, BRIDGE = 2, 0.5
_NONE = np.empty(0, np.int64)
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


class Match(NamedTuple):
    """How well sentences and passages match a question, relative to the best ones.

    Attributes
    ----------
    sentences : float64 array (n_sentences)
        Weight of the question's words in each, squared, or part of a neighbour's.
    best : float64 array (n_passages)
        That of the best sentence in each, before squaring.
    together : float64 array (n_passages)
        Weight of the question's words in each.
    """

    sentences: Floats
    best: Floats
    together: Floats


def match(said: PassageOccurrences, asked: Int64s, *, changes: bool = False) -> Match | None:
    """Tell how well each sentence matches a question, and the best match in each passage.

    A word of the question weighs its inverse document frequency among the sentences. The match of a
    sentence is the weight of the question's words in it, divided by the best sentence's, squared.
    There is none if no word of the question occurs. If it asks for changes, that is a word of every
    part of a diff, as heavy as the heaviest.
    """
    rows, words = said.word_pairs
    held = np.bincount(words, minlength=said.n_words)
    worth = np.zeros(said.n_words)
    worth[asked] = np.log(1 + (said.n_sentences - held[asked] + 0.5) / (held[asked] + 0.5))
    found: Floats = np.bincount(rows, worth[words], said.n_sentences).astype(np.float64)
    if said.lined.any():
        found = _match_blocks(said, worth, found)
        if changes:
            found += np.where((found > 0) & said.are_of("diff"), worth.max(initial=0.0), 0.0)
    peak = found.max(initial=0.0)
    if peak == 0.0:
        return None
    best = np.zeros(said.n_passages)
    np.maximum.at(best, said.passage, found / peak)
    matches = (found / peak) ** 2
    same = said.passage[1:] == said.passage[:-1]
    prose = ~said.lined
    beside = same & prose[1:] & prose[:-1]
    near = np.zeros(said.n_sentences)
    near[1:][beside] = matches[:-1][beside]
    near[:-1][beside] = np.maximum(near[:-1][beside], matches[1:][beside])
    # the first sentence of a passage names what the others speak of
    first = np.flatnonzero(np.concatenate(([True], ~same)) & prose)
    near[first] = np.maximum(near[first], best[said.passage[first]] ** 2)
    mine = np.flatnonzero(worth[words])
    passages, own = unique_pairs(said.passage[rows[mine]], words[mine], said.n_words)
    together = np.bincount(passages, worth[own], said.n_passages)
    return Match(np.maximum(matches, NEIGHBOUR * near), best, together / together.max())


def share_ranks(ranks: Int64s, best: Floats) -> Int64s:
    """Rank passages for each of several questions apart, and give each its best rank.

    A passage belongs to the question that it matches best (several, if equally well), one that
    matches none belongs to all. Its rank is its place among those of the same question, so that the
    first passage of each question is as relevant as that of any other.

    Parameters
    ----------
    ranks : int64 array (n_passages)
        From 1, the best.
    best : float64 array (n_questions, n_passages)
        How well each passage matches each question.

    Examples
    --------
    >>> share_ranks(np.array([1, 2, 3]), np.array([[0.9, 1.0, 0.0], [0.1, 0.0, 1.0]])).tolist()
    [1, 2, 1]
    """
    own = best == best.max(axis=0)
    order = np.argsort(ranks)
    shared = np.empty(own.shape, dtype=np.int64)
    shared[:, order] = np.cumsum(own[:, order], axis=1)
    return np.asarray(np.where(own, shared, len(ranks)).min(axis=0))


def _match_blocks(said: PassageOccurrences, worth: Floats, found: Floats) -> Floats:
    """Match blocks of code: names and signatures count more, and long ones hold many words."""
    length = np.bincount(said.rows, minlength=said.n_sentences)
    first = np.cumsum(length) - length
    early = (np.arange(len(said.rows)) - first[said.rows] < N_FIRST) & said.lined[said.rows]
    rows, words = unique_pairs(said.rows[early], said.words[early], said.n_words)
    found = found + SIGNATURE * np.bincount(rows, worth[words], minlength=said.n_sentences)
    relative = length / max(float(length[said.lined].mean()), 1.0)
    found = np.where(said.lined, found / (1 - LONG_BLOCK + LONG_BLOCK * relative), found)
    # what stands under a head is named by it; a row is not asked for by the names of its columns
    under = np.flatnonzero((said.heads >= 0) & ((found > 0) | said.are_of("outline")))
    own = found.copy()
    for _ in range(MOST_HEADS):
        found[under] = own[under] + UNDER_HEAD * found[said.heads[under]]
    return found


class Relevance(NamedTuple):
    """What the question makes of passages and sentences.

    Attributes
    ----------
    of_passage : float64 array (n_passages)
    of_sentence : float64 array (n_sentences)
    breadth : float
        What words together weigh, as a multiple of what phrases do.
    close : bool array (n_sentences)
        Which sentences have to do with the question.
    """

    of_passage: Floats
    of_sentence: Floats
    breadth: float
    close: NDArray[np.bool_]


class Worth(NamedTuple):
    """Weights of words, empty if they do not count, of phrases and of statements.

    `kept` tells which sentences count:
    those that have to do with the question (`close`) and of which there is no fuller or, if asked
    for, newer version. The others cover nothing.
    """

    words: Floats
    phrases: Floats
    statements: Statements
    kept: NDArray[np.bool_]
    close: NDArray[np.bool_]


def judge(
    said: PassageOccurrences,
    ranks: Int64s,
    asked: Sequence[Int64s],
    *,
    changes: Sequence[bool] = (),
    fits: float = 1.0,
    meaning: Floats | None = None,
) -> Relevance:
    """Judge passages and sentences by the ranking and by the questions.

    Parameters
    ----------
    said : PassageOccurrences
    ranks : int64 array (n_passages)
        From 1, the best.
    asked : sequence of int64 arrays
        The words of each question, as numbered in `said`.
    changes : sequence of bool
        Which questions ask what was changed.
    fits : float
        The part of all passages that the budget has room for.
    meaning : float64 array (n_sentences), optional
        How close each is to the question by vectors, from 0 to 1, the best.
    """
    matches, alike = np.ones(said.n_sentences), 0.0
    changes = changes or [False] * len(asked)
    told = zip(asked, changes, strict=True)
    matched = (match(said, words, changes=change) for words, change in told)
    found = [one for one in matched if one is not None]
    if found:
        # the best sentence for each question has a match of 1, however hard that question is
        matches = np.maximum.reduce([one.sentences for one in found])
        best = np.array([one.best for one in found])
        prose = np.bincount(said.passage[~said.lined], minlength=len(ranks)) > 0
        alike = float(best[:, prose].mean()) if prose.any() else 0.0
        ranks = share_ranks(ranks, best)
    if meaning is not None:
        matches = np.maximum(matches, meaning) if found else meaning
    relevance = ranks.astype(np.float64) ** -STEEPNESS
    alike = min(alike, _MOST_ALIKE)
    # an unmatched block of code says nothing about the question, however good its file is
    floor = np.where(said.lined, said.worth, FLOOR)
    of_sentence = relevance[said.passage] * (floor + (1 - floor) * matches)
    # the less the query tells passages apart, the less can be said to have nothing to do with it
    least = LEAST * (1 - alike) ** 2
    close = (of_sentence >= least * of_sentence.max(initial=0.0)) | (matches >= least)
    close |= said.worth > 0
    close |= said.are_of("outline") & (matches > 0)
    first = (ranks <= FIRST * len(ranks))[said.passage]
    close |= first
    if found:
        together = np.maximum.reduce([one.together for one in found])
        tight = TIGHT * max(1 - fits / AMPLE, 0.0)
        on_subject = ((together >= ON_SUBJECT) | (ranks == 1))[said.passage]
        close &= (matches >= tight) | on_subject | said.lined
        close |= _find_bridges(said, of_sentence, asked, first)
    # a head is shown with what stands under it, not alone, unless it says something by itself
    heads = said.heads[said.heads >= 0]
    close[heads[said.worth[heads] == 0]] = False
    return Relevance(relevance, of_sentence, alike**2 / (1 - alike), close)


def _find_bridges(
    said: PassageOccurrences, of_sentence: Floats, asked: Sequence[Int64s], first: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell which sentences hold rare words that the best sentences bring in.

    A question that needs two passages names something in the first only.
    """
    rows, words = said.word_pairs
    best = of_sentence >= BRIDGE * of_sentence.max(initial=0.0)
    brought, wanted = np.zeros(said.n_words, dtype=bool), np.zeros(said.n_words, dtype=bool)
    brought[words[best[rows]]] = True
    wanted[np.concatenate(asked)] = True
    some = np.flatnonzero((brought & ~wanted)[words])
    n_passages = np.bincount(
        unique_pairs(said.passage[rows[some]], words[some], said.n_words)[1],
        minlength=said.n_words,
    )
    rare = np.flatnonzero(n_passages == 2)
    brought[:] = False
    brought[rare[said.kinds(rare) >= TELLING]] = True
    held = np.bincount(rows[brought[words]], minlength=said.n_sentences)
    matched = np.bincount(rows[wanted[words]], minlength=said.n_sentences) > 0
    held += (held > 0) & matched & first
    return np.asarray(held >= SEVERAL)


def weigh(
    said: PassageOccurrences,
    relevance: Relevance,
    versions: Versions,
    piece: Int64s,
    *,
    dropped: Sequence[Int64s] = (),
    shown: Int64s = _NONE,
) -> Worth:
    """Weigh words, phrases and statements.

    Parameters
    ----------
    said : PassageOccurrences
    relevance : Relevance
    versions : Versions
        Sentences that differ from a near-copy in a value.
    piece : int64 array (n_sentences)
        The piece that each sentence belongs to: itself, or its passage.
    dropped : sequence of int64 arrays
        Sentences that are left out: there is a newer version, or one that means the same.
    shown : int64 array
        Sentences that the reader has: what they say is worth nothing.
    """
    kept = relevance.close.copy()
    kept[np.concatenate((shown, *dropped))] = False
    rows, phrases = said.phrase_pairs
    length = np.bincount(piece[rows], minlength=int(piece.max(initial=-1)) + 1)
    of_phrase = relevance.of_sentence / (np.maximum(length, 1) ** LENGTH)[piece]
    worth = np.zeros(int(phrases.max(initial=-1)) + 1)
    np.maximum.at(worth, phrases, of_phrase[rows])
    worth[phrases[np.isin(rows, shown)]] = 0.0
    every = np.arange(said.n_sentences)
    of_statement = EACH * of_phrase * np.bincount(rows, minlength=said.n_sentences)
    of_statement[versions.sentences] *= VERSION
    of_statement[~kept] = 0.0
    inner, outer = versions.within
    statements = Statements(
        np.concatenate((every, outer)), np.concatenate((every, inner)), of_statement
    )
    pairs = said.prose_pairs
    of_word = np.sqrt(relevance.of_passage)[said.passage]
    single: Floats = np.bincount(pairs[1], of_word[pairs[0]], said.n_words).astype(np.float64)
    scale = relevance.breadth * worth.sum() / max(float(single.sum()), 1e-12)
    return Worth(single * scale, worth, statements, kept, relevance.close)
