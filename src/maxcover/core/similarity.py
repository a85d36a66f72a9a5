"""Similarities for facility location: each element gives the best similarity to a chosen set."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.errors import MissingExtraError, ProblemError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]


def entries(similarity: Any) -> tuple[Int64s, Int64s, Floats, tuple[int, int]]:
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
    return rows, columns, values[kept], (int(matrix.shape[0]), int(matrix.shape[1]))


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
