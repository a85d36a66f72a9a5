"""The kernel that settles plain sentence ends, against a look at every one of them."""

import numpy as np
import pytest

import maxcover.texts.split.sentences
from maxcover.texts.split.sentences import split_sentences
from tests.hostile import ATTACKS
from tests.texts.collections_on_disk import COLLECTIONS, load_clusters
from tests.texts.sentence_cases import CASES, text_of

# Words, abbreviations, numbers and signs that stand around sentence ends.
PARTS = [
    *("Dr", "Messrs", "No", "Fig", "3", "12", "1999", "a.m", "J", "U.S", "art", "éd", "M.", "the"),
    *("ferry", "Zürich", "д", "Он", "डॉ", "أد", "الس", "cats,", "(see", '"late"', "said:", "x"),
    *(
        "2)",
        "a)",
        "[1]",
        "+5",
        ".PNG",
        "COM",
        "…",
        "—",
        "–",
        "。",
        "」",
        "と",
        "?",
        "!",
        *".......",
    ),
]


def random_texts(n):
    rng = np.random.default_rng(3)
    joints = np.array([" ", " ", " ", "", "  ", "\u00a0", "\n", ". ", ". ", ".\n\n"], dtype=object)
    for _ in range(n):
        size = int(rng.integers(1, 60))
        parts = rng.choice(np.array(PARTS, dtype=object), size)
        yield "".join(np.ravel(np.column_stack((parts, rng.choice(joints, size)))))


TEXTS = [
    *(text_of(marked) for _, _, marked in CASES),
    *random_texts(200),
    *ATTACKS,
    *(text[:5_000] for path in COLLECTIONS for text in load_clusters(path)[0][:2]),
]


@pytest.mark.parametrize("language", ["en", "de", "fr", "ja"])
def test_settled_ends_are_those_that_a_look_finds(language, monkeypatch):
    quick = [split_sentences(text, language) for text in TEXTS]

    def doubt_all(letters, cuts, closing, *, sizes):
        return np.full(len(cuts), 3, np.uint8), np.zeros((len(cuts), 2), np.int64)

    settle, settled = maxcover.texts.split.sentences.settle_ends, []

    def count(*args, **options):
        doubts, spans = settle(*args, **options)
        settled.append(np.mean(doubts == 0) if len(doubts) else 1)
        return doubts, spans

    monkeypatch.setattr(maxcover.texts.split.sentences, "settle_ends", count)
    assert [split_sentences(text, language) for text in TEXTS] == quick
    assert np.mean(settled) > 0.4
    monkeypatch.setattr(maxcover.texts.split.sentences, "settle_ends", doubt_all)
    assert [split_sentences(text, language) for text in TEXTS] == quick


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\u3000", "\u202f", "\u00a0\u00a0"])
def test_wide_space_before_a_full_stop(space):
    # sentencex 1.0.32 panics here, which no `except Exception` catches
    assert split_sentences(f"Mr J{space}. Smith came.") == [(0, 17 + len(space))]
