cimport cython
from libc.stdint cimport int64_t

@cython.locals(cell=double)
cdef int64_t cell_at(double at, double low, double size, int64_t count) noexcept nogil
