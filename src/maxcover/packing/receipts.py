"""Receipts: the reason why a passage is not shown at all."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from maxcover.core.ascending import difference
from maxcover.packing.context import LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from maxcover.packing.coverage import Posed
    from maxcover.packing.statements import Versions

# The most passages that a reason names.
_NAMED = 3


def find_left_out(
    posed: Posed, chosen: list[int], versions: Versions, questions: Sequence[NDArray[np.int64]]
) -> Iterator[LeftOut]:
    """Say why each passage that is not shown was left out; best rank first."""
    said, worth, layout = posed.said, posed.worth, posed.layout
    asked, n_passages = np.concatenate((layout.ranks[:0], *questions)), len(layout.texts)
    taken = np.isin(layout.piece, chosen)

    def any_of(sentences: NDArray[np.int64] | NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a mask of the passages that have at least one of the sentences."""
        return np.bincount(said.passage[sentences], minlength=n_passages) > 0

    rows, words = said.word_pairs
    smallest = np.full(n_passages, np.inf)
    np.minimum.at(smallest, layout.passage, posed.prices.pieces)
    worded, close, kept = any_of(rows), any_of(worth.close), any_of(worth.kept)
    matched = any_of(rows[np.isin(words, asked)]) | (asked.size == 0)
    # Pairs of sentences (inner, outer) where outer was taken and says all that inner says.
    inner, outer = (side[taken[versions.within[1]]] for side in versions.within)
    missing = np.ones(said.n_sentences, dtype=bool)
    missing[inner] = False
    whole, lacking = ~any_of(missing), any_of(missing & worth.close)
    twins: dict[int, Counter[int]] = {}
    pairs = zip(said.passage[inner].tolist(), said.passage[outer].tolist(), strict=True)
    for passage, twin in pairs:
        if not lacking[passage] and passage != twin:
            twins.setdefault(passage, Counter())[twin] += 1
    out = difference(np.arange(n_passages), layout.passage[chosen])
    ranks = layout.ranks
    for passage in out[np.argsort(ranks[out], kind="stable")].tolist():
        counts = twins.get(passage, Counter())
        same = tuple(sorted(counts, key=lambda twin: (-counts[twin], twin))[:_NAMED])
        if not worded[passage]:
            told = "empty", "it has no words"
        elif same:
            what = "its sentences" if whole[passage] else "its best matches"
            told = "repeats", f"{what} stand in {_listed(same)}"
        elif smallest[passage] > posed.budget:
            told = "too long", "it does not fit even by itself"
        elif not matched[passage]:
            told = "matches nothing", "it holds no content word of the query"
        elif not close[passage]:
            told = "matches little", "it holds few words of the query, or common ones"
        elif not kept[passage]:
            told = "no room", "other passages say as much, or something newer"
        else:
            told = "no room", "what was taken adds more for its size"
        yield LeftOut(passage, int(ranks[passage]), *told, same)


def _listed(passages: tuple[int, ...]) -> str:
    *names, last = map(str, passages)
    return f"passages {', '.join(names)} and {last}" if names else f"passage {last}"
