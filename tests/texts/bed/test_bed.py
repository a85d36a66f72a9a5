"""The gate: what summaries of the bed print is as expected, or nearly."""

from tests.texts.bed.bed import TEXTS, check_all, read_expected

LEAST_MET = {"development": 0.95, "counted": 0.92}
"""Part of the expectations of each half that is met; lowering it takes a word in the changelog."""


def test_every_text_has_expectations():
    assert {path.name for path in TEXTS.iterdir()} == {*read_expected()}


def test_expectations_are_met():
    found = check_all()
    for half, least in LEAST_MET.items():
        own = [one for one in found if one.half == half]
        missed = [f"{one.name}: {one.what}" for one in own if not one.met]
        assert len(missed) <= (1 - least) * len(own), "\n".join(missed)
