"""Case: a cluster of a data set, split into sentences for summarizers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.texts import prepare

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from maxcover.ground.array_types import Int64s
    from maxcover.texts import Sentence


def count_words(text: str) -> int:
    """Count the runs of non-space characters: the unit of every word budget.

    Examples
    --------
    >>> count_words("A well-known  fact: 3.5 %")
    5
    """
    return len(text.split())


@dataclass(frozen=True)
class Document:
    """One document of a cluster; a line end in ``text`` ends a paragraph or sentence."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Cluster:
    """Documents on one topic and the summaries that people wrote of them."""

    id: str
    documents: tuple[Document, ...]
    references: tuple[str, ...]
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One cluster and the budget, in words, for its summary.

    Attributes
    ----------
    cluster : Cluster
    budget : int
    language : str
    """

    cluster: Cluster
    budget: int
    language: str = "english"

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """The texts of the documents; titles are not part of them."""
        return tuple(document.text for document in self.cluster.documents)

    @cached_property
    def _spans(self) -> tuple[Sentence, ...]:
        return tuple(prepare(self.documents, language=self.language, preset="plain"))

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """All sentences in reading order: the same for every summarizer."""
        return tuple(found.text for found in self._spans)

    @cached_property
    def document_of(self) -> Int64s:
        """The index of each sentence's document, from 0."""
        return np.array([found.document for found in self._spans], dtype=np.int64)

    @cached_property
    def place(self) -> Int64s:
        """The index of each sentence within its document, from 0."""
        starts = np.searchsorted(self.document_of, self.document_of)
        return np.asarray(np.arange(len(self.sentences)) - starts)

    @cached_property
    def costs(self) -> Int64s:
        """The number of words of each sentence."""
        return np.array([count_words(text) for text in self.sentences], dtype=np.int64)

    def fill(self, ranking: Iterable[int]) -> list[int]:
        """Take sentences in the order of `ranking`, skipping each that no longer fits the budget.

        This is how a summarizer that ranks, or that chooses by number of sentences, is given a
        budget of words. It is the most generous way: no sentence that still fits is left out.

        Examples
        --------
        >>> from maxcover.lab.evaluate import Cluster, Document
        >>> text = "One two three. Four five. Six."
        >>> case = Case(Cluster("c", (Document("d", "", text),), ("x",)), 4)
        >>> case.fill([1, 0, 2])
        [1, 2]
        """
        chosen, left = [], self.budget
        for index in ranking:
            if self.costs[index] <= left:
                chosen.append(int(index))
                left -= int(self.costs[index])
        return chosen

    def texts(self, chosen: Iterable[int]) -> list[str]:
        """Return the texts of the chosen sentences in reading order."""
        return [self.sentences[index] for index in sorted(chosen)]
