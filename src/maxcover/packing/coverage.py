"""Coverage: the coverage problem of pieces, which hold words and phrases, and of requirements.

Most phrases occur in one piece only. All phrases that only the same piece holds are merged into one
element. This makes the problem a few times smaller; values, gains and bounds do not change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core.groups import group_limits
from maxcover.core.problem import CoverageProblem
from maxcover.core.validation import positions_of
from maxcover.packing.occurrences import unique_pairs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from maxcover.array_types import Floats
    from maxcover.packing.layout import Layout, Prices
    from maxcover.packing.objective import Worth
    from maxcover.packing.occurrences import PassageOccurrences


def gains(problem: CoverageProblem, chosen: ArrayLike, *, n_musts: int = 0) -> Floats:
    """Return what each chosen piece adds to those before it; the last `n_musts` elements add 0."""
    pieces = np.asarray(chosen, dtype=np.int64)
    indptr, n_elements = problem.indptr, problem.n_elements - n_musts
    places = np.repeat(np.arange(len(pieces)), indptr[pieces + 1] - indptr[pieces])
    elements = problem.indices[positions_of(indptr, pieces)]
    first = np.empty(problem.n_elements, dtype=np.int64)
    first[elements[::-1]] = places[::-1]
    new = (first[elements] == places) & (elements < n_elements)
    sums = np.bincount(places[new], problem.weights[elements[new]], minlength=len(pieces))
    return sums.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Posed:
    """The coverage problem of the pieces, with the data from which it was built.

    Attributes
    ----------
    problem : CoverageProblem
        Its sets are the pieces. Its elements are the words and phrases that several pieces hold,
        then what each piece holds alone, then the requirements.
    said : PassageOccurrences
    worth : Worth
        Weights of words, phrases and statements.
    layout, prices : Layout, Prices
        Of the pieces.
    budget : float
        Maximum size of the whole text, including the text that it begins with.
    n_musts : int
        Number of requirements.
    """

    problem: CoverageProblem
    said: PassageOccurrences
    worth: Worth
    layout: Layout
    prices: Prices
    budget: float
    n_musts: int

    @property
    def extra(self) -> float:
        """The weight of all requirements together."""
        return float(self.problem.weights[self.problem.n_elements - self.n_musts :].sum())


def pose(
    said: PassageOccurrences,
    worth: Worth,
    musts: list[list[int]],
    layout: Layout,
    prices: Prices,
    *,
    budget: float,
    per_document: float | None = None,
) -> Posed:
    """Build the coverage problem; a requirement is an element that outweighs all the others."""
    words, phrases, statements, kept, _ = worth
    parts = [(*said.phrase_pairs, phrases), statements]
    if words.any():
        parts.insert(0, (*said.prose_pairs, words))
    piece, n_pieces, width = layout.piece, len(prices.pieces), 0
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
    weight = np.concatenate([*weights, own[alone], np.full(len(musts), heavy)])
    rows, ids = (np.concatenate(columns) for columns in zip(*edges, strict=True))
    rows, ids = unique_pairs(rows, ids, len(weight))
    # Every selection pays for the header and separator (charge) of at least one passage. The
    # smallest charge is taken off the budget here, because set costs do not include charges.
    charge = prices.charges.min() if prices.charges.size else 0.0
    within: dict[str, Any] = {}
    if per_document is not None:
        groups = layout.number_documents().tolist()
        within = group_limits(groups, prices.pieces, max_cost=per_document)
    # A piece after a piece that cannot be chosen also pays for the mark "…" between them.
    apart = np.bincount(piece, kept, n_pieces)[:-1] == 0
    costs = prices.pieces.copy()
    costs[1:] += prices.gap * (apart & (np.diff(layout.passage) == 0))
    problem = CoverageProblem(
        indptr=np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_pieces)))),
        indices=ids.astype(np.int32),
        costs=costs,
        weights=weight,
        budget=max(0.0, budget - prices.before + prices.credit - charge),
        **within,
    )
    return Posed(problem, said, worth, layout, prices, budget, len(musts))
