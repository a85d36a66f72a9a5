from libc.stdint cimport int32_t, int64_t
from maxcover.engine.kernels.arrays cimport IndicesOut, OffsetsOut

cdef enum:
    SHORT = 24  # rows up to this long are sorted by insertion

cdef void to_starts(OffsetsOut counts) noexcept nogil
cdef void to_previous(OffsetsOut starts) noexcept nogil
cdef int compare(const void* one, const void* other) noexcept nogil
cdef void sort_row(IndicesOut indices, int64_t begin, int64_t end) noexcept nogil
