"""Haystack: a component that fills the context window with what says the most."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any

from maxcover.errors import MissingExtraError
from maxcover.packing.counters import NAMES
from maxcover.packing.layout import PackOrderName  # noqa: TC001 - frameworks read it
from maxcover.packing.pack import GranularityName, pack
from maxcover.packing.records import known_scores
from maxcover.packing.result import Packed

try:
    from haystack import Document, component, default_to_dict
    from haystack.utils import deserialize_callable, serialize_callable
except ImportError as error:
    raise MissingExtraError(
        "the Haystack adapter needs haystack-ai: pip install 'maxcover[haystack]'"
    ) from error

PROVENANCE = "maxcover"
_OUTPUTS = {"documents": list[Document], "text": str, "packed": Packed}


@component
class CoveragePacker:
    """Keep the documents, or their sentences, that together say the most within a hard budget.

    Between a retriever or ranker and a prompt builder. Ids, scores and meta stay;
    ``meta["maxcover"]`` says where the text stands in the document it was taken from, what it costs
    and what it adds. Documents without text are left out. The output ``packed`` has the rest: what
    was left out and why, and what is proven.

    Parameters
    ----------
    budget : float
        How large the text may be: the contents under their sources, `separator` between two.
    unit, granularity, order, required, separator
        As in `maxcover.pack`; a tokenizer as unit cannot be serialized, a function of a module can.
    source_key : str
        The entry of meta that stands in brackets before a content in the text; "" for none.
    options : dict, optional
        Everything else that `maxcover.pack` takes.
    """

    def __init__(
        self,
        budget: float,
        *,
        unit: Any = "tokens",
        granularity: GranularityName = "auto",
        order: PackOrderName = "retrieved",
        required: Any = None,
        separator: str = "\n\n",
        source_key: str = "file_path",
        options: dict[str, Any] | None = None,
    ) -> None:
        self.budget = budget
        self.unit = unit
        self.granularity = granularity
        self.order = order
        self.required = required
        self.separator = separator
        self.source_key = source_key
        self.options = options

    def to_dict(self) -> dict[str, Any]:
        """Return as plain values; patterns and functions by what they can be made of again."""
        required = self.required
        if required is not None:
            several = [required] if isinstance(required, str | int | re.Pattern) else required
            required = [_plain(one) for one in several]
        unit = serialize_callable(self.unit) if callable(self.unit) else self.unit
        plain: dict[str, Any] = default_to_dict(
            self,
            budget=self.budget,
            unit=unit,
            granularity=self.granularity,
            order=self.order,
            required=required,
            separator=self.separator,
            source_key=self.source_key,
            options=self.options,
        )
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> CoveragePacker:
        """Make it again of what `to_dict` returned."""
        given = dict(data["init_parameters"])
        if given.get("required") is not None:
            given["required"] = [
                re.compile(one["pattern"], one["flags"]) if isinstance(one, dict) else one
                for one in given["required"]
            ]
        unit = given.get("unit", "tokens")
        if isinstance(unit, str) and unit not in NAMES:
            given["unit"] = deserialize_callable(unit)
        return cls(**given)

    @component.output_types(**_OUTPUTS)  # type: ignore[untyped-decorator]
    async def run_async(
        self, documents: list[Document], query: str = "", after: str = ""
    ) -> dict[str, Any]:
        """Do the same as `run`, in a thread."""
        result: dict[str, Any] = await asyncio.to_thread(self.run, documents, query, after)
        return result

    @component.output_types(**_OUTPUTS)  # type: ignore[untyped-decorator]
    def run(self, documents: list[Document], query: str = "", after: str = "") -> dict[str, Any]:
        """Return the documents to send, the text that they make, and the whole result.

        `after` is the text of an earlier run, which the new one begins with.
        """
        found = [document for document in documents if document.content]
        sources = [document.meta.get(self.source_key) for document in found]
        packed = pack(
            [document.content for document in found],
            budget=self.budget,
            query=query,
            scores=known_scores(document.score for document in found),
            unit=self.unit,
            granularity=self.granularity,
            required=() if self.required is None else self.required,
            order=self.order,
            documents=[document.meta.get("source_id") for document in found],
            positions=[document.meta.get("split_idx_start", k) for k, document in enumerate(found)],
            headers=["" if source is None else f"[{source}]\n" for source in sources],
            separator=self.separator,
            after=after or None,
            **(self.options or {}),
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
    """Return a pattern as plain values; names and numbers are plain."""
    if isinstance(requirement, re.Pattern):
        return {"pattern": requirement.pattern, "flags": requirement.flags}
    return requirement
