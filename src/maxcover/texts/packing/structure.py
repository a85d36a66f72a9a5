"""Structure: the parts of a passage that are not prose: code, tables, lists and sections.

Their pieces are lines or blocks of lines. A piece may have a head, without which it cannot be
understood: the signature of a long function, the header of a table, the line that introduces a
list.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from maxcover.texts.packing.file_blocks import CODE_ENDINGS, find_blocks
from maxcover.texts.packing.passage_kinds import (
    Part,
    Structure,
    is_rule,
    list_lines,
    split_kind,
    split_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable

# A text in which this pattern finds nothing is only prose and is not analysed further. Most
# passages are only prose.
_HINT = re.compile(r"[\n][ \t]*(?:[-*+•|`~\d#@(){}]|[ \t]|\w+[ (])")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣◦▪●·]|\(?\d{1,3}[.)]|\([a-zA-Z]\))[ \t]+\S")
_HEADING = re.compile(r"#{1,6} \S")
_UNDERLINE = re.compile(r"(?:={3,}|-{3,})\s*$")
# The beginning of a line that ends a paragraph: a heading, a fence, a list item.
_BEGINS = re.compile(rf"{_HEADING.pattern}|{_FENCE.pattern}|{_ITEM.pattern}")
_FEWEST_HEADINGS = 2
# Finds lines that look like code rather than prose. Comments and blank lines are skipped.
_CODE_LINE = re.compile(
    r"""(?:(?:[ ]{4}|\t)\s*(?:\S+\s+){0,5}\S*[^\s.!?]\s*$|\s*(?:
    (?:def|class|async|import|from|return|raise|yield|if|elif|else|for|while|try|except|finally|with
      |assert|lambda|public|private|protected|static|final|const|let|var|func|fn|function|package|use
      |namespace|struct|enum|impl|interface|template|typedef|switch|case|end|do|then|fi|done|SELECT
      |FROM|WHERE|INSERT|UPDATE|CREATE)\b.*[:{(;,)=\]}>]\s*$
    |(?:return|raise|pass|break|continue|yield|import|from\s+[\w.]+\s+import|else:|try:|finally:|end)\b[^.!?]*$
    |@\w[\w.]*(?:\(.*)?$
    |[\w.\[\]"'*&]+(?:\s*:\s*[\w.\[\], |"']+)?\s*(?:[-+*/|&^%]|//|<<|>>|\*\*)?=(?!=)\s*\S.*
    |[)\]}>]+[;,:)]*.*$
    |[\w.]+(?:::[\w.]+)*\(.*[\w)\]}'",(\[{;:]\s*$
    |["'][^"']*["']\s*[:,].*$
    |[(\[{].*[,)\]}]\s*$
    |<\/?[\w!].*>\s*$
    |.*[;{]\s*$
    |.*(?:\w\.\w+\(|->|=>|::|==|!=|\|\||&&|\)\s*:\s*$)
    ))""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--\s|\"\"\"|''')")
_LEAST_CODE, _FEWEST_LINES, _LOOKED_AT = 0.6, 2, 200
# A list or table of at most _SHORT characters stays one piece. _LINE is the typical number of
# characters of a line of code.
_SHORT, _LINE = 500, 32


def is_code(text: str) -> bool:
    r"""Tell whether a passage is code: most of its lines look like code.

    Examples
    --------
    >>> is_code("def bark(dog):\n    return dog.sound"), is_code("Dogs bark.\nCats do not.")
    (True, False)
    """
    lines = [
        line[:_LOOKED_AT] for line in text.splitlines() if line.strip() and not _COMMENT.match(line)
    ]
    if len(lines) < _FEWEST_LINES:
        return False
    found = sum(_CODE_LINE.match(line) is not None for line in lines)
    return found >= _LEAST_CODE * len(lines)


def find_structure(text: str, *, ending: str, most: int) -> Structure:
    """Find the parts of a passage that are not prose.

    Parameters
    ----------
    text : str
    ending : str
        The file ending of the passage, "" if it is not known.
    most : int
        Characters of the longest block of code that is one piece.
    """
    code = ending in CODE_ENDINGS and ending != "json"
    whole = None if code else split_kind(text)
    if whole is not None:
        return whole
    if not code and _HINT.search(text) is None:
        return Structure("", [])
    if code or is_code(text):
        parts = _cut_code(text, ending, most)
        return Structure("code" if parts else "", parts)
    marked = _Marked(text, most)
    return Structure("outline" if marked.outlined else "", marked.parts)


def _cut_code(text: str, ending: str, most: int, *, start: int = 0, first: int = 0) -> list[Part]:
    """Cut code into blocks; `start` is its offset, `first` the index of its first part."""
    places, at = [], start
    for line in text.split("\n"):
        places.append((at, at + len(line.rstrip())))
        at += len(line) + 1
    longest = max(most // _LINE, 1)
    blocks = find_blocks(ending or "cfg", text, longest=longest, heads=True)
    return [
        Part(places[one.first][0], places[one.last][1], one.head + first if one.head >= 0 else -1)
        for one in blocks
    ]


class _Marked:
    """Parser for Markdown that collects code, tables, lists and sections as parts.

    Paragraphs are parts only if there are at least two headings; then the head of a paragraph is
    the heading above it.
    """

    def __init__(self, text: str, most: int) -> None:
        self.text, self.most, self.lines = text, most, list_lines(text)
        self.parts: list[Part] = []
        levels = [self._level(k) for k in range(len(self.lines))]
        self.outlined = sum(level > 0 for level in levels) >= _FEWEST_HEADINGS
        # The headings above the current line: (level, index of the part), outermost first.
        self.heads: list[tuple[int, int]] = []
        k = 0
        while k < len(self.lines):
            k = self._head(k, levels[k]) if levels[k] and self.outlined else self._read(k)

    def told(self, k: int) -> str:
        """Return the text of line `k`."""
        return self.text[self.lines[k].start : self.lines[k].end]

    def add(self, first: int, stop: int, head: int | None = None) -> None:
        """Add lines `first` to `stop` (exclusive) as a part; `head` None means the last heading."""
        above = (self.heads[-1][1] if self.heads else -1) if head is None else head
        self.parts.append(Part(self.lines[first].start, self.lines[stop - 1].end, above))

    def until(self, k: int, goes_on: Callable[[int], bool]) -> int:
        """Return the first line from `k` on where `goes_on` is false, or the number of lines."""
        return next((j for j in range(k, len(self.lines)) if not goes_on(j)), len(self.lines))

    def _level(self, k: int) -> int:
        """Return the level of the heading in line `k`, 0 if the line is not a heading."""
        found = _HEADING.match(self.told(k))
        if found:
            return len(found.group().split()[0])
        below = self.lines[k + 1] if k + 1 < len(self.lines) else None
        if below and not below.gap and (k == 0 or self.lines[k].gap):
            rule = _UNDERLINE.match(self.told(k + 1))
            return (1 if rule.group().startswith("=") else 2) if rule else 0
        return 0

    def _head(self, k: int, level: int) -> int:
        while self.heads and self.heads[-1][0] >= level:
            self.heads.pop()
        stop = k + 1 + (not self.told(k).startswith("#"))
        self.add(k, stop)
        self.heads.append((level, len(self.parts) - 1))
        return stop

    def _read(self, k: int) -> int:
        """Read the fence, table, list, code or paragraph at line `k`; return the line after it."""
        told, lines = self.told(k), self.lines
        fence = _FENCE.match(told)
        if fence:
            end = self.until(k + 1, lambda j: self.told(j).strip() != fence[1])
            stop = min(end + 1, len(lines))
            if lines[stop - 1].end - lines[k].start <= self.most or stop - k < 3:
                self.add(k, stop)
            else:
                self._code(k + 1, stop - 1)
        elif "|" in told and k + 1 < len(lines) and is_rule(self.text, lines[k + 1]):
            stop = self.until(k + 1, lambda j: "|" in self.told(j) and not lines[j].gap)
            rows = split_table(self.text, lines[k:stop])
            if rows and lines[stop - 1].end - lines[k].start > _SHORT:
                first = len(self.parts)
                self.parts += [row._replace(head=first if row.head == 0 else -1) for row in rows]
            else:
                self.add(k, stop)
        elif _ITEM.match(told):
            stop = self._list(k)
        elif lines[k].indent >= 4 and (k == 0 or lines[k].gap):
            stop = self.until(k + 1, lambda j: lines[j].indent >= 4)
            if is_code(self.text[lines[k].start : lines[stop - 1].end]):
                self._code(k, stop)
        else:
            stop = self.until(k + 1, lambda j: not (lines[j].gap or _BEGINS.match(self.told(j))))
            if self.outlined:
                self.add(k, stop)
        return stop

    def _code(self, first: int, stop: int) -> None:
        start, end = self.lines[first].start, self.lines[stop - 1].end
        own = self.text[start:end]
        self.parts += _cut_code(own, "", self.most, start=start, first=len(self.parts))

    def _list(self, k: int) -> int:
        """Cut a list into items; the line before the list, or a heading, is their head."""
        lines = self.lines
        stop = self.until(
            k + 1,
            lambda j: (
                bool(_ITEM.match(self.told(j)))
                or (lines[j].indent > lines[k].indent and not lines[j].gap)
            ),
        )
        begins = [
            j
            for j in range(k, stop)
            if lines[j].indent <= lines[k].indent and _ITEM.match(self.told(j))
        ]
        head = None
        if k > 0 and self.told(k - 1).endswith(":"):
            if not self.outlined:
                self.add(k - 1, k)
            head = len(self.parts) - 1
        if head is not None and lines[stop - 1].end - self.parts[head].start <= _SHORT:
            self.parts[head] = self.parts[head]._replace(end=lines[stop - 1].end)
        elif head is not None or self.outlined or stop - k > len(begins) > 1:
            for first, end in pairwise([*begins, stop]):
                self.add(first, end, head)
        return stop
