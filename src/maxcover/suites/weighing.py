"""What each line counts: by patterns of files, and by what has changed since a revision."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from maxcover.errors import OptionError

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
    top = Path(_git(here, "rev-parse", "--show-toplevel").strip())
    diff = _git(here, "diff", "--unified=0", "--no-color", "--no-ext-diff", revision, "--")
    index = {Path(path).resolve().as_posix(): k for k, path in enumerate(suite.files)}
    index |= {(top / path).as_posix(): k for k, path in enumerate(suite.files)}
    changed = np.zeros(suite.n_lines, dtype=bool)
    file = -1
    for text in diff.splitlines():
        if text.startswith("+++ "):
            name = text[4:].strip().strip('"').removeprefix("b/")
            file = index.get((top / name).resolve().as_posix(), -1)
        elif file >= 0 and (hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", text)):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            inside = (suite.line_of >= first) & (suite.line_of < first + count)
            changed |= (suite.file_of == file) & inside
    return changed


def _git(directory: Path, *arguments: str) -> str:
    """Run git and return what it prints."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, and no shell
            ["git", *arguments],  # noqa: S607 - the user's git, as on the command line
            cwd=directory,
            capture_output=True,
            text=True,
            check=True,
        )
    except FileNotFoundError:
        raise OptionError("expected git to be installed for --changed") from None
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip().splitlines()
        raise OptionError(
            f"expected a revision that git knows, got: {reason[0] if reason else error}"
        ) from None
    return done.stdout
