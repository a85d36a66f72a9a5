# Small steps of every selection, here so that each module compiles them into its loops: a call into
# another module cannot be inlined, and copies the description of every array.
from libc.stdint cimport int64_t
from maxcover.kernels.arrays cimport Indices, Left, Offsets, OffsetsOut


cdef inline double gain_of(Offsets indptr, Indices indices, Left[::1] left, int64_t i) noexcept nogil:
    """Weight that set i would newly cover; in index order, so it never rises as more is covered."""
    cdef double total = 0.0
    cdef int64_t e
    for e in range(indptr[i], indptr[i + 1]):
        total += left[indices[e]]
    return total


cdef inline bint fits(
        int64_t i, Offsets ticks, int64_t limit, int64_t used, Indices group, Offsets group_counts,
        Offsets group_ticks, Offsets items, Offsets spent) noexcept nogil:
    """Whether set i can join what is selected so far."""
    cdef int64_t g
    if used + ticks[i] > limit:
        return False
    if group_counts.shape[0] == 0 or group[i] < 0:
        return True
    g = group[i]
    return items[g] < group_counts[g] and spent[g] + ticks[i] <= group_ticks[g]


cdef inline int64_t select(
        int64_t i, Offsets indptr, Indices indices, Left[::1] left, Offsets ticks, Indices group,
        OffsetsOut items, OffsetsOut spent) noexcept nogil:
    """Cover the elements of set i and count it in its group; return how many elements it has."""
    cdef int64_t e
    for e in range(indptr[i], indptr[i + 1]):
        left[indices[e]] = 0
    if group[i] >= 0:
        items[group[i]] += 1
        spent[group[i]] += ticks[i]
    return indptr[i + 1] - indptr[i]
