"""LangChain: a document compressor that keeps what says the most in a context window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxcover.errors import MissingExtraError
from maxcover.ground.calls import CALLS
from maxcover.ground.options import check_names
from maxcover.integrations.adapter import PROVENANCE, Retrieved, in_brackets, pack_retrieved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
        Callbacks,
    )

    from maxcover.texts.packing.result import Packed

try:
    from langchain_core.documents import BaseDocumentCompressor, Document
    from langchain_core.retrievers import BaseRetriever
    from pydantic import ConfigDict
except ImportError as error:
    raise MissingExtraError(
        "the LangChain adapter needs langchain-core: pip install 'maxcover[langchain]'"
    ) from error


class CoverageCompressor(BaseDocumentCompressor):  # type: ignore[misc] # mypy runs without LangChain
    """Keep the documents, or their sentences, that together say the most within a hard budget.

    For ``ContextualCompressionRetriever(base_compressor=..., base_retriever=...)`` or by itself;
    sync and async. Metadata and ids stay; ``metadata["maxcover"]`` says where the text stands in
    the document it was taken from, what it costs and what it adds.

    The score of a document is its metadata entry "relevance_score", which rerankers write. A
    document without one, or with NaN, stays behind the one before it; retrievers of LangChain give
    none, and then the order of the documents is the ranking. For the order "document", the entries
    "source" and "start_index" are read.

    Parameters
    ----------
    budget : float
        Maximum size of all contents together.
    source_key : str
        The metadata entry that stands in brackets before a content, and counts; "" for none.
    **options
        Other options of `maxcover.pack`.
    """

    budget: float
    source_key: str = "source"

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="allow")

    def model_post_init(self, _context: Any) -> None:
        """Refuse options that `maxcover.pack` does not have."""
        check_names(self.model_extra or {}, CALLS["pack"], "pack")

    def pack(
        self, documents: Sequence[Document], query: str, *, after: Packed | str | None = None
    ) -> Packed:
        """Return the whole result; the text begins with `after`, an earlier context."""
        found = (
            Retrieved(
                one.page_content,
                one.metadata.get("relevance_score"),
                one.metadata.get("source"),
                one.metadata.get("start_index"),
                in_brackets(one.metadata.get(self.source_key)),
            )
            for one in documents
        )
        return pack_retrieved(found, query, budget=self.budget, after=after, **self.model_extra)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Return copies of the documents to send, in the order asked for."""
        del callbacks  # the interface requires this parameter, which is not used
        taken = ((documents[one.index], one) for one in self.pack(documents, query).passages)
        return [
            Document(
                id=document.id,
                page_content=in_brackets(document.metadata.get(self.source_key)) + one.text,
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
