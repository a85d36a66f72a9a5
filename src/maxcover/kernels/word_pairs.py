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
    """Return the total number of words in `runs`; a run is a spelling of one or more words.

    Spelling s has the words ``until[s]:until[s + 1]``.
    """
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
    """Replace runs of letters by words; number words and stems in the order of first appearance.

    The runs of sentence i are ``indptr[i]:indptr[i + 1]``; its words will be
    ``ends[i]:ends[i + 1]``. `word_number` and `stem_number` are -1 at first. Returns the numbers of
    distinct words and of distinct stems.
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
    """For each sentence of `rows`, write the index in `rows` of the first one with the same words.

    `slots` is a hash table, -1 at first. Its length is a power of two and more than the number of
    rows. The hash of a sentence is FNV-1a over its words, with the constants of `letters.slot_of`.
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
    """List the pairs of adjacent words of each sentence, without pairs of two stop words.

    Pair p is in sentence ``rows[p]`` and has the number ``numbers[p]``. Numbers are in the order of
    the left and then of the right term; ``left[n]`` and ``right[n]`` are the terms of number n.
    `starts` has one entry more than there are terms; `order` has room for two entries per word, the
    others for one. Returns how many pairs and how many distinct pairs there are.
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
                    # The position of the left word, for now; the pair's number replaces it below.
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
    """List each pair (sentence, concept) once, in ascending order; return the number of pairs.

    The sentences of concept c are ``grouped[starts[c]:starts[c + 1]]``, in ascending order.
    `indptr` has one entry more than there are sentences, all zero at first.
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
    """Count for each concept the sentences of `among` that hold it, and their documents.

    `among` is a mask over sentences. Pairs are in the order of sentences, and sentences in
    that of documents. ``last[c]``, -1 at first, is the last document that held concept c; the
    counts are zero at first.
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
    """Add to `counts` how often each concept occurs in the sentences marked in `among`."""
    with cython.nogil:
        for e in range(rows.shape[0]):
            counts[ids[e]] += among[rows[e]]


def find_earliest(
    rows: Indices, ids: Indices, places: Offsets, among: Bools, earliest: OffsetsOut
) -> None:
    """Lower ``earliest[c]`` to the first place of a sentence in `among` that holds concept c."""
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
    """Renumber sentences and concepts; drop those that are not wanted.

    A sentence is kept if ``row_number`` is not -1, a concept if it is wanted and in a kept
    sentence. `number` and `indptr` are zero at first. Returns how many pairs and concepts are left;
    new concept c has the old number ``elements[c]``.
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
