"""Fuzz corpus: a suite whose tests are files, which have bytes and can be copied."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import numpy as np

from maxcover.errors import OptionError
from maxcover.suites.durations import read_durations
from maxcover.suites.reading import read_suite

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from maxcover.suites.suite import Suite

    Floats = NDArray[np.float64]


def read_corpus(paths: Iterable[Path]) -> Suite:
    """Read what the inputs of a fuzzer cover; see `read_suite` for the kinds of files."""
    return replace(read_suite(paths), called=("files", "features"))


def read_costs(
    corpus: Suite, names: Iterable[str], *, inputs: Path | None = None, times: Iterable[Path] = ()
) -> dict[str, Floats]:
    """Return what each file of a corpus costs, by names: "bytes", "files", "seconds".

    Parameters
    ----------
    corpus : Suite
    names : iterable of str
    inputs : path, optional
        The folder of the files, if they are not where the recording says.
    times : iterable of path
        What `read_durations` reads; needed for seconds.
    """
    times = list(times)
    found: dict[str, Floats] = {}
    for name in names:
        if name == "bytes":
            # an empty file is not free
            sizes = [max(1, path.stat().st_size) for path in paths_of(corpus.tests, inputs)]
            found[name] = np.array(sizes, dtype=np.float64)
        elif name == "files":
            found[name] = np.ones(len(corpus.tests))
        elif times:
            found[name] = read_durations(times, corpus.tests).seconds
        else:
            raise OptionError(
                "expected --times with the seconds of each file, got none; what libFuzzer prints "
                "when it is called with single files will do: ./target corpus/* 2> times.log"
            )
    return found


def paths_of(names: Iterable[str], inputs: Path | None = None) -> list[Path]:
    """Return where the files of a corpus are."""
    found = [Path(name) if inputs is None else inputs / PurePath(name).name for name in names]
    for path in found:
        if not path.is_file():
            raise OptionError(
                f"expected the file {str(path)!r} of the corpus, got none; say where the files "
                "are with --inputs, or count --cost files"
            )
    return found


def put(names: Iterable[str], folder: Path, *, inputs: Path | None = None, link: bool) -> None:
    """Copy files of a corpus into a new folder, or link them; names that repeat get a number."""
    sources = paths_of(names, inputs)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise OptionError(f"expected --into to be a new or empty folder, got {str(folder)!r}")
    for source in sources:
        place, k = folder / source.name, 1
        while place.exists():
            place, k = folder / f"{source.name}-{k}", k + 1
        if link:
            os.link(source, place)
        else:
            shutil.copyfile(source, place)
