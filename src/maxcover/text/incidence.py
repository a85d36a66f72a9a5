"""Incidence: which sentence holds which concept, each pair once, and what can be counted on it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxcover.core.ascending import is_new
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
        """Sort occurrences and drop repetitions."""
        rows, ids = _unique_pairs(found.rows, found.ids, len(found.labels))
        return cls(rows, ids, n_rows, found)

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
        _, by_document = _unique_pairs(document[self.rows[kept]], ids, n_concepts)
        return Counts(
            labels=self.found.labels,
            occurrences=np.bincount(self.found.ids[among[self.found.rows]], minlength=n_concepts),
            sentences=np.bincount(ids, minlength=n_concepts),
            documents=np.bincount(by_document, minlength=n_concepts),
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


def _unique_pairs(
    rows: NDArray[np.int32] | NDArray[np.int64], ids: NDArray[np.int32], n_ids: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Sort pairs by row and id, each once; a pair is one 64-bit number while it is sorted."""
    width = max(n_ids, 1)
    pairs = np.sort(rows.astype(np.int64) * width + ids)
    pairs = pairs[is_new(pairs)]  # half the time of np.unique
    first, second = np.divmod(pairs, width)
    return first.astype(np.int32), second.astype(np.int32)
