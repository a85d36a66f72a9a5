"""The labels of sentences: the heading, lead-in or version that each hangs on."""

import pytest

from maxcover.texts import prepare

SECTIONS = """# Harbour handbook

The book tells how the port works.

## Ropes

{text}
"""


def labels(text, form="markdown"):
    """Return (label, sentence) of each sentence that has a label."""
    corpus = prepare([text], form=form)
    pairs = zip(corpus.under, corpus.texts, strict=True)
    return [(under, said) for under, said in pairs if under]


def test_a_paragraph_has_the_heading_above_it_as_its_label():
    text = SECTIONS.format(text="They are changed every spring.")
    assert labels(text) == [("Ropes", "They are changed every spring.")]


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("## Ropes", "Ropes are changed every spring."),  # the sentence has the word
        ("## How the harbour works", "They are changed every spring."),  # the title has it
        ("## Introduction", "They are changed every spring."),  # says nothing
        ("## " + 8 * "winch ", "They are changed every spring."),  # long
        ("## 1.2", "They are changed every spring."),
    ],
)
def test_a_heading_that_tells_nothing_new_is_no_label(heading, said):
    text = SECTIONS.format(text=said).replace("## Ropes", heading.strip())
    assert labels(text) == []


def test_a_label_loses_its_number_and_its_marks():
    text = SECTIONS.format(text="They are changed.").replace("## Ropes", "## 3.1 Ropes:")
    assert labels(text)[0][0] == "Ropes"


def test_code_at_the_end_of_a_label_is_printed_without_its_marks():
    text = SECTIONS.format(text="It only prints.").replace("## Ropes", "## The `_ask`: **`--dry`**")
    assert labels(text) == [("The _ask: --dry", "It only prints.")]


def test_an_item_below_a_statement_has_the_label_of_the_section():
    text = "# Changes\n\n## Version 8.2.0\n\nReleased 2025-05-10\n\n- Old ports are dropped.\n"
    assert ("Version 8.2.0", "Old ports are dropped.") in labels(text)


def test_entries_of_a_changelog_have_their_version_and_section():
    text = "# Changes\n\n## 2.1\n\n### Fixed\n\n- Masts fall.\n\n## 2.0\n\n- Sails rise.\n"
    assert labels(text) == [("2.1, Fixed", "Masts fall."), ("2.0", "Sails rise.")]


def test_a_lead_in_is_the_label_of_its_list_and_not_the_heading():
    text = SECTIONS.format(text="The port keeps:\n\n- ropes of hemp\n- ropes of steel")
    assert [label for label, said in labels(text) if "of" in said] == 2 * ["The port keeps"]


def test_only_the_last_clause_of_a_lead_in_is_printed():
    text = SECTIONS.format(text="Masts are old. We replace:\n\n- the mast of the pilot boat")
    assert labels(text)[-1][0] == "We replace"


def test_headings_of_restructured_text_are_labels_too():
    text = "Handbook\n========\n\nIt is short.\n\nRopes\n-----\n\nThey are changed\nin spring.\n"
    assert labels(text, "rst") == [("Ropes", "They are changed in spring.")]


def test_lines_of_plain_text_that_look_like_headings_are_no_labels():
    text = "Handbook\n\nIt is short.\n\nRopes\n\nThey are changed in spring.\n"
    assert labels(text, "text") == []


def test_an_item_inside_an_item_names_both():
    text = "# Notes\n\n- Crane group\n  - Two ideas were heard:\n    - Sell the crane. It is old.\n"
    found = labels(text)
    assert ("Crane group, Two ideas were heard", "Sell the crane.") in found


def test_paragraphs_of_a_changelog_have_their_version_and_numbered_sections_have_none():
    text = "# Changes\n\n## 2.1\n\nMasts no longer fall.\n\n## 2.0\n\nSails rise.\n"
    assert labels(text) == [("2.1", "Masts no longer fall."), ("2.0", "Sails rise.")]
    text = text.replace("## 2.1", "## 2.1 Masts and ropes").replace("## 2.0", "## 2.0 On sails")
    assert labels(text) == []


def test_the_date_of_the_title_is_no_label():
    text = "# 2018-10-30: The lamp is dark\n\nThe cable was cut.\n\n## 2018-11-01\n\nIt hangs.\n"
    text += "\n## 2018-11-02\n\nIt burns again.\n"
    assert labels(text) == [("2018-11-01", "It hangs."), ("2018-11-02", "It burns again.")]


def test_the_first_version_of_a_changelog_may_be_its_title():
    text = "# 4.3.0 (2025-03-22)\n\n- Masts no longer fall.\n\n# 4.2.0\n\n- Sails rise.\n"
    assert labels(text) == [("4.3.0", "Masts no longer fall."), ("4.2.0", "Sails rise.")]


PARTED = "# What is OK\n\n{}\n\n- Sails are red.\n\n{}\n\n- Masts are not OK in May.\n"


@pytest.mark.parametrize(
    ("one", "other"), [("## OK", "## Not allowed"), ("**Do**", "**Don't**"), ("## In", "## May")]
)
def test_where_lists_differ_by_their_headings_short_ones_are_labels_too(one, other):
    names = [heading.strip("#* ") for heading in (one, other)]
    expected = [(names[0], "Sails are red.")]
    if other != "## May":  # the item has the word
        expected.append((names[1], "Masts are not OK in May."))
    assert labels(PARTED.format(one, other)) == expected


def test_lists_below_the_same_heading_are_told_apart_by_the_heading_around_it():
    text = (
        "# Boats\n\n## Ketch\n\n### Pros\n\n- It is fast.\n\n## Yawl\n\n### Pros\n\n- It is dry.\n"
    )
    assert labels(text) == [("Ketch, Pros", "It is fast."), ("Yawl, Pros", "It is dry.")]


def test_a_line_that_announces_a_list_is_printed_only_as_its_label():
    corpus = prepare(["We sell these:\n\n- the old ropes of hemp\n- the old ropes of steel\n"])
    assert corpus.kinds[0] == "label"


def test_what_somebody_says_in_a_list_keeps_the_line_that_announces_it():
    head = "From: Ann Lee\nSubject: ropes\n\n"
    found = labels(
        head + "We do not sell:\n\n- the old ropes of hemp\n- the ropes of steel\n", "auto"
    )
    assert ("Ann Lee: We do not sell", "the old ropes of hemp") in found


def test_numbered_lines_above_paragraphs_are_the_headings_of_an_agenda():
    text = "Notes\n\n1. Ropes\nThey are old.\n\n2. Sails\nThey are new.\n"
    assert labels(text, "auto") == [("Ropes", "They are old."), ("Sails", "They are new.")]
    assert labels("Notes\n\n1. Ropes\nThey are old.\n", "auto") == []
