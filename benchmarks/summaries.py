"""Summaries: a cluster of 10 news-sized documents, from strings to Summary, beside sumy.

    python benchmarks/summaries.py [--quick] [--clusters 10]

sumy (LexRank, LSA, KL, SumBasic) is measured if it is installed; it is not needed otherwise. Its
own tokenizer wants a download of NLTK, so it gets our sentence splitter and a regular expression
for words, and the English stemmer of Snowball: it then works offline, and no slower. Both sides
start from the same strings in the same run and choose about as much: sumy takes a number of
sentences, ours a budget of 100 words. Time is that of the processor, warm: the median over clusters
of the best of three. Pinned: 15 ms for ours, and faster than every one of sumy's.
"""

import re
import statistics
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import maxcover as mc
from _report import arguments, clock, heading, loop_milliseconds, table
from maxcover.texts import split_sentences
from maxcover.texts.words.stems import stem_words
from text_pipeline import invent

WORD = re.compile(r"\w+")
PEERS = {
    "LexRank": ("lex_rank", "LexRankSummarizer"),
    "LSA": ("lsa", "LsaSummarizer"),
    "KL": ("kl", "KLSummarizer"),
    "SumBasic": ("sum_basic", "SumBasicSummarizer"),
}


class OfflineTokenizer:
    """What sumy asks of a tokenizer."""

    def to_sentences(self, text: str) -> list[str]:
        """Split a text."""
        return [text[start:end] for start, end in split_sentences(text)]

    def to_words(self, sentence: str) -> list[str]:
        """Split a sentence."""
        return WORD.findall(sentence)


def stem(word: str) -> str:
    return stem_words([word.lower()], "english")[0]


def ours(documents: list[str]) -> int:
    return len(mc.summarize(documents, budget=100).sentences)


def with_sumy(module: str, name: str) -> Callable[[list[str]], int]:
    make = getattr(import_module(f"sumy.summarizers.{module}"), name)
    parser: Any = import_module("sumy.parsers.plaintext").PlaintextParser

    def summarize(documents: list[str]) -> int:
        parsed = parser.from_string("\n\n".join(documents), OfflineTokenizer())
        return len(make(stem)(parsed.document, 5))

    return summarize


def milliseconds(function: Callable[[list[str]], int], clusters: list[list[str]]) -> float:
    first = _once(function, clusters[0])  # warms up
    if first > 500:  # some of the peers take half a minute: once will do
        return first
    return statistics.median(min(_once(function, each) for _ in range(3)) for each in clusters)


def _once(function: Callable[[list[str]], int], documents: list[str]) -> float:
    begin = time.process_time()
    function(documents)
    return 1000 * (time.process_time() - begin)


def main() -> None:
    given = arguments("Summaries beside sumy.", clusters=10)
    count = 3 if given.quick else given.clusters
    news = [[invent(450, seed=given.seed + 10 * k + i) for i in range(10)] for k in range(count)]
    heading("10 news-sized documents to 100 words", clusters=count, words=4500, seed=given.seed)
    ours(news[0])  # compiles
    found = {"maxcover, certified": milliseconds(ours, news)}
    try:
        import_module("sumy")
    except ImportError:
        print("sumy is not installed: measured alone")
    else:
        for name, (module, class_name) in PEERS.items():
            if given.quick and name == "KL":  # twenty seconds per cluster
                continue
            found[f"sumy {name}"] = milliseconds(with_sumy(module, class_name), news)
    best = found["maxcover, certified"]
    rows = [(name, f"{ms:.1f}", f"{ms / best:.1f}") for name, ms in found.items()]
    table(("method", "ms per cluster", "times ours"), rows)
    # 30 ms and 12 ms on a free core
    clock("from strings to Summary, by a loop in Python", best / loop_milliseconds(), most=4)
    for name, ms in found.items():
        if name.startswith("sumy"):
            clock(f"{name}, times ours", ms / best, least=1)


if __name__ == "__main__":
    main()
