"""What changed since a git revision: where lines are now, and which recorded lines it touches."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from maxcover.suites.suite import Suite

    Int32s = NDArray[np.int32]

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


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


def top_of(folder: Path) -> Path:
    """Return the folder of the repository."""
    return Path(_git(folder, "rev-parse", "--show-toplevel").strip())


def base_of(root: Path, revision: str) -> str:
    """Return the commit at which the work in a folder left a revision, or the revision."""
    if revision.startswith("-"):
        raise OptionError(f"expected a git revision, got {revision!r}")
    _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    try:
        return _git(root, "merge-base", revision, "HEAD").strip()
    except OptionError:
        return revision


def hunks(root: Path, old: str, new: str = "") -> dict[str, list[Hunk]]:
    """Return what changed between two revisions, by file; by default up to now."""
    options = ("--unified=0", "--no-color", "--no-ext-diff", "--no-renames", "--relative")
    diff = _git(root, "diff", *options, old, *filter(None, [new]), "--")
    found: dict[str, list[Hunk]] = {}
    name = ""
    for text in diff.splitlines():
        if text.startswith("--- ") and not text.startswith("--- /dev/null"):
            name = text[4:].strip().strip('"').removeprefix("a/")
        elif text.startswith("+++ ") and not text.startswith("+++ /dev/null"):
            name = text[4:].strip().strip('"').removeprefix("b/")
        elif hunk := _HUNK.match(text):
            numbers = [1 if part is None else int(part) for part in hunk.groups()]
            found.setdefault(name, []).append(Hunk(*numbers))
    return found


def moved(lines: Int32s, changes: Iterable[Hunk]) -> Int32s:
    """Return where lines are after changes; 0 for those that were changed or deleted.

    Examples
    --------
    >>> moved(np.array([1, 2, 3, 4], np.int32), [Hunk(1, 0, 2, 3), Hunk(3, 1, 5, 0)])
    array([1, 5, 0, 6], dtype=int32)
    """
    after = lines.copy()
    for hunk in changes:
        first = hunk.old + (hunk.n_old == 0)
        after[lines >= first] += hunk.n_new - hunk.n_old
        after[(lines >= first) & (lines < first + hunk.n_old)] = -(2**30)
    return np.maximum(after, 0)


def touched(rows: Suite, root: Path, revision: str, recorded_at: str) -> NDArray[np.bool_]:
    """Return which recorded lines a change since a revision touches.

    A line that was changed or deleted is touched. Where no test ran such a line, and where lines
    were added, it is all lines of the function around; a change outside of functions touches the
    whole file, and an addition there nothing: nobody has called it yet.
    """
    base = base_of(root, revision)
    earlier = hunks(root, recorded_at, base) if recorded_at not in ("", base) else {}
    found = np.zeros(rows.n_lines, dtype=bool)
    places = {path: k for k, path in enumerate(rows.files)}
    for path, changes in hunks(root, base).items():
        if path not in places:
            continue
        here = np.flatnonzero(rows.file_of == places[path])
        lines = moved(rows.line_of[here], earlier.get(path, ()))
        functions = [*_functions(root, base, path)]
        for hunk in changes:
            exact = (lines >= hunk.old) & (lines < hunk.old + hunk.n_old)
            if not exact.any():
                exact = _around(lines, hunk, functions)
            found[here[exact]] = True
    return found


def _around(lines: Int32s, hunk: Hunk, functions: list[tuple[int, int]]) -> NDArray[np.bool_]:
    """Return the lines of the innermost function around a change."""
    last = hunk.old + max(hunk.n_old - 1, 0)
    inside = [(a, b) for a, b in functions if a <= hunk.old and last + (hunk.n_old == 0) <= b]
    if inside:
        first, end = max(inside)
        return (lines >= first) & (lines <= end)
    return np.full(len(lines), hunk.n_old > 0) & (lines > 0)


def _functions(root: Path, revision: str, path: str) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each function of a file, decorators included."""
    try:
        tree = ast.parse(_git(root, "show", f"{revision}:./{path}"))
    except (SyntaxError, ValueError, OptionError):
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
