"""What fuzzers and LLVM record: merge control files, AFL traces, ``.sancov``, ``llvm-cov export``.

Each of these files but the first is about one test or input, which is called as the file is.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.errors import FileFormatError
from maxcover.suites.mutants import read_stryker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from maxcover.suites.suite import Recorder

# The first eight bytes of a .sancov file say how many bytes its addresses have.
SANCOV = {0xC0BFFFFFFFFFFF64: 8, 0xC0BFFFFFFFFFFF32: 4}
# AFL counts hits up to 255.
_HITS = 256


def read_control(path: Path, recorder: Recorder) -> None:
    """Read a control file of libFuzzer's ``-set_cover_merge=1 -merge_control_file=FILE``.

    It has the number of inputs, how many of them are in the first folder, their names, and then
    ``FT input features...`` for each one that did not crash. Plain ``-merge=1`` writes only
    features that no earlier input has; such a file is refused.
    """
    lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    try:
        size = int(lines[0])
        names = lines[2 : 2 + size]
        for name in names:
            recorder.test(name)
        total, seen = 0, []
        for line in lines[2 + size :]:
            kind, _, rest = line.partition(" ")
            if kind == "FT":
                number, _, features = rest.partition(" ")
                found = np.array(features.split(), dtype=np.int64)
                recorder.add_keys(names[int(number)], "features", found)
                total += found.size
                seen.append(found)
    except (ValueError, IndexError, OverflowError) as error:
        raise FileFormatError(
            f"expected a merge control file of libFuzzer in {path.name!r}, got one that ends or "
            f"differs where that was not expected: {error}"
        ) from error
    if len(seen) > 1 and total == np.unique(np.concatenate(seen)).size:
        raise FileFormatError(
            f"expected all features of every input in {path.name!r}, got only new ones, as "
            "-merge=1 writes them; run the target with -set_cover_merge=1 instead"
        )


def read_trace(path: Path, recorder: Recorder) -> None:
    """Read what ``afl-showmap`` wrote of an input: lines ``tuple`` or ``tuple:hits``.

    ``AFL_KEEP_TRACES=1 afl-cmin`` keeps one such file for each input. With hits, a tuple that is
    hit more often is another element.
    """
    data = path.read_bytes()
    try:
        numbers = np.array(data.replace(b":", b" ").split(), dtype=np.int64)
        if b":" in data:
            pairs = numbers.reshape(-1, 2)
            numbers = pairs[:, 0] * _HITS + pairs[:, 1]
    except (ValueError, OverflowError):
        raise FileFormatError(
            f"expected lines tuple:hits of afl-showmap in {path.name!r}, got others"
        ) from None
    recorder.add_keys(path.name, "tuples", numbers)


def read_sancov(path: Path, recorder: Recorder) -> None:
    """Read addresses that SanitizerCoverage wrote of a test."""
    data = path.read_bytes()
    width = SANCOV[int.from_bytes(data[:8], "little")]
    found = np.frombuffer(data[8 : len(data) - len(data) % width], dtype=f"<u{width}")
    recorder.add_keys(path.stem, "addresses", found.astype(np.int64))


def read_llvm(path: Path, recorder: Recorder) -> None:
    """Read ``llvm-cov export`` of the profile of a test: the lines that ran, by file."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if "schemaVersion" in found:
            read_stryker(path, found, recorder)
            return
        files = [file for part in found["data"] for file in part["files"]]
        recorder.test(path.stem)
        for file in files:
            recorder.add(path.stem, file["filename"], sorted({*_lines(file["segments"])}))
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise FileFormatError(
            f"expected what llvm-cov export writes in {path.name!r}, got {type(error).__name__}: "
            f"{error}"
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


def reader_of(head: bytes) -> Callable[[Path, Recorder], None] | None:
    """Return the reader of a file that begins so; None if it is none of these."""
    if int.from_bytes(head[:8], "little") in SANCOV:
        return read_sancov
    if head[:1] == b"{":
        return read_llvm
    lines = head.replace(b":", b"").split(b"\n")
    if not lines[0].isdigit():
        return None
    # the third line of a control file is the path of an input
    return read_trace if len(lines) < 3 or not lines[2] or lines[2].isdigit() else read_control
