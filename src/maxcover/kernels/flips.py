"""Flips: a selection and what it covers, kept up to date one flip at a time.

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

Elements may give otherwise than once (`maxcover.core.returns`): by the number of their sets, by the
best of them, or by chance. Then a flip walks the column of every element of its set, and margins
count steps of a *guide*, in which what needs several sets counts a little from the first one on.
"""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log1p

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

    def curve_by(self, kinds, curve_ptr, curves, strengths) -> None:
        """Set what elements give by count, best set or chance; `strengths`: by rows, by columns."""
        self.is_curved, self.kinds, self.curve_ptr = True, kinds, curve_ptr
        self.curve, self.guide = curves
        self.strength, self.t_strength = strengths
        self.level, self.second = np.zeros((2, len(kinds)))

    def ask_for(self, floor_ptr, floor_of, floor_low) -> None:
        """Count what elements give together for each minimum; after `curve_by`."""
        self.has_floors, self.floor_ptr, self.floor_of = True, floor_ptr, floor_of
        self.floor_low, self.floor_has = floor_low, np.zeros(len(floor_low))


COUNT = cython.declare(cython.int, 0)
BEST = cython.declare(cython.int, 1)
NEVER = cython.declare(cython.double, -800.0)  # stands for the logarithm of 0


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


def log_miss(p):
    """Return log(1 - p), and a number far down for 1."""
    return log1p(-p) if p < 1.0 else NEVER


def step_of(steps, ptr, a, k):
    """Return the k-th step of an element, counted from 0; nothing after the last."""
    return steps[ptr[a] + k] if 0 <= k < ptr[a + 1] - ptr[a] else 0.0


def part_of(at, a, s, j):
    """Return what an element adds to the margin of a set that holds it with strength ``s``."""
    kind = at.kinds[a]
    if kind == COUNT:
        return step_of(at.guide, at.curve_ptr, a, at.elements[a].count - at.sets[j].selected)
    if kind == BEST:
        if not at.sets[j].selected:
            return max(s - at.level[a], 0.0)
        return at.level[a] - at.second[a] if at.elements[a].owner == j else 0.0
    weight = at.elements[a].weight * s
    return weight * exp(at.level[a] - (log_miss(s) if at.sets[j].selected else 0.0))


def hear(at, a, i, s):
    """Let an element of kind BEST or CHANCE hear of another selected set."""
    if at.kinds[a] != BEST:
        at.level[a] += log_miss(s)
    elif s > at.level[a]:
        at.second[a] = at.level[a]
        at.level[a] = s
        at.elements[a].owner = cython.cast(cython.int, i)
    elif s > at.second[a]:
        at.second[a] = s


def look_again(at, a):
    """Find what an element of kind BEST or CHANCE has of the selected sets."""
    at.level[a] = at.second[a] = 0.0
    at.elements[a].owner = -1
    for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
        j = at.t_indices[f]
        if at.sets[j].selected:
            hear(at, a, j, at.t_strength[f])


def given(at, a):
    """Return what an element of kind BEST or CHANCE gives."""
    if at.kinds[a] == BEST:
        return at.level[a]
    return at.elements[a].weight * (1.0 - exp(at.level[a])) if at.elements[a].count > 0 else 0.0


def give(at, a, more):
    """Count what an element gives more for the minima that it is part of."""
    if at.has_floors:
        for f in range(at.floor_ptr[a], at.floor_ptr[a + 1]):
            at.floor_has[at.floor_of[f]] += more


def chances(at, a, change):
    """Let the sets of an element know that the weight which is missed there has changed."""
    for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
        s = at.t_strength[f]
        if not at.sets[at.t_indices[f]].selected:
            at.sets[at.t_indices[f]].margin += s * change
        else:
            at.sets[at.t_indices[f]].margin += s / (1.0 - s) * change


def flip_any(at, i):
    """Add set ``i`` if it is out, drop it if it is in; return the change in value.

    Costs the columns of its elements.
    """
    entering = not at.sets[i].selected
    step = 1 if entering else -1
    margin = at.sets[i].margin
    change = 0.0
    for e in range(at.indptr[i], at.indptr[i + 1]):
        a = at.indices[e]
        kind = at.kinds[a]
        others = at.elements[a].count - (0 if entering else 1)
        if kind == COUNT:
            before = step_of(at.guide, at.curve_ptr, a, others)
            more = step * step_of(at.curve, at.curve_ptr, a, others)
            change += more
            give(at, a, more)
            outside = step * (step_of(at.guide, at.curve_ptr, a, others + 1) - before)
            inside = 0.0
            if others > 0:
                inside = step * (before - step_of(at.guide, at.curve_ptr, a, others - 1))
            at.elements[a].count += cython.cast(cython.int, step)
            if outside != 0.0 or inside != 0.0:
                for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
                    j = at.t_indices[f]
                    at.sets[j].margin += inside if at.sets[j].selected else outside
            continue
        s = at.strength[e]
        if kind != BEST and s < 1.0 and at.level[a] > 0.5 * NEVER and (entering or others > 0):
            # no selected set is sure: what sets could win here changes in proportion
            before = at.elements[a].weight * exp(at.level[a])
            at.level[a] += step * log_miss(s)
            outside = at.elements[a].weight * exp(at.level[a]) - before
            at.elements[a].count += cython.cast(cython.int, step)
            change -= outside
            give(at, a, -outside)
            if outside != 0.0:
                chances(at, a, outside)
            continue
        for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
            at.sets[at.t_indices[f]].margin -= part_of(at, a, at.t_strength[f], at.t_indices[f])
        before = given(at, a)
        at.elements[a].count += cython.cast(cython.int, step)
        at.sets[i].selected = entering
        if entering:
            hear(at, a, i, s)
        elif kind != BEST or at.elements[a].owner == i or s >= at.second[a]:
            look_again(at, a)
        more = given(at, a) - before
        change += more
        give(at, a, more)
        for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
            at.sets[at.t_indices[f]].margin += part_of(at, a, at.t_strength[f], at.t_indices[f])
        at.sets[i].selected = not entering
    at.sets[i].margin = margin
    at.sets[i].selected = entering
    at.extra += step * margin - change
    return change


def rebuild_any(at):
    """Recompute everything from the selection, as `rebuild` does; return the value."""
    value = 0.0
    guided = 0.0
    if at.has_floors:
        for f in range(at.floor_has.shape[0]):
            at.floor_has[f] = 0.0
    for a in range(at.elements.shape[0]):
        at.elements[a].count = 0
        more = 0.0
        for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
            at.elements[a].count += at.sets[at.t_indices[f]].selected
        if at.kinds[a] == COUNT:
            for k in range(at.elements[a].count):
                more += step_of(at.curve, at.curve_ptr, a, k)
                guided += step_of(at.guide, at.curve_ptr, a, k)
        else:
            look_again(at, a)
            more = given(at, a)
            guided += more
        value += more
        give(at, a, more)
    for j in range(at.sets.shape[0]):
        margin = 0.0
        for e in range(at.indptr[j], at.indptr[j + 1]):
            a = at.indices[e]
            margin += part_of(at, a, 0.0 if at.kinds[a] == COUNT else at.strength[e], j)
        at.sets[j].margin = margin
    at.extra = guided - value
    return value
