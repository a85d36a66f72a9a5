from libc.stdint cimport int64_t, uint64_t
from maxcover.engine.kernels.arrays cimport IndicesOut
from maxcover.engine.kernels.flips cimport Flips

cdef class RowWeights(Flips):
    cdef IndicesOut chosen  # the selected sets that may be dropped
    cdef IndicesOut missing  # the uncovered elements of positive weight
    cdef IndicesOut spots  # position of each element in `missing`
    cdef uint64_t random
    cdef int64_t used, limit  # ticks
    cdef int64_t n_chosen, n_missing, step

cdef int64_t any_of(RowWeights at, int64_t n) noexcept nogil
cdef int64_t least_loss(RowWeights at) noexcept nogil
cdef int64_t most_gain(RowWeights at, int64_t a, int64_t room) noexcept nogil
cdef void move(RowWeights at, int64_t i) noexcept nogil
cdef bint drop(RowWeights at) noexcept nogil
cdef bint add(RowWeights at, int64_t room) noexcept nogil
cdef void step_on(RowWeights at) noexcept nogil
