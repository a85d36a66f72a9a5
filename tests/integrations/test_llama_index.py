"""The adapter inside a real LlamaIndex query engine: in-memory index, no network."""

import asyncio

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.schema import MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode

from maxcover.integrations.llama_index import CoveragePostprocessor
from maxcover.texts.words.units import estimate_tokens
from tests.integrations.corpus import QUERY, TEXTS, embed

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:llama_index")


class HashedWords(MockEmbedding):
    def _get_query_embedding(self, query):
        return embed(query)

    def _get_text_embedding(self, text):
        return embed(text)


@pytest.fixture
def index():
    nodes = []
    for k, text in enumerate(TEXTS):
        node = TextNode(
            id_=f"n{k}", text=text, metadata={"file": f"{k % 2}.txt"}, start_char_idx=-k
        )
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=f"doc-{k % 2}")
        nodes.append(node)
    return VectorStoreIndex(nodes, embed_model=HashedWords(embed_dim=256))


def test_in_a_query_engine(index):
    packer = CoveragePostprocessor(budget=60)
    engine = index.as_query_engine(
        llm=MockLLM(), similarity_top_k=5, node_postprocessors=[packer], response_mode="compact"
    )
    response = engine.query(QUERY)
    sent = "\n\n".join(
        n.node.get_content(metadata_mode=MetadataMode.LLM) for n in response.source_nodes
    )
    assert response.source_nodes
    assert estimate_tokens(sent) <= 60, "with the metadata that the model sees"
    assert sent in str(response), "the mock model repeats its prompt"
    assert not {"n0", "n1"} <= {n.node.node_id for n in response.source_nodes}, "near-duplicates"


def test_scores_and_metadata_are_kept_and_provenance_added(index):
    found = index.as_retriever(similarity_top_k=5).retrieve(QUERY)
    before = [one.model_copy(deep=True) for one in found]
    kept = CoveragePostprocessor(budget=60, granularity="sentence").postprocess_nodes(
        found, query_str=QUERY
    )
    assert kept
    assert found == before, "the nodes given stay as they are"
    for one in kept:
        made = one.node.metadata["maxcover"]
        origin = found[made["index"]]
        assert (one.node.node_id, one.score) == (origin.node.node_id, origin.score)
        assert one.node.metadata["file"] == origin.node.metadata["file"]
        assert " ".join(origin.node.text[a:b] for a, b in made["spans"]) == one.node.text
        assert "maxcover" not in one.node.get_content(metadata_mode=MetadataMode.LLM)


def test_what_was_left_out_and_what_is_proven(index):
    found = index.as_retriever(similarity_top_k=5).retrieve(QUERY)
    packed = CoveragePostprocessor(budget=60).pack(found, QUERY)
    assert {one.index for one in packed.left_out} == set(range(5)) - set(packed.indices)
    assert "60 tokens" in packed.certificate
    assert "file: " in packed.text, "with the metadata that the model sees"


def test_async_gives_the_same_and_nothing_gives_nothing(index):
    packer = CoveragePostprocessor(budget=60)
    found = index.as_retriever(similarity_top_k=5).retrieve(QUERY)
    one = packer.postprocess_nodes(found, query_str=QUERY)
    two = asyncio.run(packer.apostprocess_nodes(found, query_str=QUERY))
    assert [n.node.text for n in one] == [n.node.text for n in two]
    assert packer.postprocess_nodes([], query_str=QUERY) == []


def test_order_by_document_reads_the_relationships(index):
    found = index.as_retriever(similarity_top_k=5).retrieve(QUERY)
    kept = CoveragePostprocessor(budget=500, order="document").postprocess_nodes(found)
    for name in ("doc-0", "doc-1"):
        own = [n.node.start_char_idx for n in kept if n.node.ref_doc_id == name]
        assert own == sorted(own)


def test_a_copy_through_plain_values_compares_equal():
    packer = CoveragePostprocessor(budget=60, order="ends", required=["dates"])
    assert CoveragePostprocessor.from_dict(packer.to_dict()) == packer
    assert packer != CoveragePostprocessor(budget=61, order="ends", required=["dates"])
    with pytest.raises(ValueError, match="granularty"):
        CoveragePostprocessor(budget=45, granularty="sentence")


@pytest.mark.parametrize("odd", [None, float("nan"), -3.0])
def test_odd_scores_are_no_error(index, odd):
    found = index.as_retriever(similarity_top_k=5).retrieve(QUERY)
    found[1].score = odd
    assert CoveragePostprocessor(budget=60).postprocess_nodes(found, query_str=QUERY)
