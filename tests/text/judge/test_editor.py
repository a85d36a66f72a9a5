"""Alone: features against a slow twin, what the model prefers, and what may be chosen."""

import time
from importlib.resources import files

import numpy as np
import pytest

from maxcover.text import prepare
from maxcover.text.judge.candidates import SENTENCE
from maxcover.text.judge.editor import find_kept, find_rough
from maxcover.text.judge.features import CLASS_OF, CLASSES, NAMES, find_features, leans
from maxcover.text.read.kinds import find_mail
from maxcover.text.weigh.corpus import MAIL, TALK
from maxcover.text.words.english import ENDINGS, POINTING, UNLESS, VERBS, WORDS
from maxcover.text.words.terms import find_terms
from maxcover.text.words.tokens import find_runs, words

SAID = [
    "The crane at the North Quay needs a new cable before 2027, the engineers said.",
    "Does it need one?",
    "However, the cable that is old was was ordered, I think, by Ann, Bob and Cy.",
    "In addition, these cables (such as steel) cost 20 percent more; the same goes there.",
    "And so We it is.",
    "A steel cable for the crane.",
    "As related by the crane.",
    "Which is what they had said.",
]
OPENING = {*WORDS["if"].split(), "because", "which", "who", "whether"}
NONE = np.empty(0, np.int64)


def slow_kind(run, place):
    """Tell the kind of one word."""
    word = run.lower()
    if word in CLASS_OF:
        return list(WORDS)[CLASS_OF[word]]
    if word[0].isdigit():
        return "number"
    if run[0].isupper() and place:
        return "name"
    endings = (name for name, ends in ENDINGS.items() if len(word) > 3 and word.endswith(ends))
    return next(endings, "word")


def slow_features(row):
    """List some of the features of one of `SAID`, by its words."""
    runs = find_runs(SAID[row])
    here = [run.lower() for run in runs]
    kinds = [slow_kind(run, place) for place, run in enumerate(runs)]
    found = {f"has {word}" for word in here if word in CLASS_OF}
    found |= {f"first {word}" for word in here[:1] if word in CLASS_OF}
    found |= {f"has [{kind}]" for kind in kinds}
    found |= {f"first [{kinds[0]}]", f"second [{kinds[1]}]", f"last [{kinds[-1]}]"}
    content = [kind not in WORDS for kind in kinds]
    verbal = {"is", "have", "do", "can", "it's", "think", "go", "said", "ed"}
    verbs = [w in VERBS or k in verbal for w, k in zip(here, kinds, strict=True)]
    pairs = list(zip(here, [*here[1:], ""], strict=True))
    before = {word for text in SAID[:row] for word in find_terms([text], stemmer="english").labels}
    stems = [find_terms([word], stemmer="english").labels[0] for word in here]
    new = [
        place
        for place in range(1, len(here))
        if here[place - 1] == "the" and content[place] and kinds[place] != "name"
        if stems[place] not in before
    ]
    counts = {
        "words": len(here),
        "content": sum(content),
        "names": kinds.count("name"),
        "numbers": kinds.count("number"),
        "commas": SAID[row].count(","),
        "word said twice": sum(a == b for a, b in pairs),
        "new after the": len(new),
        "place": row,
        "no verb": not any(verbs),
        "words before the verb": verbs.index(True) if any(verbs) else 0,
        "leans": leans(SAID[row]),
        "no sure verb, short": len(here) < 11
        and not any(v and k != "ed" for v, k in zip(verbs, kinds, strict=True)),
        "open clause": here[0] in OPENING and sum(verbs) < 2 and "," not in SAID[row],
        "asked before": row > 0 and SAID[row - 1].endswith("?"),
        "points": sum(
            (a in UNLESS and b not in UNLESS[a].split())
            or (a in POINTING and b in POINTING[a].split())
            for a, b in pairs
        ),
    }
    steps = [name.split(" >= ") for name in NAMES if " >= " in name]
    found |= {f"{a} >= {b}" for a, b in steps if a in counts and counts[a] >= float(b)}
    return found, set(counts)


def test_features_against_a_slow_twin():
    terms = find_terms(SAID, stemmer="english")
    document = np.zeros(len(SAID), np.int64)
    ((_, found),) = find_features(terms, SAID, document=document, among=np.arange(len(SAID)))
    for row in range(len(SAID)):
        expected, counted = slow_features(row)
        ours = {NAMES[number] for number in np.flatnonzero(found[row])}
        known = {
            name
            for name in ours
            if name.split(" >= ")[0] in counted
            or name.split()[0] in ("has", "first", "second")
            or name.startswith("last")
        }
        assert known == expected
    ((_, some),) = find_features(terms, SAID, document=document, among=np.array([2, 4]))
    assert set(np.flatnonzero(some.any(axis=1)).tolist()) == {2, 4}
    assert np.array_equal(some[[2, 4]], found[[2, 4]])


def test_every_weight_is_of_a_feature_and_no_word_is_of_two_kinds():
    lines = (
        files("maxcover.text").joinpath("data/editor.tsv").read_text(encoding="utf-8").splitlines()
    )
    names = [line.split("\t")[0] for line in lines[1:]]
    assert set(names) <= {"(bias)", *NAMES}
    assert len(names) == len(set(names))
    listed = [word for group in WORDS.values() for word in group.split()]
    assert len(listed) == len(set(listed))
    assert all(words(word) == [word] for word in listed)
    assert len(CLASSES) == len(set(CLASSES))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (
            "The crane at the north quay needs a new cable.",
            "However, the crane at the north quay needs a new cable.",
        ),
        (
            "The engineer ordered a steel cable from a firm in Bremen.",
            "It was ordered from a firm in Bremen because of that.",
        ),
        (
            "The engineer ordered steel cables from a firm in Bremen.",
            "The engineer ordered these from the same firm as before.",
        ),
        (
            "The engineers of the port ordered a new crane in May.",
            "I think you know the sort of thing I mean, right?",
        ),
    ],
)
def test_what_an_editor_keeps(better, worse):
    for rest in ("", "Ann: Yes.\nBob: No.\nAnn: Well.\n"):
        speaker = "Cy: " if rest else ""
        corpora = [
            prepare([f"{rest}{speaker}{one}"], language="english") for one in (better, worse)
        ]
        assert corpora[0].kept[-1] > corpora[1].kept[-1]


@pytest.mark.parametrize("opening", ["In addition, ", "For example, ", "Specifically, ", "Also, "])
def test_openings_that_lean_outweigh_the_rest(opening):
    """However good the rest of the sentence is."""
    rest = "engineers of the Port of Bremen ordered 12 steel cables "
    rest += "from a firm in Alder in May 2024."
    before = "Alder Bay has a new crane. "
    whole = prepare([before + rest.capitalize()], language="english").kept[1]
    found = prepare([before + opening + rest], language="english").kept[1]
    assert found < min(0.5, whole - 0.2)


@pytest.mark.parametrize(
    "text", ["This is a proposal for a new crane.", "attrs is a package for classes."]
)
def test_the_first_sentence_of_a_document_leans_on_none(text):
    corpus = prepare([f"{text} However, this is a proposal for a new cable."], language="english")
    assert corpus.standing[0] == SENTENCE
    assert corpus.kept[0] >= 0.5


def test_other_languages_keep_what_reads_as_a_sentence():
    corpus = prepare(["Der Hafen ist seit Montag geschlossen. Schiffe."])
    assert corpus.kept.tolist() == (corpus.standing == SENTENCE).astype(float).tolist()


def test_talk_is_rough_where_many_utterances_are_short():
    said = ["Yes.", "No.", "The crane at the north quay needs a new steel cable."] * 2
    terms = find_terms(said, stemmer=None)
    document, speech = np.repeat([0, 1], 3), np.repeat([True, False], 3)
    assert find_rough(terms, document, speech).tolist() == [True] * 3 + [False] * 3


def test_the_best_are_candidates_and_others_where_they_are_needed():
    good = [f"Ship number{k} carried timber{k} from Bremen to port{k}." for k in range(20)]
    others = [f"However, it carried grain{k} from Alder to town{k}." for k in range(20)]
    corpus = prepare([" ".join(good + others)], language="english")
    assert corpus.kept[:20].min() > corpus.kept[20:].max()
    found = corpus.candidates(40, NONE)
    assert found[:20].any()
    assert not found[20:].any()
    assert corpus.candidates(250, NONE).all()
    copies = [f"Nine old ships of Alder carried timber to the port of town{k}." for k in range(9)]
    corpus = prepare([" ".join(copies + others)], language="english")
    assert corpus.candidates(60, NONE)[9:].any()  # near copies do not fill


def test_a_budget_nobody_gave_ends_with_the_sentences_an_editor_would_keep():
    turns = ["Ann: Well, you know, it is sort of like that thing there, I mean."] * 3
    turns += [f"Bob: And then it was just whatever we said about thing {k}." for k in range(200)]
    assert prepare(["\n".join(turns)], language="english").budget() == TALK.least
    news = " ".join(f"Ship {k} of Bremen carried new timber to Alder Bay." for k in range(200))
    assert prepare([news], language="english").budget() > 150
    for unit in ("characters", "tokens", "sentences"):  # nothing is fair, and still one fits
        corpus = prepare(["\n".join(turns)], language="english", unit=unit)
        assert corpus.candidates(corpus.budget(), NONE).any()


def test_short_summaries_of_mail_keep_to_the_good_sentences():
    good = [
        "The engineers of Bremen ordered new steel cables from a firm in May 2024.",
        "The port of Hamburg closed its northern lock because of ice on Monday morning.",
        "The council of Alder approved the budget for a second ferry last year.",
        "Fishermen protested against higher fees for the use of the harbour in June.",
    ]
    others = [f"Ann and Bob saw some of the cables of town{k} there." for k in range(40)]
    frame = ["Hi Ann,", *good, *others, "Best regards,", "Bob"]
    corpora = [prepare(["\n\n".join(lines)], language="english") for lines in (frame, frame[1:-2])]
    assert [find_mail(corpus.kinds, corpus.document).any() for corpus in corpora] == [True, False]
    mail, prose = corpora
    fair = mail.kept >= MAIL.fair
    size = mail.costs[fair].sum()
    assert mail.candidates(size, NONE).tolist() == fair.tolist()
    assert (prose.candidates(size, NONE) & (prose.kept < MAIL.fair)).any()
    assert (mail.candidates(2 * size, NONE) & ~fair).any()
    assert mail.budget() == max(size, MAIL.least)


def test_short_mail_is_returned_whole():
    mail = "Hi Ann,\n\nIt was not there when I looked for it.\n\nCan you send it again?\n\nBob"
    assert prepare([mail], language="english").budget() == 50


@pytest.mark.parametrize("unit", ["Yes. ", "Crane ", "A crane, the crane, it was. "])
def test_hostile_texts_take_linear_time(unit):
    def seconds(size):
        said = (unit * size).strip().split(". ") if "." in unit else [unit * size]
        terms = find_terms(said, stemmer=None)
        document = np.zeros(len(said), np.int64)
        begin = time.process_time()
        find_kept(
            terms,
            said,
            document=document,
            speech=document == 0,
            among=np.arange(len(said)),
        )
        return time.process_time() - begin

    # sixteen times as long would be quadratic
    assert seconds(40_000) < 0.2 + 12 * max(seconds(10_000), seconds(10_000))
