"""Changes since a git revision: where lines are now, and which recorded lines a change touches."""

from __future__ import annotations

import ast
import re
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.errors import OptionError
from maxcover.suites.line_recorders import BRANCH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from maxcover.suites.suite import Suite

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
# How git is asked for what differs; names with non-ASCII letters are written as they are.
_DIFF = ("diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-renames", "--relative")


class Hunk(NamedTuple):
    """Lines `old` to `old + n_old - 1` became `new` to `new + n_new - 1`.

    With `n_old` = 0, lines were inserted after line `old`.
    """

    old: int
    n_old: int
    new: int
    n_new: int


def state_of(root: Path) -> tuple[str, list[str]]:
    """Return the git revision of a folder, and the files that differ from it; "" without git."""
    try:
        revision = _git(root, "rev-parse", "HEAD").strip()
        changed = _git(root, "diff", "--name-only", "--relative", "-z", "HEAD", "--")
    except OptionError:
        return "", []
    return revision, sorted(filter(None, changed.split("\0")))


def hunks(root: Path, *revisions: str) -> dict[str, list[Hunk]]:
    """Return what changed between two revisions, by file; after one revision, up to now."""
    changes: dict[str, list[Hunk]] = {}
    name, is_head = "", False
    for text in _git(root, *_DIFF, *revisions, "--").splitlines():
        # a line that was removed may look like a head
        is_head = text.startswith("diff --git ") or (is_head and not text.startswith("@@"))
        if is_head and text.startswith(("--- ", "+++ ")) and not text.endswith(" /dev/null"):
            name = text[4:].strip().strip('"')[2:]
        elif hunk := _HUNK.match(text):
            numbers = [1 if part is None else int(part) for part in hunk.groups()]
            changes.setdefault(name, []).append(Hunk(*numbers))
    return changes


def moved(lines: NDArray[np.int64], changes: Iterable[Hunk]) -> NDArray[np.int64]:
    """Return where lines are after changes; 0 for those that were changed or deleted.

    A branch moves with the lines at its ends.

    Examples
    --------
    >>> moved(np.array([1, 2, 3, 4]), [Hunk(1, 0, 2, 3), Hunk(3, 1, 5, 0)])
    array([1, 5, 0, 6])
    """
    ends = np.stack(np.divmod(lines, BRANCH))
    after = ends.copy()
    for hunk in changes:
        first = hunk.old + (hunk.n_old == 0)
        after[ends >= first] += hunk.n_new - hunk.n_old
        after[(ends >= first) & (ends < first + hunk.n_old)] = -(2**30)
    return np.where((after < 0).any(axis=0), 0, after[0] * BRANCH + after[1])


def touched(suite: Suite, root: Path, revision: str) -> NDArray[np.bool_]:
    """Return which recorded lines a change since a revision touches.

    A line that was changed or deleted is touched. Where no test ran such a line, and where lines
    were added, it is all lines of the function around; a change outside of functions touches the
    whole file, and an addition there nothing: nobody has called it yet.

    Parameters
    ----------
    suite : Suite
    root : path
        The folder that recorded paths are relative to.
    revision : str
        The change is what differs from here, or from where the work left it.
    """
    recorded_at = suite.revision
    if revision.startswith("-"):
        raise OptionError(f"expected a git revision, got {revision!r}")
    _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    try:
        base = _git(root, "merge-base", revision, "HEAD").strip()
    except OptionError:
        base = revision
    earlier = hunks(root, recorded_at, base) if recorded_at not in (None, "", base) else {}
    # recorded now, lines have the numbers that they have after the change
    changes = hunks(root, "-R", base) if recorded_at is None else hunks(root, base)
    is_touched = np.zeros(suite.n_lines, dtype=bool)
    places = {(root / path).resolve(): k for k, path in enumerate(suite.files)}
    for path, parts in changes.items():
        here = np.flatnonzero(suite.file_of == places.get((root / path).resolve(), -1))
        lines = moved(suite.line_of[here], earlier.get(path, ()))
        functions = [*_functions(root, path, None if recorded_at is None else base)]
        for hunk in parts if here.size else ():
            touches = (lines >= hunk.old) & (lines < hunk.old + hunk.n_old)
            if not touches.any():
                was_there = (hunk.n_new if recorded_at is None else hunk.n_old) > 0
                touches = _around(lines, hunk, functions, whole_file=was_there)
            is_touched[here[touches]] = True
    return is_touched


def _around(
    lines: NDArray[np.int64], hunk: Hunk, functions: list[tuple[int, int]], *, whole_file: bool
) -> NDArray[np.bool_]:
    """Return the lines of the innermost function around a change, or those of the file."""
    last = hunk.old + max(hunk.n_old - 1, 0)
    inside = [(a, b) for a, b in functions if a <= hunk.old and last + (hunk.n_old == 0) <= b]
    if inside:
        first, end = max(inside)
        return (lines >= first) & (lines <= end)
    return (lines > 0) & whole_file


def _functions(root: Path, path: str, revision: str | None) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each function of a file, decorators included."""
    try:
        text = _git(root, "show", f"{revision}:./{path}") if revision else (root / path).read_text()
        tree = ast.parse(text)
    except (SyntaxError, ValueError, OSError, OptionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
            yield first, node.end_lineno or node.lineno


def _git(directory: Path, *arguments: str) -> str:
    """Run git and return what it prints."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, and no shell
            ["git", "-c", "core.quotepath=off", *arguments],  # noqa: S607 - the user's own git
            cwd=directory,
            capture_output=True,
            text=True,
            check=True,
        )
    except FileNotFoundError:
        raise OptionError("expected git to be installed to see what changed") from None
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip().splitlines()
        raise OptionError(
            f"expected a revision that git knows, got: {reason[0] if reason else arguments[-1]}"
        ) from None
    return done.stdout
