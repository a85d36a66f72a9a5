"""Inputs that break text tools: an answer, in bounded time and memory."""

import contextlib
import random
import sys
import time
import tracemalloc

import pytest
import sentencex

from maxcover.errors import TextError
from maxcover.texts import LANGUAGES, prepare, split_sentences
from tests import sweeps
from tests.texts.runs import RUNS, plain, run_of

# name -> text, and the processor seconds it may take, which whole sweeps hold
HOSTILE = {
    "one line of 5 MB": ("lorem ipsum dolor sit amet " * 190_000, 30),
    "50,000 one-word sentences": ("Go. " * 50_000, 10),
    "no letters": ("... !!! --- ??? " * 100_000, 10),
    "only emoji": ("😀👨‍👩‍👧 " * 100_000, 10),
    "right to left": ("\u202eوصل القطار متأخرا. غضب الركاب؟ " * 20_000, 10),
    "NUL bytes": ("a\0b\0. C\0d. " * 20_000, 10),
    "lone surrogates": ("a\ud800b. \udfff C. " * 20_000, 10),
    "the same sentence": ("The cat sat on the mat. " * 30_000, 10),
    "a long word": ("a" * 100_000, 5),
    "nested quotes": ('"(«“' * 50_000 + "a. b." + '”»)"' * 50_000, 10),
    "unclosed quotes": ("«a. “b. " * 30_000, 20),
    "only line ends": ("\n\r\n\u2028" * 100_000, 5),
    "one word a line": ("a\n" * 50_000, 10),
    "combining marks": ("e" + "\u0301" * 100_000, 5),
    "zero width": ("a\u200b\u00ad" * 100_000, 5),
    "one Han line": ("东" * 300_000, 10),
}


@pytest.mark.parametrize("number", sweeps.cases(len(HOSTILE)))
def test_hostile_text(number):
    text, limit = list(HOSTILE.values())[number]
    start = time.process_time()
    corpus = prepare([text], concepts="words+bigrams")
    assert time.process_time() - start < limit or not sweeps.WHOLE
    for sentence in list(corpus)[:1000]:
        assert text[sentence.start : sentence.end] == sentence.text


def test_memory_is_a_small_multiple_of_the_text():
    text = "The cat sat on the mat. " * 10_000
    tracemalloc.start()
    prepare([text])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60 * len(text)


@pytest.mark.parametrize("number", sweeps.cases(len(RUNS)))
def test_the_splitter_sees_a_run_a_few_times_at_most(number, monkeypatch):
    """What it is shown is counted, in every language."""
    shown = []
    genuine = sentencex.segment

    def segment(code, text):
        shown.append(len(text))
        return genuine(code, text)

    monkeypatch.setattr(sentencex, "segment", segment)
    text = run_of(list(RUNS)[number], 40_000)
    for language in LANGUAGES:
        shown.clear()
        for start, end in split_sentences(text, language):
            assert text[start:end].strip() == text[start:end] != ""
        assert sum(shown) <= 4 * len(text), language
        # each line of a text may be a block, which is looked at by itself
        assert len(shown) <= len(text) / 1_000 + 2 * text.count("\n") + 9, language


def count_calls(text, language):
    """Count the functions called to read a text, those of C too."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        with contextlib.suppress(TextError):
            prepare([text], language=language)
    finally:
        sys.setprofile(None)
    return calls


def test_no_run_and_no_language_takes_many_steps():
    """Steps are counted; `benchmarks/text_pipeline.py --runs` has the times."""
    names, languages = list(RUNS), list(LANGUAGES)
    for number in sweeps.cases(len(languages)):
        count_calls(plain(20_000), languages[number])  # what is made once for a language
        assert count_calls(plain(20_000), languages[number]) < 20_000, languages[number]
    for number in sweeps.cases(len(names)):
        once, twice = (
            count_calls(run_of(names[number], size), "english") for size in (10_000, 20_000)
        )
        assert twice < 2 * once + 2_000, names[number]
        assert twice < 8 * 20_000, names[number]


_PIECES = (
    *RUNS.values(),
    "The ferry is late. ",
    "Dr. Smith",
    "\ud800",
    "東京。",
    "e.g. ",
    "\r",
    "«",
)


@pytest.mark.parametrize("block", sweeps.cases(100))
def test_fuzzed_texts_raise_nothing_but_our_errors(block):
    rng = random.Random(block)
    for _ in range(100):
        parts = (rng.choice(_PIECES) * rng.choice((1, 1, 2, 9, 300, 4_100)) for _ in range(9))
        text = "".join(parts)[: rng.choice((50, 500, 9_000))]
        language = rng.choice(list(LANGUAGES))
        with contextlib.suppress(TextError):
            for sentence in prepare([text], language=language):
                assert text[sentence.start : sentence.end] == sentence.text
