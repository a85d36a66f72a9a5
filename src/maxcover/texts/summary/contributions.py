"""Contributions: sentences of a corpus with their places, costs, and what each of them adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.engine.core.validation import positions_of
from maxcover.engine.solvers.order import by_gain
from maxcover.texts.read.pdf import page_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Int64s
    from maxcover.texts.weigh.corpus import Corpus


class Covered(NamedTuple):
    """A concept that a sentence is the first to cover, and its weight."""

    concept: Hashable
    weight: float


@dataclass(frozen=True, slots=True, repr=False)
class SummarySentence:
    """A sentence of the documents with its place, its cost and what it adds.

    Attributes
    ----------
    text : str
        As the summary prints it: in one line, without the signs of Markdown and, in English,
        without the number before a sentence and, in transcripts, without filler words and
        repetitions.
    speaker : str
        Who says it, in talk, mail and threads; empty if that is not known.
    document, start, end : int
        ``documents[document][start:end]`` is the sentence as it was given; it differs from `text`
        if something of the above was left out.
    line : int
        The line of the document in which it begins, from 1.
    page : int
        The page of the document in which it begins, from 1; 0 if it has no pages.
    under : str
        The label that it is printed under: its speaker, or an item, line or heading above it.
    index : int
        Its number among all sentences, in reading order.
    cost : float
        Its size in the unit of the budget, with its label, without a joiner.
    gain : float
        The weight that it is the first to cover, when the chosen sentences are taken from the one
        that adds most to the one that adds least. The gains of a summary sum to its value. For a
        sentence that was left out: what it would have added.
    covers : tuple of Covered
        What the gain consists of, heaviest first.
    """

    text: str
    document: int
    start: int
    end: int
    index: int
    cost: float
    gain: float
    covers: tuple[Covered, ...]
    speaker: str = ""
    line: int = 1
    page: int = 0
    under: str = ""

    def __repr__(self) -> str:
        text = self.text if len(self.text) <= 60 else f"{self.text[:57]}..."
        return (
            f"SummarySentence({text!r}, document {self.document}, {self.start}-{self.end}, cost "
            f"{self.cost:g}, gain {self.gain:g})"
        )


def chosen_sentences(
    corpus: Corpus, problem: CoverageProblem, selected: Int64s
) -> list[SummarySentence]:
    """Return the chosen sentences with the concepts that each adds, largest gain first.

    Every covered concept is in the `covers` of exactly one sentence. Time is linear in the words of
    the chosen sentences, but for sorting.
    """
    order, rows, concepts = _first_covered(problem, selected)
    return _sentences(corpus, problem, order, rows, concepts)


def find_gains(problem: CoverageProblem, selected: Int64s) -> tuple[Int64s, NDArray[np.float64]]:
    """Return the chosen sentences, largest gain first, and the gain of each."""
    order, rows, concepts = _first_covered(problem, selected)
    gains = np.bincount(rows, problem.weights[concepts], minlength=len(order))
    return order, gains.astype(np.float64)


def _first_covered(
    problem: CoverageProblem, selected: Int64s
) -> tuple[Int64s, Int64s, NDArray[np.int32]]:
    """Sort a selection by gain; sentence ``order[rows[k]]`` is the first with ``concepts[k]``."""
    order = by_gain(problem, selected)
    rows, concepts = _pairs(problem, order)
    first = np.unique(concepts, return_index=True)[1]
    return order, rows[first], concepts[first]


def left_out(
    corpus: Corpus, problem: CoverageProblem, selected: Int64s, others: Int64s
) -> list[SummarySentence]:
    """Return the sentences `others`, not chosen, each with what it alone would have added."""
    rows, concepts = _pairs(problem, others)
    new = ~problem.covered(selected)[concepts]
    return _sentences(corpus, problem, others, rows[new], concepts[new])


def _pairs(problem: CoverageProblem, sentences: Int64s) -> tuple[Int64s, NDArray[np.int32]]:
    """Return (position in `sentences`, concept) pairs as two arrays."""
    lengths = problem.indptr[sentences + 1] - problem.indptr[sentences]
    rows = np.repeat(np.arange(len(sentences)), lengths)
    return rows, problem.indices[positions_of(problem.indptr, sentences)]


def _sentences(
    corpus: Corpus,
    problem: CoverageProblem,
    indices: Int64s,
    rows: Int64s,
    concepts: NDArray[np.int32],
) -> list[SummarySentence]:
    """Build sentence objects; sentence ``indices[rows[k]]`` adds ``concepts[k]``."""
    weights = problem.weights[concepts]
    order = np.lexsort((concepts, -weights, rows))
    labels = corpus.names(concepts[order])
    covered = list(map(Covered, labels, weights[order].tolist()))
    edges = np.searchsorted(rows[order], np.arange(len(indices) + 1)).tolist()
    gains = np.bincount(rows, weights, minlength=len(indices)).tolist()
    costs = (corpus.costs[indices] - corpus.unit.joint).tolist()
    places = (column[indices].tolist() for column in (corpus.document, corpus.starts, corpus.ends))
    found = []
    for k, (index, document, start, end) in enumerate(zip(indices.tolist(), *places, strict=True)):
        covers = tuple(covered[edges[k] : edges[k + 1]])
        found.append(
            SummarySentence(
                text=corpus.texts[index],
                document=document,
                start=start,
                end=end,
                index=index,
                cost=costs[k],
                gain=gains[k],
                covers=covers,
                speaker=corpus.speakers[index],
                line=corpus.documents[document].count("\n", 0, start) + 1,
                page=page_of(corpus.documents[document], start),
                under=corpus.under[index],
            )
        )
    return found
