"""Posing: the coverage problem of pieces that hold words and phrases, and of what must stay.

Most phrases stand in one piece only. All that a piece alone holds is one element of the problem, so
that the problem is a few times smaller; value, gains and bounds stay what they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.core.ascending import distinct
from maxcover.core.limits import group_limits
from maxcover.core.problem import CoverageProblem
from maxcover.core.validation import positions_of
from maxcover.packing.occurrences import unique_pairs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from maxcover.packing.layout import Prices
    from maxcover.packing.objective import Worth
    from maxcover.packing.occurrences import Occurrences
    from maxcover.packing.passages import Memory

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
    said : Occurrences
    worth : Worth
        Weights of words, empty if they do not count, of phrases, and of statements.
    piece : int64 array (n_sentences)
        The piece that each sentence belongs to.
    n_musts : int
        Number of requirements.
    """

    problem: CoverageProblem
    said: Occurrences
    worth: Worth
    piece: Int64s
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
        words, phrases, (holders, statements, weights), kept, _, named = self.worth
        rows, ids = self.said.phrase_pairs
        first = len(words)
        pairs = [(rows, ids + first), (holders, statements + first + len(phrases))]
        if words.size:
            pairs.insert(0, named)
        rows, ids = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
        rows, ids = rows[kept[rows]], ids[kept[rows]]
        weights = np.concatenate((words, phrases, weights))
        return _held(self.piece[rows], ids, weights, self.problem.n_sets)

    def name(self, element: int, memory: Memory) -> str:
        """Name a word, phrase, line of code or statement."""
        said, names, n_words = self.said, memory.names, len(self.worth[0])
        statement = element - n_words - len(self.worth[1])
        if statement >= 0:
            holders, ids, _ = self.worth[2]
            words = said.words[said.rows == holders[ids == statement][0]]
            return " ".join(names[k] for k in said.known[words].tolist())
        if element < n_words:
            return names[int(said.known[element])]
        code = int(said.phrase_codes[element - n_words])
        if code >= said.n_words**2:
            return memory.line(int(said.line_names[code - said.n_words**2]))
        first, second = (names[int(said.known[k])] for k in divmod(code, said.n_words))
        return first if code % (said.n_words + 1) == 0 else f"{first} {second}"


def pose(
    said: Occurrences,
    worth: Worth,
    musts: list[list[int]],
    prices: Prices,
    *,
    budget: float,
    piece: Int64s,
    limits: tuple[Int64s, float] | None = None,
) -> Posed:
    """Pose the coverage problem; a requirement is an element that some piece has to cover."""
    words, phrases, statements, kept, _, named = worth
    parts = [(*said.phrase_pairs, phrases), statements]
    if words.any():
        parts.insert(0, (*named, words))
    else:
        words = words[:0]
    n_pieces, width = len(prices.pieces), 0
    merged = bool((piece != np.arange(len(piece))).any())
    own = np.zeros(n_pieces)
    edges, weights = [], []
    for *pairs, values in parts:
        rows, ids = pairs
        if not kept.all():
            rows, ids = rows[kept[rows]], ids[kept[rows]]
        if merged:
            rows, ids = unique_pairs(piece[rows], ids, len(values))
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
    heavy = float(words.sum() + phrases.sum() + statements[2].sum()) + 1.0
    weights += [own[alone], np.full(len(musts), heavy)]
    rows, ids = (np.concatenate(columns) for columns in zip(*edges, strict=True))
    held = _held(rows, ids, np.concatenate(weights), n_pieces)
    # some passage is there and has its charge, so that only the rest is for the pieces
    charge = prices.charges.min() if prices.charges.size else 0.0
    within: dict[str, Any] = {}
    if limits is not None:
        within = group_limits(limits[0].tolist(), prices.pieces, max_cost=limits[1])
    problem = CoverageProblem(
        indptr=held.indptr,
        indices=held.indices,
        costs=prices.pieces,
        weights=held.weights,
        budget=max(0.0, budget + prices.credit - charge),
        **within,
    )
    return Posed(problem, said, worth._replace(words=words), piece, len(musts))


def _held(rows: Int64s, ids: Int64s, weights: Floats, n_pieces: int) -> Held:
    """Sort pairs of piece and element by piece, each pair once."""
    rows, ids = unique_pairs(rows, ids, len(weights))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_pieces))))
    return Held(indptr, ids.astype(np.int32), weights)
