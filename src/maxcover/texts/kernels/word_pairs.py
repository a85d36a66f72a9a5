"""Word pairs: words of sentences numbered, and the sentences and documents of concepts counted."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.maxcover.engine.kernels.arrays import (
    Bools,
    BoolsOut,
    Indices,
    IndicesOut,
    Offsets,
    OffsetsOut,
)


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
