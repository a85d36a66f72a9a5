r"""Objective: what each word and phrase of the passages is worth. Nothing to tune.

1. A passage is as relevant as its rank: the first most, the others less and less.
2. A sentence is relevant if its passage is and if it holds the rarer words of the query, stands
   beside one that does, or is the first of a passage that has one.
3. A phrase (two words in a row) is worth as much as the most relevant sentence that holds it, so
   that saying it again adds nothing.
4. Of several questions, each has its own first passage and its own best sentence; a sentence is as
   relevant as it is to the question that it answers best.
5. Single words are worth something too, and more if all passages match the query about equally:
   with a topic instead of a question, the context becomes a summary.
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
from maxcover.texts.packing.occurrences import unique_pairs
from maxcover.texts.packing.passages import TELLING
from maxcover.texts.packing.statements import Statements
from maxcover.texts.weigh.relevance import (
    NEIGHBOUR,
    UNDER_HEAD,
    share_with_neighbours,
    weigh_asked,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from maxcover.ground.array_types import Floats, Int64s, Mask
    from maxcover.texts.packing.occurrences import PassageOccurrences
    from maxcover.texts.packing.statements import Versions


# The passage of rank k, counted from 1, has the relevance k ** -STEEPNESS.
STEEPNESS = 0.7
# A sentence of prose without any word of the query keeps this share of its passage's relevance.
FLOOR = 0.1
# The weight of each phrase is divided by (number of phrases in its piece) ** LENGTH.
LENGTH = 0.5
# A word of the question counts 1 + SIGNATURE times among the first N_FIRST words of a block of
# code, which are its name and signature.
SIGNATURE, N_FIRST = 1.0, 6
# How many levels of heads above a piece (its heading, the heading above that) add to its match.
MOST_HEADS = 3
# Length normalisation for blocks of code, like b in BM25: their match is divided by 1 - LONG_BLOCK
# + LONG_BLOCK * length / mean length.
LONG_BLOCK = 0.3
# The weight of a sentence itself is EACH times the weight of all its phrases, and VERSION times
# that if the sentence differs from a near-copy in a value.
EACH, VERSION = 0.5, 9.0
# A sentence is irrelevant, and left out even if there is room, if its relevance and its match are
# both below LEAST of the best. Sentences of the best-ranked passages (the share FIRST of all) are
# never irrelevant, because a retriever finds by more than words.
LEAST, FIRST = 0.1, 0.2
# Required match of a sentence: TIGHT when nothing of the text fits, falling linearly to 0 when the
# share AMPLE of it fits. Nothing is required in the first passage, or in passages where the words
# of the question weigh at least ON_SUBJECT of their weight in the best passage.
TIGHT, AMPLE, ON_SUBJECT = 0.35, 0.2, 0.6
# Bridge: also keep a sentence that shares at least SEVERAL rare words (words in exactly two
# passages) with a sentence whose relevance is at least BRIDGE of the best. In the best-ranked
# passages (see FIRST), one rare word and one word of the question are enough.
SEVERAL, BRIDGE = 2, 0.5
_NONE = np.empty(0, np.int64)
# Upper limit of `alike`, so that the breadth alike**2 / (1 - alike) stays finite if the query
# matches every passage equally well.
_MOST_ALIKE = 0.98


def rank(scores: Sequence[float | None] | Floats | None, n: int) -> Int64s:
    """Return the rank of each of `n` passages: 1 for the highest score, and so on.

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
    # A missing score becomes the last known score before it, or infinity if no score is known
    # before it.
    last = np.maximum.accumulate(np.where(np.isnan(values), -1, np.arange(n)))
    filled = np.where(last < 0, np.inf, values[np.maximum(last, 0)])
    place = np.empty(n, dtype=np.int64)
    place[np.argsort(-filled, kind="stable")] = np.arange(1, n + 1)
    return place


class Match(NamedTuple):
    """How well sentences and passages match one question, relative to the best match.

    Attributes
    ----------
    sentences : float64 array (n_sentences)
        Weight of the question's words in each sentence, relative to the best sentence, squared;
        at least `NEIGHBOUR` of a neighbour's.
    best : float64 array (n_passages)
        Relative weight, not squared, of the best sentence of each passage.
    together : float64 array (n_passages)
        Weight of the question's words in each whole passage, relative to the best passage.
    """

    sentences: Floats
    best: Floats
    together: Floats


def match(said: PassageOccurrences, asked: Int64s, *, changes: bool = False) -> Match | None:
    """Match sentences and passages with a question; None if none of its words occurs.

    A word of the question weighs its inverse document frequency among the sentences. The match of a
    sentence is the weight of the question's words in it, divided by the best sentence's, squared.
    With `changes`, every piece of a diff that matches also gets the weight of the heaviest word.
    """
    rows, words = said.word_pairs
    worth = weigh_asked(asked, words, n_words=said.n_words, n_sentences=said.n_sentences)
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
    near = share_with_neighbours(matches, beside)
    # The first sentence of a passage often names the subject to which later sentences refer.
    first = np.flatnonzero(np.concatenate(([True], ~same)) & prose)
    near[first] = np.maximum(near[first], best[said.passage[first]] ** 2)
    mine = np.flatnonzero(worth[words])
    passages, own = unique_pairs(said.passage[rows[mine]], words[mine], said.n_words)
    together = np.bincount(passages, worth[own], said.n_passages)
    return Match(np.maximum(matches, NEIGHBOUR * near), best, together / together.max())


def share_ranks(ranks: Int64s, best: Floats) -> Int64s:
    """Rank the passages of each question separately, so that each has a passage of rank 1.

    A passage belongs to the question that it matches best (to several if they match equally well,
    to all if none matches). Its new rank is its place among the passages of that question; with
    several questions, the best of these places.

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
    """Adjust matches of code: signatures count more, long blocks less, heads pass on a share."""
    length = np.bincount(said.rows, minlength=said.n_sentences)
    first = np.cumsum(length) - length
    early = (np.arange(len(said.rows)) - first[said.rows] < N_FIRST) & said.lined[said.rows]
    rows, words = unique_pairs(said.rows[early], said.words[early], said.n_words)
    found = found + SIGNATURE * np.bincount(rows, worth[words], minlength=said.n_sentences)
    relative = length / max(float(length[said.lined].mean()), 1.0)
    found = np.where(said.lined, found / (1 - LONG_BLOCK + LONG_BLOCK * relative), found)
    # The match of a head (a heading, signature or table header) counts for the pieces under it that
    # match by themselves: the names of columns alone do not make a row relevant. In an outline it
    # counts for all pieces.
    under = np.flatnonzero((said.heads >= 0) & ((found > 0) | said.are_of("outline")))
    own = found.copy()
    for _ in range(MOST_HEADS):
        found[under] = own[under] + UNDER_HEAD * found[said.heads[under]]
    return found


class Relevance(NamedTuple):
    """The relevance of passages and sentences to the questions.

    Attributes
    ----------
    of_passage : float64 array (n_passages)
    of_sentence : float64 array (n_sentences)
    breadth : float
        Total weight of single words, as a multiple of the total weight of phrases.
    close : bool array (n_sentences)
        Which sentences are relevant enough to be chosen.
    """

    of_passage: Floats
    of_sentence: Floats
    breadth: float
    close: Mask


class Worth(NamedTuple):
    """The weights of words (all 0 if single words do not count), phrases and statements.

    Sentences that `kept` does not mark cover nothing. It marks the relevant sentences (`close`)
    that are not shown already and of which no fuller or, if asked for, newer version exists.
    """

    words: Floats
    phrases: Floats
    statements: Statements
    kept: Mask
    close: Mask

    def parts(
        self, said: PassageOccurrences, piece: Int64s
    ) -> Iterator[tuple[Int64s, Int64s, Floats]]:
        """Yield what the pieces cover, as `pose` takes it: words, phrases and statements."""
        parts = [(*said.phrase_pairs, self.phrases), self.statements]
        if self.words.any():
            parts.insert(0, (*said.prose_pairs, self.words))
        merged = bool((piece != np.arange(len(piece))).any())
        for rows, ids, values in parts:
            own = slice(None) if self.kept.all() else self.kept[rows]
            pairs = rows[own], ids[own]
            if merged:
                pairs = unique_pairs(piece[pairs[0]], pairs[1], len(values))
            yield *pairs, values


def judge(
    said: PassageOccurrences,
    ranks: Int64s,
    asked: Sequence[Int64s],
    *,
    changes: Sequence[bool] = (),
    fits: float = 1.0,
) -> Relevance:
    """Compute the relevance of passages and sentences from the ranking and the questions.

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
    """
    matches, alike = np.ones(said.n_sentences), 0.0
    changes = changes or [False] * len(asked)
    told = zip(asked, changes, strict=True)
    matched = (match(said, words, changes=change) for words, change in told)
    found = [one for one in matched if one is not None]
    if found:
        # Each question's best sentence has a match of 1, so that a question with weak matches
        # counts as much as one with strong matches.
        matches = np.maximum.reduce([one.sentences for one in found])
        best = np.array([one.best for one in found])
        prose = np.bincount(said.passage[~said.lined], minlength=len(ranks)) > 0
        alike = float(best[:, prose].mean()) if prose.any() else 0.0
        ranks = share_ranks(ranks, best)
    relevance = ranks.astype(np.float64) ** -STEEPNESS
    alike = min(alike, _MOST_ALIKE)
    # A block of code without a match keeps only its own `worth`. A relevant file does not make each
    # of its blocks relevant.
    floor = np.where(said.lined, said.worth, FLOOR)
    of_sentence = relevance[said.passage] * (floor + (1 - floor) * matches)
    # If the query matches all passages equally well (`alike` near 1), a low match is no evidence
    # against a sentence. So the threshold falls with `alike`.
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
    # A head (a heading, signature or table header) is shown with the pieces under it. It is not
    # chosen alone unless its `worth` is above 0.
    heads = said.heads[said.heads >= 0]
    close[heads[said.worth[heads] == 0]] = False
    return Relevance(relevance, of_sentence, alike**2 / (1 - alike), close)


def _find_bridges(
    said: PassageOccurrences, of_sentence: Floats, asked: Sequence[Int64s], first: Mask
) -> Mask:
    """Return a mask of the sentences that share rare words with the most relevant sentences.

    If an answer needs two passages, the question often names only what the first one is about.
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
    """Compute the weights of words, phrases and statements.

    Parameters
    ----------
    said : PassageOccurrences
    relevance : Relevance
    versions : Versions
        Sentences that differ from a near-copy in a value, and sentences that contain others.
    piece : int64 array (n_sentences)
        The piece that each sentence belongs to: itself, or its passage.
    dropped : sequence of int64 arrays
        Sentences that are left out because another one is newer or says the same.
    shown : int64 array
        Sentences that the reader already has: their phrases are worth nothing.
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
