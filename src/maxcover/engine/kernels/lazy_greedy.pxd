from libc.stdint cimport int32_t, int64_t
from maxcover.engine.kernels.arrays cimport Bools, BoolsOut, Floats, FloatsOut, Indices, IndicesOut, Offsets

cdef class Greedy:
    cdef Offsets indptr, ticks, start
    cdef Indices indices
    cdef Floats costs, weights
    cdef Bools candidates
    cdef BoolsOut small  # weight of each element, 0 once covered; used if all weights fit into bytes
    cdef FloatsOut left  # the same; used otherwise
    cdef IndicesOut picks
    cdef FloatsOut gains  # gain of each pick when it was taken
    cdef FloatsOut keys  # the keys of the heap
    cdef IndicesOut nodes  # the sets of the heap
    cdef bint is_small, by_cost, useless
    cdef int64_t cursor  # the next set to enter the heap
    cdef readonly int64_t n_picks
    cdef int64_t used, limit  # ticks
    cdef int64_t cheapest  # ticks of the cheapest candidate
    cdef double largest  # largest gain of a candidate on top of the start
    cdef int64_t size  # size of the heap

cpdef double key_of(double gain, double cost, bint by_cost) noexcept nogil
cpdef void sift_down(FloatsOut keys, IndicesOut nodes, int64_t position, int64_t size) noexcept nogil
cdef void heapify(Greedy run) noexcept nogil
cdef bint steps(Greedy run, int64_t work) noexcept nogil
cdef int64_t first_key(Greedy run, int64_t i) noexcept nogil
cdef int64_t take_top(Greedy run) noexcept nogil
cdef void drop_top(Greedy run) noexcept nogil


# These functions are in the .pxd so that each module inlines them into its loops.
cdef inline double gain_of(Greedy run, int64_t i) noexcept nogil:
    """Weight that set i would newly cover; in index order, so it never rises as more is covered."""
    cdef double total = 0.0
    cdef int64_t e
    if run.is_small:
        for e in range(run.indptr[i], run.indptr[i + 1]):
            total += run.small[run.indices[e]]
    else:
        for e in range(run.indptr[i], run.indptr[i + 1]):
            total += run.left[run.indices[e]]
    return total


cdef inline bint fits(Greedy run, int64_t i) noexcept nogil:
    """Whether set i can join what is selected so far."""
    return run.used + run.ticks[i] <= run.limit


cdef inline int64_t select(Greedy run, int64_t i) noexcept nogil:
    """Cover the elements of set i; return how many elements it has."""
    cdef int64_t e
    run.used += run.ticks[i]
    for e in range(run.indptr[i], run.indptr[i + 1]):
        if run.is_small:
            run.small[run.indices[e]] = 0
        else:
            run.left[run.indices[e]] = 0.0
    return run.indptr[i + 1] - run.indptr[i]
