"""Worth: what a sentence is worth depends on its place, its form and its words."""

import numpy as np
import pytest

from maxcover.texts import prepare
from maxcover.texts.summary.worth import (
    _read_weights,
    find_features,
    find_own,
    find_worth,
    is_judged,
)
from maxcover.texts.words.lists import read_table
from maxcover.texts.words.stems import stem_words

PAGE = """# Closure of the north quay

The north quay is closed until May because its wall is cracked.

## How to get there

Take the bus to the harbour and walk along the water for ten minutes.
Thanks to everybody who helped with this page.
"""
THREAD = """# The crane stops

**ann** commented on 2026-01-01

The crane stops when it lifts more than ten tonnes of steel.

**bob** commented on 2026-01-02

We replaced the cable of the crane, and it lifts twelve tonnes now.
"""
FORMS = [
    PAGE,
    THREAD,
    "One sentence.",
    "?",
    "Ein Kran steht am Kai. Er ist alt.",
    [PAGE, THREAD, ""],
    ["A quay is closed.", "A quay is closed until May."],
]


def test_the_main_point_is_worth_most():
    corpus = prepare([PAGE], form="markdown", language="english")
    worth = dict(zip(corpus.texts, find_worth(corpus), strict=True))
    assert max(worth, key=worth.get).startswith("The north quay is closed")
    assert (
        min(worth[text] for text in worth if text.startswith(("The", "Take")))
        > worth["Thanks to everybody who helped with this page."]
    )


def test_headings_are_worth_nothing():
    corpus = prepare([PAGE], form="markdown")
    assert not find_worth(corpus)[~is_judged(corpus)].any()


@pytest.mark.parametrize("given", FORMS)
def test_any_text_has_a_worth(given):
    corpus = prepare(given)
    worth = find_worth(corpus)
    assert ((worth >= 0) & (worth <= 1)).all()
    own = find_own(corpus, worth)
    assert np.isfinite(own).all()
    assert (own >= 0).all()


@pytest.mark.parametrize("given", FORMS)
def test_features_are_numbers_of_each_judged_sentence(given):
    corpus = prepare(given)
    rows = np.flatnonzero(is_judged(corpus))
    for name, values in find_features(corpus, rows).items():
        assert values.shape == rows.shape, name
        assert np.isfinite(values).all(), name


def test_every_weight_is_that_of_a_feature():
    texts = [*FORMS, "ann: The crane stopped.\n\nbob: It did not stop, ann.\n" * 4]
    names = set()
    for given in texts:
        corpus = prepare(given)
        names |= find_features(corpus, np.flatnonzero(is_judged(corpus))).keys()
    weights, _ = _read_weights()
    assert {*weights} - {"(bias)"} <= names


def test_words_count_by_their_stems_in_english_only():
    assert _read_weights()[1][stem_words(["released"], "english")[0]] > 0
    plain, said = "The crane of the north quay is {} in the evening.", ("old", "released")
    for language, differs in (("english", True), ("german", False)):
        one, two = (
            find_worth(prepare([plain.format(word)], language=language))[0] for word in said
        )
        assert (one != two) == differs, language


def test_a_word_is_in_a_list_of_each_table_once():
    for table in ("begins", "under"):
        for name, words in read_table("worth")[table].items():
            assert len(words.split()) == len({*words.split()}), (table, name)


def test_what_other_documents_say_does_not_change_place_or_form():
    alone, beside = prepare([PAGE]), prepare([PAGE, THREAD])
    rows = np.flatnonzero(is_judged(alone))
    one, two = find_features(alone, rows), find_features(beside, rows)
    for name in one:
        if name.startswith(("place", "first", "below", "words", "kind", "section", "has a")):
            assert np.array_equal(one[name], two[name]) or name.startswith("has a title"), name
