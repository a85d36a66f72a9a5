cimport cython
from libc.stdint cimport int64_t, uint64_t
from maxcover.kernels.arrays cimport Floats, FloatsOut, Indices, Offsets, OffsetsOut, Table

cdef struct Book:
    double value
    double credit
    double penalty
    double best
    uint64_t random
    int64_t used
    int64_t limit
    int64_t n_chosen

@cython.locals(x=uint64_t)
cdef double draw(Book* book) noexcept nogil
@cython.locals(e=int64_t, a=int64_t, p=int64_t, k=int64_t, own=int64_t, gain=double)
cdef void flip(int64_t i, int64_t step, Offsets indptr, Indices indices, Offsets shared, Indices owners, Floats weights, Offsets needs, Offsets ticks, Indices group, Table least, Table fines, OffsetsOut counts, Table have, OffsetsOut chosen, OffsetsOut place, Book* book) noexcept nogil
@cython.locals(k=int64_t, missing=double, total=double)
cdef double fine_of(int64_t g, Table least, Table fines, Table have) noexcept nogil
cdef double half_done(int64_t a, Floats weights, Offsets needs, OffsetsOut counts) noexcept nogil
