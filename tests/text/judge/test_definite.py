"""Sentences about a thing that their paragraph named before."""

import numpy as np
import pytest

from maxcover.text import prepare
from maxcover.text.judge.definite import find_definite
from maxcover.text.judge.editor import LEANING
from maxcover.text.split.spans import Spans
from maxcover.text.words.languages import find_language

FIRST = "Police in Bremen arrested a doctor from Kiel at the main station on Monday."
LATER = "The doctor spent five hundred euros in a pharmacy of the old town last year."


def found(text: str) -> list[int]:
    spans = Spans.of([text], find_language("english"), lines="auto", form="auto")
    return find_definite([text], spans, np.arange(len(spans.said))).tolist()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (f"{FIRST} {LATER}", [1]),
        (f"{LATER} {FIRST}", []),
        (f"{FIRST}\n\n{LATER}", []),
        (f"{FIRST}\n{LATER}", []),
        (f"{FIRST} The Senate of Bremen met behind closed doors on the same day.", []),
        (f"{FIRST} A doctor spent five hundred euros in a pharmacy of the old town.", []),
        (f"- {FIRST}\n- {LATER}", []),
        (FIRST.replace("the main", "the\nmain") + "\n" + LATER.replace("the old", "the\nold"), [1]),
    ],
)
def test_it_is_definite_behind_another_sentence_of_its_paragraph(text, rows):
    assert found(text) == rows


def kept_later(text: str, **options) -> float:
    corpus = prepare([text], **options)
    row = next(row for row, one in enumerate(corpus.texts) if "The doctor" in one)
    return float(corpus.kept[row])


def test_others_come_first_in_prose():
    """The probability of an editor's keeping it falls to that of a sentence that leans."""
    assert kept_later(f"{FIRST}\n\n{LATER}") > LEANING
    assert kept_later(f"{FIRST} {LATER}") <= LEANING


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (f"Anna: {FIRST} {LATER}\nBert: Nobody has heard of it since Sunday.", "transcript"),
        (f"From: a@b.example\nSubject: News\n\nDear Anna,\n\n{FIRST} {LATER}\n", "auto"),
    ],
)
def test_mail_and_talk_are_left_as_they_are(text, form):
    """There editors strike such a sentence as often where it opens a paragraph."""
    assert kept_later(text, form=form) > LEANING


def test_later_sentences_of_a_paragraph_are_kept_less_likely_in_other_languages():
    first, second = (
        "Die Polizei in Bremen nahm am Montag einen Arzt aus Kiel am Bahnhof fest.",
        "Der Arzt gab im vergangenen Jahr fünfhundert Euro in einer Apotheke aus.",
    )
    assert prepare([f"{first} {second}"], language="german").kept.tolist() == [1, 0.65]
    assert prepare([f"{first}\n\n{second}"], language="german").kept.tolist() == [1, 1]
    letter = f"Hallo Anna,\n\n{first} {second}\n\nViele Grüße\nUwe"
    assert sorted(prepare([letter], language="german").kept.tolist()) == [0, 0, 0, 1, 1]
