"""Known: which sentences say again what other texts have said."""

import numpy as np
from numpy.typing import NDArray

from maxcover.core.ascending import distinct, is_new
from maxcover.text.words.terms import Terms

SHARE = 0.75
"""Part of a sentence's content words from which it is said again, if they stand close together."""

FEW_WORDS = 3
"""Content words below which every word counts: "Nobody was hurt" is not "Ten were hurt"."""


def find_retold(terms: Terms, known: Terms) -> NDArray[np.bool_]:
    """Tell which sentences two neighbouring sentences of known texts say.

    At least `SHARE` of its distinct content words stand in those two, and all of its numbers: the
    same report with another number is news.

    Parameters
    ----------
    terms, known : Terms
        The words of the sentences, and those of the known ones, in reading order.

    Returns
    -------
    bool array
        One entry per sentence. A sentence without words is said again.

    Examples
    --------
    >>> from maxcover.text.words.terms import find_terms
    >>> told = find_terms(["A storm hit the coast.", "The harbour is closed."], stemmer=None)
    >>> new = ["The storm closed the coast and harbour: closed.", "The harbour is open again."]
    >>> common = {"a", "the", "and", "is"}
    >>> find_retold(find_terms(new, stemmer=None, common=common), told).tolist()
    [True, False]
    """
    starts, windows = _find_windows(terms, known)
    has_digit = np.array([any(map(str.isdigit, label)) for label in terms.labels], np.bool_)
    n_windows = int(windows.max(initial=-1)) + 1
    retold = np.zeros(len(terms.indptr) - 1, np.bool_)
    for row, (begin, end) in enumerate(zip(terms.indptr[:-1], terms.indptr[1:], strict=True)):
        ids = distinct(terms.ids[begin:end])
        content = ids[~terms.common[ids]]
        ids = content if content.size >= FEW_WORDS else ids
        # one number that is missing outweighs all other words
        weights = np.where(has_digit[ids], float(len(ids)), 1.0)
        places = [windows[starts[k] : starts[k + 1]] for k in ids.tolist()]
        if not places or weights.sum() == 0:
            retold[row] = True
            continue
        sizes = [len(place) for place in places]
        if not sum(sizes):
            continue
        held = np.bincount(np.concatenate(places), np.repeat(weights, sizes), minlength=n_windows)
        retold[row] = held.max() >= SHARE * weights.sum()
    return retold


def _find_windows(terms: Terms, known: Terms) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List for each term the pairs of neighbouring known sentences that hold it, as CSR."""
    numbers = {label: number for number, label in enumerate(terms.labels)}
    same = np.array([numbers.get(label, -1) for label in known.labels], np.int64)
    ids = same[known.ids] if known.labels else np.empty(0, np.int64)
    rows = known.rows[ids >= 0].astype(np.int64)
    ids = ids[ids >= 0]
    width = len(known.indptr)
    # sentence k is the second of pair k and the first of pair k + 1
    pairs = np.sort(np.concatenate((ids * width + rows, ids * width + rows + 1)))
    pairs = pairs[is_new(pairs)] if pairs.size else pairs
    owners, windows = np.divmod(pairs, width)
    counts = np.bincount(owners, minlength=len(terms.labels))
    return np.concatenate(([0], np.cumsum(counts))), windows
