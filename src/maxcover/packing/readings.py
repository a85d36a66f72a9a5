"""Readings: what passages say, each passage read once, and together as one collection.

Passages of an index come back query after query, so what was read is remembered: a passage that was
seen before costs a look-up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxcover.errors import OptionError
from maxcover.text.prepare import prepare
from maxcover.text.presets import Preset, find_preset
from maxcover.text.weights import Counts

if TYPE_CHECKING:
    from maxcover.text.background import Background
    from maxcover.text.languages import Language
    from maxcover.text.lines import LineMode

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Reader:
    """How passages are read; the same options as `maxcover.summarize`.

    Attributes
    ----------
    how : Preset
    language : str or Language
    lines : str
    """

    how: Preset
    language: str | Language
    lines: LineMode

    @classmethod
    def of(
        cls,
        *,
        preset: str | Preset = "default",
        language: str | Language = "english",
        lines: LineMode = "auto",
        **given: Any,
    ) -> Reader:
        """Build one from a preset and what the caller gave in place of parts of it."""
        stop_words = given.get("stop_words")
        if isinstance(stop_words, Collection):
            given["stop_words"] = frozenset(stop_words)
        options = {name: value for name, value in given.items() if value is not None}
        return cls(replace(find_preset(preset), **options), language, lines)

    def read(self, texts: Iterable[str]) -> list[Reading]:
        """Read passages, or remember them."""
        plain = replace(self.how, weights="tf", boost=1.0)
        return [_read(text, plain, self.language, self.lines) for text in texts]

    def ask(self, query: str) -> Collection[Hashable]:
        """List the concepts of a query; stop words in it are passed over."""
        if not isinstance(query, str):
            raise OptionError(f"expected query to be a text, got {type(query).__name__}")
        plain = replace(self.how, weights="tf", boost=1.0, stop_words=self.how.stop_words or True)
        return _read(query, plain, self.language, "wrap").labels


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One passage: its sentences, and which concepts they hold.

    Attributes
    ----------
    starts, ends : int64 array (n_sentences)
    rows, ids : int32 arrays
        Sentence and concept, each pair once.
    labels : tuple
        The distinct concepts.
    occurrences : int64 array
        How often each occurs.
    """

    starts: Int64s
    ends: Int64s
    rows: Int32s
    ids: Int32s
    labels: tuple[Hashable, ...]
    occurrences: NDArray[np.float64]


@lru_cache(maxsize=2048)
def _read(text: str, plain: Preset, language: str | Language, lines: LineMode) -> Reading:
    """Read a passage; with the weights "tf" every concept has weight, so that none is left out."""
    corpus = prepare([text], preset=plain, language=language, lines=lines)
    rows = np.repeat(np.arange(len(corpus), dtype=np.int32), np.diff(corpus.indptr))
    return Reading(
        corpus.starts, corpus.ends, rows, corpus.indices, tuple(corpus.labels), corpus.weights
    )


@dataclass(frozen=True, slots=True, eq=False)
class Collected:
    """Passages as one collection.

    Attributes
    ----------
    index : dict
        The distinct concepts of all passages with their numbers, which are 0, 1, 2 and so on.
    rows, ids : int32 arrays
        Sentence (numbered through all passages) and concept, each pair once.
    passage : int64 array (n_sentences)
        The passage of each sentence.
    starts, ends : int64 array (n_sentences)
        Its place in the passage.
    holders, held : int32 arrays
        Passage and concept, each pair once.
    occurrences : float64 array (n_concepts)
    n_passages : int
    """

    index: dict[Hashable, int]
    rows: Int32s
    ids: Int32s
    passage: Int64s
    starts: Int64s
    ends: Int64s
    holders: Int32s
    held: Int32s
    occurrences: NDArray[np.float64]
    n_passages: int

    def count(self, background: Background | None) -> Counts:
        """Count what weightings look at."""
        size = len(self.index)
        return Counts(
            labels=list(self.index),
            occurrences=self.occurrences.astype(np.int64),
            sentences=np.bincount(self.ids, minlength=size),
            documents=np.bincount(self.held, minlength=size),
            n_sentences=len(self.passage),
            n_documents=self.n_passages,
            background=background,
        )

    def earliest(self) -> Int64s:
        """Return for each concept its earliest place in any passage, 0 for a first sentence."""
        starts = np.searchsorted(self.passage, self.passage)
        places = np.arange(len(self.passage)) - starts
        earliest = np.full(len(self.index), np.iinfo(np.int64).max)
        np.minimum.at(earliest, self.ids, places[self.rows])
        return earliest


def collect(readings: Sequence[Reading]) -> Collected:
    """Give the concepts and sentences of all passages numbers that run through."""
    index: defaultdict[Hashable, int] = defaultdict()
    index.default_factory = index.__len__
    n_labels = np.array([len(one.labels) for one in readings], dtype=np.int64)
    n_sentences = np.array([len(one.starts) for one in readings], dtype=np.int64)
    n_pairs = np.array([len(one.rows) for one in readings], dtype=np.int64)
    labels = chain.from_iterable(one.labels for one in readings)
    held = np.fromiter(map(index.__getitem__, labels), np.int32, int(n_labels.sum()))
    rows = _joined([one.rows for one in readings]) + np.repeat(_starts(n_sentences), n_pairs)
    ids = _joined([one.ids for one in readings]) + np.repeat(_starts(n_labels), n_pairs)
    counts = _joined([one.occurrences for one in readings])
    return Collected(
        index=index,
        rows=rows.astype(np.int32),
        ids=held[ids],
        passage=np.repeat(np.arange(len(readings)), n_sentences),
        starts=_joined([one.starts for one in readings]),
        ends=_joined([one.ends for one in readings]),
        holders=np.repeat(np.arange(len(readings), dtype=np.int32), n_labels),
        held=held,
        occurrences=np.bincount(held, counts, len(index)).astype(np.float64),
        n_passages=len(readings),
    )


def _starts(lengths: Int64s) -> Int64s:
    return np.cumsum(lengths) - lengths


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
