"""Occurrences: what passages say together: words, and phrases of two words in a row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maxcover.core.ascending import is_new
from maxcover.packing.cutting import LINED, PROSE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.packing.passages import Memory, Reading

Int64s = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Occurrences:
    """Passages as one collection. Words are numbered by first appearance.

    Attributes
    ----------
    passage, starts, ends : int64 arrays (n_sentences)
        Where each sentence stands.
    tokens : float64 array (n_sentences)
        Their estimated sizes.
    rows, words : int64 arrays
        Sentence and word of every word, in reading order.
    known : int64 array (n_words)
        The number of each word in the vocabulary of the memory.
    n_passages : int
    adds_up : bool
        The estimated size of any of the sentences together is at most the sum of theirs.
    english : bool
        All passages are estimated as English.
    heads : int64 array (n_sentences)
        The piece without which each cannot be read, -1 if there is none.
    lined : bool array (n_sentences)
        Which pieces are lines of code, tables, lists and formulas instead of sentences.
    worth : float64 array (n_sentences)
        What each is worth whatever is asked, relative to the best match.
    kinds_of : list of str
        What each passage is; see `Reading`.
    lines : (int64 array, int64 array, int64 array)
        Piece, number and number of words of every line of those.
    line_names : int64 array
        The number of each line in the vocabulary of the memory.
    memory : Memory
        Where they were read.
    """

    passage: Int64s
    starts: Int64s
    ends: Int64s
    tokens: NDArray[np.float64]
    rows: Int64s
    words: Int64s
    known: Int64s
    n_passages: int
    adds_up: bool
    english: bool
    heads: Int64s
    lined: NDArray[np.bool_]
    worth: NDArray[np.float64]
    kinds_of: list[str]
    lines: tuple[Int64s, Int64s, Int64s]
    line_names: Int64s
    memory: Memory

    @property
    def n_sentences(self) -> int:
        """Number of sentences."""
        return len(self.passage)

    @property
    def n_words(self) -> int:
        """Number of distinct words."""
        return len(self.known)

    def kinds(self, words: Int64s) -> Int64s:
        """Tell what words are in a statement; see `maxcover.packing.passages`."""
        return self.memory.kinds(self.known[words])

    @cached_property
    def word_pairs(self) -> tuple[Int64s, Int64s]:
        """Sentence and word, each pair once, in ascending order."""
        return unique_pairs(self.rows, self.words, self.n_words)

    @cached_property
    def prose_pairs(self) -> tuple[Int64s, Int64s]:
        """The same for sentences only: words of code are no topic."""
        rows, words = self.word_pairs
        if not self.lined.any():
            return rows, words
        prose = ~self.lined[rows]
        return rows[prose], words[prose]

    @property
    def phrase_pairs(self) -> tuple[Int64s, Int64s]:
        """Sentence and phrase, each pair once, in ascending order of phrases."""
        return self._phrases[:2]

    @property
    def phrase_codes(self) -> Int64s:
        """The two words of each phrase: first times `n_words` plus second; lines stand behind."""
        return self._phrases[2]

    @property
    def phrase_sizes(self) -> Int64s:
        """How many phrases each counts for: one, or as many as a line has words."""
        return self._phrases[3]

    @cached_property
    def _phrases(self) -> tuple[Int64s, Int64s, Int64s, Int64s]:
        """Sentence and number of phrases; a sentence of one word has that word twice.

        Of a piece that is made of lines, these are its phrases: code repeats words, not lines.
        """
        rows, words = self.rows, self.words
        lined = self.lined.any()
        if lined:
            prose = ~self.lined[rows]
            rows, words = rows[prose], words[prose]
        inner = rows[1:] == rows[:-1]
        alone = np.flatnonzero(np.bincount(rows, minlength=self.n_sentences)[rows] == 1)
        left = np.concatenate((words[:-1][inner], words[alone]))
        right = np.concatenate((words[1:][inner], words[alone]))
        rows = np.concatenate((rows[:-1][inner], rows[alone]))
        codes = left * self.n_words + right
        if lined:
            holders, lines, sizes = self.lines
            codes = np.concatenate((codes, self.n_words**2 + lines))
            rows = np.concatenate((rows, holders))
        codes, rows = unique_pairs(codes, rows, self.n_sentences)
        new = is_new(codes)
        known = codes[new]
        counts = np.ones(len(known), np.int64)
        if lined:
            own = known >= self.n_words**2
            of_line = np.zeros(len(self.line_names), np.int64)
            of_line[lines] = sizes
            counts[own] = of_line[known[own] - self.n_words**2]
        return rows, np.cumsum(new) - 1, known, counts

    def find(self, asked: Int64s) -> Int64s:
        """Translate words of the vocabulary into the numbers used here; leave out unknown ones."""
        order = np.argsort(self.known)
        places = np.searchsorted(self.known, asked, sorter=order)
        places = order[np.minimum(places, max(self.n_words - 1, 0))] if self.n_words else places[:0]
        return np.asarray(places[self.known[places] == asked] if self.n_words else places)


def collect(readings: Sequence[Reading], memory: Memory) -> Occurrences:
    """Put passages together, as the memory has read them."""
    nothing = np.empty(0, dtype=np.int64)
    n_sentences = [len(one.starts) for one in readings]
    lengths = np.concatenate([nothing, *(one.lengths for one in readings)])
    vocabulary = np.concatenate([nothing, *(one.words for one in readings)])
    words, known = _by_first_appearance(vocabulary)
    heads, worth, lines, line_names = _structure(readings, n_sentences)
    return Occurrences(
        passage=np.repeat(np.arange(len(readings)), n_sentences),
        starts=np.concatenate([nothing, *(one.starts for one in readings)]),
        ends=np.concatenate([nothing, *(one.ends for one in readings)]),
        tokens=np.concatenate([nothing.astype(np.float64), *(one.tokens for one in readings)]),
        rows=np.repeat(np.arange(len(lengths)), lengths),
        words=words,
        known=known,
        n_passages=len(readings),
        adds_up=all(one.adds_up for one in readings),
        english=all(one.english for one in readings),
        heads=np.maximum(heads, LINED),
        lined=heads != PROSE,
        worth=worth,
        kinds_of=[one.kind for one in readings],
        lines=lines,
        line_names=line_names,
        memory=memory,
    )


def _structure(
    readings: Sequence[Reading], n_sentences: list[int]
) -> tuple[Int64s, NDArray[np.float64], tuple[Int64s, Int64s, Int64s], Int64s]:
    """Say of every piece whether it is prose, its head and its worth, and number all lines."""
    heads = np.full(sum(n_sentences), PROSE)
    worth = np.zeros(len(heads))
    nothing = heads[:0]
    lines = []
    first = 0
    for reading, n_own in zip(readings, n_sentences, strict=True):
        if reading.lines is not None:
            heads[first : first + n_own] = reading.heads + np.where(reading.heads < 0, 0, first)
            worth[first : first + n_own] = reading.worth
            lines.append((reading.lines[0] + first, *reading.lines[1:]))
        first += n_own
    if not lines:
        return heads, worth, (nothing, nothing, nothing), nothing
    holders, ids, sizes = map(np.concatenate, zip(*lines, strict=True))
    numbers, names = _by_first_appearance(ids)
    return heads, worth, (holders, numbers, sizes), names


def _by_first_appearance(values: Int64s) -> tuple[Int64s, Int64s]:
    """Give values numbers from 0 by first appearance; return them, and the value of each.

    So the answer does not depend on what was read before. Linear in the largest value.
    """
    places = np.arange(len(values))
    first = np.empty(int(values.max(initial=-1)) + 1, dtype=np.int64)
    first[values[::-1]] = places[::-1]
    earliest = first[values]
    new = earliest == places
    return (np.cumsum(new) - 1)[earliest], values[new]


def unique_pairs(rows: Int64s, ids: Int64s, n_ids: int) -> tuple[Int64s, Int64s]:
    """Sort pairs and keep each once."""
    bits = max(n_ids - 1, 1).bit_length()
    pairs = np.sort((rows << bits) | ids)
    pairs = pairs[is_new(pairs)]
    return pairs >> bits, pairs & ((1 << bits) - 1)
