"""Posing: the coverage problem of pieces that hold words and phrases, and of what must stay."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.problem import CoverageProblem
from maxcover.packing.said import unique_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maxcover.packing.layout import Prices
    from maxcover.packing.said import Said

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Posed:
    """The coverage problem: words, then phrases, then requirements, which outweigh all of them.

    Attributes
    ----------
    problem : CoverageProblem
        Its sets are the pieces.
    said : Said
    single : bool
        Words count; if not, the first elements are phrases.
    n_concepts : int
        Number of words and phrases.
    extra : float
        What the requirements weigh together.
    """

    problem: CoverageProblem
    said: Said
    single: bool
    n_concepts: int
    extra: float

    @property
    def total(self) -> float:
        """Weight of all words and phrases."""
        return float(self.problem.weights[: self.n_concepts].sum())

    def value(self, chosen: list[int]) -> float:
        """Return the weight of the words and phrases that a selection covers."""
        covered = self.problem.covered(np.array(chosen, dtype=np.int64))[: self.n_concepts]
        return math.fsum(self.problem.weights[: self.n_concepts][covered])

    def name(self, element: int, names: Sequence[str]) -> str:
        """Name a word or phrase."""
        said = self.said
        if self.single and element < said.n_words:
            return names[int(said.known[element])]
        code = int(said.phrase_codes[element - (said.n_words if self.single else 0)])
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
    single = bool(words.any())
    parts = [(*said.word_pairs, words), (*said.phrase_pairs, phrases)][0 if single else 1 :]
    shifts = np.cumsum([0, *(len(weights) for *_, weights in parts)])
    rows = np.concatenate([rows for rows, *_ in parts])
    ids = np.concatenate(
        [ids + shift for (_, ids, _), shift in zip(parts, shifts[:-1], strict=True)]
    )
    rows = said.passage[rows] if whole else rows
    n_concepts = int(shifts[-1])
    width = n_concepts + len(musts)
    if musts:
        own = np.repeat(np.arange(len(musts)), [len(holders) for holders in musts])
        rows = np.concatenate((rows, np.concatenate(musts).astype(np.int64)))
        ids = np.concatenate((ids, n_concepts + own))
    rows, ids = unique_pairs(rows, ids, width)
    degrees = np.bincount(rows, minlength=len(prices.pieces))
    weights = np.concatenate([weights for *_, weights in parts])
    heavy = float(weights.sum()) + 1.0
    # some passage is there and has its charge, so that only the rest is for the pieces
    charge = prices.charges.min() if prices.charges.size else 0.0
    problem = CoverageProblem(
        indptr=np.concatenate(([0], np.cumsum(degrees))),
        indices=ids.astype(np.int32),
        costs=prices.pieces,
        weights=np.concatenate((weights, np.full(len(musts), heavy))),
        budget=max(0.0, budget + prices.credit - charge),
    )
    return Posed(problem, said, single, n_concepts, heavy * len(musts))
