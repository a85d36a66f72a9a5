"""Facility location as coverage: each point becomes nested levels of similarity.

The value of a selection S is the sum over points p of max_{i in S} s[i, p]. Let u_1 < u_2 < ... be
the different similarities of point p. The element (p, l) weighs u_l - u_(l-1), with u_0 = 0, and
set i covers it if s[i, p] >= u_l. What a selection covers of the elements of p then adds up to the
largest of its similarities, so the two problems are the same.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.errors import MissingExtraError, ProblemError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]


class Levels(NamedTuple):
    """Edges and weights of the coverage problem, and what rounding to levels costs at most."""

    sets: Int64s
    elements: Int64s
    weights: Floats
    rounding: float


def nested_levels(similarity: Any, levels: int | None = None) -> Levels:
    """Turn similarities into nested elements.

    Parameters
    ----------
    similarity : array or scipy.sparse matrix, shape (n_sets, n_points)
        Similarities above 0 count; others are as good as none.
    levels : int, optional
        At most so many levels per point: similarities are rounded down to the smallest one in the
        same of as many equal parts of their range. A point with k similarities takes up to
        k (k + 1) / 2 edges without rounding, and up to k * levels with it.

    Returns
    -------
    Levels
        `rounding` is the sum over points of the largest amount that one of its similarities was
        lowered by. The true value of every selection is at least that of the coverage problem, and
        at most `rounding` above it.

    Examples
    --------
    >>> found = nested_levels(np.array([[1.0, 0.5], [0.2, 0.5]]))
    >>> found.weights, found.sets, found.elements
    (array([0.2, 0.8, 0.5]), array([1, 0, 0, 0, 1]), array([0, 0, 1, 2, 2]))
    """
    sets, points, values, n_points = _entries(similarity)
    order = np.lexsort((sets, values, points))
    sets, points, values = sets[order], points[order], values[order]
    is_first = np.ones(values.size, dtype=bool)
    is_first[1:] = points[1:] != points[:-1]
    parts = values if levels is None else _parts(values, is_first, levels)
    # a level begins where the point or the part changes; its threshold is its smallest value
    begins = is_first.copy()
    begins[1:] |= parts[1:] != parts[:-1]
    level = np.cumsum(begins) - 1
    threshold = values[begins]
    own_point = points[begins]
    below = np.concatenate(([0.0], threshold[:-1]))
    weights = threshold - np.where(is_first[begins], 0.0, below)
    lowered = np.zeros(n_points)
    np.maximum.at(lowered, points, values - threshold[level])
    # a set covers its own level of a point and all lower ones
    bottom = np.zeros(n_points, dtype=np.int64)
    bottom[own_point[is_first[begins]]] = np.flatnonzero(is_first[begins])
    depth = level - bottom[points] + 1
    ends = np.cumsum(depth)
    total = int(ends[-1]) if ends.size else 0
    steps = np.arange(total) - np.repeat(ends - depth, depth)
    return Levels(
        sets=np.repeat(sets, depth),
        elements=np.repeat(bottom[points], depth) + steps,
        weights=weights,
        rounding=float(lowered.sum() * (1 + 1e-12)),
    )


def _parts(values: Floats, is_first: NDArray[np.bool_], levels: int) -> Int64s:
    """Return in which of equal parts of the range of its point each value lies."""
    starts = np.flatnonzero(is_first)
    which = np.cumsum(is_first) - 1
    low = values[starts][which]
    high = np.maximum.reduceat(values, starts)[which] if starts.size else values
    width = np.where(high > low, high - low, 1.0)
    parts: Int64s = np.minimum((values - low) / width * levels, levels - 1).astype(np.int64)
    return parts


def _entries(similarity: Any) -> tuple[Int64s, Int64s, Floats, int]:
    """Return the positive entries of a matrix as rows, columns and values."""
    sparse = sys.modules.get("scipy.sparse")  # whoever has such a matrix has loaded it
    is_sparse = sparse is not None and sparse.issparse(similarity)
    matrix: Any = similarity if is_sparse else np.asarray(similarity)
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiub":
        raise ProblemError(
            "expected similarities as a matrix of numbers, one row per set and one column per "
            f"point, got {matrix.ndim} dimensions of {matrix.dtype}"
        )
    if is_sparse:
        matrix = matrix.tocsr().tocoo()  # entries at the same place are added up
        rows, columns, values = matrix.row, matrix.col, matrix.data
    else:
        rows, columns = np.nonzero(matrix)
        values = matrix[rows, columns]
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        raise ProblemError("expected finite similarities, got infinity or not a number")
    kept = values > 0
    rows, columns = rows[kept].astype(np.int64), columns[kept].astype(np.int64)
    return rows, columns, values[kept], int(matrix.shape[1])


def nearest(points: ArrayLike, neighbours: int) -> Any:
    """Return the similarities 1 / (1 + distance) of each point to its nearest ones, itself first.

    Column p holds the nearest points of p. Distances are Euclidean, found by SciPy's k-d tree,
    which is quick up to about ten dimensions. Memory grows with points times neighbours.

    Examples
    --------
    >>> nearest([[0.0], [1.0], [5.0]], 2).toarray()
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.2],
           [0. , 0. , 1. ]])
    """
    try:
        from scipy.sparse import coo_array
        from scipy.spatial import cKDTree
    except ImportError as error:
        raise MissingExtraError(
            "points need SciPy to find their neighbours: pip install 'maxcover[similarity]', or "
            "give the similarities"
        ) from error

    places = np.asarray(points, dtype=np.float64)
    if places.ndim != 2 or not np.isfinite(places).all():
        raise ProblemError("expected points as a matrix of finite numbers, one row per point")
    if not 1 <= neighbours <= len(places):
        raise ProblemError(f"expected 1 to {len(places)} neighbours, got {neighbours}")
    distances, found = cKDTree(places).query(places, k=range(1, neighbours + 1))
    columns = np.repeat(np.arange(len(places)), neighbours)
    values = 1.0 / (1.0 + np.ravel(distances))
    return coo_array((values, (np.ravel(found), columns)), shape=(len(places), len(places)))
