"""Adapter: what the adapters to retrieval frameworks have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.texts.packing.pack import pack
from maxcover.texts.packing.records import known_scores

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maxcover.texts.packing.result import Packed

#: The key of metadata under which `PackedPassage.provenance` is stored.
PROVENANCE = "maxcover"


class Retrieved(NamedTuple):
    """A retrieved passage; if `position` is None, its place in the retrieved order is used."""

    text: str
    score: Any = None
    document: Any = None
    position: Any = None
    header: str = ""


def pack_retrieved(found: Iterable[Retrieved], query: str, **options: Any) -> Packed:
    """Pack retrieved passages with the given options of `pack`."""
    rows = list(found)
    return pack(
        [one.text for one in rows],
        query=query,
        scores=known_scores(one.score for one in rows),
        documents=[one.document for one in rows],
        positions=[k if one.position is None else one.position for k, one in enumerate(rows)],
        headers=[one.header for one in rows],
        **options,
    )


def in_brackets(source: Any) -> str:
    """Return the header of a passage, its source in brackets; "" if `source` is None."""
    return "" if source is None else f"[{source}]\n"
