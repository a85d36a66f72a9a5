"""Ascending: sets of indices as sorted arrays that hold each value once.

NumPy's own set functions import ``numpy.ma``, which takes longer than solving a small problem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Scalar = TypeVar("Scalar", bound=np.generic)


def is_new(ascending: NDArray[Scalar]) -> NDArray[np.bool_]:
    """Return a mask of the first occurrence of each value in an ascending array.

    Examples
    --------
    >>> is_new(np.array([0, 0, 2])).tolist()
    [True, False, True]
    """
    new = np.ones(ascending.size, np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    return new


def distinct(values: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return the values in ascending order, each once.

    Examples
    --------
    >>> distinct(np.array([2, 0, 2])).tolist()
    [0, 2]
    """
    ordered = np.sort(values)
    return ordered[is_new(ordered)]


def union(first: ArrayLike, second: ArrayLike) -> NDArray[np.int64]:
    """Return the indices that are in `first`, in `second` or in both, ascending.

    Examples
    --------
    >>> union([3, 1], [1, 2]).tolist()
    [1, 2, 3]
    """
    return distinct(np.concatenate((_indices(first), _indices(second))))


def difference(first: ArrayLike, second: ArrayLike) -> NDArray[np.int64]:
    """Return the indices of `first` that are not in `second`, ascending.

    Examples
    --------
    >>> difference([3, 1, 3], [1, 2]).tolist()
    [3]
    """
    kept, dropped = distinct(_indices(first)), distinct(_indices(second))
    if not dropped.size:
        return kept
    places = np.searchsorted(dropped, kept)
    left: NDArray[np.int64] = kept[dropped.take(places, mode="clip") != kept]
    return left


def _indices(values: ArrayLike) -> NDArray[np.int64]:
    return np.asarray(values, dtype=np.int64)
