"""The tools, their limits, and what of a result is kept for later questions.

Text given to a tool stays in this process; no tool opens a file unless the server was started with
a root folder, and then only files below it.
"""

from __future__ import annotations

import posixpath
import threading
from collections import deque
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from maxcover.calls import default_of
from maxcover.core.validation import near
from maxcover.files.listing import Limits, list_files, names_hidden
from maxcover.mcp.answers import Chosen, Item, LeftOutAnswer, Missing
from maxcover.packing import Packed, pack
from maxcover.packing.requirements import FactName  # noqa: TC001 - pydantic reads it
from maxcover.text.read.given import find_documents

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from maxcover.core.problem import CoverageProblem
    from maxcover.core.solution import Solution

#: Limits of one call. A call beyond them is refused with a sentence that says so.
MOST_TEXTS, MOST_CHARACTERS, MOST_ITEMS, MOST_PAIRS = 5_000, 5_000_000, 20_000, 1_000_000
MOST_QUESTIONS = 100
#: Seconds that a summary or a selection may search.
SECONDS = 5.0
#: Results that can still be asked about.
KEPT = 32
_BEGINNING = 160

Texts = (
    Annotated[list[str | dict[str, str]], Field(max_length=MOST_TEXTS)]
    | Annotated[dict[str, str], Field(max_length=MOST_TEXTS)]
)
Budget = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
Language = Annotated[str, Field(max_length=40, description='Name or code, such as "de".')]
PackUnit = Literal["tokens", "words", "characters", "bytes"]
Granularity = Literal["auto", "passage", "sentence"]
Items = Annotated[list[Item], Field(max_length=MOST_ITEMS)]
Weights = Annotated[
    dict[str, Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]],
    Field(description="What it is worth to cover something; 1 if not given."),
]

Globs = Annotated[
    list[Annotated[str, Field(max_length=1000)]],
    Field(
        min_length=1,
        max_length=MOST_TEXTS,
        description='Files, folders or globs below the root, such as "src/**/*.py".',
    ),
]
Tokens = Annotated[Budget, Field(description="Largest size of the answer, in tokens.")]
Root = Annotated[
    str,
    Field(
        max_length=1000,
        description="One of the folders of maxcover://roots; the first if not given.",
    ),
]


class Tools:
    """The tools, and the last results, which can be asked about."""

    def __init__(self, roots: Sequence[Path] = ()) -> None:
        self.roots = [root.resolve(strict=True) for root in roots]
        self._kept: deque[tuple[Packed, Sequence[str]]] = deque(maxlen=KEPT)
        self._lock = threading.Lock()

    def pack(
        self,
        passages: Annotated[Texts, Field(description="What a search found, best first.")],
        budget: Annotated[Budget, Field(description="How large the text may be.")],
        *,
        query: Annotated[
            str | Annotated[list[str], Field(max_length=MOST_QUESTIONS)],
            Field(description="The question, or the topic; or several questions."),
        ] = "",
        scores: Annotated[
            list[float | None] | None, Field(description="The higher the better; any scale.")
        ] = None,
        unit: PackUnit = default_of("pack", "unit"),
        granularity: Granularity = default_of("pack", "granularity"),
        required: Annotated[
            list[Annotated[int, Field(ge=0)] | FactName],
            Field(description="Passages by number, and kinds of facts, that must stay."),
        ] = [],  # noqa: B006 - never changed
        language: Language = default_of("pack", "language"),
    ) -> str:
        """Choose what to send to a model of the passages that a search found.

        Keeps what answers the query, leaves out what is repeated, and never exceeds the budget.
        Each part stands under the number of its passage, from 0, or under its name.
        """
        given = find_documents(passages, option="passages", paths=False)
        _check(given.documents, *([query] if isinstance(query, str) else query))
        names = given.names or range(len(given.documents))
        packed = pack(
            given,
            query=query,
            budget=budget,
            scores=scores,
            unit=unit,
            granularity=granularity,
            required=list(required),
            headers=[f"[{name}]\n" for name in names],
            language=language,
        )
        self._keep(packed, given.documents)
        return packed.text or f"(no passage fits into {budget:g} {unit}; see left_out)"

    def left_out(
        self,
        call: Annotated[
            int, Field(ge=1, le=KEPT, description="1 is the last call of pack, 2 the one before.")
        ] = 1,
        first: Annotated[int, Field(ge=0)] = 0,
        count: Annotated[int, Field(ge=1, le=100)] = 20,
    ) -> LeftOutAnswer:
        """List passages that pack left out, best first, each with the reason; what is proven."""
        with self._lock:
            kept = list(self._kept)
        if len(kept) < call:
            raise ToolError(f"expected call to be one of the {len(kept)} calls of pack, got {call}")
        packed, passages = kept[-call]
        return LeftOutAnswer(
            total=len(packed.left_out),
            passages=[
                Missing(
                    passage=one.index,
                    rank=one.rank,
                    reason=one.reason,
                    beginning=passages[one.index][:_BEGINNING],
                )
                for one in packed.left_out[first : first + count]
            ],
            certificate=packed.certificate,
        )

    def summarize(
        self,
        texts: Annotated[
            str | Texts, Field(description="A text, a list of texts, or names with their texts.")
        ],
        budget: Annotated[
            Annotated[Budget, Field(gt=0)] | None,
            Field(description="Largest size; a tenth of the texts if not given."),
        ] = None,
        query: Annotated[str, Field(description="Prefer what answers this.")] = "",
        unit: PackUnit = default_of("summarize", "unit"),
        language: Language = default_of("summarize", "language"),
    ) -> str:
        """Summarise texts by those of their sentences that together say the most."""
        from maxcover.summary.summarize import summarize

        given = find_documents(texts, option="texts", paths=False)
        _check(given.documents, query)
        made = summarize(
            given, budget=budget, unit=unit, query=query, language=language, time_limit=SECONDS
        )
        return str(made)

    def summarize_files(
        self,
        paths: Annotated[list[str], Field(max_length=MOST_TEXTS)],
        budget: Annotated[Budget, Field(gt=0)] | None = None,
        query: str = "",
        unit: PackUnit = default_of("summarize", "unit"),
        language: Language = default_of("summarize", "language"),
    ) -> str:
        """Summarise text files below the root folder of this server."""
        root = self._root("")
        # a character has at most four bytes
        limits = Limits(files=MOST_TEXTS, total_bytes=4 * MOST_CHARACTERS)
        listing = list_files(root, self._visible(root, paths), limits=limits)
        found = {file.path for file in listing.files}
        texts = {}
        for path in {posixpath.normpath(path): path for path in paths}:
            if path not in found:
                raise ToolError(f"expected a file below the root folder, got {path!r}")
            with listing.open(path) as file:
                texts[path] = file.read(limits.total_bytes).decode("utf-8", "replace")
        return self.summarize(texts, budget, query, unit, language)

    def select(
        self,
        items: Items,
        budget: Annotated[Budget, Field(description="Largest sum of costs.")],
        weights: Weights = {},  # noqa: B006 - never changed
    ) -> Chosen:
        """Choose items within a budget that together cover the most weight."""
        from maxcover.solvers import solve

        found = solve(_problem(items, weights, budget), time_limit=SECONDS)
        return _chosen(items, found)

    def cover(
        self,
        items: Items,
        target: Annotated[
            float, Field(gt=0, le=1, description="The share of the total weight to cover.")
        ] = 1.0,
        weights: Weights = {},  # noqa: B006 - never changed
    ) -> Chosen:
        """Choose the cheapest items that together cover a share of the total weight."""
        from maxcover.solvers.cover import cover

        found = cover(_problem(items, weights, 0.0), target=target, time_limit=SECONDS)
        return _chosen(items, found)

    def pack_files(
        self,
        paths: Globs,
        query: Annotated[str, Field(max_length=10_000, description="What you look for.")],
        budget: Tokens,
        root: Root = "",
    ) -> str:
        """Show what answers a query in files: whole functions and sections, with path and lines.

        Instead of reading whole files one by one. Each part stands under a line path:first-last.
        """
        from maxcover.packing.located import pack_files

        base = self._root(root)
        packed = pack_files(self._visible(base, paths), query=query, budget=budget, root=base)
        why = "fits" if packed.n_matching else "matches"
        return packed.text or f"(nothing {why}: {packed.n_files} files were searched)"

    def map_files(
        self,
        paths: Globs,
        budget: Tokens,
        query: Annotated[str, Field(max_length=10_000, description="Details for these.")] = "",
        root: Root = "",
    ) -> str:
        """List files with their classes, functions and headings, each with its line number."""
        from maxcover.packing.file_map import map_files

        base = self._root(root)
        return map_files(self._visible(base, paths), budget=budget, query=query, root=base)

    def list_roots(self) -> str:
        """List the folders whose files the tools may read, one per line."""
        return "\n".join(map(str, self.roots))

    def _root(self, name: str) -> Path:
        """Find one of the roots; without a name the first."""
        found = [one for one in self.roots if not name or str(one) == name or one.name == name]
        if not found:
            raise ToolError(
                "expected root to be one of the folders that this server was started with "
                f"({', '.join(map(str, self.roots)) or 'none: start it with --root'}), got {name!r}"
            )
        return found[0]

    def _keep(self, packed: Packed, passages: Sequence[str]) -> None:
        with self._lock:
            self._kept.append((packed, passages))

    def _visible(self, root: Path, paths: list[str]) -> list[str]:
        """Refuse paths of hidden files: who starts the server names folders, an agent does not."""
        for path in paths:
            if names_hidden(root, path):
                raise ToolError(
                    f"expected paths that are not hidden, got {path!r}; whoever starts this server "
                    "can make a hidden folder a root"
                )
        return paths


def _problem(items: list[Item], weights: dict[str, float], budget: float) -> CoverageProblem:
    """Make the coverage problem of items."""
    from maxcover.core.problem import CoverageProblem

    if sum(len(item.covers) for item in items) > MOST_PAIRS:
        raise ToolError(f"expected at most {MOST_PAIRS} entries of covers in all")
    sets = {item.name: item.covers for item in items}
    if len(sets) != len(items):
        raise ToolError("expected every item to have a name of its own")
    elements = dict.fromkeys((element for covers in sets.values() for element in covers), 1.0)
    for name in weights:
        hint = near(name, elements.keys() - weights.keys()) if name not in elements else ""
        if hint:
            raise ToolError(f"weights has {name!r}, which no item covers{hint}")
    return CoverageProblem.from_sets(
        sets,
        costs={item.name: item.cost for item in items},
        weights=elements | weights,
        budget=budget,
    )


def _chosen(items: list[Item], found: Solution) -> Chosen:
    return Chosen(
        chosen=[items[index].name for index in found.selected.tolist()],
        cost=found.cost,
        covered_weight=found.value,
        status=found.status,
        gap=found.gap,
    )


def _check(texts: Sequence[str], *queries: str) -> None:
    size = sum(map(len, [*texts, *queries]))
    if size > MOST_CHARACTERS:
        raise ToolError(f"expected at most {MOST_CHARACTERS} characters in one call, got {size}")
