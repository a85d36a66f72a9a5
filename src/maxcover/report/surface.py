"""Surface: stems back into the words that stand in a sentence, for people to read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

_WORD = re.compile(r"\w+(?:['\N{RIGHT SINGLE QUOTATION MARK}]\w+)*")


def written(concept: Hashable, sentence: str) -> str:
    """Write a concept as the sentence writes it; as it is, if the sentence has no such word.

    A stemmer cuts the end of a word off and may change its last letter, so the word is the first
    that begins as the stem does. Only what people read depends on it.

    Examples
    --------
    >>> written("happi", "Happiness is a warm day."), written(("warm", "day"), "A warm day.")
    ('happiness', 'warm day')
    >>> written("old bridg", "Old bridges stand.")
    'old bridges'
    """
    words = [word.lower() for word in _WORD.findall(sentence)]
    stems = [str(part) for part in concept] if isinstance(concept, tuple) else str(concept).split()
    return " ".join(_word(stem, words) for stem in stems)


def _word(stem: str, words: list[str]) -> str:
    for beginning in (stem, stem[:-1]):
        if len(beginning) < 2 and beginning != stem:
            break
        found = [word for word in words if word.startswith(beginning)]
        if found:
            return min(found, key=len)
    return stem
