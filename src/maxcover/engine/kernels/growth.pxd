from libc.stdint cimport int64_t
from maxcover.engine.kernels.arrays cimport FloatsOut, IndicesOut
from maxcover.engine.kernels.search cimport Search

cdef class Growth:
    cdef Search search
    cdef FloatsOut keys  # gain per price of each candidate, possibly outdated
    cdef IndicesOut nodes  # the sets of `keys`: a max-heap by key
    cdef IndicesOut picks
    cdef int64_t size, n_picks
    cdef double need

cdef double rate_of(Search at, int64_t i, double need) noexcept nogil
cdef void toggle(Search at, int64_t i) noexcept nogil
