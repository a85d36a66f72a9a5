"""A selection and what it covers, kept up to date one flip at a time.

One number per set answers both questions a local search asks. ``margin`` is the weight of the
elements of set ``i`` that no *other* selected set covers: the weight gained by adding ``i`` if it
is out, the weight lost by dropping it if it is in. It does not change when ``i`` itself flips.

A flip therefore touches other sets only where the number of selected covers of an element passes
between

* 0 and 1: every set that contains the element gains or loses a chance: one walk along its column;
* 1 and 2: the one other selected cover gains or loses the element. ``owner``, the exclusive-or of
  the selected sets that contain the element, *is* that cover when there is only one, so this costs
  O(1) for any column.

An element that many sets contain is almost always covered more than twice, so hubs are walked
rarely.

What belongs to one set lies in one record, in one cache line: a search on a large problem jumps
between sets.
"""

import cython
import numpy as np
from cython.cimports.maxcover.kernels.arrays import Indices, Offsets

SET = np.dtype(
    [
        ("cost", np.float64),
        ("margin", np.float64),
        ("ticks", np.int64),
        ("free_at", np.int64),  # the move from which a search may flip it again
        ("place", np.int32),  # its position among the sets in play, -1 if out of play
        ("selected", np.bool_),
        ("home", np.bool_),  # in the selection that a search returns to
        ("best", np.bool_),  # in its best selection
        ("touched", np.bool_),  # flipped since the search was at home
        ("strayed", np.bool_),  # flipped at home since home was best
        ("movable", np.bool_),  # neither required nor forbidden
    ],
    align=True,
)
ELEMENT = np.dtype(
    [
        ("weight", np.float64),
        ("count", np.int32),  # selected sets that contain it
        ("owner", np.int32),  # their exclusive-or: the cover itself where count is 1
    ],
    align=True,
)


def rebuild_all(indptr, indices, sets, elements):
    """Recompute counts, owners and margins from the selection; return the weight covered.

    Linear in the edges. Wipes out the rounding that the flips of floating-point weights pile up.
    """
    for a in range(elements.shape[0]):
        elements[a].count = 0
        elements[a].owner = 0
    for i in range(sets.shape[0]):
        if sets[i].selected:
            for e in range(indptr[i], indptr[i + 1]):
                elements[indices[e]].count += 1
                elements[indices[e]].owner ^= i
    for i in range(sets.shape[0]):
        alone = 1 if sets[i].selected else 0
        margin = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            if elements[indices[e]].count == alone:
                margin += elements[indices[e]].weight
        sets[i].margin = margin
    value = 0.0
    for a in range(elements.shape[0]):
        if elements[a].count > 0:
            value += elements[a].weight
    return value


def rebuild(indptr: Offsets, indices: Indices, sets: Sets, elements: Elements) -> float:
    """Recompute everything; see `rebuild_all`."""
    with cython.nogil:
        value = rebuild_all(indptr, indices, sets, elements)
    return value
