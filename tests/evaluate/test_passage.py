"""Reading: tokens, stemming, stop words, cuts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxcover.evaluate.datasets import load
from maxcover.evaluate.passage import count_words, cut_bytes, cut_words, porter, read_passage


def words(text, stem=None, stop_words=()):
    return read_passage(text, stem=stem, stop_words=frozenset(stop_words)).words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("...", ()),
        ("U.S. $3.5-million", ("u", "s", "3", "5", "million")),
        ("Müller's naïve", ("m", "ller", "s", "na", "ve")),  # ASCII only, as in ROUGE-1.5.5
        ("one\r\n\ntwo\tthree", ("one", "two", "three")),
    ],
)
def test_tokens(text, expected):
    assert words(text) == expected


def test_short_words_are_not_stemmed():
    assert words("dies died cats cat was", porter) == ("di", "di", "cat", "cat", "was")


def test_stop_words_are_removed_before_stemming():
    assert words("He being beings", porter, {"being"}) == ("he", "be")


def test_line_ends_are_no_boundary_for_bigrams():
    passage = read_passage("a b\nc", stem=None, stop_words=frozenset())
    assert passage.bigrams == {("a", "b"): 1, ("b", "c"): 1}


@given(st.text(), st.integers(0, 20))
def test_cut_words_keeps_a_prefix_of_so_many_words(text, limit):
    cut = cut_words(text, limit)
    assert text.startswith(cut)
    assert count_words(cut) == min(limit, count_words(text))


@given(st.text(), st.integers(0, 40))
def test_cut_bytes_keeps_a_prefix_of_at_most_so_many_bytes(text, limit):
    cut = cut_bytes(text, limit)
    assert text.startswith(cut)
    assert len(cut.encode()) <= limit
    if len(text.encode()) <= limit:
        assert cut == text


def test_porter_is_the_original_algorithm_of_nltk(data):
    """They part at doubled letters before -ing in rare words; docs/lab/rouge.md has the modes."""
    nltk = pytest.importorskip("nltk.stem.porter")
    original = nltk.PorterStemmer(mode=nltk.PorterStemmer.ORIGINAL_ALGORITHM)
    vocabulary = {
        word
        for cluster in load(data / "squality_plot")
        for document in cluster.documents
        for word in words(document.text)
        if len(word) > 3
    }
    different = {word for word in vocabulary if porter(word) != original.stem(word)}
    assert len(vocabulary) > 10_000
    assert different <= {"yakking", "trekking"}
