"""Sentence features: features of words and signs that tell whether a sentence reads by itself."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.maxcover.kernels.arrays import (
    Bools,
    BoolsOut,
    Floats,
    FloatsOut,
    Indices,
    IndicesOut,
    Letters,
    Offsets,
    OffsetsOut,
    Table,
)
from cython.cimports.maxcover.kernels.sentence_features import Counts, Eights, Layout, Word

WORD = np.dtype(
    [
        ("kind", np.uint8),
        ("flags", np.uint8),  # Bits of `FLAGS`.
        ("code", np.uint16),  # Number of a function word, from 1; 0 for others.
        ("points", np.uint16),  # Groups of next words by which this word refers to other text.
        ("follows", np.uint16),  # The groups of next words that this word is in.
    ]
)
COUNTS = np.dtype(
    [
        ("words", np.float64),
        ("content", np.float64),
        ("names", np.float64),
        ("numbers", np.float64),
        ("twice", np.float64),  # Number of words that equal the word before.
        ("again", np.float64),  # Number of words that equal the word two places before.
        ("new", np.float64),  # Content words after "the" that no earlier sentence has.
        ("old", np.float64),  # Content words that an earlier sentence has.
        ("verbs", np.float64),
        ("sure", np.float64),  # Verbs, not counting words that only end in "-ed".
        ("lead", np.float64),  # Number of words before the first verb.
        ("starts", np.float64),  # Function words with a capital, after the first word.
        ("third", np.float64),  # 1 if a third-person pronoun precedes all content words.
        ("points", np.float64),
        ("personal", np.float64),
    ]
)
LAYOUT = np.dtype(
    [
        ("n_features", np.int64),  # Number of features: the length of a row.
        ("n_codes", np.int64),  # Number of function words.
        ("n_kinds", np.int64),
        ("n_closed", np.int64),  # Number of kinds of function words; they come first.
        ("number", np.int64),  # This and the next three fields are kinds of words.
        ("name", np.int64),
        ("the", np.int64),
        ("ed", np.int64),
        ("verbal", np.int64),  # Bitmask of the kinds that are verbs.
        ("unless", np.int64),  # The groups of `points` that count if none of their words follows.
    ]
)

FLAGS = {"third": THIRD, "personal": PERSONAL, "verb": VERB, "with i": WITH_I}
"""Bits of a word: a pronoun of the third person, a pronoun of the first or second person, a verb, a
word that begins with "i"."""


def note_terms(terms, begin, end, row, opening, met):
    """Write `row` to ``met[t]`` for each term t of sentence `row` that is new in its document.

    `opening` is the first sentence of the document.
    """
    for k in range(begin, end):
        if met[terms[k]] < opening:
            met[terms[k]] = cython.cast(int32_t, row)


def mark_word(has, codes, word, kind, place, is_last, layout):
    """Mark the features of one word in `has`: the word, its kind, and both again by position.

    The features of the sentence begin at ``has[codes]``.
    """
    kinds = codes + 2 * layout.n_codes
    if word.code > 0:
        has[codes + word.code - 1] = 1
        if place == 0:
            has[codes + layout.n_codes + word.code - 1] = 1
    has[kinds + kind] = 1
    if place < N_PLACES:
        has[kinds + (place + 1) * layout.n_kinds + kind] = 1
    if is_last:
        has[kinds + (N_PLACES + 1) * layout.n_kinds + kind] = 1


def count_content(count, kind, before, is_old, layout):
    """Count a content word, and whether it is old, new after "the", a name or a number."""
    count.content += 1.0
    count.old += is_old
    count.new += not is_old and before == layout.the and kind != layout.name
    count.names += kind == layout.name
    count.numbers += kind == layout.number


def count_verb(count, kind, place, layout):
    """Count a verb, and the words before the first one."""
    if count.verbs == 0.0:
        count.lead = cython.cast(cython.double, place)
    count.verbs += 1.0
    count.sure += kind != layout.ed


def find_features(
    known: Word[::1],
    words: Indices,
    terms: Indices,
    capital: Bools,
    indptr: Offsets,
    places: Offsets,
    asked: Bools,
    first: int64_t,
    layouts: Layout[::1],
    met: IndicesOut,
    has: BoolsOut,
    counts: Counts[::1],
) -> None:
    """Mark the function words and kinds of words of each sentence, and fill in its `counts`.

    Row r of `has` and ``counts[r]``, zero before, belong to sentence ``first + r``; they are
    written only for sentences marked in `asked`. ``places[i]`` is the number of sentences before
    sentence i in its document. ``met[t]`` is the first sentence with term t in the current
    document; -1 before the first call.

    A row of `has` holds one cell per function word, the same again for the first word of the
    sentence, and then one cell per kind: for all words, the first, the second and the last.
    """
    row: int64_t
    begin: int64_t
    end: int64_t
    kind: int64_t
    before: int64_t
    follows: int64_t
    third: int64_t
    content: int64_t
    layout = cython.address(layouts[0])
    with cython.nogil:
        for r in range(counts.shape[0]):
            row = first + r
            begin = indptr[row]
            end = indptr[row + 1]
            note_terms(terms, begin, end, row, row - places[row], met)
            if not asked[row]:
                continue
            count = cython.address(counts[r])
            third = content = kind = -1
            for k in range(begin, end):
                word = cython.address(known[words[k]])
                before = kind
                kind = word.kind
                if kind >= layout.n_closed:
                    if capital[k] and k > begin and kind != layout.number:
                        kind = layout.name
                    count_content(count, kind, before, met[terms[k]] < row, layout)
                    if content < 0:
                        content = k
                elif capital[k] and k > begin and not word.flags & WITH_I:
                    count.starts += 1.0
                mark_word(has, r * layout.n_features, word, kind, k - begin, k == end - 1, layout)
                count.twice += k > begin and words[k] == words[k - 1]
                count.again += k > begin + 1 and words[k] == words[k - 2]
                if word.flags & VERB or layout.verbal >> kind & 1:
                    count_verb(count, kind, k - begin, layout)
                if third < 0 and word.flags & THIRD:
                    third = k
                if word.flags & PERSONAL:
                    count.personal += 1.0
                follows = known[words[k + 1]].follows if k + 1 < end else 0
                if word.points & (follows ^ layout.unless):
                    count.points += 1.0
            count.words = cython.cast(cython.double, max(1, end - begin))
            count.third = third >= 0 and (content < 0 or third < content)


def find_signs(
    codes: Letters,
    numbers: Bools,
    starts: Offsets,
    ends: Offsets,
    signs: OffsetsOut,
    commas: OffsetsOut,
    asks: BoolsOut,
) -> None:
    """Write for each sentence a bitmask of its signs, its number of commas, whether it ends in "?".

    ``numbers[code]`` is the number of a sign, 0 for other characters; sign n is bit n - 1. A comma
    has the number 1.
    """
    number: int64_t
    found: int64_t
    count: int64_t
    with cython.nogil:
        for i in range(starts.shape[0]):
            found = 0
            count = 0
            for k in range(starts[i], ends[i]):
                number = numbers[codes[k]]
                if number > 0:
                    found |= cython.cast(int64_t, 1) << (number - 1)
                    count += number == COMMA_NUMBER
            signs[i] = found
            commas[i] = count
            asks[i] = ends[i] > starts[i] and codes[ends[i] - 1] == QUESTION_MARK


def mark_further(
    signs: Offsets,
    n_signs: int64_t,
    values: Table,
    value_of: Offsets,
    least: Floats,
    cells: Offsets,
    has: BoolsOut,
) -> None:
    """Mark in `has` the signs of each sentence, and the thresholds that its values reach.

    The marks of sentence i begin at ``has[cells[i]]``. Threshold s is reached if
    ``values[value_of[s], i]`` is at least ``least[s]``.
    """
    cell: int64_t
    with cython.nogil:
        for i in range(cells.shape[0]):
            cell = cells[i]
            for n in range(n_signs):
                has[cell + n] = signs[i] >> n & 1
            cell += n_signs
            for s in range(least.shape[0]):
                has[cell + s] = values[value_of[s], i] >= least[s]


def add_up(
    has: Bools, eights: Eights, width: int64_t, weights: Floats, table: Bools, totals: FloatsOut
) -> None:
    """Write the total weight of the features of each sentence, by the weight table ``table[i]``.

    `eights` is `has` read eight features at a time, so that eight missing features are skipped at
    once. Rows of `has` and of the weight tables have the length `width`, a multiple of eight.
    """
    eight: int64_t
    base: int64_t
    total: cython.double
    with cython.nogil:
        for i in range(totals.shape[0]):
            total = 0.0
            base = table[i] * width
            for e in range(width // AT_ONCE):
                if eights[i * (width // AT_ONCE) + e]:
                    eight = AT_ONCE * e
                    for k in range(AT_ONCE):
                        if has[i * width + eight + k]:
                            total += weights[base + eight + k]
            totals[i] = total
