"""Haystack: a component that fills the context window with what says the most."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from maxcover.errors import MissingExtraError
from maxcover.packing import pack

try:
    from haystack import Document, component
except ImportError as error:
    raise MissingExtraError(
        "the Haystack adapter needs haystack-ai: pip install 'maxcover[haystack]'"
    ) from error

PROVENANCE = "maxcover"


@component
class CoveragePacker:
    """Keep the documents, or their sentences, that together say the most within a hard budget.

    Between a retriever or ranker and a prompt builder. Ids, scores and meta stay;
    ``meta["maxcover"]`` says where the text stands in the document it was taken from, what it costs
    and what it adds. Documents without text are left out.

    Parameters
    ----------
    budget : float
        How large the contents may be together, with `separator` between two of them.
    unit, granularity, order, required, separator
        As in `maxcover.pack`; with names instead of objects a pipeline can be serialized.
    options : dict, optional
        Everything else that `maxcover.pack` takes.
    """

    def __init__(
        self,
        budget: float,
        *,
        unit: Any = "tokens",
        granularity: str = "passage",
        order: str = "retrieved",
        required: Any = None,
        separator: str = "\n\n",
        options: dict[str, Any] | None = None,
    ) -> None:
        self.budget = budget
        self.unit = unit
        self.granularity = granularity
        self.order = order
        self.required = required
        self.separator = separator
        self.options = options

    @component.output_types(documents=list[Document], text=str)  # type: ignore[untyped-decorator]
    def run(self, documents: list[Document], query: str = "") -> dict[str, Any]:
        """Return the documents to send, and the text that they make."""
        found = [document for document in documents if document.content]
        scores = [document.score for document in found]
        packed = pack(
            [document.content for document in found],
            budget=self.budget,
            query=query,
            scores=None if None in scores else scores,
            unit=self.unit,
            granularity=self.granularity,
            required=() if self.required is None else self.required,
            order=self.order,
            documents=[document.meta.get("source_id") for document in found],
            positions=[document.meta.get("split_idx_start", k) for k, document in enumerate(found)],
            separator=self.separator,
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
        return {"documents": kept, "text": packed.text}
