import pytest

from maxcover.text.words.languages import LANGUAGES, find_language
from maxcover.text.words.stems import ALGORITHMS, find_stemmer
from maxcover.text.words.stopwords import STOP_WORDS, find_stop_words
from maxcover.text.words.tokens import words


@pytest.mark.parametrize("name", STOP_WORDS)
def test_every_stop_word_is_a_word_as_the_tokenizer_sees_it(name):
    assert name in LANGUAGES
    found = {word for stop in STOP_WORDS[name] for word in words(stop, name)}
    assert found == set(STOP_WORDS[name])
    assert len(found) >= 60


@pytest.mark.parametrize("word", ["state", "computer", "million", "system", "world", "time"])
def test_words_that_a_text_can_be_about_are_not_stop_words(word):
    assert word not in STOP_WORDS["english"]


def test_every_stemmer_of_the_table_exists():
    # with PyStemmer 3; before that six of them are missing, and words stay as they are there
    for language in LANGUAGES.values():
        assert language.stemmer is None or language.stemmer in ALGORITHMS
        assert find_language(language.code) is language


def test_a_language_without_list_or_stemmer_is_read_as_it_is():
    japanese = find_language("ja")
    found = find_stop_words(True, japanese)
    assert {"てい", "した", "の"} <= found
    assert found.isdisjoint(["クレ", "のク", "北埠", "埠頭"])
    assert find_stop_words(True, find_language("ko")) == frozenset()
    assert find_stemmer(True, japanese) is None
