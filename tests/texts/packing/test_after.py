"""A context that begins with the one before it, vectors of the caller, and scores that say no."""

import pytest

import maxcover as mc
from maxcover.errors import InfeasibleError, OptionError
from maxcover.texts.packing import pack_files

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


def test_nothing_below_the_least_score_is_taken():
    scores = [0.9, 0.1, None, 0.5, 0.2]
    packed = mc.pack(PASSAGES, query=QUERY, budget=500, scores=scores, least_score=0.3)
    assert set(packed.indices) == {0, 2, 3}


def test_a_least_score_needs_scores():
    with pytest.raises(OptionError, match="scores"):
        mc.pack(PASSAGES, query=QUERY, budget=50, least_score=0.5)
