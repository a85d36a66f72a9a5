"""Listing: the files below a folder that may be read, and how a file is opened.

The command line, Python, batches and the agent's tools all read folders through `list_files` and
open files through `maxcover.ground.files.opening`. So the same holds for all of them:

- Only regular files are opened, and that is checked again on the open descriptor. Pipes, sockets
  and devices are passed over.
- What begins with a dot is left out unless the pattern names it, as ``.github/*.yml`` does.
- ``.gitignore`` and ``.ignore`` of the folder and of all below it are obeyed.
- Links below the folder are passed over. A target inside the folder is read at its own path.
- There are limits on files, bytes and depth; the message says what to leave out.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from maxcover.errors import OptionError, TooLargeError
from maxcover.ground.files.globs import (
    IgnoreRule,
    Segment,
    compile_glob,
    is_literal,
    matches,
    read_ignore_rules,
)
from maxcover.ground.files.opening import kind_of_mode, open_below, open_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

IGNORE_FILES = (".gitignore", ".ignore")
#: Names of folders that programs make for themselves; they are never read below a root.
MADE_BY_PROGRAMS = frozenset([".git", ".hg", ".svn", "__pycache__", "node_modules"])
#: Most bytes that are read of an ignore file.
MOST_IGNORE_BYTES = 1_000_000
#: Greatest depth of folders below a root; deeper folders are passed over.
DEEPEST = 100
#: Most files and folders that are looked at below one root.
MOST_ENTRIES = 1_000_000

# Control characters, line separators and lone surrogates. A file name with one of them would break
# the line in which it is printed.
_UNPRINTABLE = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class FileLimits(NamedTuple):
    """Limits of one listing: the number of files, and their bytes in total."""

    files: int = 50_000
    total_bytes: int = 256_000_000


WITHOUT_LIMITS = FileLimits(files=MOST_ENTRIES, total_bytes=sys.maxsize)
"""Limits for callers that read one file at a time, and so need little memory."""


class ListedFile(NamedTuple):
    """A file below a root: its relative path with slashes, size in bytes, and time of change.

    `changed` is in nanoseconds since 1970.
    """

    path: str
    size: int
    changed: int


class Skipped(NamedTuple):
    """A path that a listing passed over, and why; hidden and ignored paths are not recorded."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Files below a folder, sorted by path.

    Attributes
    ----------
    root : Path
        Resolved.
    files : tuple of ListedFile
    skipped : tuple of Skipped
    """

    root: Path
    files: tuple[ListedFile, ...]
    skipped: tuple[Skipped, ...]

    def open(self, path: str) -> BinaryIO:
        """Open a listed file for reading, without following links."""
        return open_below(self.root, path)


def list_files(
    root: str | os.PathLike[str],
    patterns: Iterable[str] = ("**",),
    *,
    endings: Collection[str] = (),
    limits: FileLimits = FileLimits(),  # noqa: B008 - frozen
) -> Listing:
    """List the files below a folder that match one of the patterns.

    Parameters
    ----------
    root : path
    patterns : iterable of str
        Globs relative to the root, as in ``src/**/*.py``. The pattern of a folder matches all files
        below it. A hidden file or folder is found only if a pattern names it, without a wildcard
        in its name or before it.
    endings : collection of str
        Lower-case file endings with the dot. Other files are left out and not recorded.
    limits : FileLimits
        The most that may be listed.

    Raises
    ------
    OptionError
        A pattern leads out of the root.
    TooLargeError
        There is more than the limits allow; the message names the largest folders.
    OSError
        The root cannot be listed.
    """
    # unlike Path.resolve, realpath does not raise on a circular link
    base = Path(os.path.realpath(root))
    wanted = [_Wanted.of(pattern, base) for pattern in patterns]
    walk = _Walk(base, wanted)
    found = [
        file
        for file in walk.files()
        if not endings or os.path.splitext(file.path)[1].lower() in endings
    ]
    found.sort(key=lambda file: file.path.split("/"))
    _check_limits(base, found, limits)
    return Listing(base, tuple(found), tuple(sorted(walk.skipped)))


def names_hidden(root: Path, pattern: str) -> bool:
    """Tell whether a pattern names a hidden file or folder below a root."""
    return any(part.startswith(".") for part in _Wanted.of(pattern, root).named)


class _Wanted(NamedTuple):
    """A parsed pattern: leading segments without wildcards, glob, and whether it is the root."""

    named: tuple[str, ...]
    glob: tuple[Segment, ...]
    is_root: bool

    @classmethod
    def of(cls, pattern: str, root: Path) -> _Wanted:
        """Parse a pattern; raise OptionError if it leads out of the root."""
        inside = pattern.replace(os.sep, "/")
        if os.path.isabs(inside) and Path(os.path.realpath(inside)).is_relative_to(root):
            inside = Path(os.path.realpath(inside)).relative_to(root).as_posix()
        segments = [one for one in inside.split("/") if one not in {"", "."}]
        if os.path.isabs(inside) or ".." in segments or "\0" in inside:
            raise OptionError(f"expected paths below the root folder, got {pattern!r}")
        named = []
        for segment in segments:
            if not is_literal(segment):
                break
            named.append(segment)
        return cls(tuple(named), compile_glob("/".join(segments)), not segments)

    def names(self, path: Sequence[str]) -> bool:
        """Tell whether the pattern begins with the segments of `path`, without wildcards."""
        return len(path) <= len(self.named) and tuple(path) == self.named[: len(path)]

    def reaches(self, path: Sequence[str]) -> bool:
        """Tell whether the folder `path` may contain files that match the pattern."""
        shared = min(len(path), len(self.named))
        return tuple(path[:shared]) == self.named[:shared]


class _Walk:
    """A walk through all folders below a root; `skipped` lists what it passes over."""

    def __init__(self, root: Path, wanted: list[_Wanted]) -> None:
        self.root, self.wanted = root, wanted
        self.skipped: list[Skipped] = []
        self._entries = 0

    def files(self) -> Iterator[ListedFile]:
        """Yield the files that match a pattern, in no particular order."""
        # For each folder: its path, its ignore rules, and whether all its files are wanted, because
        # a pattern matches it or a folder above. A rule has the depth of its ignore file's folder.
        folders: list[tuple[tuple[str, ...], list[tuple[int, IgnoreRule]], bool]] = [
            ((), [], any(one.is_root for one in self.wanted))
        ]
        while folders:
            here, outer, inside = folders.pop()
            entries = self._list(here)
            rules = outer + [(len(here), rule) for rule in self._rules(here, entries)]
            for entry in entries:
                path = (*here, entry.name)
                if not self._is_visible(path, entry, rules):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if len(path) > DEEPEST:
                        self._skip(path, f"deeper than {DEEPEST} folders")
                    elif inside or any(one.reaches(path) for one in self.wanted):
                        folders.append((path, rules, inside or self._names(path)))
                elif inside or self._names(path):
                    yield from self._regular(path, entry)

    def _names(self, path: tuple[str, ...]) -> bool:
        """Tell whether any of the patterns matches a path."""
        return any(matches(one.glob, path) for one in self.wanted)

    def _list(self, here: tuple[str, ...]) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.root.joinpath(*here)) as entries:
                found = list(entries)
        except OSError as error:
            if not here:
                raise
            self._skip(here, f"cannot be listed: {error.strerror}")
            return []
        self._entries += len(found)
        if self._entries > MOST_ENTRIES:
            raise TooLargeError(
                f"expected at most {MOST_ENTRIES:,} files and folders below {str(self.root)!r}, "
                "got more; name a folder inside it"
            )
        return found

    def _rules(
        self, here: tuple[str, ...], entries: list[os.DirEntry[str]]
    ) -> Iterator[IgnoreRule]:
        names = {entry.name for entry in entries}
        for name in IGNORE_FILES:
            if name in names:
                try:
                    with open_file(self.root.joinpath(*here, name)) as file:
                        text = file.read(MOST_IGNORE_BYTES).decode("utf-8-sig", "replace")
                except (OSError, OptionError):
                    continue
                yield from read_ignore_rules(text.replace("\r\n", "\n").split("\n"))

    def _is_visible(
        self,
        path: tuple[str, ...],
        entry: os.DirEntry[str],
        rules: list[tuple[int, IgnoreRule]],
    ) -> bool:
        """Tell whether a path is neither hidden nor ignored nor made by a program."""
        if entry.name in MADE_BY_PROGRAMS:
            return False
        if entry.name.startswith(".") and not any(one.names(path) for one in self.wanted):
            return False
        folder = entry.is_dir(follow_symlinks=False)
        # As in Git, the last rule that matches a path decides.
        for depth, rule in reversed(rules):
            if rule.concerns(path[depth:], folder=folder):
                return not rule.ignored
        return True

    def _regular(self, path: tuple[str, ...], entry: os.DirEntry[str]) -> Iterator[ListedFile]:
        """Yield an entry if it is a regular file that may be read; otherwise record why not."""
        try:
            about = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._skip(path, f"cannot be read: {error.strerror}")
            return
        if not stat.S_ISREG(about.st_mode):
            self._skip(path, kind_of_mode(about.st_mode))
        elif _UNPRINTABLE.search("/".join(path)):
            self._skip(path, "its name cannot be printed")
        elif not os.access(entry.path, os.R_OK):
            self._skip(path, "cannot be read: Permission denied")
        else:
            yield ListedFile("/".join(path), about.st_size, about.st_mtime_ns)

    def _skip(self, path: tuple[str, ...], reason: str) -> None:
        shown = _UNPRINTABLE.sub(lambda sign: ascii(sign[0])[1:-1], "/".join(path))
        self.skipped.append(Skipped(shown, reason))


def _check_limits(root: Path, found: list[ListedFile], limits: FileLimits) -> None:
    """Raise TooLargeError for too many files or bytes; name the folders that hold most."""
    total = sum(file.size for file in found)
    if len(found) <= limits.files and total <= limits.total_bytes:
        return
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for file in found:
        top = file.path.partition("/")[0] + ("/" if "/" in file.path else "")
        counts[top] += 1
        sizes[top] += file.size
    many = len(found) > limits.files
    largest = (counts if many else sizes).most_common(3)
    unit = "files" if many else "bytes"
    most = limits.files if many else limits.total_bytes
    listed = ", ".join(f"{name!r} {size:,}" for name, size in largest)
    raise TooLargeError(
        f"expected at most {most:,} {unit} below {str(root)!r}, got "
        f"{len(found) if many else total:,} ({listed}); leave some out by a line in .ignore, or "
        "name fewer"
    )
