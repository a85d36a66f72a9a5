"""Adapter: what the adapters to retrieval frameworks have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.packing.pack import pack
from maxcover.packing.records import known_scores

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maxcover.packing.result import Packed

#: Where the metadata of what was taken say what `PackedPassage.provenance` does.
PROVENANCE = "maxcover"
#: What every adapter can be told by an option of its own, as `pack` can.
OPTIONS = ("budget", "unit", "granularity", "order", "required", "separator")


class Retrieved(NamedTuple):
    """What a framework knows of a passage; without a position, its place among all is taken."""

    text: str
    score: Any = None
    document: Any = None
    position: Any = None
    header: str = ""


def pack_retrieved(
    adapter: Any, found: Iterable[Retrieved], query: str, after: Packed | str | None
) -> Packed:
    """Pack what a retriever found as an adapter was told by its `OPTIONS` and its `options`."""
    rows = list(found)
    return pack(
        [one.text for one in rows],
        query=query,
        scores=known_scores(one.score for one in rows),
        documents=[one.document for one in rows],
        positions=[k if one.position is None else one.position for k, one in enumerate(rows)],
        headers=[one.header for one in rows],
        after=after or None,
        **{name: getattr(adapter, name) for name in OPTIONS},
        **(adapter.options or {}),
    )


def in_brackets(source: Any) -> str:
    """Give the line that a passage is shown under: its source, if there is one."""
    return "" if source is None else f"[{source}]\n"
