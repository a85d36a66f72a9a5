"""Changes since a git revision: where lines are now, and which recorded lines a change touches."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from maxcover.ground.array_types import Int64s, Mask
    from maxcover.suites.suite import Suite

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
# Arguments for a diff without context lines: each hunk is exactly the lines that changed.
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
    """Return the git revision of a folder and the files that differ from it; "", [] without git."""
    try:
        revision = _git(root, "rev-parse", "HEAD").strip()
        changed = _git(root, "diff", "--name-only", "--relative", "-z", "HEAD", "--")
    except OptionError:
        return "", []
    return revision, sorted(filter(None, changed.split("\0")))


def hunks(root: Path, *revisions: str) -> dict[str, list[Hunk]]:
    """Return the hunks of each file between two revisions, or from one to the working tree."""
    changes: dict[str, list[Hunk]] = {}
    name, is_head = "", False
    for text in _git(root, *_DIFF, *revisions, "--").splitlines():
        # File names are read from headers only: a removed line may begin with "--- " too.
        is_head = text.startswith("diff --git ") or (is_head and not text.startswith("@@"))
        if is_head and text.startswith(("--- ", "+++ ")) and not text.endswith(" /dev/null"):
            name = text[4:].strip().strip('"')[2:]
        elif hunk := _HUNK.match(text):
            numbers = [1 if part is None else int(part) for part in hunk.groups()]
            changes.setdefault(name, []).append(Hunk(*numbers))
    return changes


def moved(lines: Int64s, changes: Iterable[Hunk]) -> Int64s:
    """Return the line numbers after `changes`; 0 for lines that were changed or deleted.

    Examples
    --------
    >>> moved(np.array([1, 2, 3, 4]), [Hunk(1, 0, 2, 3), Hunk(3, 1, 5, 0)])
    array([1, 5, 0, 6])
    """
    after = lines.copy()
    for hunk in changes:
        first = hunk.old + (hunk.n_old == 0)
        after[lines >= first] += hunk.n_new - hunk.n_old
        after[(lines >= first) & (lines < first + hunk.n_old)] = -(2**30)
    return np.maximum(after, 0)


def touched(suite: Suite, root: Path, revision: str) -> Mask:
    """Return a mask of the recorded lines that the change since `revision` touches.

    A line that was changed or deleted is touched. If no test ran such a line, or if lines were only
    added, all lines of the enclosing function are touched. A statement outside of functions runs
    when its file is imported, not for a single test. If it changes, all lines of its file are
    touched or, if no test runs any of them, all lines of the files that import it. A new statement
    outside of functions touches nothing: no test has used it yet.

    Parameters
    ----------
    suite : Suite
    root : path
        The folder that recorded paths are relative to.
    revision : str
        The change is the difference to this revision, or to the commit where the current work
        branched off from it.
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
    # If no revision was recorded, recorded line numbers are those after the change, so the diff is
    # reversed.
    changes = hunks(root, "-R", base) if recorded_at is None else hunks(root, base)
    is_touched = np.zeros(suite.n_lines, dtype=bool)
    places = {(root / path).resolve(): k for k, path in enumerate(suite.files)}
    for path, parts in changes.items():
        here = np.flatnonzero(suite.file_of == places.get((root / path).resolve(), -1))
        lines = moved(suite.line_of[here], earlier.get(path, ()))
        spans = [*_spans(_tree(root, path, None if recorded_at is None else base))]
        for hunk in parts:
            touches = (lines >= hunk.old) & (lines < hunk.old + hunk.n_old)
            around = _around(hunk, spans, hunk.n_new if recorded_at is None else hunk.n_old)
            if touches.any() or not around:
                is_touched[here[touches]] = True
            elif around.is_function or here.size:
                is_inside = (lines >= around.first) & (lines <= around.last)
                is_touched[here[is_inside | (not around.is_function)]] = True
            else:
                is_touched |= np.isin(suite.file_of, [*_importers(suite, root, path)])
    return is_touched


class _Span(NamedTuple):
    """The lines of a function, decorators included, or of a statement outside of functions."""

    first: int
    last: int
    is_function: bool


def _around(hunk: Hunk, spans: list[_Span], n_before: int) -> _Span | None:
    """Return the innermost function that contains a hunk, else a statement that the hunk changes.

    `n_before` is the number of lines before the change. None if the hunk is neither in a function
    nor changes a statement.
    """
    is_between = hunk.n_old == 0
    first, last = hunk.old + is_between, hunk.old + max(hunk.n_old - 1, 0)
    if inside := [
        s for s in spans if s.is_function and s.first <= hunk.old and last + is_between <= s.last
    ]:
        return max(inside)
    for span in spans:
        is_new = not n_before and hunk.old <= span.first and span.last <= last
        if not span.is_function and not is_new and span.first <= last and first <= span.last:
            return span
    return _Span(hunk.old, hunk.old, is_function=False) if n_before and is_between else None


def _tree(root: Path, path: str, revision: str | None = None) -> ast.Module:
    """Return the syntax tree of a file, now or at a revision; an empty one if it is not Python."""
    try:
        return ast.parse(
            _git(root, "show", f"{revision}:./{path}") if revision else (root / path).read_text()
        )
    except (SyntaxError, ValueError, OSError, OptionError):
        return ast.Module(body=[], type_ignores=[])


def _spans(tree: ast.AST, *, is_outside: bool = True) -> Iterator[_Span]:
    """Yield the lines of each function, and of each statement outside of functions.

    Of a statement with a body, such as ``if`` or ``class``, only the lines before the body.
    """
    for node in ast.iter_child_nodes(tree):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(node, ast.stmt) and (is_function or is_outside):
            first = min(part.lineno for part in (node, *getattr(node, "decorator_list", ())))
            body = [] if is_function else getattr(node, "body", [])
            last = body[0].lineno - 1 if body else node.end_lineno or first
            yield _Span(first, max(first, last), is_function)
        yield from _spans(node, is_outside=is_outside and not is_function)


def _importers(suite: Suite, root: Path, path: str) -> Iterator[int]:
    """Yield the index of each recorded file that imports a module with the name of `path`."""
    *_, folder, file = ("", *PurePosixPath(path).parts)
    name = folder if file == "__init__.py" else file.removesuffix(".py")
    for k, other in enumerate(suite.files):
        imports = (
            node
            for node in ast.walk(_tree(root, other))
            if isinstance(node, ast.Import | ast.ImportFrom)
        )
        named = {
            part.rpartition(".")[2]
            for node in imports
            for part in (getattr(node, "module", "") or "", *(alias.name for alias in node.names))
        }
        if name in named:
            yield k


def _git(directory: Path, *arguments: str) -> str:
    """Run git in a folder and return what it prints; raise `OptionError` if it fails."""
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
