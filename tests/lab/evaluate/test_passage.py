"""Reading: tokens, stemming, stop words, cuts."""

import pytest

from maxcover.lab.evaluate.datasets import load
from maxcover.lab.evaluate.rouge import Rouge
from maxcover.texts.words.stems import stem_words


def words(text, stem="none", stop_words=()):
    return Rouge(stem=stem, stop_words=stop_words).read(text).words


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
    assert words("dies died cats cat was", "porter") == ("di", "di", "cat", "cat", "was")


def test_stop_words_are_removed_before_stemming():
    assert words("He being beings", "porter", {"being"}) == ("he", "be")


def test_line_ends_are_no_boundary_for_bigrams():
    passage = Rouge(stem="none").read("a b\nc")
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
    stems = stem_words(sorted(vocabulary), "porter")
    pairs = zip(sorted(vocabulary), stems, strict=True)
    different = {word for word, stem in pairs if stem != original.stem(word)}
    assert len(vocabulary) > 10_000
    assert different <= {"yakking", "trekking"}
