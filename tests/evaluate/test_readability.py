"""Readability: each rule on what breaks it and what does not; ROUGE of any script."""

import pytest

from maxcover.errors import OptionError
from maxcover.evaluate.passage import beyond_ascii
from maxcover.evaluate.readability import RULES, read
from maxcover.evaluate.rouge import Rouge, rouge_for

GOOD = "The harbour of the town was closed on Monday."


@pytest.mark.parametrize("rule", [*RULES, "defects"])
def test_a_good_sentence_breaks_no_rule(rule):
    assert getattr(read([GOOD]), rule) == 0


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("stub", "Nobody was hurt."),
        ("fragment", "The harbour of the town that was closed"),
        ("fragment", "closed on Monday by the town's council."),
        ("boilerplate", "Call us at +49 421 555 0192 today."),
        ("boilerplate", "Write to port@harbour.example today, please."),
        ("boilerplate", "Best regards from Ann,"),
        ("cut_quote", 'The mayor said: "The harbour of the town is closed.'),
        ("cut_quote", "The mayor (who is new said that it was closed."),
        ("dangling", "But the harbour of the town was closed on Monday."),
        ("overlong", "word " * 46 + "end."),
    ],
)
def test_each_rule(rule, text):
    found = read([GOOD, text])
    assert getattr(found, rule) == 0.5
    if rule not in {"dangling", "overlong"}:
        assert found.defects == 0.5


def test_hebrew_abbreviations_are_no_quotations():
    assert read(['צה"ל הודיע היום על סגירת הנמל.'], "he").cut_quote == 0
    assert read([]).defects == 0


@pytest.mark.parametrize(
    ("language", "dangling", "whole"),
    [
        ("fr", "Cependant, le port reste fermé.", "Le port reste fermé."),
        ("el", "Αυτός ήρθε χθες στο λιμάνι.", "Ο Νίκος ήρθε χθες στο λιμάνι."),
        ("hi", "उन्होंने कहा कि बंदरगाह बंद था।", "बंदरगाह सोमवार को बंद था।"),
        ("he", "הוא הודיע היום על סגירת הנמל.", "ראש העיר הודיע על סגירת הנמל."),
        ("ar", "هذه السفينة تحمل مئتي راكب.", "السفينة تحمل مئتي راكب."),
        ("cs", "A přístav zůstal zavřený.", "Přístav zůstal zavřený."),
    ],
)
def test_dangling_starts_of_other_languages(language, dangling, whole):
    assert read([dangling, whole], language).dangling == 0.5
    assert read([dangling, whole], "any").dangling == 0


def test_words_of_any_script_count():
    references = ["बंदरगाह सोमवार को बंद था"]
    assert Rouge(kinds=["rouge1"]).score("बंदरगाह बंद था", references)["rouge1"].recall == 0
    score = rouge_for("hi").score("बंदरगाह बंद था", references)["rouge1"]
    assert score.recall == pytest.approx(3 / 5)
    german = rouge_for("de").score("Die Häuser", ["Das Haus"])["rouge1"]
    assert german.recall == 0.5  # haus


def test_ascii_and_unicode_agree_on_plain_english():
    text, references = "The cats sat on mats.", ["A cat sat on the mat", "Cats sit"]
    one = Rouge().score(text, references)
    assert Rouge(tokens="unicode").score(text, references) == one


def test_the_share_of_letters_that_ascii_cuts_words_at():
    assert beyond_ascii(["plain", "text"]) == 0
    assert beyond_ascii(["бур"]) == 1
    assert beyond_ascii([]) == 0
    with pytest.raises(OptionError, match="ascii, unicode"):
        Rouge(tokens="utf-8")
