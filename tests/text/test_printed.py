"""Printed: what is left out, what is kept, and spans that stay."""

import time

import pytest

import maxcover as mc
from maxcover.text.printed import print_markdown, print_speech, print_tags


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("Um so we need a crane.", "We need a crane."),
        ("The the crane is, uh, old.", "The crane is old."),
        ("We have to w we have to decide.", "We have to decide."),
        ("It 's a crane that we don't need.", "It's a crane that we don't need."),
        ("What kind of crane do you know about?", "What kind of crane do you know about?"),
        ("The crane is kind of old, you know.", "The crane is old."),
        ("Now that we have a crane, we can start.", "Now that we have a crane, we can start."),
        ("No, the crane is not ours.", "No, the crane is not ours."),
        ("One one two is the number of the crane.", "One one two is the number of the crane."),
        ("We work side by side.", "We work side by side."),
        ("Um.", ""),
    ],
)
def test_speech(said, printed):
    assert print_speech(said) == printed


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("The **old** crane is *not* ours.", "The old crane is not ours."),
        ("See [the plan](https://harbour.example/a_b) of the port.", "See the plan of the port."),
        ("Call `crane_start` twice.", "Call crane_start twice."),
        ("Two * three * four is 24.", "Two * three * four is 24."),
        ("The name is crane_of_port here.", "The name is crane_of_port here."),
    ],
)
def test_markdown(written, printed):
    assert print_markdown(written) == printed


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
    assert first.text == "Ann: The crane at the north quay needs a new cable before winter."
    assert text[first.start : first.end] == turns[0]
    assert summary.cost == len(summary.text.split()) <= 20


def test_markdown_is_printed_without_signs_and_costs_what_is_printed():
    text = "# Port\n\nThe **old crane** of the [north quay](https://a.example/x) has a new cable.\n"
    summary = mc.summarize([text * 2], budget=12)
    assert summary.text == "The old crane of the north quay has a new cable."
    assert summary.cost == 11
    assert "**old crane**" in text[summary.sentences[0].start : summary.sentences[0].end]


@pytest.mark.clock
@pytest.mark.parametrize("sign", ["*a ", "_a ", "`", "` a", "[", "[a](", "[a][", "~~a "])
def test_markdown_that_never_ends_takes_linear_time(sign):
    begin = time.process_time()
    print_markdown(sign * 20_000)
    assert time.process_time() - begin < 3  # it was 20 s and more


@pytest.mark.clock
@pytest.mark.parametrize("sign", ["a b ", "aa ", " ", "and so ", ", ", "um, ", "kind of "])
def test_speech_that_never_ends_takes_linear_time(sign):
    begin = time.process_time()
    print_speech(sign * 20_000)
    assert time.process_time() - begin < 3


def test_tags_are_printed_as_what_they_mark():
    text = "<b>Lymph</b> is a fluid.<br/> It flows <i>slowly</i> through the body."
    summary = mc.summarize(text, budget=50)
    assert summary.text == "Lymph is a fluid. It flows slowly through the body."
    assert summary.cost == 10
    assert all(text[s.start : s.end].endswith(s.text[-6:]) for s in summary.sentences[1:])


@pytest.mark.parametrize("text", ["Hello there. [](abc)", "Yes. <i></i> <br>"])
def test_what_is_all_signs_is_printed_as_it_is(text):
    assert mc.summarize(text, form="markdown", budget=9).text


def test_tags_that_never_end_take_linear_time():
    for sign in ("<a ", "<b", "</p ", "<br/><br "):
        print_tags(sign * 50_000)
