from libc.stdint cimport int32_t, int64_t, uint64_t
from maxcover.engine.kernels.arrays cimport Bools, Floats, FloatsOut, Indices, Offsets

cdef struct SetRecord:
    double cost
    double margin
    int64_t ticks
    int64_t free_at
    int32_t place
    unsigned char selected
    unsigned char home
    unsigned char best
    unsigned char touched
    unsigned char strayed
    unsigned char movable

cdef struct ElementRecord:
    double weight
    int32_t count
    int32_t owner

ctypedef SetRecord[::1] Sets
ctypedef ElementRecord[::1] Elements

cdef class Flips:
    cdef Offsets indptr, t_indptr
    cdef Indices indices, t_indices
    cdef readonly Sets sets
    cdef readonly Elements elements
    # For elements whose value depends on count, best set or chance.
    cdef bint is_curved
    cdef Bools kinds
    cdef Offsets curve_ptr  # where the steps of each element of kind COUNT begin
    cdef Floats curve, guide  # what one more set adds to the value, and to margins
    cdef Floats strength, t_strength  # strengths of edges for BEST and CHANCE, by rows and by columns
    # BEST: the two largest strengths. CHANCE: log-probability to miss; the missed weight in margins.
    cdef FloatsOut level, second
    cdef double extra  # guide value of the selection minus its value
    # Minima of value: those that each element is part of, their lower limits, the values reached.
    cdef bint has_floors
    cdef Offsets floor_ptr
    cdef Indices floor_of
    cdef Floats floor_low
    cdef FloatsOut floor_has

cdef double log_miss(double p) noexcept nogil
cdef double step_of(Floats steps, Offsets ptr, int64_t a, int64_t k) noexcept nogil
cdef double part_of(Flips at, int64_t a, double s, int64_t j) noexcept nogil
cdef void hear(Flips at, int64_t a, int64_t i, double s) noexcept nogil
cdef void look_again(Flips at, int64_t a) noexcept nogil
cdef void chances(Flips at, int64_t a, double change) noexcept nogil
cdef double given(Flips at, int64_t a) noexcept nogil
cdef void give(Flips at, int64_t a, double more) noexcept nogil
cdef double flip_any(Flips at, int64_t i) noexcept nogil
cdef double rebuild_any(Flips at) noexcept nogil
cdef double rebuild(Flips at) noexcept nogil

# These functions are in the .pxd so that each search inlines them into its loops.
cdef inline double flip(Flips at, int64_t i) noexcept nogil:
    """Add set i if it is out, drop it if it is in; return the change in value.

    Limits are the caller's business. Costs the row of i plus the columns of the elements that
    become covered or uncovered.
    """
    cdef SetRecord* sets = &at.sets[0]
    cdef ElementRecord* elements
    cdef const int32_t* t_indices
    cdef bint entering = not sets[i].selected
    cdef int step = 1 if entering else -1
    cdef int32_t others, owner
    cdef int64_t a, e, f
    cdef double weight, margin = sets[i].margin
    if at.indptr[i] < at.indptr[i + 1]:
        elements, t_indices = &at.elements[0], &at.t_indices[0]
    for e in range(at.indptr[i], at.indptr[i + 1]):
        a = at.indices[e]
        weight = elements[a].weight
        others = elements[a].count
        owner = elements[a].owner
        elements[a].count = others + step
        elements[a].owner = owner ^ <int32_t> i
        if not entering:
            others -= 1
            owner ^= <int32_t> i
        if others == 1:
            sets[owner].margin -= step * weight
        elif others == 0 and weight != 0.0:
            for f in range(at.t_indptr[a], at.t_indptr[a + 1]):
                sets[t_indices[f]].margin -= step * weight
    # The loops over columns changed the margin of set i too. Restoring it here saves a branch there.
    sets[i].margin = margin
    sets[i].selected = entering
    return step * margin


cdef inline uint64_t next_random(uint64_t* state) noexcept nogil:
    """Return the next number of the xorshift64 sequence, of 53 bits."""
    cdef uint64_t x = state[0]
    x ^= x << 13
    x ^= x >> 7
    x ^= x << 17
    state[0] = x
    return x >> 11
