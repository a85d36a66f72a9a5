from libc.stdint cimport int64_t, uint64_t

ctypedef const uint64_t[::1] Eights

cdef struct Word:
    unsigned char kind
    unsigned char flags
    unsigned short code
    unsigned short points
    unsigned short follows

cdef struct Counts:
    double words
    double content
    double names
    double numbers
    double twice
    double again
    double new
    double old
    double verbs
    double sure
    double lead
    double starts
    double third
    double points
    double personal

cdef struct Layout:
    int64_t n_features
    int64_t n_codes
    int64_t n_kinds
    int64_t n_closed
    int64_t number
    int64_t name
    int64_t the
    int64_t ed
    int64_t verbal
    int64_t unless
