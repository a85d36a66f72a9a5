cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from maxcover.kernels.arrays cimport Floats, FloatsOut, Indices, IndicesOut, Offsets, OffsetsOut

cdef struct ElementRecord:
    double weight
    double level
    double second
    double value
    int64_t first
    int32_t n_steps
    int32_t count
    int32_t owner
    int32_t kind

cdef struct RowRecord:
    int64_t low
    int64_t high
    int64_t used
    double fine

cdef struct ShareRecord:
    double low
    double have
    double fine

cdef packed struct Book:
    double value
    double score
    double penalty
    double best
    uint64_t random
    int64_t n_chosen
    int64_t n_best
    int64_t heap

ctypedef ElementRecord[::1] Elements
ctypedef RowRecord[::1] Rows
ctypedef ShareRecord[::1] Shares

# Plain pointers to the arrays of one search: what a call hands on is one address.
cdef struct Board:
    const int64_t* indptr
    const int32_t* indices
    const double* strength
    const int64_t* t_indptr
    const int32_t* t_indices
    const double* t_strength
    const double* steps
    const double* guide
    const int64_t* row_ptr
    const int32_t* row_of
    const int64_t* row_ticks
    const int64_t* member_ptr
    const int32_t* members
    const int64_t* share_ptr
    const int32_t* share_of
    ElementRecord* elements
    RowRecord* rows
    ShareRecord* shares
    int64_t n_shares
    int64_t* chosen
    int64_t* place
    int64_t* best
    Book* book

@cython.locals(x=uint64_t)
cdef double draw(Book* book) noexcept nogil
cdef double log_miss(double p) noexcept nogil
cdef double fine_of(RowRecord* row, int64_t used) noexcept nogil
@cython.locals(total=double, e=int64_t, f=int64_t)
cdef double gain_of(Board* board, int64_t i) noexcept nogil
@cython.locals(total=double, e=int64_t, f=int64_t)
cdef double loss_of(Board* board, int64_t i) noexcept nogil
@cython.locals(f=int64_t)
cdef int64_t crowded(Board* board, int64_t i) noexcept nogil
@cython.locals(f=int64_t)
cdef bint is_in(Board* board, int64_t j, int64_t r) noexcept nogil
@cython.locals(n=int64_t, at=int64_t, j=int64_t, size=int64_t)
cdef int64_t member_of(Board* board, int64_t r) noexcept nogil
@cython.locals(f=int64_t, j=int64_t, s=double)
cdef void look_again(Board* board, int64_t a) noexcept nogil
@cython.locals(e=int64_t, f=int64_t, a=int64_t, before=double, after=double, s=double)
cdef void cover(Board* board, int64_t i, int64_t step) noexcept nogil
@cython.locals(k=int64_t)
cdef void flip(Board* board, int64_t i, int64_t step) noexcept nogil
@cython.locals(before=double, change=double)
cdef double try_flip(Board* board, int64_t i, int64_t step) noexcept nogil
@cython.locals(k=int64_t)
cdef void note_best(Board* board) noexcept nogil
cdef void lay(Board* board, tables)
