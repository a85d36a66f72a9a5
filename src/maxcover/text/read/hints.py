"""Hints: what a block may be, by its length and first letters, so that patterns try few blocks."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels import outlines as kernel
from maxcover.text.words.codepoints import ALNUM, Int64s, Letters, count_codes, traits
from maxcover.text.words.keywords import Screen
from maxcover.text.words.lists import read_table

LABEL, FRAME, COLON, POST, NOTICE = 1, 2, 4, 8, 16
"""Bits of a block: it may be a label, may be part of the frame of a letter, contains a colon, may
say who posted, or may be a confidentiality notice."""

LONGEST_LABEL = 160
"""Most characters of a heading, caption, date line or row of a table."""

LONGEST_FRAME, LONGEST_ATTRIBUTION = 80, 240
"""Most characters of a greeting or closing, and of a line such as "On Monday Ann wrote:"."""

LONGEST_NOTICE = 2_000
"""Most characters of a confidentiality notice; a longer block is a text about the subject."""

SHORTEST_POST, LONGEST_POST = 8, 160
"""Least and most characters of a line that says who posted and when."""

TITLE_WORDS, HEADING_WORDS = 16, 12
"""Most words of a title (the first line), and of a later line that is a heading."""

END = frozenset(".!?…:;,。！？।॥؟۔")
CLOSING = "\"'”’»)]›“*_` "
"""`END` are marks that end a sentence or clause; `CLOSING` are marks that may follow them."""

KINDS = ("paragraph", "list item", "quotation", "heading", "title")
"""Kinds of blocks, by the number that the kernel returns."""

# The first two letters of captions, dates and bylines. `_pairs` adds "mä" for "März".
_LABELS = (
    "im ph pi fi ta vi cr so fo bi ab qu mo tu we th fr sa su pu up po ja fe ma ap ju au se oc ok"
    " no de by la"
)
_LENGTHS = LONGEST_LABEL, LONGEST_FRAME, LONGEST_ATTRIBUTION, LONGEST_POST, SHORTEST_POST
_SIZES = np.array([(*_LENGTHS, TITLE_WORDS, HEADING_WORDS)], kernel.SIZES)
_SIGNS = {
    "sentence end": END,
    "closing": CLOSING,
    "cell edge": "\t|",
    "colon": ":：",
    "word sign": "_",
    "frame start": "-_=*",
    "attribution start": "-oOfFbB",
}


def find_hints(
    letters: Letters, blocks: NDArray[np.void], *, english: bool
) -> tuple[list[str], list[int]]:
    r"""Return the kind of each block, and a bitmask of what else it may be (`LABEL`, `FRAME`, ...).

    Each block is judged by its own characters. `blocks` are those of
    `maxcover.text.read.lines.Lines`.

    Examples
    --------
    >>> from maxcover.text.read.lines import join_lines
    >>> lines = join_lines("Port news\n\nIt is closed.\n- Kind regards")
    >>> find_hints(*lines, english=True)
    (['title', 'paragraph', 'list item'], [9, 0, 10])
    """
    kinds, hints = np.empty((2, len(blocks)), np.uint8)
    tables = _signs(count_codes(letters)), _pairs(english=english)
    kernel.describe(letters, *tables, _SIZES, blocks, kinds, hints)
    starts, ends = (np.ascontiguousarray(blocks[edge]) for edge in ("start", "end"))
    hints |= find_notices(letters, starts, ends, english=english)
    return list(map(KINDS.__getitem__, kinds.tolist())), hints.tolist()


def find_notices(
    letters: Letters, starts: Int64s, ends: Int64s, *, english: bool
) -> NDArray[np.uint8]:
    """Return `NOTICE` for each block that is short enough and has a word of notices; else 0."""
    worded = _notice_words(english=english).find(letters, starts, ends) > 0
    return np.where(worded & (ends - starts <= LONGEST_NOTICE), NOTICE, 0).astype(np.uint8)


@cache
def _notice_words(*, english: bool) -> Screen:
    """Return the automaton that finds words of confidentiality notices."""
    table = read_table("letters")["notice_words"]
    words = table["english"] if english else f"{table['english']}, {table['abroad']}"
    return Screen.of(words.split(", "))


@cache
def _signs(n_codes: int) -> NDArray[np.uint8]:
    found = np.zeros(n_codes, np.uint8)
    found[traits(n_codes) & ALNUM != 0] = kernel.BLOCK_SIGNS["word sign"]
    for name, signs in _SIGNS.items():
        places = [ord(sign) for sign in signs if ord(sign) < n_codes]
        found[places] |= kernel.BLOCK_SIGNS[name]
    return found


@cache
def _pairs(*, english: bool) -> NDArray[np.uint8]:
    """Return the hint bits of each pair of first letters, as a flat array of 256 * 256 entries.

    If not `english`, every pair may begin a frame.
    """
    found = np.full((256, 256), 0 if english else FRAME, np.uint8)
    known = {LABEL: _LABELS, FRAME: read_table("letters")["starts"]["english"]}
    for bit, pairs in known.items():
        for first, second in pairs.split():
            found[ord(first), ord(second)] |= bit
    found[ord("m"), 0] |= LABEL
    found[ord("0") : ord("9") + 1] |= LABEL
    return found.ravel()
