"""Haystack: retrieve with BM25, pack into 60 tokens, print the prompt. Runs offline.

pip install 'maxcover[haystack]'
"""

from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from maxcover.integrations.haystack import CoveragePacker

TEXTS = [
    "Order 99172 was returned on 2024-05-02. The refund was approved.",
    "Order 99172 was returned on 2024-05-02, and the refund was approved.",
    "The refund of order 99172, 41.50 EUR, was sent on 2024-05-06. It takes three days.",
    "Refunds are sent to the card that paid. A refund takes three days.",
]
store = InMemoryDocumentStore()
store.write_documents([Document(content=text) for text in TEXTS])
pipeline = Pipeline()
pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=4))
pipeline.add_component("packer", CoveragePacker(budget=60))
pipeline.add_component("prompt", PromptBuilder("{{ text }}\n\n{{ query }}", required_variables="*"))
pipeline.connect("retriever.documents", "packer.documents")
pipeline.connect("packer.text", "prompt.text")
query = {"query": "What is the refund status of order 99172?"}
result = pipeline.run({"retriever": query, "packer": query, "prompt": query})
print(result["prompt"]["prompt"])
