"""Record: the file of ``pytest --maxcover-record``: lines, durations and fixtures of tests."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.validation import csr_from_edges
from maxcover.errors import FileFormatError, OptionError
from maxcover.ground.files.opening import open_file
from maxcover.suites.amounts import STEP, counted
from maxcover.suites.changes import hunks, moved, touched
from maxcover.suites.suite import Recorder, Shared, Suite

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from maxcover.ground.array_types import Mask

VERSION = 1
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
    failed : list of str
        Tests that failed when they were last recorded.
    revision : str
        The git revision of the recorded lines; empty without git.
    dirty : list of str
        Files that differed from that revision.
    outside : float
        Seconds from pytest's start to the first test.
    """

    rows: Suite
    seconds: dict[str, list[float]]
    uses: dict[str, list[str]]
    failed: list[str] = field(default_factory=list)
    revision: str = ""
    dirty: list[str] = field(default_factory=list)
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
        """Mask of the lines that count: all lines that are not in a test file."""
        holding = {name.partition("::")[0] for name in self.tests}
        counts = [path not in holding and not is_test_file(path) for path in self.rows.files]
        return np.array(counts, dtype=bool)[self.rows.file_of]

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

    def touched_tests(self, root: Path, revision: str) -> list[str]:
        """Return the tests that run a line touched by the change since `revision`."""
        rows = self.rows
        lines = touched(replace(rows, revision=self.revision), root, revision)
        # In files that differed from the recorded revision, line numbers do not match it: every
        # line counts as touched.
        lines |= np.isin(rows.file_of, [k for k, f in enumerate(rows.files) if f in self.dirty])
        is_hit = np.isin(rows.indices, rows.block_of[lines])
        owners = np.repeat(np.arange(len(rows.tests)), np.diff(rows.indptr))
        hit = {rows.tests[k] for k in np.unique(owners[is_hit]).tolist()}
        return [t for t in self.tests if not hit.isdisjoint((t, *self.uses.get(t, ())))]

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
        rows = self._joined(newer, root, old) if old else newer.rows
        return replace(
            newer,
            rows=rows,
            seconds={
                name: [*self.seconds.get(name, ()), *newer.seconds.get(name, ())][-RUNS:]
                for name in sorted(old | {*newer.rows.tests})
            },
            uses=uses | newer.uses,
            failed=sorted({*newer.failed, *(stays & {*self.failed})}),
            dirty=sorted({*newer.dirty, *(self.dirty if stays else ())}),
        )

    def _joined(self, newer: Record, root: Path, old: set[str]) -> Suite:
        """Merge two records: all rows of `newer`, and the rows `old` of this one, lines updated."""
        try:
            changes = hunks(root, self.revision) if self.revision else {}
        except OptionError:
            changes = {}
        recorder = Recorder()
        recorder.add_suite(newer.rows)
        for name in old:
            recorder.test(name)
        for name, path, lines in self.rows.runs(old):
            now = moved(lines, changes.get(path, ()))
            recorder.add(name, path, now[now > 0])
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
