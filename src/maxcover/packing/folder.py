"""Folder: the text files below a root that patterns name, without what ignore files leave out."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: A file that is larger, in bytes, is no source that a person wrote.
LARGEST = 1_000_000
#: Files that are looked at below one root.
MOST_FILES = 50_000
IGNORE_FILES = (".gitignore", ".ignore")
# Never looked into, whatever ignore files say.
_NEVER = frozenset(
    [".git", ".hg", ".svn", ".tox", ".venv", "__pycache__", "node_modules", ".mypy_cache"]
)


class _Rule(NamedTuple):
    """A line of an ignore file: where it holds, what it matches, and what it says."""

    below: str
    pattern: re.Pattern[str]
    folders_only: bool
    ignored: bool


@lru_cache(maxsize=1024)
def to_pattern(glob: str) -> re.Pattern[str]:
    """Turn a glob into a pattern of whole paths; ``**`` stands for any number of folders.

    Examples
    --------
    >>> bool(to_pattern("src/**/*.py").fullmatch("src/a/b.py")), bool(to_pattern("*").match("a/b"))
    (True, True)
    >>> bool(to_pattern("*").fullmatch("a/b"))
    False
    """
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]/]+\])", glob)
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile(
        "".join(
            known.get(part)
            or (part.replace("[!", "[^") if part.startswith("[") else re.escape(part))
            for part in parts
        )
    )


def find_paths(root: Path, patterns: Iterable[str]) -> list[Path]:
    """List the files below a root that one of the patterns names, in order of their paths.

    Parameters
    ----------
    root : Path
        Links that lead out of it are not followed.
    patterns : iterable of str
        Globs relative to the root; a file or a folder stands for itself and all below it.

    Raises
    ------
    OptionError
        A pattern leads out of the root, or nothing is found.
    """
    root, wanted = root.resolve(), []
    patterns = list(patterns)
    for pattern in patterns:
        inside = pattern.replace(os.sep, "/")
        if os.path.isabs(inside) and Path(inside).resolve().is_relative_to(root):
            inside = Path(inside).resolve().relative_to(root).as_posix()
        inside = inside.removeprefix("./").rstrip("/")
        if os.path.isabs(inside) or ".." in inside.split("/") or "\0" in inside:
            raise OptionError(f"expected paths below the root folder, got {pattern!r}")
        wanted.append(to_pattern(inside if inside not in {"", "."} else "**"))
        wanted.append(to_pattern(f"{inside}/**"))
    found = [root / path for path in _walk(root) if any(one.fullmatch(path) for one in wanted)]
    if not found:
        named = ", ".join(map(repr, patterns[:5]))
        raise OptionError(f"expected paths or globs of text files below the root, got {named}")
    return sorted(found)


def read_text(path: Path) -> str | None:
    """Read a text file; None if it is binary or too large."""
    if path.stat().st_size > LARGEST:
        return None
    content = path.read_bytes()
    return None if b"\0" in content[:8192] else content.decode("utf-8", "replace")


def _walk(root: Path) -> Iterator[str]:
    """List the files below a root that are neither ignored nor hidden, with slashes."""
    rules: list[_Rule] = []
    seen = 0
    for folder, folders, files in os.walk(root):
        here = Path(folder).relative_to(root).as_posix()
        prefix = "" if here == "." else f"{here}/"
        for name in IGNORE_FILES:
            if name in files:
                lines = Path(folder, name).read_text("utf-8", "replace").splitlines()
                rules += _read_rules(lines, prefix)
        folders[:] = sorted(
            one
            for one in folders
            if one not in _NEVER and not _is_ignored(f"{prefix}{one}", rules, folder=True)
        )
        for name in files:
            if name.startswith("."):
                continue
            path = f"{prefix}{name}"
            inside = Path(folder, name)
            if _is_ignored(path, rules, folder=False) or (
                inside.is_symlink() and not inside.resolve().is_relative_to(root)
            ):
                continue
            seen += 1
            if seen > MOST_FILES:
                raise OptionError(f"expected at most {MOST_FILES} files below the root folder")
            yield path


def _read_rules(lines: Iterable[str], below: str) -> Iterator[_Rule]:
    """Read an ignore file, as Git does but for escapes."""
    for line in lines:
        rule = line.rstrip()
        if not rule or rule.startswith("#"):
            continue
        ignored = not rule.startswith("!")
        rule = rule.removeprefix("!")
        folders_only = rule.endswith("/")
        rule = rule.rstrip("/")
        anchored = "/" in rule
        rule = rule.removeprefix("/")
        yield _Rule(below, to_pattern(rule if anchored else f"**/{rule}"), folders_only, ignored)


def _is_ignored(path: str, rules: list[_Rule], *, folder: bool) -> bool:
    """Tell what the last rule that matches says."""
    for below, pattern, folders_only, ignored in reversed(rules):
        concerned = (folder or not folders_only) and path.startswith(below)
        if concerned and pattern.fullmatch(path[len(below) :]):
            return ignored
    return False
