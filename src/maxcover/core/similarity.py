"""Similarity of points to their nearest points, for facility location."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.errors import ProblemError
from maxcover.extras import import_extra

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def nearest(points: ArrayLike, neighbours: int) -> Any:
    """Return a sparse matrix of similarities 1 / (1 + distance) to the nearest points.

    Column p holds the `neighbours` nearest points of p, itself included. Distances are Euclidean,
    found by SciPy's k-d tree, which is quick up to about ten dimensions. Memory grows with points
    times neighbours.

    Examples
    --------
    >>> nearest([[0.0], [1.0], [5.0]], 2).toarray()
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.2],
           [0. , 0. , 1. ]])
    """
    needed = (
        "points need SciPy to find their neighbours: pip install 'maxcover[similarity]', or give "
        "the similarities"
    )
    sparse, spatial = (import_extra(name, needed) for name in ("scipy.sparse", "scipy.spatial"))
    places = np.asarray(points, dtype=np.float64)
    if places.ndim != 2 or not np.isfinite(places).all():
        raise ProblemError("expected points as a matrix of finite numbers, one row per point")
    if not 1 <= neighbours <= len(places):
        raise ProblemError(f"expected 1 to {len(places)} neighbours, got {neighbours}")
    distances, found = spatial.cKDTree(places).query(places, k=range(1, neighbours + 1))
    columns = np.repeat(np.arange(len(places)), neighbours)
    values = 1.0 / (1.0 + np.ravel(distances))
    return sparse.coo_array((values, (np.ravel(found), columns)), shape=(len(places), len(places)))
