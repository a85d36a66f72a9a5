"""Grown: words of a text without spaces, found by extending pairs of its characters.

A pair of characters is extended on both sides as long as the longer word occurs about as often:
*起重* becomes *起重机*. Particles end a word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_READ = 200_000
"""Words are searched for in the first 200,000 characters only."""

LONGEST = 8
"""A word has at most this many characters."""

SHARE = 0.6
"""A word is extended by a character only if the longer word occurs at least this share as often as
the characters it was extended from."""

# Hiragana and the particles of Chinese grammar. Names and nouns rarely contain these characters.
_PARTICLE = re.compile(
    "[\u3040-\u309f"
    "的了在是和与及或也都就这那他她它们我你您从到对被把将之并而但又还很已再才只会说没吗呢吧着过]"
)
_LETTER = re.compile("[\u3005-\u3007\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fffA-Za-z]")


class Grown:
    """Replaces pairs of characters by the whole words that contain them.

    Examples
    --------
    >>> documents = ["北码头的起重机很旧。", "起重机在北码头。"]
    >>> Grown(documents).written("起重 重机", documents[0])
    '起重机'
    >>> Grown(documents).written("码头 头的", documents[0])
    '北码头'
    """

    def __init__(self, documents: Sequence[str]) -> None:
        self._text = "\n".join(documents)[:MOST_READ]

    def written(self, concept: str, sentence: str) -> str:
        """Return the word around a concept in a sentence; "" if the concept occurs only once."""
        start = _PARTICLE.sub(" ", _joined(concept)).split()
        word = max(start, key=len, default="")
        count = self._text.count(word) if len(word) > 1 else 0
        if count < 2 or not all(map(_LETTER.match, word)):
            return ""
        least = max(2, SHARE * count)
        while len(word) < LONGEST:
            longer = self._grow(word, sentence, least)
            if longer == word:
                break
            word = longer
        return word

    def _grow(self, word: str, sentence: str, least: float) -> str:
        """Return `word` with the character that occurs most often beside it, or unchanged."""
        found: dict[str, int] = {}
        for place in re.finditer(re.escape(word), self._text):
            for sign, longer in (
                (self._text[place.start() - 1 : place.start()], "{}" + word),
                (self._text[place.end() : place.end() + 1], word + "{}"),
            ):
                if sign and _LETTER.match(sign) and not _PARTICLE.match(sign):
                    name = longer.format(sign)
                    found[name] = found.get(name, 0) + 1
        inside = [name for name in found if name in sentence]
        best = max(inside, key=lambda name: found[name], default=word)
        return best if found.get(best, 0) >= least else word


def _joined(concept: str) -> str:
    """Join overlapping pairs of characters: "起重 重机" becomes 起重机."""
    parts = concept.split()
    text = parts[0] if parts else ""
    for part in parts[1:]:
        text += part[1:] if text[-1:] == part[:1] else f" {part}"
    return text
