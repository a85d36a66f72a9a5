"""Text files: what patterns name below a root, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxcover.errors import OptionError
from maxcover.files.listing import list_files

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from maxcover.files.listing import Listing

#: A file that is larger, in bytes, is no source that a person wrote.
LARGEST = 1_000_000


def read_files(root: str | Path, paths: str | Iterable[str]) -> tuple[list[str], list[str]]:
    """Read the text files that patterns name."""
    patterns = [paths] if isinstance(paths, str) else list(paths)
    listing = list_files(root, patterns)
    if not listing.files:
        named = ", ".join(map(repr, patterns[:5]))
        raise OptionError(f"expected paths or globs of text files below the root, got {named}")
    read = [
        (file.path, _read_text(listing, file.path))
        for file in listing.files
        if file.size <= LARGEST
    ]
    kept = [(name, text) for name, text in read if text]
    if not kept:
        raise OptionError(
            f"expected text files, got {len(listing.files)} that are binary, empty or too large"
        )
    return [name for name, _ in kept], [text for _, text in kept]


def _read_text(listing: Listing, path: str) -> str | None:
    """Read a text file; None if it is binary, or is no longer what was listed."""
    try:
        with listing.open(path) as file:
            content = file.read(LARGEST)
    except (OSError, OptionError):
        return None
    return None if b"\0" in content[:8192] else content.decode("utf-8", "replace")
