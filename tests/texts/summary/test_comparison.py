"""`known=` and `compare`: what is known weighs nothing, and nothing else changes."""

import numpy as np
import pytest

import maxcover as mc
from maxcover.errors import TextError
from maxcover.texts import prepare
from maxcover.texts.report import summary_wording as wording

MONDAY = (
    "A storm hit the coast on Sunday night. The harbour of Alder Bay is closed after the storm. "
    "Nobody was hurt, the mayor of the town said."
)
TUESDAY = (
    "The harbour of Alder Bay is closed after the storm. Ferries start again on Wednesday morning. "
    "The mayor of the town thanked the crews for their work."
)


def test_what_is_known_weighs_nothing_and_the_rest_what_it_weighed():
    plain = prepare([TUESDAY], language="english")
    new = prepare([TUESDAY], known=[MONDAY], language="english")
    said = set(prepare([MONDAY], language="english").labels)
    weight = dict(zip(plain.labels, plain.weights, strict=True))
    left = dict(zip(new.labels, new.weights, strict=True))
    assert left == {concept: w for concept, w in weight.items() if concept not in said}
    assert new.own[0] == 0  # every word of it is known
    assert (new.own <= plain.own).all()


def test_a_sentence_that_is_known_is_never_chosen():
    summary = mc.summarize(TUESDAY, known=[MONDAY], budget=100)
    assert "harbour" not in summary.text
    assert "Ferries start again" in summary.text
    assert np.isclose(summary.upper_bound, summary.value)


def test_the_share_is_of_what_is_new():
    new = mc.summarize(TUESDAY, known=[MONDAY], budget=100)
    assert "in the sentences that say something new" in wording.coverage(new)
    assert "in the sources" in wording.coverage(mc.summarize(TUESDAY, budget=100))


def test_everything_is_known():
    with pytest.raises(TextError, match="is new"):
        mc.summarize(MONDAY, known=[MONDAY])
    with pytest.raises(TextError, match="is new"):
        mc.summarize(MONDAY, known=[MONDAY], preset="plain")


def test_compare_is_the_same_call_both_ways():
    found = mc.compare(MONDAY, [TUESDAY], budget=20)
    assert found.first.text == mc.summarize(MONDAY, known=[TUESDAY], budget=20).text
    assert found.second.text == mc.summarize([TUESDAY], known=[MONDAY], budget=20).text
    assert mc.compare(MONDAY, MONDAY) == (None, None)
    with pytest.raises(TextError, match="at least one sentence"):
        mc.compare("", MONDAY)


def test_a_timeline_of_news():
    """Each day's summary of what the days before did not say."""
    days = [MONDAY, TUESDAY, "Ferries started again. A new pier opens on Friday in Alder Bay."]
    told = []
    for number, day in enumerate(days):
        told.append(mc.summarize(day, known=days[:number], budget=12).text)
    assert "pier" in told[2]
    assert not any(told[k] in days[j] for k in (1, 2) for j in range(k))
