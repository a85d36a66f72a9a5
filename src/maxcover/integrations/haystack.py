"""Haystack: a component that keeps what says the most in a context window."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any

from maxcover.errors import MissingExtraError
from maxcover.ground.calls import CALLS
from maxcover.ground.options import check_names
from maxcover.integrations.adapter import PROVENANCE, Retrieved, in_brackets, pack_retrieved
from maxcover.texts.packing.result import Packed

try:
    from haystack import Document, component, default_to_dict
except ImportError as error:
    raise MissingExtraError(
        "the Haystack adapter needs haystack-ai: pip install 'maxcover[haystack]'"
    ) from error

_OUTPUTS = {"documents": list[Document], "text": str, "packed": Packed}


@component
class CoveragePacker:
    """Keep the documents, or their sentences, that together say the most within a hard budget.

    Use it between a retriever or ranker and a prompt builder. Ids, scores and meta stay;
    ``meta["maxcover"]`` says where the text stands in its document, what it costs and what it adds.
    Documents without text are left out. The output ``packed`` is the whole result: what was left
    out and why, and what is proven.

    Parameters
    ----------
    budget : float
        Maximum size of the text: the contents under their sources.
    source_key : str
        The entry of meta that stands in brackets before a content in the text; "" for none.
    **options
        Other options of `maxcover.pack`. A pipeline can be saved if they are plain values or
        patterns.
    """

    def __init__(self, budget: float, *, source_key: str = "file_path", **options: Any) -> None:
        check_names(options, CALLS["pack"], "pack")
        self.budget, self.source_key, self.options = budget, source_key, options

    def to_dict(self) -> dict[str, Any]:
        """Return all options as plain values, from which `from_dict` makes the component again."""
        options = dict(self.options)
        if "required" in options:
            given = options["required"]
            is_one = isinstance(given, str | int | re.Pattern)
            options["required"] = [_plain(one) for one in ([given] if is_one else given)]
        plain: dict[str, Any] = default_to_dict(
            self, budget=self.budget, source_key=self.source_key, **options
        )
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> CoveragePacker:
        """Make a component from what `to_dict` returned."""
        given = dict(data["init_parameters"])
        given["required"] = [
            re.compile(one["pattern"], one["flags"]) if isinstance(one, dict) else one
            for one in given.get("required", ())
        ]
        return cls(**given)

    @component.output_types(**_OUTPUTS)  # type: ignore[untyped-decorator]
    async def run_async(
        self, documents: list[Document], query: str = "", after: str = ""
    ) -> dict[str, Any]:
        """Do the same as `run`, in another thread."""
        result: dict[str, Any] = await asyncio.to_thread(self.run, documents, query, after)
        return result

    @component.output_types(**_OUTPUTS)  # type: ignore[untyped-decorator]
    def run(self, documents: list[Document], query: str = "", after: str = "") -> dict[str, Any]:
        """Return the documents to send, their joined text, and the whole result.

        `after` is the text of an earlier run; the new text begins with it.
        """
        found = [document for document in documents if document.content]
        rows = (
            Retrieved(
                one.content or "",
                one.score,
                one.meta.get("source_id"),
                one.meta.get("split_idx_start"),
                in_brackets(one.meta.get(self.source_key)),
            )
            for one in found
        )
        packed = pack_retrieved(
            rows, query, budget=self.budget, after=after or None, **self.options
        )
        kept = [
            replace(
                found[passage.index],
                content=passage.text,
                meta={**found[passage.index].meta, PROVENANCE: passage.provenance()},
            )
            for passage in packed.passages
        ]
        return {"documents": kept, "text": packed.text, "packed": packed}


def _plain(requirement: Any) -> Any:
    """Return a requirement as plain values: a pattern as a dict, others unchanged."""
    if isinstance(requirement, re.Pattern):
        return {"pattern": requirement.pattern, "flags": requirement.flags}
    return requirement
