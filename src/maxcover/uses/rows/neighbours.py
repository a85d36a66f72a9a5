"""Neighbours: nearest rows by products of blocks: exactly, or in cells of k-means.

Both search for the largest products of a row with others. For unit vectors these products are
the cosines. The squared distance of x and y is |x|² - 2 (x·y - |y|²/2), so with one more coordinate
the nearest points have the largest products too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from maxcover.errors import ProblemError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    Vectors = NDArray[np.floating]
    Indices = NDArray[np.int32]
    # Some rows, and the rows among which they look for their neighbours.
    Groups = Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]

MetricName = Literal["cosine", "euclidean"]
SearchName = Literal["auto", "exact", "cells"]

# Up to this many rows, "auto" compares every row with every other.
EXACT_ROWS = 30_000
# Rows per block of a matrix product.
_BLOCK = 512
# k-means: points sampled per cell, rounds of fitting, and the number of nearest cells in which the
# neighbours of a row are looked for.
SAMPLE, _ROUNDS, _PROBED = 40, 6, 12


class Lists(NamedTuple):
    """The `k` nearest rows of every row, the row itself among them.

    Attributes
    ----------
    rows : array of int32, shape (n, k)
    similarity : array of float64, shape (n, k)
    exact : bool
        Whether every row that is not listed is farther than the listed ones, up to `margin`.
    margin : float
        Largest rounding error of a similarity.
    """

    rows: Indices
    similarity: NDArray[np.float64]
    exact: bool
    margin: float


def bytes_needed(n: int, dimensions: int, k: int = 20) -> int:
    """Estimate the bytes of memory that selecting among `n` vectors of a file takes.

    Counted are the interpreter with its libraries, the vectors once, the neighbour lists, and the
    problem with its transpose and the data of the search per edge. Not counted is the copy that is
    made of vectors that are not of length 1 or not float32.

    Examples
    --------
    >>> f"{bytes_needed(1_000_000, 384, 10) / 1e9:.1f} GB"
    '3.5 GB'
    """
    return 230_000_000 + n * (4 * dimensions + 132 * k + 400)


def find_neighbours(
    vectors: Vectors,
    k: int = 20,
    *,
    metric: MetricName = "cosine",
    search: SearchName = "auto",
    seed: int = 0,
) -> Lists:
    """Return the `k` nearest rows of every row.

    Parameters
    ----------
    vectors : array, shape (n, d)
    k : int
        Number of nearest rows, the row itself included.
    metric : {"cosine", "euclidean"}
        "cosine": the similarity is the cosine. "euclidean": it is 1 / (1 + distance).
    search : {"auto", "exact", "cells"}
        "exact" multiplies all pairs, "cells" looks into the twelve nearest of sqrt(n) cells of
        k-means. "auto" is exact up to 30,000 rows, and cells above.
    seed : int
        Random seed of the cells.

    Examples
    --------
    >>> find_neighbours(np.array([[1.0, 0], [1, 0.1], [0, 1]]), 2).rows.tolist()
    [[0, 1], [1, 0], [2, 1]]
    """
    given = np.asarray(vectors)
    if given.ndim != 2 or given.dtype.kind not in "fiu" or not given.shape[1]:
        raise ProblemError(
            "expected the vectors of the rows as a matrix of numbers, got "
            f"{given.ndim} dimensions of {given.dtype}"
        )
    if not np.isfinite(given).all():
        raise ProblemError(
            "expected rows with vectors of finite numbers, got infinity or not a number"
        )
    n, d = given.shape
    k = min(int(k), n)
    if not n:
        return Lists(np.zeros((0, k), np.int32), np.zeros((0, k)), True, 0.0)
    queries, base = _lifted(given) if metric == "euclidean" else (unit(given),) * 2
    is_exact = search == "exact" or (search == "auto" and n <= EXACT_ROWS)
    groups = _every_row(n) if is_exact else _cells(queries[:, :d], k, seed)
    found, products = nearest(queries, base, groups, k)
    if metric == "euclidean":
        similarity: Vectors = _nearness(given, found)
        largest = float((given.astype(np.float64) ** 2).sum(axis=1).max())
        # A distance near 0 is the square root of a rounding error, so the margin is a square root
        # too.
        margin = float(np.sqrt((d + 8) * 2.0**-50 * largest))
    else:
        similarity = products
        margin = (d + 8) * 2.0**-23
    return Lists(*nearest_first(found, similarity), is_exact, margin)


def nearest_first(found: Indices, similarity: Vectors) -> tuple[Indices, NDArray[np.float64]]:
    """Sort each list by similarity, largest first; similarities are clipped to 0..1."""
    clipped = np.clip(similarity.astype(np.float64), 0.0, 1.0)
    order = np.argsort(-clipped, axis=1, kind="stable")
    return np.take_along_axis(found, order, 1), np.take_along_axis(clipped, order, 1)


def unit(given: Vectors) -> Vectors:
    """Return the vectors scaled to length one; no copy if all have that length already."""
    length = np.sqrt(np.einsum("ij,ij->i", given, given, dtype=np.float64))
    for row in np.flatnonzero(length == 0)[:1]:
        raise ProblemError(f"expected vectors other than zero for cosines, got row {row}")
    found = np.ascontiguousarray(given, dtype=np.float32)
    off = np.flatnonzero(np.abs(length - 1.0) > 1e-6)
    if off.size and found is given:
        found = found.copy()
    for a in range(0, off.size, _BLOCK):
        some = off[a : a + _BLOCK]
        found[some] /= length[some, None]
    return found


def _lifted(given: Vectors) -> tuple[Vectors, Vectors]:
    """Return (queries, base) with one more column: larger products mean smaller distances."""
    places = given.astype(np.float64) - given.mean(axis=0, dtype=np.float64)
    half = np.einsum("ij,ij->i", places, places) / -2.0
    one = np.ones((len(places), 1))
    return np.hstack([places, one]), np.hstack([places, half[:, None]])


def _nearness(given: Vectors, found: Indices) -> NDArray[np.float64]:
    similarity = np.empty(found.shape)
    for a in range(0, len(given), _BLOCK):
        apart = given[found[a : a + _BLOCK]].astype(np.float64) - given[a : a + _BLOCK, None]
        similarity[a : a + _BLOCK] = 1.0 / (1.0 + np.sqrt(np.einsum("ijk,ijk->ij", apart, apart)))
    return similarity


def _every_row(n: int) -> Groups:
    """Yield one group: every row looks for its neighbours among all rows."""
    every = np.arange(n)
    yield every, every


def _cells(points: Vectors, k: int, seed: int) -> Groups:
    """Return the groups of the k-means cells of `points`."""
    centres = centres_of(points, cells_for(len(points)), seed)
    cell = assigned(points, centres)
    probed = probed_cells(centres, np.bincount(cell, minlength=len(centres)), k)
    return in_cells(cell, dict(enumerate(probed)))


def cells_for(n: int) -> int:
    """Return the number of k-means cells for `n` rows."""
    return max(1, int(n**0.5))


def probed_cells(centres: Vectors, sizes: NDArray[np.int64], k: int) -> list[NDArray[np.int64]]:
    """Return for each cell the cells in which its rows look for neighbours, itself first.

    These are the twelve nearest cells, and more until they hold 4 `k` rows.
    """
    closest = np.argsort(-_nearer(centres, centres), axis=1, kind="stable")
    enough = [int(np.searchsorted(np.cumsum(sizes[row]), 4 * k)) + 1 for row in closest]
    return [row[: max(_PROBED, count)] for row, count in zip(closest, enough, strict=True)]


def in_cells(cell: NDArray[np.int64], probed: Mapping[int, NDArray[np.int64]]) -> Groups:
    """Yield for each cell in `probed` its rows, and the rows of the cells listed for it."""
    order = np.argsort(cell, kind="stable")
    cuts = np.searchsorted(cell[order], np.arange(max(map(int, [*probed, cell.max()])) + 2))
    for i, cells in probed.items():
        own = order[cuts[i] : cuts[i + 1]]
        if own.size:
            near = [order[cuts[j] : cuts[j + 1]] for j in cells if j + 1 < cuts.size]
            yield own, np.concatenate(near)


def nearest(queries: Vectors, base: Vectors, groups: Groups, k: int) -> tuple[Indices, Vectors]:
    """Return for each row the rows of its group with the largest products, in any order.

    The results for rows of no group are meaningless.
    """
    found = np.zeros((len(base), k), dtype=np.int32)
    products = np.zeros((len(base), k), dtype=queries.dtype)
    for own, near in groups:
        among = base if near is own else base[near]  # no copy for the group of all rows
        for a in range(0, own.size, _BLOCK):
            rows = own[a : a + _BLOCK]
            block = queries[rows] @ among.T
            # The columns of the k largest products of each row, in any order.
            best = np.argpartition(block, near.size - k, axis=1)[:, near.size - k :]
            found[rows] = near[best]
            products[rows] = np.take_along_axis(block, best, 1)
    return found, products


def centres_of(points: Vectors, size: int, seed: int) -> Vectors:
    """Return k-means centres, fitted to forty points per centre."""
    rng = np.random.default_rng(seed)
    size = min(size, len(points))
    drawn = rng.choice(len(points), min(len(points), size * SAMPLE), replace=False)
    sample = points[np.sort(drawn)]
    centres = sample[rng.choice(len(sample), size, replace=False)].copy()
    for _ in range(_ROUNDS):
        cell = assigned(sample, centres)
        order = np.argsort(cell, kind="stable")
        used, starts, counts = np.unique(cell[order], return_index=True, return_counts=True)
        centres[used] = np.add.reduceat(sample[order], starts, axis=0) / counts[:, None]
    return centres


def assigned(points: Vectors, centres: Vectors) -> NDArray[np.int64]:
    """Return the index of the nearest centre of each point."""
    blocks = range(0, len(points), 16 * _BLOCK)
    return np.concatenate([_nearer(points[a : a + 16 * _BLOCK], centres).argmax(1) for a in blocks])


def _nearer(points: Vectors, centres: Vectors) -> Vectors:
    """Return scores (n_points, n_centres); a larger score means a nearer centre."""
    found: Vectors = points @ centres.T - np.einsum("ij,ij->i", centres, centres) / 2
    return found
