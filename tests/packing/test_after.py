"""A context that begins with the one before it, vectors of the caller, and scores that say no."""

import numpy as np
import pytest

import maxcover as mc
from maxcover.errors import InfeasibleError, OptionError
from maxcover.packing import pack_files

PASSAGES = [
    "Dogs bark at night. They sleep by day. A dog eats meat every morning.",
    "Cats purr when they are happy. They do not bark at dogs.",
    "The bark of a tree is brown. Trees grow slowly in the north.",
    "Dogs were first tamed in Asia. The wolf is their ancestor.",
    "A dog barks when it is alone. Wolves howl instead of barking.",
]
QUERY = "why do dogs bark"


@pytest.mark.parametrize("unit", ["tokens", "characters", len])
@pytest.mark.parametrize("granularity", ["auto", "passage", "sentence"])
def test_the_new_context_begins_with_the_old_one(unit, granularity):
    step = 20 if unit == "tokens" else 90
    options = {"query": QUERY, "unit": unit, "granularity": granularity}
    before = mc.pack(PASSAGES, budget=step, **options)
    for k in range(2, 6):
        packed = mc.pack(PASSAGES, budget=k * step, after=before, **options)
        assert packed.text.startswith(before.text)
        assert packed.cost <= k * step
        assert mc.pack(PASSAGES, budget=k * step, after=before.text, **options).text == packed.text
        # nothing is said twice
        sentences = packed.text.replace("\n\n", " ").split(". ")
        assert len(set(sentences)) == len(sentences)
        before = packed


def test_what_was_sent_has_to_fit():
    before = mc.pack(PASSAGES, query=QUERY, budget=30)
    with pytest.raises(InfeasibleError, match="after"):
        mc.pack(PASSAGES, query=QUERY, budget=5, after=before)
    same = mc.pack(PASSAGES, query=QUERY, budget=before.cost, after=before)
    assert same.text == before.text
    assert same.cost == before.cost


def test_files_go_on_where_they_were(tmp_path):
    for k in range(6):
        code = f"def read_cache{k}(path):\n    cache = open(path)\n    return cache.read({k})\n"
        (tmp_path / f"m{k}.py").write_text(code)
    before = pack_files("*.py", query="read the cache", budget=60, root=tmp_path)
    packed = pack_files("*.py", query="read the cache", budget=150, root=tmp_path, after=before)
    assert packed.text.startswith(before.text + "\n\n")
    assert not {*packed.parts} & {*before.parts}
    assert packed.cost <= 150


def test_vectors_find_what_words_do_not():
    vectors = np.eye(5)
    packed = mc.pack(PASSAGES, query="pines", budget=16, vectors=vectors, query_vector=vectors[2])
    assert packed.indices == (2,)

    def embed(texts):
        return [
            [1.0, 0.0] if "tree" in text.lower() or "pines" in text else [0.0, 1.0]
            for text in texts
        ]

    packed = mc.pack(PASSAGES, query="pines", budget=8, vectors=embed)
    assert "ree" in packed.text


def test_what_means_the_same_is_taken_once():
    texts = ["The shop opens at nine.", "Nobody may enter before 9 am.", "Bread is two euros."]
    vectors = [[1.0, 0.01], [1.0, 0.0], [0.0, 1.0]]
    assert mc.pack(texts, budget=100, vectors=vectors).indices == (0, 2)
    assert mc.pack(texts, budget=100).indices == (0, 1, 2)


def test_nothing_below_the_least_score_is_taken():
    scores = [0.9, 0.1, None, 0.5, 0.2]
    packed = mc.pack(PASSAGES, query=QUERY, budget=500, scores=scores, least_score=0.3)
    assert set(packed.indices) == {0, 2, 3}


@pytest.mark.parametrize(
    "options",
    [
        {"vectors": np.eye(4)},
        {"vectors": [[np.nan]] * 5},
        {"vectors": "abc"},
        {"query_vector": [1.0]},
        {"vectors": np.eye(5), "query_vector": [1.0]},
        {"least_score": 0.5},
    ],
)
def test_what_does_not_fit_together_is_refused(options):
    with pytest.raises(OptionError, match=r"vectors|query_vector|scores"):
        mc.pack(PASSAGES, query=QUERY, budget=50, **options)
