import random

import pytest

from maxcover.texts.read.lines import join_lines, split_blocks
from tests.texts.read.slow_lines import join_slowly

WRAPPED = (
    "The committee met on Tuesday to discuss the plan that had been sent to\n"
    "all members a week before. It was agreed that the harbour should be\n"
    "opened in spring, if the weather allows it and the money is found in\n"
    "time. Nobody objected.\n"
)


def blocks(text: str, mode: str = "auto") -> list[str]:
    return [text[start:end] for start, end in split_blocks(text, mode)]  # type: ignore[arg-type]


def test_a_wrapped_paragraph_is_one_block():
    assert len(blocks(WRAPPED)) == 1
    assert len(blocks(WRAPPED, "break")) == 4
    assert len(blocks(WRAPPED.replace("\n", "\r\n"))) == 1


def test_wrapped_paragraphs_without_a_blank_line_end_with_their_short_line():
    assert len(blocks(WRAPPED + WRAPPED)) == 2


def test_a_deeper_indent_begins_a_paragraph():
    text = "   Shipping at the bay, closed by ice since the month of December, has\nresumed. All\n"
    assert len(blocks(text + text)) == 2


def test_sentence_per_line_stays_as_it_is():
    lines = ["The screen is bright", "Battery lasts for two days in my experience with it", "Good"]
    assert blocks("\n".join(lines)) == lines


def test_quotation_depth_separates_and_quoted_lines_wrap():
    quoted = "".join(f"> {line}\n" for line in WRAPPED.splitlines())
    assert len(blocks(quoted + "I agree.\n")) == 2
    first_two = "\n".join(quoted.splitlines()[:2])
    assert len(blocks(f"{first_two}\nopened, you say?")) == 2


def test_a_list_item_may_go_on_behind_its_hanging_indent():
    item = "- the committee met on Tuesday to discuss the plan that had been sent\n  to all of us\n"
    assert len(blocks(item * 3)) == 3


def test_lines_that_are_clauses_are_one_paragraph():
    text = "The tool reads files,\nwhich may be large,\nand writes them. Ann\nuses it."
    assert len(blocks(text)) == len(blocks(text + "\n\n" + text)) - 1 == 1
    for other in ("hello there\nhow are you.", "Apples\npears", "Present were\nAnn Keller."):
        assert len(blocks(other)) == 2


def test_markers_are_left_out():
    assert blocks("> > # Title\n\n 12. Twelve\n* star\n(b) letter") == [
        "Title",
        "Twelve",
        "star",
        "letter",
    ]


def test_nothing_comes_from_nothing():
    assert blocks("") == blocks(" \n\t\n") == blocks("> \n>\n") == []


PARTS = (
    *("- a", "* ", "#", "## Head", "12. Twelve", "1.", "(b) letter", "(7) seven", "100. no", "-"),
    *(
        "> ",
        ">> ",
        "| ",
        "  ",
        "\t",
        "\u3000",
        "   indented",
        "a",
        "The end.",
        "Ａ fullwidth",
        "東京",
    ),
    *(
        "goes on for forty columns and some more of",
        "a line that is full and stops in the mid",
        "x" * 130,
    ),
    *("\n", "\n", "\n\n", "\r\n", "\r", "\x0b", "\u2028", " \n", "\n \n", "\n>\n"),
)


@pytest.mark.parametrize("mode", ["auto", "break", "wrap"])
def test_the_kernel_joins_as_its_slow_twin_does(mode):
    rng = random.Random(5)
    for _ in range(400):
        text = "".join(rng.choice(PARTS) for _ in range(rng.randint(1, 40)))
        blocks = [list(block) for block in join_lines(text, mode).tolist()]
        assert blocks == join_slowly(text, mode), text
