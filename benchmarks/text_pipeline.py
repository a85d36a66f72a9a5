"""The text pipeline against its bare parts, on the same text in the same run.

Bare: sentencex, a regular expression and PyStemmer, one sentence after the other, nothing kept.
Time is that of the processor, so that a busy machine changes the ratios little.
Ours: `prepare`, which adds spans, normalisation, weights, costs and the arrays of the problem;
with the preset "plain", which does nothing else, and then with the default, which reads blocks and
judges every sentence.

    python benchmarks/text_pipeline.py [clusters.jsonl ...]
    PYTHONPATH=. python benchmarks/text_pipeline.py --runs     # long runs of the same characters

Without arguments a text is invented. The last lines are the median ratios; "plain" may take 2.5
times as long as the bare parts, the default 5 times. (Until kernels read words and sentence ends
the default was held against "plain", which may have 2.5 times 2.)
"""

import json
import random
import re
import resource
import statistics
import sys
import time
from functools import partial
from pathlib import Path

import sentencex
import Stemmer

from maxcover.texts import prepare

LIMIT, DEFAULT_LIMIT = 2.5, 5.0
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


def compare(name: str, clusters: list[list[str]], repeats: int = 5) -> tuple[float, float]:
    """Print and return median ratios of runs in turn: plain to bare, default to bare."""
    plain = partial(prepare, preset="plain", language="english")
    prepare(clusters[0])
    runs = [[seconds(f, clusters) for f in (bare, plain, prepare)] for _ in range(repeats)]
    ratio = statistics.median(ours / theirs for theirs, ours, _ in runs)
    whole = statistics.median(default / theirs for theirs, _, default in runs)
    least = [1000 * min(column) / len(clusters) for column in zip(*runs, strict=True)]
    print(
        f"{name:31} bare {least[0]:8.2f} ms  plain {least[1]:8.2f} ms  ratio {ratio:.2f}"
        f"  default {least[2]:8.2f} ms  ratio {whole:.2f}"
    )
    return ratio, whole


def time_runs(size: int = 1_000_000) -> None:
    """Print how many times as long as prose of the same size every run of the tests takes."""
    from tests.texts.runs import RUNS, plain, run_of

    def read(text: str) -> float:
        return seconds(partial(prepare, language="english"), [[text]])

    read(plain(10_000))
    prose = min(read(plain(size)) for _ in range(3))
    print(f"prose {1e9 * prose / size:.0f} ns per character")
    times = {name: read(run_of(name, size)) / prose for name in RUNS}
    for name, ratio in sorted(times.items(), key=lambda item: -item[1]):
        print(f"{name:20} {ratio:6.2f}")


def main() -> None:
    if "--runs" in sys.argv[1:]:
        time_runs()
        return
    ratios = []
    for argument in (name for name in sys.argv[1:] if name != "--quick"):
        path = Path(argument)
        ratios.append(compare(path.parent.name, load(path), repeats=3))
    news = [[invent(450, seed=10 * k + i) for i in range(10)] for k in range(20)]
    ratios.append(compare("10 news documents (4,500 words)", news))
    ratios.append(compare("a book (300,000 words)", [[invent(300_000)]], repeats=3))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MB")
    plain, default = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(f"default to bare {default:.2f}, limit {DEFAULT_LIMIT}")
    print(f"median ratio {plain:.2f}, worst {max(ratios)[0]:.2f}, limit {LIMIT}")
    sys.exit(plain > LIMIT or default > DEFAULT_LIMIT)


if __name__ == "__main__":
    main()
