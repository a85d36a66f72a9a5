"""Passage kinds: passages that are not prose: JSON, logs, stack traces, diffs and tables.

Each kind has a splitter. It finds the pieces of a passage, their heads (what makes a piece
readable: the file of a hunk, the header of a row, the exception of a frame) and how relevant a
piece is whatever the question. JSON and logs are also shown in their own way: shortened JSON stays
valid and says how much is missing; a line of a log says how many similar lines are left out.
"""

from __future__ import annotations

import csv
import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# A JSON value is not cut further if it has at most this many characters: as a member of an object,
# and as an entry of a list.
_SMALL_MEMBER, _SMALL_RECORD = 160, 320
# How relevant a piece is even if it does not match the question (the best match is 1): a log entry
# with an error; in a stack trace, the exception with the frame that raised it.
_ERROR, _RAISED = 0.5, 0.6
# A log or a table has at least this many lines.
_FEWEST_LINES = 4
# A passage is a log if at least this share of its lines begins with a time or a level.
_LOG_SHARE = 0.6
_STAMP = re.compile(
    r"\W{0,2}(?:\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d|(?:ts|time)=\S"
    r"|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b)"
)
_ERRORS = re.compile(r"\b(?:error|fatal|critical|panic|severe|exception)\b", re.IGNORECASE)
_VALUE = re.compile(r"\"[^\"]*\"|\S*\d\S*")
# Patterns of a frame of a stack trace, and of a numbered frame (Rust).
_FRAME = re.compile(r"\s+at \S|\s+File \"|\s+\d+: \S|\t\S+:\d+")
_NUMBERED = re.compile(r"\s+\d+: ")
_RAISES = re.compile(r"Traceback \(|Caused by:|panic:|thread '")
_TRACE = re.compile(
    r"^Traceback \(most recent|^\s+at \S.*\n\s+at \S|^goroutine \d+ \[|panicked at ", re.MULTILINE
)
# Lines of a diff: the two lines that name a file, the first line of a hunk, and the line "diff
# --git", which is never shown.
_DIFF = re.compile(
    r"^(?:(?P<file>--- \S.*\n\+\+\+ \S.*)|(?P<hunk>@@ -\d+(?:,\d+)? \+\d+.*)|diff --git .*)$",
    re.MULTILINE,
)
_TABLE_RULE = re.compile(
    r"[ \t]*(?:[|+]?[ \t]*:?[-=]{2,}:?(?:[ \t]*[|+ ][ \t]*:?[-=]{2,}:?)+"
    r"|\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)+)[ \t|+]*$"
)


#: Values of `Part.head`: the piece is a sentence; the piece is made of lines and has no head.
PROSE, LINED = -2, -1


class Part(NamedTuple):
    """A piece of a passage, at the half-open range from `start` to `end`.

    `head` is the index of its head among the parts, `LINED` if it is made of lines and has no head,
    `PROSE` if it is a sentence. `worth` is its relevance even without a match; the best match is 1.
    """

    start: int
    end: int
    head: int = LINED
    worth: float = 0.0


class Structure(NamedTuple):
    """The kind of a passage ("" for prose) and its pieces."""

    kind: str
    parts: list[Part]


class PassageLine(NamedTuple):
    """A non-blank line without trailing white space; `gap` is True after a blank line."""

    start: int
    end: int
    indent: int
    gap: bool


def list_lines(text: str) -> list[PassageLine]:
    """Return the lines of a text that are not blank."""
    found, gap, at = [], False, 0
    for line in text.splitlines(keepends=True):
        body = line.rstrip()
        if body:
            indent = len(body[: len(body) - len(body.lstrip())].expandtabs(4))
            found.append(PassageLine(at, at + len(body), indent, gap))
        gap = not body
        at += len(line)
    return found


def split_kind(text: str) -> Structure | None:
    """Find the kind of a whole passage and its pieces; None if it has none of the kinds."""
    several = text.count("\n") > 1
    lines = list_lines(text) if several else []
    for name in KINDS if several else ("json",):
        parts = KINDS[name].split(text, lines)
        if parts:
            return Structure(name, parts)
    return None


class _Value(NamedTuple):
    """A JSON value: offsets of its key (`start`), of the value and of its end, and its members."""

    start: int
    value: int
    end: int
    members: list[_Value]


def split_json(text: str, lines: Sequence[PassageLine] = ()) -> list[Part]:
    """Cut JSON into small members; the key that contains a member is its head, shown with it.

    Return nothing if the text is not JSON, or is small as a whole.
    """
    root = _parse_json(text) if text.lstrip()[:1] in ("{", "[") else None
    parts: list[Part] = []
    if root and root.members and root.end - root.start > _SMALL_MEMBER:
        _add_members(text, root, -1, parts)
    return parts


def _add_members(text: str, value: _Value, head: int, parts: list[Part]) -> None:
    for one in value.members:
        small = _SMALL_MEMBER if one.value > one.start else _SMALL_RECORD
        if one.members and len(" ".join(text[one.start : one.end].split())) > small:
            inner = head
            if one.value > one.start:
                parts.append(Part(one.start, one.value, head))
                inner = len(parts) - 1
            _add_members(text, one, inner, parts)
        else:
            parts.append(Part(one.start, one.end, head))


@lru_cache(maxsize=64)
def _parse_json(text: str) -> _Value | None:
    try:
        json.loads(text)
        first = len(text) - len(text.lstrip())
        return _value(text, first, first)
    except (ValueError, RecursionError):
        return None


_SCALAR = re.compile(r"\"(?:[^\"\\]|\\.)*\"|[^\s,\]}:]+")
_SPACE = re.compile(r"[\s,:]*")


def _value(text: str, at: int, start: int) -> _Value:
    """Parse the value at the offset `at` of valid JSON; its key begins at `start`."""
    if text[at] not in "{[":
        return _Value(start, at, _end(_SCALAR, text, at), [])
    members, place = [], _end(_SPACE, text, at + 1)
    while text[place] not in "}]":
        key = place
        if text[at] == "{":
            place = _end(_SPACE, text, _end(_SCALAR, text, place))
        members.append(_value(text, place, key))
        place = _end(_SPACE, text, members[-1].end)
    return _Value(start, at, place + 1, members)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def show_json(text: str, spans: Sequence[tuple[int, int]]) -> str:
    r"""Show the members of JSON in `spans`, and the objects around them, as valid JSON.

    Examples
    --------
    >>> text = '{"dog": {"name": "Rex", "age": 4}, "cats": [1, 2, 3]}'
    >>> show_json(text, [(9, 22)])
    '{"dog": {"name": "Rex", "...": "1 more"}, "...": "1 more"}'
    """
    root = _parse_json(text)
    starts, ends = [a for a, _ in spans], [b for _, b in spans]

    def show(one: _Value) -> str:
        k = bisect_right(starts, one.start) - 1
        if not one.members or (k >= 0 and ends[k] >= one.end):
            return text[one.value : one.end]
        shown = [m for m in one.members if bisect_left(starts, m.end) > bisect_right(ends, m.start)]
        parts = [text[m.start : m.value] + show(m) for m in shown]
        left = len(one.members) - len(shown)
        is_object = text[one.value] == "{"
        if left:
            parts.append(f'"...": "{left} more"' if is_object else f'"... {left} more"')
        return ("{%s}" if is_object else "[%s]") % ", ".join(parts)

    return show(root) if root else " ".join(text[a:b] for a, b in spans)


def split_log(text: str, lines: list[PassageLine]) -> list[Part]:
    """Cut a log into entries: a line with a time or level, and the lines up to the next one."""
    begins = [k for k, line in enumerate(lines) if _STAMP.match(text, line.start, line.end)]
    if len(begins) < _FEWEST_LINES or len(begins) < _LOG_SHARE * len(lines):
        return []
    ends = [*begins[1:], len(lines)]
    places = [
        (lines[a].start, lines[b - 1].end) for a, b in zip([0, *begins[1:]], ends, strict=True)
    ]
    return [Part(a, b, worth=_ERROR if _ERRORS.search(text, a, b) else 0.0) for a, b in places]


def template_of(line: str) -> str:
    """Replace each value of a log line by "#", so that lines of one template become equal.

    Examples
    --------
    >>> template_of("10:02 worker-3 took 15 ms") == template_of("10:04 worker-1 took 8 ms")
    True
    """
    return _VALUE.sub("#", line)


def show_log(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Show log entries; the first of each template says how many like it are left out."""
    entries, counts = _entries(text)
    starts = [a for a, _ in spans]
    shown = [
        text[start:end]
        for start, end in entries
        if end <= spans[max(bisect_right(starts, start) - 1, 0)][1] and start >= starts[0]
    ]
    held = Counter(map(template_of, shown))
    lines, told = [], set()
    for entry in shown:
        shape = template_of(entry)
        more = counts[shape] - held[shape]
        lines.append(f"{entry}  ({more} more like this)" if more and shape not in told else entry)
        told.add(shape)
    return "\n".join(lines)


@lru_cache(maxsize=64)
def _entries(text: str) -> tuple[list[tuple[int, int]], Counter[str]]:
    """Return the places of the entries of a log, and how often each template occurs."""
    places = [(one.start, one.end) for one in split_log(text, list_lines(text))]
    return places, Counter(template_of(text[a:b]) for a, b in places)


def split_trace(text: str, lines: list[PassageLine]) -> list[Part]:
    """Cut a stack trace into frames; the root exception is their head, shown with each."""
    if not _TRACE.search(text):
        return []
    sections: list[list[PassageLine]] = [[]]
    for line in lines:
        if _RAISES.match(text, line.start) and _frames(text, sections[-1]):
            sections.append([])
        sections[-1].append(line)
    found = [_split_section(text, section) for section in sections]
    # Java prints the root cause last, after "Caused by:"; Python prints it first.
    cause = len(found) - 1 if "Caused by:" in text else 0
    before = sum(len(parts) for parts in found[:cause])
    root = before + max(range(len(found[cause])), key=lambda k: found[cause][k].worth)
    flat = [part for parts in found for part in parts]
    return [part._replace(head=-1 if k == root else root) for k, part in enumerate(flat)]


def _frames(text: str, lines: list[PassageLine]) -> list[int]:
    """Return the indices of the lines at which frames begin."""
    found = [k for k, line in enumerate(lines) if _FRAME.match(text, line.start, line.end)]
    # Rust prints the file of a numbered frame on the next line, which is not a frame of its own.
    named = {k for k in found if _NUMBERED.match(text, lines[k].start)}
    return [k for k in found if k - 1 not in named or k in named]


def _split_section(text: str, lines: list[PassageLine]) -> list[Part]:
    """Cut the trace of one exception into its frames, of one or more lines each."""
    frames = _frames(text, lines)
    if not frames:
        return [Part(lines[0].start, lines[-1].end)]
    first = text[lines[frames[0]].start : lines[frames[0]].end]
    # Go prints a frame's function on the line before its file: the frame begins one line earlier.
    begins = [
        k - (first.startswith("\t") and " at " not in first.replace("\t", " ")) for k in frames
    ]
    if first.lstrip().startswith("File "):
        outer = [k for k in range(frames[-1] + 1, len(lines)) if lines[k].indent == 0]
        stop = outer[0] if outer else len(lines) - 1
        end = next((k for k in range(stop + 1, len(lines)) if lines[k].gap), len(lines))
        bounds, core = [*begins, end], len(begins) - 1
    else:
        bounds, core = [0, *begins[1:], len(lines)], 0
    return [
        Part(lines[a].start, lines[b - 1].end, worth=_RAISED if k == core else 0.0)
        for k, (a, b) in enumerate(pairwise(bounds))
    ]


def split_diff(text: str, lines: list[PassageLine]) -> list[Part]:
    """Cut a diff into hunks; the lines that name the file are their head, shown with each."""
    marks = list(_DIFF.finditer(text))
    if not any(mark["hunk"] for mark in marks):
        return []
    before = text[: marks[0].start()].rstrip()
    parts = [Part(0, len(before))] if before else []
    head = -1
    for mark, end in zip(marks, [*(one.start() for one in marks[1:]), len(text)], strict=True):
        if mark["file"]:
            head = len(parts)
            parts.append(Part(*mark.span()))
        elif mark["hunk"]:
            parts.append(Part(mark.start(), len(text[:end].rstrip()), head))
    return parts


def split_table(text: str, lines: Sequence[PassageLine]) -> list[Part]:
    """Cut a table into rows; the header of the table is their head, shown with each."""
    if len(lines) < _FEWEST_LINES or any(line.gap for line in lines[1:]):
        return []
    rules = [k for k, line in enumerate(lines) if is_rule(text, line)]
    if rules:
        n_heads = 1 + (rules[1] if rules[0] == 0 and len(rules) > 1 else rules[0])
    else:
        n_heads = int(_has_header([text[line.start : line.end] for line in lines]))
    if not 0 < n_heads < min(4, len(lines)):
        return []
    rows = [line for k, line in enumerate(lines) if k >= n_heads and k not in rules]
    head = Part(lines[0].start, lines[n_heads - 1].end)
    return [head, *(Part(line.start, line.end, 0) for line in rows)]


def _has_header(rows: list[str]) -> bool:
    """Tell whether the rows are delimited values and the first one looks like column names."""
    for sign in "\t;,|":
        cells = list(csv.reader(rows, delimiter=sign))
        if {len(row) for row in cells} == {len(cells[0])} and len(cells[0]) > 1:
            return len(set(cells[0])) == len(cells[0]) and all(
                0 < len(cell.strip()) <= 40 and not re.search(r"^\s*-?\d|[.:!?]$", cell)
                for cell in cells[0]
            )
    return False


def is_rule(text: str, line: PassageLine) -> bool:
    """Tell whether a line is the rule (such as ``|---|---|``) below the header of a table."""
    return _TABLE_RULE.match(text, line.start, line.end) is not None


class PassageKind(NamedTuple):
    """How passages of one kind are cut and shown.

    Attributes
    ----------
    split : callable
        Finds the pieces of a text, given its lines; an empty list if it is not of this kind.
    show : callable, optional
        Joins the chosen ranges of a text; if None, they are joined by line ends or spaces.
    gaps : bool
        Whether a mark shows where text between chosen ranges is left out.
    """

    split: Callable[[str, list[PassageLine]], list[Part]]
    show: Callable[[str, Sequence[tuple[int, int]]], str] | None = None
    gaps: bool = True


#: The kinds, in the order in which they are tried.
KINDS = {
    "json": PassageKind(split_json, show_json),
    "trace": PassageKind(split_trace),
    "diff": PassageKind(split_diff, gaps=False),
    "log": PassageKind(split_log, show_log),
    "table": PassageKind(split_table, gaps=False),
}
