cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t
from maxcover.kernels.arrays cimport Letters

@cython.locals(k=int64_t, code=uint64_t)
cdef int64_t slot_of(const uint32_t[::1] letters, int64_t begin, int64_t end, int64_t n_slots) noexcept nogil
