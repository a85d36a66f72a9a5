"""Passages: passages as numbered words; new ones are read in one batch, and all are cached.

The same passages of an index come back for many queries. A passage that was read before costs only
a look-up.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from itertools import pairwise, repeat
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.engine.core.ascending import distinct
from maxcover.texts.packing.cutting import LONGEST_BLOCK, cut_all
from maxcover.texts.split.sentences import split_each
from maxcover.texts.words.codepoints import Page, places_of, to_letters
from maxcover.texts.words.denials import NEGATIONS
from maxcover.texts.words.detect import FUNCTION_WORDS, are_english
from maxcover.texts.words.estimate import estimate_at
from maxcover.texts.words.languages import Language, find_language
from maxcover.texts.words.stems import stem_words
from maxcover.texts.words.terms import expand
from maxcover.texts.words.tokens import find_runs, normalize
from maxcover.texts.words.vocabulary import Lexicon, longer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.ground.array_types import Floats, Int32s, Int64s, Mask
    from maxcover.texts.read.lines import LineMode
    from maxcover.texts.words.codepoints import Letters


# The most distinct words and passages that a `Memory` may hold. A larger one is replaced by an
# empty one.
_WORDS, _PASSAGES = 500_000, 8_192
#: Kinds of words: stop word, negation, any other word.
PLAIN, DENYING, TELLING = range(3)
_WITHIN_NUMBER = re.compile(r"(?<=\d)[.,](?=\d)")
# Boundaries between the parts of identifiers such as maxPoolSize and HTTPServer.
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
# Finds, among runs of letters written one per line, those that need `split_identifier`: mixed case,
# apostrophes, other scripts.
ODD_SPELLING = re.compile(r"^(?!(?:[A-Za-z]?[a-z0-9_]*|[A-Z0-9_]+)$).+$", re.MULTILINE)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class Reading(NamedTuple):
    """A passage as it was read: the places of its sentences and the words of each.

    Attributes
    ----------
    starts, ends : int64 array (n_sentences)
    lengths : int64 array (n_sentences)
        Number of words.
    tokens : float64 array (n_sentences)
        Estimated sizes.
    words : int32 array
        The words of all sentences in a row, as numbers of the memory's vocabulary.
    english : bool
        Whether tokens are estimated as for English: words of other languages have more tokens.
    kind : str
        What the whole passage is: one of `maxcover.texts.packing.passage_kinds`, "code", or "".
    heads, worth : arrays (n_sentences)
        What `maxcover.texts.packing.cutting` says of each piece.
    """

    starts: Int64s
    ends: Int64s
    lengths: Int64s
    tokens: Floats
    words: Int32s
    english: bool
    kind: str
    heads: Int64s
    worth: Floats


class Memory:
    """A reader for passages of one language that caches words and passages."""

    def __init__(self, language: Language, lines: LineMode) -> None:
        self.language, self.lines = language, lines
        self._split = partial(split_each, language=language, lines=lines)
        self._passages: dict[tuple[str, str, int], Reading] = {}
        # The kind of each word plus 1, or 0 if its kind was not looked up yet.
        self._kinds = np.zeros(1 << 10, np.int8)
        stemmer = language.find_stemmer()
        self._lexicon = Lexicon(stemmer, split_identifier, ODD_SPELLING)
        self._stop_stems = frozenset(stem_words([*language.stop_words], stemmer))
        self._negations = frozenset(stem_words(sorted(NEGATIONS), stemmer))
        self._lock = Lock()
        self._n_function_words = 0
        if language.name == "english":
            self._lexicon.read([FUNCTION_WORDS], elides=False)
            self._n_function_words = len(self.names)

    @property
    def names(self) -> list[str]:
        """All stems that were read so far; the number of a stem is its index here."""
        return self._lexicon.stems.words

    @property
    def full(self) -> bool:
        """Whether there are more words or passages than the limits allow."""
        return len(self._lexicon.words.words) > _WORDS or len(self._passages) > _PASSAGES

    def forget(self) -> None:
        """Empty the cache of passages but keep the words."""
        self._passages.clear()

    def read(
        self, passages: Sequence[str], *, endings: Sequence[str] = (), most: int = LONGEST_BLOCK
    ) -> list[Reading]:
        """Read passages; those that are not in the cache are read together in one batch.

        `endings` are the file endings of the passages, "" where unknown; `most` is the number of
        characters of the longest block of code that stays one piece.
        """
        told = endings or repeat("", len(passages))
        keys = [(text, ending, most) for text, ending in zip(passages, told, strict=True)]
        new = [key for key in dict.fromkeys(keys) if key not in self._passages]
        if new:
            with self._lock:
                self._learn(new)
        return [self._passages[key] for key in keys]

    def kinds(self, words: Int64s) -> Int64s:
        """Return the kind of each word: `PLAIN`, `DENYING` or `TELLING`."""
        kinds = self._kinds = longer(self._kinds, len(self.names))
        found = kinds[words]
        new = np.flatnonzero(found == 0)
        if new.size:
            names = self.names
            found[new] = [1 + self._kind(names[word]) for word in words[new].tolist()]
            kinds[words[new]] = found[new]
        return found.astype(np.int64) - 1

    def _kind(self, stem: str) -> int:
        if stem in self._negations:
            return DENYING
        return PLAIN if stem in self._stop_stems else TELLING

    def ask(self, query: str) -> Int64s:
        """Return the words of `query`; stop words are included only if it has no other words.

        Words that no passage has are left out.
        """
        apart = _WITHIN_NUMBER.sub(" ", query)
        found = [
            word
            for run in find_runs(apart, elides=self.language.elides)
            for word in split_identifier(run)
        ]
        stop_words = self.language.stop_words
        wanted = [word for word in found if word not in stop_words] or found
        return distinct(np.array(self._lexicon.find_stems(wanted), np.int64))

    def _learn(self, keys: list[tuple[str, str, int]]) -> None:
        passages = [text for text, _, _ in keys]
        letters = to_letters("\n".join(passages))
        endings = [ending for _, ending, _ in keys]
        cut = cut_all(passages, self._split, endings=endings, most=keys[0][2])
        n_spans = np.array([len(one.parts) for one in cut], np.int64)
        bounds = np.concatenate(([0], np.cumsum(n_spans)))
        parts = np.array([part for one in cut for part in one.parts], np.float64).reshape(-1, 4)
        starts, ends, heads = np.ascontiguousarray(parts[:, :3].T.astype(np.int64))
        worth = parts[:, 3]
        shift = np.repeat(places_of(passages)[0], n_spans)
        places = starts + shift, ends + shift
        words, until = self._read_words(letters, *places)
        english = self._are_english(words, until[bounds])
        tokens = estimate_at(letters, *places)
        foreign = np.flatnonzero(np.repeat(~english, n_spans))
        if foreign.size:
            abroad = (edge[foreign] for edge in places)
            tokens[foreign] = estimate_at(letters, *abroad, english=False)
        lengths, until, bounds = np.diff(until), until.tolist(), bounds.tolist()
        rows = zip(keys, pairwise(bounds), english.tolist(), cut, strict=True)
        for key, (first, last), as_english, one in rows:
            reading = Reading(
                starts[first:last],
                ends[first:last],
                lengths[first:last],
                tokens[first:last],
                words[until[first] : until[last]],
                as_english,
                one.kind,
                heads[first:last],
                worth[first:last],
            )
            self._passages[key] = reading

    def _are_english(self, words: Int32s, ends: Int64s) -> Mask:
        """Return a mask of the English passages; passage k has ``words[ends[k]:ends[k + 1]]``."""
        lengths = np.diff(ends)
        if not self._n_function_words:
            return np.zeros(len(lengths), dtype=bool)
        # Function words were read first, so that they have the lowest numbers.
        found = np.diff(np.concatenate(([0], np.cumsum(words < self._n_function_words)))[ends])
        return are_english(found, lengths)

    def _read_words(self, letters: Letters, starts: Int64s, ends: Int64s) -> tuple[Int32s, Int64s]:
        """Return the words of all sentences as one array of numbers, and offsets of sentences."""
        lexicon, page = self._lexicon, Page(letters, starts, ends)
        runs, until = lexicon.read_page(page, elides=self.language.elides, loose=True)
        words, until = expand(runs, until, lexicon.until, lexicon.flat)
        return lexicon.stem_of[words], until


def split_identifier(run: str) -> tuple[str, ...]:
    """Return the words of a run of letters; an identifier gives itself and its parts.

    Examples
    --------
    >>> split_identifier("maxPoolSize"), split_identifier("'Size'")
    (('maxpoolsize', 'max', 'pool', 'size'), ('size',))
    """
    words = normalize(run)
    if "'" in run or "\N{RIGHT SINGLE QUOTATION MARK}" in run:
        words = tuple(filter(None, (word.strip("'") for word in words)))
    if run[1:].islower() or _HUMP.search(run) is None:
        return words
    return (*words, *(part.casefold() for part in _PART.findall(run) if len(part) > 1))


@lru_cache(maxsize=16)
def _memories(language: Language, lines: LineMode) -> list[Memory]:
    return [Memory(language, lines)]


def memory_for(language: str | Language, lines: LineMode) -> Memory:
    """Return the cached memory of a language; a full one is replaced by an empty one."""
    held = _memories(find_language(language), lines)
    memory = held[0]
    if memory.full:
        memory = held[0] = Memory(memory.language, lines)
    return memory
