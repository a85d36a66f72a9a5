"""Record: the file of ``pytest --maxcover-record``: lines, durations and fixtures of tests."""

from __future__ import annotations

import json
import os
import zipfile
from collections import defaultdict
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.validation import csr_from_edges
from maxcover.errors import FileFormatError, OptionError
from maxcover.ground.files.opening import open_file
from pytest_maxcover.amounts import STEP, counted
from pytest_maxcover.changes import changes_since, importers, moved, touched
from pytest_maxcover.suite import Recorder, Shared, Suite

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from maxcover.ground.array_types import Mask

# A test or fixture, a file that it opened, and the functions on the stack: file, first, last line.
Opened = tuple[str, str, list[tuple[str, int, int]]]

VERSION = 2
# Tests that share a fixture run one after the other if its set-up takes this many seconds or more.
NOTABLE = 0.01
# Number of latest durations that are kept of each test; their median is used.
RUNS = 5
_ARRAYS = ("file_of", "line_of", "block_of", "indptr", "indices")


@dataclass(frozen=True, eq=False, kw_only=True)
class Record:
    """Lines, durations and shared fixtures of the tests of a project.

    Attributes
    ----------
    rows : Suite
        The lines that each test runs itself, including lines of test files. A fixture that several
        tests share has a row of its own.
    seconds : dict of str to list of float
        Durations of each test, and of each set-up of a shared fixture, in the last runs.
    uses : dict of str to list of str
        The shared fixtures of each test that has any.
    traced : list of str
        Tests and fixtures whose durations were measured under a tracer, which slows them down.
    failed : list of str
        Tests that failed when they were last recorded.
    skipped : list of str
        Tests that were skipped when they were last recorded.
    due : list of str
        Tests that earlier changes touch and that have not run since.
    revision : str
        The git revision of the recorded lines; empty without git.
    dirty : dict of str to str
        What the files held that differed from that revision (`pytest_maxcover.changes.state_of`).
    outside : float
        Seconds from pytest's start to the first test.
    """

    rows: Suite
    seconds: dict[str, list[float]]
    uses: dict[str, list[str]]
    traced: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    due: list[str] = field(default_factory=list)
    revision: str = ""
    dirty: dict[str, str | None] = field(default_factory=dict)
    outside: float = 0.0

    @cached_property
    def fixtures(self) -> list[str]:
        """Names of the shared fixtures, sorted."""
        return sorted({name for names in self.uses.values() for name in names})

    @cached_property
    def tests(self) -> list[str]:
        """Node ids of the tests, sorted."""
        return sorted({*self.rows.tests} - {*self.fixtures})

    @cached_property
    def is_counted(self) -> Mask:
        """Mask of the lines that count: those of Python files that are not test files."""
        holding = {name.partition("::")[0] for name in self.tests}
        counts = [path not in holding and not is_test_file(path) for path in self.rows.files]
        return np.array(counts, dtype=bool)[self.rows.file_of] & (self.rows.line_of > 0)

    def _shared(self, names: Sequence[str]) -> Shared:
        """Return the shared fixtures that the tests `names` use and that take time to set up."""
        users: dict[str, list[int]] = {}
        for k, test in enumerate(names):
            for name in self.uses.get(test, ()):
                users.setdefault(name, []).append(k)
        costs = {name: float(np.median(self.seconds[name])) for name in sorted(users)}
        paid = [name for name, cost in costs.items() if cost >= STEP]
        # The name begins with the node id of the fixture's scope. It is empty for the session,
        # whose fixtures are not torn down between tests.
        return Shared(
            costs=counted(np.array([costs[name] for name in paid])),
            users=[users[name] for name in paid],
            together=[users[name] for name in paid if costs[name] >= NOTABLE and name[0] != "|"],
        )

    def suite(self, names: Sequence[str] | None = None) -> Suite:
        """Return the suite of the tests `names`; each test also runs the lines of its fixtures."""
        names = self.tests if names is None else names
        rows, is_kept = self.rows, self.is_counted
        place = {name: k for k, name in enumerate(rows.tests)}
        blocks, block_of = np.unique(rows.block_of[is_kept], return_inverse=True)
        number = np.full(rows.n_blocks, -1, dtype=np.int32)
        number[blocks] = np.arange(blocks.size)
        owners, run = rows.edges_of([[place[n] for n in (t, *self.uses.get(t, ()))] for t in names])
        counts = number[run] >= 0
        indptr, indices = csr_from_edges(owners[counts], number[run[counts]], len(names))
        return replace(
            rows,
            tests=tuple(names),
            costs={"seconds": counted(np.array([np.median(self.seconds[test]) for test in names]))},
            shared=self._shared(names),
            outside=self.outside,
            revision=self.revision,
            file_of=rows.file_of[is_kept],
            line_of=rows.line_of[is_kept],
            block_of=block_of.astype(np.int32),
            indptr=indptr,
            indices=indices,
        )

    def touched_tests(self, root: Path, since: str | None = None) -> tuple[list[str], list[str]]:
        """Return the tests that a change touches or that are due, and changed files without tests.

        The change is that since a git revision; by default that since the files were recorded.
        """
        rows = replace(self.rows, revision=self.revision)
        found = touched(rows, root, since, self.dirty)
        hit = {rows.tests[k] for k in rows.running(found.lines)} | found.tests | {*self.due}
        tests = [t for t in self.tests if not hit.isdisjoint((t, *self.uses.get(t, ())))]
        return tests, found.unknown

    def updated(self, newer: Record, root: Path, collected: Collection[str]) -> Record:
        """Return this record updated with the results of a later run.

        Tests that the later run did not run are kept, with their current line numbers, unless they
        no longer exist. `collected` are the tests that the later run collected.
        """
        files = {test.partition("::")[0] for test in collected}
        stays = {
            test
            for test in {*self.tests} - {*newer.tests}
            if test in collected
            or ((file := test.partition("::")[0]) not in files and (root / file).exists())
        }
        uses = {test: names for test, names in self.uses.items() if test in stays}
        old = stays | {n for names in uses.values() for n in names} - {*newer.fixtures}
        # Tests that a change touches and that did not run stay due.
        try:
            due = {*self.touched_tests(root)[0]}
        except OptionError:
            due = {*self.due}
        timed = self.timed(newer.seconds, newer.traced)
        names = old | {*newer.rows.tests}
        return replace(
            newer,
            rows=self._joined(newer, root, old) if old else newer.rows,
            seconds={name: timed.seconds[name] for name in sorted(names)},
            traced=sorted(names.intersection(timed.traced)),
            uses=uses | newer.uses,
            failed=sorted({*newer.failed, *(stays & {*self.failed})}),
            due=sorted(stays & due),
            skipped=sorted({*newer.skipped, *(stays & {*self.skipped})}),
        )

    def timed(self, seconds: dict[str, list[float]], traced: Collection[str] = ()) -> Record:
        """Return this record with further durations; those under a tracer count if no other do."""
        known = {name: [*found] for name, found in self.seconds.items()}
        slow = {*self.traced}
        for name, found in seconds.items():
            if name in slow and name not in traced:
                slow.remove(name)
                known[name] = found
            elif name not in known or name in slow or name not in traced:
                slow |= {name} & {*traced}
                known[name] = [*known.get(name, ()), *found][-RUNS:]
        return replace(self, seconds=known, traced=sorted(slow))

    def _joined(self, newer: Record, root: Path, old: set[str]) -> Suite:
        """Merge two records: all rows of `newer`, and the rows `old` of this one, lines updated."""
        recorder = Recorder()
        recorder.add_suite(newer.rows)
        for name in old:
            recorder.test(name)
        changes = changes_since(root, self.revision, self.dirty)
        for name, path, lines in self.rows.runs(old):
            now = moved(lines, changes.get(path, ()))
            recorder.add(name, path, now[now >= 0])
        return recorder.suite()

    def save(self, path: Path) -> None:
        """Write the record; if writing fails, an earlier file stays as it was."""
        about = {name: value for name, value in vars(self).items() if name in _ABOUT}
        about |= {"version": VERSION, "tests": self.rows.tests, "files": self.rows.files}
        arrays = {name: getattr(self.rows, name) for name in _ARRAYS}
        text = np.frombuffer(json.dumps(about).encode(), np.uint8)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            with part.open("wb") as file:
                np.savez_compressed(file, about=text, **arrays)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: Path) -> Record:
        """Read a record.

        Raises
        ------
        FileFormatError
            The file is no record, or one of another version.
        """
        try:
            with open_file(path) as file, np.load(file, allow_pickle=False) as data:
                about = json.loads(data["about"].tobytes())
                arrays = {name: data[name] for name in _ARRAYS}
            if about.pop("version") != VERSION:
                raise ValueError("a record of another version")
            rows = Suite(tests=tuple(about.pop("tests")), files=tuple(about.pop("files")), **arrays)
            return cls(rows=rows, **about)
        except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise FileFormatError(
                f"expected what pytest --maxcover-record writes in {path.name!r}, got {error}"
            ) from error


def add_cached(recorder: Recorder, opened: Iterable[Opened], root: Path) -> None:
    """Record which tests depend on which files: those that opened them, or had what others opened.

    `opened` are names of tests or fixtures, files, and the functions on the stack. A function in
    which only one file was opened stands for that file: who runs such a function later may get what
    it kept.
    """
    files_of: defaultdict[tuple[str, int, int], set[str]] = defaultdict(set)
    for name, file, stack in opened:
        if name:
            recorder.add(name, file, [0])
        for function in stack:
            files_of[function].add(file)
    rows = recorder.suite()
    for (path, first, last), files in files_of.items():
        if len(files) > 1 or path not in rows.files:
            continue
        is_here = rows.file_of == rows.files.index(path)
        if last:
            is_here &= (rows.line_of >= first) & (rows.line_of <= last)
        elif not is_here.any():
            is_here = np.isin(rows.file_of, [*importers(rows, root, path)])
        for k in rows.running(is_here):
            recorder.add(rows.tests[k], min(files), [0])


# Fields that are written as JSON; the rows are written as arrays.
_ABOUT = {*Record.__dataclass_fields__} - {"rows"}


def is_test_file(path: str) -> bool:
    """Tell by name and folders whether a file holds tests or helpers of tests.

    Examples
    --------
    >>> [is_test_file(path) for path in ("src/a.py", "tests/util.py", "a/test_b.py")]
    [False, True, True]
    """
    *folders, name = PurePosixPath(path).parts
    by_name = any(fnmatch(name, pattern) for pattern in ("test_*.py", "*_test.py", "conftest.py"))
    return by_name or bool({"tests", "test"} & {*folders})
