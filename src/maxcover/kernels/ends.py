"""Ends: sentence ends that leave no doubt, told by looking at the characters around them."""

import cython
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.arrays import (
    Bools,
    BoolsOut,
    Letters,
    Offsets,
    OffsetsOut,
)


def settle(
    codes: Letters,
    traits: Bools,
    cuts: Offsets,
    closing: Bools,
    window: int64_t,
    shortest: int64_t,
    longest: int64_t,
    names: Offsets,
    doubts: BoolsOut,
    spans: OffsetsOut,
) -> None:
    """Write where the sentences between cuts begin and end, without white space around them.

    A cut is the beginning of a sentence, or where it is `closing`, the end of a block. The last one
    closes. ``doubts[j]`` is 2 if the sentence that begins at cut j is longer than `longest`, holds
    no letter or digit, or may be the number of the next one: shorter than `shortest`, not the last
    of its block, and no letters besides one letter or i, v and x; plus 1 if the sentence before it
    may go on.

    The traits of a character are 1 for a letter or digit, 2 for white space, 4 and 8 for lower and
    upper case, 16 for what begins a number, 32 for a letter. `names` are words that may stand
    before a full stop within a sentence, eight bits a letter, the last letter first.
    """
    first: int64_t
    last: int64_t
    k: int64_t
    size: int64_t
    word: int64_t
    letters: cython.bint
    short: cython.bint
    numeral: cython.bint
    plain: cython.bint
    doubt: cython.bint
    with cython.nogil:
        for j in range(cuts.shape[0]):
            doubts[j] = 0
        for j in range(cuts.shape[0] - 1):
            if closing[j]:
                continue
            first = cuts[j]
            last = cuts[j + 1]
            short = last - first < shortest and not closing[j + 1]
            if last - first > longest:
                doubts[j] |= 2
            while first < last and traits[codes[first]] & 2:
                first += 1
            while first < last and traits[codes[last - 1]] & 2:
                last -= 1
            spans[2 * j] = first
            spans[2 * j + 1] = last
            while first < last and not traits[codes[first]] & 1:
                first += 1
            if first == last:
                doubts[j] |= 2
            if short:
                size = 0
                letters = False
                for k in range(first, last):
                    if traits[codes[k]] & 1:
                        size += 1
                        word = codes[k] | 32  # i, v and x are numbers too
                        numeral = traits[codes[k]] & 16 != 0 or word == 105 or word == 118
                        letters = letters or not (numeral or word == 120)
                if size < 2 or not letters:
                    doubts[j] |= 2
            # does it end with a full stop, within the window?
            k = cuts[j + 1]
            if closing[j + 1] or last <= cuts[j] or last <= k - window or codes[last - 1] != 46:
                continue
            first = cuts[j] if cuts[j] > k - window else k - window
            doubt = traits[codes[k]] & 16 != 0 or last == k
            doubt = doubt or (traits[codes[k]] & 4 != 0 and traits[codes[cuts[j]]] & 8 != 0)
            k = last - 2
            # the word before it, unless that ends with a sign, which no abbreviation does
            if k < first or codes[k] >= 128 or traits[codes[k]] & 1 or codes[k] == 32:
                size = 0
                word = 0
                letters = True
                plain = True
                while k >= first and codes[k] != 32:
                    doubt = doubt or not traits[codes[k]] & 1
                    letters = letters and traits[codes[k]] & 32 != 0
                    plain = plain and codes[k] < 128
                    if size < 7:
                        word = word * 256 + codes[k]
                    size += 1
                    k -= 1
                doubt = doubt or size < 2 or (size < 3 and not letters) or (size < 8 and not plain)
                if size < 8 and letters:
                    for k in range(names.shape[0]):
                        doubt = doubt or names[k] == word
            if doubt:
                doubts[j + 1] |= 1
