cimport cython
from libc.stdint cimport int32_t, int64_t
from maxcover.kernels.arrays cimport IndicesOut, OffsetsOut

cdef enum:
    SHORT = 24  # rows up to this long are sorted by insertion

cdef void to_starts(OffsetsOut counts) noexcept nogil
cdef void to_previous(OffsetsOut starts) noexcept nogil
@cython.locals(left=int32_t, right=int32_t)
cdef int compare(const void* one, const void* other) noexcept nogil
@cython.locals(e=int64_t, f=int64_t, column=int32_t)
cdef void sort_row(IndicesOut indices, int64_t begin, int64_t end) noexcept nogil
