from libc.stdint cimport int64_t
from maxcover.engine.kernels.lazy_greedy cimport Greedy

cdef class Augmentation:
    cdef Greedy run
    cdef int64_t cursor  # number of picks in the current prefix
    cdef double value  # value of the current prefix, without that of the start
    cdef double best  # best value so far
    cdef readonly int64_t length  # number of picks in the best prefix
    cdef readonly int64_t extra  # the set added to the best prefix, or -1 if the run itself is best

cdef void go_to_prefix(Greedy run, int64_t length) noexcept nogil
cdef bint try_prefixes(Greedy run, Augmentation found, int64_t work) noexcept nogil
