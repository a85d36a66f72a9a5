"""LlamaIndex: retrieve, pack into 60 tokens, print what a model would be sent. Runs offline.

pip install 'maxcover[llama-index]'
"""

from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.schema import TextNode

from maxcover.integrations.llama_index import CoveragePostprocessor

TEXTS = [
    "Order 99172 was returned on 2024-05-02. The refund was approved.",
    "Order 99172 was returned on 2024-05-02, and the refund was approved.",
    "The refund of order 99172, 41.50 EUR, was sent on 2024-05-06. It takes three days.",
    "Refunds are sent to the card that paid. A refund takes three days.",
]
# your own embedding and model here; these are stand-ins that need no download
index = VectorStoreIndex([TextNode(text=text) for text in TEXTS], embed_model=MockEmbedding(8))
engine = index.as_query_engine(
    llm=MockLLM(),
    similarity_top_k=4,
    node_postprocessors=[CoveragePostprocessor(budget=60)],
)
print(engine.query("What is the refund status of order 99172?"))
