"""Letters: texts as arrays of code points, with their words numbered by spelling."""

import cython
import numpy as np
from cython.cimports.libc.math import ceil
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.maxcover.kernels.arrays import (
    Bools,
    FloatsOut,
    IndicesOut,
    Letters,
    LettersOut,
    Offsets,
    OffsetsOut,
)
from cython.cimports.maxcover.kernels.letters import TokenRate

CLASSES = {
    "separator": SEPARATOR,
    "letter": LETTER,
    "digit": DIGIT,
    "apostrophe": APOSTROPHE,
    "digit joint": DIGIT_JOINT,
    "typography": TYPOGRAPHY,
}
"""What a character is in a word: nothing, a letter or mark, a digit, an apostrophe, a sign that
joins digits, a sign of typography that separates."""

TOKEN_RATE = np.dtype([(name, np.float64) for name in ("first", "free", "rate")])
"""Tokens of a run of n characters of one kind: ``first + ceil(max(n - free, 0) * rate)``."""


def is_of_word(kind, letter):
    """Tell whether a character is part of a word, an apostrophe if that is a `letter`."""
    return kind == LETTER or kind == DIGIT or (letter and kind == APOSTROPHE)


def find_runs(
    codes: Letters,
    classes: Bools,
    starts: Offsets,
    ends: Offsets,
    loose: cython.bint,
    begins: OffsetsOut,
    stops: OffsetsOut,
    until: OffsetsOut,
) -> int:
    """Find the runs of word characters of sentences; return how many there are.

    `CLASSES` are those of characters. An apostrophe joins two characters of a word. If `loose`,
    signs do not join digits, and where a sentence is ASCII, but for apostrophes and signs of
    typography, an apostrophe is a letter. The runs of sentence i are those from ``until[i]`` to
    ``until[i + 1]``.
    """
    n_runs: int64_t = 0
    k: int64_t
    end: int64_t
    kind: cython.uchar
    after: cython.uchar
    last: cython.uchar
    letter: cython.bint
    with cython.nogil:
        until[0] = 0
        for i in range(starts.shape[0]):
            k = starts[i]
            end = ends[i]
            letter = loose
            while letter and k < end:
                kind = classes[codes[k]]
                letter = codes[k] < 128 or kind == APOSTROPHE or kind == TYPOGRAPHY
                k += 1
            k = starts[i]
            while k < end:
                last = classes[codes[k]]
                if not is_of_word(last, letter):
                    k += 1
                    continue
                begins[n_runs] = k
                k += 1
                while k < end:
                    kind = classes[codes[k]]
                    if not is_of_word(kind, letter):
                        after = classes[codes[k + 1]] if k + 1 < end else SEPARATOR
                        if kind == APOSTROPHE:
                            if not is_of_word(after, False):
                                break
                        elif loose or kind != DIGIT_JOINT or last != DIGIT or after != DIGIT:
                            break
                    last = kind
                    k += 1
                stops[n_runs] = k
                n_runs += 1
            until[i + 1] = n_runs
    return n_runs


def slot_of(letters, begin, end, n_slots):
    """Return where to look for a spelling first; `n_slots` is a power of two.

    The 64-bit FNV-1a hash of its letters: the numbers are those of its definition.
    """
    code = cython.cast(uint64_t, 1469598103934665603)
    for k in range(begin, end):
        code = (code ^ letters[k]) * cython.cast(uint64_t, 1099511628211)
    return cython.cast(int64_t, (code ^ (code >> 29)) & cython.cast(uint64_t, n_slots - 1))


def number_runs(
    codes: Letters,
    begins: Offsets,
    stops: Offsets,
    slots: IndicesOut,
    letters: LettersOut,
    until: OffsetsOut,
    known: int64_t,
    numbers: IndicesOut,
) -> int:
    """Give each run the number of its spelling, new ones the next; return how many are known then.

    Spelling s is ``letters[until[s]:until[s + 1]]``. A slot holds the number of a spelling, or -1.
    All three have room for every run being new.
    """
    n_slots: int64_t = slots.shape[0]
    at: int64_t
    size: int64_t
    first: int64_t
    k: int64_t
    s: int32_t
    with cython.nogil:
        for r in range(begins.shape[0]):
            size = stops[r] - begins[r]
            at = slot_of(codes, begins[r], stops[r], n_slots)
            while True:
                s = slots[at]
                if s < 0:
                    s = cython.cast(int32_t, known)
                    first = until[known]
                    for k in range(size):
                        letters[first + k] = codes[begins[r] + k]
                    known += 1
                    until[known] = first + size
                    slots[at] = s
                    break
                first = until[s]
                if until[s + 1] - first == size:
                    k = 0
                    while k < size and letters[first + k] == codes[begins[r] + k]:
                        k += 1
                    if k == size:
                        break
                at = (at + 1) & (n_slots - 1)
            numbers[r] = s
    return known


def fill_slots(letters: Letters, until: Offsets, known: int64_t, slots: IndicesOut) -> None:
    """Put spellings, all different, into slots that are empty."""
    at: int64_t
    with cython.nogil:
        for s in range(known):
            at = slot_of(letters, until[s], until[s + 1], slots.shape[0])
            while slots[at] >= 0:
                at = (at + 1) & (slots.shape[0] - 1)
            slots[at] = cython.cast(int32_t, s)


def count_tokens(
    codes: Letters,
    kinds: Bools,
    starts: Offsets,
    ends: Offsets,
    rates: TokenRate[::1],
    sizes: FloatsOut,
) -> None:
    """Add up, for each text, the estimated tokens of its runs of characters of one kind.

    The runs of kind q have ``rates[q]``; see `TOKEN_RATE`.
    """
    k: int64_t
    begin: int64_t
    kind: cython.int
    total: cython.double
    over: cython.double
    with cython.nogil:
        for i in range(starts.shape[0]):
            k = starts[i]
            total = 0.0
            while k < ends[i]:
                begin = k
                kind = kinds[codes[k]]
                k += 1
                while k < ends[i] and kinds[codes[k]] == kind:
                    k += 1
                total += rates[kind].first
                over = cython.cast(cython.double, k - begin) - rates[kind].free
                if over > 0.0:
                    total += ceil(over * rates[kind].rate)
            sizes[i] = total
