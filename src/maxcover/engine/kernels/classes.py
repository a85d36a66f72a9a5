"""Classes: elements that lie in the same sets, found by splitting classes row by row."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t


def refine(indptr, indices, usable, class_of, size, child, touched, freed):
    """Give two elements the same class if and only if the same usable sets contain them.

    Each row splits every class into the elements that the row contains and the others. Class 0
    keeps the elements that no row contains. The number of an emptied class is reused. Linear in the
    edges.
    """
    fresh = 1
    n_freed = 0
    for i in range(indptr.shape[0] - 1):
        if not usable[i]:
            continue
        n_touched = 0
        for e in range(indptr[i], indptr[i + 1]):
            old = class_of[indices[e]]
            if child[old] == 0:
                touched[n_touched] = old
                n_touched += 1
                if n_freed > 0:
                    n_freed -= 1
                    child[old] = freed[n_freed]
                else:
                    child[old] = fresh
                    fresh += 1
            class_of[indices[e]] = child[old]
            size[old] -= 1
            size[child[old]] += 1
        for k in range(n_touched):
            child[touched[k]] = 0
            if size[touched[k]] == 0 and touched[k] != 0:
                freed[n_freed] = touched[k]
                n_freed += 1


def number(weights, class_of, place, totals):
    """Renumber the classes of positive weight from 0, in the order of their first elements.

    Elements of class 0 or of weight 0 get -1. Writes the weight of each class to `totals`; returns
    the number of classes.
    """
    found = 0
    for a in range(weights.shape[0]):
        old = class_of[a]
        if old == 0 or weights[a] == 0.0:
            class_of[a] = -1
            continue
        if place[old] < 0:
            place[old] = found
            totals[found] = 0.0
            found += 1
        class_of[a] = place[old]
        totals[place[old]] += weights[a]
    return found


def classes(
    indptr: Offsets, indices: Indices, weights: Floats, usable: Bools, class_of: IndicesOut
):
    """Write the class of each element to `class_of`, and return the weight of each class.

    Elements that no usable set contains, or of weight 0, have class -1.
    """
    n = weights.shape[0]
    # A row may split every class in two, so up to two numbers per element are in use at once.
    size: IndicesOut = np.zeros(2 * n + 2, dtype=np.int32)
    child: IndicesOut = np.zeros(2 * n + 2, dtype=np.int32)
    touched: IndicesOut = np.empty(n + 1, dtype=np.int32)
    freed: IndicesOut = np.empty(2 * n + 2, dtype=np.int32)
    total = np.empty(n)
    totals: FloatsOut = total
    found: int64_t
    with cython.nogil:
        class_of[:] = 0
        size[0] = n
        refine(indptr, indices, usable, class_of, size, child, touched, freed)
        child[:] = -1
        found = number(weights, class_of, child, totals)
    return total[:found].copy()


def merge(
    indptr: Offsets,
    indices: Indices,
    usable: Bools,
    class_of: Indices,
    starts: OffsetsOut,
    merged: IndicesOut,
) -> int:
    """Write the classes of each usable set to `merged`, ascending; return the number of entries."""
    kept: int64_t = 0
    begin: int64_t
    with cython.nogil:
        for i in range(indptr.shape[0] - 1):
            begin = kept
            if usable[i]:
                for e in range(indptr[i], indptr[i + 1]):
                    # Classes are numbered by first element, and a set holds a class whole or not at
                    # all. So a class that is new in this set has the highest number so far.
                    if class_of[indices[e]] >= 0 and (
                        kept == begin or class_of[indices[e]] > merged[kept - 1]
                    ):
                        merged[kept] = class_of[indices[e]]
                        kept += 1
            starts[i + 1] = kept
    return kept
