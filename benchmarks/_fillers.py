"""Ways to fill a context that people use instead: ranked lists, MMR, sentence rankers, peers."""

import re
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np

import maxcover as mc
from _retrieval import Asked, embed
from maxcover.texts import split_sentences
from maxcover.texts.words.estimate import estimate_all
from maxcover.texts.words.languages import find_language
from maxcover.texts.words.terms import find_terms


def fill(order: Iterable[int], texts: list[str], asked: Asked, budget: int, *, stop: bool = False):
    """Take texts in an order while they fit; stop at the first that does not, or go on."""
    sizes = estimate_all(texts, english=asked.language == "english")
    chosen, left = [], budget
    for index in order:
        if sizes[index] <= left:
            chosen.append(texts[index])
            left -= sizes[index]
        elif stop:
            break
    return "\n\n".join(chosen)


def until_full(asked: Asked, budget: int) -> str:
    return fill(range(len(asked.passages)), asked.passages, asked, budget, stop=True)


def all_that_fit(asked: Asked, budget: int) -> str:
    return fill(range(len(asked.passages)), asked.passages, asked, budget)


def without_duplicates(asked: Asked, budget: int) -> str:
    """Top-k without passages whose words are, to 80 %, those of one before."""
    kept: list[int] = []
    seen: list[set[str]] = []
    for index, passage in enumerate(asked.passages):
        words = set(re.findall(r"\w+", passage.casefold()))
        if all(len(words & own) < 0.8 * max(min(len(words), len(own)), 1) for own in seen):
            kept.append(index)
            seen.append(words)
    return fill(kept, asked.passages, asked, budget)


def langchain_mmr(asked: Asked, budget: int) -> str:
    from langchain_core.vectorstores.utils import maximal_marginal_relevance

    vectors = embed(asked.passages)
    order = maximal_marginal_relevance(
        embed([asked.question])[0], vectors.tolist(), lambda_mult=0.5, k=len(vectors)
    )
    return fill(order, asked.passages, asked, budget)


def pyversity(strategy: str) -> Callable[[Asked, int], str]:
    def method(asked: Asked, budget: int) -> str:
        from pyversity import diversify

        vectors = embed(asked.passages)
        scores = vectors @ embed([asked.question])[0]
        found = diversify(vectors, scores, k=len(vectors), strategy=strategy, diversity=0.5)
        return fill(found.indices.tolist(), asked.passages, asked, budget)

    return method


def sentences_by_bm25(asked: Asked, budget: int) -> str:
    """Rank all sentences by BM25 with the query, and take what fits."""
    language = find_language(asked.language)
    texts = [text[a:b] for text in asked.passages for a, b in split_sentences(text, language)]
    terms = find_terms([*texts, asked.question], stemmer=language.stemmer, elides=language.elides)
    rows, ids, lengths = terms.rows, terms.ids, np.diff(terms.indptr)[:-1]
    query = np.unique(ids[rows == len(texts)])
    rows, ids = rows[rows < len(texts)], ids[rows < len(texts)]
    score = np.zeros(len(texts))
    for word in query:
        count = np.bincount(rows[ids == word], minlength=len(texts))
        held = np.count_nonzero(count)
        idf = np.log(1 + (len(texts) - held + 0.5) / (held + 0.5))
        score += idf * count / (count + 1.5 * (0.25 + 0.75 * lengths / max(lengths.mean(), 1)))
    return fill(np.argsort(-score, kind="stable").tolist(), texts, asked, budget)


def haystack_ends(asked: Asked, budget: int) -> str:
    """Haystack's LostInTheMiddleRanker, up to as many words as the budget has room for."""
    from haystack import Document
    from haystack.components.rankers import LostInTheMiddleRanker

    documents = [Document(content=text) for text in asked.passages]
    ranker = LostInTheMiddleRanker(word_count_threshold=max(int(0.7 * budget), 1))
    texts = [document.content for document in ranker.run(documents)["documents"]]
    return fill(range(len(texts)), texts, asked, budget)


@cache
def _optimizer():
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.postprocessor import SentenceEmbeddingOptimizer

    class Vectors(BaseEmbedding):
        def _get_query_embedding(self, query):
            return embed([query])[0].tolist()

        async def _aget_query_embedding(self, query):
            return self._get_query_embedding(query)

        def _get_text_embedding(self, text):
            return embed([text])[0].tolist()

        def _get_text_embeddings(self, texts):
            return embed(texts).tolist()

    return SentenceEmbeddingOptimizer(embed_model=Vectors(), percentile_cutoff=0.5)


def llama_index_optimizer(asked: Asked, budget: int) -> str:
    """LlamaIndex's SentenceEmbeddingOptimizer, half of the sentences, then what fits."""
    from llama_index.core.schema import NodeWithScore, TextNode

    nodes = [NodeWithScore(node=TextNode(text=text)) for text in asked.passages]
    shorter = _optimizer().postprocess_nodes(nodes, query_str=asked.question)
    texts = [one.node.get_content() for one in shorter]
    return fill(range(len(texts)), texts, asked, budget)


@cache
def _helper(budget: int):
    from llama_index.core import PromptHelper

    # a list of as many tokens as the estimate says; only its length is looked at
    return PromptHelper(
        context_window=budget,
        num_output=0,
        chunk_overlap_ratio=0.0,
        tokenizer=lambda text: [0] * int(estimate_all([text])[0]),
    )


def llama_index_compact(asked: Asked, budget: int) -> str:
    """LlamaIndex's PromptHelper, as its response mode "compact" calls it: the first prompt."""
    from llama_index.core import PromptTemplate

    prompt = PromptTemplate("{context_str}")
    return _helper(budget).repack(prompt, asked.passages, padding=0)[0]


def packed(granularity: str = "auto") -> Callable[[Asked, int], str]:
    return lambda asked, budget: (
        mc.pack(
            asked.passages,
            query=asked.question,
            scores=asked.scores,
            budget=budget,
            granularity=granularity,
            language=asked.language,
        ).text
    )


TOP = "top-k, all that fit"
OURS: dict[str, Callable[[Asked, int], str]] = {
    "pack, auto": packed(),
    "pack, passages": packed("passage"),
    "pack, sentences": packed("sentence"),
}
RANKED: dict[str, Callable[[Asked, int], str]] = {
    TOP: all_that_fit,
    "top-k until full": until_full,
    "top-k without near-duplicates": without_duplicates,
    "sentences by BM25": sentences_by_bm25,
}
# These take a tenth of a second and more, so that they are asked fewer questions.
PEERS: dict[str, Callable[[Asked, int], str]] = {
    "MMR (LangChain), 0.5": langchain_mmr,
    "MMR (pyversity), 0.5": pyversity("mmr"),
    "DPP (pyversity), 0.5": pyversity("dpp"),
    "LostInTheMiddleRanker (Haystack)": haystack_ends,
    "SentenceEmbeddingOptimizer (LlamaIndex)": llama_index_optimizer,
    "PromptHelper (LlamaIndex)": llama_index_compact,
}
