"""Reading in one batch is reading one by one; pieces tile a passage; estimates add up."""

import itertools
import json
from functools import partial

import numpy as np
import pytest

import maxcover as mc
from maxcover.texts.packing.cutting import LONGEST, LONGEST_UNSPACED, cut, cut_all
from maxcover.texts.packing.passages import Memory, split_identifier
from maxcover.texts.split.sentences import split_each
from maxcover.texts.words.estimate import KINDS, estimate_all, estimate_tokens
from maxcover.texts.words.languages import find_language
from tests.hostile import ATTACKS

ENGLISH = find_language("english")
TEXTS = [
    "Don't pay 1,000 for it; it isn't 3.14 dollars. The company's clerk said so.",
    "Naïve cafés – “quoted” – cost 1,000 euros. It’s the company’s rule.",
    "東京は晴れです。大阪は雨でした。",
    "यह एक वाक्य है। यह दूसरा वाक्य है।",
    "",
    "...",
    "a\x01b and c. Ok then, this goes on.",
    "- one item of the list\n- two items of the list\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    *ATTACKS,
]


def words(memory, text):
    reading = memory.read([text])[0]
    return [memory.names[k] for k in reading.words], reading.lengths.tolist()


def test_a_batch_reads_as_one_by_one_does():
    together = Memory(ENGLISH, "auto")
    together.read(TEXTS)
    for text in TEXTS:
        assert words(together, text) == words(Memory(ENGLISH, "auto"), text)


def test_words_are_the_same_in_ascii_and_beside_other_signs():
    memory = Memory(ENGLISH, "auto")
    plain, _ = words(memory, "It's the company's rule of 1,000 or 3.14 cats.")
    other, _ = words(memory, "It’s the company’s rule of 1,000 or 3.14 cats – ☃.")
    assert plain == other
    assert {memory.names[k] for k in memory.ask("company's 1,000")} <= set(plain)


@pytest.mark.parametrize("language", ["english", "thai", "french", "any"])
def test_pieces_tile_a_passage(language):
    for text in TEXTS:
        before = 0
        pieces = cut(text, partial(split_each, language=find_language(language)))
        for start, end in pieces:
            assert not text[before:start].strip()
            assert text[start:end] == text[start:end].strip()
            assert start < end
            before = end
        assert not pieces or not text[before:].strip()


@pytest.mark.parametrize("language", ["english", "ja"])
def test_passages_are_cut_together_as_one_by_one(language):
    alone = [cut(text, partial(split_each, language=find_language(language))) for text in TEXTS]
    together = cut_all(TEXTS, partial(split_each, language=find_language(language)))
    assert [[(one.start, one.end) for one in cut.parts] for cut in together] == alone


def test_very_long_sentences_are_cut():
    thai = "ทีมรับของแพนเธอร์สถอดใจที่คะแนน " * 40
    for text, most in (("word " * 2000, LONGEST), (thai, LONGEST_UNSPACED)):
        pieces = cut(text, partial(split_each, language=find_language("any")))
        assert len(pieces) > 2
        assert max(end - start for start, end in pieces) <= most + 24


def test_a_memory_that_is_full_is_replaced(monkeypatch):
    monkeypatch.setattr("maxcover.texts.packing.passages._PASSAGES", 3)
    expected = mc.pack(["Cats purr at night.", "Dogs bark at night."], budget=9).text
    for number in range(9):
        mc.pack([f"Passage {number} says this."], budget=9)
    assert mc.pack(["Cats purr at night.", "Dogs bark at night."], budget=9).text == expected


def test_the_estimate_of_many_is_that_of_each():
    for english in (True, False):
        alone = [estimate_tokens(text, english=english) for text in TEXTS]
        assert estimate_all(TEXTS, english=english).tolist() == alone
    assert estimate_all([]).tolist() == []
    assert estimate_tokens("") == 0


def test_the_estimate_adds_up_over_white_space():
    rng = np.random.default_rng(0)
    for _ in range(200):
        some = [TEXTS[k] for k in rng.integers(0, len(TEXTS), 3)]
        for joint in (" ", "\n\n"):
            assert estimate_tokens(joint.join(some)) == sum(map(estimate_tokens, some))


def test_sizes_of_passages_are_what_the_estimate_says():
    memory = Memory(ENGLISH, "auto")
    for text, reading in zip(TEXTS, memory.read(TEXTS), strict=True):
        sentences = [text[a:b] for a, b in zip(reading.starts, reading.ends, strict=True)]
        assert reading.tokens.tolist() == estimate_all(sentences).tolist()


def test_what_is_not_english_is_estimated_as_such_whatever_the_language_said():
    german = (
        "Die Unabhängigkeit der Rechtsprechung wird durch die Verfassung gewährleistet, und "
        "niemand darf seinem gesetzlichen Richter entzogen werden."
    )
    english = "The independence of the courts is guaranteed by the constitution of the country."
    readings = Memory(ENGLISH, "auto").read([german, english, "Order 99172", ""])
    assert [one.english for one in readings] == [False, True, True, True]
    assert readings[0].tokens.sum() == estimate_tokens(german, english=False)
    assert readings[1].tokens.sum() == estimate_tokens(english)
    packed = mc.pack([german, english], budget=500, granularity="passage")
    assert packed.cost == readings[0].tokens.sum() + readings[1].tokens.sum()
    assert estimate_tokens(packed.text) <= packed.cost


def test_kinds_do_not_overlap():
    ranges = sorted(span for kind in KINDS for span in kind.ranges)
    assert all(a[1] < b[0] for a, b in itertools.pairwise(ranges))


def test_it_is_json_whatever_the_text():
    packed = mc.pack(TEXTS, budget=200, query="company")
    assert json.loads(packed.to_json())["text"] == packed.text


def test_spellings_are_read_together_as_one_by_one():
    runs = (
        "Cat cat A maxPoolSize HTTPServer US u.s don't 3rd 42 naïve Straße 東京都 snake_case e̱ İz"
    )
    runs = [*runs.split(), "cat\N{RIGHT SINGLE QUOTATION MARK}s", "co\u00adop"]
    lexicon = Memory(ENGLISH, "auto")._lexicon
    start = len(lexicon._capital)
    lexicon._learn(runs)
    until, flat = lexicon.until[start:], lexicon.flat
    names = [[lexicon.words.words[k] for k in flat[a:b]] for a, b in itertools.pairwise(until)]
    assert names == [list(split_identifier(run)) for run in runs]
