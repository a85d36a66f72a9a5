"""The text pipeline against its bare parts, on the same text in the same run.

Bare: sentencex, a regular expression and PyStemmer, one sentence after the other, nothing kept.
Time is that of the processor, so that a busy machine changes the ratios little.
Ours: `prepare`, which adds spans, normalisation, weights, costs and the arrays of the problem.

    python benchmarks/text_pipeline.py [clusters.jsonl ...]

Without arguments a text is invented. The last line is the median ratio; more than 2.5 fails.
"""

import json
import random
import re
import resource
import statistics
import sys
import time
from pathlib import Path

import sentencex
import Stemmer

from maxcover.text import prepare

LIMIT = 2.5
WORD = re.compile(r"\w+")


def bare(documents: list[str]) -> int:
    stemmer = Stemmer.Stemmer("english")
    n_words = 0
    for document in documents:
        for sentence in sentencex.segment("en", document):
            n_words += len(stemmer.stemWords(WORD.findall(sentence.lower())))
    return n_words


def seconds(function: object, clusters: list[list[str]]) -> float:
    start = time.process_time()
    for documents in clusters:
        function(documents)  # type: ignore[operator]
    return time.process_time() - start


def invent(n_words: int, seed: int = 1) -> str:
    """Make prose with a vocabulary like Zipf's, sentences of 5 to 35 words, short paragraphs."""
    source = random.Random(seed)  # noqa: S311 - no secret
    letters = "etaoinshrdlucmfwypvbgk"
    lengths = [2, 3, 4, 5, 6, 7, 8, 9, 11]
    vocabulary = ["".join(source.choices(letters, k=source.choice(lengths))) for _ in range(20000)]
    ranks = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    words = source.choices(vocabulary, ranks, k=n_words)
    sentences, place = [], 0
    while place < n_words:
        length = source.randint(5, 35)
        ending = source.choice([". ", ". ", "? ", ".\n\n"])
        sentences.append(" ".join(words[place : place + length]).capitalize() + ending)
        place += length
    return "".join(sentences)


def load(path: Path) -> list[list[str]]:
    rows = map(json.loads, path.read_text(encoding="utf-8").split("\n")[:-1])
    return [[document["text"] for document in row["documents"]] for row in rows]


def compare(name: str, clusters: list[list[str]], repeats: int = 5) -> float:
    """Print and return the median ratio of pairs of runs, one after the other."""
    prepare(clusters[0])
    pairs = [(seconds(bare, clusters), seconds(prepare, clusters)) for _ in range(repeats)]
    ratio = statistics.median(ours / theirs for theirs, ours in pairs)
    theirs, ours = (1000 * min(column) / len(clusters) for column in zip(*pairs, strict=True))
    print(f"{name:30} bare {theirs:9.2f} ms  prepare {ours:9.2f} ms  ratio {ratio:.2f}")
    return ratio


def main() -> None:
    ratios = []
    for argument in (name for name in sys.argv[1:] if name != "--quick"):
        path = Path(argument)
        ratios.append(compare(path.parent.name, load(path), repeats=3))
    news = [[invent(450, seed=10 * k + i) for i in range(10)] for k in range(20)]
    ratios.append(compare("10 news documents (4,500 words)", news))
    ratios.append(compare("a book (300,000 words)", [[invent(300_000)]], repeats=3))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MB")
    worst = max(ratios)
    print(f"median ratio {statistics.median(ratios):.2f}, worst {worst:.2f}, limit {LIMIT}")
    sys.exit(statistics.median(ratios) > LIMIT)


if __name__ == "__main__":
    main()
