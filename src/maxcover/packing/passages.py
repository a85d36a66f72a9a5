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
from maxcover.text.languages import Language, find_language
from maxcover.text.stems import find_stemmer, stem_words
from maxcover.text.stopwords import find_stop_words
from maxcover.text.tokens import find_runs, normalize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.text.lines import LineMode

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

# Distinct words and passages that are kept. Beyond that everything is forgotten and read anew.
_WORDS, _PASSAGES = 500_000, 8_192
# Stands between two sentences while all of them are one string; no sentence holds it.
_BORDER = "\x01"
_EMPTY, _AT_BORDER = -1, -2
# Typographic signs of texts that are ASCII otherwise.
_SIGNS = (
    ("\u2019", "'"),
    ("\u2018", " "),
    ("\u201c", " "),
    ("\u201d", " "),
    ("\u2013", " "),
    ("\u2014", " "),
)
_WITHIN_NUMBER = re.compile(r"(?<=\d)[.,](?=\d)")


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One passage: where its sentences are, and the words of each.

    Attributes
    ----------
    starts, ends : int64 array (n_sentences)
    lengths : int64 array (n_sentences)
        Number of words.
    words : int32 array
        The words of all sentences in a row, as numbers of the memory's vocabulary.
    """

    starts: Int64s
    ends: Int64s
    lengths: Int64s
    words: Int32s


class Memory:
    """Reads passages of one language, and remembers words and passages."""

    def __init__(self, language: Language, lines: LineMode) -> None:
        self.language, self.lines = language, lines
        self.names: list[str] = []
        self._terms: dict[str, int] = {}
        # the number of each spelling's stem
        self._spellings: dict[str, int] = {}
        self._passages: dict[str, Reading] = {}
        self._lock = Lock()
        self._ascii = _letters(keep_apostrophe=not language.elides)

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
        words, lengths = self._words(sentences)
        ends = np.concatenate(([0], np.cumsum(lengths)))
        sentence = 0
        for text, own in zip(passages, spans, strict=True):
            edges = np.array(own, dtype=np.int64).reshape(-1, 2)
            last = sentence + len(own)
            self._passages[text] = Reading(
                edges[:, 0], edges[:, 1], lengths[sentence:last], words[ends[sentence] : ends[last]]
            )
            sentence = last

    def _words(self, sentences: list[str]) -> tuple[Int32s, Int64s]:
        """Give the words of sentences numbers; those in ASCII, which most are, in one pass."""
        plain = [one if one.isascii() else _plain(one) for one in sentences]
        quick = [one.isascii() and _BORDER not in one for one in plain]
        joined = f" {_BORDER} ".join(
            [one if ok else "" for one, ok in zip(plain, quick, strict=True)]
        )
        numbers = self._number(
            joined.encode("ascii").translate(self._ascii).decode("ascii").split()
        )
        rows = np.cumsum(numbers == _AT_BORDER)
        others = [k for k, ok in enumerate(quick) if not ok]
        if others:
            found = [self._words_of(plain[k]) for k in others]
            extra = self._number(list(chain.from_iterable(found)))
            rows = np.concatenate((rows, np.repeat(others, [len(own) for own in found])))
            numbers = np.concatenate((numbers, extra))
        kept = np.flatnonzero(numbers >= 0)
        kept = kept[np.argsort(rows[kept], kind="stable")] if others else kept
        lengths = np.bincount(rows[kept], minlength=len(sentences)).astype(np.int64)
        return numbers[kept], lengths

    def _words_of(self, text: str) -> list[str]:
        """List the words of any text, one at a time."""
        apart = _WITHIN_NUMBER.sub(" ", text)
        runs = find_runs(apart, elides=self.language.elides)
        return [word for run in runs for word in normalize(run)]

    def _number(self, words: list[str]) -> Int32s:
        """Give each word the number of its stem; below zero, it is none."""
        known = self._spellings
        new = set(words).difference(known)
        if new:
            with self._lock:
                self._stem(sorted(new))
        return np.fromiter(map(known.__getitem__, words), np.int32, len(words))

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
