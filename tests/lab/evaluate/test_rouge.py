"""Hand-worked scores and properties."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxcover.errors import OptionError
from maxcover.lab.evaluate.rouge import AGGREGATES, KINDS, Rouge, Score

texts = st.lists(st.sampled_from(["the", "cat", "sat", "mats", "on", ".\n"]), max_size=15).map(
    " ".join
)


def one(summary, references, kind="rouge1", **options):
    return Rouge(kinds=[kind], **options).score(summary, references)[kind]


# Reference: the cat sat on the mat (6 words; the twice). Summary: the the the cat (4 words).
# Hits: the min(3, 2) = 2, cat 1, so 3. Recall 3/6, precision 3/4, F = 2 * 3/8 / (5/4) = 3/5.
def test_rouge_1_clips_repeated_words():
    score = one("the the the cat", ["the cat sat on the mat"])
    assert score == pytest.approx(Score(1 / 2, 3 / 4, 3 / 5))


# Pairs of the reference: the-cat cat-sat sat-on on-the the-mat (5). Of the summary: the-cat cat-on
# on-the the-mat (4). Shared: the-cat, on-the, the-mat: 3.
def test_rouge_2_counts_neighbours():
    score = one("the cat on the mat", ["the cat sat on the mat"], "rouge2")
    assert score == pytest.approx(Score(3 / 5, 3 / 4, 2 / 3))


# Lin 2004, section 3.1. In order, the first summary shares police, the, gunman: 3 of 4 words; the
# second shares the, gunman: 2 of 4.
def test_rouge_l_looks_at_order():
    reference = "police killed the gunman"
    assert one("police kill the gunman", [reference], "rougeL", stem="none").f == 3 / 4
    assert one("the gunman kill police", [reference], "rougeL", stem="none").f == 2 / 4


# Lin 2004, section 3.2: the union of w1 w2 and w1 w3 w5 is w1 w2 w3 w5: 4 of 5.
# As one sentence the summary is w1 w2 w6 w7 w8 w1 w3 w8 w9 w5: w1 w2 w3 w5 in order, 4 as well.
# With the two lines swapped the sentence-level score falls to w1 w3 w5, the summary level stays.
def test_rouge_lsum_is_the_union_over_lines():
    reference = ["w1 w2 w3 w4 w5"]
    assert one("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", reference, "rougeLsum").recall == 4 / 5
    assert one("w1 w3 w8 w9 w5\nw1 w2 w6 w7 w8", reference, "rougeLsum").recall == 4 / 5
    assert one("w1 w3 w8 w9 w5\nw1 w2 w6 w7 w8", reference, "rougeL").recall == 3 / 5


# Both reference lines find the one cat of the summary; it may pay once: 1 of 4, not 2 of 4.
def test_rouge_lsum_pays_for_a_word_once():
    assert one("cat", ["a cat\nthe cat"], "rougeLsum") == pytest.approx(Score(1 / 4, 1, 2 / 5))


# Summary a b c d against r1 = a b (2 hits of 2), r2 = a x y z w (1 of 5), r3 = a b c z (3 of 4).
# recall 1, .2, .75; precision .5, .25, .75; F 2/3, 2/9, 3/4.
@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        ("average", Score(1.95 / 3, 1.5 / 3, (2 / 3 + 2 / 9 + 3 / 4) / 3)),
        ("pooled", Score(6 / 11, 6 / 12, 2 * 6 / 23)),
        ("best", Score(3 / 4, 3 / 4, 3 / 4)),
    ],
)
def test_aggregates(aggregate, expected):
    references = ["a b", "a x y z w", "a b c z"]
    assert one("a b c d", references, aggregate=aggregate) == pytest.approx(expected)


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_one_reference_leaves_nothing_to_aggregate(aggregate):
    assert one("a b c", ["a b d d"], aggregate=aggregate) == pytest.approx(Score(0.5, 2 / 3, 4 / 7))


def test_stemming():
    assert one("cats running", ["cat runs"]).f == 1
    assert one("cats running", ["cat runs"], stem="none").f == 0
    assert one("cats running", ["camel roof"], stem=lambda word: word[0]).f == 1


def test_stop_words():
    assert one("the cat", ["the dog"], stop_words={"the"}).f == 0
    assert one("the cat", ["cat a"], stop_words=["the", "a"]).f == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("aggregate", AGGREGATES)
@settings(max_examples=30)
@given(st.data())
def test_properties(kind, aggregate, data):
    summary, references = data.draw(texts), data.draw(st.lists(texts, min_size=1, max_size=4))
    score = one(summary, references, kind, aggregate=aggregate)
    assert all(0 <= part <= 1 for part in score)
    again = one(summary, references[::-1], kind, aggregate=aggregate)
    assert again.recall == pytest.approx(score.recall) or aggregate == "best"
    assert again.f == pytest.approx(score.f)


@pytest.mark.parametrize("kind", KINDS)
@given(texts)
def test_a_text_against_itself_is_perfect_or_empty(kind, text):
    units = len(Rouge().read(text).words) - (kind == "rouge2")
    assert one(text, [text], kind) == (Score(1, 1, 1) if units > 0 else Score(0, 0, 0))


@given(texts, texts)
def test_summary_level_never_exceeds_rouge_1_nor_misses_sentence_level_on_one_line(text, other):
    scores = Rouge().score(text, [other])
    assert scores["rougeLsum"].recall <= scores["rouge1"].recall
    flat = Rouge().score(text.replace("\n", " "), [other.replace("\n", " ")])
    assert flat["rougeLsum"] == flat["rougeL"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kinds": ["rouge3"]}, "rouge1, rouge2, rougeL, rougeLsum; got 'rouge3'"),
        ({"kinds": "rouge1"}, "single string"),
        ({"aggregate": "max"}, "average, pooled, best"),
        ({"stem": "snowball"}, "porter, language, none"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(OptionError, match=message):
        Rouge(**options)


@pytest.mark.parametrize("references", [[], "a text"])
def test_references_must_be_several_texts(references):
    with pytest.raises(OptionError, match="non-empty sequence"):
        Rouge().score("a", references)
