"""Statements: sentences that are alike but for a value are two statements, not a repetition.

"The period is 14 days" and "The period is 30 days" share all but two phrases. Two sentences are
near-copies if they share most of their phrases. One repeats the other if all its words but stop
words stand there too, numbers as often, no other number beside the same word, and both deny as
often. Otherwise they are versions: each says what the other does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maxcover.core.ascending import difference, distinct, is_new
from maxcover.core.validation import positions_of
from maxcover.packing.occurrences import unique_pairs
from maxcover.packing.passages import DENYING, NUMERIC, TELLING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.packing.occurrences import Occurrences

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]

# Two sentences are near-copies if this part of the phrases of the shorter one stands in the other,
# or all but the two around one word, if it has a few; and half of those of the longer one.
ALIKE, AROUND_A_WORD, A_FEW, OF_LONGER = 0.7, 2, 3, 0.5
# Words, but stop words, that one of two versions has and the other lacks, at most.
MOST_CHANGED = 4
# Sentences, the most relevant ones, among which versions are looked for.
MOST = 400


class Pairs(NamedTuple):
    """Near-copies: `left` and `right` sentences, whether left repeats right, what right lacks."""

    left: Int64s
    right: Int64s
    repeats: Bools
    lacks: Int64s


class Versions(NamedTuple):
    """Sentences that differ in a value from a near-copy and repeat no other sentence.

    `holders` and `ids` are who says the same: a sentence and a place in `sentences`. `pairs` are
    two versions each. `near` are all sentences that have a near-copy. `repeated` say nothing that a
    near-copy does not say: of equals, all but the first.
    """

    sentences: Int64s
    holders: Int64s
    ids: Int64s
    pairs: tuple[Int64s, Int64s]
    near: Int64s
    repeated: Int64s


class Statements(NamedTuple):
    """What versions say, as elements: sentence and statement of each pair, and the weights."""

    holders: Int64s
    ids: Int64s
    weights: Floats


def find_pairs(said: Occurrences, left: Int64s, right: Int64s) -> Pairs:
    """Find near-copies of some sentences among others, by one product of sparse matrices.

    Parameters
    ----------
    left, right : int64 arrays
        Sentences, in ascending order.
    """
    n = said.n_sentences
    shared, sizes = _common(*_among(said.phrase_pairs, n, left, right), n, left, right)
    least = np.minimum(sizes[shared[0]], sizes[shared[1]])
    alike = (shared[2] >= _least_common(least)) & (shared[0] != shared[1])
    alike &= shared[2] >= OF_LONGER * np.maximum(sizes[shared[0]], sizes[shared[1]])
    one, two = shared[0][alike], shared[1][alike]
    if not one.size:
        return Pairs(one, two, alike[:0], one)
    rows, words, kinds = _counted(said, one, two)
    telling, denying = kinds >= TELLING, kinds == DENYING
    inside, counts = _common(rows[telling], words[telling], n, one, two)
    agreed, denials = _common(rows[denying], words[denying], n, one, two)
    both = _look_up(agreed, one, two, n)
    # another number beside the same word is another value
    rows, phrases = _among(said.phrase_pairs, n, one, two)
    slots = said.number_slots(phrases)
    counted = slots >= 0
    rows, phrases, slots = rows[counted], phrases[counted], slots[counted]
    numbers, _ = _common(rows, phrases, n, one, two)
    places, _ = _common(*unique_pairs(rows, slots, 2 * said.n_words), n, one, two)
    lacks = counts[one] - _look_up(inside, one, two, n)
    repeats = (
        (lacks == 0)
        & (both == denials[one])
        & (both == denials[two])
        & (_look_up(numbers, one, two, n) >= _look_up(places, one, two, n))
    )
    return Pairs(one, two, repeats, lacks)


def _counted(said: Occurrences, left: Int64s, right: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Give the words of some sentences and their kinds.

    A number or negation that a sentence has twice is two words: "not" elsewhere in a sentence does
    not stand for the one that is missing here.
    """
    rows, words = _among((said.rows, said.words), said.n_sentences, left, right)
    order = np.argsort(rows * said.n_words + words, kind="stable")
    rows, words = rows[order], words[order]
    first = is_new(rows * said.n_words + words)
    places = np.arange(len(rows))
    again = places - np.maximum.accumulate(np.where(first, places, 0))
    kinds = said.kinds(words)
    kept = first | (kinds == NUMERIC) | (kinds == DENYING)
    return rows[kept], (words + again * said.n_words)[kept], kinds[kept]


def _least_common(sizes: Int64s) -> Floats:
    """Give how many phrases sentences of some sizes have in common with their near-copies."""
    least = np.minimum(ALIKE * sizes, np.maximum(sizes - AROUND_A_WORD, A_FEW))
    return np.asarray(np.maximum(least, 1.0))


def _among(
    pairs: tuple[Int64s, Int64s], n_rows: int, left: Int64s, right: Int64s
) -> tuple[Int64s, Int64s]:
    """Keep the pairs of row and id of some rows."""
    rows, ids = pairs
    wanted = np.zeros(n_rows, dtype=bool)
    wanted[left], wanted[right] = True, True
    mine = np.flatnonzero(wanted[rows])
    return rows[mine], ids[mine]


def _common(
    rows: Int64s, ids: Int64s, n_rows: int, left: Int64s, right: Int64s
) -> tuple[tuple[Int64s, Int64s, Int64s], Int64s]:
    """Count what pairs of rows have in common; each pair of row and id is given once.

    Returns
    -------
    (left, right, count) : int64 arrays
        Pairs that have something in common.
    sizes : int64 array (n_rows)
        How many ids each row has.
    """
    sizes = np.bincount(rows, minlength=n_rows)
    first, second = np.zeros(n_rows, dtype=bool), np.zeros(n_rows, dtype=bool)
    first[left], second[right] = True, True
    wanted = first[rows]
    left_rows, left_ids = rows[wanted], ids[wanted]
    width = int(ids.max(initial=-1)) + 1
    asked = np.zeros(width, dtype=bool)
    asked[left_ids] = True
    # the holders of each id among the right ones, in a row
    mine = np.flatnonzero(second[rows] & asked[ids])
    mine = mine[np.argsort(ids[mine], kind="stable")]
    holders = rows[mine]
    indptr = np.concatenate(([0], np.cumsum(np.bincount(ids[mine], minlength=width))))
    lengths = indptr[left_ids + 1] - indptr[left_ids]
    one = np.repeat(left_rows, lengths)
    two = holders[positions_of(indptr, left_ids)]
    codes = np.sort(one * n_rows + two)
    fresh = np.flatnonzero(is_new(codes))
    counts = np.diff(np.append(fresh, codes.size))
    found = codes[fresh]
    return (found // n_rows, found % n_rows, counts), sizes


def _look_up(found: tuple[Int64s, Int64s, Int64s], one: Int64s, two: Int64s, n_rows: int) -> Int64s:
    """Give how much pairs have in common; pairs are sorted."""
    codes = found[0] * n_rows + found[1]
    wanted = one * n_rows + two
    places = np.searchsorted(codes, wanted)
    places = np.minimum(places, max(len(codes) - 1, 0))
    if not len(codes):
        return np.zeros(len(wanted), np.int64)
    return np.asarray(np.where(codes[places] == wanted, found[2][places], 0))


def find_versions(said: Occurrences, worth: Floats) -> Versions:
    """Find the sentences that differ in a value from a near-copy and repeat no other sentence.

    Parameters
    ----------
    worth : float64 array (n_sentences)
        Only the most relevant sentences are looked at.
    """
    prose = np.flatnonzero((worth > 0) & ~said.lined)
    if len(prose) > MOST:
        prose = np.sort(prose[np.argsort(-worth[prose], kind="stable")[:MOST]])
    # the shorter of two near-copies has most of its phrases in common with others
    rows, phrases = _among(said.phrase_pairs, said.n_sentences, prose, prose[:0])
    shared = np.bincount(phrases, minlength=len(said.phrase_codes))[phrases] > 1
    common = np.bincount(rows[shared], minlength=said.n_sentences)
    sizes = np.bincount(rows, minlength=said.n_sentences)
    short = prose[common[prose] >= _least_common(sizes[prose])]
    if not short.size:
        return Versions(short, short, short, (short, short), short, short)
    close = find_pairs(said, short, prose)
    near = distinct(np.concatenate((close.left, close.right)))
    if not near.size:
        return Versions(near, near, near, (near, near), near, near)
    left, right, repeats, lacks = find_pairs(said, near, near)
    # pairs come in both directions, sorted by the left one
    mirrored = np.lexsort((left, right))
    back = np.empty_like(repeats)
    back[mirrored] = repeats
    # where more differs, sentences were cut elsewhere or say different things
    few = np.maximum(lacks, lacks[mirrored]) <= MOST_CHANGED
    apart = ~repeats & ~back & few
    # of sentences that say the same, the first counts; of one that another contains, the other
    dropped = left[repeats & (~back | (right < left))]
    versions = difference(left[apart], dropped)
    same = repeats & np.isin(left, versions)
    holders = np.concatenate((versions, right[same]))
    ids = np.concatenate((np.arange(len(versions)), np.searchsorted(versions, left[same])))
    pairs = left[apart], right[apart]
    return Versions(versions, holders, ids, pairs, near, distinct(dropped))
