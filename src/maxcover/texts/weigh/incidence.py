"""Incidence: which sentence contains which concept, each pair once, and counts of the pairs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxcover.engine.kernels.rows import group_columns, sort_columns, transpose_rows
from maxcover.texts.kernels import word_pairs as kernel
from maxcover.texts.weigh.background import Background
from maxcover.texts.weigh.concepts import Occurrences
from maxcover.texts.weigh.weights import Counts


@dataclass(frozen=True, slots=True)
class Incidence:
    """Pairs (sentence, concept) in ascending order, without repetitions.

    Attributes
    ----------
    rows, ids : int32 arrays (n_pairs)
        Sentence and concept of each pair.
    n_rows : int
        Number of sentences.
    found : Occurrences
        The occurrences, with repetitions, that the pairs were made from.
    """

    rows: NDArray[np.int32]
    ids: NDArray[np.int32]
    n_rows: int
    found: Occurrences

    @classmethod
    def of(cls, found: Occurrences, n_rows: int) -> "Incidence":
        """Sort occurrences by sentence and concept, and drop repetitions."""
        starts, indptr = np.zeros(len(found.labels) + 1, np.int64), np.zeros(n_rows + 1, np.int64)
        grouped, ids = np.empty((2, found.rows.size), np.int32)
        group_columns(found.ids, found.rows, starts, grouped)
        transpose_rows(starts, grouped, indptr, ids)
        size = sort_columns(indptr, ids)
        rows = np.repeat(np.arange(n_rows, dtype=np.int32), np.diff(indptr))
        return cls(rows, ids[:size], n_rows, found)

    def count(
        self,
        document: NDArray[np.int64],
        n_documents: int,
        *,
        among: NDArray[np.bool_],
        background: Background | None = None,
    ) -> Counts:
        """Count each concept's occurrences, sentences and documents within the mask `among`."""
        n_concepts = len(self.found.labels)
        occurrences, sentences, documents = np.zeros((3, n_concepts), np.int64)
        last = np.full(n_concepts, -1)
        kernel.count_occurrences(self.found.rows, self.found.ids, among, occurrences)
        kernel.count_holding(self.rows, self.ids, document, among, last, sentences, documents)
        return Counts(
            labels=self.found.labels,
            occurrences=occurrences,
            sentences=sentences,
            documents=documents,
            n_sentences=int(among.sum()),
            n_documents=n_documents,
            background=background,
            pairs=self.found.pairs,
            common=self.found.common,
        )

    def earliest(self, places: NDArray[np.int64], among: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return for each concept the minimum of `places` over its sentences in `among`."""
        earliest = np.full(len(self.found.labels), np.iinfo(np.int64).max)
        kernel.find_earliest(self.rows, self.ids, places, among, earliest)
        return earliest

    def compress(
        self, concepts: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Keep the concepts that a mask selects, and renumber them from 0.

        Returns
        -------
        indptr, indices : int64 and int32 arrays
            CSR rows of the sentences.
        elements : int64 array
            The old number of each new concept; concepts without a sentence are dropped.
        """
        inside = concepts[self.ids]
        kept = self.ids[inside]
        held = np.zeros(concepts.size, np.bool_)
        held[kept] = True
        lengths = np.bincount(self.rows[inside], minlength=self.n_rows)
        numbers = np.cumsum(held, dtype=np.int32) - np.int32(1)
        return np.append(0, np.cumsum(lengths)), numbers[kept], np.flatnonzero(held)
