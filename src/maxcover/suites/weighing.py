"""What each line counts: by patterns of files, and by what has changed since a revision."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from maxcover.errors import OptionError
from maxcover.suites.changes import hunks, top_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from maxcover.suites.suite import Suite

# How often a line counts that has changed.
CHANGED = 100.0


def by_pattern(suite: Suite, rules: Iterable[tuple[str, float]]) -> NDArray[np.float64]:
    """Return the weight of each line; of several patterns that match a file the last one counts.

    A pattern matches the recorded path, or the end of it after a slash.
    """
    files = np.ones(len(suite.files))
    for pattern, weight in rules:
        for k, path in enumerate(suite.files):
            if fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}"):
                files[k] = weight
    return files[suite.file_of]


def changed_lines(suite: Suite, revision: str, directory: Path | None = None) -> NDArray[np.bool_]:
    """Return which lines of the suite have changed since a git revision.

    Compares the working tree with the revision. Line numbers are those of the working tree, so
    record coverage of it and not of something older.
    """
    here = directory or Path.cwd()
    if revision.startswith("-"):
        raise OptionError(f"expected a git revision, got {revision!r}")
    top = top_of(here)
    index = {Path(path).resolve().as_posix(): k for k, path in enumerate(suite.files)}
    index |= {(top / path).as_posix(): k for k, path in enumerate(suite.files)}
    changed = np.zeros(suite.n_lines, dtype=bool)
    for name, changes in hunks(top, revision).items():
        is_here = suite.file_of == index.get((top / name).resolve().as_posix(), -1)
        for hunk in changes:
            inside = (suite.line_of >= hunk.new) & (suite.line_of < hunk.new + hunk.n_new)
            changed |= is_here & inside
    return changed
