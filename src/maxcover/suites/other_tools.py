"""Other tools: what fuzzers and LLVM record of a test, and which mutants a test kills.

libFuzzer's merge control files, AFL traces, ``.sancov``, ``llvm-cov export``; kill matrices of
Stryker and Cosmic Ray; what mutmut knows of tests. A trace, a ``.sancov`` and an export are about
one test or input each, which is called as the file is.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.errors import FileFormatError
from maxcover.files.opening import open_file

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from maxcover.suites.suite import Recorder

# The first eight bytes of a .sancov file say how many bytes its addresses have.
SANCOV = {0xC0BFFFFFFFFFFF64: 8, 0xC0BFFFFFFFFFFF32: 4}
# AFL counts hits up to 255.
_HITS = 256
# What pytest writes of a test that failed, with or without its reason.
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$", re.MULTILINE)


def reader_of(head: bytes) -> Callable[[Path, Recorder], None] | None:
    """Return the reader of a file that begins so; None if it is none of these."""
    if int.from_bytes(head[:8], "little") in SANCOV:
        return _read_sancov
    if head[:1] == b"{":
        return _read_json
    lines = head.replace(b":", b"").split(b"\n")
    if not lines[0].isdigit():
        return None
    # the third line of a control file is the path of an input
    return _read_trace if len(lines) < 3 or not lines[2] or lines[2].isdigit() else _read_control


def _bytes_of(path: Path) -> bytes:
    with open_file(path) as file:
        return file.read()


def _read_control(path: Path, recorder: Recorder) -> None:
    """Read a control file of libFuzzer's ``-set_cover_merge=1 -merge_control_file=FILE``.

    It has the number of inputs, how many of them are in the first folder, their names, and then
    ``FT input features...`` for each one that did not crash. Plain ``-merge=1`` writes only
    features that no earlier input has; such a file is refused.
    """
    lines = _bytes_of(path).decode("utf-8", "surrogateescape").splitlines()
    try:
        size = int(lines[0])
        names = lines[2 : 2 + size]
        for name in names:
            recorder.test(name)
        read = []
        for line in lines[2 + size :]:
            kind, _, rest = line.partition(" ")
            if kind == "FT":
                number, _, features = rest.partition(" ")
                read.append(np.array(features.split(), dtype=np.int64))
                recorder.add(names[int(number)], "features", read[-1])
    except (ValueError, IndexError, OverflowError) as error:
        raise FileFormatError(
            f"expected a merge control file of libFuzzer in {path.name!r}, got one that ends or "
            f"differs where that was not expected: {error}"
        ) from error
    every = np.concatenate([np.zeros(0, np.int64), *read])
    if len(read) > 1 and every.size == np.unique(every).size:
        raise FileFormatError(
            f"expected all features of every input in {path.name!r}, got only new ones, as "
            "-merge=1 writes them; run the target with -set_cover_merge=1 instead"
        )


def _read_trace(path: Path, recorder: Recorder) -> None:
    """Read what ``afl-showmap`` wrote of an input: lines ``tuple`` or ``tuple:hits``.

    ``AFL_KEEP_TRACES=1 afl-cmin`` keeps one such file for each input. With hits, a tuple that is
    hit more often is another element.
    """
    data = _bytes_of(path)
    try:
        numbers = np.array(data.replace(b":", b" ").split(), dtype=np.int64)
        if b":" in data:
            numbers = numbers.reshape(-1, 2) @ np.array([_HITS, 1])
    except (ValueError, OverflowError):
        raise FileFormatError(
            f"expected lines tuple:hits of afl-showmap in {path.name!r}, got others"
        ) from None
    recorder.add(path.name, "tuples", numbers)


def _read_sancov(path: Path, recorder: Recorder) -> None:
    """Read addresses that SanitizerCoverage wrote of a test."""
    data = _bytes_of(path)
    width = SANCOV[int.from_bytes(data[:8], "little")]
    addresses = np.frombuffer(data[8 : len(data) - len(data) % width], dtype=f"<u{width}")
    recorder.add(path.stem, "addresses", addresses.astype(np.int64))


def _read_json(path: Path, recorder: Recorder) -> None:
    """Read a mutation testing report, what mutmut knows of tests, or ``llvm-cov export``."""
    try:
        report: dict[str, Any] = json.loads(_bytes_of(path))
        if "schemaVersion" in report:
            _read_stryker(report, recorder)
        elif "tests_by_mangled_function_name" in report:
            for name, tests in sorted(report["tests_by_mangled_function_name"].items()):
                for test in tests:
                    recorder.add(test, name, [1])
        else:
            files = [file for part in report["data"] for file in part["files"]]
            recorder.test(path.stem)
            for file in files:
                recorder.add(path.stem, file["filename"], sorted({*_lines(file["segments"])}))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise FileFormatError(
            f"expected a mutation testing report, mutmut-stats.json or what llvm-cov export writes "
            f"in {path.name!r}, got {type(error).__name__}: {error}"
        ) from error


def _lines(segments: list[list[Any]]) -> Iterator[int]:
    """Return the lines of segments that ran: line, column, count, whether there is a count.

    A segment reaches to the next one, and leaves out its line if that begins there.

    Examples
    --------
    >>> [*_lines([[1, 5, 2, True], [3, 1, 0, True], [5, 2, 0, False]])]
    [1, 2]
    """
    for here, after in zip(segments, [*segments[1:], [segments[-1][0] + 1, 1]], strict=True):
        if here[2] and here[3]:
            yield from range(here[0], max(after[0] + (after[1] > 1), here[0] + 1))


def _read_stryker(report: dict[str, Any], recorder: Recorder) -> None:
    """Read a mutation testing report in the schema that Stryker's tools share, version 2.

    ``killedBy`` names the tests that kill a mutant; run the tool so that it does not stop at the
    first one (``disableBail``).
    """
    named = {
        test["id"]: f"{file}::{test['name']}"
        for file, part in report.get("testFiles", {}).items()
        for test in part["tests"]
    }
    for test in named.values():
        recorder.test(test)
    for file, part in report["files"].items():
        for k, mutant in enumerate(part["mutants"]):
            for test in mutant.get("killedBy", ()):
                recorder.add(named.get(test, test), file, [k])


def read_cosmic_ray(data: sqlite3.Connection, recorder: Recorder) -> None:
    """Read a session of Cosmic Ray: the tests that pytest's summary names as failed.

    The test command must not stop at the first failure: ``pytest -q -rfE`` without ``-x``.
    """
    rows = data.execute(
        "select module_path, output from mutation_specs join work_results using (job_id) "
        "where lower(test_outcome) like '%killed' order by module_path, job_id"
    )
    for k, (module, output) in enumerate(rows):
        for test in sorted({*_FAILED.findall(output or "")}):
            recorder.add(test, str(module), [k])
