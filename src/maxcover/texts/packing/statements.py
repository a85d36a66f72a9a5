"""Statements: two sentences that differ only in a value are two statements, not a repetition.

"The period is 14 days" and "The period is 30 days" share all but two phrases. Two sentences are
near-copies if they share most of their phrases. A sentence repeats a near-copy if all its words
occur there in the same order, and both have equally many negations. If the longer one only adds
stop words, each repeats the other. If neither repeats the other, they are versions: each says
something that the other does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.engine.core.ascending import difference, distinct, is_new
from maxcover.engine.core.validation import positions_of
from maxcover.texts.packing.passages import DENYING, TELLING

if TYPE_CHECKING:
    from maxcover.ground.array_types import Floats, Int64s, Mask
    from maxcover.texts.packing.occurrences import PassageOccurrences


# Two sentences are near-copies if they share at least OF_LONGER of the phrases of the longer one,
# and ALIKE of the phrases of the shorter one. Instead of ALIKE, it is enough to share all but
# AROUND_A_WORD of the shorter one's phrases (the phrases around one changed word), and at least
# A_FEW.
ALIKE, AROUND_A_WORD, A_FEW, OF_LONGER = 0.7, 2, 3, 0.5
# Versions are looked for only among this many of the most relevant sentences.
MOST = 400


class Versions(NamedTuple):
    """Sentences that differ from a near-copy in a value, and pairs of similar sentences.

    `sentences` are the versions: they repeat no other sentence. Sentence ``within[0][k]`` is
    contained in ``within[1][k]``: the second says all that the first says. ``pairs[0][k]`` and
    ``pairs[1][k]`` are versions of each other. `near` are all sentences that have a near-copy.
    `repeated` are sentences that say nothing that a near-copy does not say; of equal ones, all but
    the first.
    """

    sentences: Int64s
    within: tuple[Int64s, Int64s]
    pairs: tuple[Int64s, Int64s]
    near: Int64s
    repeated: Int64s


class Statements(NamedTuple):
    """The statements that sentences make: (sentence, statement) pairs, and their weights."""

    holders: Int64s
    ids: Int64s
    weights: Floats


def find_copies(
    pairs: tuple[Int64s, Int64s], n: int, left: Int64s, right: Int64s
) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Find near-copies: pairs of a sentence of `left` and a similar sentence of `right`.

    Parameters
    ----------
    pairs : (int64 array, int64 array)
        Sentence and phrase, in ascending order of phrases.
    n : int
        Number of sentences.
    left, right : int64 arrays
        Sentences.

    Returns
    -------
    left, right : int64 arrays
        Pairs of near-copies, or of a sentence and another that has all its phrases.
    shared, longer : int64 arrays
        How many phrases the two share, and how many the longer one has.
    """
    rows, phrases = pairs
    sizes = np.bincount(rows, minlength=n)
    first, second = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    first[left], second[right] = True, True
    mine = np.flatnonzero(first[rows])
    wanted = phrases[mine]
    asked = np.zeros(int(phrases[-1]) + 1 if phrases.size else 0, dtype=bool)
    asked[wanted] = True
    # Pairs are sorted by phrase, so the sentences of a phrase are a contiguous range.
    theirs = np.flatnonzero(second[rows] & asked[phrases])
    indptr = np.concatenate(([0], np.cumsum(np.bincount(phrases[theirs], minlength=len(asked)))))
    one = np.repeat(rows[mine], indptr[wanted + 1] - indptr[wanted])
    two = rows[theirs][positions_of(indptr, wanted)]
    codes = np.sort(one * n + two)
    fresh = np.flatnonzero(is_new(codes))
    shared = np.diff(np.append(fresh, codes.size))
    one, two = np.divmod(codes[fresh], max(n, 1))
    shorter, longer = np.minimum(sizes[one], sizes[two]), np.maximum(sizes[one], sizes[two])
    alike = (shared >= _least_common(shorter)) & (shared >= OF_LONGER * longer)
    found = np.flatnonzero((alike | (shared == shorter)) & (one != two))
    return one[found], two[found], shared[found], longer[found]


def _least_common(sizes: Int64s) -> Floats:
    """Return how many phrases a sentence must share with a near-copy, given how many it has."""
    least = np.minimum(ALIKE * sizes, np.maximum(sizes - AROUND_A_WORD, A_FEW))
    return np.asarray(np.maximum(least, 1.0))


def are_repeated(said: PassageOccurrences, left: Int64s, right: Int64s) -> tuple[Mask, Mask]:
    """Return two masks: where the left sentence repeats the right one, and the reverse."""
    n = said.n_sentences
    mine = np.flatnonzero(np.isin(said.rows, np.concatenate((left, right))))
    rows, kinds = said.rows[mine], said.kinds(said.words[mine])
    denials, content = (
        np.bincount(rows[kinds == kind], minlength=n) for kind in (DENYING, TELLING)
    )
    ends = np.cumsum(np.bincount(said.rows, minlength=n)).tolist()
    told = {
        k: said.words[ends[k - 1] if k else 0 : ends[k]].tolist() for k in distinct(rows).tolist()
    }
    within = np.zeros(len(left), np.bool_)
    swapped = np.zeros(len(left), np.bool_)
    for number in np.flatnonzero(denials[left] == denials[right]).tolist():
        one, two = told[int(left[number])], told[int(right[number])]
        swapped[number] = len(one) > len(two)
        shorter, longer = sorted((one, two), key=len)
        rest = iter(longer)
        within[number] = all(word in rest for word in shorter)
    # If both have equally many content words, the longer one only adds stop words, so that each
    # repeats the other.
    equal = content[left] == content[right]
    return within & (~swapped | equal), within & (swapped | equal)


def find_versions(said: PassageOccurrences, worth: Floats) -> Versions:
    """Compare the most relevant sentences; find versions and repetitions among them.

    Parameters
    ----------
    worth : float64 array (n_sentences)
        The relevance of each sentence; only the `MOST` most relevant ones are compared.
    """
    n = said.n_sentences
    prose = np.flatnonzero((worth > 0) & ~said.lined)
    if len(prose) > MOST:
        prose = np.sort(prose[np.argsort(-worth[prose], kind="stable")[:MOST]])
    # Candidates for the shorter of two near-copies: sentences most of whose phrases also occur in
    # other sentences.
    looked_at, is_short = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    looked_at[prose] = True
    rows, phrases = said.phrase_pairs
    some = np.flatnonzero(looked_at[rows])
    rows, phrases = rows[some], phrases[some]
    new = is_new(phrases)
    shared = ~new | ~np.append(new[1:], True)
    common = np.bincount(rows[shared], minlength=n)
    sizes = np.bincount(rows, minlength=n)
    short = prose[common[prose] >= _least_common(sizes[prose])]
    left, right, common, longer = find_copies((rows, phrases), n, short, prose)
    # Keep each pair once, with the earlier sentence on the left.
    is_short[short] = True
    once = np.flatnonzero((left < right) | ~is_short[right])
    left, right, common, longer = left[once], right[once], common[once], longer[once]
    left, right = np.minimum(left, right), np.maximum(left, right)
    forth, back = are_repeated(said, left, right)
    within = np.concatenate((left[forth], right[back])), np.concatenate((right[forth], left[back]))
    copies = common >= OF_LONGER * longer
    apart = ~forth & ~back & copies
    # Of two copies that say the same, the second is dropped. If one copy contains the other, the
    # contained one is dropped.
    dropped = distinct(np.concatenate((left[copies & forth & ~back], right[copies & back])))
    pairs = np.concatenate((left[apart], right[apart])), np.concatenate((right[apart], left[apart]))
    versions = difference(pairs[0], dropped)
    near = distinct(np.concatenate((left[copies], right[copies])))
    return Versions(versions, within, pairs, near, dropped)
