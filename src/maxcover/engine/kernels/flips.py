"""Flips: a selection and what it covers, updated one flip at a time.

One number per set answers both questions a local search asks. ``margin`` is the weight of the
elements of set ``i`` that no *other* selected set covers: the weight gained by adding ``i`` if it
is out, the weight lost by dropping it if it is in. It does not change when ``i`` itself flips.

A flip therefore touches other sets only where the number of selected covers of an element passes
between

* 0 and 1: the margin of every set that contains the element changes: one walk along its column;
* 1 and 2: the margin of the one other selected set that contains the element changes. ``owner``,
  the exclusive-or of the indices of the selected sets that contain the element, *is* that set when
  there is only one, so this costs O(1) for any column.

An element that many sets contain is almost always covered more than twice, so long columns are
walked rarely.

All fields of one set lie in one record, in one cache line, because a search on a large problem
jumps between sets.

The value of an element may depend on the number of its selected sets, on the best of them, or on
chance (`maxcover.engine.core.returns`). Then a flip walks the column of every element of its set.
Margins then count the steps of a *guide*, in which an element that needs several sets already
counts a little with the first one.
"""

import cython
import numpy as np
from cython.cimports.libc.math import exp, fabs, log1p

SET = np.dtype(
    [
        ("cost", np.float64),
        ("margin", np.float64),
        ("ticks", np.int64),
        ("free_at", np.int64),  # The first move that may flip the set again.
        ("place", np.int32),  # Index in the pool of sets that may move, or -1.
        ("selected", np.bool_),
        ("home", np.bool_),  # Whether the set is in the selection that a search returns to.
        ("best", np.bool_),  # Whether the set is in the best selection so far.
        ("touched", np.bool_),  # Whether the set was flipped since the search was at home.
        ("strayed", np.bool_),  # Whether `home` changed since it was copied to `best`.
        ("movable", np.bool_),  # Whether the set is neither required nor forbidden.
    ],
    align=True,
)
ELEMENT = np.dtype(
    [
        ("weight", np.float64),
        ("count", np.int32),  # Number of selected sets that contain the element.
        ("owner", np.int32),  # Exclusive-or of the indices of these sets; of one set, its index.
    ],
    align=True,
)


class Flips:
    """A selection of sets (``selected`` in their records), with counts and margins kept up to date.

    ``graph`` is ``(indptr, indices, t_indptr, t_indices)``. The records are changed in place.
    """

    def __init__(self, graph, sets, elements) -> None:
        self.indptr, self.indices, self.t_indptr, self.t_indices = graph
        self.sets, self.elements = sets, elements

    def curve_by(self, kinds, curve_ptr, curves, strengths) -> None:
        """Set how each element gives value: by count, by its best set or by chance (`kinds`).

        `curves` are the steps of the value and of the guide. `strengths` are those of the edges,
        once in row order and once in column order.
        """
        self.is_curved, self.kinds, self.curve_ptr = True, kinds, curve_ptr
        self.curve, self.guide = curves
        self.strength, self.t_strength = strengths
        self.level, self.second = np.zeros((2, len(kinds)))

    def ask_for(self, floor_ptr, floor_of, floor_low) -> None:
        """Track the value reached for each minimum constraint on value; call `curve_by` first.

        Element a is part of the minima ``floor_of[floor_ptr[a]:floor_ptr[a + 1]]``.
        """
        self.has_floors, self.floor_ptr, self.floor_of = True, floor_ptr, floor_of
        self.floor_low, self.floor_has = floor_low, np.zeros(len(floor_low))


COUNT = cython.declare(cython.int, 0)
BEST = cython.declare(cython.int, 1)
# Stands for the logarithm of 0. A sum of logarithms of chances stays far above it, though it may be
# below -745, where its exponential is 0.
NEVER = cython.declare(cython.double, -1e5)
# Margins follow the weight that an element is expected to miss (kind CHANCE) only once it has moved
# by this fraction of the weight of the element. Where many chosen sets hold an element it moves by
# less, and all its other sets need not be visited.
FAINT = cython.declare(cython.double, 1e-4)


def rebuild(at):
    """Recompute counts, owners and margins from the selection; return the weight covered.

    Linear in the edges. Removes the rounding errors that accumulate over flips.
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
    """Return log(1 - p), the logarithm of the probability to miss; NEVER if p is 1."""
    return log1p(-p) if p < 1.0 else NEVER


def step_of(steps, ptr, a, k):
    """Return what one more set adds to element `a` if `k` sets are selected; 0.0 after its last.

    The steps of element `a` are ``steps[ptr[a]:ptr[a + 1]]``.
    """
    return steps[ptr[a] + k] if 0 <= k < ptr[a + 1] - ptr[a] else 0.0


def part_of(at, a, s, j):
    """Return what element `a` adds to the margin of set `j`, which holds it with strength ``s``."""
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
    """Update element `a` (kind BEST or CHANCE) for one more selected set `i` of strength `s`."""
    if at.kinds[a] != BEST:
        at.level[a] += log_miss(s)
        at.second[a] = at.elements[a].weight * exp(at.level[a])
    elif s > at.level[a]:
        at.second[a] = at.level[a]
        at.level[a] = s
        at.elements[a].owner = cython.cast(cython.int, i)
    elif s > at.second[a]:
        at.second[a] = s


def look_again(at, a):
    """Recompute the level of element `a` (kind BEST or CHANCE) from its selected sets."""
    at.level[a] = 0.0
    at.second[a] = 0.0 if at.kinds[a] == BEST else at.elements[a].weight
    at.elements[a].owner = -1
    for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
        j = at.t_indices[f]
        if at.sets[j].selected:
            hear(at, a, j, at.t_strength[f])


def given(at, a):
    """Return the value that element `a` (kind BEST or CHANCE) gives."""
    if at.kinds[a] == BEST:
        return at.level[a]
    return at.elements[a].weight * (1.0 - exp(at.level[a])) if at.elements[a].count > 0 else 0.0


def give(at, a, more):
    """Add `more` to the value reached for each minimum constraint that element `a` is part of."""
    if at.has_floors:
        for f in range(at.floor_ptr[a], at.floor_ptr[a + 1]):
            at.floor_has[at.floor_of[f]] += more


def chances(at, a, change):
    """Update margins of the sets of element `a` after its expected missed weight changed."""
    for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
        s = at.t_strength[f]
        if not at.sets[at.t_indices[f]].selected:
            at.sets[at.t_indices[f]].margin += s * change
        else:
            at.sets[at.t_indices[f]].margin += s / (1.0 - s) * change


def flip_any(at, i):
    """Add set ``i`` if it is out, drop it if it is in; return the change in value.

    The time is linear in the columns of its elements.
    """
    entering = not at.sets[i].selected
    step = 1 if entering else -1
    change, guided = 0.0, 0.0
    for e in range(at.indptr[i], at.indptr[i + 1]):
        a = at.indices[e]
        kind = at.kinds[a]
        others = at.elements[a].count - (0 if entering else 1)
        if kind == COUNT:
            before = step_of(at.guide, at.curve_ptr, a, others)
            more = step * step_of(at.curve, at.curve_ptr, a, others)
            change += more
            guided += step * before
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
        if kind != BEST and s < 1.0 and at.level[a] > 0.5 * NEVER:
            # No selected set covers the element for certain, so the margins of all its sets change
            # in proportion to the missed weight.
            before = at.elements[a].weight * exp(at.level[a])
            at.level[a] = at.level[a] + step * log_miss(s) if entering or others > 0 else 0.0
            after = at.elements[a].weight * exp(at.level[a])
            at.elements[a].count += cython.cast(cython.int, step)
            change += before - after
            guided += before - after
            give(at, a, before - after)
            if fabs(after - at.second[a]) > FAINT * at.elements[a].weight:
                chances(at, a, after - at.second[a])
                at.second[a] = after
            continue
        if kind != BEST:
            chances(at, a, at.elements[a].weight * exp(at.level[a]) - at.second[a])
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
        guided += more
        give(at, a, more)
        for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
            at.sets[at.t_indices[f]].margin += part_of(at, a, at.t_strength[f], at.t_indices[f])
        at.sets[i].selected = not entering
    # What a set adds beside the others is the same before and after its flip.
    at.sets[i].margin = step * guided
    at.sets[i].selected = entering
    at.extra += guided - change
    return change


def rebuild_any(at):
    """Recompute everything from the selection, as `rebuild` does, for elements of any kind."""
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
