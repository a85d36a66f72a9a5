"""The terms of the problem of a summary: the title, worth, the query, and conflicts."""

from pathlib import Path

import numpy as np
import pytest

import maxcover as mc
from maxcover.texts import prepare
from maxcover.texts.summary.pose import NUMBERS, STRUCK
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


def test_only_the_title_is_required():
    page = mc.summarize(
        PAGE.replace("# quay", "# The port planner", 1), budget=25, language="english"
    )
    assert page.headline is not None
    assert page.problem.required.tolist() == [page.headline]
    assert "that keeps the title" in page.certificate
    news = mc.summarize(NEWS, budget=40, language="english")
    assert (news.headline, news.problem.required.size) == (None, 0)


def test_the_problem_of_a_summary_is_the_one_that_its_terms_make():
    summary = mc.summarize(NEWS, budget=40, language="english")
    again = mc.solve(summary.pose.problem(40))
    assert again.value == summary.value
    assert sorted(again.selected.tolist()) == sorted(one.index for one in summary.sentences)


def test_worth_is_an_element_of_each_sentence():
    summary = mc.summarize(PAGE, budget=25, language="english", form="markdown")
    corpus, worth = summary.corpus, find_worth(summary.corpus)
    judged = np.flatnonzero((corpus.own > 0) & (corpus.standing > 1))
    share = corpus.own[judged] / (worth[judged] * corpus.n_words[judged] ** NUMBERS.length)
    assert share == pytest.approx(share[0])
    for text in ([NEWS[0]], NEWS):
        assert not mc.summarize(text, budget=40, preset="coverage").pose.title(40).size


def test_what_an_editor_would_strike_on_a_page_is_no_candidate():
    added = " ".join(f"They have {k} of them there!" for k in range(12))
    text = f"{PAGE}\n## Examples\n\n{added}\n"
    page = mc.summarize(text, budget=80, language="english", form="markdown")
    struck = [row for row, by in enumerate(page.corpus.struck_by) if by == STRUCK]
    assert struck
    assert not {*struck} & {sentence.index for sentence in page.sentences}
    assert page.cost < mc.summarize(text, budget=80, form="markdown", preset="coverage").cost


def test_a_sentence_brings_the_one_that_it_speaks_of():
    folder = Path(__file__).parents[3] / "examples" / "angelman"
    for budget in range(20, 100, 10):
        summary = mc.summarize(folder, budget=budget)
        rows = [sentence.index for sentence in summary.sentences]
        assert {*summary.pose.printed(np.array(rows)).tolist()} == {*rows}
        assert summary.value == pytest.approx(sum(one.gain for one in summary.sentences))


CLOSED = "The council closed the old bridge of the town. It also closed the road to the quay there."


def test_what_brings_a_forbidden_sentence_is_forbidden_and_what_is_required_comes_alone():
    text = f"{CLOSED}\n\nThe new bridge of the town stays open for all of the cars and trucks."
    both = mc.summarize(text, budget=100, language="english")
    assert [one.index for one in both.sentences] == [0, 1, 2]
    without = mc.summarize(text, budget=100, language="english", forbidden=0)
    assert [one.index for one in without.sentences] == [2]
    required = mc.summarize(text, budget=12, language="english", required=1)
    assert [one.index for one in required.sentences] == [1]
    asked = mc.summarize(text, budget=12, language="english", query="road to the quay")
    assert [one.index for one in asked.sentences] == [1]


def test_near_copies_are_in_conflict():
    told = "Nine old ships from port Alder carry some grain and new timber along the coast to town"
    text = " ".join(f"{told}{chr(97 + k)}." for k in range(9))
    rest = " ".join(f"Only word{k} is like thing{k} here." for k in range(30))
    summary = mc.summarize([text, rest], budget=60, language="english")
    assert len(summary.problem.limits) > 0
    assert sum(sentence.document == 0 for sentence in summary.sentences) == 1


def test_a_summary_says_if_there_was_nothing_to_choose():
    all_of_it = mc.summarize(NEWS, budget=200, language="english")
    assert "there was nothing to choose" in all_of_it.certificate
    some = mc.summarize(NEWS, budget=40, language="english")
    assert "nothing to choose" not in some.certificate


def test_a_query_is_answered_or_warned_of():
    text = f"{PAGE}\n## Storms\n\nThe planner shuts every gate of the port before a gale comes.\n"
    asked = mc.summarize(text, budget=30, form="markdown", language="english", query="gale")
    assert "shuts every gate" in asked.text
    with pytest.warns(mc.errors.InputWarning, match="query='xyzzy'") as caught:
        mc.summarize(text, budget=30, form="markdown", language="english", query="xyzzy")
    assert len(caught) == 1


def test_a_page_that_fits_is_told_whole():
    page = mc.summarize(PAGE, budget=80, language="english", form="markdown")
    assert [line for line in page.lines if "length" in line]


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
    assert points[0] in [sentence.text for sentence in summary.sentences]


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
    assert summary.headline is not None
    assert summary.lines[0] == summary.corpus.texts[summary.headline] == "crane stops at noon"
    assert any(line.startswith("Bob: The crane stops because") for line in summary.lines)


ASKED = "Why does the crane at the north quay stop at noon on hot days?"
ROOF = "The oil of the crane gets too warm at noon, so put a roof over its tank."


def test_a_thread_tells_what_answers_it():
    later = "The north crane stops and the north crane stops the trucks at the gate."
    posts = [("ann", ASKED), ("bob", ROOF), ("ann", later)]
    thread = "# North crane stops the trucks #12\n\n" + "\n\n".join(
        f"**{who}** commented on 2026-01-0{day}\n\n{post}"
        for day, (who, post) in enumerate(posts, 1)
    )
    summary = mc.summarize(thread, budget=45, language="english")
    assert ROOF in [sentence.text for sentence in summary.sentences]


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


def test_a_long_page_whose_sentences_are_worth_little_uses_its_budget():
    parts = [
        f"## Part {k}\n\nIt has {k} of these in all, and then some more.\n" for k in range(300)
    ]
    summary = mc.summarize("# A long page\n\n" + "\n".join(parts), budget=100, form="markdown")
    assert summary.cost > 60
