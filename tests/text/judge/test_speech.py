"""Stumbles: what words say may be one is looked at by every pattern that could match."""

import re

import numpy as np

from maxcover.text.judge import speech
from maxcover.text.words.lists import read_table
from maxcover.text.words.terms import find_terms

TALK = (
    "the crane the of a we We we need need I i you know mean w b bu button th It's it it's don't "
    "do that's that all in in the on at So The Yeah yeah um kind of like or something and stuff "
    "they their my Not Got just Just cable quay north two R&D U.S. is are A_ harbour harb to too"
)


def test_words_spare_no_utterance_that_a_pattern_matches():
    rng = np.random.default_rng(5)
    said = []
    for _ in range(3000):
        words = rng.choice(TALK.split(), rng.integers(2, 9))
        said.append("".join(word + rng.choice([" ", " ", " ", ", ", "-"]) for word in words) + "x.")
    rows = np.arange(len(said))
    found = set(speech.find_stumbles(said, find_terms(said, stemmer=None), rows))
    sounds = set(read_table("speech")["sounds"].split())
    for row, text in enumerate(said):
        stumbles = any(re.search(pattern, text) for pattern in speech._STUMBLES)
        stumbles |= not sounds.isdisjoint(re.findall(r"\w+", text.lower()))
        assert (row in found) == stumbles, text
