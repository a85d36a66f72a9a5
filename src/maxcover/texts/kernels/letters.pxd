cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t
from maxcover.engine.kernels.arrays cimport Letters

# Classes of characters in words.
cdef enum:
    SEPARATOR = 0
    LETTER = 1
    DIGIT = 2
    APOSTROPHE = 3
    DIGIT_JOINT = 4
    TYPOGRAPHY = 5

cdef struct TokenRate:
    double first
    double free
    double rate

cdef bint is_of_word(int kind, bint letter) noexcept nogil
@cython.locals(k=int64_t, code=uint64_t)
cdef int64_t slot_of(const uint32_t[::1] letters, int64_t begin, int64_t end, int64_t n_slots) noexcept nogil
