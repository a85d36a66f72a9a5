"""Letters: texts as arrays of code points, with their words numbered by spelling."""

import cython
import numpy as np
from cython.cimports.libc.math import ceil
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.maxcover.engine.kernels.arrays import (
    Bools,
    FloatsOut,
    IndicesOut,
    Letters,
    LettersOut,
    Offsets,
    OffsetsOut,
)
from cython.cimports.maxcover.texts.kernels.letters import TokenRate

CLASSES = {
    "separator": SEPARATOR,
    "letter": LETTER,
    "digit": DIGIT,
    "apostrophe": APOSTROPHE,
    "digit joint": DIGIT_JOINT,
    "typography": TYPOGRAPHY,
}
"""Classes of characters for finding words: a separator, a letter or combining mark, a digit, an
apostrophe, a sign that joins digits (as in 3.14), a typographic sign that separates words."""

TOKEN_RATE = np.dtype([(name, np.float64) for name in ("first", "free", "rate")])
"""Record for the token estimate of one kind of character: a run of n such characters has ``first +
ceil(max(n - free, 0) * rate)`` tokens."""


def is_of_word(kind, letter):
    """Tell whether a character of class `kind` is part of a word; apostrophes only if `letter`."""
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
    """Write where each run of word characters begins and stops; return the number of runs.

    `classes` has the class of each character, from `CLASSES`. An apostrophe joins two word
    characters, a digit joint two digits. If `loose`, a digit joint does not join, and an apostrophe
    counts as a letter in sentences that are ASCII apart from apostrophes and signs of typography.
    The runs of sentence i are ``until[i]:until[i + 1]``.
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
    """Return the hash slot of the spelling ``letters[begin:end]``; `n_slots` is a power of two.

    The hash is FNV-1a over code points, with its 64-bit prime. (The offset basis lacks the last
    digit of the published one, which does not matter here.)
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
    """Write the number of each run's spelling; new spellings are added. Return how many are known.

    Spelling s is ``letters[until[s]:until[s + 1]]``. A slot holds the number of a spelling, or -1.
    `slots`, `letters` and `until` need room for the case that every run is a new spelling.
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
    """Enter the first `known` spellings, all different, into the empty hash table `slots`."""
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
    """Write the estimated tokens of each text, summed over its runs of characters of one kind.

    A run of kind q is counted by ``rates[q]``; see `TOKEN_RATE`.
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
