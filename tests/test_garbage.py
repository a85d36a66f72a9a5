"""No call leaves reference cycles: megabytes would wait for a collector that seldom runs."""

import gc

import numpy as np
import pytest

import maxcover as mc
from maxcover.texts.words import vocabulary as lexicon


def new_words(rng, n_sentences=20):
    letters = rng.integers(ord("a"), ord("z") + 1, (n_sentences, 12, 9), np.uint8)
    rows = [" ".join(bytes(word).decode() for word in row) for row in letters]
    return " ".join(f"{row.capitalize()}." for row in rows)


def a_problem(rng):
    sets = [set(map(int, rng.integers(0, 60, 6))) for _ in range(30)]
    return mc.CoverageProblem.from_sets(sets, costs=rng.random(30) + 0.1, budget=3)


CALLS = {
    "solve": lambda rng: mc.solve(a_problem(rng)),
    "summarize": lambda rng: mc.summarize(new_words(rng), budget=50),
    "concepts": lambda rng: mc.summarize(new_words(rng), budget=50, concepts=set),
    "compare": lambda rng: mc.compare(new_words(rng), new_words(rng)),
    "pack": lambda rng: mc.pack(
        ["Cats purr.", *(new_words(rng) for _ in range(5))], budget=300, query="purr"
    ),
}


def left_by(call, rng):
    """Return what only the collector frees after a call."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        CALLS[call](rng)
        gc.collect()
        return [type(one) for one in gc.garbage]
    finally:
        gc.garbage.clear()
        gc.set_debug(0)
        gc.enable()


@pytest.mark.parametrize("call", CALLS)
def test_what_a_call_made_is_freed_with_its_result(call, monkeypatch):
    monkeypatch.setattr(lexicon, "MOST_SPELLINGS", 3)  # forgotten by every call
    rng = np.random.default_rng(0)
    CALLS[call](rng)  # imports
    gc.collect()
    gc.freeze()  # what other tests keep is not looked at again
    # what earlier tests left goes once; what a call leaves, it leaves each time
    try:
        assert min((left_by(call, rng) for _ in range(3)), key=len) == []
    finally:
        gc.unfreeze()
