"""The whole pipeline against a slow, obvious twin, and what it promises."""

import math
import pickle
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from maxcover.errors import InputWarning, OptionError
from maxcover.texts import CONCEPTS, PRESETS, UNITS, Background, Corpus, prepare
from maxcover.texts.split.sentences import split_sentences
from maxcover.texts.weigh.corpus import PLACE
from maxcover.texts.words.languages import find_language
from maxcover.texts.words.tokens import words
from tests.texts.collections_on_disk import COLLECTIONS, any_text, load_clusters, name_of

NEWS = [
    "The port of Alder Bay reopened on Monday. Ships had waited for a week. The ice was thick!",
    "Ice closed the port. Traders said prices rose. The ships sailed on Monday (at last).",
    "The ice was thick! Nobody was hurt in the port.",
]


def twin(documents, *, concepts, weights, stop_words, background=None):
    """Weights of all concepts and concepts of all sentences, written as one would say it."""
    stemmer = Stemmer.Stemmer("english")
    stops = find_language("en").stop_words if stop_words else frozenset()
    occurrences, in_sentences, in_documents, place = Counter(), Counter(), Counter(), {}
    rows = []
    for document in documents:
        seen = set()
        for number, (start, end) in enumerate(split_sentences(document)):
            found = words(document[start:end])
            stems = [(stemmer.stemWord(word), word in stops) for word in found]
            held = []
            if "words" in concepts:
                held += [stem for stem, stop in stems if not stop]
            if "bigrams" in concepts:
                held += [f"{a} {b}" for (a, s), (b, t) in pairwise(stems) if not (s and t)]
            occurrences.update(held)
            in_sentences.update(set(held))
            seen |= set(held)
            for concept in held:
                place[concept] = min(number, place.get(concept, number))
            if found:
                rows.append(set(held))
        in_documents.update(seen)
    worth = {}
    n_sentences = sum(len(split_sentences(document)) for document in documents)
    for concept, count in occurrences.items():
        if weights == "tf":
            worth[concept] = count
        elif weights == "sentence-frequency":
            worth[concept] = in_sentences[concept] if in_sentences[concept] > 1 else 0
        elif background is None:
            worth[concept] = count * math.log(n_sentences / in_sentences[concept])
        else:
            total = len(documents) + background.documents
            holding = in_documents[concept] + background.counts.get(concept, 0)
            worth[concept] = count * math.log(total / holding)
    if not any(worth.values()):
        worth = dict(occurrences)
    # the preset "plain": twice the weight in a first sentence, once from the ninth on
    worth = {c: w * (1 + max(0, 8 - place[c]) / 8) for c, w in worth.items() if w > 0}
    return worth, [{c for c in row if c in worth} for row in rows]


def check(corpus: Corpus) -> None:
    """The promises of `Corpus`."""
    n = len(corpus)
    for sentence in corpus:
        assert corpus.documents[sentence.document][sentence.start : sentence.end] == sentence.text
        assert sentence.text == sentence.text.strip() != ""
    places = list(zip(corpus.document, corpus.starts, strict=True))
    assert places == sorted(set(places))
    assert corpus.indptr.shape == (n + 1,)
    assert corpus.indptr[0] == 0
    assert corpus.indptr[-1] == len(corpus.indices)
    for start, end in pairwise(corpus.indptr):
        assert (np.diff(corpus.indices[start:end]) > 0).all()
    assert len(set(corpus.labels)) == len(corpus.labels) == len(corpus.weights)
    assert set(corpus.indices.tolist()) == set(range(len(corpus.labels)))
    assert np.isfinite(corpus.weights).all()
    assert (corpus.weights > 0).all()
    assert corpus.costs.shape == corpus.n_words.shape == (n,)
    assert (corpus.canonical <= np.arange(n)).all()
    assert (corpus.canonical[corpus.canonical] == corpus.canonical).all()
    kinds = [corpus.indptr, corpus.indices, corpus.weights, corpus.costs]
    assert [a.dtype for a in kinds] == [np.int64, np.int32, np.float64, np.float64]
    assert not any(a.flags.writeable for a in kinds)


def same_as_twin(corpus: Corpus, worth: dict[str, float], rows: list[set[str]]) -> None:
    ours = dict(zip(corpus.labels, corpus.weights.tolist(), strict=True))
    assert ours == pytest.approx(worth)
    held = [
        {corpus.labels[k] for k in corpus.indices[start:end]}
        for start, end in pairwise(corpus.indptr)
    ]
    assert held == rows


@pytest.mark.parametrize("stop_words", [False, True])
@pytest.mark.parametrize("weights", ["tf", "sentence-frequency", "tf-idf"])
@pytest.mark.parametrize("concepts", CONCEPTS)
def test_against_the_twin(concepts, weights, stop_words):
    options = {"concepts": concepts, "weights": weights, "stop_words": stop_words}
    corpus = prepare(NEWS, preset="plain", **options)
    check(corpus)
    same_as_twin(corpus, *twin(NEWS, **options))


def test_against_the_twin_with_a_background():
    table = Background.from_documents([*NEWS, "The harbour.", "A port in the ice."])
    options = {"concepts": "words", "weights": "tf-idf", "stop_words": False, "background": table}
    same_as_twin(prepare(NEWS, preset="plain", **options), *twin(NEWS, **options))


@settings(max_examples=150, deadline=None)
@given(st.lists(any_text, max_size=3), st.sampled_from(sorted(CONCEPTS)))
def test_any_text(documents, concepts):
    corpus = prepare(documents, concepts=concepts, preset="plain", language="english")
    check(corpus)
    options = {"concepts": concepts, "weights": "sentence-frequency", "stop_words": False}
    same_as_twin(corpus, *twin(documents, **options))


@pytest.mark.parametrize("path", COLLECTIONS, ids=name_of)
def test_collections(path):
    for documents in load_clusters(path)[:20]:
        check(prepare(documents))


@settings(max_examples=100, deadline=None)
@given(st.lists(any_text, max_size=3), st.sampled_from(sorted(PRESETS)), any_text)
@pytest.mark.filterwarnings("ignore::maxcover.errors.InputWarning")
def test_presets_and_queries_on_any_text(documents, preset, query):
    corpus = prepare(documents, preset=preset, query=query)
    check(corpus)
    again = prepare(documents, preset=preset, query=query)
    assert again.labels == corpus.labels
    assert (again.weights == corpus.weights).all()
    assert ((corpus.match >= 0) & (corpus.match <= 1)).all()
    plain = prepare(documents, preset=preset)
    assert plain.labels == corpus.labels
    assert not plain.match.any()


def test_a_query_is_matched_by_its_rare_words_and_passes_over_stop_words():
    asked = prepare(NEWS, preset="plain", query="What about the prices and the ICE?")
    best = [asked[row].text for row in np.flatnonzero(asked.match == 1)]
    assert best
    assert all("ice" in text.lower() or "price" in text.lower() for text in best)
    for query in ("zebra", "the"):
        with pytest.warns(InputWarning, match=f"query='{query}'.* none of its words"):
            assert not prepare(NEWS, preset="plain", query=query).match.any()


def test_neighbours_and_what_stands_below_a_heading_match_too():
    text = "# Port\n\n## Cars\n\nThey need a ticket. It is cheap.\n\n## Ships\n\nShips wait."
    corpus = prepare([text], form="markdown", query="cars")
    match = dict(zip(corpus.texts, corpus.match.tolist(), strict=True))
    assert match["They need a ticket."] == 1
    assert match["Cars"] > 0 < match["It is cheap."]
    assert match["Ships wait."] == 0


def test_the_paper_deletes_exclamation_marks_and_parentheses():
    documents = ["Word(s) here! Another word.", "Words again."]
    assert "word" in prepare(documents, preset="paper-with-stop-words", weights="tf").labels
    assert "s" not in prepare(documents, preset="paper-with-stop-words", weights="tf").labels
    assert "s" in prepare(documents, weights="tf").labels
    assert "the" not in prepare(NEWS, preset="paper").labels
    assert "the" in prepare(NEWS, preset="paper-with-stop-words").labels


def test_sentences_with_the_same_words_are_known():
    corpus = prepare([*NEWS, "THE ICE was thick..."])
    same = [i for i, sentence in enumerate(corpus) if "thick" in sentence.text]
    assert len(same) == 3
    assert corpus.canonical[same].tolist() == [same[0]] * 3
    assert (np.delete(corpus.canonical, same) == np.delete(np.arange(len(corpus)), same)).all()


@pytest.mark.parametrize("unit", [*UNITS, lambda text: len(set(text))])
def test_the_measure_of_a_selection_is_that_of_its_text(unit):
    corpus = prepare(NEWS, unit=unit)
    chosen = [0, 2, 4]
    text = "\n".join(corpus[k].text for k in chosen)  # of several documents
    assert corpus.join(chosen) == text
    assert corpus.measure(chosen) == (3 if unit == "sentences" else corpus.unit.measure(text))
    assert corpus.measure([]) == 0


def test_callables():
    corpus = prepare(
        NEWS,
        concepts=lambda terms: [("length", len(term)) for term in terms],
        weights=lambda counts: np.sqrt(counts.sentences),
        unit=len,
    )
    check(corpus)
    assert all(kind == "length" for kind, _ in corpus.labels)
    assert corpus.costs.tolist() == [len(sentence.text) for sentence in corpus]


@pytest.mark.parametrize(
    "bad", [lambda c: [1.0], lambda c: -np.ones(len(c.labels)), lambda c: None]
)
def test_a_weighting_has_to_give_weights(bad):
    with pytest.raises(OptionError, match="weights="):
        prepare(NEWS, weights=bad)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "klingon"}, "english"),
        ({"preset": "best"}, "paper"),
        ({"concepts": "trigrams"}, "bigrams"),
        ({"weights": "bm25"}, "tf-idf"),
        ({"stem": "lancaster"}, "porter"),
        ({"unit": "pages"}, "words"),
        ({"boost": -1.0}, "boost"),
        ({"lines": "fold"}, "wrap"),
    ],
)
def test_unknown_options_name_the_known(options, message):
    with pytest.raises(OptionError, match=message):
        prepare(NEWS, **options)


def test_weights_too_large_for_their_boost_are_refused():
    with pytest.raises(OptionError, match="scale them down"):
        prepare(NEWS, weights=lambda counts: np.full(len(counts.labels), 1.5e308))


def test_documents_have_to_be_texts():
    assert len(prepare("one text")) == 1
    with pytest.raises(OptionError, match=r"documents\[1\]"):
        prepare(["a", b"b"])  # type: ignore[list-item]


@pytest.mark.parametrize("documents", [[], [""], ["", " \n "], ["...", "😀"]])
def test_nothing_to_read(documents):
    corpus = prepare(documents, query="cat", concepts="words+bigrams")
    check(corpus)
    assert len(corpus) == 0


def test_text_in_which_nothing_is_said_twice_still_has_weights():
    corpus = prepare(["Every word differs here."], preset="plain")
    assert corpus.weights.tolist() == [2.0] * 7  # four words, three bigrams


def test_labels_are_those_of_a_list_and_survive_pickling():
    corpus = prepare(["The cat sat. A cat ran.", "Dogs bark at the cat."], preset="plain")
    labels, plain = corpus.labels, list(corpus.labels)
    assert labels == plain == pickle.loads(pickle.dumps(labels))  # noqa: S301 - our own
    assert labels != plain[1:]
    assert (labels[0], labels[-1], labels[1:]) == (plain[0], plain[-1], plain[1:])
    assert corpus.names(np.array([2, len(plain), 0])) == [plain[2], PLACE, plain[0]]
    with pytest.raises(IndexError):
        labels[len(plain)]
