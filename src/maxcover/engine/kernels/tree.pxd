cimport cython
from libc.stdint cimport int8_t, int64_t, uint16_t
from maxcover.engine.kernels.arrays cimport Bools, BoolsOut, Floats, FloatsOut, Indices, IndicesOut, Offsets, OffsetsOut, StatesOut, Table

ctypedef uint16_t[:, ::1] Points
ctypedef int8_t[:, ::1] States

cdef class Tree:
    # The problem: sets, limits, and what elements give.
    cdef Offsets indptr, ticks, step_start, row_start, row_ticks, high, low, edge_start, floor_start
    cdef Indices indices, row_of, edge_set, floor_of
    cdef Floats weights, steps, whole, worth, row_scale, edge_worth, floor_low
    cdef StatesOut kind
    cdef int64_t limit
    cdef bint is_plain, is_whole
    # The node at hand, and the open part of the graph there.
    cdef public StatesOut state
    cdef int64_t room, n_sets, n_elements
    cdef double fixed_value
    cdef OffsetsOut sets, starts, order, fixed, position, held, degree, rooms, needs, available
    cdef IndicesOut edges, origin, place, elements
    cdef FloatsOut u, best_u, trial, slope, pull, sums, ratio, x, floor, level, flow, gain, lacks, y, best_y, y_pull, used
    cdef public FloatsOut mean
    cdef double price, best_price, best_bound, factor
    cdef int64_t patience, n_fixed, choice
    # Open nodes: a heap of slots, highest bound first; those beyond `most_held` are a stack.
    cdef public FloatsOut bounds, budget_prices
    cdef public OffsetsOut serials, heap, spare
    cdef public States states
    cdef public Points shares
    cdef public Table prices
    cdef public int64_t dive, n_heap, n_stack, n_spare, most_held
    # The proof: what happened in each node, and points, as bytes.
    cdef public OffsetsOut log, log_start, log_end, left
    cdef public BoolsOut points
    cdef public OffsetsOut point_start
    cdef float[::1] single
    cdef BoolsOut raw
    cdef public int64_t n_log, n_points, n_bytes, n_nodes
    cdef public bint keeps
    cdef public int64_t work, examined
    cdef public double goal, target, highest

cdef int proceed(Tree at, int64_t until, int64_t work) noexcept nogil
@cython.locals(size=int64_t, events=int64_t)
cdef bint has_space(Tree at) noexcept nogil
cdef int64_t pop(Tree at) noexcept nogil
cdef void push(Tree at, int64_t slot) noexcept nogil
@cython.locals(first=double, second=double)
cdef bint before(Tree at, int64_t one, int64_t other) noexcept nogil
cdef void enter(Tree at, int64_t slot) noexcept nogil
@cython.locals(fresh=bint, bound=double)
cdef int examine(Tree at, int64_t serial) noexcept nogil
cdef void divide(Tree at, int64_t serial) noexcept nogil
cdef void leave(Tree at, int64_t slot) noexcept nogil
cdef bint open_part(Tree at) noexcept nogil
@cython.locals(most=double)
cdef bint reach_floors(Tree at) noexcept nogil
@cython.locals(total=double)
cdef double given(Tree at, int64_t a) noexcept nogil
@cython.locals(most=double, total=double)
cdef double most_more(Tree at, int64_t a) noexcept nogil
cdef void reward(Tree at) noexcept nogil
cdef double paid(Tree at, int64_t e, double share) noexcept nogil
@cython.locals(kept=bint)
cdef bint decide_by_rows(Tree at) noexcept nogil
cdef bint is_open(Tree at, int64_t a) noexcept nogil
cdef void take(Tree at, int64_t i) noexcept nogil
cdef double evaluate(Tree at, FloatsOut u) noexcept nogil
@cython.locals(most=double, total=double, fails=double)
cdef double constant(Tree at, int64_t a, double share) noexcept nogil
@cython.locals(total=double)
cdef void add_up(OffsetsOut starts, IndicesOut edges, FloatsOut u, FloatsOut sums, int64_t n) noexcept nogil
@cython.locals(part=double)
cdef void spread(OffsetsOut starts, IndicesOut edges, FloatsOut x, FloatsOut slope, int64_t n) noexcept nogil
@cython.locals(total=double)
cdef void add_up_returns(Tree at, FloatsOut u) noexcept nogil
cdef double charge_rows(Tree at) noexcept nogil
@cython.locals(pivot=double)
cdef void fill(Tree at) noexcept nogil
cdef void fill_even(Tree at, double pivot, int64_t room) noexcept nogil
@cython.locals(first=double, middle=double, last=double)
cdef double median_ratio(Tree at, int64_t low, int64_t high) noexcept nogil
cdef bint fix(Tree at, int64_t serial, double bound) noexcept nogil
cdef double profit(Tree at, int64_t k) noexcept nogil
cdef bint step(Tree at, double bound) noexcept nogil
@cython.locals(slope=double, length=double)
cdef double slopes(Tree at) noexcept nogil
@cython.locals(slope=double)
cdef double row_slopes(Tree at, double length) noexcept nogil
@cython.locals(slope=double)
cdef double floor_slopes(Tree at, double length) noexcept nogil
cdef double rounded(double share, double whole, double parts) noexcept nogil
@cython.locals(most=double)
cdef int64_t record(Tree at, bint is_leaf) noexcept nogil
@cython.locals(most=double, bound=double)
cdef double proven(Tree at, FloatsOut u, bint is_leaf) noexcept nogil
@cython.locals(wide=bint)
cdef void write(Tree at, FloatsOut u, int64_t parts) noexcept nogil
cdef void write_float(Tree at, double value) noexcept nogil
cdef void note(Tree at, int64_t entry) noexcept nogil
cdef void choose(Tree at) noexcept nogil
