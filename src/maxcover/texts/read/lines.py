"""Lines: which line ends end a sentence, and which only wrap a long line.

In most text a line end closes a paragraph, a heading or a list item, so it closes a sentence. In
hard-wrapped text (e-mail, Project Gutenberg) lines end where they were full, or after each clause.
Blank lines, list markers, quote marks and a deeper indent close a sentence in both.
"""

from functools import cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from maxcover.errors import OptionError
from maxcover.texts.kernels import outlines as kernel
from maxcover.texts.words.codepoints import (
    ALPHA,
    LOWER,
    UPPER,
    WHITE,
    count_codes,
    to_letters,
    traits,
)

#: How to read a line end that is not next to a blank line.
LineMode = Literal["auto", "break", "wrap"]

_MODES: tuple[str, ...] = get_args(LineMode)

NARROWEST, WIDEST = 40, 120
"""A text was wrapped at a column between these two, or not at all."""

NARROWEST_MAIL, USUAL_MAIL = 60, 76
"""Mail is wrapped at no narrower column than the first, and at the second if its lines do not tell
(RFC 5322 asks for 78 characters at most)."""

NARROW = 24
"""Narrowest column at which a single paragraph may have been wrapped."""

LEAST_EXPLAINED = 0.3
"""A text counts as wrapped if one width explains at least this share of its line ends. In the
hard-wrapped stories of 4,297 documents the share is 0.3 to 0.72. Text with one sentence per line
has a smaller share, or its lines do not stop midway in a sentence."""

ITEM, HEADING = kernel.ITEM, kernel.HEADING
"""Marks of a block: it begins with a list marker, or with "#"."""

_SIGNS = {
    "line end": "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029",
    "quote": ">|",
    "bullet": "-*+•‣◦▪●·–—",
    "clause end": ".!?…:;。！？।॥؟۔»”\"')]",
}
_KINDS = {"white": WHITE, "lower": LOWER, "letter": ALPHA, "capital": UPPER}


def split_blocks(text: str, mode: LineMode = "auto") -> list[tuple[int, int]]:
    r"""Split a text into blocks; inside a block, a line end is only white space.

    Parameters
    ----------
    text : str
    mode : {"auto", "break", "wrap"}
        ``"break"``: every line is a block. ``"wrap"``: only blank lines, list markers, changes of
        quotation depth and deeper indents end a block. ``"auto"``: decide from the text. The *wrap
        width* is the column that explains most line ends (the next word would not have fitted). The
        text counts as wrapped if that width explains 30 % of the line ends and most of the lines so
        explained stop in mid-sentence. Then a line end is white space if the line was full or the
        next line begins in lower case. It also is white space in a paragraph whose lines are the
        clauses of whole sentences.

    Returns
    -------
    list of (start, end)
        Spans of `text` in order, without the indents, list markers and quote marks at their
        beginning. Blank blocks are left out. Linear time.

    Examples
    --------
    >>> text = "Shopping\n- ripe apples\n- two pears"
    >>> [text[a:b] for a, b in split_blocks(text)]
    ['Shopping', 'ripe apples', 'two pears']
    """
    return list(zip(*block_edges(text, mode), strict=True))


def block_edges(text: str, mode: LineMode = "auto") -> tuple[list[int], list[int]]:
    """Return the start offsets and the end offsets of the blocks of a text.

    A text of one line that begins with a letter, as most passages are, is one block; it needs no
    arrays.
    """
    if mode in _MODES and text[:1].isalpha() and len(text.splitlines()) == 1:
        return [0], [len(text.rstrip())]
    blocks = join_lines(text, mode)
    return blocks["start"].tolist(), blocks["end"].tolist()


def join_lines(text: str, mode: LineMode = "auto", *, mail: bool = False) -> NDArray[np.void]:
    """Split a text into blocks as `split_blocks` does, and return them as an array of `BLOCK`.

    The fields of a block are `start`, where its words begin, after indent, quote marks and list
    marker; `end`; `mark`, which may be `ITEM` or `HEADING`; `depth`, the number of ">" before it;
    and `below_blank`, whether a blank line or the beginning of the text is above it. The lines of
    `mail` are wrapped even if they do not show it, as between rows of a log.
    """
    if mode not in _MODES:
        raise OptionError(f"lines={mode!r}: expected one of {', '.join(_MODES)}")
    letters = to_letters(text)
    known = _traits(count_codes(letters))
    most = len(text.splitlines()) + 1
    lines, blocks = np.empty(most, kernel.LINE), np.empty(most, kernel.BLOCK)
    n_lines = kernel.read_lines(letters, known, lines)
    some = (letters, known, lines, n_lines)
    width = kernel.WIDTHS[mode]
    if mode == "auto" and n_lines > 1:
        steps = np.zeros(WIDEST + 2, np.int64)
        narrowest = NARROWEST_MAIL if mail else NARROWEST
        width = kernel.find_width(*some, narrowest, LEAST_EXPLAINED, steps)
        if mail and width < 0:
            width = USUAL_MAIL
    n_blocks = kernel.join_lines(*some, width, NARROW, WIDEST, blocks)
    return blocks[:n_blocks]


@cache
def _traits(n_codes: int) -> NDArray[np.uint8]:
    """Return the bits of `kernel.LINE_TRAITS` for each of the first `n_codes` code points."""
    known = traits(n_codes)
    found = np.zeros(n_codes, np.uint8)
    for name, kind in _KINDS.items():
        found[known & kind != 0] |= kernel.LINE_TRAITS[name]
    for name, signs in _SIGNS.items():
        places = [ord(sign) for sign in signs if ord(sign) < n_codes]
        found[places] |= kernel.LINE_TRAITS[name]
    return found
