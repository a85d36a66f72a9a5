"""Scan: what sentences look like: characters of each class, and which of many words they hold."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.maxcover.kernels.arrays import (
    Bools,
    Indices,
    IndicesOut,
    Letters,
    Offsets,
    OffsetsOut,
)


def count_classes(
    codes: Letters,
    classes: Bools,
    starts: Offsets,
    ends: Offsets,
    n_classes: int64_t,
    least: int64_t,
    counts: IndicesOut,
) -> None:
    """Count the characters of each class of each sentence, its chunks, and its small words.

    Classes 0 and 1 are white space, class 2 small letters. From `n_classes` on they are the same
    classes again, in scripts without spaces. A chunk is what stands between white space; a small
    word is a chunk that begins with at least `least` small letters. Sentence i has row i of
    `counts`, which has ``n_classes + 3`` columns, the last three for these and for the characters
    of scripts without spaces.
    """
    k: int64_t
    row: int64_t
    kind: int64_t
    white: cython.bint
    run: int64_t
    letters: int64_t
    chunks: int32_t
    small: int32_t
    with cython.nogil:
        for i in range(starts.shape[0]):
            row = i * (n_classes + 3)
            for k in range(n_classes + 3):
                counts[row + k] = 0
            white = True
            run = letters = chunks = small = 0
            for k in range(starts[i], ends[i]):
                kind = classes[codes[k]]
                if kind < 2:
                    counts[row + kind] += 1
                    white = True
                    continue
                if white:
                    white = False
                    chunks += 1
                    run = 0
                # most characters by far are small letters, which are not counted in memory
                if kind == 2:
                    letters += 1
                    run += 1
                    small += run == least
                    continue
                # no run of this chunk is its beginning any more
                run = least
                if kind >= n_classes:
                    kind -= n_classes
                    counts[row + n_classes + 2] += 1
                counts[row + kind] += 1
            counts[row + 2] = cython.cast(int32_t, letters)
            counts[row + n_classes] = chunks
            counts[row + n_classes + 1] = small


def find_words(
    codes: Letters,
    columns: Bools,
    starts: Offsets,
    ends: Offsets,
    width: int64_t,
    steps: Indices,
    masks: OffsetsOut,
) -> None:
    """Say of which groups of words each sentence holds one, a bit per group.

    A state is the place of its row in `steps`: from state s a character of column c leads to state
    ``steps[s + c]``, and ``steps[s + width]`` are the groups of the words that end there. Column 1
    is the edge of a sentence.
    """
    k: int64_t
    state: int64_t
    mask: int64_t
    with cython.nogil:
        for i in range(starts.shape[0]):
            state = steps[1]
            mask = 0
            for k in range(starts[i], ends[i]):
                state = steps[state + columns[codes[k]]]
                mask |= steps[state + width]
            masks[i] = mask | steps[steps[state + 1] + width]
