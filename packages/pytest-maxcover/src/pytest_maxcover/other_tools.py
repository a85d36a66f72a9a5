"""Other tools: what fuzzers record of an input: merge control files of libFuzzer, traces of AFL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.errors import FileFormatError
from maxcover.ground.files.opening import open_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_maxcover.suite import Recorder

# AFL counts hits up to 255, so ``tuple * _HITS + hits`` is different for each pair.
_HITS = 256


def reader_of(head: bytes) -> Callable[[Path, Recorder], None] | None:
    """Return the function that reads files with these first bytes; None for unknown formats."""
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
