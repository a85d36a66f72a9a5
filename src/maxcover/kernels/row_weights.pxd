cimport cython
from libc.stdint cimport int64_t, uint64_t
from maxcover.kernels.arrays cimport Indices, IndicesOut, Offsets
from maxcover.kernels.flips cimport Elements, Sets

cdef struct State:
    uint64_t random
    int64_t used
    int64_t limit
    int64_t n_chosen
    int64_t n_missing
    int64_t step

@cython.locals(x=uint64_t)
cdef int64_t any_of(State* state, int64_t n) noexcept nogil
@cython.locals(p=int64_t, first=int64_t, i=int64_t, choice=int64_t, least=double, loss=double)
cdef int64_t least_loss(Sets sets, IndicesOut chosen, State* state) noexcept nogil
@cython.locals(f=int64_t, i=int64_t, choice=int64_t, most=double, gain=double)
cdef int64_t most_gain(int64_t a, Offsets t_indptr, Indices t_indices, Sets sets, State* state, int64_t room) noexcept nogil
@cython.locals(e=int64_t, a=int64_t, last=int64_t, entering=bint)
cdef void move(int64_t i, Offsets indptr, Indices indices, Offsets t_indptr, Indices t_indices, Sets sets, Elements elements, IndicesOut chosen, IndicesOut missing, IndicesOut spots, State* state) noexcept nogil
@cython.locals(i=int64_t)
cdef bint drop(Offsets indptr, Indices indices, Offsets t_indptr, Indices t_indices, Sets sets, Elements elements, IndicesOut chosen, IndicesOut missing, IndicesOut spots, State* state) noexcept nogil
@cython.locals(a=int64_t, i=int64_t)
cdef bint add(int64_t room, Offsets indptr, Indices indices, Offsets t_indptr, Indices t_indices, Sets sets, Elements elements, IndicesOut chosen, IndicesOut missing, IndicesOut spots, State* state) noexcept nogil
