"""Asides: what is around the text of transcripts, letters and Markdown."""

import pytest

from maxcover.texts import find_blocks

REST = "The harbour of the town was closed on Monday.\nShips waited for a whole week.\n"


def kinds(text, **options):
    return {text[b.start : b.end]: b.kind for b in find_blocks(text, **options)}


def test_times_of_a_transcript_are_left_out():
    text = "\n".join(
        [
            "[00:01] ann: The port has to be closed on Monday.",
            "[00:04] bob: The ferries can use the south quay.",
            "[00:12] ann: The crane has to be repaired first.",
            "[00:15] bob: Carla left the meeting.",
        ]
    )
    blocks = find_blocks(text)
    assert [b.kind for b in blocks] == ["speech"] * 4
    assert text[blocks[0].start : blocks[0].body] == "ann: "


def test_lines_of_a_name_and_a_time_make_a_transcript():
    turn = "Ann Keller   0:0{}\nThe port has to be closed on Monday.\n\nBob Ross   0:1{}\nWhy?\n\n"
    text = turn.format(1, 2) + turn.format(3, 4)
    assert [b.kind for b in find_blocks(text)] == ["aside", "speech"] * 4


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_front_matter_gives_the_title(end):
    text = f"---\ntitle: 'Why it rains'\ntags: [rain]\n---\n\n# Now\n\n{REST}".replace("\n", end)
    found = kinds(text, form="markdown")
    assert list(found)[:2] == ["Why it rains", "Now"]
    assert found["Why it rains"] == "title"


def test_fields_above_the_text_are_its_head():
    text = f"Date: 2026-03-01 10:20\nTitle: Why it rains\nTags: rain\n\n{REST}"
    assert kinds(text, form="markdown") == {"Why it rains": "title", REST.strip(): "paragraph"}
    untitled = f"Date: Monday\nPlace: The port\n\n{REST}"
    assert "title" not in kinds(untitled, form="markdown").values()


def test_rows_of_links_below_a_paragraph_of_markdown_are_left_out():
    text = f"# Port\n\n{REST}[Next](b.md) | [Back](a.md)\n\nRead the\n[guide](g.md)\n"
    found = list(kinds(text, form="markdown"))
    assert found[1] == REST.strip()
    assert found[2] == "Read the\n[guide](g.md)"


QUIP = "Three out of two people have difficulties with the fractions of others."
