cimport cython
from libc.stdint cimport int64_t
from maxcover.kernels.arrays cimport Bools, Floats, FloatsOut, Indices, IndicesOut, Left, Offsets, OffsetsOut
from maxcover.kernels.lazy_greedy cimport Desk

cdef enum:
    REPLAY
    GAINS
    HEAP
    AUGMENT
    DONE

cdef struct Found:
    int64_t phase
    int64_t cursor
    int64_t skipped
    int64_t size
    double value
    double best
    int64_t length
    int64_t extra

cdef bint steps(
    Offsets indptr, Indices indices, Offsets ticks, Bools candidates, Offsets start, Left[::1] left, Indices picks, Floats gains, FloatsOut keys, IndicesOut nodes, Desk* run,
    Found* found, int64_t work) noexcept nogil
@cython.locals(cursor=int64_t, end=int64_t, i=int64_t)
cdef int64_t walk_to_prefix(
    Offsets indptr, Indices indices, Offsets ticks, Offsets start, Left[::1] left,
    Indices picks, Floats gains, Desk* run, Found* found,
    int64_t work) noexcept nogil
@cython.locals(i=int64_t, size=int64_t, gain=double)
cdef int64_t first_gains(
    Offsets indptr, Indices indices, Offsets ticks, Bools candidates, Left[::1] left, FloatsOut keys, IndicesOut nodes, Desk* run, Found* found, int64_t work) noexcept nogil
@cython.locals(i=int64_t, gain=double)
cdef void try_prefixes(
    Offsets indptr, Indices indices, Offsets ticks, Left[::1] left, Indices picks,
    Floats gains, FloatsOut keys, IndicesOut nodes, Desk* run, Found* found,
    int64_t work) noexcept nogil
