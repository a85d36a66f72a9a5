cimport cython
from libc.stdint cimport int32_t, int64_t
from maxcover.engine.kernels.arrays cimport Bools, Floats, FloatsOut, Indices, IndicesOut, Offsets, OffsetsOut

@cython.locals(fresh=int32_t, n_freed=int64_t, n_touched=int64_t, old=int32_t)
cdef void refine(
    Offsets indptr, Indices indices, Bools usable, IndicesOut class_of, IndicesOut size,
    IndicesOut child, IndicesOut touched, IndicesOut freed) noexcept nogil
@cython.locals(found=int64_t, old=int32_t)
cdef int64_t number(
    Floats weights, IndicesOut class_of, IndicesOut place, FloatsOut totals) noexcept nogil
