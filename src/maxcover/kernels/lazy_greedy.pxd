cimport cython
from libc.stdint cimport int32_t, int64_t
from maxcover.kernels.arrays cimport Bools, BoolsOut, Floats, FloatsOut, Indices, IndicesOut, Left, Offsets, OffsetsOut

cdef enum:
    COVER_START
    FIRST_KEYS
    COUNT
    PLACE
    OPEN
    HEAP
    TAKE
    DONE

cdef struct Desk:
    int64_t phase
    int64_t cursor
    int64_t n_start
    int64_t n_picks
    int64_t used
    int64_t limit
    int64_t cheapest
    int64_t per_octave
    int64_t top_height
    double top
    double largest
    int64_t slot
    int64_t size
    unsigned char by_cost
    unsigned char useless

ctypedef int32_t[:, ::1] Blocks

cpdef double key_of(double gain, double cost, bint by_cost) noexcept nogil
@cython.locals(child=int64_t, right=int64_t, key=double, node=int32_t)
cpdef void sift_down(FloatsOut keys, IndicesOut nodes, int64_t position, int64_t size) noexcept nogil
@cython.locals(exponent=int, mantissa=double)
cpdef int64_t height(double key, int64_t per_octave) noexcept nogil
cdef int64_t slot_of(double key, Desk* desk, int64_t last) noexcept nogil
@cython.locals(block=int64_t, fresh=int64_t, full=int64_t)
cpdef void push(Blocks blocks, IndicesOut head, int64_t slot, int64_t i) noexcept nogil
@cython.locals(block=int64_t, n_sets=int64_t, full=int64_t, free=int64_t)
cpdef int64_t pop(Blocks blocks, IndicesOut head, int64_t slot, OffsetsOut sets) noexcept nogil
cdef void set_back(
    OffsetsOut first, Blocks blocks, IndicesOut head,
    Desk* desk, int64_t n_start) noexcept nogil
cdef bint steps(
    Offsets indptr, Indices indices, Floats costs, Offsets ticks, Bools candidates, Offsets start, Left[::1] left,
    IndicesOut picks, FloatsOut gains, FloatsOut keys,
    IndicesOut nodes, IndicesOut order, OffsetsOut first, Blocks blocks, IndicesOut head,
    OffsetsOut block, Desk* desk, int64_t work) noexcept nogil
@cython.locals(cursor=int64_t)
cdef int64_t cover_start(
    Offsets indptr, Indices indices, Offsets ticks, Offsets start, Left[::1] left,
    Desk* desk, int64_t work) noexcept nogil
@cython.locals(i=int64_t, key=double, gain=double)
cdef int64_t first_keys(
    Offsets indptr, Indices indices, Floats costs, Offsets ticks, Bools candidates,
    Left[::1] left, FloatsOut keys, Desk* desk, int64_t work) noexcept nogil
@cython.locals(i=int64_t, last=int64_t, slot=int64_t)
cdef int64_t count(Floats keys, OffsetsOut first, Desk* desk, int64_t work) noexcept nogil
@cython.locals(i=int64_t, last=int64_t, slot=int64_t)
cdef int64_t place(Floats keys, IndicesOut order, OffsetsOut first, Desk* desk, int64_t work) noexcept nogil
@cython.locals(
    i=int64_t, b=int64_t, last=int64_t, lower=int64_t, cursor=int64_t, end=int64_t, size=int64_t,
    n_block=int64_t, n_fitting=int64_t, key=double, asked=int32_t)
cdef int64_t open_slot(
    Offsets indptr, Indices indices, Floats costs, Offsets ticks, Left[::1] left, FloatsOut keys, IndicesOut nodes, Indices order, Offsets first, Blocks blocks,
    IndicesOut head, OffsetsOut block, Desk* desk, int64_t work) noexcept nogil
cdef int64_t heapify(FloatsOut keys, IndicesOut nodes, Desk* desk, int64_t work) noexcept nogil
@cython.locals(
    i=int64_t, last=int64_t, lower=int64_t, size=int64_t, key=double, gain=double)
cdef int64_t take(
    Offsets indptr, Indices indices, Floats costs, Offsets ticks, Left[::1] left, IndicesOut picks, FloatsOut gains, FloatsOut keys, IndicesOut nodes,
    Blocks blocks, IndicesOut head, Desk* desk, int64_t work) noexcept nogil
cdef void next_slot(Offsets first, Indices head, Desk* desk) noexcept nogil
