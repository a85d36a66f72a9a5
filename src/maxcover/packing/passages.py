"""Reading: passages as numbered words, all that are new in one batch, each remembered.

Passages of an index come back query after query. What was read is kept, so that a passage that was
seen before costs a look-up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maxcover.packing.pieces import cut
from maxcover.text.estimate import are_more_together, estimate_all
from maxcover.text.languages import Language, find_language
from maxcover.text.stems import find_stemmer, stem_words
from maxcover.text.stopwords import find_stop_words
from maxcover.text.tokens import normalize, run_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.text.lines import LineMode

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

# Distinct words and passages that are kept. Beyond that everything is forgotten and read anew.
_WORDS, _PASSAGES = 500_000, 8_192
# Stands between two sentences while all of them are one string; no sentence holds it.
_BORDER = "\x01"
_EMPTY, _AT_BORDER, _UNKNOWN = -1, -2, -3
# Typographic signs of texts that are ASCII otherwise.
_SIGNS = (
    ("\u2019", "'"),
    ("\u2018", " "),
    ("\u201c", " "),
    ("\u201d", " "),
    ("\u2013", " "),
    ("\u2014", " "),
)
# A quarter and more of English prose, a tenth at most of other languages. A passage is taken for
# English if they are this part of its words, counting a few more where it is short.
_FUNCTION_WORDS = (
    "a an and are as at be but by for from had has have he his in is it its not of on or that the "
    "their they this to was were which who with you"
)
_LEAST_FUNCTION_WORDS, _GRANTED, _GRANTED_OF = 0.12, 3, 15
_WITHIN_NUMBER = re.compile(r"(?<=\d)[.,](?=\d)")


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One passage: where its sentences are, and the words of each.

    Attributes
    ----------
    starts, ends : int64 array (n_sentences)
    lengths : int64 array (n_sentences)
        Number of words.
    tokens : float64 array (n_sentences)
        Estimated sizes.
    words : int32 array
        The words of all sentences in a row, as numbers of the memory's vocabulary.
    adds_up : bool
        Sentences together have at most as many estimated tokens as they have one by one.
    english : bool
        It is estimated as English: words of other languages have more tokens.
    """

    starts: Int64s
    ends: Int64s
    lengths: Int64s
    tokens: NDArray[np.float64]
    words: Int32s
    adds_up: bool
    english: bool


class _Numbers(dict[str, int]):
    """Numbers of words; looking up one that is not there leaves it out."""

    def __missing__(self, word: str) -> int:
        return _UNKNOWN


class Memory:
    """Reads passages of one language, and remembers words and passages."""

    def __init__(self, language: Language, lines: LineMode) -> None:
        self.language, self.lines = language, lines
        self.names: list[str] = []
        self._terms: dict[str, int] = {}
        # the number of each spelling's stem
        self._spellings = _Numbers()
        self._passages: dict[str, Reading] = {}
        self._lock = Lock()
        self._ascii = _letters(keep_apostrophe=not language.elides)
        self._runs = re.compile(f"{run_pattern(elides=language.elides)}|{_BORDER}")

    @property
    def full(self) -> bool:
        """Whether it holds as much as it may."""
        return len(self._spellings) > _WORDS or len(self._passages) > _PASSAGES

    def forget(self) -> None:
        """Forget the passages, not the words."""
        self._passages.clear()

    def read(self, passages: Sequence[str]) -> list[Reading]:
        """Read passages; those that are new in one batch."""
        known = self._passages
        new = [text for text in dict.fromkeys(passages) if text not in known]
        if new:
            self._learn(new)
        return [known[text] for text in passages]

    def ask(self, query: str) -> Int64s:
        """List the words of a query, without stop words unless there are no others."""
        words = self._words_of(query)
        stop_words = find_stop_words(True, self.language)
        wanted = [word for word in words if word not in stop_words] or words
        return np.unique(self._number(wanted))

    def _learn(self, passages: list[str]) -> None:
        spans = [cut(text, self.language, lines=self.lines) for text in passages]
        sentences = [
            text[start:end] for text, own in zip(passages, spans, strict=True) for start, end in own
        ]
        edges = np.array(list(chain.from_iterable(spans)), dtype=np.int64).reshape(-1, 2)
        starts, ends = np.ascontiguousarray(edges.T)
        words, lengths = self._words(sentences)
        until = np.concatenate(([0], np.cumsum(lengths))).tolist()
        bounds = np.cumsum([0, *map(len, spans)])
        english = self._are_english(words, np.array(until)[bounds])
        tokens = estimate_all(sentences)
        foreign = np.flatnonzero(np.repeat(~english, np.diff(bounds))).tolist()
        if foreign:
            tokens[foreign] = estimate_all([sentences[k] for k in foreign], english=False)
        touching = np.flatnonzero(starts[1:] == ends[:-1]).tolist()
        joined = {k for k in touching if are_more_together(sentences[k][-1], sentences[k + 1][0])}
        first = 0
        for text, own, as_english in zip(passages, spans, english.tolist(), strict=True):
            last = first + len(own)
            self._passages[text] = Reading(
                starts[first:last],
                ends[first:last],
                lengths[first:last],
                tokens[first:last],
                words[until[first] : until[last]],
                bool(own or not text) and joined.isdisjoint(range(first, last - 1)),
                as_english,
            )
            first = last

    def _are_english(self, words: Int32s, ends: Int64s) -> NDArray[np.bool_]:
        """Tell of passages, each given by where its words end, whether they are English."""
        lengths = np.diff(ends)
        if self.language.name != "english":
            return np.zeros(len(lengths), dtype=bool)
        numbers = self._number(_FUNCTION_WORDS.split())
        common = np.zeros(len(self.names), dtype=bool)
        common[numbers] = True
        found = np.diff(np.concatenate(([0], np.cumsum(common[words])))[ends])
        return np.asarray(found + _GRANTED >= _LEAST_FUNCTION_WORDS * (lengths + _GRANTED_OF))

    def _words(self, sentences: list[str]) -> tuple[Int32s, Int64s]:
        """Give the words of sentences numbers, in one pass over those in ASCII, which most are."""
        joined = f" {_BORDER} ".join(sentences)
        if joined.count(_BORDER) >= len(sentences) > 0:
            joined = f" {_BORDER} ".join([one.replace(_BORDER, " ") for one in sentences])
        parts = _plain(joined).split(_BORDER)
        others = [k for k, part in enumerate(parts) if not part.isascii()]
        strange = _BORDER.join([parts[k] for k in others])
        for k in others:
            parts[k] = " "
        plain = _BORDER.join(parts).encode("ascii").translate(self._ascii).decode("ascii")
        numbers = self._number(plain.split())
        rows = np.cumsum(numbers == _AT_BORDER)
        if others:
            extra = self._number(self._words_of(strange))
            at_border = np.cumsum(extra == _AT_BORDER)
            rows = np.concatenate((rows, np.array(others)[at_border]))
            numbers = np.concatenate((numbers, extra))
        kept = np.flatnonzero(numbers >= 0)
        kept = kept[np.argsort(rows[kept], kind="stable")] if others else kept
        lengths = np.bincount(rows[kept], minlength=len(sentences)).astype(np.int64)
        return numbers[kept], lengths

    def _words_of(self, text: str) -> list[str]:
        """List the words of any text; the border between two sentences is one."""
        apart = _WITHIN_NUMBER.sub(" ", text).replace("_", " ")
        words: list[str] = []
        for run in self._runs.findall(apart):
            if run.isascii():
                words.append(run.lower())
            else:
                words += normalize(run)
        return words

    def _number(self, words: list[str]) -> Int32s:
        """Give each word the number of its stem; below zero, it is none."""
        known = self._spellings
        numbers = np.fromiter(map(known.__getitem__, words), np.int32, len(words))
        new = np.flatnonzero(numbers == _UNKNOWN).tolist()
        if new:
            with self._lock:
                self._stem(sorted({words[k] for k in new}))
            numbers[new] = [known[words[k]] for k in new]
        return numbers

    def _stem(self, spellings: list[str]) -> None:
        bare = [spelling.strip("'") for spelling in spellings]
        stems = stem_words(bare, find_stemmer(True, self.language))
        for spelling, stem in zip(spellings, stems, strict=True):
            if spelling == _BORDER or not stem:
                self._spellings[spelling] = _AT_BORDER if stem else _EMPTY
                continue
            number = self._terms.get(stem)
            if number is None:
                number = len(self.names)
                self.names.append(stem)
                self._terms[stem] = number
            self._spellings[spelling] = number


def _plain(text: str) -> str:
    """Replace typographic signs, one for one."""
    for sign, plain in _SIGNS:
        text = text.replace(sign, plain)
    return text


@lru_cache(maxsize=16)
def _memories(language: Language, lines: LineMode) -> list[Memory]:
    return [Memory(language, lines)]


def memory_for(language: str | Language, lines: LineMode) -> Memory:
    """Give the memory of a language; a new one where it has become too large."""
    held = _memories(find_language(language), lines)
    memory = held[0]
    if memory.full:
        memory = held[0] = Memory(memory.language, lines)
    return memory


def _letters(*, keep_apostrophe: bool) -> bytes:
    """Table for `bytes.translate`: letters in lower case, digits, all else a space."""
    table = bytearray(b" " * 256)
    for code in range(128):
        if chr(code).isalnum():
            table[code] = ord(chr(code).lower())
    table[ord(_BORDER)] = ord(_BORDER)
    if keep_apostrophe:
        table[ord("'")] = ord("'")
    return bytes(table)
