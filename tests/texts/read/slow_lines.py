"""Lines joined to blocks one by one: the slow twin of the kernel, which `test_lines` compares."""

import re
from itertools import accumulate, pairwise
from typing import NamedTuple

from maxcover.texts.read.lines import LEAST_EXPLAINED, NARROW, NARROWEST, WIDEST

_MARKER = re.compile(
    r"(?P<indent>[^\S\r\n]*)(?P<quote>(?:[>|][^\S\r\n]*)*)"
    r"(?P<item>(?:[-*+•‣◦▪●·–—]|\#{1,6}|\(?[0-9]{1,2}[.)]|\([a-zA-Z]\))[^\S\r\n]+)?"
)
_TERMINAL = frozenset(".!?…:;。！？।॥؟۔»”\"')]")


class _Line(NamedTuple):
    start: int
    body: int
    end: int
    indent: int
    depth: int
    mark: int
    first_word: int


def join_slowly(text: str, mode: str) -> list[list[int]]:
    """Give the rows of `Lines.blocks`."""
    lines = _read(text)
    width = _wrap_width(text, lines) if mode == "auto" else None
    blocks: list[list[int]] = []
    for paragraph in _paragraphs(lines):
        limit = 0 if mode == "wrap" else None
        if mode == "auto" and len(paragraph) > 1:
            limit = _paragraph_width(text, paragraph, width)
            if limit is None and _breaks_at_clauses(text, paragraph):
                limit = 0
        for above, line in pairwise([None, *paragraph]):
            joins = above is not None and limit is not None and _may_join(above, line)
            if joins and _is_soft(text, above, line, limit):
                blocks[-1][1] = line.end
            else:
                blocks.append([line.body, line.end, line.mark, line.depth, above is None])
    return blocks


def _paragraphs(lines: list[_Line | None]) -> list[list[_Line]]:
    paragraphs: list[list[_Line]] = [[]]
    for line in lines:
        if line is not None:
            paragraphs[-1].append(line)
        elif paragraphs[-1]:
            paragraphs.append([])
    return paragraphs if paragraphs[-1] else paragraphs[:-1]


def _paragraph_width(text: str, lines: list[_Line], width: int | None) -> int | None:
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


def _breaks_at_clauses(text: str, lines: list[_Line]) -> bool:
    if not text[lines[0].body].isupper() or text[lines[-1].end - 1] not in ".!?":
        return False
    midway = [_stops_midway(text, above, below) for above, below in pairwise(lines)]
    if not all(_may_join(above, below) for above, below in pairwise(lines)):
        return False
    ends = [text[line.end - 1] in _TERMINAL | {","} for line in lines[:-1]]
    return any(midway) and all(a or b for a, b in zip(midway, ends, strict=True))


def _read(text: str) -> list[_Line | None]:
    lines: list[_Line | None] = []
    start = 0
    for raw in text.splitlines(keepends=True):
        end = start + len(raw.rstrip())
        marker = _MARKER.match(text, start, end) if end > start else None
        body = marker.end() if marker else start
        if marker is None or body == end:
            lines.append(None)
        else:
            depth = sum(map(marker["quote"].count, ">|"))
            mark = 0 if marker["item"] is None else 2 if marker["item"][0] == "#" else 1
            indent = marker.end("indent") - start
            lines.append(_Line(start, body, end, indent, depth, mark, _first_word(text, body, end)))
        start += len(raw)
    return lines


def _may_join(above: _Line, below: _Line) -> bool:
    if below.mark or below.depth != above.depth:
        return False
    return below.indent <= above.indent or above.mark > 0


def _wrap_width(text: str, lines: list[_Line | None]) -> int | None:
    joints = [(a, b) for a, b in pairwise(lines) if a and b and _may_join(a, b)]
    if not joints:
        return None
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
    length = above.end - above.start
    if width == 0 or (length <= width <= length + below.first_word):
        return True
    return text[below.body].islower() and text[above.end - 1] not in _TERMINAL


def _first_word(text: str, start: int, end: int) -> int:
    if text[start] >= "\u0e00" and text[start].isalpha():
        return 1
    space = text.find(" ", start, end)
    return (space if space > 0 else end) - start


def _stops_midway(text: str, above: _Line, below: _Line) -> bool:
    begins = text[below.body]
    return begins.isalpha() and not begins.isupper() and text[above.end - 1] not in _TERMINAL
