"""Furniture: what is around the text of pages, transcripts and letters, and what only looks so."""

import pytest

from maxcover.text import find_blocks

REST = "The harbour of the town was closed on Monday.\nShips waited for a whole week.\n"


def kinds(text, **options):
    return {text[b.start : b.end]: b.kind for b in find_blocks(text, **options)}


@pytest.mark.parametrize(
    "line",
    [
        "Share on Facebook",
        "312 comments",
        "**Most viewed**",
        "Related: Why the quay is older than the railway and the bridge",
        "Home | News | Sport | Weather",
        "¹ Institute for Harbours, Alder Bay",
        "Received 3 October 2025; accepted 11 January 2026",
        "Source: Port of Alder Bay, 2025.",
        "Page 3 of 14",
    ],
)
def test_lines_of_furniture(line):
    text = f"{REST}\n{line}\n\n{REST}"
    found = [text[b.start : b.end] for b in find_blocks(text) if b.kind == "furniture"]
    assert found == [line]


@pytest.mark.parametrize(
    "line",
    [
        "Share of the vote: the Greens won 14 per cent.",
        "Related diseases are rare in goats.",
        "Print is dead, say the printers.",
        "Source of the rust is the salt.",
        "Search for the lost ship",
        "- Print",
        "## Search",
        "Crane | 40 tonnes | 2019",
        "1 The crane at the north quay",
    ],
)
def test_what_only_looks_like_furniture(line):
    assert "furniture" not in kinds(f"{REST}\n{line}\n\n{REST}").values()


def test_titles_of_other_pages_are_taken_along_as_far_as_the_next_blank_line():
    found = kinds(f"{REST}\nREAD MORE\nFerries are late again\n\nThe new crane\n\n{REST}")
    assert found["Ferries are late again"] == "furniture"
    assert found["The new crane"] == "heading"


def test_a_run_that_is_mostly_furniture_is_furniture_but_for_the_heading_of_the_next_text():
    run = "Share\nPrint\nThe northern coast\nSave\nRepairs\n\n"
    found = kinds(f"{REST}\n{run}{REST}")
    assert found["The northern coast"] == "furniture"
    assert found["Repairs"] != "furniture"


def test_running_heads_and_footnotes_stand_next_to_page_numbers():
    page = "\n".join(f"The port of the town was closed on day {k} of the year." for k in range(9))
    pages = [f"{page}\n\n{k} Port Act, section {k}.\n\n{k}\nHarbour report\n" for k in (7, 8, 9)]
    text = "\n".join(pages)
    found = [text[b.start : b.end] for b in find_blocks(text) if b.kind == "furniture"]
    assert found.count("Harbour report") == 3
    assert "8 Port Act, section 8." in found
    assert len(found) == 9


def test_the_numbers_of_a_list_are_no_pages():
    text = "1\nOpen the valve\n2\nStart the pump\n3\nClose the valve\n"
    assert kinds(text)["Start the pump"] != "furniture"


def test_works_below_references_give_no_weight_and_the_text_behind_them_does():
    works = (
        "References\nHolt, R. (1981). Lime on hills. Pasture, 12.\n[2] Port Office. Ships 2024.\n"
    )
    found = kinds(f"{REST}\n{works}\n{REST}")
    assert [kind for kind in found.values() if kind == "furniture"] == ["furniture"] * 3


def test_times_of_a_transcript_are_left_out():
    text = "\n".join(
        [
            "[00:01] ann: The port has to be closed on Monday.",
            "[00:04] bob: The ferries can use the south quay.",
            "[00:09] (crosstalk)",
            "[00:12] ann: The crane has to be repaired first.",
            "[00:15] bob: Carla left the meeting.",
        ]
    )
    blocks = find_blocks(text)
    assert [b.kind for b in blocks] == ["speech", "speech", "furniture", "speech", "speech"]
    assert text[blocks[0].start : blocks[0].body] == "ann: "


def test_lines_of_a_name_and_a_time_make_a_transcript():
    turn = "Ann Keller   0:0{}\nThe port has to be closed on Monday.\n\nBob Ross   0:1{}\nWhy?\n\n"
    text = turn.format(1, 2) + turn.format(3, 4)
    assert [b.kind for b in find_blocks(text)] == ["furniture", "speech"] * 4


def test_names_frame_a_letter():
    head = "From: Ann Keller\nTo: Bob Ross\n\n"
    text = f"{head}Bob -\n\n{REST}Agreed?\n\nAnn\nPort Office, 7 Quay Street\n\n{head}{REST}"
    found = kinds(text)
    assert found["Bob -"] == "greeting"
    assert found["Ann"] == found["Port Office, 7 Quay Street"] == "signature"
    assert found["Agreed?"] == "paragraph"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_front_matter_gives_the_title(end):
    text = f"---\ntitle: 'Why it rains'\ntags: [rain]\n---\n\n# Now\n\n{REST}".replace("\n", end)
    found = kinds(text, form="markdown")
    assert list(found)[:2] == ["Why it rains", "Now"]
    assert found["Why it rains"] == "title"


def test_rows_of_links_below_a_paragraph_of_markdown_are_left_out():
    text = f"# Port\n\n{REST}[Next](b.md) | [Back](a.md)\n\nRead the\n[guide](g.md)\n"
    found = list(kinds(text, form="markdown"))
    assert found[1] == REST.strip()
    assert found[2] == "Read the\n[guide](g.md)"
