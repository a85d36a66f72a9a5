"""Inputs that break text tools: an answer, in bounded time and memory."""

import time
import tracemalloc

import pytest

from maxcover.text import prepare

# name -> text, and the processor seconds it may take: many times what it does
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


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text(name):
    text, limit = HOSTILE[name]
    start = time.process_time()
    corpus = prepare([text], concepts="words+bigrams")
    assert time.process_time() - start < limit
    for sentence in list(corpus)[:1000]:
        assert text[sentence.start : sentence.end] == sentence.text


def test_memory_is_a_small_multiple_of_the_text():
    text = "The cat sat on the mat. " * 10_000
    tracemalloc.start()
    prepare([text])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60 * len(text)
