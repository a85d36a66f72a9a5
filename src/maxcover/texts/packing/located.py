"""Located: blocks of files packed into a budget, each with its path and lines.

Blocks are taken whole, best first, while they fit. Blocks that repeat what is already shown, and
blocks that match no question, are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.errors import InfeasibleError
from maxcover.ground.options import checked
from maxcover.texts.packing.context import Context, LeftOut
from maxcover.texts.packing.counters import (
    Counter,
    characters_in,
    count,
    count_before,
    find_counter,
    remaining,
)
from maxcover.texts.packing.file_blocks import PROSE, FileBlock, FileLines, is_stub, parser_of
from maxcover.texts.packing.file_index import find_files, index_files, index_folder
from maxcover.texts.packing.layout import PackOrderName, at_both_ends
from maxcover.texts.packing.ranking import RankedBlock, cut, rank_blocks
from maxcover.texts.packing.requirements import Requirement, find_facts, split_requirements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from maxcover.texts.packing.file_index import TextFiles
    from maxcover.texts.words.units import Unit

SCHEMA = "maxcover.packed_files/1"
# Characters of a block of prose, at least.
_LEAST_PROSE = 160
# Filling stops after this many blocks in a row do not fit.
_MISSES = 60
# A block repeats shown text if at least the share _REPEATS of its lines is already shown; lines
# shorter than _TELLING_LINE characters are not counted.
_REPEATS, _TELLING_LINE = 0.8, 8
# Words and letters that tell an asynchronous function from its twin: "await self.aget()".
_ASYNC = re.compile(r"\basync def a?|\b(?:async|await) |(?<=\bawait self\.)a|Async|async_|_async")
_DEFINED = re.compile(r"\bdef (\w+)")


@dataclass(frozen=True, eq=False, kw_only=True)
class PackedFiles(Context):
    """Parts of files within a budget. ``str(packed)`` is the text.

    Attributes
    ----------
    text : str
        Each part under a line ``path:first-last``.
    parts : tuple of (str, int, int)
        Path, first and last line of each part, in the order of the text.
    cost, budget : float
        The size of the text and its limit, in `unit`.
    unit : str
    n_files : int
        Number of files to choose from.
    n_matching : int
        Blocks that hold a word of a question; if there are none, nothing is shown.
    parsers : tuple of str
        What cut the files that are shown: "tree-sitter", "indents" (code whose grammar is
        not installed) or "text".
    left_out : tuple of LeftOut
        The files of which nothing is shown, best first, each with the reason.
    """

    parts: tuple[tuple[str, int, int], ...]
    n_files: int
    n_matching: int
    parsers: tuple[str, ...]

    @property
    def remark(self) -> str:
        """A sentence that says if nothing matches, or if code was cut without a parser."""
        if not self.n_matching:
            return "Nothing matches the query."
        if "indents" in self.parsers:
            return "Some code was cut by its indents; pip install maxcover[code] parses it."
        return f"{self.n_matching} blocks match the query."

    def _columns(self) -> dict[str, list[Any]]:
        names = ("path", "first", "last")
        return {name: [part[k] for part in self.parts] for k, name in enumerate(names)}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values: schema ``maxcover.packed_files/1``."""
        return {
            "schema": SCHEMA,
            **super().to_dict(),
            "n_files": self.n_files,
            "n_matching": self.n_matching,
            "parsers": list(self.parsers),
            "parts": [{"path": path, "first": a, "last": b} for path, a, b in self.parts],
        }

    def __repr__(self) -> str:
        shown = len({path for path, _, _ in self.parts})
        return (
            f"PackedFiles({shown} of {self.n_files} files, {self.cost:g} of {self.budget:g} "
            f"{self.unit})"
        )


@checked
def pack_files(
    paths: str | Iterable[str],
    *,
    query: str | Sequence[str],
    budget: float,
    root: str | Path = ".",
    unit: Counter = "tokens",
    required: Iterable[Requirement] | Requirement = (),
    order: PackOrderName = "retrieved",
    separator: str = "\n\n",
    room: float | str = 0.0,
    per_document: float | None = None,
    after: PackedFiles | str | None = None,
    index: str | Path | bool = True,
) -> PackedFiles:
    r"""Choose what to show of files: whole functions, sections and paragraphs that answer a query.

    Parameters
    ----------
    paths : str or iterable of str
        Files, folders and globs below the root, such as ``"src/**/*.py"``. What a ``.gitignore``
        leaves out is left out, and so are binary files, links, and what begins with a dot unless
        it is named, as in ``".github/*.yml"``.
    query : str or sequence of str
        A question or topic, or several; a block is ranked by the question that it matches best.
        Tests, examples and documentation count half unless a question speaks of them.
    budget : float
        Maximum size of the text, in `unit`, the lines with paths included.
    root : path
    unit : {"tokens", "words", "characters", "bytes"}, callable or tokenizer
        As in `pack`.
    required : str, pattern, or an iterable of them
        What must stay: paths of files, which are shown whole; compiled patterns or names out of
        `FACTS`, of which every distinct match stays in the best block that holds it.
    order : {"retrieved", "document", "ends"}
        Files by their best block; by path; or the best ones at both ends. Blocks of a file stand
        in the order of their lines.
    separator : str
        Text between two parts.
    room : float or str
        Part of the budget to keep free for the rest of the prompt: a size, or that text.
    per_document : float, optional
        Maximum size from one file.
    after : PackedFiles or str, optional
        A context that was sent before: the text begins with it, byte for byte, and the rest of the
        budget goes to what it lacks.
    index : bool or path
        Whether the words of large folders are kept on disk, so that the next question is faster,
        and where: by default below the cache folder of the user. No text is kept.

    Returns
    -------
    PackedFiles
        Deterministic. If no block matches, the text is empty.

    Raises
    ------
    InfeasibleError
        What is required does not fit.

    Notes
    -----
    `maxcover.texts.packing.ranking` says how blocks are ranked,
    `maxcover.texts.packing.file_blocks` how files are cut. Time is linear in the size of the files
    that were not read before.

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
    folder = index_folder(index, Path(root))
    texts, counted = index_files(find_files(root, paths), folder)
    queries, names = [query] if isinstance(query, str) else query, texts.names
    counter = find_counter(unit)
    left = remaining(counter, budget, room)
    # A block of prose takes at most a quarter of the budget.
    prose = int(np.clip(characters_in(left, counter) / 4, _LEAST_PROSE, PROSE))
    ranked = rank_blocks(names, texts, queries, counted, prose=prose)
    filling = _Filling(
        texts=texts,
        prose=prose,
        unit=counter,
        budget=left,
        separator=separator,
        before=str(after or ""),
    )
    filling.fill(_require(required, filling, ranked), per_document or budget, needed=True)
    filling.fill(ranked, per_document or budget)
    text, places = filling.render(order)
    parts = tuple(filling.place(*place) for place in places)
    return PackedFiles(
        text=text,
        parts=parts,
        cost=count(counter, text) if text else 0.0,
        budget=float(budget),
        unit=counter.name,
        n_files=len(texts),
        n_matching=len(ranked),
        parsers=tuple(sorted({parser_of(path) for path, _, _ in parts})),
        _find_left_out=lambda: tuple(filling.left_out(ranked, {file for file, _, _ in places})),
    )


@dataclass(eq=False, kw_only=True)
class _Filling:
    """The blocks chosen so far, and the text that they make."""

    texts: TextFiles
    prose: int
    unit: Unit
    budget: float
    separator: str
    before: str

    def __post_init__(self) -> None:
        self.lines = lru_cache(maxsize=None)(self._lines)
        self.left = self.budget - count_before(self.unit, self.before, self.budget)
        self.chosen: list[RankedBlock] = []
        self.reasons: dict[int, tuple[str, str]] = {}
        self.shown = set(map(_without_async, self.before.splitlines()))
        self.defined: set[tuple[int, str]] = set()
        self.spent: dict[int, float] = {}

    def _lines(self, file: int) -> FileLines:
        return FileLines.of(self.texts.names[file], self.texts[file], self.prose)

    def fill(self, ranked: Iterable[RankedBlock], per_file: float, *, needed: bool = False) -> None:
        """Take blocks in order while they fit; if `needed`, raise an error where one does not."""
        misses = 0
        for one in ranked:
            if misses == _MISSES:
                break
            part = self.part(one.file, one.block.first, one.block.last)
            lines = list(map(_without_async, part.splitlines()[1:]))
            defined = one.file, "".join(_DEFINED.findall(part)[:1])
            telling = [line for line in lines if len(line) >= _TELLING_LINE] or lines
            size = count(self.unit, self.separator + part)
            spent = self.spent.get(one.file, 0.0) + size
            known = sum(line in self.shown for line in telling)
            if known >= _REPEATS * len(telling) and not needed:
                self.reasons.setdefault(one.file, ("repeats", "its lines stand in what is shown"))
            elif is_stub(part) and defined in self.defined and not needed:
                self.reasons.setdefault(one.file, ("repeats", "what it overloads is shown"))
            elif size > self.budget and not needed:
                told = "too long", "its best block does not fit even by itself"
                self.reasons.setdefault(one.file, told)
            elif size <= self.left and spent <= per_file:
                self.chosen.append(one)
                self.defined.add(defined)
                self.shown.update(lines)
                self.spent[one.file], self.left, misses = spent, self.left - size, 0
            elif needed:
                raise InfeasibleError(
                    f"expected what is required to fit into {self.budget:g} {self.unit.name}, "
                    f"{part.splitlines()[0]} does not; raise the budget or require less"
                )
            else:
                misses += 1

    def left_out(self, ranked: Sequence[RankedBlock], shown: set[int]) -> Iterator[LeftOut]:
        """Yield files of which nothing is shown: by best block, then files without a match."""
        names = self.texts.names
        for rank, (file, block, _) in enumerate(ranked, start=1):
            if file not in shown:
                shown.add(file)
                full = "no room", "blocks that match better fill the budget"
                told = self.reasons.get(file, full)
                path, first, last = self.place(file, block.first, block.last)
                yield LeftOut(file, rank, *told, path=path, first=first, last=last)
        for file, name in enumerate(names):
            if file not in shown:
                nothing = "it holds no content word of the query"
                yield LeftOut(file, 0, "matches nothing", nothing, path=name)

    def place(self, file: int, first: int, last: int) -> tuple[str, int, int]:
        """Return the path, and the numbers from 1, of lines `first` to `last` of a file."""
        numbers = self.lines(file).numbers
        return self.texts.names[file], numbers[first] + 1, numbers[last] + 1

    def part(self, file: int, first: int, last: int) -> str:
        """Return lines `first` to `last` (inclusive, from 0) of a file under their path."""
        path, begin, end = self.place(file, first, last)
        return f"{path}:{begin}-{end}\n{self.lines(file).show(first, last)}"

    def render(self, order: PackOrderName) -> tuple[str, list[tuple[int, int, int]]]:
        """Return the text and its places; blocks are dropped from the end until the text fits."""
        while True:
            best = list(dict.fromkeys(one.file for one in self.chosen))
            orders = {"retrieved": best, "document": sorted(best), "ends": at_both_ends(best)}
            places = list(chain.from_iterable(map(self._places, orders[order])))
            shown = [self.part(*place) for place in places]
            text = self.separator.join([self.before, *shown] if self.before else shown)
            if not self.chosen or count(self.unit, text) <= self.budget:
                return text, places
            self.chosen.pop()

    def _places(self, file: int) -> Iterator[tuple[int, int, int]]:
        """Yield the chosen line ranges of a file, merged if only blank lines are between."""
        own = sorted((one.block.first, one.block.last) for one in self.chosen if one.file == file)
        first, last = own[0]
        for begin, end in own[1:]:
            if any(line.strip() for line in self.lines(file).texts[last + 1 : begin]):
                yield file, first, last
                first = begin
            last = max(last, end)
        yield file, first, last


def _without_async(line: str) -> str:
    """Return a line as its twin in synchronous code has it, without white space at its ends."""
    return _ASYNC.sub(lambda sign: "def " if sign[0].startswith("async def") else "", line).strip()


def _require(
    required: Iterable[Requirement] | Requirement,
    filling: _Filling,
    ranked: Sequence[RankedBlock],
) -> Iterator[RankedBlock]:
    """Yield required blocks: whole files, and the best block for each fact."""
    texts, names = filling.texts, filling.texts.names
    paths, patterns = split_requirements(required, names, "paths of the files")
    for path in paths:
        file = names.index(path)
        lines = filling.lines(file).texts
        last = max(k for k, line in enumerate(lines) if line.strip())
        yield RankedBlock(file, FileBlock(0, last, ""), 0.0)
    if not patterns:
        return
    files = [
        file for file, text in enumerate(texts) if any(pattern.search(text) for pattern in patterns)
    ]
    ranks = {(one.file, one.block): rank for rank, one in enumerate(ranked)}
    blocks = [
        (file, *found) for file in files for found in cut(names[file], texts[file], filling.prose)
    ]
    blocks.sort(key=lambda one: ranks.get(one[:2], len(ranked)))
    facts = find_facts([shown for _, _, shown in blocks], patterns)
    for place in dict.fromkeys(holders[0] for holders in facts.values()):
        yield RankedBlock(*blocks[place][:2], 0.0)
