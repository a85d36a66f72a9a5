"""What shards and element blocks of a graph that lies in many places compute besides a sweep."""

import math

from maxcover.kernels.arrays import Bools, Floats, Indices, Offsets
from maxcover.kernels.extended import ODDS_CAP, fold, join
from maxcover.kernels.jit import kernel


@kernel
def absorb(table: Floats, places: Indices, part: Floats) -> None:
    """Combine what one shard heard about some elements into the (rest, top) of all of them.

    The rule of `maxcover.kernels.bp.merge`: associative, so shards combine like blocks of rows.
    """
    for k in range(places.size):
        a = places[k]
        rest, top = table[a, 0], table[a, 1]
        other, another = part[k, 0], part[k, 1]
        if rest >= 0.0 and other >= 0.0:
            small = another if another < top else top
            top = top if another < top else another
            rest = rest + small + rest * small
            rest = min(rest + other + rest * other, ODDS_CAP)
        else:
            rest, top = fold(join(rest, other), top, another)
        table[a, 0], table[a, 1] = rest, top


@kernel
def hear(table: Floats, heavy: Bools, part: Floats, first: int) -> None:
    """Begin a sweep for a range of elements: their (rest, top) from all shards, nothing new yet."""
    for k in range(part.shape[0]):
        a = first + k
        table[a, 0] = part[k, 0]
        table[a, 1] = part[k, 1]
        table[a, 2] = -math.inf if heavy[a] else 0.0
        table[a, 3] = 0.0


@kernel
def column_sums(indptr: Offsets, indices: Indices, values: Floats, sums: Floats) -> None:
    """Add the value of every set to the sums of its elements."""
    for i in range(values.size):
        if values[i] != 0.0:
            for e in range(indptr[i], indptr[i + 1]):
                sums[indices[e]] += values[i]
