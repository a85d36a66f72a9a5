"""Occurrences: the words of all passages together, and phrases of two words in a row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.ascending import is_new
from maxcover.texts.packing.passage_kinds import LINED, PROSE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.ground.array_types import AnyArray, Floats, Int64s, Mask
    from maxcover.texts.packing.passages import Memory, Reading


@dataclass(frozen=True, eq=False, kw_only=True)
class PassageOccurrences:
    """The sentences and words of all passages; words are numbered by first appearance.

    Attributes
    ----------
    passage, starts, ends : int64 arrays (n_sentences)
        Where each sentence stands.
    tokens : float64 array (n_sentences)
        Estimated size of each sentence.
    rows, words : int64 arrays
        Sentence number and word number of every occurrence of a word, in reading order.
    known : int64 array (n_words)
        The number of each word in the vocabulary of the memory.
    n_passages : int
    english : list of bool
        Which passages are estimated as English.
    heads : int64 array (n_sentences)
        The piece without which each cannot be read, -1 if there is none.
    lined : bool array (n_sentences)
        Which pieces are made of lines (code, tables, lists, formulas) instead of sentences.
    worth : float64 array (n_sentences)
        Relevance of each piece even without a match; the best match is 1.
    kinds_of : list of str
        What each passage is; see `Reading`.
    memory : Memory
        The reader whose vocabulary `known` refers to.
    """

    passage: Int64s
    starts: Int64s
    ends: Int64s
    tokens: Floats
    rows: Int64s
    words: Int64s
    known: Int64s
    n_passages: int
    english: list[bool]
    heads: Int64s
    lined: Mask
    worth: Floats
    kinds_of: list[str]
    memory: Memory

    @property
    def n_sentences(self) -> int:
        """Number of sentences."""
        return len(self.passage)

    @property
    def n_words(self) -> int:
        """Number of distinct words."""
        return len(self.known)

    def are_of(self, kind: str) -> Mask:
        """Return a mask of the pieces in passages of this kind."""
        return np.array([one == kind for one in self.kinds_of], dtype=bool)[self.passage]

    def kinds(self, words: Int64s) -> Int64s:
        """Return the kind of each word: `PLAIN`, `DENYING` or `TELLING`."""
        return self.memory.kinds(self.known[words])

    @cached_property
    def word_pairs(self) -> tuple[Int64s, Int64s]:
        """Distinct (sentence, word) pairs as two arrays, in ascending order."""
        return unique_pairs(self.rows, self.words, self.n_words)

    @cached_property
    def prose_pairs(self) -> tuple[Int64s, Int64s]:
        """The `word_pairs` of prose only: words of code are not topics."""
        rows, words = self.word_pairs
        if not self.lined.any():
            return rows, words
        prose = ~self.lined[rows]
        return rows[prose], words[prose]

    @cached_property
    def phrase_pairs(self) -> tuple[Int64s, Int64s]:
        """Distinct (sentence, phrase) pairs as two arrays, in ascending order of phrases.

        A phrase is two words in a row. A sentence of one word has one phrase: that word twice.
        """
        rows, words = self.rows, self.words
        inner = rows[1:] == rows[:-1]
        alone = np.flatnonzero(np.bincount(rows, minlength=self.n_sentences)[rows] == 1)
        left = np.concatenate((words[:-1][inner], words[alone]))
        right = np.concatenate((words[1:][inner], words[alone]))
        rows = np.concatenate((rows[:-1][inner], rows[alone]))
        codes, rows = unique_pairs(left * self.n_words + right, rows, self.n_sentences)
        return rows, np.cumsum(is_new(codes)) - 1

    def find(self, asked: Int64s) -> Int64s:
        """Translate vocabulary numbers of words into numbers used here; drop unknown words."""
        order = np.argsort(self.known)
        places = np.searchsorted(self.known, asked, sorter=order)
        places = order[np.minimum(places, max(self.n_words - 1, 0))] if self.n_words else places[:0]
        return np.asarray(places[self.known[places] == asked] if self.n_words else places)


def collect(readings: Sequence[Reading], memory: Memory) -> PassageOccurrences:
    """Join the readings of passages, made by `memory`, into one collection."""

    def joined(name: str) -> AnyArray:
        return np.concatenate([np.empty(0, np.int64), *(getattr(one, name) for one in readings)])

    n_sentences = np.array([len(one.starts) for one in readings], np.int64)
    words, known = _by_first_appearance(joined("words"))
    lengths, heads = joined("lengths"), joined("heads")
    shift = np.repeat(np.cumsum(n_sentences) - n_sentences, n_sentences)
    return PassageOccurrences(
        passage=np.repeat(np.arange(len(readings)), n_sentences),
        starts=joined("starts"),
        ends=joined("ends"),
        tokens=joined("tokens").astype(np.float64),
        rows=np.repeat(np.arange(len(lengths)), lengths),
        words=words,
        known=known,
        n_passages=len(readings),
        english=[one.english for one in readings],
        heads=np.where(heads < 0, LINED, heads + shift),
        lined=heads != PROSE,
        worth=joined("worth").astype(np.float64),
        kinds_of=[one.kind for one in readings],
        memory=memory,
    )


def _by_first_appearance(values: Int64s) -> tuple[Int64s, Int64s]:
    """Renumber values from 0 by first appearance; return also the value of each number.

    So the numbers do not depend on what was read before. Linear in the largest value.
    """
    places = np.arange(len(values))
    first = np.empty(int(values.max(initial=-1)) + 1, dtype=np.int64)
    first[values[::-1]] = places[::-1]
    earliest = first[values]
    new = earliest == places
    return (np.cumsum(new) - 1)[earliest], values[new]


def unique_pairs(rows: Int64s, ids: Int64s, n_ids: int) -> tuple[Int64s, Int64s]:
    """Sort (row, id) pairs and drop duplicates; every id is below `n_ids`."""
    bits = max(n_ids - 1, 1).bit_length()
    pairs = np.sort((rows << bits) | ids)
    pairs = pairs[is_new(pairs)]
    return pairs >> bits, pairs & ((1 << bits) - 1)
