"""Outlines: lines of a text, which of them are one block, and what a block looks like."""

import cython
from cython.cimports.libc.stdint import int64_t
from cython.cimports.maxcover.kernels.arrays import (
    Bools,
    BoolsOut,
    Letters,
    Offsets,
    OffsetsOut,
)


def read_lines(codes: Letters, traits: Bools, lines: OffsetsOut) -> int64_t:
    """Write eight numbers for each line that holds more than white space; return how many lines.

    Where it begins, where its words begin (behind indent, quote marks and list marker), where it
    ends; its indent, depth of quotation, mark (1 of a list item, 2 of a heading), the length of its
    first word, and whether a blank line, or nothing, is above it.

    The traits of a character are 1 for a line end, 2 for white space, 4 for a quote mark, 8 for a
    bullet, 16 for a sign that ends a clause, 32 for lower case, 64 for a letter, 128 for a capital.
    """
    size: int64_t = codes.shape[0]
    start: int64_t = 0
    stop: int64_t
    end: int64_t
    body: int64_t
    k: int64_t
    depth: int64_t
    mark: int64_t
    indent: int64_t
    row: int64_t
    n_lines: int64_t = 0
    blank: int64_t = 1
    with cython.nogil:
        while start < size:
            stop = start
            while stop < size and not traits[codes[stop]] & 1:
                stop += 1
            end = stop
            while end > start and traits[codes[end - 1]] & 2:
                end -= 1
            body = start
            depth = 0
            mark = 0
            while body < end and traits[codes[body]] & 2:
                body += 1
            indent = body - start
            while body < end and traits[codes[body]] & 4:
                depth += 1
                body += 1
                while body < end and traits[codes[body]] & 2:
                    body += 1
            if body < end:
                # a bullet, one to six "#", one or two digits, or a letter in brackets
                k = body
                if traits[codes[k]] & 8:
                    mark = 1
                    k += 1
                elif codes[k] == 35:
                    mark = 2
                    while k < end and k < body + 6 and codes[k] == 35:
                        k += 1
                else:
                    if codes[k] == 40:
                        k += 1
                    if k < end and codes[k] >= 48 and codes[k] <= 57:
                        k += 1
                        if k < end and codes[k] >= 48 and codes[k] <= 57:
                            k += 1
                        mark = k < end and (codes[k] == 46 or codes[k] == 41)
                        k += 1
                    elif k > body and k + 1 < end and codes[k + 1] == 41 and codes[k] < 128:
                        mark = traits[codes[k]] & 64 != 0
                        k += 2
                if mark and k < end and traits[codes[k]] & 2:
                    body = k
                    while body < end and traits[codes[body]] & 2:
                        body += 1
                else:
                    mark = 0
                row = 8 * n_lines
                lines[row] = start
                lines[row + 1] = body
                lines[row + 2] = end
                lines[row + 3] = indent
                lines[row + 4] = depth
                lines[row + 5] = mark
                # scripts without spaces are wrapped at any character
                k = body + 1
                if not (codes[body] >= 0xE00 and traits[codes[body]] & 64):
                    while k < end and codes[k] != 32:
                        k += 1
                lines[row + 6] = k - body
                lines[row + 7] = blank
                n_lines += 1
                blank = 0
            else:
                blank = 1
            start = stop + 1
            if stop + 1 < size and codes[stop] == 13 and codes[stop + 1] == 10:
                start += 1
    return n_lines


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def goes_on(lines: OffsetsOut, k: int64_t) -> cython.bint:
    """Tell whether the layout allows line k to continue the one above it."""
    row: int64_t = 8 * k
    if k == 0 or lines[row + 7] or lines[row + 5] or lines[row + 4] != lines[row - 4]:
        return False
    return lines[row + 3] <= lines[row - 5] or lines[row - 3] != 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def stops_midway(codes: Letters, traits: Bools, lines: OffsetsOut, k: int64_t) -> cython.bint:
    """Tell whether a sentence seems to run from the line above into line k."""
    begins: int64_t = traits[codes[lines[8 * k + 1]]]
    return begins & 64 and not begins & 128 and not traits[codes[lines[8 * k - 6] - 1]] & 16


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def breaks_at_clauses(
    codes: Letters, traits: Bools, lines: OffsetsOut, first: int64_t, last: int64_t
) -> cython.bint:
    """Tell whether the lines of a paragraph are clauses of its sentences.

    It begins with a capital and ends with a full stop. Each line goes on from one that ends a
    clause, or one that stops midway, and some do the latter.
    """
    code: int64_t = codes[lines[8 * last - 6] - 1]
    midway: int64_t = 0
    if not traits[codes[lines[8 * first + 1]]] & 128 or (code != 46 and code != 33 and code != 63):
        return False
    for k in range(first + 1, last):
        code = codes[lines[8 * k - 6] - 1]
        if not goes_on(lines, k):
            return False
        if stops_midway(codes, traits, lines, k):
            midway += 1
        elif not (traits[code] & 16 or code == 44):
            return False
    return midway > 0


def find_width(
    codes: Letters,
    traits: Bools,
    lines: OffsetsOut,
    n_lines: int64_t,
    narrowest: int64_t,
    least: float,
    steps: OffsetsOut,
) -> int64_t:
    """Return the column at which a text was wrapped; -1 if it was not.

    A line of n characters followed by a word of k was cut at a width from n to n + k. The width
    that explains most line ends counts if it explains the part `least` of them, and most lines so
    explained stop midway. `steps` are zeros, two more than the widest column.
    """
    widest: int64_t = steps.shape[0] - 2
    joints: int64_t = 0
    length: int64_t
    word: int64_t
    best: int64_t = 0
    width: int64_t = -1
    full: int64_t = 0
    midway: int64_t = 0
    with cython.nogil:
        for k in range(1, n_lines):
            if goes_on(lines, k):
                joints += 1
                length = lines[8 * k - 6] - lines[8 * k - 8]
                word = lines[8 * k + 6]
                if length <= widest:
                    steps[length] += 1
                    steps[(length + word if length + word < widest else widest) + 1] -= 1
        length = 0
        for k in range(widest + 1):
            length += steps[k]
            if k >= narrowest and length > 0 and length >= best:
                best = length
                width = k
        if best == 0 or best < least * joints:
            width = -1
        else:
            for k in range(1, n_lines):
                length = lines[8 * k - 6] - lines[8 * k - 8]
                if length <= width <= length + lines[8 * k + 6] and goes_on(lines, k):
                    full += 1
                    midway += stops_midway(codes, traits, lines, k)
            if 2 * midway <= full:
                width = -1
    return width


def join_lines(
    codes: Letters,
    traits: Bools,
    lines: OffsetsOut,
    n_lines: int64_t,
    width: int64_t,
    narrow: int64_t,
    widest: int64_t,
    blocks: OffsetsOut,
) -> int64_t:
    """Write five numbers for each block of lines, return how many blocks.

    Where its words begin and where it ends; its mark, depth and whether a blank line is above it,
    all of the first line. `width` is that of the text; -1 if it has none, 0 if every line that may
    goes on, -2 if none does. A paragraph with longer lines was not wrapped there. One of three
    lines or more has a width of its own, from `narrow` to `widest`, if that explains four of five
    line ends, and half of these stop midway. Lines that are clauses are one block.
    """
    first: int64_t = 0
    last: int64_t
    limit: int64_t
    longest: int64_t
    length: int64_t
    joints: int64_t
    full: int64_t
    midway: int64_t
    n_blocks: int64_t = 0
    soft: cython.bint
    with cython.nogil:
        while first < n_lines:
            last = first + 1
            longest = lines[8 * first + 2] - lines[8 * first]
            while last < n_lines and not lines[8 * last + 7]:
                length = lines[8 * last + 2] - lines[8 * last]
                longest = length if length > longest else longest
                last += 1
            limit = width
            if width < 0 or last == first + 1 or (width > 0 and longest > width):
                limit = -1
                if width > -2 and last > first + 2 and narrow <= longest <= widest:
                    joints = full = midway = 0
                    for k in range(first + 1, last):
                        if goes_on(lines, k):
                            joints += 1
                            length = lines[8 * k - 6] - lines[8 * k - 8]
                            if length + lines[8 * k + 6] >= longest:
                                full += 1
                                midway += stops_midway(codes, traits, lines, k)
                    if joints >= 2 and 5 * full >= 4 * joints and 2 * midway >= full:
                        limit = longest
                if limit < 0 and width > -2 and last > first + 1:
                    limit = 0 if breaks_at_clauses(codes, traits, lines, first, last) else -1
            for k in range(first, last):
                soft = limit >= 0 and goes_on(lines, k)
                if soft and limit > 0:
                    length = lines[8 * k - 6] - lines[8 * k - 8]
                    if not (length <= limit <= length + lines[8 * k + 6]):
                        soft = traits[codes[lines[8 * k + 1]]] & 32 != 0
                        soft = soft and not traits[codes[lines[8 * k - 6] - 1]] & 16
                if soft:
                    blocks[5 * n_blocks - 4] = lines[8 * k + 2]
                    continue
                blocks[5 * n_blocks] = lines[8 * k + 1]
                blocks[5 * n_blocks + 1] = lines[8 * k + 2]
                blocks[5 * n_blocks + 2] = lines[8 * k + 5]
                blocks[5 * n_blocks + 3] = lines[8 * k + 4]
                blocks[5 * n_blocks + 4] = k == first
                n_blocks += 1
            first = last
    return n_blocks


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fold(code: int64_t) -> int64_t:
    """Make a letter of ASCII a small one; 0 for what is not ASCII."""
    return 0 if code >= 128 else code + 32 if 65 <= code <= 90 else code


def describe(
    codes: Letters,
    signs: Bools,
    pairs: Bools,
    sizes: Offsets,
    blocks: Offsets,
    kinds: BoolsOut,
    hints: BoolsOut,
) -> None:
    """Say what each block may be, by its size, its first letters and its signs.

    Parameters
    ----------
    signs
        Of each character: 1 for what ends a sentence, 2 for what closes behind it, 4 for what parts
        the cells of a table, 8 for a colon, 16 for letters, digits and "_", 32 and 64 for what a
        closing and an attribution may begin with.
    pairs
        Of the first two letters, ``256 * a + b``: 1 for those of a label, 2 for those of a frame.
    sizes
        Characters at most of a label, a frame, an attribution and a post, and at least of that;
        words at most of a title and a heading.
    blocks
        Five numbers each, as `join_lines` writes them.
    kinds
        0 of a paragraph, 1 of a list item, 2 of a quotation, 3 of a heading, 4 of a title.
    hints
        1 for what may be a label, 2 a frame of a letter, 8 the head of a post; 4 if a colon is in
        it.
    """
    n_blocks: int64_t = blocks.shape[0] // 5
    start: int64_t
    end: int64_t
    k: int64_t
    code: int64_t
    sign: int64_t
    size: int64_t
    words: int64_t
    run: int64_t
    hint: int64_t
    seen: int64_t
    ended: cython.bint
    above: cython.bint = False  # whether the block above may be a heading
    with cython.nogil:
        for i in range(n_blocks):
            start = blocks[5 * i]
            end = blocks[5 * i + 1]
            size = end - start
            words = 1
            run = 0
            seen = 0
            for k in range(start, end):
                code = codes[k]
                if code == 32:
                    words += 1
                    run += 1
                    if run == 3:
                        seen |= 4
                else:
                    run = 0
                    seen |= signs[code]
            k = end
            while k > start and signs[codes[k - 1]] & 2:
                k -= 1
            ended = k > start and signs[codes[k - 1]] & 1 != 0
            k = start
            while k < end - 1 and k < start + 2 and not signs[codes[k]] & 16:
                k += 1
            code = 256 * fold(codes[k]) + (fold(codes[k + 1]) if k + 1 < end else 0)
            hint = 0
            if size <= sizes[0] and blocks[5 * i + 2] != 2 and (pairs[code] & 1 or seen & 4):
                hint |= 1
            sign = signs[codes[start]]
            code = pairs[code]
            if (size <= sizes[1] and code & 2) or sign & 32:
                hint |= 2
            code = codes[end - 1]
            if size <= sizes[2] and (sign & 64 or signs[code] & 8):
                hint |= 2
            if size >= sizes[4] and size <= sizes[3] and code != 46 and code != 33 and code != 63:
                hint |= 8
            if seen & 8:
                hint |= 4
            hints[i] = hint
            kinds[i] = 0
            if blocks[5 * i + 2] == 2:
                kinds[i] = 3
            elif blocks[5 * i + 3]:
                kinds[i] = 2
            elif blocks[5 * i + 2]:
                kinds[i] = 1
            # a short line above one that ends as a sentence does
            if above and ended:
                if i == 1:
                    kinds[0] = 4
                elif blocks[5 * i - 1] and blocks[5 * i + 4]:
                    kinds[i - 1] = 3
            above = kinds[i] == 0 and not ended and size <= sizes[0]
            above = above and words <= (sizes[5] if i == 0 else sizes[6])


def find_single(
    codes: Letters, starts: Offsets, ends: Offsets, longest: int64_t, single: BoolsOut
) -> None:
    """Tell which blocks are one sentence: short ones in ASCII with no end before their last."""
    k: int64_t
    code: int64_t
    with cython.nogil:
        for i in range(starts.shape[0]):
            single[i] = ends[i] - starts[i] <= longest
            for k in range(starts[i], ends[i] - 1 if single[i] else starts[i]):
                code = codes[k]
                if code >= 128 or code == 46 or code == 33 or code == 63:
                    single[i] = False
                    break
