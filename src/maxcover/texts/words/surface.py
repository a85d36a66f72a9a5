"""Surface: turns stems back into the words of a sentence, for people to read."""

from collections.abc import Hashable, Sequence

SIGNS = ",.;:()!?\n"
"""Characters that end a phrase: no phrase contains one of them."""


def find_written(
    text: str,
    places: Sequence[tuple[int, int]],
    terms: Sequence[Hashable],
    wanted: Sequence[Hashable],
) -> str:
    """Return the words of `text` whose terms are `wanted`, as the text spells them.

    Parameters
    ----------
    text : str
    places : sequence of (start, end)
        Spans of the words of `text`; see `maxcover.texts.words.tokens.locate`.
    terms : sequence
        Term of each word: its stem, or the number of the stem.
    wanted : sequence
        Terms that have to be adjacent, in this order.

    Returns
    -------
    str
        Empty if the terms are nowhere adjacent, or only with one of `SIGNS` between them.

    Examples
    --------
    >>> find_written("Old bridges stand.", [(0, 3), (4, 11)], ["old", "bridg"], ["bridg"])
    'bridges'
    """
    size = len(wanted)
    for k in range(min(len(places), len(terms)) - size + 1):
        if all(terms[k + j] == wanted[j] for j in range(size)):
            found = text[places[k][0] : places[k + size - 1][1]]
            if not any(sign in found for sign in SIGNS):
                return found
    return ""
