"""Scan: counts of the characters of each class in sentences, and which of many words they hold."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.maxcover.engine.kernels.arrays import (
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
    counts: IndicesOut,
) -> None:
    """Count per sentence: characters of each class, and chunks between spaces.

    Classes 0 and 1 are white space, class 2 lower-case letters. Class ``n_classes + c`` is class c
    in a script without spaces. A chunk is a stretch without white space. Sentence i has row i of
    `counts`, which has ``n_classes + 2`` columns. The last two count chunks, and characters of
    scripts without spaces.
    """
    k: int64_t
    row: int64_t
    kind: int64_t
    white: cython.bint
    letters: int64_t
    chunks: int32_t
    with cython.nogil:
        for i in range(starts.shape[0]):
            row = i * (n_classes + 2)
            for k in range(n_classes + 2):
                counts[row + k] = 0
            white = True
            letters = chunks = 0
            for k in range(starts[i], ends[i]):
                kind = classes[codes[k]]
                if kind < 2:
                    counts[row + kind] += 1
                    white = True
                    continue
                if white:
                    white = False
                    chunks += 1
                # Most characters are lower-case letters: a local variable counts them, for speed.
                if kind == 2:
                    letters += 1
                    continue
                if kind >= n_classes:
                    kind -= n_classes
                    counts[row + n_classes + 1] += 1
                counts[row + kind] += 1
            counts[row + 2] = cython.cast(int32_t, letters)
            counts[row + n_classes] = chunks


def find_words(
    codes: Letters,
    columns: Bools,
    starts: Offsets,
    ends: Offsets,
    width: int64_t,
    steps: Indices,
    masks: OffsetsOut,
) -> None:
    """Write a bitmask for each sentence: bit g is set if the sentence holds a word of group g.

    `steps` is a finite automaton. A state is the offset of its row: from state s a character of
    column c leads to state ``steps[s + c]``, and ``steps[s + width]`` is the bitmask of the groups
    whose words end there. Column 1 is the edge of a sentence.
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
