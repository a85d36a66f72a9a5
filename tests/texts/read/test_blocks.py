"""Blocks: what a document is made of, on lines labelled by hand, and on any text."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxcover.errors import OptionError
from maxcover.texts import KINDS, find_blocks, prepare
from maxcover.texts.judge.candidates import FRAME, LATE, PART, SENTENCE
from maxcover.texts.read import markup_tokens
from maxcover.texts.read.markup import read_markdown
from tests.texts.collections_on_disk import any_text
from tests.texts.labelled_lines import FRESH, HELD, KINDS_OF_TEXT, SEEN, labelled, of_kind


def standing_of_lines(name):
    """Return for each labelled line the best standing of a sentence that overlaps it."""
    text, lines = labelled(name)
    corpus = prepare([text], language="english")
    found = []
    for label, start, end in lines:
        inside = [
            int(corpus.standing[k])
            for k in range(len(corpus))
            if corpus.starts[k] < end and corpus.ends[k] > start
        ]
        found.append((label, text[start:end], max(inside, default=FRAME)))
    return found


def lines_of(kind, half, label):
    """Return the lines of a kind of text that have a label, and their standing."""
    return [
        (line, best)
        for name in of_kind(kind, half)
        for own, line, best in standing_of_lines(name)
        if own == label
    ]


EACH_KIND = pytest.mark.parametrize("kind", KINDS_OF_TEXT)
MOST_LOST = 0.01
"""The aim: content that loses its weight."""

HALVES = {"seen": SEEN, "held": HELD, "fresh": FRESH}
LOST = {"seen": 0, "held": 2, "fresh": 0}
CHOSEN = {"seen": 9, "held": 18, "fresh": 19}
"""Lines of content that lose their weight, and of boilerplate that can be chosen, as measured."""


@EACH_KIND
def test_there_are_two_hundred_lines_of_each_kind_of_text(kind):
    names = of_kind(kind, SEEN) + of_kind(kind, HELD)
    assert sum(len(labelled(name)[1]) for name in names) >= 200


@EACH_KIND
def test_content_keeps_its_weight(kind):
    found = lines_of(kind, SEEN, "c")
    lost = [line for line, best in found if best < PART]
    assert len(lost) <= MOST_LOST * len(found), lost


@pytest.mark.parametrize("half", HALVES)
def test_boilerplate_is_not_chosen_and_content_is_not_lost(half):
    lines = {
        label: [x for kind in KINDS_OF_TEXT for x in lines_of(kind, HALVES[half], label)]
        for label in "cb"
    }
    assert sum(best < PART for _, best in lines["c"]) <= LOST[half]
    assert sum(best >= SENTENCE for _, best in lines["b"]) <= CHOSEN[half]


def test_headings_captions_and_tables_are_not_chosen():
    found = [x for kind in KINDS_OF_TEXT for x in lines_of(kind, SEEN, "h")]
    assert not [line for line, best in found if best >= SENTENCE]


def test_most_content_may_be_chosen():
    written = [kind for kind in KINDS_OF_TEXT if kind != "transcript"]
    found = [x for kind in written for x in lines_of(kind, SEEN, "c")]
    assert sum(best >= SENTENCE for _, best in found) >= 0.9 * len(found)


def test_most_talk_may_be_chosen_but_for_questions_and_short_answers():
    found = lines_of("transcript", SEEN, "c")
    assert sum(best >= LATE for _, best in found) >= 0.75 * len(found)


def kinds(text, **options):
    return {text[b.start : b.end]: b.kind for b in find_blocks(text, **options)}


def test_markdown_is_read_as_such():
    text, _ = labelled("markdown-harbour")
    found = kinds(text)
    assert found["Harbour report"] == "title"
    assert found["Repairs"] == "heading"
    assert found["The new cable is rated for forty tonnes."] == "list item"
    assert found["The insurer paid the whole bill, which surprised us."] == "quotation"
    assert any(kind == "code" for kind in found.values())
    assert any(kind == "table" for kind in found.values())
    assert not any("badge" in block or "<!--" in block for block in found)


def test_underlined_headings_and_other_line_ends():
    text = "Title\r\n=====\r\n\r\nSome text is here.\r\n\r\nMore\r\n----\r\n\r\nAnd more text.\r\n"
    assert list(kinds(text, form="markdown").items()) == [
        ("Title", "title"),
        ("Some text is here.", "paragraph"),
        ("More", "heading"),
        ("And more text.", "paragraph"),
    ]


def test_a_transcript_knows_its_speakers():
    text, _ = labelled("transcript-cranes")
    blocks = find_blocks(text)
    assert {block.kind for block in blocks} == {"speech"}
    first = blocks[1]
    assert text[first.start : first.body] == "Chair: "
    corpus = prepare([text], language="english")
    assert "engin" not in corpus.labels  # a speaker's name is no concept
    assert any(sentence.text.startswith("Engineer: The larger") for sentence in corpus)


MINUTES = """# Minutes

## Crane

{}: The *crane* at the north quay needs a new cable this year.

{}: Um, we ordered the cable in Bremen on Monday for 900 euros.

It comes by ship.

- {}: The quay stays closed until then.

{}: The insurer wants photographs of the old cable before Friday.
"""


@pytest.mark.parametrize("names", ["Ann Bob", "**Ann:** **Bob:**", "**Ann** **Bob**", "ANN BOB"])
def test_minutes_in_markdown_are_a_transcript(names):
    text = MINUTES.format(*names.split() * 2).replace(":**:", ":**")
    blocks = find_blocks(text)
    assert [block.kind for block in blocks] == ["title", "heading", *["speech"] * 5]
    assert text[blocks[2].body :].startswith("The *crane*")
    corpus = prepare([text], language="english")
    assert [who.lower() for who in corpus.speakers[2:]] == ["ann", "bob", "bob", "ann", "bob"]
    assert corpus.texts[2] == "The crane at the north quay needs a new cable this year."
    assert corpus.texts[3].startswith("We ordered")  # without the filler


def test_definitions_in_markdown_are_no_transcript():
    text = "# Words\n\n" + "\n\n".join(f"**Item {k}:** this is item {k}." for k in range(9))
    assert "speech" not in {block.kind for block in find_blocks(text)}


def test_a_line_with_a_colon_makes_no_transcript():
    text = "\n".join(f"Item {k}: this is a long line about item {k}." for k in range(9))
    assert {block.kind for block in find_blocks(text)} != {"speech"}


def test_wrapped_paragraphs_are_joined_one_by_one():
    text, _ = labelled("report-wrapped")
    found = kinds(text)
    assert found["NEXT STEPS"] == "heading"
    narrow = next(block for block in found if block.startswith("A narrow"))
    assert narrow.endswith("salad.")
    assert any(block.startswith("This paragraph") for block in found)


def test_unknown_forms_are_refused():
    with pytest.raises(OptionError, match="markdown"):
        find_blocks("x", form="word")  # type: ignore[arg-type]


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(any_text, st.text("#*-=>|`~[]()! \n\rab.:A", max_size=80)),
    st.sampled_from(["auto", "text", "markdown", "transcript"]),
)
def test_blocks_are_disjoint_and_in_order_on_any_text(text, form):
    behind = 0
    for block in find_blocks(text, form=form):
        assert behind <= block.start <= block.body < block.end <= len(text)
        assert block.kind in KINDS
        behind = block.end


@pytest.mark.parametrize("fence", ["```\n```", "~~~ text\n~~~", "- item\n\n  ```\n  ```"])
def test_a_fence_with_nothing_inside_ends_where_it_ends(fence):
    text = f"The quay is shut.\n\n{fence}\n\nThe crane is old.\n"
    blocks = read_markdown(text)
    assert text[blocks[-1].start : blocks[-1].end] == "The crane is old."
    assert not any(block.kind == "code" for block in blocks)


_BEFORE = ["", " ", "    ", "\t", "> ", ">", "- ", "* ", "1. ", "10) ", "# ", "#", "  - ", "> - "]
_LINE = [
    *("", "plain words", "**bold** x", "``c`` d", "a | b", "--|--", "---", "===", "* *", "\xa0x"),
    *("```", "```ts", "````", "~~~ x", "```a`b", "<div>", "<!-- c", "c --> d", "<pre>", "</pre>"),
    *("see <b>x", "x > y", "[a](b) c", "[a]: https://x.org/y", "[a]:", "[a b]: /u", "[a", "b]: c"),
    *("x", "[x]", "# 1.0 (x)", "| a | b |", "|---|---|", "| a \\| b |", "||", "[`c`]: #d"),
    *("[^1]: text", '"title"', "(t)", "![p](q)", "\\# x", ": def", "2024 x", "=== x", "[x\\]: y"),
]


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(_BEFORE), st.sampled_from(_LINE), st.booleans())),
    st.sampled_from(["\n", "\r\n"]),
)
def test_the_parser_needs_no_words_and_parts_are_cut_where_nothing_is_open(lines, end):
    text = end.join(before + line + end * blank for before, line, blank in lines)
    found = read_markdown(text)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_WORDS", "_CUT", "_ROW", "_FIRST"):
            patch.setattr(markup_tokens, name, re.compile("(?!x)(x)"))
        assert found == read_markdown(text)


RELEASE = """Features:
---------
* Support PGAPPNAME as an environment variable and --application-name as a command line argument.
* Add verbose_errors config and a special command which enable the
  displaying of all Postgres error fields received.
* Show Postgres notifications.
"""


def test_an_indented_line_continues_its_list_item(tmp_path):
    """The first item is longer than the width at which the second one was wrapped."""
    item = "Add verbose_errors config and a special command which enable the displaying of all"
    page = tmp_path / "release.rst"
    page.write_text(RELEASE, encoding="utf-8")
    for source in (RELEASE, page):
        assert any(" ".join(text.split()).startswith(item) for text in prepare([source]).texts)


def test_a_page_that_begins_with_a_heading_and_a_colon_is_read(tmp_path):
    """It was taken for the head of a PEP, which is left out up to the next blank line."""
    page = tmp_path / "release.rst"
    page.write_text(RELEASE, encoding="utf-8")
    assert len(prepare([page]).texts) == 4
    page.write_text("PEP: 8\nTitle: Style\nStatus: Active\n\nThe harbour is closed.\n", "utf-8")
    assert "Status" not in " ".join(prepare([page]).texts)


def test_words_between_tags_of_markdown_are_read():
    text = (
        "# Port\n\n<div><p>The <b>north</b> quay is shut.</p></div>\n\n<!-- A note. -->\n\n"
        '<p><a href="/a">Home</a> | <a href="/b">News</a></p>\n\n'
        "<ul>\n<li>Ferries wait.</li>\n</ul>\n"
    )
    blocks = find_blocks(text, form="markdown")
    assert [(one.kind, text[one.start : one.end]) for one in blocks] == [
        ("title", "Port"),
        ("paragraph", "The <b>north</b> quay is shut."),
        ("list item", "Ferries wait."),
    ]


def test_tags_of_markdown_that_never_end_take_linear_time():
    for sign in ("<div ", "<!-- ", "<script>", "<p><a ", "<li>x</", "<b>x "):
        find_blocks(f"<div>\n{sign * 20_000}", form="markdown")


def test_bold_words_before_a_sentence_are_its_heading():
    text = "# Club\n\n**Use of boats** The boats are lent.\n\n- **Dues** We ask for ten crowns.\n"
    _, first, item = find_blocks(text, form="markdown")
    assert text[first.body : first.end] == "The boats are lent."
    assert (text[item.body : item.end], item.label) == ("We ask for ten crowns.", "Dues")
