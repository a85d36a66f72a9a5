"""Who says what in mail, threads and chats: quoted parts by their authors, never somebody else."""

import pytest

import maxcover as mc
from maxcover.texts import prepare
from maxcover.texts.read.writers import QUOTED, UNNAMED
from maxcover.texts.summary.dates import order_by_date

MAIL = "From: {}\nDate: Mon, {} Nov 2024 10:00:00 +0000\nSubject: the quay\n\n{}\n"
CLOSED = "The north quay of the harbour is closed until Friday because of the storm."
CRANE = "The old crane at the south quay needs a new cable before the winter comes."


def speakers(text):
    """Map each sentence of prose to its speaker."""
    corpus = prepare([text], language="english")
    return dict(zip(corpus.texts, corpus.speakers, strict=True))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (
            "On Sunday, November 3, 2024 at 07:36:11 AM GMT+2, Bob Stone <bob@y.org> wrote:",
            "Bob Stone",
        ),
        ("On 3 November 2024 at 07:36 pm Bob Stone wrote:", "Bob Stone"),
        ("On Monday, Bob V?zquez wrote:", "Bob V?zquez"),
        ("On Monday, Bob Va\u0301zquez via R-help <r@y.org> wrote:", "Bob Va\u0301zquez"),
        ("El lun, 3 nov 2024, Bob Stone (<bob@y.org>) escribió:", "Bob Stone"),
        ("Bob Stone <bob at y.org> writes:", "Bob Stone"),
        ("On Tue, Dec 30, 2014 at 5:49 PM, Stone, Bob <bob at y.edu> wrote:", "Stone, Bob"),
        ("bob@y.org wrote:", "bob"),
        ("On Sun, Nov 3, 2024 at 7:36 AM, bob stone <bob at y.org> wrote:", "bob stone"),
        ("bob stone <bob at y.org> writes:", "bob stone"),
        ("On Sun Bob van der Stone wrote:", "Bob van der Stone"),
        ("On 21 February 2011 13:14, Bob Stone <bob at y.org>wrote:", "Bob Stone"),
        ("Bob Stone <bob <at> y.org> writes:", "Bob Stone"),
        ("On Monday, Bob Stone <bob at y.org<mailto:bob at y.org>> wrote:", "Bob Stone"),
    ],
)
@pytest.mark.parametrize("mark", ["> ", "| "])
def test_quoted_parts_are_by_their_own_authors(line, name, mark):
    found = speakers(MAIL.format("Ann Lee <ann@x.org>", 4, f"{CRANE}\n\n{line}\n{mark}{CLOSED}"))
    assert found[CRANE] == "Ann Lee"
    assert found[CLOSED] == name


@pytest.mark.parametrize("sender", ["(Ann Lee)", "ann@x.org (Ann Lee)", "ann at x.org (Ann Lee)"])
def test_a_name_may_stand_in_brackets(sender):
    assert speakers(MAIL.format(sender, 4, CRANE))[CRANE] == "Ann Lee"


def test_who_writes_on_behalf_is_not_the_list():
    sender = "port-bounces at x.org [mailto:port-bounces at x.org] On Behalf Of Ann Lee"
    assert speakers(MAIL.format(sender, 4, CRANE))[CRANE] == "Ann Lee"


def test_the_line_that_names_an_author_may_be_quoted_too():
    quoted = f"> On 24 Apr 2025, at 14:31 , Bob Stone <bob@y.org> wrote:\n> \n> {CLOSED}\n"
    found = speakers(MAIL.format("Ann", 4, f"{CRANE}\n\n{quoted}"))
    assert (found[CRANE], found[CLOSED]) == ("Ann", "Bob Stone")
    deeper = f"> Bob Stone wrote:\n> > {CLOSED}\n"
    assert speakers(MAIL.format("Ann", 4, f"{CRANE}\n\n{deeper}"))[CLOSED] == "Bob Stone"
    snip = f"Cem wrote:\n> Bob Stone wrote:\n> [...]\n>\n> > {CLOSED}\n>\n> {CRANE}\n"
    found = speakers(MAIL.format("Ann", 4, snip))
    assert (found[CRANE], found[CLOSED]) == ("Cem", "Bob Stone")


def test_a_quoted_part_without_an_author_is_nobody_elses():
    found = speakers(MAIL.format("Ann", 4, f"{CRANE}\n\n> {CLOSED}"))
    assert (found[CRANE], found[CLOSED]) == ("Ann", QUOTED)


@pytest.mark.parametrize("said", ["As Bob Stone writes:", "As Bob wrote:", "Bob Stone writes:"])
def test_prose_that_quotes_is_no_thread(said):
    """One such line made every other paragraph of a page "(unnamed): ..."."""
    assert set(speakers(f"{CRANE}\n\n{said}\n\n> {CLOSED}\n").values()) == {"", QUOTED}
    assert speakers(f"{CRANE}\n\nBob <b@y.org> writes:\n> {CLOSED}\n")[CLOSED] == "Bob"


def test_an_author_that_no_line_names_is_not_taken_for_another():
    found = speakers(f"{CRANE}\n\nOn Monday Bob Stone wrote:\n> {CLOSED}\n")
    assert (found[CRANE], found[CLOSED]) == (UNNAMED, "Bob Stone")


def test_a_forwarded_mail_is_by_its_own_writer():
    below = f"-----Original Message-----\nFrom: Bob Stone\nSent: Sunday\nTo: Ann\n\n{CLOSED}"
    found = speakers(MAIL.format("Ann", 4, f"{CRANE}\n\n{below}"))
    assert (found[CRANE], found[CLOSED]) == ("Ann", "Bob Stone")


def test_labels_of_a_manual_are_no_mail():
    text = f"{CRANE}\n\n  From: (8/pi^2) ft\n  To:   psi\n    43.5\n\n{CLOSED}\n"
    assert not any(speakers(text).values())


@pytest.mark.parametrize(
    "head",
    [
        "**{}** commented on 2024-07-1{}",
        "{} commented {} days ago",
        "### @{} replied on July {}, 2024",
    ],
)
def test_posts_of_a_thread_are_by_those_who_posted_them(head):
    posts = [
        ("ann", CRANE),
        ("bob", f"> {CRANE}\n\n{CLOSED}"),
        ("ann", "Closing this as fixed in March."),
    ]
    text = "# The quay\n\n" + "\n\n".join(
        f"{head.format(who, number)}\n\n{said}" for number, (who, said) in enumerate(posts, 1)
    )
    corpus = prepare([text], language="english")
    told = [(who, said) for who, said in zip(corpus.speakers, corpus.texts, strict=True) if who]
    assert told == [("ann", CRANE), (QUOTED, CRANE), ("bob", CLOSED), ("ann", posts[2][1])]


def test_every_change_of_speaker_is_printed_and_counted():
    names = ["Ann", "Ann", "Bob", "Ann", "Bob", "Cem"]
    things = ["crane", "ferry", "gate", "mast", "bell", "boat"]
    talk = [
        (name, f"The {thing} at the quay needs a new cable before winter.")
        for name, thing in zip(names, things, strict=True)
    ]
    text = "\n".join(f"{name}: {said}" for name, said in talk)
    for budget in range(12, 80, 7):
        summary = mc.summarize(text, budget=budget, language="english", max_similarity=1.0)
        before = ""
        for sentence, line in zip(summary.sentences, summary.lines, strict=True):
            named = line.startswith(f"{sentence.speaker}: ")
            assert named == (sentence.speaker != before)
            assert text[sentence.start : sentence.end].endswith(sentence.text)
            assert (sentence.speaker, sentence.text) in talk
            before = sentence.speaker
        assert summary.cost == len(summary.text.split()) <= budget
        assert summary.text.split() == " ".join(summary.lines).split()


def test_documents_are_told_in_the_order_of_their_dates():
    late, early = MAIL.format("Ann", 11, CRANE), MAIL.format("Bob", 4, CLOSED)
    assert order_by_date([late, early]) == [1, 0]
    assert order_by_date([late, early, "No date."]) == [0, 1, 2]
    summary = mc.summarize([late, early], budget=40, language="english")
    assert [sentence.speaker for sentence in summary.sentences] == ["Bob", "Ann"]


def test_a_quoted_sentence_costs_the_name_that_is_printed_before_it():
    mails = [
        MAIL.format("Ann", 4, f"{CRANE}\n\n> {CLOSED}"),
        MAIL.format("Bob Tom Stone", 3, CLOSED),
    ]
    corpus = prepare(mails, language="english")
    for row in range(len(corpus)):
        assert corpus.measure([row]) == corpus.costs[row] - corpus.unit.joint


def test_a_page_that_quotes_a_mail_has_no_speakers_beside_it():
    page = (
        "# The crane\n\nIt was bought in May.\n\nAnn Lind wrote:\n\n> It never worked.\n\n"
        "## Repair\n\nThe port paid for it.\n\n> Nobody else did.\n"
    )
    corpus = prepare([page], form="markdown")
    said = dict(zip(corpus.texts, corpus.speakers, strict=True))
    assert said["It never worked."] == "Ann Lind"
    assert said["The port paid for it."] == ""
    assert said["Nobody else did."] == "(quoted)"


def test_what_a_post_quotes_is_not_said_by_its_author():
    text = (
        "Crane\n\nann commented on 2024-07-14\n\nIt is broken.\n\n"
        "ben commented on 2024-07-15\n\n> It is broken.\n\nWe repair it in May.\n"
    )
    corpus = prepare([text], form="markdown")
    pairs = list(zip(corpus.texts, corpus.speakers, strict=True))
    assert ("It is broken.", "(quoted)") in pairs
    assert ("We repair it in May.", "ben") in pairs


def test_lines_of_mail_are_joined_between_rows_of_a_log():
    log = "\n".join(f"crane/{k:02} ..... ok" for k in range(30))
    text = "When the crane was tested this morning in the port I noticed the\nfollowing noise."
    text = f"{text}\n\n{log}"
    assert "I noticed the following noise." in str(prepare([MAIL.format("Ann", 4, text)]).texts)


def test_quoted_lines_are_not_said_by_the_writer_of_a_text_that_names_nobody():
    assert speakers(f"{CRANE}\n\n> {CLOSED}\n") == {CRANE: "", CLOSED: QUOTED}
    page = f"# Port\n\n{CRANE}\n\n## Quays\n\n> {CLOSED}\n"
    assert set(speakers(page).values()) == {""}
