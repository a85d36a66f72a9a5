"""Meaning: similarity of sentences to the question and to each other, by the caller's vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxcover.core.ascending import difference
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxcover.array_types import Floats
    from maxcover.packing.layout import Layout
    from maxcover.packing.occurrences import PassageOccurrences


#: One vector per passage, or a function that makes one of each text.
Vectors = ArrayLike | Callable[[list[str]], ArrayLike]

# Two sentences, or passages, mean the same if their cosine is at least this.
SAME = 0.95
# Sentences that mean the same are looked for only among this many of the most relevant ones.
MOST = 1000


class Meaning(NamedTuple):
    """Vectors of sentences, scaled to length one, and how close each is to the question.

    Both are None without vectors; `match` also without a vector of the question.
    """

    vectors: Floats | None = None
    match: Floats | None = None

    def repeated(
        self, worth: Floats, passage: NDArray[np.int64], versions: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the sentences that mean the same as a more relevant one of another passage.

        Sentences in `versions` are not returned: they differ in a value.
        """
        if self.vectors is None:
            return np.empty(0, np.int64)
        order = np.argsort(-worth, kind="stable")[:MOST]
        alike = self.vectors[order] @ self.vectors[order].T >= SAME
        alike &= passage[order][:, None] != passage[order][None, :]
        return difference(order[np.tril(alike, -1).any(axis=1)], versions)


def find_meaning(
    vectors: Vectors | None,
    query_vector: ArrayLike | None,
    questions: Sequence[str],
    layout: Layout,
    said: PassageOccurrences,
) -> Meaning:
    """Read the caller's passage vectors, or call the function for all sentences and questions."""
    if vectors is None:
        if query_vector is not None:
            raise OptionError("expected vectors, one per passage, with query_vector, got none")
        return Meaning()
    asked = (
        None
        if query_vector is None
        else _unit_length(np.atleast_2d(np.asarray(query_vector)), 1, "query_vector")
    )
    if callable(vectors):
        places = zip(said.passage.tolist(), said.starts.tolist(), said.ends.tolist(), strict=True)
        texts = [layout.texts[p][a:b] for p, a, b in places]
        made = _unit_length(vectors(texts), len(texts), "vectors")
        if asked is None and any(questions):
            asked = _unit_length(vectors(list(questions)), len(questions), "vectors")
    else:
        made = _unit_length(vectors, said.n_passages, "vectors")[said.passage]
    if asked is None or not len(made):
        return Meaning(made)
    if asked.shape[1] != made.shape[1]:
        raise OptionError(
            f"expected query_vector to have {made.shape[1]} numbers as vectors do, got "
            f"{asked.shape[1]}"
        )
    close = (made @ asked.T).max(axis=1)
    # Cosines differ in scale between models, so the match is measured from the median (0) to the
    # closest sentence (1).
    usual, best = float(np.median(close)), float(close.max())
    return Meaning(made, np.clip((close - usual) / max(best - usual, 1e-9), 0.0, 1.0) ** 2)


def _unit_length(vectors: ArrayLike, n: int, name: str) -> Floats:
    """Check that `vectors` has `n` rows of finite numbers, and scale each to length one."""
    try:
        found = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise OptionError(f"expected {name} to be numbers: {error}") from error
    if found.ndim != 2 or len(found) != n or not np.isfinite(found).all():
        raise OptionError(
            f"expected {name} to be {n} rows of finite numbers, one per text, got the shape "
            f"{found.shape}"
        )
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-300))
