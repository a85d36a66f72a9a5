cimport cython
from libc.stdint cimport int64_t
from maxcover.engine.kernels.arrays cimport Bools, Floats, FloatsOut, Indices, Offsets, Table

# The type of arrays that are gathered over edges: single precision on large graphs.
ctypedef fused Seen:
    float
    double

cdef class DualSteps:
    cdef Offsets indptr, t_indptr
    cdef Indices indices, t_indices
    cdef Floats costs, weights, tau, sigma
    cdef Bools allowed
    cdef double budget
    cdef bint is_large
    cdef float[::1] small_x, small_lam  # fractional selection and reflected shares, on large graphs
    cdef double[::1] large_x, large_lam  # the same on small graphs
    cdef FloatsOut lam, sums, anchor_x, anchor_lam, anchor_sums, wide_sums, next_x, pull
    cdef readonly FloatsOut best_lam
    cdef Offsets row_ptr  # other limits: sets, amounts, minima, maxima, current prices of the rows
    cdef Indices row_sets
    cdef Floats amounts, low, high
    cdef FloatsOut row_prices, row_x, row_pull
    cdef readonly FloatsOut best_rows  # row prices that gave the lowest bound
    cdef FloatsOut charges  # what each set pays at the current row prices
    cdef bint curved
    cdef Offsets curve_ptr
    cdef Floats curve
    cdef Offsets blocks, set_blocks  # where elements and sets are cut into blocks, for any number of threads
    cdef Table parts  # sums that each block stores
    cdef double mu, balance, age, residual
    cdef double keep  # the pending move of the elements towards their anchor, as a fraction
    cdef readonly int64_t steps
    cdef readonly double bound  # the lowest bound so far
    cdef readonly double bound_mu  # price of the budget at that bound
    cdef readonly double relaxed  # the largest value of a feasible fractional selection so far

cdef double square(double x) noexcept nogil
cdef void row_sums_into(Offsets indptr, Indices indices, Floats values, FloatsOut out) noexcept nogil
@cython.locals(total=double)
cdef double added(DualSteps at, int k) noexcept nogil
cdef void work(DualSteps at, Seen[::1] x, Seen[::1] wide_lam, int task, int64_t first, int64_t last) noexcept nogil
cdef void push(DualSteps at, Seen[::1] x, Seen[::1] wide_lam, int64_t b) noexcept nogil
cdef double answer(DualSteps at, int64_t a, double lam, double scale) noexcept nogil
@cython.locals(amounts=Floats, y=FloatsOut, pull=FloatsOut)
cdef void keep_rows(DualSteps at) noexcept nogil
cdef double excess(DualSteps at) noexcept nogil
cdef void pull_sets(DualSteps at, Seen[::1] x, Seen[::1] wide_lam, int64_t b) noexcept nogil
cdef void settle(DualSteps at, Seen[::1] x, int64_t b) noexcept nogil
cdef void cover(DualSteps at, Seen[::1] wide_lam, int64_t b) noexcept nogil
cdef void check(DualSteps at, Seen[::1] wide_lam) noexcept nogil
cdef void restart(DualSteps at, Seen[::1] x, Seen[::1] wide_lam) noexcept nogil
cdef void move_on(DualSteps at, Seen[::1] x, int64_t b) noexcept nogil
cdef int do(DualSteps at, Seen[::1] x, Seen[::1] wide_lam, int task, object shared) except -1
@cython.locals(long_ago=bint, done=bint)
cdef int take_steps(DualSteps at, Seen[::1] x, Seen[::1] wide_lam, int64_t steps, double target, object shared) except -1
