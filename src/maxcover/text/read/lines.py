"""Lines: which line ends end a sentence, and which only wrap a long line.

Text comes with two kinds of line end. In most text a line end closes a paragraph, a heading or a
list item, so it closes a sentence. In hard-wrapped text (e-mail, Project Gutenberg) it stands where
a line was full. Blank lines, list markers, quote marks and a deeper indent close in both.
"""

import re
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple, get_args

from maxcover.errors import OptionError

#: How to read a line end that is not next to a blank line.
LineMode = Literal["auto", "break", "wrap"]

_MODES: tuple[str, ...] = get_args(LineMode)

NARROWEST, WIDEST = 40, 120
"""Columns between which text is wrapped; a longer line was never wrapped."""

NARROW = 24
"""The narrowest column of a paragraph that is wrapped by itself."""

LEAST_EXPLAINED = 0.3
"""Part of the line ends that one width has to explain: 0.3 to 0.72 in the hard-wrapped stories of
4,297 documents. Sentence-per-line text stays below it, or its lines do not stop in mid-sentence."""

# Quote marks, then at most one bullet, heading or number with white space behind it.
_MARKER = re.compile(
    r"(?P<indent>[^\S\r\n]*)(?P<quote>(?:[>|][^\S\r\n]*)*)"
    r"(?P<item>(?:[-*+•‣◦▪●·–—]|\#{1,6}|\(?\d{1,2}[.)]|\([a-zA-Z]\))[^\S\r\n]+)?"
)
# What such a line can begin with: most lines of prose are spared the regular expression.
_MARKER_STARTS = frozenset("|-*+•‣◦▪●·–—#>(0123456789 \t\u00a0\u3000")
_TERMINAL = frozenset(".!?…:;。！？।॥؟۔»”\"')]")


class _Line(NamedTuple):
    """One line that holds more than white space: ``text[start:end]`` without its line end."""

    start: int
    body: int  # where the text begins, behind indent, quote marks and list marker
    end: int
    indent: int
    depth: int  # of quotation, the number of ">" and "|"
    item: bool
    first_word: int  # its length


def split_blocks(text: str, mode: LineMode = "auto") -> list[tuple[int, int]]:
    r"""Cut a text into blocks inside which a line end is only white space.

    Parameters
    ----------
    text : str
    mode : {"auto", "break", "wrap"}
        ``"break"``: every line is a block. ``"wrap"``: only blank lines, list markers, changes of
        quotation depth and deeper indents end a block. ``"auto"``: decide from the text. There is a
        *wrap width*, the column that explains most line ends (the next word would not have fitted);
        the text counts as wrapped if that width explains 30 % of the line ends and most of
        the lines so explained stop in mid-sentence. Then a line end is white space where the line
        was full or the next one goes on in lower case.

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
    return [(block.start, block.end) for block in join_lines(text, mode)]


class Lines(NamedTuple):
    """Lines that are one block.

    Attributes
    ----------
    start, end : int
        ``text[start:end]``, without indent, quote marks and list marker.
    mark : str
        The list marker or heading sign in front of it, without white space.
    depth : int
        Of quotation, the number of ">".
    after_blank : bool
        Whether a blank line, or the beginning of the text, is above it.
    """

    start: int
    end: int
    mark: str
    depth: int
    after_blank: bool


def join_lines(text: str, mode: LineMode = "auto") -> list[Lines]:
    """Cut a text into blocks as `split_blocks` does, with what stood in front of each."""
    if mode not in _MODES:
        raise OptionError(f"lines={mode!r}: expected one of {', '.join(_MODES)}")
    if text[:1] not in _MARKER_STARTS and len(text.splitlines()) == 1:
        end = len(text.rstrip())
        return [Lines(0, end, "", 0, after_blank=True)] if end else []
    lines = _read(text)
    width = _wrap_width(text, lines) if mode == "auto" else None
    blocks: list[Lines] = []
    for paragraph in _paragraphs(lines):
        if mode == "wrap":
            limit: int | None = 0
        elif mode == "break" or len(paragraph) == 1:
            limit = None
        else:
            limit = _paragraph_width(text, paragraph, width)
        previous: _Line | None = None
        for line in paragraph:
            joins = previous is not None and limit is not None and _may_join(previous, line)
            if joins and _is_soft(text, previous, line, limit):  # type: ignore[arg-type] # joins
                blocks[-1] = blocks[-1]._replace(end=line.end)
            else:
                mark = text[line.start : line.body].strip(" \t>\u00a0\u3000") if line.item else ""
                blocks.append(Lines(line.body, line.end, mark, line.depth, previous is None))
            previous = line
    return blocks


def _paragraphs(lines: list["_Line | None"]) -> list[list["_Line"]]:
    """Divide lines at the blank ones."""
    paragraphs: list[list[_Line]] = [[]]
    for line in lines:
        if line is not None:
            paragraphs[-1].append(line)
        elif paragraphs[-1]:
            paragraphs.append([])
    return paragraphs if paragraphs[-1] else paragraphs[:-1]


def _paragraph_width(text: str, lines: list["_Line"], width: int | None) -> int | None:
    """Return the column at which one paragraph is wrapped: the text's own, or one that it has.

    A paragraph with longer lines than the text's width was not wrapped there. One of three lines or
    more has a width of its own if it explains four of five line ends, and half stop midway.
    """
    longest = max(line.end - line.start for line in lines)
    if width is not None and longest <= width:
        return width
    joints = [(a, b) for a, b in pairwise(lines) if _may_join(a, b)]
    if len(joints) < 2 or not NARROW <= longest <= WIDEST:
        return None
    full = [(a, b) for a, b in joints if a.end - a.start + b.first_word >= longest]
    midway = sum(_stops_midway(text, a, b) for a, b in full)
    wrapped = len(full) >= 0.8 * len(joints) and 2 * midway >= len(full)
    return longest if wrapped else None


def _read(text: str) -> list[_Line | None]:
    """List the lines; None stands for a blank one."""
    lines: list[_Line | None] = []
    start = 0
    for raw in text.splitlines(keepends=True):
        end = start + len(raw.rstrip())
        indent, depth, item, body = 0, 0, False, start
        if end > start and raw[0] in _MARKER_STARTS:
            marker = _MARKER.match(text, start, end)
            if marker is not None:
                body = marker.end()
                indent = marker.end("indent") - start
                depth = sum(map(marker["quote"].count, ">|"))
                item = marker["item"] is not None
        if end == body:
            lines.append(None)
        else:
            word = _first_word(text, body, end)
            lines.append(_Line(start, body, end, indent, depth, item, word))
        start += len(raw)
    return lines


def _may_join(above: _Line, below: _Line) -> bool:
    """Tell whether the layout allows `below` to continue `above`."""
    if below.item or below.depth != above.depth:
        return False
    return below.indent <= above.indent or above.item


def _wrap_width(text: str, lines: list[_Line | None]) -> int | None:
    """Find the column at which the text was wrapped, or None if it was not."""
    joints = [(a, b) for a, b in pairwise(lines) if a and b and _may_join(a, b)]
    if not joints:
        return None
    # A line of n characters followed by a word of k was cut at a width from n to n + k.
    steps = [0] * (WIDEST + 2)
    for above, below in joints:
        length = above.end - above.start
        if length <= WIDEST:
            steps[length] += 1
            steps[min(WIDEST, length + below.first_word) + 1] -= 1
    explained = list(accumulate(steps))[NARROWEST : WIDEST + 1]
    best = max(explained)
    if best == 0 or best < LEAST_EXPLAINED * len(joints):
        return None
    width = WIDEST - explained[::-1].index(best)
    full = [
        _stops_midway(text, above, below)
        for above, below in joints
        if above.end - above.start <= width <= above.end - above.start + below.first_word
    ]
    return width if 2 * sum(full) > len(full) else None


def _is_soft(text: str, above: _Line, below: _Line, width: int) -> bool:
    """Tell whether the end of `above` is a wrap at `width`."""
    length = above.end - above.start
    if width == 0 or (length <= width <= length + below.first_word):
        return True
    return text[below.body].islower() and text[above.end - 1] not in _TERMINAL


def _first_word(text: str, start: int, end: int) -> int:
    """Length of a line's first word; scripts without spaces wrap at any character."""
    if text[start] >= "\u0e00" and text[start].isalpha():
        return 1
    space = text.find(" ", start, end)
    return (space if space > 0 else end) - start


def _stops_midway(text: str, above: _Line, below: _Line) -> bool:
    """Tell whether a sentence seems to run across the line end."""
    begins = text[below.body]
    return begins.isalpha() and not begins.isupper() and text[above.end - 1] not in _TERMINAL
