"""Rows: edges sorted into rows (CSR) by counting, in linear time; then sorted within each row."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.libc.stdlib import qsort
from cython.cimports.maxcover.engine.kernels.arrays import (
    BoolsOut,
    Indices,
    IndicesOut,
    Offsets,
    OffsetsOut,
)


def to_starts(counts):
    """Turn counts into the starts of rows, in place; ``counts[i + 1]`` is the length of row i."""
    for i in range(1, counts.shape[0]):
        counts[i] += counts[i - 1]


def to_previous(starts):
    """Shift `starts` back by one row, after filling has moved each start to the end of its row."""
    for i in range(starts.shape[0] - 1, 0, -1):
        starts[i] = starts[i - 1]
    starts[0] = 0


def compare(one, other):
    """Compare two column numbers, as `qsort` asks for."""
    left = cython.cast(cython.pointer(int32_t), one)[0]
    right = cython.cast(cython.pointer(int32_t), other)[0]
    return (left > right) - (left < right)


def sort_row(indices, begin, end):
    """Sort one row in place; a row that is already sorted takes one pass."""
    for e in range(begin + 1, end):
        column = indices[e]
        if column < indices[e - 1]:
            if end - begin > SHORT:
                qsort(cython.address(indices[begin]), end - begin, cython.sizeof(int32_t), compare)
                return
            f = e
            while f > begin and indices[f - 1] > column:
                indices[f] = indices[f - 1]
                f -= 1
            indices[f] = column


def mark_columns(indptr: Offsets, indices: Indices, rows: Offsets, marked: BoolsOut) -> None:
    """Mark the columns of the given rows; raise IndexError for a row number out of range."""
    absent: int64_t = -1
    n_rows: int64_t = indptr.shape[0] - 1
    i: int64_t
    with cython.nogil:
        for k in range(rows.shape[0]):
            i = rows[k]
            if i < 0 or i >= n_rows:
                absent = k
                break
            for e in range(indptr[i], indptr[i + 1]):
                marked[indices[e]] = True
    if absent >= 0:
        raise IndexError(f"expected rows from 0 to {n_rows - 1}, got {rows[absent]}")


def group_columns(rows: Indices, columns: Indices, starts: OffsetsOut, grouped: IndicesOut) -> None:
    """Group edges by row: write the columns of each row to `grouped`, in the order of the edges.

    `starts` has one entry more than there are rows, all zero at first.
    """
    with cython.nogil:
        for e in range(rows.shape[0]):
            starts[rows[e] + 1] += 1
        to_starts(starts)
        for e in range(rows.shape[0]):
            grouped[starts[rows[e]]] = columns[e]
            starts[rows[e]] += 1
        to_previous(starts)


def sort_columns(indptr: OffsetsOut, indices: IndicesOut) -> int:
    """Sort each row and remove duplicate columns, in place; return the number of edges left."""
    kept: int64_t = 0
    begin: int64_t = 0
    end: int64_t
    with cython.nogil:
        for i in range(indptr.shape[0] - 1):
            end = indptr[i + 1]
            sort_row(indices, begin, end)
            for e in range(begin, end):
                if e == begin or indices[e] != indices[e - 1]:
                    indices[kept] = indices[e]
                    kept += 1
            begin = end
            indptr[i + 1] = kept
    return kept


def transpose_rows(
    indptr: Offsets, indices: Indices, starts: OffsetsOut, turned: IndicesOut
) -> None:
    """Transpose CSR arrays: write the rows of each column, ascending; `starts` is zero at first."""
    with cython.nogil:
        for e in range(indices.shape[0]):
            starts[indices[e] + 1] += 1
        to_starts(starts)
        for i in range(indptr.shape[0] - 1):
            for e in range(indptr[i], indptr[i + 1]):
                turned[starts[indices[e]]] = i
                starts[indices[e]] += 1
        to_previous(starts)
