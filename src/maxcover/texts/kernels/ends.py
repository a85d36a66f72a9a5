"""Ends: sentence ends that are certain from the characters around them."""

import cython
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.arrays import (
    Bools,
    BoolsOut,
    Letters,
    Offsets,
    OffsetsOut,
)


def is_unclear(codes, traits, first, last, is_short):
    """Tell whether a sentence has no letter or digit, or may only number the next one ("3.").

    Such a number is short ("3.", "b)", "iv."): one letter, or only digits and the letters i, v and
    x.
    """
    while first < last and not traits[codes[first]] & ALNUM:
        first += 1
    if first == last:
        return True
    if not is_short:
        return False
    size = 0
    letters = False
    for k in range(first, last):
        if traits[codes[k]] & ALNUM:
            size += 1
            small = codes[k] | TO_LOWER
            is_numeral = traits[codes[k]] & NUMBER_START or small == SMALL_I or small == SMALL_V
            letters = letters or not (is_numeral or small == SMALL_X)
    return size < 2 or not letters


def may_be_name(codes, traits, first, last, names):
    """Tell whether a full stop after the word that ends at `last` may be inside a sentence.

    `last` is inclusive. The full stop may be inside after an abbreviation from `names`, one letter,
    or a word with signs in it, but not after a word that ends with a sign.
    """
    k = last
    if k >= first and codes[k] < 128 and not traits[codes[k]] & ALNUM and codes[k] != BLANK:
        return False
    size = 0
    word = 0
    letters = True
    plain = True
    while k >= first and codes[k] != BLANK:
        if not traits[codes[k]] & ALNUM:
            return True
        letters = letters and traits[codes[k]] & ALPHA != 0
        plain = plain and codes[k] < 128
        if size < LONGEST_NAME:
            word = (word << BITS_OF_A_LETTER) + codes[k]
        size += 1
        k -= 1
    if size < 2 or (size < 3 and not letters) or (size <= LONGEST_NAME and not plain):
        return True
    if size <= LONGEST_NAME and letters:
        for n in range(names.shape[0]):
            if names[n] == word:
                return True
    return False


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
    """Write the start and end of each sentence between two cuts, without white space around it.

    A cut is the beginning of a sentence or, if it is `closing`, the end of a block. The last cut is
    closing. ``doubts[j]`` has two bits:

    - UNCLEAR: the sentence that begins at cut j is longer than `longest`, has no letter or digit,
      or may be the number of the next sentence: shorter than `shortest` and not the last sentence
      of its block.
    - GOES_ON: the sentence before cut j may continue after it.

    The traits of a character are those of `maxcover.texts.words.codepoints`; NUMBER_START is called
    DIGIT there. `names` are abbreviations that may have a full stop inside a sentence, eight bits a
    letter, the last letter first.
    """
    first: int64_t
    last: int64_t
    cut: int64_t
    is_short: cython.bint
    doubt: cython.bint
    with cython.nogil:
        for j in range(cuts.shape[0]):
            doubts[j] = 0
        for j in range(cuts.shape[0] - 1):
            if closing[j]:
                continue
            first = cuts[j]
            last = cuts[j + 1]
            is_short = last - first < shortest and not closing[j + 1]
            if last - first > longest:
                doubts[j] |= UNCLEAR
            while first < last and traits[codes[first]] & WHITE:
                first += 1
            while first < last and traits[codes[last - 1]] & WHITE:
                last -= 1
            spans[2 * j] = first
            spans[2 * j + 1] = last
            if is_unclear(codes, traits, first, last, is_short):
                doubts[j] |= UNCLEAR
            # GOES_ON is possible only after a full stop less than `window` before the next cut.
            cut = cuts[j + 1]
            if closing[j + 1] or last <= cuts[j] or last <= cut - window:
                continue
            if codes[last - 1] != FULL_STOP:
                continue
            first = cuts[j] if cuts[j] > cut - window else cut - window
            doubt = traits[codes[cut]] & NUMBER_START != 0 or last == cut
            if traits[codes[cut]] & LOWER and traits[codes[cuts[j]]] & UPPER:
                doubt = True
            if doubt or may_be_name(codes, traits, first, last - 2, names):
                doubts[j + 1] |= GOES_ON
