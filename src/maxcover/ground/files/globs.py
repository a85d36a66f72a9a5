"""Globs: path patterns as Git reads them, and the rules of an ignore file."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

#: The compiled form of ``**``, a segment of a glob that stands for any number of folders.
ANY_FOLDERS = None
_NEVER = re.compile(r"(?!)")
_TRAILING_SPACES = re.compile(r"(?<!\\) +$")
_MAGIC = re.compile(r"[*?\[\\]")

Segment = re.Pattern[str] | None


def is_literal(segment: str) -> bool:
    """Tell whether a segment of a glob has no wildcards, so that it matches one name only."""
    return _MAGIC.search(segment) is None


@lru_cache(maxsize=4096)
def compile_glob(glob: str) -> tuple[Segment, ...]:
    """Compile a glob: one regular expression per path segment, `ANY_FOLDERS` for ``**``."""
    return tuple(
        ANY_FOLDERS if segment == "**" else _compile_segment(segment) for segment in glob.split("/")
    )


def matches(glob: Sequence[Segment], path: Sequence[str]) -> bool:
    """Tell whether a compiled glob matches all segments of a path.

    It takes at most one step per pair of segments, whatever the glob is. A ``**`` at the end
    stands for at least one segment.

    Examples
    --------
    >>> [matches(compile_glob("src/**/*.py"), path.split("/")) for path in ("src/a.py", "a.py")]
    [True, False]
    >>> matches(compile_glob("src/**"), ["src"])
    False
    """
    last = glob[-1]
    if path and last is not ANY_FOLDERS and last.fullmatch(path[-1]) is None:
        return False
    if len(glob) == 2 and glob[0] is ANY_FOLDERS and last is not ANY_FOLDERS:
        return bool(path)
    # `states` are the indices of the glob segments that may match the next path segment
    states = _after_folders(glob, {0})
    for segment in path:
        ahead: set[int] = set()
        for state in states:
            if state == len(glob):
                continue
            pattern = glob[state]
            if pattern is ANY_FOLDERS:
                ahead.add(state)
                if state == len(glob) - 1:
                    ahead.add(state + 1)
            elif pattern.fullmatch(segment):
                ahead.add(state + 1)
        if not ahead:
            return False
        states = _after_folders(glob, ahead)
    return len(glob) in states


def _after_folders(glob: Sequence[Segment], states: set[int]) -> set[int]:
    """Add the state after each ``**`` in `states`, since ``**`` may match no folder."""
    for state in sorted(states):
        after = state
        while after < len(glob) - 1 and glob[after] is ANY_FOLDERS:
            after += 1
            states.add(after)
    return states


def _compile_segment(segment: str) -> re.Pattern[str]:
    """Compile a segment of a glob; a malformed segment gives a pattern that matches nothing."""
    pieces: list[str] = [""]
    place = 0
    while place < len(segment):
        sign = segment[place]
        place += 1
        if sign == "*":
            pieces.append("")
        elif sign == "?":
            pieces[-1] += "."
        elif sign == "[":
            # a ] directly after the opening [ is a member of the character class
            end = re.compile(r"[!^]?\]?(?:\\.|[^\]\\])*\]").match(segment, place)
            if end is None:
                return _NEVER
            inside = end.group()[:-1]
            negated = "^" if inside[:1] in {"!", "^"} else ""
            pieces[-1] += f"[{negated}{_escape_class(inside[len(negated) :])}]"
            place = end.end()
        elif sign == "\\":
            if place == len(segment):
                return _NEVER
            pieces[-1] += re.escape(segment[place])
            place += 1
        else:
            pieces[-1] += re.escape(sign)
    first, *middle = pieces
    # Atomic groups prevent slow backtracking. They lose no match: for a piece between two
    # asterisks, the first place where it matches is as good as any later one.
    last = f".*{middle.pop()}" if middle else ""
    try:
        return re.compile(
            first + "".join(f"(?>.*?{piece})" for piece in middle if piece) + last, re.DOTALL
        )
    except re.error:
        return _NEVER


def _escape_class(inside: str) -> str:
    """Escape the inside of a glob's character class for `re`; only ``-`` keeps its meaning."""
    parts = re.findall(r"\\.|[^\\]", inside, re.DOTALL)
    return "".join(part if part == "-" else re.escape(part[-1]) for part in parts)


class IgnoreRule(NamedTuple):
    """A line of an ignore file: its glob, what it applies to, and whether matches are ignored."""

    glob: tuple[Segment, ...]
    name_only: bool
    folders_only: bool
    ignored: bool

    def concerns(self, path: Sequence[str], *, folder: bool) -> bool:
        """Tell whether the rule matches a path that is relative to the ignore file's folder."""
        if self.folders_only and not folder:
            return False
        if self.name_only:
            pattern = self.glob[0]
            return pattern is ANY_FOLDERS or pattern.fullmatch(path[-1]) is not None
        return matches(self.glob, path)


def read_ignore_rules(lines: Iterable[str]) -> Iterator[IgnoreRule]:
    """Yield the rules in the lines of an ignore file, read as Git reads them."""
    for line in lines:
        rule = _TRAILING_SPACES.sub("", line)
        if not rule or rule.startswith("#"):
            continue
        ignored = not rule.startswith("!")
        rule = rule.removeprefix("!")
        folders_only = rule.endswith("/")
        rule = rule.removesuffix("/")
        name_only = "/" not in rule
        if rule := rule.removeprefix("/"):
            yield IgnoreRule(compile_glob(rule), name_only, folders_only, ignored)
