cimport cython
from libc.stdint cimport int64_t
from maxcover.engine.kernels.arrays cimport Bools, Letters

# Bits of a character in a line.
cdef enum:
    LINE_END = 1
    WHITE = 2
    QUOTE = 4
    BULLET = 8
    CLAUSE_END = 16
    LOWER = 32
    LETTER = 64
    CAPITAL = 128

# Marks before the words of a line.
cdef enum:
    NO_MARK = 0
    ITEM_MARK = 1
    HEADING_MARK = 2

# Special widths, which are not columns.
cdef enum:
    ALL_WRAP = 0  # every line continues the line above if the layout allows it
    NOT_WRAPPED = -1
    NONE_WRAPS = -2  # no line continues the line above

# Code points, and the first code point of scripts that are written without spaces.
cdef enum:
    CARRIAGE_RETURN = 13
    LINE_FEED = 10
    BLANK = 32
    EXCLAMATION_MARK = 33
    NUMBER_SIGN = 35
    OPENING_BRACKET = 40
    CLOSING_BRACKET = 41
    COMMA = 44
    FULL_STOP = 46
    ZERO = 48
    NINE = 57
    QUESTION_MARK = 63
    FIRST_UNSPACED = 0xE00

cdef enum:
    MOST_NUMBER_SIGNS = 6  # most "#" before a heading

cdef struct Line:
    int64_t start
    int64_t body  # where the words of the line begin
    int64_t end
    int64_t indent
    int64_t depth  # depth of quotation
    int64_t mark
    int64_t first_word  # length of the first word
    int64_t below_blank

cdef struct LineBlock:
    int64_t start
    int64_t end
    int64_t mark
    int64_t depth
    int64_t below_blank

@cython.locals(code=int64_t)
cdef bint ends_a_sentence(int64_t code) noexcept nogil
cdef bint is_digit(int64_t code) noexcept nogil
cdef int64_t skip(Letters codes, Bools traits, int64_t k, int64_t end, int64_t trait) noexcept nogil
@cython.locals(first=int64_t)
cdef int64_t behind_marker(Letters codes, Bools traits, int64_t k, int64_t end) noexcept nogil
@cython.locals(k=int64_t)
cdef void read_line(Letters codes, Bools traits, int64_t start, int64_t end, Line* line) noexcept nogil
cdef int64_t length_of(const Line* line) noexcept nogil
cdef bint goes_on(const Line* line) noexcept nogil
cdef bint is_full(const Line* above, const Line* line, int64_t width) noexcept nogil
@cython.locals(begins=int64_t)
cdef bint stops_midway(Letters codes, Bools traits, const Line* line) noexcept nogil
@cython.locals(code=int64_t, midway=int64_t, k=int64_t)
cdef bint breaks_at_clauses(Letters codes, Bools traits, const Line* lines, int64_t n_lines) noexcept nogil
@cython.locals(k=int64_t, joints=int64_t, full=int64_t, midway=int64_t, longest=int64_t)
cdef int64_t width_of_paragraph(Letters codes, Bools traits, const Line* lines, int64_t n_lines, int64_t width, int64_t narrow, int64_t widest) noexcept nogil
cdef bint is_soft(Letters codes, Bools traits, const Line* line, int64_t limit, bint hangs) noexcept nogil
