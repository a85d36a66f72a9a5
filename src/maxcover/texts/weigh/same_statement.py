"""Same statement: when two sentences say the same.

Two sentences that share most of their words are two statements if they differ in a value, in a
name, in a denial, or in whether something is planned: "The harbour is closed", "is not closed".
"""

import numpy as np
from numpy.typing import NDArray

from maxcover.engine.core.ascending import distinct, is_new
from maxcover.texts.words.denials import NEGATIONS, PLANS
from maxcover.texts.words.terms import Terms

DENIED, PLANNED = 1, 2
"""Bits of a stance: the sentence denies something; the sentence states a plan."""

SHARE = 0.75
"""A sentence can only be a repetition if two neighbouring known sentences have at least this share
of its content words."""

FEW_WORDS = 3
"""In a sentence of fewer content words than this, stop words count too: "Nobody was hurt" is not
"Ten were hurt"."""


def find_stances(terms: Terms) -> NDArray[np.uint8]:
    """Return two bits per sentence: whether it denies something, and whether it states a plan."""
    known = terms.vocabulary.look_up(_stance_of).astype(np.uint8)[terms.words]
    stance = np.zeros(len(terms.indptr) - 1, np.uint8)
    for bit in (DENIED, PLANNED):
        stance[terms.rows[known & bit != 0]] |= bit
    return stance


def find_valued(terms: Terms) -> NDArray[np.bool_]:
    """Return which words are numbers or names.

    A name has a capital and is no stop word. The first word of a sentence never counts as a name.
    """
    has_digit = terms.labels.look_up(_has_digit).astype(np.bool_)
    named = terms.capital & ~terms.common[terms.ids]
    named[terms.indptr[:-1][np.diff(terms.indptr) > 0]] = False
    return np.asarray(named | has_digit[terms.ids])


def _has_digit(word: str) -> bool:
    return not word.isalpha() and any(map(str.isdigit, word))


def _stance_of(word: str) -> int:
    return DENIED * (word in NEGATIONS) | PLANNED * (word in PLANS)


def find_retold(terms: Terms, known: Terms) -> NDArray[np.bool_]:
    """Return which sentences only repeat what two neighbouring sentences of known texts say.

    The two must have the stance of the sentence, all of its numbers and names, and at least `SHARE`
    of its distinct content words, where each number or name weighs as much as all words together.
    If it has fewer than `FEW_WORDS` content words, the two must have all of its words.

    Parameters
    ----------
    terms, known : Terms
        The words of the sentences, and those of the known ones, in reading order.

    Returns
    -------
    bool array
        One entry per sentence; True for a sentence without words.

    Examples
    --------
    >>> from maxcover.texts.words.terms import find_terms
    >>> told = find_terms(["A storm hit the coast.", "The harbour is closed."], stemmer=None)
    >>> new = ["The storm closed the coast and harbour: closed.", "The harbour is open again."]
    >>> common = {"a", "the", "and", "is"}
    >>> find_retold(find_terms(new, stemmer=None, common=common), told).tolist()
    [True, False]
    """
    stance, valued, theirs = find_stances(terms), find_valued(terms), find_stances(known)
    # For each stance, only the known sentences of that stance are searched.
    of_stance = {own: _find_windows(terms, known, theirs == own) for own in {*stance.tolist()}}
    retold = np.zeros(len(terms.indptr) - 1, np.bool_)
    for row, (begin, end) in enumerate(zip(terms.indptr[:-1], terms.indptr[1:], strict=True)):
        ids = distinct(terms.ids[begin:end])
        content = ids[~terms.common[ids]]
        few = content.size < FEW_WORDS
        ids = ids if few else content
        is_value = np.isin(ids, terms.ids[begin:end][valued[begin:end]])
        weights = np.where(is_value, float(len(ids)), 1.0)
        starts, windows = of_stance[int(stance[row])]
        places = [windows[starts[k] : starts[k + 1]] for k in ids.tolist()]
        if not places or weights.sum() == 0:
            retold[row] = True
            continue
        sizes = [len(place) for place in places]
        if not sum(sizes):
            continue
        found = np.concatenate(places)
        held = np.bincount(found, np.repeat(weights, sizes))
        n_values = np.bincount(found, np.repeat(is_value, sizes))
        least = weights.sum() - 0.5 if few else SHARE * weights.sum()
        retold[row] = bool(((held >= least) & (n_values == is_value.sum())).any())
    return retold


def _find_windows(
    terms: Terms, known: Terms, some: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, as CSR arrays, the pairs of neighbouring known sentences that contain each term.

    Only words in the sentences that the mask `some` selects count.
    """
    numbers = {label: number for number, label in enumerate(terms.labels)}
    same = np.array([numbers.get(label, -1) for label in known.labels], np.int64)
    ids = same[known.ids] if known.labels else np.empty(0, np.int64)
    asked = (ids >= 0) & some[known.rows]
    rows, ids = known.rows[asked].astype(np.int64), ids[asked]
    width = len(known.indptr)
    # Sentence k is the second of pair k and the first of pair k + 1.
    pairs = np.sort(np.concatenate((ids * width + rows, ids * width + rows + 1)))
    pairs = pairs[is_new(pairs)] if pairs.size else pairs
    owners, windows = np.divmod(pairs, width)
    counts = np.bincount(owners, minlength=len(terms.labels))
    return np.concatenate(([0], np.cumsum(counts))), windows
