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
    double price

cdef struct ShareRecord:
    double low
    double have
    double fine

ctypedef ElementRecord[::1] Elements
ctypedef RowRecord[::1] Rows
ctypedef ShareRecord[::1] Shares

cdef class Board:
    cdef Offsets indptr, t_indptr
    cdef Indices indices, t_indices
    cdef Floats strength, t_strength  # of each edge, for BEST and CHANCE
    cdef Floats steps  # what elements are worth
    cdef Floats guide  # and what they count in the score
    cdef Offsets row_ptr, row_ticks  # rows of each set, and its ticks in them
    cdef Indices row_of
    cdef Offsets member_ptr  # sets of each row
    cdef Indices members
    cdef Offsets share_ptr  # shares that each element is part of
    cdef Indices share_of
    cdef Elements elements
    cdef Rows rows
    cdef Shares shares
    cdef OffsetsOut chosen  # the sets of the selection that may be dropped
    cdef readonly OffsetsOut place  # where in it a set stands, or -1
    cdef OffsetsOut best_sets
    cdef double value  # of the elements, now
    cdef double score  # with credits, without fines
    cdef double penalty  # fines for what is missing to minima
    cdef double best  # the largest value that missed nothing
    cdef uint64_t random  # state of xorshift64
    cdef int64_t n_chosen, n_best
    cdef int64_t heap  # size of that of a greedy run

@cython.locals(x=uint64_t)
cdef double draw(Board board) noexcept nogil
cdef double log_miss(double p) noexcept nogil
cdef double fine_of(RowRecord* row, int64_t used) noexcept nogil
@cython.locals(total=double, e=int64_t, f=int64_t)
cdef double gain_of(Board board, int64_t i) noexcept nogil
@cython.locals(total=double, e=int64_t, f=int64_t)
cdef double loss_of(Board board, int64_t i) noexcept nogil
@cython.locals(f=int64_t)
cdef int64_t crowded(Board board, int64_t i) noexcept nogil
@cython.locals(f=int64_t)
cdef bint is_in(Board board, int64_t j, int64_t r) noexcept nogil
@cython.locals(n=int64_t, at=int64_t, j=int64_t, size=int64_t)
cdef int64_t member_of(Board board, int64_t r) noexcept nogil
@cython.locals(f=int64_t, j=int64_t)
cdef void look_again(Board board, int64_t a) noexcept nogil
cdef void join(ElementRecord* one, int64_t i, double s) noexcept nogil
@cython.locals(e=int64_t, f=int64_t, a=int64_t, before=double, after=double, s=double)
cdef void cover(Board board, int64_t i, int64_t step) noexcept nogil
@cython.locals(f=int64_t)
cdef void give(Board board, int64_t a, double more) noexcept nogil
@cython.locals(k=int64_t)
cdef void flip(Board board, int64_t i, int64_t step) noexcept nogil
@cython.locals(before=double, change=double, charge=double, f=int64_t)
cdef double try_flip(Board board, int64_t i, int64_t step) noexcept nogil
@cython.locals(k=int64_t)
cdef void note_best(Board board) noexcept nogil
@cython.locals(i=int64_t, j=int64_t, row=int64_t, n_flips=int, flipped=int64_t[16], change=double, gain=double)
cdef void move(Board board, Offsets movable, double heat) noexcept nogil
