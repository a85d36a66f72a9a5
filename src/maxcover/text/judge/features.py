"""Features: signs of whether a sentence can be read without the one before it. English.

Every feature is either present or absent. Features are computed from the numbered words of all
sentences at once, so a text of a megabyte takes a fraction of a second.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels import sentence_features as kernel
from maxcover.text.read.kinds import place_in_documents
from maxcover.text.words.codepoints import count_codes, pages
from maxcover.text.words.english import (
    ENDINGS,
    LEANING,
    PERSONAL,
    POINTING,
    THIRD,
    UNLESS,
    VERBS,
    WORDS,
)
from maxcover.text.words.terms import Terms

CLASS_OF: Final = {
    word: number for number, words in enumerate(WORDS.values()) for word in words.split()
}
_OPEN = ("number", "name", *ENDINGS, "word")
CLASSES: Final = (*WORDS, *_OPEN)
"""Kinds of words: function words by what they do, other words by their form and ending."""

_CODE_OF = {word: number for number, word in enumerate(CLASS_OF, start=1)}
_NUMBER, _WORD = CLASSES.index("number"), CLASSES.index("word")
_ENDING = tuple((CLASSES.index(name), endings) for name, endings in ENDINGS.items())
_VERBAL = ("is", "have", "do", "can", "it's", "think", "go", "said", "ed")
_OPENINGS = frozenset(opening.split()[0] for opening in LEANING)
_FIRST = ("First, ", "Firstly, ")
_OPENING_WORDS = (*_OPENINGS, "first")
# The first bit of each field of a `kernel.WORD`: kind, flags, code, points, follows.
_FIELDS_AT = (0, 8, 16, 32, 48)
_FLAGS_AT = _FIELDS_AT[1]
_FLAGGED = {"third": THIRD, "personal": PERSONAL, "verb": VERBS}
_WITH_I = kernel.FLAGS["with i"]
# Flag: a sentence that begins with this word may refer to a previous one (see `leans`). The kernel
# does not use it.
_MAY_LEAN = 128
_BEHIND = ',.;:!?)"”—'
_SIGNS = (",", ";", ":", "-", "—", '"', "“", "(", "'", "/", "%", "$", "@", ">", "?", "!")
_STEPS: dict[str, tuple[float, ...]] = {
    "words": (8, 11, 14, 18, 22, 27, 33, 42, 55),
    "content": (3, 4, 5, 6, 8, 10, 13, 17),
    "content share": (0.3, 0.36, 0.42, 0.48, 0.54, 0.6),
    "names": (1, 2, 3, 5),
    "numbers": (1, 2, 3),
    "commas": (1, 2, 3, 5),
    "word said twice": (1, 2),
    "word said again": (1, 2),
    "new after the": (1, 2, 3),
    "old content": (1, 2, 3, 5, 8),
    "old share": (0.2, 0.4, 0.6, 0.8),
    "place": (1, 2, 4, 8, 20, 60),
    "words before the verb": (1, 2, 3, 4, 6, 9),
    "no verb": (1,),
    "new start": (1,),
    "pronoun first": (1,),
    "asked before": (1,),
    "leans": (1,),
    "open clause": (1,),
    "no sure verb, short": (1,),
    "points": (1,),
    "personal, little content": (1,),
}
# Triples (words, next words, negated). One of the words refers to another sentence if one of the
# next words follows it. If negated, it does if none of the next words follows it.
_POINTERS = tuple(
    (frozenset(word for word in table if table[word] == others), frozenset(others.split()), negated)
    for table, negated in ((UNLESS, True), (POINTING, False))
    for others in dict.fromkeys(table.values())
)
# All words of the English word lists. Any other word is classified by how it begins and ends.
_LISTED = frozenset(CLASS_OF).union(THIRD, PERSONAL, VERBS, *(a | b for a, b, _ in _POINTERS))
_GROUPS = (
    *(f"{where} {word}" for where in ("has", "first") for word in CLASS_OF),
    *(f"{where} [{name}]" for where in ("has", "first", "second", "last") for name in CLASSES),
)
_SIGNED = tuple(f"sign {sign}" for sign in _SIGNS)
# `_LEAST` lists all thresholds of `_STEPS`. `_STEPPED` says which row of `_STEPS` each comes from.
_STEPPED = np.repeat(np.arange(len(_STEPS)), [len(steps) for steps in _STEPS.values()])
_LEAST = np.array([step for steps in _STEPS.values() for step in steps])
_COUNTED = tuple(f"{name} >= {step:g}" for name, steps in _STEPS.items() for step in steps)

BLOCK = 256
"""Features are computed for this many sentences at once, which bounds the memory."""

MOST_KNOWN = 50_000
"""Number of words whose properties are cached, in a few megabytes."""

NAMES: Final = (*_GROUPS, *_SIGNED, *_COUNTED)
"""The name of each feature, by feature number."""

WIDTH = -(-len(NAMES) // 8) * 8
"""Length of a row of features: a multiple of eight, because eight features are read at a time."""

# Features of a sentence that begins with a subordinate clause.
_CLAUSES = ("first [if]", *(f"first {word}" for word in ("because", "which", "who", "whether")))
_OPENS_CLAUSE = tuple(map(NAMES.index, _CLAUSES))
_LEANS = NAMES.index("leans >= 1")


def weigh_features(
    terms: Terms,
    said: Sequence[str],
    *,
    document: NDArray[np.int64],
    among: NDArray[np.int64],
    weights: NDArray[np.float64],
    table: NDArray[np.uint8],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the sum of each sentence's feature weights, and whether it refers to another one.

    Parameters are those of `find_features`, and two more. `weights` has one row of length `WIDTH`
    for each kind of sentence; `table` is the kind of each sentence.
    """
    totals, leaning = np.zeros(len(said)), np.zeros(len(said), np.bool_)
    for first, has in find_features(terms, said, document=document, among=among):
        rows = slice(first, first + len(has))
        flat = has.ravel()
        eights = flat.view(np.uint64)
        kernel.add_up(flat, eights, WIDTH, weights.ravel(), table[rows], totals[rows])
        leaning[rows] = has[:, _LEANS]
    return totals, leaning


def find_features(
    terms: Terms, said: Sequence[str], *, document: NDArray[np.int64], among: NDArray[np.int64]
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Yield (number of the first sentence, boolean matrix of features) for blocks of sentences.

    Entry (i, j) of the matrix says whether sentence ``first + i`` has feature j. Time is linear in
    the length of the text.

    Parameters
    ----------
    terms : Terms
        The words of all sentences.
    said : sequence of str
        All sentences.
    document : int64 array
        Document number of each sentence.
    among : int64 array
        Numbers of the sentences to judge, ascending.
    """
    known = terms.vocabulary.look_up(_look_up)
    asked = np.zeros(len(said), np.bool_)
    asked[among] = True
    places = place_in_documents(document)
    signs, commas, asks = _find_signs(said)
    asking = np.zeros(len(said), np.bool_)
    asking[1:] = asks[:-1] & (places[1:] > 0)
    leaning = _find_leaning(terms, said, known, among)
    noted = {"place": places, "asked before": asking, "leans": leaning, "commas": commas}
    met = np.full(len(terms.labels), -1, np.int32)
    words = (known.view(kernel.WORD), terms.words, terms.ids, terms.capital, terms.indptr)
    for first in range(0, len(said), BLOCK):
        block = slice(first, min(first + BLOCK, len(said)))
        counts = np.zeros(block.stop - first, kernel.COUNTS)
        has = np.zeros((counts.size, WIDTH), np.bool_)
        flat = has.ravel()
        kernel.find_features(*words, places, asked, first, _layout(), met, flat, counts)
        here = np.flatnonzero(asked[block])
        if not here.size:
            continue
        if here.size < counts.size:
            counts = counts[here]
        more = {name: values[block][here] for name, values in noted.items()}
        opened = np.logical_or.reduce([has[here, number] for number in _OPENS_CLAUSE])
        more["open clause"] = opened & (counts["verbs"] < 2) & (more["commas"] == 0)
        steps = (_to_values(counts, more), _STEPPED, _LEAST)
        cells = here * WIDTH + len(_GROUPS)
        kernel.mark_further(signs[block][here], len(_SIGNS), *steps, cells, flat)
        yield first, has


def _find_leaning(
    terms: Terms, said: Sequence[str], known: NDArray[np.int64], among: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return True for the sentences of `among` that refer to a previous one; see `leans`.

    Only sentences whose first word has the flag `_MAY_LEAN` are tested.
    """
    leaning = np.zeros(len(said), np.bool_)
    worded = among[np.diff(terms.indptr)[among] > 0]
    maybe = known[terms.words[terms.indptr[worded]]] & _MAY_LEAN << _FLAGS_AT != 0
    rows = worded[maybe]
    leaning[rows] = [leans(said[row]) for row in rows.tolist()]
    return leaning


@lru_cache(maxsize=MOST_KNOWN)
def _look_up(word: str) -> int:
    """Return the properties of a word: the fields of a `kernel.WORD` packed into one integer."""
    flags = _WITH_I if word.startswith("i") else 0
    # A longer word with the same beginning counts too: `leans` reads 40 characters and may cut a
    # word short.
    flags |= _MAY_LEAN if word.startswith(_OPENING_WORDS) else 0
    if word not in _LISTED:
        return _open_class(word) | flags << _FLAGS_AT
    kind = CLASS_OF[word] if word in CLASS_OF else _open_class(word)
    flags |= sum(kernel.FLAGS[name] for name, words in _FLAGGED.items() if word in words)
    points = sum(1 << bit for bit, (openers, _, _) in enumerate(_POINTERS) if word in openers)
    follows = sum(1 << bit for bit, (_, others, _) in enumerate(_POINTERS) if word in others)
    numbers = kind, flags, _CODE_OF.get(word, 0), points, follows
    return sum(number << bit for number, bit in zip(numbers, _FIELDS_AT, strict=True))


def _open_class(word: str) -> int:
    """Return the class of a content word: "number" for a leading digit, else by its ending."""
    if word[0].isdigit():
        return _NUMBER
    if len(word) > 3:
        for number, endings in _ENDING:
            if word.endswith(endings):
                return number
    return _WORD


@cache
def _layout() -> NDArray[np.void]:
    """Return the sizes and the class numbers that the kernel needs, as a `kernel.LAYOUT`."""
    kinds = [CLASSES.index(name) for name in ("number", "name", "the", "ed")]
    verbal = sum(1 << CLASSES.index(name) for name in _VERBAL)
    unless = sum(1 << bit for bit, (_, _, negated) in enumerate(_POINTERS) if negated)
    sizes = WIDTH, len(CLASS_OF), len(CLASSES), len(WORDS)
    return np.array([(*sizes, *kinds, verbal, unless)], kernel.LAYOUT)


def _find_signs(
    said: Sequence[str],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return for each sentence a bitmask of its signs, its comma count, and if it ends with "?"."""
    (signs, commas), asks = np.empty((2, len(said)), np.int64), np.empty(len(said), np.bool_)
    done = 0
    for page in pages(said):
        rows = slice(done, done + len(page.starts))
        numbers = _sign_numbers(count_codes(page.letters))
        kernel.find_signs(page.letters, numbers, *page[1:], signs[rows], commas[rows], asks[rows])
        done = rows.stop
    return signs, commas, asks


@cache
def _sign_numbers(n_codes: int) -> NDArray[np.uint8]:
    """Return for each of the first `n_codes` code points its number in `_SIGNS`, from 1, or 0."""
    numbers = np.zeros(n_codes, np.uint8)
    for number, sign in enumerate(_SIGNS, start=1):
        if ord(sign) < n_codes:
            numbers[ord(sign)] = number
    return numbers


def _to_values(
    counts: NDArray[np.void], more: Mapping[str, NDArray[np.generic]]
) -> NDArray[np.float64]:
    """Return the values to compare with `_STEPS`: a row per entry of it, a column per sentence."""
    content = counts["content"]
    values = {
        "words": counts["words"],
        "content": content,
        "content share": content / counts["words"],
        "names": counts["names"],
        "numbers": counts["numbers"],
        "word said twice": counts["twice"],
        "word said again": counts["again"],
        "new after the": counts["new"],
        "old content": counts["old"],
        "old share": counts["old"] / np.maximum(1.0, content),
        "words before the verb": counts["lead"],
        "no verb": counts["verbs"] == 0,
        "new start": counts["starts"],
        "pronoun first": counts["third"],
        "no sure verb, short": (counts["sure"] == 0) & (counts["words"] < 11),
        "points": counts["points"],
        "personal, little content": (counts["personal"] > 0) & (content < 4),
        **more,
    }
    return np.array([values[name] for name in _STEPS], np.float64)


def leans(text: str) -> bool:
    """Return True if a sentence begins with a connective or a pronoun that refers to another one.

    Examples
    --------
    >>> leans("However, it was closed."), leans("In addition, ferries start."), leans("A crane.")
    (True, True, False)
    >>> leans("In addition to cranes, ferries start."), leans("Both cranes and ferries stop.")
    (False, False)
    """
    if text.startswith(_FIRST):
        return True
    words = text[:40].lower().replace("\u2019", "'").strip("\"'([*“‘ ").split()[:3]
    if not words or words[0].strip(_BEHIND) not in _OPENINGS:
        return False
    words = [word.strip(_BEHIND) for word in words]
    if words == ["in", "addition", "to"] or (words[0] == "both" and " and " in text[:60]):
        return False
    return words[0] in LEANING or any(
        " ".join(words[:count]) in LEANING for count in range(2, len(words) + 1)
    )
