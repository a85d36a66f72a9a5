"""Leaning: sentences whose first words continue the sentence before, except in English.

``data/openings.toml`` has the words.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from maxcover.text.words.lists import read_table

MOST_WORDS = 4
"""Most words of an opening, such as "on the other hand", that continues the sentence before."""

_AHEAD = 60
_BEFORE = "\"'“”„‟‘’«»‹›([{¿¡*_- \u200e\u200f"
_BEHIND = ",:;!?…\"'“”’»›)]،؛"
# Letters that are replaced before comparing: Arabic is written with and without the signs on alef.
_ONE_LETTER = (
    ("أ", "ا"),
    ("إ", "ا"),
    ("آ", "ا"),
    ("ى", "ي"),
    ("\N{RIGHT SINGLE QUOTATION MARK}", "'"),
)


def find_leaning(said: Sequence[str], name: str, among: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sentences of `among` that continue a previous one ("However, ...").

    Parameters
    ----------
    said : sequence of str
        All sentences.
    name : str
        Name of their language; if there is no list for it, no sentence is returned.
    among : int64 array
        Numbers of the sentences to judge, ascending.

    Examples
    --------
    >>> said = ["Cependant, le port reste fermé.", "Cette année le port est fermé.", "Le port."]
    >>> find_leaning(said, "french", np.arange(3)).tolist()
    [0]
    """
    if not any(name in read_table("openings")[kind] for kind in ("openings", "unspaced")):
        return np.zeros(0, np.int64)
    return np.array([row for row in among.tolist() if _leans(said[row], name)], np.int64)


def _leans(text: str, name: str) -> bool:
    if name in read_table("openings")["unspaced"]:
        openings, unless = _read_unspaced(name)
        start = text[:_AHEAD].lstrip(_BEFORE + "「『　")
        return start.startswith(openings) and not start.startswith(unless)
    known, besides = _read(name)
    words = [word.strip(_BEHIND) for word in _fold(text[:_AHEAD]).lstrip(_BEFORE).split()]
    if not words:
        return False
    if words[0] in known and not (len(words) > 1 and words[1] in besides):
        return True
    return any(" ".join(words[:count]) in known for count in range(2, MOST_WORDS + 1))


def _fold(text: str) -> str:
    text = text.casefold()
    for written, meant in _ONE_LETTER:
        text = text.replace(written, meant)
    return text


@cache
def _read(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the openings of a language, and the words that cancel an opening they follow."""
    table = read_table("openings")
    known = {" ".join(one.split()) for one in _fold(table["openings"][name]).split(",")}
    return frozenset(known), frozenset(_fold(table["unless"].get(name, "")).split())


@cache
def _read_unspaced(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    table = read_table("openings")
    return tuple(table["unspaced"][name].split()), tuple(table["unspaced_unless"][name].split())
