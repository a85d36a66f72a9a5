import pytest

from maxcover.texts.words.languages import ALGORITHMS, LANGUAGES, find_language
from maxcover.texts.words.lists import read_table
from maxcover.texts.words.tokens import words


@pytest.mark.parametrize("name", read_table("stopwords")["lists"])
def test_every_stop_word_is_a_word_as_the_tokenizer_sees_it(name):
    assert name in LANGUAGES
    found = {
        word
        for stop in LANGUAGES[name].stop_words
        for word in words(stop, elides=LANGUAGES[name].elides)
    }
    assert found == set(LANGUAGES[name].stop_words)
    assert len(found) >= 60


@pytest.mark.parametrize("word", ["state", "computer", "million", "system", "world", "time"])
def test_words_that_a_text_can_be_about_are_not_stop_words(word):
    assert word not in LANGUAGES["english"].stop_words


def test_every_stemmer_of_the_table_exists():
    # with PyStemmer 3; before that six of them are missing, and words stay as they are there
    for language in LANGUAGES.values():
        assert language.stemmer is None or language.stemmer in ALGORITHMS
        assert find_language(language.code) is language


def test_a_language_without_list_or_stemmer_is_read_as_it_is():
    japanese = find_language("ja")
    found = japanese.stop_words
    assert {"てい", "した", "の"} <= found
    assert found.isdisjoint(["クレ", "のク", "北埠", "埠頭"])
    assert find_language("ko").stop_words == frozenset()
    assert japanese.find_stemmer() is None
