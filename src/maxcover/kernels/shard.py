"""What shards and element blocks of a graph that lies in many places compute besides a sweep."""

import cython
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.arrays import (
    Bools,
    Floats,
    FloatsOut,
    Indices,
    Offsets,
    Table,
)
from cython.cimports.maxcover.kernels.extended import fold, join
from cython.cimports.maxcover.kernels.limits import INF, ODDS_CAP


def absorb(table: Table, places: Indices, part: Table) -> None:
    """Combine what one shard heard about some elements into the (rest, top) of all of them.

    The rule of `maxcover.kernels.bp.merge`: associative, so shards combine like blocks of rows.
    """
    rest: cython.double
    top: cython.double
    other: cython.double
    another: cython.double
    small: cython.double
    for k in range(places.shape[0]):
        a = places[k]
        rest = table[a, 0]
        top = table[a, 1]
        other = part[k, 0]
        another = part[k, 1]
        if rest >= 0.0 and other >= 0.0:
            small = another if another < top else top
            top = top if another < top else another
            rest = rest + small + rest * small
            rest = min(rest + other + rest * other, ODDS_CAP)
        else:
            rest, top = fold(join(rest, other), top, another)
        table[a, 0] = rest
        table[a, 1] = top


def hear(table: Table, heavy: Bools, part: Table, first: int64_t) -> None:
    """Begin a sweep for a range of elements: their (rest, top) from all shards, nothing new yet."""
    for k in range(part.shape[0]):
        a = first + k
        table[a, 0] = part[k, 0]
        table[a, 1] = part[k, 1]
        table[a, 2] = -INF if heavy[a] else 0.0
        table[a, 3] = 0.0


def column_sums(indptr: Offsets, indices: Indices, values: Floats, sums: FloatsOut) -> None:
    """Add the value of every set to the sums of its elements."""
    for i in range(values.shape[0]):
        if values[i] != 0.0:
            for e in range(indptr[i], indptr[i + 1]):
                sums[indices[e]] += values[i]
