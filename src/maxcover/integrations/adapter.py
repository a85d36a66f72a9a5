"""Adapter: what the adapters to retrieval frameworks have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.packing.pack import pack
from maxcover.packing.records import known_scores

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maxcover.packing.result import Packed

#: The key of metadata under which `PackedPassage.provenance` is stored.
PROVENANCE = "maxcover"
#: Options of `pack` that every adapter has as attributes of its own.
OPTIONS = ("budget", "unit", "granularity", "order", "required", "separator")


class Retrieved(NamedTuple):
    """A retrieved passage; if `position` is None, its place in the retrieved order is used."""

    text: str
    score: Any = None
    document: Any = None
    position: Any = None
    header: str = ""


def pack_retrieved(
    adapter: Any, found: Iterable[Retrieved], query: str, after: Packed | str | None
) -> Packed:
    """Pack retrieved passages; the attributes of `adapter` are the options of `pack`."""
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
    """Return the header of a passage, its source in brackets; "" if `source` is None."""
    return "" if source is None else f"[{source}]\n"
