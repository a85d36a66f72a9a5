"""Fuzz corpus: a suite whose tests are files, which have bytes and can be copied."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import numpy as np

from maxcover.errors import OptionError
from pytest_maxcover.durations import with_durations
from pytest_maxcover.reading import read_suite

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maxcover.ground.array_types import Floats
    from pytest_maxcover.suite import Suite


def read_corpus(
    paths: Iterable[Path],
    costs: Iterable[str] = ("files",),
    *,
    inputs: Path | None = None,
    times: Iterable[Path] = (),
) -> Suite:
    """Read a fuzz corpus: the features that each input file covers, and its costs.

    Parameters
    ----------
    paths : iterable of path
        See `read_suite` for the kinds of files.
    costs : iterable of str
        What to count of each file: "bytes", "files", "seconds".
    inputs : path, optional
        The folder of the files, if they are not where the recording says.
    times : iterable of path
        What `with_durations` reads; needed for seconds.
    """
    corpus = replace(read_suite(paths), called=("files", "features"))
    times = list(times)
    found: dict[str, Floats] = {}
    for name in costs:
        if name == "bytes":
            # An empty file counts as one byte, so that it is not free.
            sizes = [max(1, path.stat().st_size) for path in paths_of(corpus.tests, inputs)]
            found[name] = np.array(sizes, dtype=np.float64)
        elif name == "files":
            found[name] = np.ones(len(corpus.tests))
        elif times:
            found[name] = with_durations(corpus, times).seconds
        else:
            raise OptionError(
                "expected --times with the seconds of each file, got none; what libFuzzer prints "
                "when it is called with single files will do: ./target corpus/* 2> times.log"
            )
    return corpus.with_costs(**found)


def paths_of(names: Iterable[str], inputs: Path | None = None) -> list[Path]:
    """Return the paths of the files of a corpus; raise `OptionError` if one does not exist."""
    found = [Path(name) if inputs is None else inputs / PurePath(name).name for name in names]
    for path in found:
        if not path.is_file():
            raise OptionError(
                f"expected the file {str(path)!r} of the corpus, got none; say where the files "
                "are with --inputs, or count --cost files"
            )
    return found


def put(names: Iterable[str], folder: Path, *, inputs: Path | None = None, link: bool) -> None:
    """Copy or hard-link files of a corpus into a new folder; repeated names get a number."""
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
