"""File map: files with their definitions and headings, each with its line, within a budget."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from maxcover.texts.packing.counters import Counter, count, count_all, find_counter
from maxcover.texts.packing.file_blocks import find_definitions
from maxcover.texts.packing.file_index import find_files, index_files, index_folder
from maxcover.texts.packing.ranking import rank_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maxcover.texts.packing.ranking import RankedBlock
    from maxcover.texts.words.units import Unit

_LONGEST_LINE = 100
# Deepest indent, in characters, at which definitions are listed: 9 for inner ones too, 0 for outer
# ones only.
_ALL, _OUTER = 9, 0


def map_files(
    paths: str | Iterable[str],
    *,
    budget: float,
    query: str = "",
    root: str | Path = ".",
    unit: Counter = "tokens",
    index: str | Path | bool = True,
) -> str:
    r"""List files with their definitions and headings, each with its line, within a budget.

    If not everything fits, inner definitions are left out first, then the definitions of the files
    that match the query least (without a query: of the last files), then names of files.

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
    texts = find_files(root, paths)
    texts = texts.only(number for number, text in enumerate(texts) if text)
    ranked: list[RankedBlock] = []
    if query:
        texts, counted = index_files(texts, index_folder(index, Path(root)))
        ranked = rank_blocks(texts.names, texts, [query], counted)
    counter, names = find_counter(unit), texts.names
    order = list(dict.fromkeys([*(one.file for one in ranked), *range(len(names))]))
    chosen, left = list(names), budget - count(counter, "\n".join(names))
    if left < 0:
        return _shorten([names[file] for file in order], counter, budget)
    sizes = count_all(counter, names)
    for deepest in (_OUTER, _ALL):
        richer = _outlines(names, texts, deepest)
        more = count_all(counter, richer)
        for file in order:
            if more[file] - sizes[file] <= left:
                left -= more[file] - sizes[file]
                chosen[file], sizes[file] = richer[file], more[file]
    text = "\n".join(chosen)
    return text if count(counter, text) <= budget else "\n".join(names)


def _shorten(names: list[str], counter: Unit, budget: float) -> str:
    """Return as many names as fit, with the number of the others."""
    for kept in range(len(names) - 1, -1, -max(len(names) // 50, 1)):
        text = "\n".join([*names[:kept], f"... and {len(names) - kept} more files"])
        if count(counter, text) <= budget:
            return text
    return ""


def _outlines(names: Sequence[str], texts: Sequence[str], deepest: int) -> list[str]:
    """Return each file name with its headings, and its definitions down to an indent."""
    return [
        "\n".join(
            [
                name,
                *(
                    f"  {number} {line.rstrip(':{ ')[:_LONGEST_LINE]}"
                    for number, line in find_definitions(name, text, deepest)
                ),
            ]
        )
        for name, text in zip(names, texts, strict=True)
    ]
