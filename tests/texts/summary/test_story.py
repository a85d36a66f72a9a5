"""What tells the story is there, what only fills is not, and the certificate says so."""

from pathlib import Path

import numpy as np
import pytest

import maxcover as mc
from maxcover.texts import prepare
from maxcover.texts.summary import selection, story
from maxcover.texts.summary.contributions import find_gains
from maxcover.texts.summary.worth import find_worth

NEWS = [
    "A storm sank two ferries off Altenberg on Friday. Divers searched the wrecks until dark. "
    "The owner of the ferries has two more ships in the harbour of Bremen.",
    "The harbour of Altenberg stays closed until Monday, its master said. Trucks wait on all roads."
    " Many drivers sleep in their trucks near the harbour.",
    "Insurers expect claims of nine million euros after the storm. Shares fell on Friday.",
]
LOG = [
    "Ann Keller sank a ferry off Altenberg in a storm.",
    "Bob Ray arrested Ann Keller near the old mill of Tostedt.",
    "A judge from Rostock sent Bob Ray to a village without trains.",
    "Cem Acar, a farmer, saw the judge from Rostock at a market.",
    "Police asked Cem Acar, a farmer, about his nine brown cows.",
    "A court in Kiel heard police about nine brown cows until noon.",
]
PAGE = """# quay

[![Build](https://x.example/b.svg)](https://x.example)

quay is a library that plans the berths of ships in a harbour.

## Usage

Call the planner with a list of ships and a list of berths to get a plan for one week.
Every ship has a length, a draught and a time of arrival that the planner reads from a table.
"""


def test_each_document_of_several_may_have_its_best_sentence_required():
    summary = mc.summarize(NEWS, budget=40, language="english")
    told = summary.corpus.document[list(summary.story)].tolist()
    assert len(told) == len({*told})
    assert sum(summary.corpus.costs[list(summary.story)[1:]]) <= 20
    assert set(summary.story) <= {sentence.index for sentence in summary.sentences}
    count = f"{len(told)} main sentences" if len(told) > 1 else "main sentence"
    assert f"that keeps the {count} " in summary.certificate


def test_the_last_of_several_documents_says_how_things_stand(monkeypatch):
    monkeypatch.setattr(story, "LEAST_WORTH", 0.1)
    summary = mc.summarize(LOG, budget=50, language="english")
    assert len(LOG) - 1 in summary.corpus.document[list(summary.story[:2])]


@pytest.mark.parametrize("budget", range(10, 70, 4))
def test_no_sentence_only_fills(budget):
    summary = mc.summarize(NEWS, budget=budget, language="english")
    chosen = np.array(sorted(sentence.index for sentence in summary.sentences))
    order, gains = find_gains(summary.problem, chosen)
    least = min(selection.FILLER, selection.FILLER_PART / len(order)) * gains.sum()
    assert set(order[gains < least].tolist()) <= set(summary.problem.required.tolist())
    assert summary.problem.value(chosen) == pytest.approx(summary.value)
    assert summary.value <= summary.upper_bound * (1 + 1e-9)


def test_a_page_leaves_room_rather_than_fill_it():
    added = " ".join(f"Berth {k} of the north quay has crane {k + 3}." for k in range(12))
    text = f"{PAGE}\n## Examples\n\n{added}\n"
    page = mc.summarize(text, budget=80, language="english", form="markdown")
    worth = find_worth(page.corpus)
    order = np.argsort(-worth, kind="stable")
    best = order[: np.searchsorted(np.cumsum(page.corpus.costs[order]), 0.7 * 80) + 1]
    for sentence in page.sentences:
        at = sentence.index
        assert at in page.story or at in best or worth[at] >= story.LEAST_WORTH
    covered = mc.summarize(text, budget=80, language="english", form="markdown", preset="coverage")
    assert page.cost < covered.cost


def test_a_page_that_fits_is_told_whole():
    page = mc.summarize(PAGE, budget=80, language="english", form="markdown")
    assert [line for line in page.lines if "length" in line]


def test_a_sentence_that_refers_to_another_one_follows_it():
    page = (
        "# The north quay\n\n## Summary\n\n"
        "The quay is closed until May because its wall is cracked. "
        "It was built in 1911 for ships that were announced as the largest of their time.\n\n"
        "## Details\n\n" + "The crane is old and the road is wet. " * 4 + "\n"
    )
    for budget in (16, 22, 34):
        summary = mc.summarize(page, budget=budget, language="english", form="markdown")
        told = [summary.corpus.texts[row] for row in summary.story]
        if any(text.startswith("It was built") for text in told):
            assert any(text.startswith("The quay is closed") for text in told)
    assert any(text.startswith("It was built") for text in told)


def test_what_is_printed_as_a_label_is_no_sentence_of_its_own():
    asked = "Which version of the code of conduct should the harbour use?"
    first = f"# Minutes\n\n* {asked}\n  * The council waits for the lawyers of the port.\n"
    second = f"# Minutes\n\n* {asked}\n* The quay opens on Friday after the repair of the crane.\n"
    corpus = prepare([first, second], form="markdown", language="english")
    said = [(by, text) for by, text in zip(corpus.struck_by, corpus.texts, strict=True)]
    assert said.count(("label", asked)) == 2
    assert asked in corpus.under


def test_a_page_says_what_it_is():
    summary = mc.summarize(PAGE, budget=25, language="english")
    assert summary.lines[0] == "quay is a library that plans the berths of ships in a harbour."


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


@pytest.mark.parametrize("budget", [280, 300, 320, 360])
def test_the_room_of_filler_goes_to_others(budget, monkeypatch):
    folder = Path(__file__).parents[3] / "examples" / "angelman"
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


def test_an_argument_of_code_is_no_end():
    letters = [*THREAD, ("Bob", 'Use this line:\n\nold <- sub("4.5", "4.4", paths(), fixed=TRUE)')]
    summary = mc.summarize(
        [_mail(who, "The crane at noon", said) for who, said in letters],
        budget=60,
        language="english",
    )
    assert all("fixed=TRUE" not in line for line in summary.lines)


def test_the_heading_that_a_text_begins_with_is_its_title():
    text = "# The old quay is closed\n\nIt is closed since May because of a storm. Nobody was hurt."
    assert mc.summarize(text, budget=15).text.startswith("The old quay is closed\n")
