"""The adapter inside real LangChain pipelines: in-memory store, no network."""

import asyncio

import pytest

pytest.importorskip("langchain_core")

import itertools

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore

from maxcover.integrations.langchain import CoverageCompressor, CoverageRetriever
from maxcover.texts.words.units import estimate_tokens
from tests.integrations.corpus import QUERY, TEXTS, embed


class HashedWords(Embeddings):
    def embed_query(self, text):
        return embed(text)

    def embed_documents(self, texts):
        return [embed(text) for text in texts]


@pytest.fixture
def store():
    metadatas = [{"source": f"file-{k % 2}", "start_index": -k} for k in range(len(TEXTS))]
    return InMemoryVectorStore.from_texts(TEXTS, HashedWords(), metadatas=metadatas)


def test_in_a_chain_with_a_model(store):
    compressor = CoverageCompressor(budget=45)
    retriever = store.as_retriever(search_kwargs={"k": 5})
    seen = []

    def context(query):
        documents = compressor.compress_documents(retriever.invoke(query), query)
        seen.extend(documents)
        return {"query": query, "context": "\n\n".join(d.page_content for d in documents)}

    chain = (
        RunnableLambda(context)
        | ChatPromptTemplate.from_template("{context}\n\nQuestion: {query}")
        | FakeListChatModel(responses=["It was sent."])
        | StrOutputParser()
    )
    assert chain.invoke(QUERY) == "It was sent."
    assert seen
    assert estimate_tokens("\n\n".join(d.page_content for d in seen)) <= 45
    said = {d.page_content.partition("\n")[2] for d in seen}
    assert not {TEXTS[0], TEXTS[1]} <= said, "near-duplicates"


def test_in_the_contextual_compression_retriever(store):
    retrievers = pytest.importorskip("langchain_classic.retrievers")
    retriever = retrievers.ContextualCompressionRetriever(
        base_compressor=CoverageCompressor(budget=45, granularity="sentence"),
        base_retriever=store.as_retriever(search_kwargs={"k": 5}),
    )
    found = retriever.invoke(QUERY)
    assert found
    assert asyncio.run(retriever.ainvoke(QUERY)) == found


def test_metadata_ids_and_scores_are_kept_and_provenance_added(store):
    scored = store.similarity_search_with_score(QUERY, k=5)
    for document, score in scored:
        document.metadata["relevance_score"] = score
    documents = [document for document, _ in scored]
    before = [document.model_copy(deep=True) for document in documents]
    kept = CoverageCompressor(budget=45, granularity="sentence").compress_documents(
        documents, QUERY
    )
    assert documents == before, "the documents given stay as they are"
    for document in kept:
        made = document.metadata["maxcover"]
        origin = documents[made["index"]]
        assert document.id == origin.id
        assert {**origin.metadata, "maxcover": made} == document.metadata
        text = " ".join(origin.page_content[a:b] for a, b in made["spans"])
        assert document.page_content == f"[{origin.metadata['source']}]\n{text}"


def test_what_was_left_out_and_what_is_proven(store):
    documents = store.similarity_search(QUERY, k=5)
    compressor = CoverageCompressor(budget=45)
    packed = compressor.pack(documents, QUERY)
    kept = compressor.compress_documents(documents, QUERY)
    assert packed.text == "\n\n".join(document.page_content for document in kept)
    assert {one.index for one in packed.left_out} == set(range(5)) - set(packed.indices)
    assert "45 tokens" in packed.certificate
    plain = CoverageCompressor(budget=45, source_key="").compress_documents(documents, QUERY)
    assert not any(document.page_content.startswith("[") for document in plain)


def test_order_by_document_reads_the_metadata(store):
    documents = store.similarity_search(QUERY, k=5)
    kept = CoverageCompressor(budget=500, order="document").compress_documents(documents, QUERY)
    places = [(d.metadata["source"], d.metadata["start_index"]) for d in kept]
    for source in ("file-0", "file-1"):
        own = [position for name, position in places if name == source]
        assert own == sorted(own)
    assert len({name for name, _ in places}) - 1 == sum(
        a[0] != b[0] for a, b in itertools.pairwise(places)
    )


def test_async_gives_the_same_and_nothing_gives_nothing(store):
    compressor = CoverageCompressor(budget=45)
    documents = store.similarity_search(QUERY, k=5)
    assert asyncio.run(compressor.acompress_documents(documents, QUERY)) == list(
        compressor.compress_documents(documents, QUERY)
    )
    assert compressor.compress_documents([], QUERY) == []


def test_misspelt_options_are_refused():
    with pytest.raises(ValueError, match="granularty"):
        CoverageCompressor(budget=45, granularty="sentence")


def test_the_retriever_packs_what_another_finds(store):
    compressor = CoverageCompressor(budget=45)
    base = store.as_retriever(search_kwargs={"k": 5})
    retriever = CoverageRetriever(retriever=base, compressor=compressor)
    found = retriever.invoke(QUERY)
    assert found == compressor.compress_documents(base.invoke(QUERY), QUERY)
    assert asyncio.run(retriever.ainvoke(QUERY)) == found
    assert retriever.batch([QUERY, "cats"])[0] == found
    assert list(retriever.stream(QUERY)) == [found]


@pytest.mark.parametrize("odd", [None, float("nan"), -3.0])
def test_odd_scores_are_no_error(store, odd):
    documents = store.similarity_search(QUERY, k=5)
    for number, document in enumerate(documents):
        document.metadata["relevance_score"] = odd if number % 2 else 1.0 / (1 + number)
    compressor = CoverageCompressor(budget=45)
    assert compressor.compress_documents(documents, QUERY)


def test_a_copy_through_plain_values_compares_equal():
    compressor = CoverageCompressor(budget=45, required=["dates"], language="de")
    assert CoverageCompressor.model_validate(compressor.model_dump()) == compressor


def test_the_token_counter_of_a_model_is_a_unit(store):
    model = FakeListChatModel(responses=["."], custom_get_token_ids=list)
    count = model.get_num_tokens
    documents = store.similarity_search(QUERY, k=5)
    kept = CoverageCompressor(budget=150, unit=count).compress_documents(documents, QUERY)
    assert 0 < len("\n\n".join(d.page_content for d in kept)) <= 150
