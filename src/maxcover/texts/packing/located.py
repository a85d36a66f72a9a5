"""Located: blocks of files packed into a budget, each with its path and lines.

Blocks are chosen as passages are. Each line is worth more the better the best block that holds it
matches the question, and a line counts once, so that copies and blocks that match no question are
left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.ground.options import checked
from maxcover.texts.packing.context import Context, LeftOut
from maxcover.texts.packing.counters import Counter, characters_in, count, find_counter, remaining
from maxcover.texts.packing.file_blocks import GAP, PROSE, cut_file, is_stub, parser_of
from maxcover.texts.packing.file_index import find_files, index_files, index_folder
from maxcover.texts.packing.fitting import choose, pose
from maxcover.texts.packing.layout import Layout, PackOrderName, price
from maxcover.texts.packing.objective import LENGTH
from maxcover.texts.packing.ranking import RankedBlock, rank_blocks
from maxcover.texts.packing.requirements import Requirement, find_facts, split_requirements
from maxcover.texts.packing.result import certified

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from maxcover.ground.array_types import Floats, Int64s, Mask
    from maxcover.texts.packing.file_index import TextFiles

SCHEMA = "maxcover.packed_files/1"
# Characters of a block of prose, at least.
_LEAST_PROSE = 160
# Only the best blocks are looked at, until they are so many times as large as the budget.
_LOOKED_AT = 4
# What a block is worth is its score ** _STEEPNESS: chosen on 90 questions about functions of three
# packages, with 300 to 8,000 tokens.
_STEEPNESS = 20.0
# A file is said to repeat what is shown if at least this share of its best block's lines is shown.
_REPEATS = 0.8
_OPTIONS: dict[str, Any] = {"time_limit": None, "target_gap": 0.0, "seed": 0}
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
        The size of the text and its limit, in `unit`, what `room` keeps free taken off.
    unit : str
    value, upper_bound, gap, status, total_weight
        As of `Packed`; what is weighed are the lines of blocks.
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

    pieces = "blocks"

    @property
    def remark(self) -> str:
        """How many blocks match, what is proven, and whether code was cut without a parser."""
        if not self.n_matching:
            return "Nothing matches the query."
        indents = "Some code was cut by its indents; pip install maxcover[code] parses it. "
        shown = indents if "indents" in self.parsers else ""
        return f"{shown}{self.n_matching} blocks match the query. {self.certificate}"

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
    queries, counter = [query] if isinstance(query, str) else query, find_counter(unit)
    left = remaining(counter, budget, room)
    characters = characters_in(left, counter)
    # A block of prose takes at most a quarter of the budget.
    prose = int(np.clip(characters / 4, _LEAST_PROSE, PROSE))
    ranked = rank_blocks(texts.names, texts, queries, counted, prose=prose)
    looked_at = np.cumsum([min(one.end - one.start, characters) for one in ranked])
    some = ranked[: int(np.searchsorted(looked_at, _LOOKED_AT * characters)) + 1]
    blocks, named = _require(required, texts, some, prose)
    layout = _lay_out(
        blocks,
        ranked,
        texts,
        separator=separator,
        order=order,
        unit=counter,
        before=str(after or ""),
    )
    musts = [(name, [blocks.index(one)]) for name, one in named]
    prices = price(layout, left)
    covers = _cover(layout, [one.score for one in blocks])
    posed = pose([covers], musts, layout, prices, budget=left, per_document=per_document)
    chosen, size, chooser = choose(posed, "auto", "fast", _OPTIONS)
    shown = layout.shown(chosen)
    parts = tuple(layout.place(file, *span) for file, spans in shown for span in spans)
    return PackedFiles(
        parts=parts,
        cost=float(size),
        n_files=len(texts),
        n_matching=len(ranked),
        parsers=tuple(sorted({parser_of(path) for path, _, _ in parts})),
        _find_left_out=lambda: tuple(_find_left_out(layout, ranked, chosen, left)),
        **certified(posed, chosen, chooser.prove),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class FileLayout(Layout):
    """A layout of blocks of files; each part stands under a line with its path and lines.

    `documents` are the paths, and pieces of a file need not touch each other.
    """

    def singles(self) -> Mask:
        """Return that every piece is measured with its own line and separator."""
        return np.ones(len(self.texts), dtype=bool)

    def pieces(self) -> list[str]:
        """Return every piece under the line that says where it is."""
        places = zip(self.passage.tolist(), self.starts.tolist(), self.ends.tolist(), strict=True)
        return [self.show(file, [span]) for file, *span in places]

    def spans(self, pieces: list[int]) -> list[tuple[int, int]]:
        """Return the ranges of chosen pieces of a file; merged if only white space is between."""
        text, spans = self.texts[self.passage[pieces[0]]], list[tuple[int, int]]()
        for start, end in zip(self.starts[pieces], self.ends[pieces], strict=True):
            joins = spans and not text[spans[-1][1] : start].strip()
            spans.append((spans.pop()[0] if joins else int(start), int(end)))
        return spans

    def show(self, passage: int, spans: Sequence[Sequence[int]]) -> str:
        """Join the chosen ranges of a file, each under its path and lines."""
        text, parts = self.texts[passage], []
        for start, end in spans:
            path, first, last = self.place(passage, start, end)
            before = "" if text[:start][-1:] in {"", "\n"} else f"{GAP} "
            behind = "" if text[end : end + 1] in {"", "\n"} else f" {GAP}"
            parts.append(f"{path}:{first}-{last}\n{before}{text[start:end]}{behind}")
        return self.separator.join(parts)

    def place(self, file: int, start: int, end: int) -> tuple[str, int, int]:
        """Return the path of a range of a file, and its first and last line, from 1."""
        first = self.texts[file].count("\n", 0, start) + 1
        return str(self.documents[file]), first, first + self.texts[file].count("\n", start, end)

    def _arrange(self, passages: list[int]) -> list[int]:
        ranked = sorted(passages, key=self.ranks.__getitem__)
        return ranked if self.order == "retrieved" else super()._arrange(passages)


def _lay_out(
    blocks: Sequence[RankedBlock], ranked: Sequence[RankedBlock], texts: TextFiles, **given: Any
) -> FileLayout:
    """Make the layout of blocks; a file ranks by the best of its blocks that are `ranked`."""
    n = len(texts)
    ranks = np.full(n, len(ranked) + 1)
    for rank, one in reversed(list(enumerate(ranked, start=1))):
        ranks[one.file] = rank
    return FileLayout(
        texts=texts,
        headers=[""] * n,
        ranks=ranks,
        documents=texts.names,
        positions=range(n),
        kinds=[""] * n,
        english=[True] * n,
        passage=np.array([one.file for one in blocks], np.int64),
        starts=np.array([one.start for one in blocks], np.int64),
        ends=np.array([one.end for one in blocks], np.int64),
        heads=np.full(len(blocks), -1),
        piece=np.arange(len(blocks)),
        **given,
    )


def _lines(text: str) -> dict[str, None]:
    """Return the distinct lines of a text, as their twins in synchronous code have them."""
    return dict.fromkeys(filter(None, map(_without_async, text.splitlines())))


def _cover(layout: FileLayout, scores: Sequence[float]) -> tuple[Int64s, Int64s, Floats]:
    """Return which block holds which line, as (blocks, lines, weights of lines).

    A line is worth its length times what a character of the best block that holds it is worth, and
    nothing if it was sent before. Longer blocks are worth less by character, as in `pack`.
    """
    texts = [text.partition("\n")[2] for text in layout.pieces()]
    numbers: dict[str, int] = {}
    pairs = [
        (block, numbers.setdefault(line, len(numbers)))
        for block, text in enumerate(texts)
        for line in _lines(text)
    ]
    blocks, lines = np.array(pairs, np.int64).reshape(-1, 2).T
    each = np.array(scores) ** _STEEPNESS / np.array([len(text) for text in texts]) ** LENGTH
    weights = np.zeros(len(numbers))
    np.maximum.at(weights, lines, each[blocks])
    weights *= [len(line) for line in numbers]
    weights[[numbers[line] for line in _lines(layout.before) if line in numbers]] = 0.0
    return blocks, lines, weights


def _find_left_out(
    layout: FileLayout, ranked: Sequence[RankedBlock], chosen: list[int], budget: float
) -> Iterator[LeftOut]:
    """Yield files of which nothing is shown: by best block, then files without a match."""
    known = _lines(layout.render(layout.shown(chosen)))
    out = set(range(len(layout.texts))).difference(layout.passage[chosen].tolist())
    for rank, (file, *span, _) in enumerate(ranked, start=1):
        if file not in out:
            continue
        out.remove(file)
        lines = _lines(layout.texts[file][slice(*span)])
        told = "no room", "blocks that match better fill the budget"
        if sum(line in known for line in lines) >= _REPEATS * len(lines):
            told = "repeats", "its lines stand in what is shown"
        elif count(layout.unit, layout.show(file, [span])) > budget:
            told = "too long", "its best block does not fit even by itself"
        path, first, last = layout.place(file, *span)
        yield LeftOut(file, rank, *told, path=path, first=first, last=last)
    for file in sorted(out):
        nothing = "it holds no content word of the query"
        yield LeftOut(file, 0, "matches nothing", nothing, path=str(layout.documents[file]))


def _without_async(line: str) -> str:
    """Return a line as its twin in synchronous code has it, without white space at its ends."""
    return _ASYNC.sub(lambda sign: "def " if sign[0].startswith("async def") else "", line).strip()


def _require(
    required: Iterable[Requirement] | Requirement,
    texts: TextFiles,
    ranked: Sequence[RankedBlock],
    prose: int,
) -> tuple[list[RankedBlock], list[tuple[str, RankedBlock]]]:
    """Return the blocks to choose from, by file and place, and what is required of them by name.

    Required files are one block each; a fact stays in the best block that holds it.
    """
    names = texts.names
    paths, patterns = split_requirements(required, names, "paths of the files")
    whole = {names.index(path): path for path in paths}
    named = [
        (path, RankedBlock(file, 0, len(texts[file].rstrip()), 0.0)) for file, path in whole.items()
    ]
    blocks = [one for one in _without_stubs(ranked, texts) if one.file not in whole]
    known = {one[:3]: one for one in reversed(ranked)}
    searched = [
        known.get((file, start, end), RankedBlock(file, start, end, 0.0))
        for file, text in enumerate(texts)
        if file not in whole and any(pattern.search(text) for pattern in patterns)
        for start, end, _ in cut_file(names[file], text, prose)
    ]
    searched.sort(key=lambda one: -one.score)
    facts = find_facts([texts[one.file][one.start : one.end] for one in searched], patterns)
    named += [(repr(fact), searched[holders[0]]) for fact, holders in facts.items()]
    return sorted({*blocks, *(one for _, one in named)}), named


def _without_stubs(ranked: Sequence[RankedBlock], texts: TextFiles) -> Iterator[RankedBlock]:
    """Yield ranked blocks, without overloads of a function whose definition is ranked too."""
    shown = [texts[one.file][one.start : one.end] for one in ranked]
    names = [
        (one.file, *_DEFINED.findall(text)[:1]) for one, text in zip(ranked, shown, strict=True)
    ]
    stubs = [is_stub(text) for text in shown]
    defined = {name for name, stub in zip(names, stubs, strict=True) if not stub}
    for one, name, stub in zip(ranked, names, stubs, strict=True):
        if not (stub and name in defined):
            yield one
