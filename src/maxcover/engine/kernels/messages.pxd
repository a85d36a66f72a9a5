from libc.stdint cimport int32_t, int64_t
from maxcover.engine.kernels.arrays cimport Bools, Floats, FloatsOut, Indices, IndicesOut, Offsets, OffsetsOut

cdef class Messages:
    cdef Offsets t_indptr, indptr
    cdef Indices t_indices, places, owners  # owners: the element of each message, if serial
    cdef Floats prior, field, odds_before  # odds_before: e^field, infinite on overflow
    cdef readonly FloatsOut odds  # odds of each set
    cdef FloatsOut r, older, log_odds  # messages; odds one sweep ago; log-odds beyond the range of `odds`
    cdef FloatsOut told  # work space: odds sent to one element

cdef double log_product(Messages at, int64_t i) noexcept nogil
cdef double larger_change(double so_far, double now, double before) noexcept nogil
cdef (double, double) set_range(Messages at, int64_t first, int64_t last) noexcept nogil
cdef (double, double) hear(Messages at, FloatsOut told, int64_t a, double prior) noexcept nogil
cdef void element_range(Messages at, FloatsOut told, int64_t first, int64_t last, double damping) noexcept nogil
cdef double reply(double rest, double top, double y) noexcept nogil
cdef (double, double) sweep_serially(Messages at, double damping) noexcept nogil
cdef (int, int) judge(double moved, double moved_twice, double tol, int repeats) noexcept nogil
