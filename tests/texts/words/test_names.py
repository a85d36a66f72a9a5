"""Names: equal to a list, asked about each word once, and small when sent to another process."""

import pickle

import numpy as np
import pytest

from maxcover.texts.words import vocabulary as names_module
from maxcover.texts.words.terms import find_terms
from maxcover.texts.words.vocabulary import WordList, WordNames


@pytest.fixture
def origin():
    return WordList(["cat", "dog", "sat", "on"])


def test_equal_to_a_list(origin):
    names = WordNames(origin, np.array([2, 0], np.int32))
    assert names == ["sat", "cat"] == list(names)
    assert names != ["sat"]
    assert names[-1] == "cat"
    assert names[:1] == ["sat"]
    assert names.pick(np.array([1, 1])) == ["cat", "cat"]
    assert "dog" not in names
    assert repr(names) == "['sat', 'cat']"


def test_each_word_is_asked_about_once(origin):
    asked = []

    def length(word):
        asked.append(word)
        return len(word)

    first = WordNames(origin, np.array([2, 3], np.int32))
    assert first.look_up(length).tolist() == [3, 2]
    origin.words.append("mat's")
    second = WordNames(origin, np.array([4, 3, 0], np.int32))
    assert second.look_up(length).tolist() == [5, 2, 3]
    assert first.look_up(length).tolist() == [3, 2]
    assert sorted(asked) == ["cat", "mat's", "on", "sat"]


def test_answers_of_many_functions_do_not_add_up(origin):
    names = WordNames(origin, np.array([1], np.int32))
    for number in range(100):
        assert names.look_up({"dog": number}.__getitem__, number).tolist() == [number]
    assert len(origin._told) <= names_module._MOST_FUNCTIONS + 1


def test_only_its_own_words_are_sent():
    find_terms([" ".join(f"word{k}" for k in range(5_000))], stemmer=None)
    terms = find_terms(["Cats purr."], stemmer=None)
    sent = pickle.dumps(terms)
    assert len(sent) < 2_000
    assert pickle.loads(sent).vocabulary == ["cats", "purr"]  # noqa: S301 - our own
