"""The adapter inside a real Haystack pipeline: in-memory store, BM25, no network."""

import asyncio
import json
import re

import pytest

pytest.importorskip("haystack")

import yaml
from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from maxcover.errors import OptionError
from maxcover.integrations.haystack import CoveragePacker
from maxcover.texts.words.units import estimate_tokens
from tests.integrations.corpus import QUERY, TEXTS


@pytest.fixture
def store():
    store = InMemoryDocumentStore()
    store.write_documents(
        [
            Document(content=text, meta={"source_id": f"doc-{k % 2}", "split_idx_start": -k})
            for k, text in enumerate(TEXTS)
        ]
    )
    return store


@pytest.fixture
def pipeline(store):
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=5))
    pipeline.add_component("packer", CoveragePacker(budget=45))
    template = "{% for d in documents %}{{ d.content }}\n\n{% endfor %}Question: {{ query }}"
    pipeline.add_component("prompt", PromptBuilder(template, required_variables="*"))
    pipeline.connect("retriever.documents", "packer.documents")
    pipeline.connect("packer.documents", "prompt.documents")
    return pipeline


def run(pipeline):
    query = {"query": QUERY}
    inputs = {"retriever": query, "packer": query, "prompt": query}
    return pipeline.run(inputs, include_outputs_from={"retriever", "packer"})


def test_in_a_pipeline(pipeline):
    result = run(pipeline)
    kept, found = result["packer"]["documents"], result["retriever"]["documents"]
    assert kept
    assert estimate_tokens(result["packer"]["text"]) <= 45
    assert result["packer"]["text"] == "\n\n".join(d.content for d in kept)
    assert result["packer"]["text"] in result["prompt"]["prompt"]
    assert not {TEXTS[0], TEXTS[1]} <= {d.content for d in kept}, "near-duplicates"
    packed = result["packer"]["packed"]
    assert {one.index for one in packed.left_out} == set(range(len(found))) - set(packed.indices)
    assert "tokens" in packed.certificate
    for document in kept:
        origin = found[document.meta["maxcover"]["index"]]
        assert (document.id, document.score) == (origin.id, origin.score)
        assert "maxcover" not in origin.meta


def test_the_component_survives_serialization(pipeline):
    plain = yaml.safe_load(pipeline.dumps())["components"]["packer"]
    assert plain["type"] == "maxcover.integrations.haystack.CoveragePacker"
    again = CoveragePacker(**plain["init_parameters"])
    documents = [Document(content=text) for text in TEXTS]
    packer = pipeline.get_component("packer")
    one, two = again.run(documents, query=QUERY), packer.run(documents, query=QUERY)
    assert (one["documents"], one["text"]) == (two["documents"], two["text"])


def test_options_survive_serialization_and_misspelt_ones_are_refused():
    required = [re.compile("cats", re.IGNORECASE), "dates", 0]
    packer = CoveragePacker(budget=200, required=required, granularity="sentence")
    again = CoveragePacker.from_dict(json.loads(json.dumps(packer.to_dict())))
    assert again.to_dict() == packer.to_dict()
    assert again.options == packer.options
    with pytest.raises(OptionError, match="granularty"):
        CoveragePacker(budget=45, granularty="sentence")


def test_async_gives_the_same_and_odd_scores_are_no_error():
    packer = CoveragePacker(budget=45)
    for scores in ([None] * 5, [3.0, None, 2.0, 1.0, 0.5], [3.0, float("nan"), 2.0, -1.0, -9.0]):
        pairs = zip(TEXTS, scores, strict=True)
        documents = [Document(content=text, score=score) for text, score in pairs]
        result = packer.run(documents, query=QUERY)
        assert result["documents"]
        assert asyncio.run(packer.run_async(documents, query=QUERY))["text"] == result["text"]


def test_documents_without_text_are_left_out():
    packer = CoveragePacker(budget=45)
    nothing = packer.run(documents=[])
    assert (nothing["documents"], nothing["text"]) == ([], "")
    mixed = [Document(content=None, meta={"kind": "image"}), Document(content=TEXTS[2])]
    assert [d.content for d in packer.run(documents=mixed, query=QUERY)["documents"]] == [TEXTS[2]]


def test_sources_stand_before_contents_in_the_text():
    documents = [Document(content=TEXTS[2], meta={"file_path": "orders/7.txt"})]
    result = CoveragePacker(budget=60).run(documents, QUERY)
    assert result["text"] == f"[orders/7.txt]\n{TEXTS[2]}"
    assert result["documents"][0].content == TEXTS[2]
    assert CoveragePacker(budget=60, source_key="").run(documents, QUERY)["text"] == TEXTS[2]
