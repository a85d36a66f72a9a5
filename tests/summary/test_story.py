"""What tells the story is there, what only fills is not, and the certificate says so."""

from pathlib import Path

import numpy as np
import pytest

import maxcover as mc
from maxcover.summary import selection
from maxcover.summary.contributions import find_gains
from maxcover.text import prepare

NEWS = [
    "A storm sank two ferries off Altenberg on Friday. Divers searched the wrecks until dark. "
    "The owner of the ferries has two more ships in the harbour of Bremen.",
    "The harbour of Altenberg stays closed until Monday, its master said. Trucks wait on all roads."
    " Many drivers sleep in their trucks near the harbour.",
    "Insurers expect claims of nine million euros after the storm. Shares fell on Friday.",
]
PAGE = """# quay

[![Build](https://x.example/b.svg)](https://x.example)

quay is a library that plans the berths of ships in a harbour.

## Usage

Call the planner with a list of ships and a list of berths to get a plan for one week.
Every ship has a length, a draught and a time of arrival that the planner reads from a table.
"""


def test_openings_of_a_collection_are_required_up_to_half_of_the_budget():
    summary = mc.summarize(NEWS, budget=40, language="english")
    openings = [summary.corpus.texts[row] for row in summary.story]
    assert openings == [text.split(". ")[0] + "." for text in NEWS[: len(openings)]]
    assert sum(len(text.split()) for text in openings) <= 20
    assert set(summary.story) <= {sentence.index for sentence in summary.sentences}
    assert f"that keeps the {len(openings)} opening sentences" in summary.certificate


def test_what_is_printed_as_a_label_is_no_sentence_of_its_own():
    asked = "Which version of the code of conduct should the harbour use?"
    first = f"# Minutes\n\n* {asked}\n  * The council waits for the lawyers of the port.\n"
    second = f"# Minutes\n\n* {asked}\n* The quay opens on Friday after the repair of the crane.\n"
    corpus = prepare([first, second], form="markdown", language="english")
    said = [(by, text) for by, text in zip(corpus.struck_by, corpus.texts, strict=True)]
    assert said.count(("label", asked)) == 2
    assert asked in corpus.under


LOG = [
    "Ann Keller sank a ferry off Altenberg in a storm.",
    "Bob Ray arrested Ann Keller near the old mill of Tostedt.",
    "A judge from Rostock sent Bob Ray to a village without trains.",
    "Cem Acar, a farmer, saw the judge from Rostock at a market.",
    "Police asked Cem Acar, a farmer, about his nine brown cows.",
    "A court in Kiel heard police about nine brown cows until noon.",
]


def test_the_last_entry_of_a_chronicle_says_how_things_stand():
    summary = mc.summarize(LOG, budget=50, language="english")
    assert [summary.corpus.texts[row] for row in summary.story[:2]] == [LOG[0], LOG[-1]]
    shuffled = [LOG[place] for place in (0, 3, 1, 4, 2, 5)]
    summary = mc.summarize(shuffled, budget=50, language="english")
    assert summary.corpus.texts[summary.story[1]] != shuffled[-1]


def test_openings_of_many_documents_are_weighed_a_few_times_each(monkeypatch):
    weighed = []
    genuine = Finder.weigh

    def weigh(finder, concepts):
        weighed.append(1)
        return genuine(finder, concepts)

    monkeypatch.setattr(Finder, "weigh", weigh)
    log = [f"Ferry {n} left quay {n} of the harbour at noon. Its crew slept." for n in range(300)]
    assert mc.summarize(log, budget=50, language="english").story
    assert len(weighed) <= 3 * len(log)


def test_a_page_says_what_it_is():
    summary = mc.summarize(PAGE, budget=25, language="english")
    assert summary.lines[0] == "quay is a library that plans the berths of ships in a harbour."


@pytest.mark.parametrize(
    "said",
    [
        "This PEP proposes a new syntax for the berths of ships in a harbour.",
        "The aim of this study was to measure how long ferries wait at the quay.",
        "In this report, we describe how the harbour was closed after the storm.",
    ],
)
def test_what_one_document_does_is_required(said):
    rest = "Ships come and go at the quay all day. Cranes lift boxes off the ships at night. "
    text = f"Harbours are old and large. {rest}{said} {rest.replace('Ships', 'Ferries')}"
    summary = mc.summarize(text, budget=30, language="english")
    assert summary.corpus.texts[summary.story[0]] == said


def test_an_opening_goes_on_to_the_end_of_its_paragraph():
    opening = "The harbour was closed on Monday after a storm. It opens again on Friday at noon."
    rest = " ".join(f"Ship {k} waits for a berth at the north quay." for k in range(20))
    summary = mc.summarize(f"{opening}\n\n{rest}", budget=40, language="english")
    assert summary.corpus.texts[summary.story[1]] == "It opens again on Friday at noon."
    assert len(summary.story) == 2
    short = mc.summarize(f"{opening}\n\n{rest}", budget=18, language="english")
    assert len(short.story) == 1


def test_the_outcome_of_a_thread_is_required():
    turns = [("ann", "I propose to drop support for the old crane in the next release.")]
    turns += [
        ("bob", f"We measured berth {k} and found that {k + 3} ships use the old crane.")
        for k in range(6)
    ]
    turns += [("ann", "Closing as won't fix, since too many ships need it.")]
    text = "\n\n".join(
        f"**{who}** commented on 2024-07-1{k}\n\n{said}" for k, (who, said) in enumerate(turns)
    )
    summary = mc.summarize(text, budget=40, language="english")
    assert summary.lines[0] == f"ann: {turns[0][1]}"
    assert summary.sentences[-1].text == turns[-1][1]


@pytest.mark.parametrize(
    "said", ["Fixed in #194.", "Resolved", "That did the trick on my machine."]
)
def test_a_short_outcome_is_told_too(said):
    posts = ["The crane stops when it lifts more than ten tonnes of steel."]
    posts += ["If it is closed by hand, the brake of the crane holds for an hour.", said]
    thread = "# The crane stops #12\n\n" + "\n\n".join(
        f"**{who}** commented on 2026-01-0{day}\n\n{post}"
        for day, (who, post) in enumerate(zip(("ann", "bob", "cid"), posts, strict=True), 1)
    )
    summary = mc.summarize(thread, budget=30, language="english")
    assert summary.lines[-1] == f"cid: {said}"


@pytest.mark.parametrize("budget", [12, 20, 30, 60])
def test_a_tight_budget_keeps_the_outcome_of_a_talk(budget):
    talk = """\
Ann: The crane at the north quay broke again last night.
Bob: We could repair the old cable or buy a new one from Bremen in about two weeks.
Carl: A new one costs nine thousand euros, and the repair lasts only until spring.
Bob: I would rather buy a new one, since the storms will break the old cable again.
Carl: Agreed, we buy the new cable and I order it tomorrow.
Bob: Good, see you on Monday then.
"""
    summary = mc.summarize(talk, budget=budget, language="english")
    told = [(sentence.speaker, sentence.text) for sentence in summary.sentences]
    assert ("Carl", "Agreed, we buy the new cable and I order it tomorrow.") in told


def test_a_summary_of_the_document_comes_before_its_lead():
    lead = "The port of Alder Bay now refuses ships that carry coal."
    points = ["Coal ships are turned away at the north gate.", "Nobody was hurt in the storm."]
    rest = "\n\n".join(f"Ship {k} waits for a berth at quay {k} of the port." for k in range(15))
    text = f"> This is a copy of the letter of the mayor.\n\n{lead}\n\n## Summary\n\n"
    text += "".join(f"* {point}\n" for point in points) + f"\n## Ships\n\n{rest}"
    summary = mc.summarize(text, budget=40, language="english")
    assert summary.corpus.texts[summary.story[0]] == points[0]


def test_what_the_caller_wants_comes_first():
    forbidden = mc.summarize(
        NEWS,
        budget=40,
        language="english",
        forbidden="A storm sank two ferries off Altenberg on Friday.",
    )
    assert all("sank" not in line for line in forbidden.lines)
    tight = mc.summarize(
        NEWS,
        budget=24,
        language="english",
        required="Trucks wait on all roads.",
        max_sentences_per_document=1,
    )
    assert "Trucks wait on all roads." in tight.lines
    assert len({sentence.document for sentence in tight.sentences}) == len(tight)


def test_without_a_story():
    coverage = mc.summarize(NEWS, budget=40, language="english", preset="coverage")
    assert coverage.story == ()
    assert "story" not in coverage.certificate
    told = mc.summarize(NEWS, budget=40, language="english")
    assert told.value <= coverage.upper_bound * (1 + 1e-9)


@pytest.mark.parametrize("budget", range(10, 70, 4))
def test_no_sentence_only_fills(budget):
    summary = mc.summarize(NEWS, budget=budget, language="english")
    chosen = np.array(sorted(sentence.index for sentence in summary.sentences))
    order, gains = find_gains(summary.problem, chosen)
    small = gains < selection.TEXT.least(len(order)) * gains.sum()
    assert set(order[small].tolist()) <= set(summary.problem.required.tolist())
    assert summary.problem.value(chosen) == pytest.approx(summary.value)
    assert summary.value <= summary.upper_bound * (1 + 1e-9)


@pytest.mark.parametrize("budget", [320, 340, 360, 380])
def test_the_room_of_filler_goes_to_others(budget, monkeypatch):
    folder = Path(__file__).parents[2] / "examples" / "angelman"
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))]
    again = mc.summarize(texts, budget=budget, language="english")
    monkeypatch.setattr(selection, "_ROUNDS", 1)
    once = mc.summarize(texts, budget=budget, language="english")
    assert again.value > once.value
    assert again.cost <= budget
    assert again.value <= again.upper_bound <= once.upper_bound * (1 + 1e-9)


def test_the_curve_holds_what_fits_of_the_story():
    summary = mc.summarize(NEWS, budget=40, language="english")
    curve = summary.curve([6, 12, 40])
    assert len(curve.budgets) == 3
    at = curve.budgets.tolist().index(40.0)
    assert curve.upper_bounds[at] == summary.upper_bound
    assert set(summary.story) <= set(curve.selections[at].tolist())


def _mail(who, subject, said):
    return f"From: {who}\nSubject: {subject}\n\n{said}\n"


THREAD = [
    ("Ann", "I run an office. Why does the new crane of the harbour stop at noon on hot days?"),
    ("Bob", "The crane stops because its oil gets too warm in the sun. Trucks wait all day."),
    ("Ann", "A roof over the crane solved it. The drivers of the trucks are glad about the roof."),
]


def test_the_subject_of_a_thread_comes_first_and_names_its_opener():
    mails = [_mail(who, "Re: crane stops at noon" if k else "crane stops at noon", said)
             for k, (who, said) in enumerate(THREAD)]  # fmt: skip
    summary = mc.summarize(mails, budget=45, language="english")
    told = [summary.corpus.texts[row] for row in summary.story]
    assert told[0] == summary.lines[0] == "crane stops at noon"
    assert any(line.startswith("Bob: The crane stops because") for line in summary.lines)


ASKED = "Why does the crane at the north quay stop at noon on hot days?"
ROOF = "The oil of the crane gets too warm at noon, so put a roof over its tank."


def test_what_one_says_later_in_a_thread_is_not_what_it_is_about():
    later = "The north crane stops and the north crane stops the trucks at the gate."
    posts = [("ann", ASKED), ("bob", ROOF), ("ann", later)]
    thread = "# North crane stops the trucks #12\n\n" + "\n\n".join(
        f"**{who}** commented on 2026-01-0{day}\n\n{post}"
        for day, (who, post) in enumerate(posts, 1)
    )
    summary = mc.summarize(thread, budget=45, language="english")
    assert ASKED in [summary.corpus.texts[row] for row in summary.story]


def test_letters_on_other_things_have_no_title():
    subjects = ("crane stops at noon", "lunch menu of Friday", "parking for trucks")
    mails = [_mail(who, subject, said)
             for subject, (who, said) in zip(subjects, THREAD, strict=True)]  # fmt: skip
    summary = mc.summarize(mails, budget=45, language="english")
    assert "crane stops at noon" not in summary.lines


def test_a_title_stands_on_a_line_of_its_own():
    text = "Ferries wait at the quay\n\n" + " ".join(NEWS[:2])
    summary = mc.summarize(text, budget=30, language="english")
    assert summary.text.split("\n")[0] == "Ferries wait at the quay"
    assert summary.cost <= 30


def test_what_a_thing_is_may_have_an_unusual_shape():
    page = PAGE.replace("in a harbour.", "in a harbour (see below).")
    summary = mc.summarize(page, budget=25, language="english")
    assert summary.lines[0].startswith("quay is a library that plans the berths")


def test_openings_are_those_that_say_most():
    dull = "It was a day like many others for the people who live in that town."
    news = [NEWS[0], f"{dull} {NEWS[1]}", f"{dull} Nobody knew it then.", NEWS[1], NEWS[2]]
    summary = mc.summarize(news, budget=60, language="english")
    told = [summary.corpus.texts[row] for row in summary.story]
    assert told[0] == "A storm sank two ferries off Altenberg on Friday."
    assert dull not in told


def test_a_list_of_remarks_has_no_opening():
    remarks = [f"The {noun} of the ferry {verb} ." for noun in ("deck", "crew", "bar", "engine")
               for verb in ("was loud at night on the sea", "seems better than last year",
                            "needs paint and a new owner", "pleased our two old dogs")]  # fmt: skip
    assert mc.summarize("\n".join(remarks), budget=40, language="english").story == ()
    assert mc.summarize(" ".join(remarks), budget=40, language="english").story != ()


def test_a_long_talk_begins_with_anything():
    dull = [
        f"Ann: The {noun} of the {owner} in the harbour was {state} by an engineer from Bremen."
        for noun in ("crane", "cable", "deck", "lamp", "gate")
        for owner in ("ferry", "mayor", "baker", "pilot")
        for state in ("repaired", "painted", "measured", "replaced")
    ]
    summary = mc.summarize("\n".join(dull), budget=60, language="english")
    assert summary.story == ()


def test_an_argument_of_code_is_no_end():
    letters = [*THREAD, ("Bob", 'Use this line:\n\nold <- sub("4.5", "4.4", paths(), fixed=TRUE)')]
    summary = mc.summarize(
        [_mail(who, "The crane at noon", said) for who, said in letters],
        budget=60,
        language="english",
    )
    assert all("fixed=TRUE" not in line for line in summary.lines)


def test_a_page_leaves_room_rather_than_fill_it():
    added = " ".join(f"Berth {k} of the north quay has crane {k + 3}." for k in range(12))
    text = f"{PAGE}\n## Berths\n\n{added}\n"
    page = mc.summarize(text, budget=80, language="english", form="markdown")
    chosen = np.array(sorted(sentence.index for sentence in page.sentences))
    order, gains = find_gains(page.problem, chosen)
    few = order[gains < selection.PAGE.least(len(order)) * gains.sum()]
    assert set(few.tolist()) <= set(page.problem.required.tolist())
    covered = mc.summarize(text, budget=80, language="english", form="markdown", preset="coverage")
    assert page.cost < covered.cost
