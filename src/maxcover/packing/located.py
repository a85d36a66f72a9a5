"""Located: blocks of files packed into a budget, with the path and the lines of all that is shown.

Blocks are taken whole, from the top of the ranking, while they fit. What stands in the text already
is left out, and so is what no question matches.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.errors import InfeasibleError, OptionError
from maxcover.files.listing import Listing, list_files
from maxcover.options import checked
from maxcover.packing.counters import Counter, count, find_counter
from maxcover.packing.file_blocks import Block, is_code_name, parser_of
from maxcover.packing.file_index import index_folder
from maxcover.packing.layout import ORDERS, PackOrderName, Shelf
from maxcover.packing.ranking import RankedBlock, cut, rank_blocks
from maxcover.packing.requirements import FACTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from maxcover.text.words.units import Unit

SCHEMA = "maxcover.packed_files/1"
SEPARATOR = "\n\n"
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
# Filling stops behind so many blocks in a row that do not fit.
_MISSES = 60
# A block repeats another if this part of its lines, of at least so many characters, stands there.
_REPEATS, _TELLING_LINE = 0.9, 8
# Rows of what was left out that a table for people shows.
_SHOWN = 20


class LeftOutFile(NamedTuple):
    """A file of which nothing is shown, by its best block.

    `kind` is "too long", "repeats", "no room" or "matches nothing" (then there is no block: the
    lines and the rank are 0); `rank` is the place of the block among all that match, from 1.
    """

    path: str
    first: int
    last: int
    rank: int
    kind: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class PackedFiles:
    """Parts of files within a budget. ``str(packed)`` is the text.

    Attributes
    ----------
    text : str
        Each part under a line ``path:first-last``.
    parts : tuple of (str, int, int)
        Path, first and last line of each part, in the order of the text.
    cost, budget : float
        The size of the text and what it may be, in `unit`.
    unit : str
    n_files : int
        What there was to choose from.
    n_matching : int
        Blocks that hold a word of a question; if there are none, nothing is shown.
    parsers : tuple of str
        What cut the files that are shown: "tree-sitter", "ast", "indents" (code whose grammar is
        not installed) or "text".
    left_out : tuple of LeftOutFile
        The files of which nothing is shown, best first, each with the reason.
    """

    text: str
    parts: tuple[tuple[str, int, int], ...]
    cost: float
    budget: float
    unit: str
    n_files: int
    n_matching: int
    parsers: tuple[str, ...]
    _reasons: dict[str, LeftOutFile] = field(repr=False)
    _names: Sequence[str] = field(repr=False)

    @cached_property
    def left_out(self) -> tuple[LeftOutFile, ...]:
        """The files of which nothing is shown, best first, each with the reason."""
        shown = {path for path, _, _ in self.parts}
        nothing = "it holds no content word of the query"
        rest = [
            LeftOutFile(name, 0, 0, 0, "matches nothing", nothing)
            for name in self._names
            if name not in shown and name not in self._reasons
        ]
        return (*(one for one in self._reasons.values() if one.path not in shown), *rest)

    def explain(self) -> str:
        """Return a table of what is shown and what was left out, as plain text."""
        lines = [repr(self), *(f"{path}:{first}-{last}" for path, first, last in self.parts)]
        if not self.n_matching:
            lines.append("nothing matches the query")
        if "indents" in self.parsers:
            lines.append("some code was cut by its indents; pip install maxcover[code] parses it")
        if self.left_out:
            lines += ["", f"left out: {len(self.left_out)}"]
            lines += [f"{_place(one)}: {one.reason}" for one in self.left_out[:_SHOWN]]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values: schema ``maxcover.packed_files/1``."""
        names = ("text", "cost", "budget", "unit", "n_files", "n_matching")
        return {
            "schema": SCHEMA,
            **{name: getattr(self, name) for name in names},
            "parsers": list(self.parsers),
            "parts": [{"path": p, "first": a, "last": b} for p, a, b in self.parts],
            "left_out": [one._asdict() for one in self.left_out],
        }

    def to_json(self, **options: Any) -> str:
        """Return `to_dict` as JSON text; options go to `json.dumps`."""
        return json.dumps(self.to_dict(), ensure_ascii=False, **options)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        shown = len({path for path, _, _ in self.parts})
        return (
            f"PackedFiles({shown} of {self.n_files} files, {self.cost:g} of {self.budget:g} "
            f"{self.unit})"
        )


def _place(one: LeftOutFile) -> str:
    return f"{one.path}:{one.first}-{one.last}" if one.rank else one.path


@checked
def pack_files(
    paths: str | Iterable[str],
    *,
    query: str | Sequence[str],
    budget: float,
    root: str | Path = ".",
    unit: Counter = "tokens",
    required: Iterable[str | re.Pattern[str]] | str | re.Pattern[str] = (),
    order: PackOrderName = "retrieved",
    separator: str = SEPARATOR,
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
        A question or topic, or several; a block is as good as it is for the one it matches best.
        Tests, examples and documentation count half unless a question speaks of them.
    budget : float
        How large the text may be, in `unit`, the lines with paths included.
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
    `maxcover.packing.ranking` says how blocks are ranked, `maxcover.packing.file_blocks` how files
    are cut. Time is linear in the size of the files that were not read before.

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
    queries = [query] if isinstance(query, str) else query
    ranked = rank_blocks(names, texts, queries, index_folder(index, Path(root)))
    needed = _require(required, names, texts, ranked)
    counter = find_counter(unit)
    held = count(counter, room) if isinstance(room, str) else room
    filling = _Filling(
        names,
        texts,
        unit=counter,
        budget=max(budget - held, 0.0),
        separator=separator,
        order=order,
        after=after,
    )
    filling.fill([*needed, *ranked], budget if per_document is None else per_document)
    text, parts = filling.render()
    return PackedFiles(
        text=text,
        parts=parts,
        cost=count(counter, text) if text else 0.0,
        budget=float(budget),
        unit=counter.name,
        n_files=len(texts),
        n_matching=len(ranked),
        parsers=tuple(sorted({parser_of(path) for path, _, _ in parts})),
        _reasons=filling.reasons,
        _names=names,
    )


class _Filling:
    """Blocks that are taken one by one, and the text that they make."""

    def __init__(
        self,
        names: Sequence[str],
        texts: Sequence[str],
        *,
        unit: Unit,
        budget: float,
        separator: str,
        order: PackOrderName,
        after: PackedFiles | str | None,
    ) -> None:
        self.names, self.unit, self.budget, self.order = names, unit, budget, order
        self.separator, self._texts = separator, texts
        self.before = "" if after is None else str(after)
        self.chosen: list[RankedBlock] = []
        self.reasons: dict[str, LeftOutFile] = {}
        self._lines: dict[int, list[str]] = {}
        self._shown = set(map(str.strip, self.before.splitlines()))
        self._spent: dict[int, float] = {}

    def lines(self, file: int) -> list[str]:
        """Give the lines of a file."""
        if file not in self._lines:
            self._lines[file] = self._texts[file].split("\n")
        return self._lines[file]

    def fill(self, ranked: Sequence[RankedBlock], per_file: float) -> None:
        """Take blocks from the top while they fit; what is required has to."""
        left = self.budget - (count(self.unit, self.before) if self.before else 0.0)
        misses = 0
        for rank, one in enumerate(ranked, start=1):
            part = self._part(one.file, one.block.first, one.block.last)
            lines = [line.strip() for line in part.splitlines()[1:]]
            telling = [line for line in lines if len(line) >= _TELLING_LINE] or lines
            known = sum(line in self._shown for line in telling)
            size = count(self.unit, self.separator + part)
            if one.required and size > left:
                raise InfeasibleError(
                    f"expected what is required to fit into {self.budget:g} {self.unit.name}, "
                    f"{part.splitlines()[0]} does not; raise the budget or require less"
                )
            if not one.required and known >= _REPEATS * len(telling):
                self._leave(one, rank, "repeats", "its lines stand in what is shown")
            elif size > self.budget:
                self._leave(one, rank, "too long", "its best block does not fit even by itself")
            elif size > left or self._spent.get(one.file, 0.0) + size > per_file:
                self._leave(one, rank, "no room", "blocks that match better fill the budget")
                misses += 1
            else:
                self.chosen.append(one)
                self._shown.update(lines)
                self._spent[one.file] = self._spent.get(one.file, 0.0) + size
                left, misses = left - size, 0
            if misses == _MISSES:
                for k, other in enumerate(ranked[rank:], start=rank + 1):
                    self._leave(other, k, "no room", "blocks that match better fill the budget")
                break

    def _leave(self, one: RankedBlock, rank: int, kind: str, reason: str) -> None:
        name, block = self.names[one.file], one.block
        left = LeftOutFile(name, block.first + 1, block.last + 1, rank, kind, reason)
        self.reasons.setdefault(name, left)

    def _part(self, file: int, first: int, last: int) -> str:
        shown = "\n".join(self.lines(file)[first : last + 1])
        return f"{self.names[file]}:{first + 1}-{last + 1}\n{shown}"

    def render(self) -> tuple[str, tuple[tuple[str, int, int], ...]]:
        """Put the chosen blocks together; what does not fit after all goes, the last one first."""
        while True:
            places = list(self._places())
            shown = [self._part(*place) for place in places]
            text = self.separator.join([*([self.before] if self.before else []), *shown])
            if not self.chosen or count(self.unit, text) <= self.budget:
                parts = ((self.names[file], first + 1, last + 1) for file, first, last in places)
                return text, tuple(parts)
            self.chosen.pop()

    def _places(self) -> Iterator[tuple[int, int, int]]:
        """List the chosen lines, neighbours as one part, in the order asked for."""
        ranks = {one.file: k for k, one in reversed(list(enumerate(self.chosen)))}
        files = sorted(ranks, key=ranks.__getitem__)
        places = np.empty(len(self.names), np.int64)
        places[files] = np.arange(len(files))
        shelf = Shelf(places, self.names, range(len(self.names)))
        # by document: as paths are sorted
        given = sorted(files) if self.order == "document" else files
        for file in ORDERS[self.order](given, shelf):
            lines = self.lines(file)
            own = sorted((b.first, b.last) for f, b, *_ in self.chosen if f == file)
            first, last = own[0]
            for begin, end in own[1:]:
                if any(line.strip() for line in lines[last + 1 : begin]):
                    yield file, first, last
                    first = begin
                last = max(last, end)
            yield file, first, last


def _require(
    required: Iterable[str | re.Pattern[str]] | str | re.Pattern[str],
    names: Sequence[str],
    texts: Sequence[str],
    ranked: Sequence[RankedBlock],
) -> Iterator[RankedBlock]:
    """List what must stay: whole files, and of every fact the best block that holds it."""
    given = [required] if isinstance(required, str | re.Pattern) else required
    for one in given:
        if isinstance(one, str) and one in names:
            file = names.index(one)
            last = len(texts[file].rstrip().split("\n")) - 1
            yield RankedBlock(file, Block(0, last, ""), 0.0, required=True)
            continue
        pattern = FACTS.get(one) if isinstance(one, str) else one
        if pattern is None:
            raise OptionError(
                f"expected required to hold paths of the files, compiled patterns or names out of "
                f"{', '.join(FACTS)}, got {one!r}"
            )
        best = list(dict.fromkeys([*(block.file for block in ranked), *range(len(names))]))
        places = {(block.file, block.block): k for k, block in enumerate(ranked)}
        found: dict[str, tuple[int, int, Block]] = {}
        for file in best if pattern else ():
            if pattern.search(texts[file]):
                for block, shown in cut(names[file], texts[file]):
                    place = places.get((file, block), len(ranked))
                    for match in pattern.finditer(shown):
                        known = found.setdefault(match.group(), (place, file, block))
                        found[match.group()] = min(known, (place, file, block))
        for _, file, block in sorted(set(found.values())):
            yield RankedBlock(file, block, 0.0, required=True)


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
    order = list(range(len(names)))
    if query:
        ranked = rank_blocks(names, texts, [query], index_folder(index, Path(root)))
        order = list(dict.fromkeys([*(one.file for one in ranked), *order]))
    if count(counter, text) > budget:
        return _shorten([names[file] for file in order], counter, budget)
    if shown is full:
        return text
    # what room is left is for the details of the files that match best
    richer = full if shown is top else top
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
