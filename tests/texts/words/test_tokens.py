import unicodedata

import pytest
from hypothesis import given, settings

from maxcover.texts.words.tokens import locate, normalize, words
from tests.texts.collections_on_disk import any_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop, it’s the dogs' bone.", ["don't", "stop", "it's", "the", "dogs", "bone"]),
        (
            "state-of-the-art snake_case _emphasis_",
            ["state", "of", "the", "art", "snake", "case", "emphasis"],
        ),
        ("3.14 or 1,000. End 5.", ["3.14", "or", "1,000", "end", "5"]),
        ("co\u00adop\u200beration ﬁne", ["cooperation", "fine"]),
        ("हिन्दी में लिखा", ["हिन्दी", "में", "लिखा"]),
        ("مُحَمَّد كتب", ["مُحَمَّد", "كتب"]),
        ("東京都に住むAI研究者", ["東京", "京都", "都に", "に住", "住む", "ai", "研究", "究者"]),
        ("人", ["人"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("😀 \0 \ud800 --- …", []),
    ],
)
def test_words(text, expected):
    assert words(text) == [unicodedata.normalize("NFKC", word) for word in expected]


def test_an_elided_article_is_a_word_of_its_own():
    assert words("l'homme d’affaires", elides=True) == ["l", "homme", "d", "affaires"]


@settings(max_examples=150, deadline=None)
@given(any_text)
def test_runs_are_located_exactly(text):
    found = []
    behind = 0
    for start, end, given_words in locate(text):
        assert behind <= start < end
        assert normalize(text[start:end].replace("_", " ")) == given_words
        found.extend(given_words)
        behind = end
    assert found == words(text)
    for word in found:
        assert word.split() == [word]
        assert any(map(str.isalnum, word))
        word.encode()  # no lone surrogate


@settings(max_examples=150, deadline=None)
@given(any_text)
def test_composed_and_decomposed_text_has_the_same_words(text):
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert words(composed) == words(decomposed)
