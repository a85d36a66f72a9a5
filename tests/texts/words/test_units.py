import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maxcover as mc
from maxcover.errors import OptionError
from maxcover.texts import prepare
from maxcover.texts.split.sentences import split_sentences
from maxcover.texts.words.units import JOINER, UNITS, find_unit
from tests.texts.collections_on_disk import any_text


@pytest.mark.parametrize("name", [name for name in UNITS if name != "sentences"])
@settings(max_examples=100, deadline=None)
@given(texts=st.lists(any_text, max_size=4))
def test_additive_units_add_up_to_the_size_of_the_joined_text(name, texts):
    unit = UNITS[name]
    sentences = [text[start:end] for text in texts for start, end in split_sentences(text)]
    if sentences:
        total = unit.costs(sentences).sum() - unit.joint
        assert total == unit.measure(JOINER.join(sentences))


def test_sentences_cost_one_each():
    assert find_unit("sentences").costs(["One.", "Two here."]).tolist() == [1, 1]


@settings(max_examples=300, deadline=None)
@given(any_text)
def test_words_are_never_fewer_than_wc_counts(text):
    assert find_unit("words").measure(text) >= len(text.split())


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("A well-known fact - no more.", 6),
        ("Größe übertrifft Ärger", 3),
        ("東京は晴れ。", 5),
        ("AIは便利 です", 6),
        ("ภาษาไทย สวย", 3),
        ("한국어 문장", 2),
        ("。 。", 2),
    ],
)
def test_words(text, count):
    assert find_unit("words").measure(text) == count


def test_bytes_and_characters():
    assert find_unit("bytes").measure("é\ud800") == 5
    assert find_unit("characters").measure("é\ud800") == 2


def test_tokens_are_near_four_characters_of_english():
    text = (
        "The committee met on Tuesday to discuss the plan that had been sent to all members a week "
        "before. It was agreed that the harbour should be opened in spring, weather permitting."
    )
    assert 3.5 < len(text) / find_unit("tokens").measure(text) < 5.5


def test_a_callable_is_not_taken_to_be_additive():
    unit = find_unit(lambda text: len(set(text)))
    assert not unit.additive
    assert unit.costs(["aab", "c"]).tolist() == [2, 1]


@pytest.mark.parametrize("bad", [lambda _: -1, lambda _: float("nan"), lambda _: "many"])
def test_a_callable_has_to_count(bad):
    with pytest.raises(OptionError, match="unit="):
        find_unit(bad).costs(["a"])


def test_unknown_unit():
    with pytest.raises(OptionError, match="characters"):
        find_unit("pages")


@pytest.mark.parametrize("unit", [name for name in UNITS if name != "sentences"])
def test_nothing_stands_between_sentences_of_japanese(unit):
    text = (
        "港は月曜日に閉鎖された。船は一週間も待っていた。市長は2日に港を訪れた。次の船は3日に来る。"
    )
    corpus = prepare([text], unit=unit)
    joined = corpus.join([0, 2, 3])
    assert " " not in joined
    assert joined in text.replace(corpus[1].text, "")
    assert corpus.measure([0, 2, 3]) == UNITS[unit].measure(joined)
    summary = mc.summarize(text, budget=corpus.measure([0, 1, 2]), unit=unit)
    assert summary.cost == UNITS[unit].measure(summary.text) <= summary.budget
