"""Minutes in Markdown, of which some items are turns: who says what, and what nobody says."""

import pytest

import maxcover as mc
from maxcover.texts import find_blocks, prepare

PROSE = "\n\n".join(
    f"The {one} quay of the harbour was built for large ships a long time ago."
    for one in ("north", "south", "east", "west", "old", "new")
)


def said(text):
    """Map what each block says to its speaker."""
    return {text[one.body : one.end]: one.speaker for one in find_blocks(text)}


def minutes(*items, there="* Ann Lee @annlee (chair)\n* Felix Ray\n* Bob Stone"):
    """Write minutes: mostly prose, a list of those present, and items."""
    return f"# Port\n\n## Present\n\n{there}\n\n## Quays\n\n{PROSE}\n\n" + "\n".join(items) + "\n"


def test_what_stands_below_a_turn_is_said_by_the_same_person():
    items = [
        "* the crane [#12](https://port.example/12)",
        "  * Felix: The crane is old.",
        "    * Its cable is new.",
        "      It was put on in May.",
        "  * annlee: Who pays for it?",
        "* The crane was painted.",
    ]
    found = said(minutes(*items))
    assert found["The crane is old."] == "Felix"
    assert found["Its cable is new.\n      It was put on in May."] == "Felix"
    assert found["Who pays for it?"] == "annlee"
    assert found["The crane was painted."] == ""
    assert found["The old quay of the harbour was built for large ships a long time ago."] == ""


def test_minutes_that_are_mostly_prose_are_no_talk():
    text = minutes("* Felix: The crane is old.", "* Ann: Who pays for it?")
    kinds = {one.kind for one in find_blocks(text)}
    assert "speech" not in kinds
    assert {"paragraph", "list item"} <= kinds


@pytest.mark.parametrize("sign", [":", " (chat):", " -", " ->", ","])
def test_who_was_there_may_speak_behind_other_signs(sign):
    found = said(minutes(f"* Felix{sign} the crane is old."))
    assert found["the crane is old."] == "Felix"


def test_a_name_alone_heads_what_is_below_it():
    found = said(minutes("* Felix", "  * The crane is old.", "* Bob: No."))
    assert found["The crane is old."] == "Felix"
    assert found["No."] == "Bob"


def test_several_names_before_a_colon_are_printed():
    found = said(minutes("* Ann, Bob: The crane is old.", "* Felix and Bob: Yes."))
    assert found["The crane is old."] == "Ann, Bob"
    assert found["Yes."] == "Felix and Bob"


def test_what_came_of_it_is_nobodys():
    items = ["* Felix: The crane is old.", "  * **Action**: Bob will call.", "  * It is red."]
    found = said(minutes(*items))
    assert found["Bob will call."] == "Action"
    assert found["It is red."] == ""


def test_what_is_told_of_a_person_is_not_said_by_the_one_above():
    items = ["* Felix: The crane is old.", "  * Bob will call.", "* Ann, Bob and Felix agreed."]
    found = said(minutes(*items))
    assert found["Bob will call."] == ""
    assert found["Ann, Bob and Felix agreed."] == ""


def test_headings_end_a_turn():
    found = said(minutes("* Felix: The crane is old.", "", "## Cables", "", "* They are new."))
    assert found["They are new."] == ""


@pytest.mark.parametrize("listed", ["Attendees: Ann Lee, Felix", "* Present: Ann Lee, Felix"])
def test_those_present_may_stand_on_a_line(listed):
    text = f"# Port\n\n{listed}\n\n## Quays\n\n{PROSE}\n\n* Felix: The crane is old.\n"
    assert said(text)["The crane is old."] == "Felix"


@pytest.mark.parametrize(
    "labels",
    [
        ["Q", "A", "Q", "A", "Q", "A"],
        ["Type", "Inspiration", "Type", "Inspiration"],
        ["Pros", "Cons", "Note", "Pros", "Cons"],
        ["Recording", "Issue", "Minutes", "Note", "Warning"],
        ["doc", "lib", "src", "build"],
        ["cp", "mv", "ls", "cp", "mv", "ls", "cp"],
    ],
)
def test_labels_are_no_speakers(labels):
    items = "\n".join(f"* {one}: The crane of the port is number {one}." for one in labels)
    text = (
        f"# Port\n\n{PROSE}\n\n{PROSE}\n\n## Quays\n\n{PROSE}\n\n{items}\n\n## Cranes\n\n{items}\n"
    )
    assert {one.speaker for one in find_blocks(text)} == {""}


def test_questions_and_answers_are_no_speakers():
    pairs = "\n\n".join(
        ["Question: Is it old?", "Answer: It is.", "Q: Who pays?", "A: The port."] * 3
    )
    text = f"# Port\n\n## Quays\n\n{PROSE}\n\n{PROSE}\n\n{pairs}\n\n{PROSE}\n"
    assert {one.speaker for one in find_blocks(text)} == {""}


def test_a_section_on_participants_names_nobody():
    text = f"# Study\n\n## Participants\n\n{PROSE}\n\n## Measures\n\n* Ships: They were counted.\n"
    assert {one.speaker for one in find_blocks(text)} == {""}


def test_an_item_beside_turns_is_nobodys_in_talk_too():
    turns = ["  * Ann: The crane is old.", "  * Bob: It was built in May."] * 3
    text = "# Port\n\n## Crane\n\n" + "\n".join(["* Crane", *turns, "* The quay is closed."]) + "\n"
    assert said(text)["The quay is closed."] == ""
    assert {one.kind for one in find_blocks(text)} == {"title", "heading", "speech"}


@pytest.mark.parametrize("aside", ["(General agreement.)", "_Everybody laughs a lot._"])
def test_what_is_about_the_talk_is_not_of_it(aside):
    turns = ["Ann: The crane is old.", "Bob: It was built in May."] * 3
    text = "# Port\n\n## Crane\n\n" + "\n\n".join([*turns, aside]) + "\n"
    assert said(text)[aside] == ""


def test_a_summary_prints_names_and_begins_with_what_the_document_is():
    items = [
        "* Felix: the crane of the north quay needs a new cable before the winter.",
        "  * The cable of the crane was ordered from the factory in spring.",
        "* ann: the port pays for the cable of the crane at the north quay.",
    ]
    summary = mc.summarize(minutes(*items), budget=60, language="english")
    lines = [line for line in summary.lines if "cable" in line]
    assert lines[0].startswith("Quays, Felix: The crane")
    assert not any(line.startswith(("Felix: The port", "Felix: ann")) for line in lines)
    corpus = prepare([minutes(*items)], language="english")
    assert corpus.speakers.count("Felix") == 2


def test_minutes_with_few_turns_keep_what_they_tell_as_a_document():
    items = ["* Felix: the crane was sold.", "* Ann: agreed, the crane of the quay is sold to Bob."]
    text = minutes(*items)
    summary = mc.summarize(text, budget=40, language="english")
    told = {sentence.text for sentence in summary.sentences}
    assert "The north quay of the harbour was built for large ships a long time ago." in told


def test_who_is_named_in_the_middle_of_an_item_says_the_rest():
    text = (
        "# Port\n\n## Present\n\n* Ann Lee\n* Bob Ray\n\n## Quays\n\n"
        "* Ann, it is closed until May. Bob it opens on Friday.\n"
    )
    blocks = find_blocks(text, form="markdown", english=True)
    said = [(text[one.body : one.end], one.speaker) for one in blocks][-2:]
    assert said == [("it is closed until May.", "Ann"), ("Bob it opens on Friday.", "")]


def test_a_turn_keeps_its_agenda_item():
    items = ["* Sale of the crane [#12](https://port.example/12)", "  * Felix: It is old."]
    corpus = prepare([minutes(*items)], language="english")
    row = corpus.texts.index("It is old.")
    assert (corpus.under[row], corpus.speakers[row]) == ("Sale of the crane, Felix", "Felix")


def test_a_person_named_in_a_turn_does_not_end_it():
    found = said(minutes("* Felix: I asked the port. Bob thinks that it is old. I agree."))
    assert found["I asked the port. Bob thinks that it is old. I agree."] == "Felix"


def test_items_below_a_long_question_are_printed_with_it_or_not_at_all():
    words = "keep the crane of the old quay "
    for times, expected in ((3, "Should we " + (words * 3).strip() + "?"), (5, "")):
        text = f"# Port\n\n* Should we {(words * times).strip()}?\n  * The port sells it.\n"
        corpus = prepare([text], language="english", form="markdown")
        row = corpus.texts.index("The port sells it.")
        assert corpus.under[row] == expected
        assert (corpus.kinds[row] == "torn item") == (not expected)
