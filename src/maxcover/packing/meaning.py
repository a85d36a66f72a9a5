"""Meaning: what the caller's vectors say of passages or sentences and of the question."""

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

# The cosine from which on two sentences, or passages, mean the same.
SAME = 0.95
# Sentences, the most relevant ones, among which those that mean the same are looked for.
MOST = 1000


class Meaning(NamedTuple):
    """Vectors of sentences, each of length one, and how close they are to the question.

    Both are None without vectors; `match` also without a vector of the question.
    """

    vectors: Floats | None = None
    match: Floats | None = None

    def repeated(
        self, worth: Floats, passage: NDArray[np.int64], versions: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """List the sentences that mean what a more relevant one of another passage does.

        Versions of a statement are none of them.
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
    """Read the caller's vectors: of passages, or made of every sentence and question."""
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
    # what is as close as most is not relevant, whatever cosines a model gives
    usual, best = float(np.median(close)), float(close.max())
    return Meaning(made, np.clip((close - usual) / max(best - usual, 1e-9), 0.0, 1.0) ** 2)


def _unit_length(vectors: ArrayLike, n: int, name: str) -> Floats:
    """Check that there is one vector for each passage, and scale all to length one."""
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
