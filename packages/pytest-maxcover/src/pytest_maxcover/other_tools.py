"""Other tools: what fuzzers and LLVM record of a test, and which mutants a test kills.

The formats are libFuzzer's merge control files, AFL traces, ``.sancov`` and ``llvm-cov export``;
kill matrices of Stryker and Cosmic Ray; and the statistics of mutmut. A trace, a ``.sancov`` and an
export belong to one test or input each, which gets the name of the file.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.errors import FileFormatError
from maxcover.ground.files.opening import open_file

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_maxcover.suite import Recorder

# Bytes per address of a .sancov file, by the number in its first eight bytes.
SANCOV = {0xC0BFFFFFFFFFFF64: 8, 0xC0BFFFFFFFFFFF32: 4}
# AFL counts hits up to 255, so ``tuple * _HITS + hits`` is different for each pair.
_HITS = 256
# A line of pytest's summary that names a failed test, with or without the reason.
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$", re.MULTILINE)


def reader_of(head: bytes) -> Callable[[Path, Recorder], None] | None:
    """Return the function that reads files with these first bytes; None for unknown formats."""
    if int.from_bytes(head[:8], "little") in SANCOV:
        return _read_sancov
    if head[:1] == b"{":
        return _read_json
    lines = head.replace(b":", b"").split(b"\n")
    if not lines[0].isdigit():
        return None
    # The third line is the path of an input in a control file, and a number in a trace.
    return _read_trace if len(lines) < 3 or not lines[2] or lines[2].isdigit() else _read_control


def _bytes_of(path: Path) -> bytes:
    with open_file(path) as file:
        return file.read()


def _read_control(path: Path, recorder: Recorder) -> None:
    """Read a control file of libFuzzer's ``-set_cover_merge=1 -merge_control_file=FILE``.

    The file has the number of inputs, how many of them are in the first folder, their names, and
    then ``FT input features...`` for each input that did not crash. Plain ``-merge=1`` writes only
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
    """Read a trace of ``afl-showmap`` for one input: lines ``tuple`` or ``tuple:hits``.

    ``AFL_KEEP_TRACES=1 afl-cmin`` keeps one trace for each input. With hits, each pair of tuple and
    hit count is an element of its own.
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
    """Read the addresses that SanitizerCoverage wrote for one test."""
    data = _bytes_of(path)
    width = SANCOV[int.from_bytes(data[:8], "little")]
    addresses = np.frombuffer(data[8 : len(data) - len(data) % width], dtype=f"<u{width}")
    recorder.add(path.stem, "addresses", addresses.astype(np.int64))


def _read_json(path: Path, recorder: Recorder) -> None:
    """Read a mutation testing report, mutmut-stats.json, or the output of ``llvm-cov export``."""
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
    """Yield the lines of segments that ran; a segment is [line, column, count, has count].

    A segment reaches to the next one. The line of the next one is left out if that one begins at
    column 1.

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

    ``killedBy`` names the tests that kill a mutant. The tool must not stop at the first of them
    (``disableBail``).
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
    """Read a session of Cosmic Ray: for each killed mutant, the tests that pytest says failed.

    The test command must not stop at the first failure: ``pytest -q -rfE`` without ``-x``.
    """
    rows = data.execute(
        "select module_path, output from mutation_specs join work_results using (job_id) "
        "where lower(test_outcome) like '%killed' order by module_path, job_id"
    )
    for k, (module, output) in enumerate(rows):
        for test in sorted({*_FAILED.findall(output or "")}):
            recorder.add(test, str(module), [k])
