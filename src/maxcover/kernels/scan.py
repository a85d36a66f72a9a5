"""What sentences look like: characters of each class, and which of many words they hold."""

import cython
from cython.cimports.libc.stdint import int64_t
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

    Classes 0 and 1 are white space, class 2 small letters. A chunk is what stands between white
    space; a small word is a chunk that begins with at least `least` small letters. Sentence i has
    row i of `counts`, which has ``n_classes + 2`` columns, the last two for these.
    """
    k: int64_t
    row: int64_t
    kind: cython.uchar
    white: cython.bint
    small: int64_t
    with cython.nogil:
        for i in range(starts.shape[0]):
            row = i * (n_classes + 2)
            for k in range(n_classes + 2):
                counts[row + k] = 0
            white = True
            small = -1
            for k in range(starts[i], ends[i]):
                kind = classes[codes[k]]
                counts[row + kind] += 1
                if kind < 2:
                    white = True
                    continue
                if white:
                    counts[row + n_classes] += 1
                    white = False
                    small = 0
                if kind == 2 and small >= 0:
                    small += 1
                    if small == least:
                        counts[row + n_classes + 1] += 1
                else:
                    small = -1


def find_words(
    codes: Letters,
    columns: Bools,
    starts: Offsets,
    ends: Offsets,
    width: int64_t,
    steps: Indices,
    groups: Offsets,
    masks: OffsetsOut,
) -> None:
    """Say of which groups of words each sentence holds one, a bit per group.

    From state s a character of column c leads to state ``steps[width * s + c]``, and ``groups[s]``
    are the groups of the words that end there. Column 1 is the edge of a sentence.
    """
    k: int64_t
    state: int64_t
    mask: int64_t
    with cython.nogil:
        for i in range(starts.shape[0]):
            state = steps[1]
            mask = 0
            for k in range(starts[i], ends[i]):
                state = steps[width * state + columns[codes[k]]]
                mask |= groups[state]
            masks[i] = mask | groups[steps[width * state + 1]]
