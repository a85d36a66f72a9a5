"""Known: sentences that are said again, against a slow twin and on cases by hand."""

import random

import pytest

import maxcover as mc
from maxcover.texts.weigh.same_statement import FEW_WORDS, SHARE, find_retold
from maxcover.texts.words.terms import find_terms

COMMON = {"the", "a", "was", "on", "in", "after", "is", "again", "nobody", "were"}


def retold(new, known):
    terms = [find_terms(side, stemmer="english", common=COMMON) for side in (new, known)]
    return find_retold(*terms).tolist()


@pytest.mark.parametrize(
    ("sentence", "known", "expected"),
    [
        ("The storm closed the harbour.", ["The harbour was closed.", "A storm was on."], True),
        ("The storm closed the harbour.", ["A harbour.", "Other.", "A storm closed it."], False),
        ("Storms closed a harbour on Monday.", ["The harbour closed on Monday in a storm."], True),
        ("Nobody was hurt.", ["Ten were hurt in the storm."], False),
        ("Nobody was hurt.", ["Nobody was hurt in the storm."], True),
        ("A storm in the harbour hurt 15.", ["A storm in the harbour hurt 12."], False),
        ("A storm in the harbour hurt 15.", ["The harbour storm hurt 15."], True),
        ("Storms hurt 12, 15, 18 and 20 people.", ["Storms hurt 12, 15, 18 and 21 people."], False),
        ("Ferries start again.", [], False),
        ("", ["Ferries start again."], True),
        ("The harbour is open.", ["The harbour is closed."], False),
        (
            "The council did not close the old bridge.",
            ["The council closed the old bridge."],
            False,
        ),
        (
            "The council closed the old bridge.",
            ["The council plans to close the old bridge."],
            False,
        ),
        (
            "The mayor of Rome closed the old bridge.",
            ["The mayor of Oslo closed the bridge."],
            False,
        ),
        ("It is closed. No ship waits.", ["No ship waits.", "The port is closed."], True),
    ],
)
def test_cases(sentence, known, expected):
    assert retold([sentence], known) == [expected]


def test_against_a_slow_twin():
    draw = random.Random(5)
    names = [
        *sorted(COMMON),
        "7",
        "12",
        "3",
        "40",
        "55",
        *(f"harbour{letter}" for letter in "abcdefghijkl"),
    ]
    sides = [
        [" ".join(draw.choices(names, k=draw.randint(1, 11))) for _ in range(size)]
        for size in (120, 12)
    ]
    new, known = ([set(sentence.split()) for sentence in side] for side in sides)
    expected = []
    for words in new:
        counted = words - COMMON if len(words - COMMON) >= FEW_WORDS else words
        worth = {word: len(counted) if word.isdigit() else 1 for word in counted}
        # only sentences that deny as this one does
        said = [one if ("nobody" in one) == ("nobody" in words) else set() for one in known]
        windows = [one | two for one, two in zip([set(), *said], [*said, set()], strict=True)]
        values = {word for word in counted if word.isdigit()}
        windows = [window for window in windows if values <= window]
        held = max(
            (sum(worth[word] for word in counted & window) for window in windows), default=-1
        )
        share = 1 if counted is words else SHARE
        expected.append(held >= share * sum(worth.values()))
    terms = [find_terms(side, stemmer=None, common=COMMON) for side in sides]
    assert find_retold(*terms).tolist() == expected
    assert 5 < sum(expected) < 115


def test_two_reports_of_one_storm():
    first = (
        "A storm hit the coast on Monday. The harbour was closed after the storm. Nobody was hurt."
    )
    second = "The storm closed the harbour on Monday. Ferries start again on Tuesday."
    found = mc.compare(first, second)
    assert found.first.text == "A storm hit the coast on Monday. Nobody was hurt."
    assert found.second.text == "Ferries start again on Tuesday."
