"""Posing: the coverage problem of pieces that hold words and phrases, and of what must stay.

Most phrases stand in one piece only. All that a piece alone holds is one element of the problem, so
that the problem is a few times smaller; value, gains and bounds stay what they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.core.ascending import distinct
from maxcover.core.problem import CoverageProblem
from maxcover.core.validation import positions_of
from maxcover.packing.said import unique_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from maxcover.packing.layout import Prices
    from maxcover.packing.said import Said

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]


class Held(NamedTuple):
    """Who holds what: piece i holds ``indices[indptr[i]:indptr[i + 1]]``."""

    indptr: Int64s
    indices: NDArray[np.int32]
    weights: Floats

    def new(self, chosen: ArrayLike) -> tuple[Int64s, Int64s]:
        """List what pieces are the first to hold, as places in `chosen` and elements."""
        pieces = np.asarray(chosen, dtype=np.int64)
        places = np.repeat(np.arange(len(pieces)), self.indptr[pieces + 1] - self.indptr[pieces])
        elements = self.indices[positions_of(self.indptr, pieces)]
        first = np.empty(len(self.weights), dtype=np.int64)
        first[elements[::-1]] = places[::-1]
        new = first[elements] == places
        return places[new], elements[new].astype(np.int64)

    def gains(self, chosen: ArrayLike) -> Floats:
        """Add up the weight of what each piece is the first to hold."""
        places, elements = self.new(chosen)
        sums = np.bincount(places, self.weights[elements], minlength=np.size(chosen))
        return sums.astype(np.float64)

    def of(self, pieces: Int64s) -> Int64s:
        """List what some pieces hold together, each once."""
        return distinct(self.indices[positions_of(self.indptr, pieces)]).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Posed:
    """The coverage problem: words and phrases, then requirements, which outweigh all of them.

    Attributes
    ----------
    problem : CoverageProblem
        Its sets are the pieces. Its elements are the words and phrases that several pieces hold,
        then what each piece holds alone, then the requirements.
    said : Said
    worth : (float64 array, float64 array)
        Weights of words, empty if they do not count, and of phrases.
    whole : bool
        Pieces are passages, not sentences.
    n_musts : int
        Number of requirements.
    """

    problem: CoverageProblem
    said: Said
    worth: tuple[Floats, Floats]
    whole: bool
    n_musts: int

    @property
    def total(self) -> float:
        """Weight of all words and phrases."""
        return float(self._concept_weights.sum())

    @property
    def extra(self) -> float:
        """What the requirements weigh together."""
        return float(self.problem.weights[len(self._concept_weights) :].sum())

    @property
    def _concept_weights(self) -> Floats:
        return self.problem.weights[: self.problem.n_elements - self.n_musts]

    @property
    def held(self) -> Held:
        """Who holds what in the problem; requirements weigh nothing."""
        weights = np.concatenate((self._concept_weights, np.zeros(self.n_musts)))
        return Held(self.problem.indptr, self.problem.indices, weights)

    @cached_property
    def concepts(self) -> Held:
        """Who holds which words and phrases, one by one."""
        words, phrases = self.worth
        pairs = [self.said.phrase_pairs]
        if words.size:
            rows, ids = self.said.phrase_pairs
            pairs = [self.said.word_pairs, (rows, ids + len(words))]
        rows, ids = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
        weights = np.concatenate((words, phrases))
        rows = self.said.passage[rows] if self.whole else rows
        return _held(rows, ids, weights, self.problem.n_sets)

    def name(self, element: int, names: Sequence[str]) -> str:
        """Name a word or phrase."""
        said, n_words = self.said, len(self.worth[0])
        if element < n_words:
            return names[int(said.known[element])]
        code = int(said.phrase_codes[element - n_words])
        first, second = (names[int(said.known[k])] for k in divmod(code, said.n_words))
        return first if code % (said.n_words + 1) == 0 else f"{first} {second}"


def pose(
    said: Said,
    worth: tuple[Floats, Floats],
    musts: list[list[int]],
    prices: Prices,
    budget: float,
    *,
    whole: bool,
) -> Posed:
    """Pose the coverage problem; a requirement is an element that some piece has to cover."""
    words, phrases = worth
    parts = [(*said.phrase_pairs, phrases)]
    if words.any():
        parts.insert(0, (*said.word_pairs, words))
    else:
        words = words[:0]
    n_pieces, width = len(prices.pieces), 0
    own = np.zeros(n_pieces)
    edges, weights = [], []
    for *pairs, values in parts:
        rows, ids = pairs
        if whole:
            rows, ids = unique_pairs(said.passage[rows], ids, len(values))
        shared = np.bincount(ids, minlength=len(values)) > 1
        several = shared[ids]
        own += np.bincount(rows, np.where(several, 0.0, values[ids]), minlength=n_pieces)
        edges.append((rows[several], (np.cumsum(shared) + (width - 1))[ids[several]]))
        weights.append(values[shared])
        width += len(weights[-1])
    alone = np.flatnonzero(own)
    edges.append((alone, width + np.arange(len(alone))))
    width += len(alone)
    for number, holders in enumerate(musts):
        edges.append((np.array(holders), np.full(len(holders), width + number)))
    heavy = float(words.sum() + phrases.sum()) + 1.0
    weights += [own[alone], np.full(len(musts), heavy)]
    rows, ids = (np.concatenate(columns) for columns in zip(*edges, strict=True))
    held = _held(rows, ids, np.concatenate(weights), n_pieces)
    # some passage is there and has its charge, so that only the rest is for the pieces
    charge = prices.charges.min() if prices.charges.size else 0.0
    problem = CoverageProblem(
        indptr=held.indptr,
        indices=held.indices,
        costs=prices.pieces,
        weights=held.weights,
        budget=max(0.0, budget + prices.credit - charge),
    )
    return Posed(problem, said, (words, phrases), whole, len(musts))


def _held(rows: Int64s, ids: Int64s, weights: Floats, n_pieces: int) -> Held:
    """Sort pairs of piece and element by piece, each pair once."""
    rows, ids = unique_pairs(rows, ids, len(weights))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_pieces))))
    return Held(indptr, ids.astype(np.int32), weights)
