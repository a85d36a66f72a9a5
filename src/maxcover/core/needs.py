"""Minima of groups and needs of elements as users pass them in, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core import validation
from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Int32s = NDArray[np.int32]
    Int64s = NDArray[np.int64]

# Rows of the minima of groups: sets, their cost, and a share of the weight.
ITEMS, COST, SHARE = range(3)


def needs(values: Any, n_elements: int) -> Int32s:
    """Check how many sets each element needs; empty where one is enough for all."""
    if values is None:
        return validation.NO_GROUPS
    column = np.full(n_elements, values) if np.ndim(values) == 0 else np.asarray(values)
    array = validation.edge_column(column, "need").astype(np.int32)
    if not array.size or bool((array == 1).all()):
        return validation.NO_GROUPS
    if array.size != n_elements:
        raise ProblemError(f"expected need for each of {n_elements} elements, got {array.size}")
    if int(array.min()) < 1:
        raise ProblemError("expected need to be at least 1 for every element, got 0")
    return validation.frozen(array)


def aligned_need(need: int | Mapping[Any, int] | None, elements: Sequence[Hashable]) -> Any:
    """Return the need of each element in their order; one that a mapping does not name needs 1."""
    if not isinstance(need, Mapping):
        return need
    known = {*elements}
    for element in need:
        if element not in known:
            raise ProblemError(f"expected need of elements of some set, got {element!r}")
    return [need.get(element, 1) for element in elements]


def minima(values: Any, n_groups: int) -> Floats:
    """Check the minima of groups: three rows, or nothing where there are none."""
    array = np.asarray(values, dtype=np.float64)
    if not array.size or not array.any():
        return validation.NO_NUMBERS
    if array.shape != (3, n_groups):
        raise ProblemError(f"expected group_least of shape (3, {n_groups}), got {array.shape}")
    validation.numbers(array.ravel(), "group_least")
    if array[SHARE].max() > 1:
        raise ProblemError(
            f"expected min_share to be a share from 0 to 1, got {array[SHARE].max():g}"
        )
    return validation.frozen(array.copy())


def held(indptr: Int64s, indices: Int32s, selected: ArrayLike, n_elements: int) -> Int64s:
    """Return how many of the selected sets hold each element."""
    chosen = np.asarray(selected, dtype=np.int64)
    edges = indices[validation.positions_of(indptr, chosen)]
    return np.bincount(edges, minlength=n_elements).astype(np.int64)
