"""Levels: passes over the edges of elements with strengths, for `maxcover.solvers.descent`.

Edges are sorted by element: those of element a are ``starts[a]`` to ``starts[a + 1]``.
"""

import cython
from cython.cimports.maxcover.kernels.arrays import Bools, Floats, FloatsOut, Indices, Offsets


def pay(
    starts: Offsets, sets: Indices, strength: Floats, won: Floats, chance: Bools, weights: Floats,
    level: Floats, income: FloatsOut, slope: FloatsOut,
) -> None:  # fmt: skip
    """Add what each edge pays to the `income` of its set; write its `slope` by the level.

    `chance` says which elements are of kind CHANCE.
    """
    paid: cython.double
    by_chance: cython.double
    with cython.nogil:
        for a in range(level.shape[0]):
            for e in range(starts[a], starts[a + 1]):
                slope[e] = 0.0
                paid = won[e] - level[a]
                if paid > 0.0:
                    slope[e] = -1.0
                    by_chance = strength[e] * (weights[a] - level[a])
                    if chance[a] and by_chance < paid:
                        paid = max(by_chance, 0.0)
                        slope[e] = -strength[e]
                    income[sets[e]] += paid


def slopes_of(
    starts: Offsets, sets: Indices, slope: Floats, selection: Floats, slopes: FloatsOut
) -> None:
    """Write the derivative of the bound by each level, for a fractional selection."""
    total: cython.double
    with cython.nogil:
        for a in range(slopes.shape[0]):
            total = 1.0
            for e in range(starts[a], starts[a + 1]):
                total += slope[e] * selection[sets[e]]
            slopes[a] = total
