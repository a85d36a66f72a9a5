"""Reading: tokens, stemming, stop words, cuts."""

import pytest

from maxcover.evaluate.datasets import load
from maxcover.evaluate.passage import porter, read_passage


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
