cimport cython
from libc.stdint cimport int64_t, uint64_t
from maxcover.kernels.arrays cimport BoolsOut, Indices, IndicesOut

ctypedef const uint64_t[::1] Eights

# Flags of a word.
cdef enum:
    THIRD = 1  # a pronoun of the third person
    PERSONAL = 2  # another personal pronoun
    VERB = 4
    WITH_I = 8  # begins with i

cdef enum:
    N_PLACES = 2  # number of first words whose kind is marked by position
    QUESTION_MARK = 63  # a code point
    COMMA_NUMBER = 1  # number of the comma among the signs
    AT_ONCE = 8  # features that are tested together

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

@cython.locals(k=int64_t)
cdef void note_terms(Indices terms, int64_t begin, int64_t end, int64_t row, int64_t opening, IndicesOut met) noexcept nogil
@cython.locals(kinds=int64_t)
cdef void mark_word(BoolsOut has, int64_t codes, const Word* word, int64_t kind, int64_t place, bint is_last, const Layout* layout) noexcept nogil
cdef void count_content(Counts* count, int64_t kind, int64_t before, bint is_old, const Layout* layout) noexcept nogil
cdef void count_verb(Counts* count, int64_t kind, int64_t place, const Layout* layout) noexcept nogil
