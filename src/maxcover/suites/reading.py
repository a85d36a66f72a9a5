"""Recorded coverage: coverage.py's data files, lcov traces, tables, what fuzzers record."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from maxcover.errors import FileFormatError
from maxcover.suites.fuzzing import reader_of
from maxcover.suites.mutants import read_cosmic_ray
from maxcover.suites.record import Record
from maxcover.suites.suite import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from maxcover.suites.suite import Suite

# Rows of bits that are unpacked together.
_ROWS = 10_000
# Where so many tests have hardly a line in common, the others of each line were not recorded: a
# line of jinja2 is run by 143 of 909 tests in the mean.
_TESTS, _FIRST_ONLY = 20, 1.01
_PHASES = ("setup", "run", "teardown")


def read_suite(paths: Iterable[Path]) -> Suite:
    """Read recorded coverage; several files, of whatever kind, add up.

    Parameters
    ----------
    paths : iterable of path
        What ``pytest --maxcover-record`` writes; data files of coverage.py, recorded with contexts
        (``pytest --cov --cov-context=test``); the
        parallel files ``.coverage.*`` beside one that does not exist, or in a directory; lcov
        traces with test names (``TN:``); tables ``.csv`` or ``.tsv`` with the columns test, file
        and line; merge control files of libFuzzer; and, with one file for each test, which is
        called as the file is: traces of ``afl-showmap``, ``.sancov``, and ``llvm-cov export``. A
        directory stands for the files in it, or in its ``.traces``, where afl-cmin keeps them.

    Raises
    ------
    FileFormatError
        A file is none of these, or names no test.
    """
    recorder = Recorder()
    for path in paths:
        for file in _files(Path(path)):
            _read(file, recorder)
    suite = recorder.suite()
    if not suite.tests:
        raise FileFormatError(
            "expected coverage that says which test ran which line, got none; record it with "
            "pytest --maxcover-record, or lcov --test-name"
        )
    return suite


def _files(path: Path) -> list[Path]:
    """Return the data files that a path stands for."""
    if path.is_dir():
        found = [path / ".coverage"] if (path / ".coverage").exists() else []
        found = found or sorted(path.glob(".coverage.*"))
        inside = path / ".traces" if (path / ".traces").is_dir() else path
        found = found or sorted(
            file for file in inside.iterdir() if file.is_file() and file.name[0] != "."
        )
    else:
        found = [path] if path.exists() else sorted(path.parent.glob(f"{path.name}.*"))
    if not found:
        raise FileNotFoundError(2, "No such file or directory", str(path))
    return found


def _read(path: Path, recorder: Recorder) -> None:
    with path.open("rb") as file:
        head = file.read(4096)
    if head.startswith(b"SQLite format 3\x00"):
        read_coverage(path, recorder)
    elif head.startswith(b"PK"):
        suite = Record.load(path).suite()
        for name in suite.tests:
            recorder.test(name)
        for name, source, lines in suite.runs({*suite.tests}):
            recorder.add(name, source, lines)
    elif path.suffix.lower() in (".csv", ".tsv"):
        read_table(path, recorder)
    elif head[:3] in (b"TN:", b"SF:"):
        read_lcov(path, recorder)
    elif not head:
        # what crashed left no trace
        recorder.test(path.name)
    elif reader := reader_of(head):
        reader(path, recorder)
    else:
        raise FileFormatError(
            f"expected a record of pytest, a data file of coverage.py, an lcov trace, a .csv or "
            f".tsv table, or what libFuzzer, AFL or LLVM record in {path.name!r}, got another file"
        )


def read_coverage(path: Path, recorder: Recorder) -> None:
    """Read a data file of coverage.py: lines, or the lines at the ends of arcs, by context.

    The phases of a test (``name|setup``, ``name|run``, ``name|teardown``) belong together. What ran
    outside of any test is left out: no selection changes it.
    """
    try:
        with closing(sqlite3.connect(f"file:{path.as_posix()}?mode=ro", uri=True)) as data:
            if data.execute("select 1 from sqlite_master where name = 'work_results'").fetchone():
                read_cosmic_ray(data, recorder)
                return
            tests = {
                number: _test_of(context)
                for number, context in data.execute("select id, context from context")
            }
            files = dict(data.execute("select id, path from file"))
            for test in filter(None, tests.values()):
                recorder.test(test)
            bits = data.execute("select context_id, file_id, numbits from line_bits")
            seen: dict[int, int] = {}
            n_pairs = 0
            while rows := bits.fetchmany(_ROWS):
                kept = [row for row in rows if tests[row[0]]]
                for _, file, blob in kept:
                    lines = int.from_bytes(blob, "little")
                    n_pairs += lines.bit_count()
                    seen[file] = seen.get(file, 0) | lines
                pairs = [(tests[context], files[file]) for context, file, _ in kept]
                recorder.add_many(pairs, *_lines_of([blob for _, _, blob in kept]))
            arcs = data.execute(
                "select context_id, file_id, line from ("
                "select context_id, file_id, fromno as line from arc union "
                "select context_id, file_id, tono from arc) where line > 0 "
                "order by context_id, file_id"
            )
            ends = np.array(arcs.fetchall(), dtype=np.int32).reshape(-1, 3)
            _add_arcs(ends, tests, files, recorder)
            is_test = np.isin(ends[:, 0], [number for number, test in tests.items() if test])
            n_lines = sum(lines.bit_count() for lines in seen.values())
            n_lines += len(np.unique(ends[is_test, 1:], axis=0))
            n_pairs += int(is_test.sum())
    except (sqlite3.DatabaseError, KeyError, ValueError) as error:
        raise FileFormatError(
            f"expected a data file of coverage.py in {path.name!r}, got {type(error).__name__}: "
            f"{error}; it may be damaged or of another version"
        ) from error
    if len({*tests.values()} - {""}) >= _TESTS and n_lines <= n_pairs <= _FIRST_ONLY * n_lines:
        raise FileFormatError(
            f"expected every test of each line in {path.name!r}, got only the first one: Python's "
            "monitoring under coverage.py before 7.15.3 records no more, which is the default on "
            "Python 3.14; write pytest --maxcover-record, or set COVERAGE_CORE=ctrace"
        )


def _lines_of(blobs: list[bytes]) -> tuple[list[int], NDArray[np.int32]]:
    """Return how many lines each blob of bits holds, and the lines one after the other.

    Examples
    --------
    >>> _lines_of([bytes([0b110]), bytes([0, 1])])
    ([2, 1], array([1, 2, 8], dtype=int32))
    """
    ends = np.cumsum([8 * len(blob) for blob in blobs], dtype=np.int64)
    flags = np.unpackbits(np.frombuffer(b"".join(blobs), np.uint8), bitorder="little")
    places = np.flatnonzero(flags)
    sizes = np.diff(np.searchsorted(places, ends), prepend=0)
    begins = np.concatenate(([0], ends))[:-1]
    return sizes.tolist(), (places - np.repeat(begins, sizes)).astype(np.int32)


def _add_arcs(
    rows: NDArray[np.int32], tests: dict[int, str], files: dict[int, str], recorder: Recorder
) -> None:
    """Add sorted rows of context, file and line."""
    changes = np.flatnonzero((np.diff(rows[:, :2], axis=0) != 0).any(axis=1)) + 1
    for part in np.split(rows, changes) if len(rows) else []:
        context, file = (int(number) for number in part[0, :2])
        if tests[context]:
            recorder.add(tests[context], files[file], part[:, 2])


def _test_of(context: str) -> str:
    """Return the test of a context, without its phase; empty outside of any test."""
    name, bar, phase = context.rpartition("|")
    return name if bar and phase in _PHASES else context


def read_lcov(path: Path, recorder: Recorder) -> None:
    """Read an lcov trace: ``TN`` names the test, ``SF`` the file, ``DA`` a line and its count."""
    test = file = ""
    lines: list[int] = []
    with path.open(encoding="utf-8", errors="replace") as trace:
        for text in trace:
            kind, _, rest = text.strip().partition(":")
            if kind == "TN":
                test = rest.partition(",")[0]
            elif kind == "SF":
                file, lines = rest, []
            elif kind == "DA":
                number, _, count = rest.partition(",")
                if count.partition(",")[0] not in ("0", ""):
                    lines.append(int(number))
            elif kind == "end_of_record" and test:
                recorder.add(test, file, lines)


def read_table(path: Path, recorder: Recorder) -> None:
    """Read a table with the columns test, file and line, one row per line that a test runs."""
    with path.open(encoding="utf-8", newline="") as table:
        rows = csv.DictReader(table, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        if not {"test", "file", "line"} <= set(rows.fieldnames or ()):
            raise FileFormatError(
                f"expected the columns test, file and line in {path.name!r}, got "
                f"{', '.join(rows.fieldnames or ()) or 'none'}"
            )
        runs: dict[tuple[str, str], list[int]] = {}
        for row in rows:
            try:
                runs.setdefault((row["test"], row["file"]), []).append(int(row["line"]))
            except (TypeError, ValueError):
                raise FileFormatError(
                    f"expected a line number in line {rows.line_num} of {path.name!r}, got "
                    f"{row['line']!r}"
                ) from None
    for (test, file), lines in runs.items():
        recorder.add(test, file, lines)
