"""LCS: longest common subsequences, with each row of the table as the bits of one integer.

Row ``i`` compares the first ``i`` words of one text with every prefix of the other. Neighbouring
cells of a row differ by 0 or 1, so a row is one integer whose bit ``j`` is 0 where the length grows
at word ``j`` (Hyyrö 2004). A row costs a handful of integer operations instead of one step per
cell.
"""

from collections.abc import Sequence


def lcs_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    Examples
    --------
    >>> lcs_length("the cat sat on the mat".split(), "the mat sat there".split())
    2
    """
    rows = _rows(first, _positions(second), len(second))
    return len(second) - rows[-1].bit_count()


def union_lcs(line: Sequence[str], others: Sequence[Sequence[str]]) -> list[int]:
    """Return the positions in ``line`` that are on its LCS with at least one of ``others``.

    Where several subsequences are longest, the one that ROUGE-1.5.5 reads off its table is taken.

    Examples
    --------
    >>> union_lcs("w1 w2 w3 w4 w5".split(), ["w1 w2 w6 w7 w8".split(), "w1 w3 w8 w9 w5".split()])
    [0, 1, 2, 4]
    """
    hits: set[int] = set()
    present = set(line)
    for other in others:
        if not present.isdisjoint(other):
            hits.update(_trace(line, other))
    return sorted(hits)


def _positions(words: Sequence[str]) -> dict[str, int]:
    """Return a bitmask for each word: bit ``j`` is set if the word is ``words[j]``."""
    places: dict[str, int] = {}
    for place, word in enumerate(words):
        places[word] = places.get(word, 0) | 1 << place
    return places


def _rows(first: Sequence[str], places: dict[str, int], width: int) -> list[int]:
    """Return the rows of the LCS table as bits: a row per prefix of ``first``, shortest first."""
    full = (1 << width) - 1
    row = full
    rows = [row]
    for word in first:
        matched = row & places.get(word, 0)
        row = ((row + matched) | (row - matched)) & full
        rows.append(row)
    return rows


def _trace(first: Sequence[str], second: Sequence[str]) -> list[int]:
    """Return the positions in ``first`` of one LCS, traced back from the end of the table."""
    rows = _rows(first, _positions(second), len(second))
    i, j = len(first), len(second)
    hits = []
    while i and j:
        if first[i - 1] == second[j - 1]:
            i, j = i - 1, j - 1
            hits.append(i)
        else:
            prefix = (1 << j) - 1
            # Go up if the row above has the same length at column j. Otherwise the length came from
            # the left.
            if (rows[i - 1] & prefix).bit_count() == (rows[i] & prefix).bit_count():
                i -= 1
            else:
                j -= 1
    return hits
