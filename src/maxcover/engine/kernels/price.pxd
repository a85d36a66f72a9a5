cimport cython
from libc.stdint cimport int64_t
from maxcover.engine.kernels.arrays cimport Bools, Floats, FloatsOut, Indices, Offsets

cdef (double, double) spent(Floats y, Floats pull, Floats costs, double price, int64_t first, int64_t last) noexcept nogil
cdef double clearing(Floats y, Floats pull, Floats costs, double budget, double price, double total, double slope) noexcept nogil
@cython.locals(near=bint)
cdef (double, double) best_of(Floats sums, Floats costs, Bools allowed, double budget, double price) noexcept nogil
cpdef double at_least(double total, int64_t terms) noexcept nogil
cdef double at_most(double total, int64_t terms) noexcept nogil
