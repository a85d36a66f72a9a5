cimport cython
from libc.stdint cimport int64_t
from maxcover.engine.kernels.arrays cimport Bools, Letters, Offsets

# Bits of a character, in the order of `maxcover.texts.words.codepoints`.
cdef enum:
    ALNUM = 1
    WHITE = 2
    LOWER = 4
    UPPER = 8
    NUMBER_START = 16
    ALPHA = 32

# Bits of what is uncertain at a cut.
cdef enum:
    GOES_ON = 1  # the sentence before the cut may continue after it
    UNCLEAR = 2  # it is uncertain whether a sentence begins at the cut

# Code points, and the bit in which ASCII lower-case letters differ from capitals.
cdef enum:
    BLANK = 32
    FULL_STOP = 46
    SMALL_I = 105
    SMALL_V = 118
    SMALL_X = 120
    TO_LOWER = 32

cdef enum:
    LONGEST_NAME = 7  # number of letters that fit into 64 bits
    BITS_OF_A_LETTER = 8

@cython.locals(k=int64_t, size=int64_t, small=int64_t, letters=bint, is_numeral=bint)
cdef bint is_unclear(Letters codes, Bools traits, int64_t first, int64_t last, bint is_short) noexcept nogil
@cython.locals(k=int64_t, n=int64_t, size=int64_t, word=int64_t, letters=bint, plain=bint)
cdef bint may_be_name(Letters codes, Bools traits, int64_t first, int64_t last, Offsets names) noexcept nogil
