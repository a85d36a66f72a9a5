"""Repeats: sentences that say nearly the same as another sentence."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from maxcover.engine.core.validation import positions_of
from maxcover.texts.weigh.corpus import Corpus


def repetitions(
    corpus: Corpus,
    chosen: Sequence[int],
    *,
    most: float,
    keep: Collection[int] = (),
) -> list[int]:
    """List the chosen sentences that repeat an earlier one in `chosen`.

    The similarity of two sentences is the number of concepts that both have, divided by the number
    that at least one of them has. A sentence repeats another if their similarity exceeds `most` and
    they are the same statement (`maxcover.texts.weigh.same_statement`).

    Parameters
    ----------
    corpus : Corpus
    chosen : sequence of int
        Numbers of sentences. Of two similar ones, the later one is listed.
    most : float
        From 0 to 1; with 1 nothing is listed.
    keep : collection of int
        Sentences that are never listed.

    Notes
    -----
    Two sentences of which one has n concepts can share more than `most` only if they share one of
    the rarest ``n - ceil(most * n) + 1`` of them (prefix filtering). So each sentence is compared
    only with the few that share a rare concept, and time is close to linear on text.

    Examples
    --------
    >>> from maxcover.texts import prepare
    >>> corpus = prepare(["One two three four five. One two three four six. Six five."])
    >>> repetitions(corpus, [0, 1, 2], most=0.6), repetitions(corpus, [0, 1, 2], most=0.8)
    ([1], [])
    """
    if most >= 1:
        return []
    concepts = _rarest_first(corpus, chosen)
    holding: defaultdict[int, list[int]] = defaultdict(list)
    repeated: list[int] = []
    for sentence in chosen:
        mine = concepts[sentence]
        prefix = mine[: len(mine) - ceil(most * len(mine)) + 1]
        near = {other for concept in prefix for other in holding[concept]}
        if sentence not in keep and any(
            _alike(mine, concepts[other]) > most
            and corpus.statement(sentence) == corpus.statement(other)
            for other in near
        ):
            repeated.append(sentence)
            continue
        for concept in prefix:
            holding[concept].append(sentence)
    return repeated


def find_alike(
    corpus: Corpus, chosen: Sequence[int], among: NDArray[np.int64], *, most: float
) -> NDArray[np.int64]:
    """List the sentences of `among` whose similarity to one of `chosen` exceeds `most`.

    Similar sentences that are different statements are not listed; see `repetitions`. Time is the
    number of chosen sentences times the number of concepts of `among`.

    Examples
    --------
    >>> from maxcover.texts import prepare
    >>> corpus = prepare(["One two three four five. One two three four six. Six five."])
    >>> find_alike(corpus, [1], np.array([0, 2]), most=0.6).tolist()
    [0]
    """
    if not len(chosen):
        return among[:0]
    sizes = np.diff(corpus.indptr)[among]
    ends = np.concatenate(([0], np.cumsum(sizes)))
    concepts = corpus.indices[positions_of(corpus.indptr, among)]
    inside = np.zeros(len(corpus.labels), np.bool_)
    running = np.zeros(len(concepts) + 1, np.int64)
    alike = np.zeros(len(among), np.bool_)
    for sentence in chosen:
        mine = corpus.indices[corpus.indptr[sentence] : corpus.indptr[sentence + 1]]
        inside[mine] = True
        np.cumsum(inside[concepts], out=running[1:])
        shared = np.diff(running[ends])
        near = np.flatnonzero(shared / np.maximum(sizes + len(mine) - shared, 1) > most)
        own = corpus.statement(sentence) if near.size else ()
        alike[[k for k in near.tolist() if corpus.statement(among[k]) == own]] = True
        inside[mine] = False
    return among[alike]


def _rarest_first(corpus: Corpus, chosen: Sequence[int]) -> dict[int, list[int]]:
    """Return the concepts of each chosen sentence, those in the fewest chosen sentences first."""
    rows = {i: corpus.indices[corpus.indptr[i] : corpus.indptr[i + 1]] for i in chosen}
    counts = np.zeros(len(corpus.labels), np.int64)
    for row in rows.values():
        counts[row] += 1  # correct because a row has each concept only once
    return {i: row[np.argsort(counts[row], kind="stable")].tolist() for i, row in rows.items()}


def _alike(one: list[int], other: list[int]) -> float:
    shared = len(set(one) & set(other))
    return shared / (len(one) + len(other) - shared) if shared else 0.0
