"""Sentence splitters side by side on the hand-made cases of the tests, and their speed.

    python benchmarks/sentence_splitters.py [book.txt]

Prints a Markdown table: how many cases each splitter gets wholly right, by language and by kind,
and its speed on the file given (megabytes a second). A peer that is not installed is left out:
``pip install pysbd blingfire spacy nltk syntok`` for all of them; none downloads anything more.
"""

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import sentencex

from maxcover.texts import split_sentences

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.texts.sentence_cases import CASES, bare, expected, text_of

Splitter = Callable[[str, str], Iterable[str]]
REGEX = re.compile(r"(?<=[.!?\u0964\u061f])\s+|(?<=[\u3002\uff01\uff1f])|\n+")


def ours(text: str, language: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, language)]


def with_pysbd(module: Any) -> Splitter:
    segmenter = cache(lambda language: module.Segmenter(language=language, clean=False))
    return lambda text, language: segmenter(language).segment(text)


def with_blingfire(module: Any) -> Splitter:
    return lambda text, _: module.text_to_sentences(text).split("\n")


def with_spacy(module: Any) -> Splitter:
    @cache
    def pipeline(language: str) -> Any:
        try:
            made = module.blank(language)
        except ImportError:  # Japanese wants a dictionary
            made = module.blank("xx")
        made.add_pipe("sentencizer")
        return made

    return lambda text, language: [str(sentence) for sentence in pipeline(language)(text).sents]


def with_punkt(module: Any) -> Splitter:
    untrained = module.PunktSentenceTokenizer()
    return lambda text, _: untrained.tokenize(text)


def with_syntok(module: Any) -> Splitter:
    def sentences(text: str, _: str) -> list[str]:
        paragraphs = module.analyze(text)
        return ["".join(t.spacing + t.value for t in s) for p in paragraphs for s in p]

    return sentences


PEERS = {
    "pysbd": with_pysbd,
    "blingfire": with_blingfire,
    "spacy": with_spacy,
    "nltk.tokenize.punkt": with_punkt,
    "syntok.segmenter": with_syntok,
}


def find_splitters() -> dict[str, Splitter]:
    found: dict[str, Splitter] = {
        "maxcover": ours,
        "sentencex": lambda text, language: sentencex.segment(language, text),
        "regular expression": lambda text, _: REGEX.split(text),
    }
    for name, adapt in PEERS.items():
        try:
            found[name.split(".")[0]] = adapt(import_module(name))
        except ImportError:
            print(f"({name} is not installed)", file=sys.stderr)
    return found


def passes(splitter: Splitter, language: str, marked: str) -> bool:
    """Compare the sentences but for white space; some splitters change it."""
    found = [" ".join(bare(sentence).split()) for sentence in splitter(text_of(marked), language)]
    return [s for s in found if s] == [" ".join(s.split()) for s in expected(marked)]


def megabytes_per_second(splitter: Splitter, text: str) -> float:
    """Speed on as much of the text as takes about a second."""
    length = 10_000
    while True:
        start = time.process_time()
        list(splitter(text[:length], "en"))
        seconds = time.process_time() - start
        if seconds > 0.5 or length >= len(text):
            return len(text[:length].encode()) / seconds / 1e6
        length *= 4


def main() -> None:
    text = " ".join(text_of(marked) for _, _, marked in CASES[:30]) * 300
    if files := [name for name in sys.argv[1:] if name != "--quick"]:
        text = Path(files[0]).read_text(encoding="utf-8")
    totals = Counter(group for language, kind, _ in CASES for group in ("all", language, kind))
    print("|", " | ".join(["splitter", *(f"{g} ({n})" for g, n in totals.items()), "MB/s"]), "|")
    print("|", " | ".join(["---"] * (len(totals) + 2)), "|")
    for name, splitter in find_splitters().items():
        score: Counter[str] = Counter()
        for language, kind, marked in CASES:
            if passes(splitter, language, marked):
                score.update(["all", language, kind])
        speed = megabytes_per_second(splitter, text)
        cells = [name, *(str(score[group]) for group in totals), f"{speed:.2f}"]
        print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
