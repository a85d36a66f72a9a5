"""Outlines: lines of a text, and which of them are one block.

`outlines.pxd` has the fields of lines and blocks, and the bits of characters, with their names.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.engine.kernels.arrays import (
    Bools,
    Letters,
    OffsetsOut,
)
from cython.cimports.maxcover.texts.kernels.outlines import Line, LineBlock


def record(*fields):
    """Return a NumPy record type with these `fields`, each an int64."""
    return np.dtype([(field, np.int64) for field in fields])


LINE = record("start", "body", "end", "indent", "depth", "mark", "first_word", "below_blank")
"""Record of a line: its start; `body`, where its words begin, after indent, quote marks and list
marker; its end; its indent; its quotation depth; its mark (list item or heading); the length of its
first word; and whether a blank line or the beginning of the text is above it."""

BLOCK = record("start", "end", "mark", "depth", "below_blank")
"""Record of a block of lines: where its words begin, where it ends, and the mark, quotation depth
and `below_blank` of its first line."""

LINE_TRAITS = {
    "line end": LINE_END,
    "white": WHITE,
    "quote": QUOTE,
    "bullet": BULLET,
    "clause end": CLAUSE_END,
    "lower": LOWER,
    "letter": LETTER,
    "capital": CAPITAL,
}
"""Bits of a character, for splitting a text into lines and lines into blocks."""

ITEM, HEADING = ITEM_MARK, HEADING_MARK
"""Marks of a block that begins with a list marker, or with "#"."""

WIDTHS = {"break": NONE_WRAPS, "wrap": ALL_WRAP, "auto": NOT_WRAPPED}
"""Special wrap widths, by the option `lines`: no line is wrapped, all lines are, or the width is
not known yet."""


def ends_a_sentence(code):
    """Tell whether a character is ".", "!" or "?"."""
    return code == FULL_STOP or code == EXCLAMATION_MARK or code == QUESTION_MARK


def is_digit(code):
    """Tell whether a character is an ASCII digit."""
    return code >= ZERO and code <= NINE


def skip(codes, traits, k, end, trait):
    """Return the first index from `k` on whose character lacks `trait`; `end` if all have it."""
    while k < end and traits[codes[k]] & trait:
        k += 1
    return k


def behind_marker(codes, traits, k, end):
    """Return the index after the list marker or heading signs that begin at `k`; `k` if none do.

    A marker is a bullet, one to six "#", one or two digits and "." or ")", or a letter in brackets.
    """
    first = k
    if traits[codes[k]] & BULLET:
        return k + 1
    if codes[k] == NUMBER_SIGN:
        while k < end and k < first + MOST_NUMBER_SIGNS and codes[k] == NUMBER_SIGN:
            k += 1
        return k
    if codes[k] == OPENING_BRACKET:
        k += 1
    if k < end and is_digit(codes[k]):
        k += 1
        if k < end and is_digit(codes[k]):
            k += 1
        if k < end and (codes[k] == FULL_STOP or codes[k] == CLOSING_BRACKET):
            return k + 1
    elif (
        k > first
        and k + 1 < end
        and codes[k + 1] == CLOSING_BRACKET
        and codes[k] < 128
        and traits[codes[k]] & LETTER
    ):
        return k + 2
    return first


def read_line(codes, traits, start, end, line):
    """Fill in all fields of `line` except `below_blank`."""
    line.start = start
    line.end = end
    line.depth = 0
    line.mark = NO_MARK
    line.body = skip(codes, traits, start, end, WHITE)
    line.indent = line.body - start
    while line.body < end and traits[codes[line.body]] & QUOTE:
        line.depth += 1
        line.body = skip(codes, traits, line.body + 1, end, WHITE)
    if line.body == end:
        return
    k = behind_marker(codes, traits, line.body, end)
    if k > line.body and k < end and traits[codes[k]] & WHITE:
        line.mark = HEADING_MARK if codes[line.body] == NUMBER_SIGN else ITEM_MARK
        line.body = skip(codes, traits, k, end, WHITE)
    # Scripts without spaces are wrapped at any character, so their first word has length 1.
    k = line.body + 1
    if not (codes[line.body] >= FIRST_UNSPACED and traits[codes[line.body]] & LETTER):
        while k < end and codes[k] != BLANK:
            k += 1
    line.first_word = k - line.body


def read_lines(codes: Letters, traits: Bools, lines: Line[::1]) -> int64_t:
    """Write a record for each line that is not blank; return the number of records."""
    size: int64_t = codes.shape[0]
    start: int64_t = 0
    stop: int64_t
    end: int64_t
    n_lines: int64_t = 0
    below_blank: int64_t = 1
    with cython.nogil:
        while start < size:
            stop = start
            while stop < size and not traits[codes[stop]] & LINE_END:
                stop += 1
            end = stop
            while end > start and traits[codes[end - 1]] & WHITE:
                end -= 1
            line = cython.address(lines[n_lines])
            read_line(codes, traits, start, end, line)
            if line.body < end:
                line.below_blank = below_blank
                n_lines += 1
                below_blank = 0
            else:
                below_blank = 1
            start = stop + 1
            if start < size and codes[stop] == CARRIAGE_RETURN and codes[start] == LINE_FEED:
                start += 1
    return n_lines


def length_of(line):
    """Return the number of characters of a line."""
    return line.end - line.start


def goes_on(line):
    """Tell whether the layout allows `line` to continue the line above it."""
    above = line - 1
    if line.below_blank or line.mark != NO_MARK or line.depth != above.depth:
        return False
    return line.indent <= above.indent or above.mark != NO_MARK


def is_full(above, line, width):
    """Tell whether line `above` was wrapped at `width`: the first word of `line` did not fit."""
    return length_of(above) <= width <= length_of(above) + line.first_word


def stops_midway(codes, traits, line):
    """Tell whether a sentence seems to continue from the line above into `line`."""
    begins = traits[codes[line.body]]
    if not begins & LETTER or begins & CAPITAL:
        return False
    return not traits[codes[(line - 1).end - 1]] & CLAUSE_END


def breaks_at_clauses(codes, traits, lines, n_lines):
    """Tell whether a paragraph was broken into lines at clauses, so that its lines are joined.

    The paragraph begins with a capital and ends a sentence. Each line continues the line above,
    which ends a clause or stops midway in a sentence. At least one line stops midway.
    """
    midway = 0
    if not traits[codes[lines[0].body]] & CAPITAL:
        return False
    if not ends_a_sentence(codes[lines[n_lines - 1].end - 1]):
        return False
    for k in range(1, n_lines):
        code = codes[lines[k - 1].end - 1]
        if not goes_on(lines + k):
            return False
        if stops_midway(codes, traits, lines + k):
            midway += 1
        elif not (traits[code] & CLAUSE_END or code == COMMA):
            return False
    return midway > 0


def find_width(
    codes: Letters,
    traits: Bools,
    lines: Line[::1],
    n_lines: int64_t,
    narrowest: int64_t,
    least: float,
    steps: OffsetsOut,
) -> int64_t:
    """Return the column at which a text was wrapped, or `NOT_WRAPPED`.

    A line of n characters followed by a word of k was wrapped at a width from n to n + k. The width
    that explains most line ends is returned if it explains at least the fraction `least` of them,
    and most of the explained lines stop midway in a sentence. `steps` are zeros, two more than the
    widest column.
    """
    widest: int64_t = steps.shape[0] - 2
    joints: int64_t = 0
    length: int64_t
    longer: int64_t
    explained: int64_t = 0
    best: int64_t = 0
    width: int64_t = NOT_WRAPPED
    full: int64_t = 0
    midway: int64_t = 0
    with cython.nogil:
        for k in range(1, n_lines):
            line = cython.address(lines[k])
            if goes_on(line):
                joints += 1
                length = length_of(line - 1)
                longer = length + line.first_word
                if length <= widest:
                    steps[length] += 1
                    steps[(longer if longer < widest else widest) + 1] -= 1
        for k in range(widest + 1):
            explained += steps[k]
            if k >= narrowest and explained > 0 and explained >= best:
                best = explained
                width = k
        if best == 0 or best < least * joints:
            width = NOT_WRAPPED
        else:
            for k in range(1, n_lines):
                line = cython.address(lines[k])
                if is_full(line - 1, line, width) and goes_on(line):
                    full += 1
                    midway += stops_midway(codes, traits, line)
            if 2 * midway <= full:
                width = NOT_WRAPPED
    return width


def width_of_paragraph(codes, traits, lines, n_lines, width, narrow, widest):
    """Return the width at which a paragraph was wrapped; the whole text was wrapped at `width`.

    A paragraph with a line longer than `width` was not wrapped at `width`. A paragraph of three
    lines or more has its own width, from `narrow` to `widest`, if that width explains at least four
    of five line ends and at least half of these stop midway.
    """
    longest = 0
    for k in range(n_lines):
        longest = max(longest, length_of(lines + k))
    if width >= 0 and n_lines > 1 and (width == ALL_WRAP or longest <= width):
        return width
    if width == NONE_WRAPS or n_lines == 1:
        return NOT_WRAPPED
    if n_lines > 2 and narrow <= longest <= widest:
        joints = 0
        full = 0
        midway = 0
        for k in range(1, n_lines):
            if goes_on(lines + k):
                joints += 1
                if length_of(lines + k - 1) + lines[k].first_word >= longest:
                    full += 1
                    midway += stops_midway(codes, traits, lines + k)
        if joints >= 2 and 5 * full >= 4 * joints and 2 * midway >= full:
            return longest
    return ALL_WRAP if breaks_at_clauses(codes, traits, lines, n_lines) else NOT_WRAPPED


def is_soft(codes, traits, line, limit, hangs):
    """Tell whether the line break above `line` is only wrapping; `limit` is the wrapping width.

    A line that hangs is indented as the words of its list item are. It may continue the item even
    where the text is not wrapped at a width.
    """
    if not goes_on(line) or (limit < 0 and not hangs):
        return False
    if limit == ALL_WRAP or (limit >= 0 and is_full(line - 1, line, limit)):
        return True
    if not traits[codes[line.body]] & LOWER:
        return False
    return not traits[codes[(line - 1).end - 1]] & CLAUSE_END


def join_lines(
    codes: Letters,
    traits: Bools,
    lines: Line[::1],
    n_lines: int64_t,
    width: int64_t,
    narrow: int64_t,
    widest: int64_t,
    blocks: LineBlock[::1],
) -> int64_t:
    """Join lines wrapped at `width` to blocks; return the number of blocks."""
    first: int64_t = 0
    last: int64_t
    limit: int64_t
    hangs: cython.bint
    n_blocks: int64_t = 0
    with cython.nogil:
        while first < n_lines:
            last = first + 1
            while last < n_lines and not lines[last].below_blank:
                last += 1
            limit = width_of_paragraph(
                codes,
                traits,
                cython.address(lines[first]),
                last - first,
                width,
                narrow,
                widest,
            )
            for k in range(first, last):
                line = cython.address(lines[k])
                if k > first:
                    above = line - 1
                    hangs = line.body - line.start == above.body - above.start
                    hangs = hangs and line.indent > 0 and blocks[n_blocks - 1].mark == ITEM_MARK
                    if is_soft(codes, traits, line, limit, hangs):
                        blocks[n_blocks - 1].end = line.end
                        continue
                block = cython.address(blocks[n_blocks])
                block.start = line.body
                block.end = line.end
                block.mark = line.mark
                block.depth = line.depth
                block.below_blank = k == first
                n_blocks += 1
            first = last
    return n_blocks
