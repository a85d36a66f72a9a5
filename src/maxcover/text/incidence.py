"""Incidence: which sentence holds which concept, each pair once, and what can be counted on it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxcover.core.ascending import is_new
from maxcover.kernels.rows import group_columns
from maxcover.text.background import Background
from maxcover.text.concepts import Occurrences
from maxcover.text.weights import Counts


@dataclass(frozen=True, slots=True)
class Incidence:
    """Pairs of sentence and concept in ascending order, without repetitions.

    Attributes
    ----------
    rows, ids : int32 arrays (n_pairs)
        Sentence and concept of each pair.
    n_rows : int
        Number of sentences.
    found : Occurrences
        Where the pairs come from.
    """

    rows: NDArray[np.int32]
    ids: NDArray[np.int32]
    n_rows: int
    found: Occurrences

    @classmethod
    def of(cls, found: Occurrences, n_rows: int) -> "Incidence":
        """Sort occurrences, those of a concept in the order of sentences, and drop repetitions."""
        rows, starts, is_first = _group(found.rows, found.ids, len(found.labels))
        ids = _repeat_each(starts)[is_first]
        ids, starts, _ = _group(ids, rows[is_first], n_rows)
        return cls(_repeat_each(starts), ids, n_rows, found)

    def count(
        self,
        document: NDArray[np.int64],
        n_documents: int,
        *,
        among: NDArray[np.bool_],
        background: Background | None = None,
    ) -> Counts:
        """Count occurrences, sentences and documents for each concept, `among` some sentences."""
        n_concepts = len(self.found.labels)
        kept = among[self.rows]
        ids = self.ids[kept]
        holding = document[self.rows[kept]].astype(np.int32)
        _, starts, is_first = _group(holding, ids, n_concepts)
        running = np.concatenate(([0], np.cumsum(is_first)))
        return Counts(
            labels=self.found.labels,
            occurrences=np.bincount(self.found.ids[among[self.found.rows]], minlength=n_concepts),
            sentences=np.diff(starts),
            documents=np.diff(running[starts]),
            n_sentences=int(among.sum()),
            n_documents=n_documents,
            background=background,
            pairs=self.found.pairs,
            common=self.found.common,
        )

    def earliest(self, places: NDArray[np.int64], among: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return for each concept the smallest of the `places` of its sentences, `among` some."""
        earliest = np.full(len(self.found.labels), np.iinfo(np.int64).max)
        kept = among[self.rows]
        np.minimum.at(earliest, self.ids[kept], places[self.rows[kept]])
        return earliest

    def compress(
        self, rows: NDArray[np.bool_], concepts: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Keep some sentences and concepts, and number them anew.

        Returns
        -------
        indptr, indices : int64 and int32 arrays
            CSR rows of the sentences that are kept.
        elements : int64 array
            The old number of each new concept; those without a sentence are gone.
        """
        kept = rows[self.rows] & concepts[self.ids]
        ids = self.ids[kept]
        elements = np.flatnonzero(np.bincount(ids, minlength=concepts.size))
        renumbered = np.zeros(concepts.size, np.int32)
        renumbered[elements] = np.arange(elements.size, dtype=np.int32)
        degrees = np.bincount(self.rows[kept], minlength=self.n_rows)[rows]
        indptr = np.concatenate(([0], np.cumsum(degrees)))
        return indptr, renumbered[ids], elements


def _group(
    values: NDArray[np.int32], keys: NDArray[np.int32], n_keys: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]:
    """Order values by key, those of one key as they come, which is ascending.

    Returns
    -------
    grouped : int32 array
    starts : int64 array (n_keys + 1)
        Those of key k are from ``starts[k]`` to ``starts[k + 1]``.
    is_first : bool array
        Which of them are not the one before, of the same key.
    """
    grouped, starts = np.empty(values.size, np.int32), np.zeros(n_keys + 1, np.int64)
    group_columns(keys, values, starts, grouped)
    is_first = is_new(grouped)
    is_first[starts[:-1][np.diff(starts) > 0]] = True
    return grouped, starts, is_first


def _repeat_each(starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the key of each value."""
    return np.repeat(np.arange(starts.size - 1, dtype=np.int32), np.diff(starts))
