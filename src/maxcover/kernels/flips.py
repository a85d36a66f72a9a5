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

import numpy as np

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


class Flips:
    """A selection of sets, ``selected`` in their records, and what it covers.

    ``graph`` is ``(indptr, indices, t_indptr, t_indices)``. The records are changed in place.
    """

    def __init__(self, graph, sets, elements) -> None:
        self.indptr, self.indices, self.t_indptr, self.t_indices = graph
        self.sets, self.elements = sets, elements


def rebuild(at):
    """Recompute counts, owners and margins from the selection; return the weight covered.

    Linear in the edges. Wipes out the rounding that the flips of floating-point weights pile up.
    """
    for a in range(at.elements.shape[0]):
        at.elements[a].count = 0
        at.elements[a].owner = 0
    for i in range(at.sets.shape[0]):
        if at.sets[i].selected:
            for e in range(at.indptr[i], at.indptr[i + 1]):
                at.elements[at.indices[e]].count += 1
                at.elements[at.indices[e]].owner ^= i
    for i in range(at.sets.shape[0]):
        alone = 1 if at.sets[i].selected else 0
        margin = 0.0
        for e in range(at.indptr[i], at.indptr[i + 1]):
            if at.elements[at.indices[e]].count == alone:
                margin += at.elements[at.indices[e]].weight
        at.sets[i].margin = margin
    value = 0.0
    for a in range(at.elements.shape[0]):
        if at.elements[a].count > 0:
            value += at.elements[a].weight
    return value
