cimport cython
from libc.stdint cimport int64_t
from maxcover.kernels.lazy_greedy cimport Greedy

cdef class Augmentation:
    cdef Greedy run
    cdef int64_t cursor  # picks of the prefix
    cdef double value  # of the prefix, beside the start
    cdef double best  # value
    cdef readonly int64_t length  # picks of the best prefix
    cdef readonly int64_t extra  # the set on top of it, or -1 if the run itself is best

@cython.locals(i=int64_t, gain=double)
cdef void go_to_prefix(Greedy run, int64_t length) noexcept nogil
@cython.locals(i=int64_t, gain=double)
cdef bint try_prefixes(Greedy run, Augmentation found, int64_t work) noexcept nogil
