"""Lexicon: what was met before changes no result, and a large one is forgotten."""

import numpy as np
import pytest

from maxcover.texts.words import vocabulary as lexicon
from maxcover.texts.words.terms import find_terms
from maxcover.texts.words.vocabulary import borrow_lexicon

TEXTS = [
    ["Cats purr, cats sleep.", "A CAT’s nap"],
    ["東京は晴れ and cats", "\u00ad_ 3.14 don't", ""],
    ["Sleeping cats: Straße, STRASSE", "cat"],
    [],
]


def fields(terms):
    arrays = (terms.ids, terms.words, terms.capital, terms.stops, terms.common, terms.indptr)
    return terms.labels, terms.vocabulary, [(one.dtype, one.tolist()) for one in arrays]


@pytest.fixture(autouse=True)
def _nothing_met(monkeypatch):
    monkeypatch.setattr(lexicon, "_held", {})


@pytest.mark.parametrize("stemmer", [None, "english"])
def test_terms_do_not_depend_on_what_was_met_before(stemmer):
    options = {"stemmer": stemmer, "stop_words": {"and", "a"}, "common": {"sleeping", "a"}}
    fresh = []
    for texts in TEXTS:
        lexicon._held.clear()
        fresh.append(fields(find_terms(texts, **options)))
    for _ in range(2):
        for texts, expected in zip(TEXTS[::-1], fresh[::-1], strict=True):
            assert fields(find_terms(texts, **options)) == expected


def test_a_lexicon_that_is_lent_or_was_dropped_is_not_lent_again():
    with borrow_lexicon("english") as one, borrow_lexicon("english") as other:
        assert one is not other
    with borrow_lexicon("english") as again:
        assert again is one  # given back last
    with pytest.raises(ZeroDivisionError), borrow_lexicon("english"):
        _ = 1 / 0
    with borrow_lexicon("english") as new:
        assert new is not one  # may be half written


def test_a_large_lexicon_is_forgotten(monkeypatch):
    monkeypatch.setattr(lexicon, "MOST_SPELLINGS", 3)
    find_terms(["one two three"], stemmer=None)
    assert lexicon._held
    find_terms(["four"], stemmer=None)
    assert not lexicon._held
    find_terms(["x" * 4_000], stemmer=None)
    assert lexicon._held
    monkeypatch.setattr(lexicon, "MOST_LETTERS", 4_000)
    find_terms(["y"], stemmer=None)
    assert not lexicon._held


def test_numbers_are_by_first_appearance():
    terms = find_terms(["b a b", "c A"], stemmer=None)
    assert terms.vocabulary == ["b", "a", "c"]
    assert terms.words.tolist() == [0, 1, 0, 2, 1]
    assert np.flatnonzero(terms.capital).tolist() == [4]
