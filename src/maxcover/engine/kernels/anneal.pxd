from libc.stdint cimport int64_t
from maxcover.engine.kernels.search cimport Search

cdef void propose(Search at, double heat) noexcept nogil
cdef double worth(Search at, int64_t i) noexcept nogil
cdef double shared(Search at, int64_t i, int64_t j) noexcept nogil
cdef int64_t full_row(Search at, int64_t i) noexcept nogil
cdef int64_t leaver(Search at, int64_t row) noexcept nogil
cdef void record(Search at) noexcept nogil
