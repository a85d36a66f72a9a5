"""Surface: stems back into the words that stand in a sentence, for people to read."""

from collections.abc import Hashable, Sequence

SIGNS = ",.;:()!?\n"
"""No phrase reaches across one of these."""


def find_written(
    text: str,
    places: Sequence[tuple[int, int]],
    terms: Sequence[Hashable],
    wanted: Sequence[Hashable],
) -> str:
    """Write terms as a text does, where they stand side by side.

    Parameters
    ----------
    text : str
    places : sequence of (start, end)
        Of its words; see `maxcover.text.words.tokens.locate`.
    terms : sequence
        What each word is: its stem, or the number of that.
    wanted : sequence
        Terms in a row.

    Returns
    -------
    str
        Empty if they stand nowhere, or only across one of `SIGNS`.

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
