"""Standing: the rules one by one, the objective against a slow twin, and languages detected."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import Stemmer

from maxcover.texts import prepare
from maxcover.texts.judge.candidates import FRAME, LATE, PART, SENTENCE
from maxcover.texts.weigh.boosts import ARTICLE
from maxcover.texts.words.detect import detect
from maxcover.texts.words.languages import find_language
from maxcover.texts.words.tokens import words

REST = "The harbour of the town was closed on Monday. Ships waited for a whole week."


def standing(sentence, rest=REST):
    """Return the standing of one sentence at the end of a text."""
    corpus = prepare([f"{rest}\n\n{sentence}\n\n{rest}"], language="english")
    place = next(k for k, found in enumerate(corpus) if found.text in sentence)
    return int(corpus.standing[place])


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The crane was repaired by an engineer from Bremen.", SENTENCE),
        ("The crane was repaired.", PART),  # four words
        ("The crane was repaired by\nan engineer from the north of the country who left", LATE),
        ('The crane "was repaired by an engineer from Bremen.', PART),
        ("Table 2 summarizes the repairs of the crane.", PART),
        ("And as for the crane that was repaired by an engineer...", PART),
        ("Thanks for the repair of the crane!", PART),
        ("What about the crane in the port?", PART),
        ("How much does the repair of the old crane cost the town of Alder Bay?", SENTENCE),
        ("The repairs of the crane are described later in this report.", PART),
        ("As stated above, the repairs of the crane call for a clear plan.", PART),
        ("The minister stated above all that the crane needs a repair.", SENTENCE),
        ("The repairs led to the delays of the crane we discussed earlier.", PART),
        ("The number of cranes in the port rose from 2 to 3.", SENTENCE),
        ("Half of the engineers we interviewed want to repair the crane.", SENTENCE),
        ("The plans for the repair of the crane include the following:", PART),
        ("(Recommendation 2) develop a plan for the repair of the crane.", PART),
        ("I agree with the plan for the crane.", PART),
        ("{ :crane port:has ( :cable :hook ) } and { :p :q } are repaired .", PART),
        ("In 2007 it was 1.95 euros.", SENTENCE),
        ("Write to port@harbour.example for the plan.", FRAME),
        ("See https://harbour.example/plan for the plan.", FRAME),
        (
            'www.harbour.example "All that a town has to know of its port, its quays and cranes"',
            FRAME,
        ),
        ("Ann: Thanks for the repair of the crane!", PART),
        ("On Monday the harbour master Bob Ross wrote:", FRAME),
        ("This mail is confidential and only for the intended recipient.", FRAME),
        ("12 34 56 - 78 90 / 11 = 55 a b", FRAME),
    ],
)
def test_rules(sentence, expected):
    assert standing(sentence) == expected


def test_lines_without_full_stops_are_left_out_of_a_text_with_sentences():
    whole = "The crane was repaired by an engineer.", "Nobody knows how old the quay is."
    lines = "Ten. Words. Are. No. Sentence. At. All. Here. Or. There.", "A list of all cranes here"
    corpus = prepare(["\n\n".join((*whole, *lines))], language="english")
    chosen = corpus.problem(28).choosable.nonzero()[0].tolist()
    assert [corpus[number].text for number in chosen] == [*whole]


def test_a_chat_without_full_stops_has_candidates():
    chat = "\n".join(
        f"the crane number {k} was {'very ' * (k % 5)}well repaired by an engineer"
        for k in range(30)
    )
    corpus = prepare([chat], language="english")
    assert (corpus.standing >= LATE).all()
    assert corpus.candidates(60, np.array([], np.int64)).all()
    rest = " ".join(f"Ship {k} of the harbour waited for a whole week." for k in range(9))
    mixed = prepare([chat + "\n" + rest], language="english")
    whole = mixed.standing == SENTENCE
    assert mixed.candidates(60, np.array([], np.int64)).tolist() == whole.tolist()


def test_scripts_without_capitals_or_spaces_have_sentences():
    for text in (
        "港は月曜日に閉鎖されました。船は一週間も待っていました。",
        "أغلق الميناء يوم الاثنين بعد العاصفة الكبيرة.",
    ):
        assert (prepare([text]).standing == SENTENCE).all()


NEWS = [
    "The port of Alder Bay reopened on Monday. Ships had waited for a week there. "
    "But the ice in the port was still very thick.",
    "Thick ice had closed the port of Alder Bay. Traders said that prices rose a lot. "
    "The ships sailed at last on Monday.",
]


def test_the_objective_against_a_slow_twin():
    stem = Stemmer.Stemmer("english").stemWord
    stops = {stem(word) for word in find_language("en").stop_words}
    sentences = [
        (d, place, text + ".")
        for d, document in enumerate(NEWS)
        for place, text in enumerate(document.rstrip(".").split(". "))
    ]
    held = []
    for _, _, text in sentences:
        stems = [stem(word) for word in words(text)]
        held.append(set(stems) | {f"{a} {b}" for a, b in pairwise(stems)})
    in_sentences = Counter(concept for row in held for concept in row)
    worth = {}
    for concept, count in in_sentences.items():
        rows = [k for k, row in enumerate(held) if concept in row]
        weight = count if count > 1 else 0.1
        weight *= math.sqrt(len({sentences[k][0] for k in rows}))
        weight *= 4 if " " in concept else 1
        weight *= 0.25 if set(concept.split()) <= stops else 1
        worth[concept] = weight * (1 + (8 - min(sentences[k][1] for k in rows)) / 8)
    corpus = prepare(NEWS, language="english")
    assert (corpus.standing >= SENTENCE).all()
    ours = dict(zip(corpus.labels, corpus.weights.tolist(), strict=True))
    assert ours == pytest.approx(worth)

    sizes = [len(text.split()) for _, _, text in sentences]
    mean = sum(worth[c] for row in held for c in row) / sum(sizes)
    article = len(sentences) / 2 / ARTICLE[0]
    own = [
        mean * size * 0.25 * article * 0.5**place
        for size, (_, place, _) in zip(sizes, sentences, strict=True)
    ]
    assert corpus.own.tolist() == pytest.approx(own)


def test_the_problem_has_one_more_element_for_each_sentence_of_its_own_weight():
    corpus = prepare(NEWS, language="english")
    problem = corpus.problem(20)
    for k in range(len(corpus)):
        inside = problem.elements_of(k)
        assert inside[-1] == len(corpus.labels) + k
        assert (
            inside[:-1].tolist() == corpus.indices[corpus.indptr[k] : corpus.indptr[k + 1]].tolist()
        )
        assert problem.weights[inside[-1]] == corpus.own[k]
    assert problem.n_elements == len(corpus.labels) + len(corpus)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The harbour is closed and the ships are waiting for the storm to pass.", "english"),
        ("Der Hafen ist geschlossen und die Schiffe warten auf das Ende des Sturms.", "german"),
        ("Le port est fermé et les navires attendent la fin de la tempête.", "french"),
        ("El puerto está cerrado y los barcos esperan el fin de la tormenta.", "spanish"),
        ("De haven is gesloten en de schepen wachten op het einde van de storm.", "dutch"),
        (
            "Przystań jest zamknięta i statki czekają na koniec burzy, która nie jest mała.",
            "polish",
        ),
        ("Přístav je uzavřen a lodě čekají na konec bouře, která se podle nich blíží.", "czech"),
        ("Порт закрыт, и корабли ждут конца бури.", "russian"),
        ("Порт закритий, і кораблі чекають кінця бурі.", "ukrainian"),
        ("Το λιμάνι είναι κλειστό.", "greek"),
        ("הנמל סגור.", "hebrew"),
        ("الميناء مغلق.", "arabic"),
        ("बंदरगाह बंद है।", "hindi"),
        ("港は閉鎖されています。", "japanese"),
        ("港口已经关闭。", "chinese"),
        ("항구가 닫혔다.", "korean"),
        ("ท่าเรือปิดแล้ว", "thai"),
    ],
)
def test_languages_are_detected(text, expected):
    found = detect([text])
    assert found.language.name == expected
    assert found.sure
    assert prepare([text]).language.name == expected


def test_a_list_of_names_before_a_text_says_nothing_of_its_language():
    names = "\n".join(f"| Ann Keller {k} | AKR | Alder Bay |" for k in range(60))
    text = "The harbour is closed because of the ice, and nobody knows when it will be open. "
    found = detect([names + 60 * text])
    assert (found.language.name, found.sure) == ("english", True)


@pytest.mark.parametrize("documents", [[], [""], ["42"], ["Cats purr."], ["xyzzy plugh " * 20]])
def test_what_nothing_speaks_for_is_read_as_english_and_said_to_be_unsure(documents):
    found = detect(documents)
    assert (found.language.name, found.sure) == ("english", False)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ('ראש העיר אמר כי ארה"ב תרמה כסף לנמל החדש.', SENTENCE),
        ('ראש העיר קרא לזה "קמצנות" של ארה"ב בנמל.', SENTENCE),
        ('זה יהיה אסון בקנה מידה ענק", אמר ראש הממשלה.', PART),
        ('זה יהיה אסון של ארה"ב בקנה מידה ענק", אמר ראש הממשלה.', PART),
    ],
)
def test_quotations_and_abbreviations_of_hebrew(sentence, expected):
    rest = "הנמל הישן של העיר נסגר אתמול בבוקר. הספינות חיכו מחוץ לנמל שבוע שלם."
    corpus = prepare([f"{rest}\n\n{sentence}\n\n{rest}"], language="hebrew")
    place = next(k for k, found in enumerate(corpus) if found.text == sentence)
    assert corpus.standing[place] == expected
