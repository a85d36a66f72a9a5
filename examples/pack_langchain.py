"""LangChain: retrieve, pack into 60 tokens, print what a model would be sent. Runs offline.

pip install 'maxcover[langchain]'
"""

from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore

from maxcover.integrations.langchain import CoverageCompressor

TEXTS = [
    "Order 99172 was returned on 2024-05-02. The refund was approved.",
    "Order 99172 was returned on 2024-05-02, and the refund was approved.",
    "The refund of order 99172, 41.50 EUR, was sent on 2024-05-06. It takes three days.",
    "Refunds are sent to the card that paid. A refund takes three days.",
]
# your own embedding here; this one is a stand-in that needs no model
store = InMemoryVectorStore.from_texts(TEXTS, DeterministicFakeEmbedding(size=64))
retriever = store.as_retriever(search_kwargs={"k": 4})
compressor = CoverageCompressor(budget=60)


def context(query: str) -> dict[str, str]:
    """Retrieve and pack; ContextualCompressionRetriever does the same."""
    documents = compressor.compress_documents(retriever.invoke(query), query)
    return {"query": query, "context": "\n\n".join(d.page_content for d in documents)}


chain = RunnableLambda(context) | ChatPromptTemplate.from_template("{context}\n\n{query}")
print(chain.invoke("What is the refund status of order 99172?").to_string())
