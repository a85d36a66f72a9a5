"""Levels: passes over the edges of elements with strengths, for `maxcover.engine.solvers.descent`.

Edges are sorted by element: those of element a are ``starts[a]`` to ``starts[a + 1]``.
"""

import cython
from cython.cimports.maxcover.engine.kernels.arrays import (
    Bools,
    Floats,
    FloatsOut,
    Indices,
    Offsets,
)


def pay(
    starts: Offsets, sets: Indices, strength: Floats, won: Floats, chance: Bools, weights: Floats,
    level: Floats, income: FloatsOut, slope: FloatsOut,
) -> None:  # fmt: skip
    """Add what each edge pays to the `income` of its set; write its `slope` by the level.

    `chance` says which elements are of kind CHANCE.
    """
    paid: cython.double
    by_chance: cython.double
    rest: cython.double
    share: cython.double
    with cython.nogil:
        for a in range(level.shape[0]):
            rest = weights[a] - level[a]
            for e in range(starts[a], starts[a + 1]):
                # These forms compile without branches, which would be mispredicted half the time.
                paid = won[e] - level[a]
                by_chance = strength[e] * rest if chance[a] else paid
                share = strength[e] if by_chance < paid else 1.0
                paid = by_chance if by_chance < paid else paid
                slope[e] = -share if paid > 0.0 else 0.0
                income[sets[e]] += paid if paid > 0.0 else 0.0


def steps_of(
    starts: Offsets, sets: Indices, slope: Floats, selection: Floats, level: Floats, top: Floats,
    own: FloatsOut, last: FloatsOut, steps: FloatsOut,
    longer: cython.double, shorter: cython.double, least: cython.double,
) -> float:  # fmt: skip
    """Write a step of each level, for a fractional selection; return steps times slopes, summed.

    A step is the derivative of the bound by the level, times the range of the level and its length
    `own`: times `longer`, but at most 1, if the slope has the sign of the `last` one, and times
    `shorter`, but at least `least`, if it has the other.
    """
    size: cython.double = 0.0
    total: cython.double
    length: cython.double
    with cython.nogil:
        for a in range(level.shape[0]):
            total = 1.0
            for e in range(starts[a], starts[a + 1]):
                total += slope[e] * selection[sets[e]]
            if (total > 0.0 and level[a] <= 0.0) or (total < 0.0 and level[a] >= top[a]):
                total = 0.0
            length = own[a]
            if total * last[a] > 0.0:
                length = min(length * longer, 1.0)
            elif total * last[a] < 0.0:
                length = max(length * shorter, least)
            own[a] = length
            last[a] = total
            steps[a] = total * top[a] * length
            size += total * steps[a]
    return float(size)


def prefixes(
    starts: Offsets, order: Indices, strength: Floats, chance: Bools, weights: Floats,
    won: FloatsOut,
) -> None:  # fmt: skip
    """Write what the sets of each element of kind CHANCE reach together, up to each in `order`."""
    missed: cython.double
    with cython.nogil:
        for a in range(weights.shape[0]):
            if chance[a]:
                missed = 1.0
                for k in range(starts[a], starts[a + 1]):
                    missed *= 1.0 - strength[order[k]]
                    won[order[k]] = weights[a] * (1.0 - missed)
