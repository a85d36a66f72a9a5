"""Changes since a git revision: where lines are now, and which recorded lines a change touches."""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.errors import OptionError
from pytest_maxcover.line_recorders import place_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from maxcover.ground.array_types import Int64s, Mask
    from pytest_maxcover.suite import Suite

# File names and contents may be no UTF-8.
_CODING = ("utf-8", "surrogateescape")


class Hunk(NamedTuple):
    """Lines `old` to `old + n_old - 1` became `new` to `new + n_new - 1`.

    With `n_old` = 0, lines were inserted after line `old`.
    """

    old: int
    n_old: int
    new: int
    n_new: int


class Touched(NamedTuple):
    """What a change touches: recorded lines, tests below a changed ``conftest.py``, and the rest.

    `unknown` are the changed files with a change that touches no recorded line.
    """

    lines: Mask
    tests: set[str]
    unknown: list[str]


def state_of(root: Path, files: Collection[str] = ()) -> tuple[str, dict[str, str | None]]:
    """Return the git revision of a folder, and what the files hold that differ from it.

    New files that are not among the recorded `files` are None. Without git, "" and {}.
    """
    try:
        top, revision = _top(root), _git(root, "rev-parse", "HEAD").strip()
        changed, new = _changed(top, revision), _new(top)
    except OptionError:
        return "", {}
    found = {name: place_of(str(top / name), str(root.resolve())) for name in sorted(changed)}
    return revision, {
        place: None if name in new and place not in files else _content(top / name)
        for name, place in found.items()
    }


def hunks(old: str, new: str) -> list[Hunk]:
    """Return the lines that differ between two texts.

    Examples
    --------
    >>> hunks("a b c".replace(" ", chr(10)), "a c d".replace(" ", chr(10)))
    [Hunk(old=2, n_old=1, new=1, n_new=0), Hunk(old=3, n_old=0, new=3, n_new=1)]
    """
    parts = SequenceMatcher(None, old.split("\n"), new.split("\n")).get_opcodes()
    return [
        Hunk(a + 1 - (a == b), b - a, c + 1 - (c == d), d - c)
        for kind, a, b, c, d in parts
        if kind != "equal"
    ]


def moved(lines: Int64s, changes: Iterable[Hunk]) -> Int64s:
    """Return the line numbers after `changes`; -1 for lines that were changed or deleted.

    Line 0 stands for the whole file and stays.

    Examples
    --------
    >>> moved(np.array([1, 2, 3, 4]), [Hunk(1, 0, 2, 3), Hunk(3, 1, 5, 0)])
    array([ 1,  5, -1,  6])
    """
    after = lines.copy()
    for hunk in changes:
        first = hunk.old + (hunk.n_old == 0)
        after[lines >= first] += hunk.n_new - hunk.n_old
        after[(lines >= first) & (lines < first + hunk.n_old)] = -(2**30)
    return np.maximum(after, -1)


class _Contents(NamedTuple):
    """What a changed file holds: the text of Python code, of another file a checksum."""

    name: str
    place: str
    recorded: str
    base: str
    now: str


def _contents(
    root: Path, recorded_at: str, dirty: Mapping[str, str | None], since: str | None = None
) -> Iterator[_Contents]:
    """Yield the files that changed since a revision or, by default, since they were recorded."""
    top, base = _top(root), recorded_at if since is None else since
    names = _changed(top, base)
    if since is None:
        names |= {place_of(str(root / place), str(top)) for place in dirty}
    for name in sorted(names):
        place, now = place_of(str(top / name), str(root)), _content(top / name)
        recorded = dirty.get(place, "") if place in dirty else _then(top, name, recorded_at)
        before = recorded if since is None else _then(top, name, base)
        if before is not None and before != now:
            yield _Contents(name, place, recorded or "", before, now)


def changes_since(
    root: Path, revision: str, dirty: Mapping[str, str | None]
) -> dict[str, list[Hunk]]:
    """Return what changed in each Python file since it was recorded; {} if git does not know."""
    try:
        found = [*_contents(root.resolve(), revision, dirty)] if revision else []
    except OptionError:
        return {}
    return {each.place: hunks(each.base, each.now) for each in found if each.place[-3:] == ".py"}


def touched(
    suite: Suite, root: Path, since: str | None, dirty: Mapping[str, str | None] | None = None
) -> Touched:
    """Return what a change touches.

    A line that was changed or deleted is touched. If no test ran such a line, or if lines were only
    added, all lines of the enclosing function are touched. A statement outside of functions runs
    when its file is imported, not for a single test. If it changes, all lines of its file are
    touched or, if no test runs any of them, all lines of the files that import it. A new statement
    outside of functions touches nothing if it only gives names that no code mentions yet. A changed
    ``conftest.py`` touches every test below its folder, unless tests run the changed lines
    themselves. Comments touch nothing.

    Parameters
    ----------
    suite : Suite
    root : path
        The folder that recorded paths are relative to.
    since : str, optional
        The change is the difference to this git revision, or to the commit where the current work
        branched off from it. By default it is the difference to the files as they were recorded.
    dirty : mapping of str to str, optional
        What recorded files held that differed from the revision of the suite, as `state_of` says.
    """
    root, is_reversed = root.resolve(), suite.revision is None
    top = _top(root)
    base = suite.revision or "" if since is None else _base(top, since)
    if not base:
        raise OptionError(
            "expected a record of files that git has, got one without a revision; commit them, and "
            "write pytest --maxcover-record again"
        )
    places = {str((root / path).resolve()): k for k, path in enumerate(suite.files)}
    found = Touched(np.zeros(suite.n_lines, dtype=bool), set(), [])
    for each in _contents(root, suite.revision or "", dirty or {}, since and base):
        place, before, now = each.place, each.base, each.now
        here = np.flatnonzero(suite.file_of == places.get(str((top / each.name).resolve()), -1))
        lines = moved(suite.line_of[here], hunks(each.recorded, before) if suite.revision else ())
        change = _Change(place, now, before, True) if is_reversed else _Change(place, before, now)
        _touch(found, suite, root, change, (here, lines))
    return found


class _Change(NamedTuple):
    """The text of a file before and after a change; of a file that is no Python, a checksum.

    With `is_reversed`, lines were recorded after the change, and `before` is the later text.
    """

    place: str
    before: str
    after: str
    is_reversed: bool = False


def _touch(
    found: Touched, suite: Suite, root: Path, change: _Change, places: tuple[Int64s, Int64s]
) -> None:
    """Add what the change of one file touches.

    `places` are its recorded lines, as indices, and their numbers before the change.
    """
    here, lines = places
    place, is_known = change.place, True
    is_conftest = PurePosixPath(place).name == "conftest.py"
    found.lines[here[lines == 0]] = True
    if place.endswith(".py"):
        spans = [*_spans(_tree(change.before))]
        for hunk in hunks(change.before, change.after):
            does_more, is_all = _additions(change, hunk, suite, root)
            if is_all and not does_more:
                continue
            around = _around(hunk, spans)
            functions = [span for span in around if span.is_function]
            ran = (lines >= hunk.old) & (lines < hunk.old + hunk.n_old)
            if ran.any() and not (does_more and functions):
                hit = here[ran]
            elif around and functions == around and not does_more:
                hit = here[_inside(functions, lines)]
            elif is_conftest:
                hit = here[:0]
            elif here.size:
                hit = here
            else:
                hit = np.flatnonzero(np.isin(suite.file_of, [*importers(suite, root, place)]))
            found.lines[hit] = True
            is_known &= hit.size > 0
    else:
        is_known = bool((lines == 0).any())
    if not is_known and is_conftest:
        folder = place.removesuffix("conftest.py")
        found.tests.update(test for test in suite.tests if test.startswith(folder))
    elif not is_known:
        found.unknown.append(place)


class _Span(NamedTuple):
    """The lines of a function, decorators included, or of a statement outside of functions."""

    first: int
    last: int
    is_function: bool


def _around(hunk: Hunk, spans: list[_Span]) -> list[_Span]:
    """Return the innermost function that contains a hunk, else all that the hunk overlaps."""
    first, last = hunk.old + (hunk.n_old == 0), hunk.old + max(hunk.n_old - 1, 0)
    inside = [s for s in spans if s.is_function and s.first <= hunk.old and first <= s.last >= last]
    return [max(inside)] if inside else [s for s in spans if s.first <= last and first <= s.last]


def _inside(functions: list[_Span], lines: Int64s) -> Mask:
    """Return a mask of the `lines` that are in one of the functions."""
    inside: Mask = np.any([(lines >= s.first) & (lines <= s.last) for s in functions], axis=0)
    return inside


def _additions(change: _Change, hunk: Hunk, suite: Suite, root: Path) -> tuple[bool, bool]:
    """Tell whether a hunk adds code outside of functions that may matter, and whether it only adds.

    Code that gives names which no recorded code mentions yet matters to nobody.
    """
    old, new, _, _, first, n_new = change.before, change.after, *hunk
    gone = old.split("\n")[hunk.old - 1 :][: hunk.n_old]
    if change.is_reversed:
        old, new, first, n_new = new, old, hunk.old, hunk.n_old
        gone = old.split("\n")[hunk.new - 1 :][: hunk.n_new]
    added = [*_added(_tree(new), first, first + n_new - 1)]
    texts = [old]
    if any(in_class for _, in_class in added):
        texts += (_content(root / path) for path in suite.files if path != change.place)
    known = {*re.findall(r"\w+", "\n".join(texts))} if added else set()
    names = [_names(node) for node, _ in added]
    does_more = not all(some and known.isdisjoint(some) for some in names)
    covered = {n for node, _ in added for n in range(_first(node), (node.end_lineno or 0) + 1)}
    code = {k for k, text in enumerate(new.split("\n"), start=1) if _is_code(text)}
    is_all = covered.issuperset(code & {*range(first, first + n_new)})
    return does_more, is_all and not any(map(_is_code, gone))


def _is_code(text: str) -> bool:
    """Whether a line is neither blank nor a comment."""
    return text.strip()[:1] not in ("", "#")


def _first(node: ast.stmt) -> int:
    """Return the first line of a statement, that of its first decorator if there is one."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(part.lineno for part in decorators)])


def _added(
    node: ast.AST, first: int, last: int, *, in_class: bool = False
) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield the statements outside of functions in these lines, and whether a class holds them."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.stmt):
            if first <= _first(part) and (part.end_lineno or 0) <= last:
                yield part, in_class
            elif not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _added(part, first, last, in_class=isinstance(part, ast.ClassDef))


def _names(node: ast.stmt) -> set[str]:
    """Return the names that a statement gives, if it does nothing else that code may notice."""
    if isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ):
        return {""}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        return names if len(names) == len(targets) else set()
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        is_test = node.name.startswith(("test", "Test"))
        is_hook = node.name.startswith(("pytest_", "__"))
        if is_test or not (is_hook or node.decorator_list):
            return {node.name}
    return set()


def _tree(text: str) -> ast.Module:
    """Return the syntax tree of a text; an empty one if it is not Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])


def _spans(tree: ast.AST, *, is_outside: bool = True) -> Iterator[_Span]:
    """Yield the lines of each function, and of each statement outside of functions.

    Of a statement with a body, such as ``if`` or ``class``, only the lines before the body.
    """
    for node in ast.iter_child_nodes(tree):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(node, ast.stmt) and (is_function or is_outside):
            first = _first(node)
            body = [] if is_function else getattr(node, "body", [])
            last = body[0].lineno - 1 if body else node.end_lineno or first
            yield _Span(first, max(first, last), is_function)
        yield from _spans(node, is_outside=is_outside and not is_function)


def importers(suite: Suite, root: Path, path: str) -> Iterator[int]:
    """Yield the index of each recorded file that imports a module with the name of `path`."""
    *_, folder, file = ("", *PurePosixPath(path).parts)
    name = folder if file == "__init__.py" else file.removesuffix(".py")
    for k, other in enumerate(suite.files):
        imports = (
            node
            for node in ast.walk(_tree(_content(root / other)))
            if isinstance(node, ast.Import | ast.ImportFrom)
        )
        named = {
            part.rpartition(".")[2]
            for node in imports
            for part in (getattr(node, "module", "") or "", *(alias.name for alias in node.names))
        }
        if name in named:
            yield k


def _base(top: Path, revision: str) -> str:
    """Return the commit where the current work branched off from `revision`."""
    if revision.startswith("-"):
        raise OptionError(f"expected a git revision, got {revision!r}")
    _git(top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    try:
        return _git(top, "merge-base", revision, "HEAD").strip()
    except OptionError:
        return revision


def _top(root: Path) -> Path:
    """Return the folder that git's names begin at."""
    return Path(_git(root, "rev-parse", "--show-toplevel").rstrip("\n"))


def _changed(top: Path, revision: str) -> set[str]:
    """Return the names of the files that differ from a revision, new ones too."""
    diff = _git(top, "diff", "--name-only", "--no-renames", "-z", revision, "--")
    return {*filter(None, diff.split("\0"))} | _new(top)


def _new(top: Path) -> set[str]:
    """Return the names of the files that git neither has nor ignores; not what maxcover writes."""
    names = _git(top, "ls-files", "--others", "--exclude-standard", "-z").split("\0")
    return {n for n in names if n and not PurePosixPath(n).name.startswith(".maxcover")}


def _content(path: Path) -> str:
    """Return the text of Python code, or the checksum of another file; "" if there is none."""
    try:
        return _told(path.name, path.read_bytes())
    except OSError:
        return ""


def _then(top: Path, name: str, revision: str) -> str:
    """Return what `_content` would have returned at a revision; "" without a revision."""
    try:
        return _told(name, _git(top, "show", f"{revision}:{name}").encode(*_CODING))
    except OptionError:
        return ""


def _told(name: str, data: bytes) -> str:
    return data.decode(*_CODING) if name.endswith(".py") else hashlib.sha256(data).hexdigest()


def _git(directory: Path, *arguments: str) -> str:
    """Run git in a folder and return what it prints; raise `OptionError` if it fails."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, and no shell
            ["git", "-c", "core.quotepath=off", *arguments],  # noqa: S607 - the user's own git
            cwd=directory,
            capture_output=True,
            check=True,
        )
    except FileNotFoundError:
        raise OptionError("expected git to be installed to see what changed") from None
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode(*_CODING).strip().splitlines()
        raise OptionError(
            f"expected a revision that git knows, got: {reason[0] if reason else arguments[-1]}"
        ) from None
    return done.stdout.decode(*_CODING)
