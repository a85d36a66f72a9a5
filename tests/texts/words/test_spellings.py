"""The kernel that reads words against regular expressions, and the one that counts tokens."""

import re
from itertools import groupby, pairwise
from math import ceil

import numpy as np
import pytest

from maxcover.texts.words.codepoints import places_of, to_letters, to_text
from maxcover.texts.words.estimate import KINDS, estimate_all
from maxcover.texts.words.tokens import find_runs
from maxcover.texts.words.vocabulary import Spellings
from tests.hostile import ATTACKS

# Every class of characters that runs know, and pairs that are easily taken for another.
SIGNS = "aBz é'’.,39٣_\u00ad\u200d東京ภาก\u0301ßΣ한\n\0\x01“”‘–—- Åﬁİ😀\ud800क\u093f²½"


def random_texts(n, longest=60):
    rng = np.random.default_rng(7)
    anything = [chr(code) for code in rng.integers(0, 0x110000, 300)]
    signs = np.array([*SIGNS * 12, *anything], dtype=object)
    return ["".join(rng.choice(signs, rng.integers(0, longest))) for _ in range(n)]


TEXTS = ["It's 3.14, or 1,000.5 – “don’t”.", "", "'tis rock''n roll", *ATTACKS, *random_texts(400)]


def read(texts, **options):
    """Read texts as sentences of one text, in two calls so that spellings are met again."""
    spellings = Spellings()
    found = []
    for some in (texts[: len(texts) // 3], texts):
        letters = to_letters("\n".join(some))
        runs, until = spellings.read(letters, *places_of(some), **options)
        names = spellings.since(0)
        found = [[names[run] for run in runs[a:b]] for a, b in pairwise(until)]
    assert len(set(names)) == len(names) == len(spellings)
    return found


@pytest.mark.parametrize("elides", [True, False])
def test_runs_are_those_of_the_regular_expression(elides):
    expected = [find_runs(text, elides=elides) for text in TEXTS]
    assert read(TEXTS, elides=elides) == expected


@pytest.mark.parametrize("elides", [True, False])
def test_loose_runs_are_those_of_regular_expressions(elides):
    def slow(text):
        if re.sub("[’‘“”–—]", "", text).isascii():
            return re.findall("[a-zA-Z0-9]+" if elides else "[a-zA-Z0-9'’]+", text)
        apart = re.sub(r"(?<=\d)[.,](?=\d)", " ", text)
        return find_runs(apart, elides=elides)

    assert read(TEXTS, elides=elides, loose=True) == [slow(text) for text in TEXTS]


def test_spellings_are_numbered_by_first_appearance_however_many():
    words = [f"w{k % 7000}" for k in range(9000)]
    spellings = Spellings()
    letters = to_letters(" ".join(words))
    runs, until = spellings.read(letters, np.array([0]), np.array([len(letters)]), elides=False)
    assert runs.tolist() == [k % 7000 for k in range(9000)]
    assert until.tolist() == [0, 9000]
    assert spellings.since(6998) == ["w6998", "w6999"]


def test_code_points_are_the_text():
    for text in TEXTS:
        assert to_text(to_letters(text)) == text


@pytest.mark.parametrize("english", [True, False])
def test_the_estimate_counts_runs_of_one_kind(english):
    def kind_of(sign):
        found = [k for k, kind in enumerate(KINDS) for a, b in kind.ranges if a <= ord(sign) <= b]
        return found[0] if found else len(KINDS) - 1

    def slow(text):
        total = 0
        for number, run in groupby(map(kind_of, text)):
            _, first, free, rate = KINDS[number]
            if number == 1 and not english:
                free, rate = 4, 0.25
            total += first + ceil(max(len(list(run)) - free, 0) * rate)
        return total

    short = [text[:500] for text in TEXTS]
    assert estimate_all(short, english=english).tolist() == list(map(slow, short))
