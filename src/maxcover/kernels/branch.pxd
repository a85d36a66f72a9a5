cimport cython
from libc.stdint cimport int64_t
from maxcover.kernels.arrays cimport Floats, FloatsOut, Indices, IndicesOut, Offsets, OffsetsOut, StatesOut

cdef class Tree:
    cdef Offsets indptr, t_indptr, ticks
    cdef Indices indices, t_indices
    cdef Floats weights, shares
    cdef StatesOut state
    cdef IndicesOut covers, hopes  # number of chosen sets, and of open sets, that hold each element
    cdef FloatsOut sums  # sum of the shares of the uncovered elements of each set
    cdef OffsetsOut left, place  # open sets, then decided sets; the position of each set in `left`
    cdef OffsetsOut trail, branches  # decided sets, in order; positions in `trail` with a second branch
    cdef FloatsOut parts  # fraction of the tree below each of these branchings
    cdef readonly OffsetsOut best
    cdef readonly int64_t n_best
    cdef public double best_value, step
    cdef readonly double searched
    cdef int64_t room, n_open, n_trail, n_branches
    cdef double price, value, loose, part

cdef void stand_on(Tree at, Offsets start) noexcept nogil
cdef bint step_on(Tree at) noexcept nogil
cdef (double, double) bound_here(Tree at) noexcept nogil
cdef (int64_t, int) choose(Tree at, double bound, double price) noexcept nogil
cdef void decide(Tree at, int64_t i, int into) noexcept nogil
@cython.locals(was_in=bint)
cdef void undo(Tree at) noexcept nogil
