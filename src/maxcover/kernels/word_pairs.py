"""Word pairs: words and pairs of words of sentences, numbered and counted."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.maxcover.kernels.arrays import (
    Bools,
    BoolsOut,
    Indices,
    IndicesOut,
    Offsets,
    OffsetsOut,
)
from cython.cimports.maxcover.kernels.rows import to_previous, to_starts


def count_words(runs: Indices, until: Offsets) -> int:
    """Count the words of runs: those of spelling s are from ``until[s]`` to ``until[s + 1]``."""
    total: int64_t = 0
    with cython.nogil:
        for r in range(runs.shape[0]):
            total += until[runs[r] + 1] - until[runs[r]]
    return total


def number_words(
    runs: Indices,
    indptr: Offsets,
    until: Offsets,
    flat: Indices,
    capital: Bools,
    stem_of: Indices,
    word_number: IndicesOut,
    stem_number: IndicesOut,
    words: IndicesOut,
    ids: IndicesOut,
    capitals: BoolsOut,
    ends: OffsetsOut,
    distinct: IndicesOut,
    stems: IndicesOut,
) -> tuple[int, int]:
    """Replace runs by words, and number these and their stems by first appearance.

    The runs of sentence i are ``indptr[i]:indptr[i + 1]``; its words will be those of `ends`. Both
    kinds of number are -1 at first. Return how many words and stems are distinct.
    """
    n: int64_t = 0
    n_words: int64_t = 0
    n_stems: int64_t = 0
    run: int64_t
    word: int64_t
    stem: int64_t
    with cython.nogil:
        ends[0] = 0
        for i in range(indptr.shape[0] - 1):
            for r in range(indptr[i], indptr[i + 1]):
                run = runs[r]
                for k in range(until[run], until[run + 1]):
                    word = flat[k]
                    stem = stem_of[word]
                    if word_number[word] < 0:
                        word_number[word] = cython.cast(int32_t, n_words)
                        distinct[n_words] = cython.cast(int32_t, word)
                        n_words += 1
                        if stem_number[stem] < 0:
                            stem_number[stem] = cython.cast(int32_t, n_stems)
                            stems[n_stems] = cython.cast(int32_t, stem)
                            n_stems += 1
                    words[n] = word_number[word]
                    ids[n] = stem_number[stem]
                    capitals[n] = capital[run]
                    n += 1
            ends[i + 1] = n
    return n_words, n_stems


def find_first(
    words: Indices, indptr: Offsets, rows: Offsets, slots: OffsetsOut, first: OffsetsOut
) -> None:
    """For each of `rows`, write the place in it of the first sentence with the same words.

    `slots`, -1 at first, are a power of two and more than there are rows; a sentence is looked for
    from the 64-bit FNV-1a hash of its words on.
    """
    at: int64_t
    other: int64_t
    begin: int64_t
    size: int64_t
    k: int64_t
    code: uint64_t
    with cython.nogil:
        for i in range(rows.shape[0]):
            begin = indptr[rows[i]]
            size = indptr[rows[i] + 1] - begin
            code = cython.cast(uint64_t, 1469598103934665603)
            for k in range(begin, begin + size):
                code = (code ^ cython.cast(uint64_t, words[k])) * cython.cast(
                    uint64_t, 1099511628211
                )
            at = cython.cast(
                int64_t, (code ^ (code >> 29)) & cython.cast(uint64_t, slots.shape[0] - 1)
            )
            while True:
                if slots[at] < 0:
                    slots[at] = i
                    first[i] = i
                    break
                other = rows[slots[at]]
                if indptr[other + 1] - indptr[other] == size:
                    k = 0
                    while k < size and words[begin + k] == words[indptr[other] + k]:
                        k += 1
                    if k == size:
                        first[i] = slots[at]
                        break
                at = (at + 1) & (slots.shape[0] - 1)


def pair_neighbours(
    ids: Indices,
    stops: Bools,
    indptr: Offsets,
    starts: OffsetsOut,
    order: IndicesOut,
    rows: IndicesOut,
    numbers: IndicesOut,
    left: IndicesOut,
    right: IndicesOut,
) -> tuple[int, int]:
    """List neighbours in a sentence that are not both stop words; return how many, and distinct.

    Pair p is in sentence ``rows[p]`` and has ``numbers[p]``, in the order of the left and then of
    the right term. `left` and `right` end as the terms of each number. `starts` is one longer than
    there are terms; `order` has room for two entries per word, the others for one.
    """
    n: int64_t = 0
    n_distinct: int64_t = 0
    size: int64_t = ids.shape[0]
    p: int64_t
    k: int64_t
    first: int32_t
    second: int32_t
    last_first: int32_t = -1
    last_second: int32_t = -1
    with cython.nogil:
        for i in range(indptr.shape[0] - 1):
            for k in range(indptr[i], indptr[i + 1] - 1):
                if not (stops[k] and stops[k + 1]):
                    rows[n] = cython.cast(int32_t, i)
                    # where it stands, until it is numbered
                    numbers[n] = cython.cast(int32_t, k)
                    n += 1
        for k in range(starts.shape[0]):
            starts[k] = 0
        for p in range(n):
            starts[ids[numbers[p] + 1] + 1] += 1
        to_starts(starts)
        for p in range(n):
            second = ids[numbers[p] + 1]
            order[size + starts[second]] = cython.cast(int32_t, p)
            starts[second] += 1
        for k in range(starts.shape[0]):
            starts[k] = 0
        for p in range(n):
            starts[ids[numbers[p]] + 1] += 1
        to_starts(starts)
        for k in range(n):
            p = order[size + k]
            first = ids[numbers[p]]
            order[starts[first]] = cython.cast(int32_t, p)
            starts[first] += 1
        for k in range(n):
            p = order[k]
            first = ids[numbers[p]]
            second = ids[numbers[p] + 1]
            if first != last_first or second != last_second:
                left[n_distinct] = last_first = first
                right[n_distinct] = last_second = second
                n_distinct += 1
            numbers[p] = cython.cast(int32_t, n_distinct - 1)
    return n, n_distinct


def list_once(
    starts: Offsets,
    grouped: Indices,
    indptr: OffsetsOut,
    owners: IndicesOut,
    concepts: IndicesOut,
) -> int:
    """List pairs of sentence and concept once each, in ascending order; return how many.

    `grouped` has the sentences of each concept in their order, from its start on. `indptr` is one
    longer than there are sentences, and zero at first.
    """
    row: int32_t
    last: int32_t
    with cython.nogil:
        for c in range(starts.shape[0] - 1):
            last = -1
            for e in range(starts[c], starts[c + 1]):
                if grouped[e] != last:
                    last = grouped[e]
                    indptr[last + 1] += 1
        to_starts(indptr)
        for c in range(starts.shape[0] - 1):
            last = -1
            for e in range(starts[c], starts[c + 1]):
                row = grouped[e]
                if row != last:
                    last = row
                    owners[indptr[row]] = row
                    concepts[indptr[row]] = cython.cast(int32_t, c)
                    indptr[row] += 1
        to_previous(indptr)
    return indptr[indptr.shape[0] - 1]


def count_holding(
    rows: Indices,
    ids: Indices,
    document: Offsets,
    among: Bools,
    last: OffsetsOut,
    sentences: OffsetsOut,
    documents: OffsetsOut,
) -> None:
    """Count the sentences and documents, `among` some, that hold each concept.

    Pairs are in the order of sentences, and these in that of documents. `last`, -1 at first, is the
    last document that held a concept; the counts are zero at first.
    """
    concept: int64_t
    with cython.nogil:
        for e in range(rows.shape[0]):
            if among[rows[e]]:
                concept = ids[e]
                sentences[concept] += 1
                if last[concept] != document[rows[e]]:
                    last[concept] = document[rows[e]]
                    documents[concept] += 1


def count_occurrences(rows: Indices, ids: Indices, among: Bools, counts: OffsetsOut) -> None:
    """Add up how often concepts occur, `among` some sentences."""
    with cython.nogil:
        for e in range(rows.shape[0]):
            counts[ids[e]] += among[rows[e]]


def find_earliest(
    rows: Indices, ids: Indices, places: Offsets, among: Bools, earliest: OffsetsOut
) -> None:
    """Lower `earliest` of each concept to the smallest place of its sentences, `among` some."""
    with cython.nogil:
        for e in range(rows.shape[0]):
            if among[rows[e]] and places[rows[e]] < earliest[ids[e]]:
                earliest[ids[e]] = places[rows[e]]


def compress(
    rows: Indices,
    ids: Indices,
    row_number: Offsets,
    wanted: Bools,
    number: IndicesOut,
    indptr: OffsetsOut,
    indices: IndicesOut,
    elements: OffsetsOut,
) -> tuple[int, int]:
    """Keep sentences whose new number is not -1 and concepts that are wanted and in one of them.

    `number`, of each concept, and `indptr` are zero at first. Return how many pairs and concepts
    are left; the old number of new concept c is ``elements[c]``.
    """
    n: int64_t = 0
    n_elements: int64_t = 0
    with cython.nogil:
        for e in range(rows.shape[0]):
            if row_number[rows[e]] >= 0:
                number[ids[e]] = 1
        for c in range(wanted.shape[0]):
            if wanted[c] and number[c]:
                elements[n_elements] = c
                number[c] = cython.cast(int32_t, n_elements)
                n_elements += 1
        for e in range(rows.shape[0]):
            if row_number[rows[e]] >= 0 and wanted[ids[e]]:
                indices[n] = number[ids[e]]
                indptr[row_number[rows[e]] + 1] += 1
                n += 1
        to_starts(indptr)
    return n, n_elements
