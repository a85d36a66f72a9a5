"""Words, pairs and counts of the kernels against the same in plain Python."""

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest

from maxcover.texts.weigh.concepts import find_concepts
from maxcover.texts.weigh.incidence import Incidence
from maxcover.texts.weigh.prepare import _find_first
from maxcover.texts.words.terms import find_terms


def random_terms(seed):
    """Sentences of few words, some empty and some twice, with stop words."""
    rng = np.random.default_rng(seed)
    words = np.array([*"abcdefgh", "東京都", "Stra\u00dfe"])
    sentences = [" ".join(rng.choice(words, rng.integers(0, 7))) for _ in range(60)]
    return find_terms(sentences, stemmer=None, stop_words={"a", "b"}, common={"c"}), sentences


@pytest.mark.parametrize("seed", range(8))
def test_words_are_numbered_by_first_appearance(seed):
    terms, sentences = random_terms(seed)
    spelt = {"東京都": ["東京", "京都"], "Stra\u00dfe": ["strasse"]}
    rows = [[word for run in s.split() for word in spelt.get(run, [run])] for s in sentences]
    said = [word for row in rows for word in row]
    assert terms.vocabulary == list(dict.fromkeys(said)) == terms.labels
    assert [terms.vocabulary[number] for number in terms.words] == said
    assert np.diff(terms.indptr).tolist() == list(map(len, rows))
    assert terms.stops.tolist() == [word in {"a", "b"} for word in said]
    assert terms.capital.sum() == said.count("strasse")


@pytest.mark.parametrize("seed", range(8))
def test_pairs_and_what_is_counted_of_them(seed):
    terms, sentences = random_terms(seed)
    rng = np.random.default_rng(seed + 100)
    found = find_concepts(terms, "words+bigrams")
    labels, bounds = list(found.labels), terms.indptr.tolist()
    stop, held = {"a", "b"}, []
    for begin, end in pairwise(bounds):
        row = [terms.labels[number] for number in terms.ids[begin:end]]
        pairs = [f"{x} {y}" for x, y in pairwise(row) if not {x, y} <= stop]
        held.append([*(word for word in row if word not in stop), *pairs])
    occurring = [[] for _ in sentences]
    for row, number in zip(found.rows.tolist(), found.ids.tolist(), strict=True):
        occurring[row].append(labels[number])
    assert occurring == held

    incidence = Incidence.of(found, len(sentences))
    expected = [
        (row, k)
        for row, names in enumerate(held)
        for k in sorted({labels.index(name) for name in names})
    ]
    assert list(zip(incidence.rows.tolist(), incidence.ids.tolist(), strict=True)) == expected

    document = np.sort(rng.integers(0, 5, len(sentences)))
    among, places = rng.random(len(sentences)) < 0.7, rng.integers(0, 9, len(sentences))
    counts = incidence.count(document, 5, among=among)
    holding = defaultdict(list)
    for row, k in expected:
        if among[row]:
            holding[k].append(row)
    here = [holding[k] for k in range(len(labels))]
    assert counts.sentences.tolist() == list(map(len, here))
    assert counts.documents.tolist() == [len({document[row] for row in rows}) for rows in here]
    said = [name for row, names in enumerate(held) if among[row] for name in names]
    assert counts.occurrences.tolist() == [said.count(label) for label in labels]
    most = np.iinfo(np.int64).max
    earliest = [min((int(places[row]) for row in rows), default=most) for rows in here]
    assert incidence.earliest(places, among).tolist() == earliest

    wanted = rng.random(len(labels)) < 0.5
    indptr, indices, elements = incidence.compress(wanted)
    left = [(row, k) for row, k in expected if wanted[k]]
    assert elements.tolist() == sorted({k for _, k in left})
    assert elements[indices].tolist() == [k for _, k in left]
    every = range(len(sentences))
    assert np.diff(indptr).tolist() == [sum(row == one for row, _ in left) for one in every]


@pytest.mark.parametrize("seed", range(8))
def test_sentences_with_the_same_words(seed):
    terms, _ = random_terms(seed)
    said = [tuple(terms.words[begin:end]) for begin, end in pairwise(terms.indptr)]
    expected = [said.index(one) for one in said]
    assert _find_first(terms).tolist() == expected
    assert len(set(said)) < len(said)
