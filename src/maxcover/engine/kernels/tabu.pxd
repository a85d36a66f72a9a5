cimport cython
from libc.stdint cimport int64_t
from maxcover.engine.kernels.search cimport Search

cdef enum:
    FORCE
    MAKE_ROOM
    DROP
    REFILL
    DONE

cdef void move(Search at) noexcept nogil
@cython.locals(lacking=bint, short=bint)
cdef int64_t greatest_gain(Search at, bint fitting) noexcept nogil
cdef int64_t any_outsider(Search at, int64_t otherwise) noexcept nogil
cdef int64_t least_loss(Search at, int64_t newcomer, int64_t row) noexcept nogil
cdef void turn(Search at, int64_t i) noexcept nogil
@cython.locals(record=bint)
cdef void judge(Search at) noexcept nogil
cdef void settle(Search at) noexcept nogil
@cython.locals(credited=bint)
cdef void begin_episode(Search at) noexcept nogil
