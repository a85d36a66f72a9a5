"""Tests of editions: documents of a series are printed with what tells them apart."""

import pytest

import maxcover as mc
from maxcover.texts import prepare
from maxcover.texts.summary.editions import name_editions

REPORT = """# Report of the harbour {}

The harbour was visited by {} ships, and the quay was closed for {} days.

The crane of the north quay needs a new cable before the winter.
"""
DATED = """---
title: The ferry
date: {}
---

Today we opened the {} for the ferries of the coast. {} of them come every day.
"""


def years():
    return [REPORT.format(year, 400 + year % 7, year % 5 + 2) for year in (2022, 2023, 2024)]


def editions(*texts):
    return name_editions(prepare(list(texts))).editions


def test_sentences_of_yearly_reports_are_printed_with_the_year():
    summary = mc.summarize(years(), budget=70)
    for sentence, line in zip(summary.sentences, summary.lines, strict=True):
        year = ("2022", "2023", "2024")[sentence.document]
        if "visited" in sentence.text:
            assert line.startswith(f"{year}: The harbour was visited")
    assert len({sentence.document for sentence in summary.sentences}) == 3


def test_the_edition_stands_once_for_neighbours_of_a_document():
    texts = [DATED.format("2025-03-01", "north quay", 12), DATED.format("2025-05-01", "pier", 30)]
    summary = mc.summarize(texts, budget=60)
    assert summary.text.count("2025-03-01") == summary.text.count("2025-05-01") == 1
    assert len(summary.sentences) == 4


@pytest.mark.parametrize("unit", ["words", "characters", len])
def test_a_summary_with_editions_fits(unit):
    most = 70 if unit == "words" else 400
    for budget in range(most // 5, most, most // 7):
        summary = mc.summarize(years(), budget=budget, unit=unit)
        size = len(summary.text.split()) if unit == "words" else len(summary.text)
        assert summary.cost == size <= budget


def test_what_is_a_series():
    plain = "The quay is closed until May because of a storm.\n"
    assert editions(*years()) == ("2022", "2023", "2024")
    assert editions(f"# Release 2.1\n\n{plain}", f"# Release 2.2\n\n{plain}") == ("2.1", "2.2")
    assert editions(f"# Inflation at 2.5 percent\n\n{plain}", f"# Rents 4.1 up\n\n{plain}") == ()
    assert editions(f"# Review of 1984\n\n{plain}", f"# Blade Runner 2049\n\n{plain}") == ()
    assert editions(f"# Vote of 2024\n\n{plain}", f"# Storm of 2024\n\n{plain}") == ()
    assert editions(f"# Report 2024\n\n{plain}", f"# The quay\n\n{plain}") == ()
    assert editions(f"# Report 2024\n\n{plain}") == ()
    assert editions(plain, plain) == ()
    mails = [f"From: Ann\nDate: Mon, {day} Nov 2024 10:00:00 +0000\n\n{plain}" for day in (4, 11)]
    assert editions(*mails) == ()
