"""LangChain: a document compressor that fills the context window with what says the most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxcover.errors import MissingExtraError
from maxcover.packing import pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.callbacks import Callbacks

try:
    from langchain_core.documents import BaseDocumentCompressor, Document
    from pydantic import ConfigDict, Field
except ImportError as error:
    raise MissingExtraError(
        "the LangChain adapter needs langchain-core: pip install 'maxcover[langchain]'"
    ) from error

PROVENANCE = "maxcover"


class CoverageCompressor(BaseDocumentCompressor):  # type: ignore[misc] # LangChain is not installed with us
    """Keep the documents, or their sentences, that together say the most within a hard budget.

    For ``ContextualCompressionRetriever(base_compressor=..., base_retriever=...)`` or by itself;
    sync and async. Metadata and ids stay; ``metadata["maxcover"]`` says where the text stands in
    the document it was taken from, what it costs and what it adds.

    Parameters
    ----------
    budget : float
        How large the contents may be together, with `separator` between two of them.
    unit, granularity, order, required, separator
        As in `maxcover.pack`.
    score_key : str
        The metadata entry with the score, the higher the better, which rerankers call
        "relevance_score". If a document lacks it, no scores are used: retrievers of LangChain give
        none.
    document_key, position_key : str
        The metadata entries for the order "document".
    options : dict
        Everything else that `maxcover.pack` takes.
    """

    budget: float
    unit: Any = "tokens"
    granularity: str = "passage"
    order: str = "retrieved"
    required: Any = ()
    separator: str = "\n\n"
    score_key: str = "relevance_score"
    document_key: str = "source"
    position_key: str = "start_index"
    options: dict[str, Any] = Field(default_factory=dict)

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Return the documents to send, in the order asked for; the ones given stay as they are."""
        del callbacks  # nothing here that reports
        metadata = [document.metadata for document in documents]
        scores = [entries.get(self.score_key) for entries in metadata]
        packed = pack(
            [document.page_content for document in documents],
            budget=self.budget,
            query=query,
            scores=None if None in scores else scores,
            unit=self.unit,
            granularity=self.granularity,
            required=self.required,
            order=self.order,
            documents=[entries.get(self.document_key) for entries in metadata],
            positions=[entries.get(self.position_key, k) for k, entries in enumerate(metadata)],
            separator=self.separator,
            **self.options,
        )
        return [
            Document(
                id=documents[passage.index].id,
                page_content=passage.text,
                metadata={**metadata[passage.index], PROVENANCE: passage.provenance()},
            )
            for passage in packed.passages
        ]
