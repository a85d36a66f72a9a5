"""Text files: the files below a root that match patterns, each read on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from maxcover.errors import OptionError
from maxcover.files.listing import ListedFile, Listing, list_files

if TYPE_CHECKING:
    from pathlib import Path

#: Files with more bytes than this are left out: no person wrote them.
LARGEST = 1_000_000


class TextFiles(Sequence[str]):
    """The texts of files as a sequence; "" for a file that is binary or has changed."""

    def __init__(self, files: Sequence[ListedFile], read: Callable[[str], str]) -> None:
        if not files:
            raise OptionError("expected text files, got files that are binary, empty or too large")
        self.files, self._read = files, read
        self.names = [file.path for file in files]

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, number: Any) -> Any:
        return self._read(self.names[number])

    def only(self, numbers: Iterable[int]) -> TextFiles:
        """Return only the files with these numbers."""
        return TextFiles([self.files[number] for number in numbers], self._read)


def find_files(root: str | Path, paths: str | Iterable[str]) -> TextFiles:
    """Find the text files below `root` that match paths or globs."""
    patterns = [paths] if isinstance(paths, str) else list(paths)
    listing = list_files(root, patterns)
    if not listing.files:
        named = ", ".join(map(repr, patterns[:5]))
        raise OptionError(f"expected paths or globs of text files below the root, got {named}")
    read = lru_cache(maxsize=None)(partial(_read_text, listing))
    return TextFiles([file for file in listing.files if file.size <= LARGEST], read)


def _read_text(listing: Listing, path: str) -> str:
    try:
        with listing.open(path) as file:
            content = file.read(LARGEST)
    except (OSError, OptionError):
        return ""
    return "" if b"\0" in content[:8192] else content.decode("utf-8", "replace")
