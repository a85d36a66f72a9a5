"""Located: files packed into a budget, with the path and the lines of all that is shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maxcover.errors import OptionError
from maxcover.files.listing import Listing, list_files
from maxcover.packing.counters import Counter, count, find_counter
from maxcover.packing.layout import LINES, lines_of
from maxcover.packing.occurrences import collect
from maxcover.packing.pack import pack
from maxcover.packing.passages import memory_for
from maxcover.packing.structure import is_code_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

# What a map lists: definitions and headings, and how deep they stand.
_DEFINITION = re.compile(
    r"(?P<indent>[ \t]*)(?:(?:export|default|public|private|protected|static|async|abstract|final|"
    r"pub(?:\(\w+\))?|unsafe|extern|inline|virtual)\s+)*"
    r"(?:def|class|function|fn|func|interface|struct|enum|trait|impl|type|module|namespace)\s+\w"
)
_HEADING = re.compile(r"#{1,4} \S")
_LONGEST_LINE = 100
#: A file that is larger, in bytes, is no source that a person wrote.
LARGEST = 1_000_000
# BM25.
_K, _B = 1.5, 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedFiles:
    """Parts of files within a budget. ``str(packed)`` is the text.

    Attributes
    ----------
    text : str
        Each part under a line ``path:first-last``.
    parts : tuple of (str, int, int)
        Path, first and last line of each part, in the order of the text.
    cost, budget : float
    unit : str
    n_files : int
        What there was to choose from.
    """

    text: str
    parts: tuple[tuple[str, int, int], ...]
    cost: float
    budget: float
    unit: str
    n_files: int

    def __str__(self) -> str:
        return self.text


def pack_files(
    paths: str | Iterable[str],
    *,
    query: str | Sequence[str],
    budget: float,
    root: str | Path = ".",
    unit: Counter = "tokens",
) -> PackedFiles:
    r"""Choose what to show of files: whole functions, sections and paragraphs that answer a query.

    Parameters
    ----------
    paths : str or iterable of str
        Files, folders and globs below the root, such as ``"src/**/*.py"``. What a ``.gitignore``
        leaves out is left out, and so are binary files, links, and what begins with a dot unless
        it is named, as in ``".github/*.yml"``.
    query : str or sequence of str
        Question or topic.
    budget : float
        How large the text may be, in `unit`, the lines with paths included.
    root : path
    unit : {"tokens", "words", "characters", "bytes"}, callable or tokenizer
        As in `pack`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> code = "def bark():\n    return 1\n\n\ndef sit():\n    return 0\n"
    >>> _ = (folder / "dog.py").write_text(code)
    >>> print(pack_files("*.py", query="how does it bark", budget=20, root=folder))
    dog.py:1-2
    def bark():
        return 1
    """
    names, texts = _read(root, paths)
    scores = rank_files(texts, [query] if isinstance(query, str) else query)
    best = np.argsort(-np.array(scores), kind="stable").tolist()
    names, texts = [names[k] for k in best], [texts[k] for k in best]
    packed = pack(
        texts,
        query=query,
        budget=budget,
        unit=unit,
        documents=names,
        # what looks like a placeholder in a name is none
        headers=[f"{name.replace(LINES, '')}:{LINES}\n" for name in names],
    )
    return PackedFiles(
        text=packed.text,
        parts=tuple(
            (names[one.index], *lines_of(texts[one.index], start, end))
            for one in packed.passages
            for start, end in one.spans
        ),
        cost=packed.cost,
        budget=float(budget),
        unit=packed.unit,
        n_files=len(texts),
    )


def map_files(
    paths: str | Iterable[str],
    *,
    budget: float,
    query: str = "",
    root: str | Path = ".",
    unit: Counter = "tokens",
) -> str:
    r"""List files with their definitions and headings, each with its line, within a budget.

    Where not all fits, inner definitions are left out first, then the definitions of the files that
    match the query least (without a query: of the last ones), then the names of files.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "dog.py").write_text("class Dog:\n    def bark(self):\n        return 1")
    >>> print(map_files("*.py", budget=30, root=folder))
    dog.py
      1 class Dog
      2     def bark(self)
    """
    names, texts = _read(root, paths)
    counter = find_counter(unit)
    full = [f"{name}\n{found}" if found else name for name, found in _outlines(names, texts, 9)]
    top = [f"{name}\n{found}" if found else name for name, found in _outlines(names, texts, 0)]
    for shown in (full, top, names):
        text = "\n".join(shown)
        if count(counter, text) <= budget:
            break
    else:
        return _shorten(names, counter, budget)
    if shown is full:
        return text
    # what room is left is for the details of the files that match best
    richer = full if shown is top else top
    order = range(len(names))
    if query:
        order = np.argsort(-np.array(rank_files(texts, [query])), kind="stable").tolist()
    chosen, left = list(shown), budget - count(counter, text)
    for file in order:
        more = count(counter, richer[file]) - count(counter, chosen[file])
        if more <= left:
            chosen[file], left = richer[file], left - more
    text = "\n".join(chosen)
    return text if count(counter, text) <= budget else "\n".join(shown)


def _shorten(names: list[str], counter: Counter, budget: float) -> str:
    """List as many names as fit, and how many do not."""
    for kept in range(len(names) - 1, -1, -max(len(names) // 50, 1)):
        text = "\n".join([*names[:kept], f"... and {len(names) - kept} more files"])
        if count(find_counter(counter), text) <= budget:
            return text
    return ""


def _outlines(names: list[str], texts: list[str], deepest: int) -> list[tuple[str, str]]:
    """List for each file its definitions down to an indent, and its headings."""
    found = []
    for name, text in zip(names, texts, strict=True):
        code = is_code_name(name)
        lines = []
        for number, line in enumerate(text.splitlines(), start=1):
            match = _DEFINITION.match(line) if code else _HEADING.match(line)
            if match and (not code or len(match["indent"].expandtabs(4)) <= deepest):
                lines.append(f"  {number} {line.rstrip().rstrip(':{ ')[:_LONGEST_LINE]}")
        found.append((name, "\n".join(lines)))
    return found


def rank_files(texts: Sequence[str], queries: Sequence[str]) -> list[float]:
    """Score texts by BM25, each by the question that it matches best."""
    memory = memory_for("english", "auto")
    said = collect(memory.read(texts), memory)
    lengths = np.bincount(said.passage[said.rows], minlength=len(texts))
    norm = 1 - _B + _B * lengths / max(float(lengths.mean()), 1.0) if len(texts) else lengths
    best: NDArray[np.float64] = np.zeros(len(texts))
    for query in queries:
        score = np.zeros(len(texts))
        for word in said.find(memory.ask(query)).tolist():
            counts = np.bincount(said.passage[said.rows[said.words == word]], minlength=len(texts))
            held = int(np.count_nonzero(counts))
            idf = np.log(1 + (len(texts) - held + 0.5) / (held + 0.5))
            score += idf * counts * (_K + 1) / (counts + _K * norm)
        best = np.maximum(best, score)
    return [float(one) for one in best]


def _read(root: str | Path, paths: str | Iterable[str]) -> tuple[list[str], list[str]]:
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
