cimport cython
from libc.stdint cimport int8_t, int64_t
from maxcover.engine.kernels.arrays cimport Floats, FloatsOut, Indices, IndicesOut, Offsets, OffsetsOut, StatesOut

cdef class Node:
    cdef Offsets indptr, ticks
    cdef Indices indices
    cdef Floats weights
    cdef int64_t limit, room, n_sets
    cdef readonly int64_t n_elements
    cdef double grain, fixed_value
    # The open part of the graph: sets, their edges to open elements, and these elements.
    cdef OffsetsOut sets, starts, order
    cdef IndicesOut edges, place
    cdef readonly IndicesOut elements
    cdef FloatsOut u, best_u, slope, sums, ratio, x
    cdef readonly FloatsOut mean  # averaged solution of each open set
    cdef readonly OffsetsOut fixed  # sets that the last call fixed
    cdef readonly int64_t n_fixed, choice, work
    cdef readonly double bound, price, likely
    cdef readonly double refuted  # highest bound of what the last call closed
    cdef double factor, best_price
    cdef int64_t patience

cdef bint open_part(Node at, StatesOut state) noexcept nogil
cdef void load(Node at, FloatsOut shares) noexcept nogil
cdef void cover(Node at, int64_t i) noexcept nogil
cdef double rounded(Node at, double share, int64_t a) noexcept nogil
cdef double evaluate(Node at) noexcept nogil
@cython.locals(pivot=double, full=bint)
cdef void fill(Node at) noexcept nogil
@cython.locals(first=double, middle=double, last=double)
cdef double median_ratio(Node at, int64_t low, int64_t high) noexcept nogil
cdef void fix(Node at, StatesOut state, double bound, double goal) noexcept nogil
cdef bint step(Node at, double bound, double target) noexcept nogil
cdef void choose(Node at) noexcept nogil
cdef void keep(Node at, FloatsOut shares, FloatsOut u) noexcept nogil
cdef int descend(Node at, StatesOut state, FloatsOut shares, double goal, double target, int64_t steps) noexcept nogil
