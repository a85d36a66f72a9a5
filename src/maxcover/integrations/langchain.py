"""LangChain: a document compressor that keeps what says the most in a context window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxcover.errors import MissingExtraError
from maxcover.integrations.adapter import PROVENANCE, Retrieved, in_brackets, pack_retrieved
from maxcover.packing.layout import PackOrderName  # noqa: TC001 - frameworks read it
from maxcover.packing.pack import GranularityName  # noqa: TC001 - frameworks read it

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
        Callbacks,
    )

    from maxcover.packing.result import Packed

try:
    from langchain_core.documents import BaseDocumentCompressor, Document
    from langchain_core.retrievers import BaseRetriever
    from pydantic import ConfigDict, Field
except ImportError as error:
    raise MissingExtraError(
        "the LangChain adapter needs langchain-core: pip install 'maxcover[langchain]'"
    ) from error


class CoverageCompressor(BaseDocumentCompressor):  # type: ignore[misc] # mypy runs without LangChain
    """Keep the documents, or their sentences, that together say the most within a hard budget.

    For ``ContextualCompressionRetriever(base_compressor=..., base_retriever=...)`` or by itself;
    sync and async. Metadata and ids stay; ``metadata["maxcover"]`` says where the text stands in
    the document it was taken from, what it costs and what it adds.

    Parameters
    ----------
    budget : float
        Maximum size of all contents together, with `separator` between two of them.
    unit, granularity, order, required, separator
        As in `maxcover.pack`.
    score_key : str
        The metadata entry with the score, the higher the better, which rerankers call
        "relevance_score". A document without one, or with NaN, stays behind the one before it;
        retrievers of LangChain give none, and then the order of the documents is the ranking.
    document_key, position_key : str
        The metadata entries for the order "document".
    headers : bool
        Whether a content begins with its source in brackets, the entry `document_key`. It counts.
    options : dict
        Other options of `maxcover.pack`.
    """

    budget: float
    unit: Any = "tokens"
    granularity: GranularityName = "auto"
    order: PackOrderName = "retrieved"
    required: Any = ()
    separator: str = "\n\n"
    score_key: str = "relevance_score"
    document_key: str = "source"
    position_key: str = "start_index"
    headers: bool = True
    options: dict[str, Any] = Field(default_factory=dict)

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    def pack(
        self, documents: Sequence[Document], query: str, *, after: Packed | str | None = None
    ) -> Packed:
        """Return the whole result; the text begins with `after`, an earlier context."""
        found = (
            Retrieved(
                one.page_content,
                one.metadata.get(self.score_key),
                one.metadata.get(self.document_key),
                one.metadata.get(self.position_key),
                self._header(one),
            )
            for one in documents
        )
        return pack_retrieved(self, found, query, after)

    def _header(self, document: Document) -> str:
        return in_brackets(document.metadata.get(self.document_key)) if self.headers else ""

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Return copies of the documents to send, in the order asked for."""
        del callbacks  # the interface requires this parameter, which is not used
        taken = ((documents[one.index], one) for one in self.pack(documents, query).passages)
        return [
            Document(
                id=document.id,
                page_content=self._header(document) + one.text,
                metadata={**document.metadata, PROVENANCE: one.provenance()},
            )
            for document, one in taken
        ]


class CoverageRetriever(BaseRetriever):  # type: ignore[misc] # mypy runs without LangChain
    """A retriever that packs the documents of another retriever into a budget.

    Parameters
    ----------
    retriever : BaseRetriever
        The other retriever; it gets the same query, sync or async.
    compressor : CoverageCompressor
    """

    retriever: BaseRetriever
    compressor: CoverageCompressor

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        found = self.retriever.invoke(query, config={"callbacks": run_manager.get_child()})
        return self.compressor.compress_documents(found, query)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        found = await self.retriever.ainvoke(query, config={"callbacks": run_manager.get_child()})
        return list(await self.compressor.acompress_documents(found, query))
