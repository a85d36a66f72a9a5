"""Record: what ``pytest --maxcover-record`` writes: lines, durations and fixtures of tests."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from maxcover.errors import FileFormatError, OptionError
from maxcover.suites.durations import STEP, Durations, counted
from maxcover.suites.suite import Recorder, Suite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from maxcover.suites.shared import Shared

VERSION = 1
# Seconds from which the set-up of a fixture decides which tests run one after the other.
NOTABLE = 0.01
# Runs of a test whose durations are kept; their median counts.
RUNS = 5
_ABOUT = ("seconds", "uses", "failed", "revision", "dirty", "outside")
_ARRAYS = ("file_of", "line_of", "block_of", "indptr", "indices")


class Noted(TypedDict, total=False):
    """What one run noted of a test, or of a fixture that tests share."""

    seconds: float
    setups: int
    lines: dict[str, bytes]
    uses: list[str]


@dataclass(frozen=True, eq=False, kw_only=True)
class Record:
    """Lines, durations and shared fixtures of the tests of a project.

    Attributes
    ----------
    rows : Suite
        The lines that each test runs itself, those of test files too. A fixture that several tests
        share has a row of its own.
    seconds : dict of str to list of float
        What each test, and each set-up of a shared fixture, took in the last runs.
    uses : dict of str to list of str
        The shared fixtures of each test that has any.
    failed : list of str
        Tests that failed when they were last recorded.
    revision : str
        The git revision of the recorded lines; empty without git.
    dirty : list of str
        Files that differed from it.
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

    @classmethod
    def of_run(
        cls,
        root: Path,
        tests: Mapping[str, Noted],
        fixtures: Mapping[str, Noted],
        *,
        failed: list[str],
        outside: float,
    ) -> Record:
        """Make a record of what one run noted."""
        from maxcover.suites.changes import state_of

        recorder = Recorder()
        for name, noted in (*tests.items(), *fixtures.items()):
            recorder.test(name)
            for path, lines in noted["lines"].items():
                recorder.add(name, path, np.frombuffer(lines, dtype=np.int32))
        seconds = {name: [round(noted["seconds"], 6)] for name, noted in tests.items()}
        seconds |= {
            name: [round(noted["seconds"] / max(noted["setups"], 1), 6)]
            for name, noted in fixtures.items()
        }
        revision, dirty = state_of(root)
        return cls(
            rows=recorder.suite(),
            seconds=seconds,
            uses={name: noted["uses"] for name, noted in tests.items() if noted["uses"]},
            failed=failed,
            revision=revision,
            dirty=dirty,
            outside=outside,
        )

    @cached_property
    def fixtures(self) -> list[str]:
        """Names of the shared fixtures, in order."""
        return sorted({name for names in self.uses.values() for name in names})

    @cached_property
    def tests(self) -> list[str]:
        """Node ids of the tests, in order."""
        shared = {*self.fixtures}
        return [name for name in self.rows.tests if name not in shared]

    def is_counted(self) -> NDArray[np.bool_]:
        """Return which lines count: those that are in no test file."""
        holding = {name.partition("::")[0] for name in self.tests}
        counts = [path not in holding and not is_test_file(path) for path in self.rows.files]
        return np.array(counts, dtype=bool)[self.rows.file_of]

    def shared(self, names: Sequence[str] | None = None) -> tuple[Shared, list[list[int]]]:
        """Return the fixtures that cost something, and tests to run one after the other for one."""
        # it brings the solvers, which recording does not need
        from maxcover.suites.shared import Shared

        users: dict[str, list[int]] = {name: [] for name in self.fixtures}
        for k, test in enumerate(self.tests if names is None else names):
            for name in self.uses.get(test, ()):
                users[name].append(k)
        costs = {name: float(np.median(self.seconds[name])) for name in users if users[name]}
        paid = [name for name, cost in costs.items() if cost >= STEP]
        # the name begins with the node of the scope, which is empty for a session
        local = [name for name in paid if costs[name] >= NOTABLE and name[0] != "|"]
        return (
            Shared(
                costs=counted(np.array([costs[name] for name in paid])),
                users=[users[name] for name in paid],
            ),
            [users[name] for name in local],
        )

    def suite(self, names: Sequence[str] | None = None) -> Suite:
        """Return the suite to choose from: the lines of fixtures belong to every test with them."""
        names = self.tests if names is None else names
        rows = self.rows
        place = {name: k for k, name in enumerate(rows.tests)}
        is_kept = self.is_counted()
        blocks, block_of = np.unique(rows.block_of[is_kept], return_inverse=True)
        number = np.full(rows.n_blocks, -1, dtype=np.int32)
        number[blocks] = np.arange(blocks.size)
        found = []
        for test in names:
            parts = [
                rows.indices[slice(*rows.indptr[place[name] :][:2])]
                for name in (test, *self.uses.get(test, ()))
            ]
            row = np.unique(number[np.concatenate(parts)])
            found.append(row[row >= 0])
        return replace(
            rows,
            tests=tuple(names),
            file_of=rows.file_of[is_kept],
            line_of=rows.line_of[is_kept],
            block_of=block_of.astype(np.int32),
            indptr=np.concatenate(([0], np.cumsum([row.size for row in found]))).astype(np.int64),
            indices=np.concatenate([*found, np.zeros(0, np.int32)]).astype(np.int32),
        )

    def durations(self, names: Sequence[str] | None = None) -> Durations:
        """Return the median of what each test took, without its shared fixtures."""
        names = self.tests if names is None else names
        medians = [float(np.median(self.seconds[test])) for test in names]
        return Durations(seconds=counted(np.array(medians)), outside=self.outside)

    def touched_tests(self, root: Path, revision: str) -> list[str]:
        """Return the tests that run a line that was touched since a revision."""
        from maxcover.suites.changes import touched

        rows = self.rows
        lines = touched(rows, root, revision, self.revision)
        # line numbers of files that differed from the revision are not those of the revision
        lines |= np.isin(rows.file_of, [k for k, f in enumerate(rows.files) if f in self.dirty])
        blocks = np.zeros(rows.n_blocks, dtype=bool)
        blocks[rows.block_of[lines]] = True
        hits = np.concatenate(([0], np.cumsum(blocks[rows.indices])))
        runs = dict(zip(rows.tests, np.diff(hits[rows.indptr]) > 0, strict=True))
        return [
            test
            for test in self.tests
            if runs[test] or any(runs[name] for name in self.uses.get(test, ()))
        ]

    def updated(self, newer: Record, root: Path, collected: set[str]) -> Record:
        """Return this record with what a later run noted in the place of what it replaces.

        Tests that the later run did not run stay, with their lines where they are now, unless
        their file has lost them.
        """
        from maxcover.suites.changes import hunks, moved

        files = {test.partition("::")[0] for test in collected}
        stays = {
            test
            for test in {*self.tests} - {*newer.tests}
            if test in collected
            or ((file := test.partition("::")[0]) not in files and (root / file).exists())
        }
        used = {name for test in stays for name in self.uses.get(test, ())} - {*newer.fixtures}
        try:
            changes = hunks(root, self.revision) if self.revision else {}
        except OptionError:
            changes = {}
        recorder = Recorder()
        for rows, names in ((self.rows, stays | used), (newer.rows, {*newer.rows.tests})):
            for name, path, lines in rows.runs(names):
                is_old = rows is self.rows and path in changes
                now = moved(lines, changes[path]) if is_old else lines
                recorder.add(name, path, now[now > 0])
            for name in names:
                recorder.test(name)
        names = stays | used | {*newer.rows.tests}
        return replace(
            newer,
            rows=recorder.suite(),
            seconds={
                name: [*self.seconds.get(name, ()), *newer.seconds.get(name, ())][-RUNS:]
                for name in sorted(names)
            },
            uses={t: f for t, f in self.uses.items() if t in stays} | newer.uses,
            failed=sorted({*newer.failed, *(stays & {*self.failed})}),
            dirty=sorted({*newer.dirty, *(self.dirty if stays else ())}),
        )

    def save(self, path: Path) -> None:
        """Write the record; the file is whole or what it was before."""
        about = {name: value for name, value in vars(self).items() if name in _ABOUT}
        text = json.dumps({"version": VERSION, **about, "tests": self.rows.tests,
                           "files": self.rows.files})  # fmt: skip
        arrays = {name: getattr(self.rows, name) for name in _ARRAYS}
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            with part.open("wb") as file:
                about_bytes = np.frombuffer(text.encode(), np.uint8)
                np.savez_compressed(file, about=about_bytes, **arrays)
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
            with np.load(path, allow_pickle=False) as file:
                about = json.loads(file["about"].tobytes())
                arrays = {name: file[name] for name in _ARRAYS}
            if about.pop("version") != VERSION:
                raise ValueError("a record of another version")
            rows = Suite(tests=tuple(about.pop("tests")), files=tuple(about.pop("files")), **arrays)
            record = cls(rows=rows, **about)
        except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise FileFormatError(
                f"expected what pytest --maxcover-record writes in {path.name!r}, got {error}"
            ) from error
        return record


def write(record: Record, path: Path, collected: set[str]) -> str:
    """Write a record over an earlier one, and say what it holds."""
    if path.exists():
        record = Record.load(path).updated(record, path.parent, collected)
    record.save(path)
    counted_lines = int(record.is_counted().sum())
    said = f"{len(record.tests):,} tests that run {counted_lines:,} lines are in {path.name}"
    if not counted_lines:
        said += (
            "; no line outside of test files was run in this process: name the installed package "
            "with --maxcover-source; subprocesses are not recorded"
        )
    return said


def is_test_file(path: str) -> bool:
    """Return whether a file holds tests or what they need, by its name and folders.

    Examples
    --------
    >>> [is_test_file(path) for path in ("src/a.py", "tests/util.py", "a/test_b.py")]
    [False, True, True]
    """
    *folders, name = PurePosixPath(path).parts
    by_name = any(fnmatch(name, pattern) for pattern in ("test_*.py", "*_test.py", "conftest.py"))
    return by_name or bool({"tests", "test"} & {*folders})
