from libc.stdint cimport int32_t, int64_t, uint64_t
from maxcover.engine.kernels.arrays cimport Indices, IndicesOut, Offsets, OffsetsOut
from maxcover.engine.kernels.flips cimport Flips, next_random

cdef class Search(Flips):
    cdef Indices movable  # the sets that may move at all
    cdef readonly IndicesOut pool  # the sets that may move now, selected sets first
    cdef IndicesOut touched  # sets flipped since the search was at home
    cdef IndicesOut strayed  # sets whose `home` changed since it was last copied to `best`
    cdef readonly double value  # value of the current selection
    cdef readonly double best  # value of the best selection
    cdef public double ceiling  # weight of all elements that can be covered
    cdef double home  # score of the selection to return to: its value and a credit for free budget
    cdef double credit  # what a free tick adds to a score
    cdef public double credited  # the fraction of episodes that give this credit
    cdef readonly int64_t room  # free ticks
    cdef int64_t reach  # most free ticks that add to a score
    cdef readonly double least_step  # smaller improvements may be rounding errors
    cdef double marginal  # price of the budget, smoothed over episodes
    cdef double price  # price of the budget in this episode
    cdef double cost_per_tick
    cdef readonly int64_t moves
    cdef int64_t best_at  # the move that found the best
    cdef int64_t patience  # the search ends after this many moves plus 2 * best_at
    cdef int64_t episodes
    cdef int64_t stale  # moves of this episode since it began or found a better home
    cdef readonly int64_t in_play  # length of the pool
    cdef readonly int64_t chosen  # number of selected sets in the pool; they come first
    cdef int64_t n_touched, n_strayed
    cdef uint64_t random
    cdef int64_t[3] leavers  # sets that left for the one that `anneal` proposes
    # Limits other than the budget.
    cdef bint has_rows, has_minima
    cdef Offsets row_ptr, row_ticks  # where the rows of each set begin; its ticks in them
    cdef Indices row_of
    cdef readonly Offsets member_ptr  # where the sets of each row begin
    cdef readonly IndicesOut members  # in each row selected sets come first
    cdef OffsetsOut filled  # number of selected sets of each row
    cdef OffsetsOut slot, entry  # for each row of a set the place in `members`, and the reverse
    cdef Offsets low, high
    cdef OffsetsOut used
    cdef int64_t short  # total ticks by which rows are below their minima
    cdef double fine  # fine for each of these ticks

cdef double refreshed(Search at) noexcept nogil
cdef void count_rows(Search at) noexcept nogil
cdef int64_t crowded(Search at, int64_t i, int64_t more) noexcept nogil
cdef bint takes(Search at, int64_t i, int64_t r) noexcept nogil
cdef int64_t helps(Search at, int64_t i) noexcept nogil
cdef double floored(Search at, int64_t i) noexcept nogil
cdef double fined(Search at, int64_t i) noexcept nogil
cdef double missed(Search at) noexcept nogil
cdef void swap_members(Search at, int64_t f, int64_t q) noexcept nogil
cdef void count_row(Search at, int64_t i, int64_t step) noexcept nogil

cdef void fill_pool(Search at) noexcept nogil
cdef void enter_pool(Search at, int64_t i) noexcept nogil
cdef double price_among(Search at, Indices among, int64_t n) noexcept nogil


# These functions are in the .pxd so that the search inlines them into its loops.
cdef inline double draw(Search at) noexcept nogil:
    """Return the next random number, uniform in [0, 1)."""
    return <double> next_random(&at.random) * 2.0**-53


cdef inline bint is_tired(Search at) noexcept nogil:
    """Tell whether the search is out of patience."""
    return at.moves > at.patience + 2 * at.best_at


cdef inline void swap_places(Search at, int64_t p, int64_t q) noexcept nogil:
    """Exchange two positions of the pool."""
    cdef int64_t i = at.pool[p], j = at.pool[q]
    at.pool[p] = <int32_t> j
    at.pool[q] = <int32_t> i
    at.sets[i].place = <int32_t> q
    at.sets[j].place = <int32_t> p
