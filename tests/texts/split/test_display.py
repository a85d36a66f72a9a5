"""Printed: what is left out, what is kept, and spans that stay."""

import time

import pytest

import maxcover as mc
from maxcover.texts import UNITS, prepare
from maxcover.texts.split.display import (
    print_line,
    print_markdown,
    print_spoken,
    print_tags,
)


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("Um so we need a crane.", "We need a crane."),
        ("The the crane is, uh, old.", "The crane is old."),
        ("What kind of crane do you know about?", "What kind of crane do you know about?"),
        ("Now that we have a crane, we can start.", "Now that we have a crane, we can start."),
        ("No, the crane is not ours.", "No, the crane is not ours."),
        ("One one two is the number of the crane.", "One one two is the number of the crane."),
        ("We work side by side.", "We work side by side."),
        ("Um.", "Um."),
    ],
)
def test_speech(said, printed):
    assert print_spoken(said) == printed


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("The **old** crane is *not* ours.", "The old crane is not ours."),
        ("See [the plan](https://harbour.example/a_b) of the port.", "See the plan of the port."),
        ("Call `crane_start` twice.", "Call crane_start twice."),
        ("Two * three * four is 24.", "Two * three * four is 24."),
        ("The name is crane_of_port here.", "The name is crane_of_port here."),
        ("** After that it rains.", "After that it rains."),
        ("**It rains all day.", "It rains all day."),
        ("__init__ comes first.", "init comes first."),
        ("**", ""),
    ],
)
def test_markdown(written, printed):
    assert print_markdown(written) == printed


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("The old\n  crane\tis  ours.", "The old crane is ours."),
        ("The old\r\ncrane.", "The old crane."),
        ("Le port\xa0: 10\u202f000 t.", "Le port\xa0: 10\u202f000 t."),
    ],
)
def test_a_sentence_is_printed_in_one_line(written, printed):
    assert print_line(written) == printed


def test_without_blanks_between_words_a_line_end_leaves_nothing():
    assert print_line("港は\n　古い。New\nYork も。", spaced=False) == "港は古い。New York も。"


WRAPPED = {
    "indented": "- The old crane of the north quay\n  has a new cable.\n"
    "- Nobody was hurt on\n  Monday.\n- Ferries start again\n  on Tuesday.",
    "quoted": "> The old crane of the north\n> quay has a new cable.\n\n"
    "Nobody was hurt\non Monday.\nFerries start again\non Tuesday.",
    "japanese": "港の北のクレーンは古くて、冬の嵐が\n来る前に取り替える。新しい橋は\n長い。",
    "spoken": "\n".join(
        f"{name}: The old {what}  of the north quay needs a new cable. Nobody was hurt there."
        for name, what in (("Ann", "crane"), ("Bob", "ferry"), ("Ann", "tug"), ("Bob", "gate"))
    ),
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", WRAPPED)
def test_what_is_printed_is_in_lines_of_its_own_and_costs_what_it_is(name, unit):
    text, lines = WRAPPED[name], "break" if name == "spoken" else "wrap"
    corpus = prepare([text], unit=unit, lines=lines)
    for share in ("70%", "100%"):
        summary = mc.summarize([text], budget=share, unit=unit, lines=lines)
        assert all("\n" not in one.text and "> " not in one.text for one in summary)
        assert "\n" not in summary.text or name in ("spoken", "quoted")
        if unit != "sentences":
            assert summary.cost == UNITS[unit].measure(summary.text) <= summary.budget
        for one in summary:
            assert text[one.start : one.end] == corpus[one.index].text


def test_another_speaker_is_named_on_a_line_of_its_own():
    corpus = prepare([WRAPPED["spoken"]])
    for chosen in ([0, 1], [0, 3], [1, 3]):
        lines = corpus.join(chosen).splitlines()
        changes = corpus.speakers[chosen[0]] != corpus.speakers[chosen[1]]
        assert len(lines) == 1 + changes
        assert lines[0].startswith(f"{corpus.speakers[chosen[0]]}: ")
        assert lines[-1].startswith(f"{corpus.speakers[chosen[1]]}: ") or not changes


def test_the_span_is_that_of_the_text_as_given():
    turns = [
        "Ann: So, um, the crane at the north quay needs a new cable before winter.",
        "Bob: Uh, the ferry needs the the south quay until the end of March.",
        "Ann: Yeah.",
        "Bob: Okay.",
    ]
    text = "\n".join(turns)
    summary = mc.summarize([text], budget=20, required=[0], language="english")
    first = summary.sentences[0]
    assert first.text == "The crane at the north quay needs a new cable before winter."
    assert first.speaker == "Ann"
    assert summary.lines[0] == f"Ann: {first.text}"
    assert text[first.start : first.end] == turns[0]
    assert summary.cost == len(summary.text.split()) <= 20


def test_markdown_is_printed_without_signs_and_costs_what_is_printed():
    text = "# Port\n\nThe **old crane** of the [north quay](https://a.example/x) has a new cable.\n"
    summary = mc.summarize([text * 2], budget=12)
    assert summary.text == "The old crane of the north quay has a new cable."
    assert summary.cost == 11
    assert "**old crane**" in text[summary.sentences[0].start : summary.sentences[0].end]


@pytest.mark.parametrize("sign", ["*a ", "_a ", "`", "` a", "[", "[a](", "[a][", "~~a "])
def test_markdown_that_never_ends_takes_linear_time(sign):
    begin = time.process_time()
    print_markdown(sign * 20_000)
    assert time.process_time() - begin < 10  # 0.2 s; it was 20 s and more


@pytest.mark.parametrize("sign", ["a b ", "aa ", " ", "and so ", ", ", "um, ", "kind of "])
def test_speech_that_never_ends_takes_linear_time(sign):
    begin = time.process_time()
    print_spoken(sign * 20_000)
    assert time.process_time() - begin < 10


def test_tags_are_printed_as_what_they_mark():
    text = "<b>Lymph</b> is a fluid.<br/> It flows <i>slowly</i> through the body."
    summary = mc.summarize(text, budget=50)
    assert summary.text == "Lymph is a fluid. It flows slowly through the body."
    assert summary.cost == 10
    assert all(text[s.start : s.end].endswith(s.text[-6:]) for s in summary.sentences[1:])


@pytest.mark.parametrize("text", ["Hello there. [](abc)", "Yes. <i></i> <br>"])
def test_what_is_all_signs_is_printed_as_it_is(text):
    assert mc.summarize(text, form="markdown", budget=9).text


@pytest.mark.parametrize("said", ["Set<A>", "Foo<A = u32, const B>", "Map<K, V>", "a <b and c> d"])
def test_what_is_no_tag_is_printed(said):
    assert print_tags(f"Use <b>{said}</b> here.<BR> <P ALIGN=left>") == f"Use {said} here."


def test_a_word_that_a_manual_breaks_at_a_line_end_is_printed_whole():
    text = "  It exports the con\u2010\n  figuration of a self\u2010made crane to a file.\n"
    said = "It exports the configuration of a self\u2010made crane to a file."
    summary = mc.summarize(text, budget=20, language="english", lines="wrap")
    assert summary.lines == (said,)
    assert any("configur" in str(label) for label in summary.corpus.labels)


def test_a_path_keeps_the_blank_before_it():
    text = "Title\n=====\n\nIt creates ``./html/index.html`` below ``../docs`` , says it .\n"
    assert mc.summarize(text, budget=20, form="rst").lines[-1] == (
        "It creates ./html/index.html below ../docs, says it."
    )


def test_tags_that_never_end_take_linear_time():
    for sign in ("<a ", "<b", "</p ", "<br/><br ", "x<li><li>", "<h3> <li", "</ul>\t"):
        print_tags(f"{sign * 50_000}{' ' * 50_000}x")


def test_tags_of_blocks_are_left_out_at_the_edges_of_lines():
    text = "<h3>The port of Bremen is old.</h3>\n<ul><li>The <div> tag is not at an edge.</li></ul>"
    assert mc.summarize(text, budget=50, form="text").lines == (
        "The port of Bremen is old.",
        "The <div> tag is not at an edge.",
    )


def test_a_name_in_a_long_sentence_is_not_cut_at_its_dot():
    text = "The tools (" + "and many others " * 20 + ") read names from typing.Annotated here."
    assert prepare([text], language="english").texts[-1].endswith("typing.Annotated here.")


def test_markdown_leaves_no_marks_of_links_and_footnotes():
    text = (
        "# Port news\n\nThe [crane] at the quay is old[^1]; the [[north] plan](https://a.example) "
        "of the town says so.\n\nShips wait [here](/berth) for **hours**.\n\n"
        "[crane]: https://harbour.example/crane\n[^1]: Since 1953.\n"
    )
    printed = mc.summarize(text, budget=40, language="english").text
    assert "The crane at the quay is old; the [north] plan of the town says so." in printed
    assert "Ships wait here for hours." in printed


def test_blanks_that_markup_leaves_are_no_words():
    text = "# The quay\n\nThe **quay** is closed until Friday.\n\n(e.g. ` ` ident ` `)\n"
    corpus = prepare([text], form="markdown")
    assert corpus.texts[-1] == "(e.g.   ident  )"
    assert corpus.struck_by[-1] == "short"


def test_markdown_prints_entities_as_signs():
    said = "The quay &mdash; &#8220;north&#x201d; &amp; south &mdash is shut, a&b; c."
    assert print_markdown(said) == "The quay — “north” & south &mdash is shut, a&b; c."
