"""Reading: passages as numbered words, all that are new in one batch, each remembered.

Passages of an index come back query after query. What was read is kept, so that a passage that was
seen before costs a look-up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maxcover.core.ascending import distinct
from maxcover.packing.pieces import cut_all
from maxcover.text.words.codepoints import places_of, to_letters
from maxcover.text.words.estimate import are_more_together, estimate_at
from maxcover.text.words.languages import Language, find_language
from maxcover.text.words.stems import stem_words
from maxcover.text.words.terms import expand
from maxcover.text.words.tokens import find_runs, normalize
from maxcover.text.words.vocabulary import Spellings, longer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.text.read.lines import LineMode
    from maxcover.text.words.codepoints import Letters

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

# Distinct words and passages that are kept. Beyond that everything is forgotten and read anew.
_WORDS, _PASSAGES = 500_000, 8_192
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


class Memory:
    """Reads passages of one language, and remembers words and passages."""

    def __init__(self, language: Language, lines: LineMode) -> None:
        self.language, self.lines = language, lines
        self.names: list[str] = []
        self._terms: dict[str, int] = {}
        self._spellings = Spellings()
        # the words of all spellings in a row, and where those of each begin and end
        self._words: Int32s = np.empty(1 << 9, np.int32)
        self._until: Int64s = np.zeros(1 << 9, np.int64)
        self._passages: dict[str, Reading] = {}
        self._lock = Lock()
        self._n_function_words = 0
        if language.name == "english":
            self._number(_FUNCTION_WORDS.split())
            self._n_function_words = len(self.names)

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
            with self._lock:
                self._learn(new)
        return [known[text] for text in passages]

    def ask(self, query: str) -> Int64s:
        """List the words of a query, without stop words unless there are no others.

        Words that no passage has are left out.
        """
        apart = _WITHIN_NUMBER.sub(" ", query)
        found = [
            word for run in find_runs(apart, elides=self.language.elides) for word in normalize(run)
        ]
        stop_words = self.language.stop_words
        wanted = [word for word in found if word not in stop_words] or found
        stems = stem_words(wanted, self.language.find_stemmer())
        known = [self._terms[stem] for stem in stems if stem in self._terms]
        return distinct(np.array(known, np.int64))

    def _learn(self, passages: list[str]) -> None:
        letters = to_letters("\n".join(passages))
        spans = cut_all(passages, self.language, lines=self.lines)
        n_spans = np.fromiter(map(len, spans), np.int64, len(spans))
        bounds = np.concatenate(([0], np.cumsum(n_spans)))
        edges = np.array(list(chain.from_iterable(spans)), dtype=np.int64).reshape(-1, 2)
        starts, ends = np.ascontiguousarray(edges.T)
        shift = np.repeat(places_of(passages)[0], n_spans)
        places = starts + shift, ends + shift
        words, until = self._read_words(letters, *places)
        english = self._are_english(words, until[bounds])
        tokens = estimate_at(letters, *places)
        foreign = np.flatnonzero(np.repeat(~english, n_spans))
        if foreign.size:
            abroad = (edge[foreign] for edge in places)
            tokens[foreign] = estimate_at(letters, *abroad, english=False)
        # sentences that touch the next one, which passages never do
        touch = np.flatnonzero(places[0][1:] == places[1][:-1])
        more = are_more_together(letters[places[1][touch] - 1], letters[places[0][touch + 1]])
        joined = np.zeros(len(starts) + 1, np.int64)
        joined[touch[more] + 1] = 1
        joins = np.diff(np.cumsum(joined)[bounds]).tolist()
        lengths, until, bounds = np.diff(until), until.tolist(), bounds.tolist()
        rows = zip(passages, pairwise(bounds), english.tolist(), joins, strict=True)
        for text, (first, last), as_english, more_together in rows:
            self._passages[text] = Reading(
                starts[first:last],
                ends[first:last],
                lengths[first:last],
                tokens[first:last],
                words[until[first] : until[last]],
                (last > first or not text) and not more_together,
                as_english,
            )

    def _are_english(self, words: Int32s, ends: Int64s) -> NDArray[np.bool_]:
        """Tell of passages, each given by where its words end, whether they are English."""
        lengths = np.diff(ends)
        if not self._n_function_words:
            return np.zeros(len(lengths), dtype=bool)
        # the function words were the first to get numbers
        found = np.diff(np.concatenate(([0], np.cumsum(words < self._n_function_words)))[ends])
        return np.asarray(found + _GRANTED >= _LEAST_FUNCTION_WORDS * (lengths + _GRANTED_OF))

    def _read_words(self, letters: Letters, starts: Int64s, ends: Int64s) -> tuple[Int32s, Int64s]:
        """Give the words of sentences numbers, and say where each sentence's begin and end."""
        known = len(self._spellings)
        elides = self.language.elides
        runs, until = self._spellings.read(letters, starts, ends, elides=elides, loose=True)
        if len(self._spellings) > known:
            self._learn_words(self._spellings.since(known), known)
        return expand(runs, until, self._until, self._words)

    def _learn_words(self, spellings: list[str], first: int) -> None:
        """Keep the words of new spellings, whose numbers begin at `first`."""
        groups = [normalize(spelling) for spelling in spellings]
        owners = np.repeat(np.arange(len(groups)), np.fromiter(map(len, groups), np.int64))
        numbers = self._number([word.strip("'") for group in groups for word in group])
        begin, kept = self._until[first], numbers >= 0
        ends = begin + np.cumsum(np.bincount(owners[kept], minlength=len(groups)))
        self._words = longer(self._words, int(ends[-1]))
        self._words[begin : ends[-1]] = numbers[kept]
        last = first + len(groups)
        self._until = longer(self._until, last + 1)
        self._until[first + 1 : last + 1] = ends

    def _number(self, words: list[str]) -> Int32s:
        """Give each word the number of its stem; -1 if nothing is left of it."""
        stems = stem_words(words, self.language.find_stemmer())
        for stem in stems:
            if stem and stem not in self._terms:
                self._terms[stem] = len(self.names)
                self.names.append(stem)
        return np.array([self._terms.get(stem, -1) for stem in stems], np.int32)


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
