# Small steps of every selection, here so that each module compiles them into its loops: a call into
# another module cannot be inlined, and copies the description of every array.
from libc.stdint cimport int64_t
from maxcover.kernels.arrays cimport Indices, Left, Offsets


cdef inline double gain_of(Offsets indptr, Indices indices, Left[::1] left, int64_t i) noexcept nogil:
    """Weight that set i would newly cover; in index order, so it never rises as more is covered."""
    cdef double total = 0.0
    cdef int64_t e
    for e in range(indptr[i], indptr[i + 1]):
        total += left[indices[e]]
    return total


cdef inline bint fits(
        int64_t i, Offsets ticks, int64_t limit, int64_t used) noexcept nogil:
    """Whether set i can join what is selected so far."""
    return used + ticks[i] <= limit


cdef inline int64_t select(
        int64_t i, Offsets indptr, Indices indices, Left[::1] left) noexcept nogil:
    """Cover the elements of set i; return how many elements it has."""
    cdef int64_t e
    for e in range(indptr[i], indptr[i + 1]):
        left[indices[e]] = 0
    return indptr[i + 1] - indptr[i]
