"""Reading recorded coverage: data of coverage.py, lcov traces, tables, files of other tools."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from maxcover.errors import FileFormatError
from maxcover.ground.files.opening import open_file
from pytest_maxcover.other_tools import reader_of
from pytest_maxcover.record import Record
from pytest_maxcover.suite import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from maxcover.ground.array_types import Int32s
    from pytest_maxcover.suite import Suite

# Number of database rows that are read and unpacked at a time.
_ROWS = 10_000
# A recording that holds only the first test of each line (per process) is refused. In it, many
# lines have the same number of tests, the maximum over all lines, although far more tests ran. It
# is refused if at least _SHARE_WITH_MOST of the lines have the maximum, and at least
# _TESTS_PER_PROCESS times the maximum ran. Chosen on the 909 tests of jinja2: in a full recording
# 0.04 % of the lines have the maximum; with only the first test in each of 1 to 16 processes, 17 to
# 100 % have it.
_SHARE_WITH_MOST = 0.1
_TESTS_PER_PROCESS = 20
_PHASES = ("setup", "run", "teardown")


def read_suite(paths: Iterable[Path]) -> Suite:
    """Read recorded coverage; several files, also of different formats, are combined.

    A single record of ``pytest --maxcover-record`` also gives the costs of its tests.

    Parameters
    ----------
    paths : iterable of path
        Records of ``pytest --maxcover-record``; data files of coverage.py, recorded with contexts
        (``pytest --cov --cov-context=test``); lcov traces with test names (``TN:``); tables
        ``.csv`` or ``.tsv`` with the columns test, file and line, into which any other recording
        can be turned; merge control files of libFuzzer; traces of ``afl-showmap``, with one file
        for each input, which gets the name of the file.

        A directory stands for the files in it, or in its ``.traces``, where afl-cmin keeps them. A
        path that does not exist stands for the parallel files of coverage.py beside it, such as
        ``.coverage.*`` for ``.coverage``; so does a directory that has such files.

    Raises
    ------
    FileFormatError
        A file has none of these formats, or names no test, or has only the first test of each line.
    """
    recorder = Recorder()
    is_traced = False
    files = [file for path in paths for file in _files(Path(path))]
    if len(files) == 1 and _head(files[0]).startswith(b"PK"):
        return Record.load(files[0]).suite()
    for file in files:
        is_traced |= _read(file, recorder)
    suite = recorder.suite()
    if not suite.tests:
        raise FileFormatError(
            "expected coverage that says which test ran which line, got none; record it with "
            "pytest --maxcover-record, or lcov --test-name"
        )
    if is_traced:
        _check_all_tests(suite)
    return suite


def _check_all_tests(suite: Suite) -> None:
    """Raise `FileFormatError` if coverage.py recorded only the first test of each line."""
    tests = np.bincount(suite.indices, minlength=suite.n_blocks)[suite.block_of]
    most = int(tests.max(initial=1))
    is_capped = tests.size and float((tests == most).mean()) >= _SHARE_WITH_MOST
    if is_capped and len(suite.tests) >= _TESTS_PER_PROCESS * most:
        raise FileFormatError(
            "expected every test of each line, got only the first one of each process: Python's "
            "monitoring under coverage.py before 7.15.3 records no more, which is the default on "
            "Python 3.14; write pytest --maxcover-record, or set COVERAGE_CORE=ctrace"
        )


def _files(path: Path) -> list[Path]:
    """Return the data files that a path stands for."""
    if not path.is_dir():
        files = [path] if path.exists() else sorted(path.parent.glob(f"{path.name}.*"))
    elif (path / ".coverage").exists():
        files = [path / ".coverage"]
    elif not (files := sorted(path.glob(".coverage.*"))):
        inside = path / ".traces" if (path / ".traces").is_dir() else path
        files = sorted(p for p in inside.iterdir() if p.is_file() and p.name[0] != ".")
    if not files:
        raise FileNotFoundError(2, "No such file or directory", str(path))
    return files


def _head(path: Path) -> bytes:
    with open_file(path) as file:
        return file.read(4096)


def _read(path: Path, recorder: Recorder) -> bool:
    """Read a file of any format into `recorder`; return whether coverage.py wrote the file."""
    head = _head(path)
    if head.startswith(b"SQLite format 3\x00"):
        _read_database(path, recorder)
        return True
    if head.startswith(b"PK"):
        recorder.add_suite(Record.load(path).suite())
    elif path.suffix.lower() in (".csv", ".tsv"):
        _read_table(path, recorder)
    elif head[:3] in (b"TN:", b"SF:"):
        _read_lcov(path, recorder)
    elif not head:
        # An input that crashed leaves an empty trace: it is a test that runs no line.
        recorder.test(path.name)
    elif reader := reader_of(head):
        reader(path, recorder)
    else:
        raise FileFormatError(
            f"expected a record of pytest, a data file of coverage.py, an lcov trace, a .csv or "
            f".tsv table, or what libFuzzer or AFL record in {path.name!r}, got another file; "
            "write a table with the columns test, file and line"
        )
    return False


def _read_database(path: Path, recorder: Recorder) -> None:
    """Read the data of coverage.py: lines, or the lines at the ends of arcs, by context.

    The phases of a test (``name|setup``, ``name|run``, ``name|teardown``) are joined. Lines that
    ran outside of any test are left out: no selection changes them.
    """
    try:
        with closing(sqlite3.connect(f"file:{path.as_posix()}?mode=ro", uri=True)) as data:
            contexts = data.execute("select id, context from context where context != ''")
            tests = {number: _test_of(context) for number, context in contexts}
            files = dict(data.execute("select id, path from file"))
            for test in tests.values():
                recorder.test(test)
            for rows in (_rows_of_bits(data), _rows_of_arcs(data)):
                for pairs, sizes, lines in rows:
                    named = [(tests[context], files[file]) for context, file in pairs]
                    recorder.add_many(named, sizes, lines)
    except (sqlite3.DatabaseError, KeyError, ValueError) as error:
        raise FileFormatError(
            f"expected a data file of coverage.py in {path.name!r}, got {type(error).__name__}: "
            f"{error}; it may be damaged or of another version"
        ) from error


def _test_of(context: str) -> str:
    """Return the test name in a coverage context, without the phase ("|setup" and so on)."""
    name, bar, phase = context.rpartition("|")
    return name if bar and phase in _PHASES else context


_Rows = tuple[list[tuple[int, int]], list[int], "Int32s"]


def _rows_of_bits(data: sqlite3.Connection) -> Iterator[_Rows]:
    """Yield (context, file) pairs, the number of lines of each pair, and all these lines."""
    bits = data.execute(
        "select context_id, file_id, numbits from line_bits "
        "where context_id in (select id from context where context != '')"
    )
    while rows := bits.fetchmany(_ROWS):
        yield [row[:2] for row in rows], *_lines_of([blob for _, _, blob in rows])


def _lines_of(blobs: list[bytes]) -> tuple[list[int], Int32s]:
    """Return the number of lines in each bitmap, and all the lines one after the other.

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


def _rows_of_arcs(data: sqlite3.Connection) -> Iterator[_Rows]:
    """Yield what `_rows_of_bits` does, for the lines at both ends of arcs."""
    ends = data.execute(
        "select context_id, file_id, line from (select context_id, file_id, fromno as line from arc"
        " union select context_id, file_id, tono from arc) "
        "where line > 0 and context_id in (select id from context where context != '')"
    )
    while rows := ends.fetchmany(_ROWS):
        yield (
            [row[:2] for row in rows],
            [1] * len(rows),
            np.array([line for *_, line in rows], dtype=np.int32),
        )


def _read_lcov(path: Path, recorder: Recorder) -> None:
    """Read an lcov trace: ``TN`` names the test, ``SF`` the file, ``DA`` a line and its count."""
    test = file = ""
    lines: list[int] = []
    with open_file(path) as raw, TextIOWrapper(raw, "utf-8", "replace") as trace:
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


def _read_table(path: Path, recorder: Recorder) -> None:
    """Read a table with the columns test, file and line, one row per line that a test runs."""
    with open_file(path) as raw, TextIOWrapper(raw, "utf-8", newline="") as table:
        rows = csv.DictReader(table, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        if not {"test", "file", "line"} <= {*(rows.fieldnames or ())}:
            raise FileFormatError(
                f"expected the columns test, file and line in {path.name!r}, got "
                f"{', '.join(rows.fieldnames or ()) or 'none'}"
            )
        pairs, lines = [], []
        for row in rows:
            try:
                lines.append(int(row["line"]))
                pairs.append((row["test"], row["file"]))
            except (TypeError, ValueError):
                raise FileFormatError(
                    f"expected a line number in line {rows.line_num} of {path.name!r}, got "
                    f"{row['line']!r}"
                ) from None
    recorder.add_many(pairs, [1] * len(pairs), np.array(lines, dtype=np.int32))
