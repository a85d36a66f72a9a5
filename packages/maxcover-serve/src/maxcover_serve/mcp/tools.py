"""Tools: what each tool does with a checked request, and which answers are kept.

Text given to a tool stays in this process; no tool opens a file unless the server was started with
a root folder, and then only files below it.
"""

from __future__ import annotations

import posixpath
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.exceptions import ToolError

from maxcover.ground.calls import CALLS
from maxcover.ground.files.listing import FileLimits, list_files, names_hidden
from maxcover.texts.packing import Packed, pack
from maxcover.texts.packing.records import read_records
from maxcover.texts.read.given import find_documents

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from maxcover.ground.answers import LeftOutAnswer

#: Limits of one call. A call beyond them is refused with a sentence that says so.
MOST_TEXTS, MOST_CHARACTERS = 5_000, 5_000_000
MOST_QUESTIONS = 100
#: Seconds that a summary or a selection may search.
SECONDS = 5.0
#: Number of latest results of `pack` that `left_out` can show.
KEPT = 32
_BEGINNING = 160


class Tools:
    """The tools for texts and files, with the latest results of `pack` for `left_out`."""

    def __init__(self, roots: Sequence[Path] = ()) -> None:
        self.roots = [root.resolve(strict=True) for root in roots]
        self._kept: deque[tuple[Packed, Sequence[str]]] = deque(maxlen=KEPT)
        self._lock = threading.Lock()

    def pack(self, passages: Any, **options: Any) -> str:
        """Choose which of the passages that a search found are sent to a model.

        Keeps what answers the query, leaves out what is repeated, and never exceeds the budget.
        Each part stands under the number of its passage, from 0, or under its name.
        """
        _check_count(passages, MOST_TEXTS, "passages")
        texts, _, columns = read_records(passages)
        given = find_documents(texts, option="passages", paths=False)
        asked = options.get("query", "")
        questions = [asked] if isinstance(asked, str) else asked
        _check_count(questions, MOST_QUESTIONS, "questions in query")
        _check_size(*given.documents, *questions)
        names = given.names or range(len(given.documents))
        columns["headers"] = [f"[{name}]\n" for name in names]
        packed = pack(given, **columns | options)
        with self._lock:
            self._kept.append((packed, given.documents))
        return (
            packed.text or f"(no passage fits into {packed.budget:g} {packed.unit}; see left_out)"
        )

    def left_out(self, call: int = 1, first: int = 0, count: int = 20) -> LeftOutAnswer:
        """List passages that pack left out, best first, with reasons; and what is proven."""
        with self._lock:
            kept = list(self._kept)
        if len(kept) < call:
            raise ToolError(f"expected call to be one of the {len(kept)} calls of pack, got {call}")
        packed, passages = kept[-call]
        return {
            "total": len(packed.left_out),
            "passages": [
                {
                    "passage": one.index,
                    "rank": one.rank,
                    "reason": one.reason,
                    "beginning": passages[one.index][:_BEGINNING],
                }
                for one in packed.left_out[first : first + count]
            ],
            "certificate": packed.certificate,
        }

    def summarize(self, documents: Any, **options: Any) -> str:
        """Summarise texts by their own sentences: those that together say the most."""
        from maxcover.texts.summary.summarize import summarize

        given = find_documents(documents, paths=False)
        _check_count(given.documents, MOST_TEXTS, "documents")
        _check_size(*given.documents, options.get("query", ""))
        return str(summarize(given, time_limit=SECONDS, **options))

    def summarize_files(self, paths: str | list[str], **options: Any) -> str:
        """Summarise text files below the root folder of this server."""
        root, paths = self._root("."), _listed(paths)
        # A character has at most four bytes in UTF-8.
        limits = FileLimits(files=MOST_TEXTS, total_bytes=4 * MOST_CHARACTERS)
        listing = list_files(root, self._visible(root, paths), limits=limits)
        found = {file.path for file in listing.files}
        texts = {}
        for path in {posixpath.normpath(path): path for path in paths}:
            if path not in found:
                raise ToolError(f"expected a file below the root folder, got {path!r}")
            with listing.open(path) as file:
                texts[path] = file.read(limits.total_bytes).decode("utf-8", "replace")
        return self.summarize(texts, **options)

    def pack_files(self, paths: str | list[str], **options: Any) -> str:
        """Show the parts of files that answer a query: functions and sections, with path and lines.

        Use it instead of reading whole files. Each part stands under a line path:first-last.
        """
        from maxcover.texts.packing.located import pack_files

        packed = pack_files(**self._below_root(paths, options))
        why = "fits" if packed.n_matching else "matches"
        return packed.text or f"(nothing {why}: {packed.n_files} files were searched)"

    def map_files(self, paths: str | list[str], **options: Any) -> str:
        """List files with their classes, functions and headings, each with its line number."""
        from maxcover.texts.packing.file_map import map_files

        return map_files(**self._below_root(paths, options))

    def _below_root(self, paths: str | list[str], options: dict[str, Any]) -> dict[str, Any]:
        root = self._root(options.get("root", CALLS["pack_files"]["root"]))
        return {**options, "paths": self._visible(root, _listed(paths)), "root": root}

    def _root(self, name: str) -> Path:
        """Return the root folder with this path or name; "." is the first root."""
        found = [one for one in self.roots if name in {"", ".", str(one), one.name}]
        if not found:
            raise ToolError(
                "expected root to be one of the folders that this server was started with "
                f"({', '.join(map(str, self.roots)) or 'none: start it with --root'}), got {name!r}"
            )
        return found[0]

    def _visible(self, root: Path, paths: list[str]) -> list[str]:
        """Return `paths`; raise `ToolError` for hidden ones, which an agent may not open."""
        _check_count(paths, MOST_TEXTS, "paths")
        if not paths:
            raise ToolError("expected at least one of paths, got none")
        for path in paths:
            if names_hidden(root, path):
                raise ToolError(
                    f"expected paths that are not hidden, got {path!r}; whoever starts this server "
                    "can make a hidden folder a root"
                )
        return paths


def _listed(paths: str | list[str]) -> list[str]:
    return [paths] if isinstance(paths, str) else paths


def _check_count(given: Any, most: int, what: str) -> None:
    if len(given) > most:
        raise ToolError(f"expected at most {most} {what}, got {len(given)}")


def _check_size(*texts: str) -> None:
    size = sum(map(len, texts))
    if size > MOST_CHARACTERS:
        raise ToolError(f"expected at most {MOST_CHARACTERS} characters in one call, got {size}")
