"""Features: what tells whether a sentence can be read without the one before it. English.

Every feature is there or not. They are read off the numbered words of all sentences at once, so a
text of a megabyte takes a fraction of a second.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxcover.core.ascending import is_new
from maxcover.text.letters import batches, places_of, to_letters
from maxcover.text.terms import Terms
from maxcover.text.wordlists import (
    ENDINGS,
    LEANING,
    PERSONAL,
    POINTING,
    THIRD,
    UNLESS,
    VERBS,
    WORDS,
)

CLASS_OF: Final = {
    word: number for number, words in enumerate(WORDS.values()) for word in words.split()
}
_OPEN = ("number", "name", *ENDINGS, "word")
CLASSES: Final = (*WORDS, *_OPEN)
"""Kinds of word: function words by what they do, others by how they are written and end."""

_CODE_OF = {word: number for number, word in enumerate(CLASS_OF)}
_N_CLOSED = len(WORDS)
_NUMBER, _NAME, _WORD = (CLASSES.index(name) for name in ("number", "name", "word"))
_ENDING = tuple((CLASSES.index(name), endings) for name, endings in ENDINGS.items())
_THE = CLASSES.index("the")
_VERBAL = tuple(
    CLASSES.index(name) for name in ("is", "have", "do", "can", "it's", "think", "go", "said", "ed")
)
_ED = CLASSES.index("ed")
_IF = CLASSES.index("if")
_CLAUSE = tuple(_CODE_OF[word] for word in ("because", "which", "who", "whether"))
_OPENINGS = frozenset(opening.split()[0] for opening in LEANING)
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
_GROUPS = (
    *(f"{where} {word}" for where in ("has", "first") for word in CLASS_OF),
    *(f"{where} [{name}]" for where in ("has", "first", "second", "last") for name in CLASSES),
)
_SIGNED = tuple(f"sign {sign}" for sign in _SIGNS)
_COUNTED = tuple(f"{name} >= {step:g}" for name, steps in _STEPS.items() for step in steps)

BLOCK = 4096
"""Sentences whose features are numbered at once, which bounds the memory."""

NAMES: Final = (*_GROUPS, *_SIGNED, *_COUNTED)
"""Of all features, by number."""


class Features(NamedTuple):
    """Pairs of a sentence and a feature that it has, each pair once."""

    rows: NDArray[np.int32]
    ids: NDArray[np.int16]


def find_features(
    terms: Terms, said: Sequence[str], *, document: NDArray[np.int64], among: NDArray[np.int64]
) -> Features:
    """List the features of some sentences.

    Parameters
    ----------
    terms : Terms
        The words of all sentences.
    said : sequence of str
        All sentences.
    document : int64 array
        The document of each.
    among : int64 array
        Those asked about, ascending.

    Notes
    -----
    Time is linear in the length of the text, but for sorting.
    """
    words = _classify(terms)
    counts = _count(terms, said, document=document, words=words, among=among)
    rows, ids = [np.empty(0, np.int32)], [np.empty(0, np.int16)]
    for start in range(0, among.size, BLOCK):
        keys = _keys(terms, said, words=words, counts=counts, among=among[start : start + BLOCK])
        rows.append((keys // len(NAMES)).astype(np.int32))
        ids.append((keys % len(NAMES)).astype(np.int16))
    return Features(np.concatenate(rows), np.concatenate(ids))


def _keys(
    terms: Terms,
    said: Sequence[str],
    *,
    words: "_Words",
    counts: dict[str, NDArray[np.float64]],
    among: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Give the pairs of some sentences and their features as numbers, ascending, each once."""
    asked = np.zeros(len(said), np.bool_)
    asked[among] = True
    span = slice(terms.indptr[among[0]], terms.indptr[among[-1] + 1])
    parts = _word_parts(terms.rows[span], words.code[span], words.kind[span], asked)
    parts += _sign_parts(said, among)
    number = len(_GROUPS) + len(_SIGNS)
    for name, steps in _STEPS.items():
        for step in steps:
            found = among[counts[name][among] >= step]
            parts.append((found, np.full(found.size, number)))
            number += 1
    keys = np.sort(np.concatenate([row * len(NAMES) + ids for row, ids in parts]))
    return np.asarray(keys[is_new(keys)])


class _Word(NamedTuple):
    """What is known of a word by itself.

    Attributes
    ----------
    code : int
        Its number among the function words, or -1.
    kind : int
        Its number among `CLASSES`.
    third, personal, verb, i : bool
        Whether it is a pronoun of the third person, one of the others, a verb, and begins with i.
    """

    code: int
    kind: int
    third: bool
    personal: bool
    verb: bool
    i: bool


@lru_cache(maxsize=1 << 16)
def _look_up(word: str) -> _Word:
    return _Word(
        _CODE_OF.get(word, -1),
        CLASS_OF[word] if word in CLASS_OF else _open_class(word),
        word in THIRD,
        word in PERSONAL,
        word in VERBS,
        word.startswith("i"),
    )


class _Words(NamedTuple):
    """The same of all words in their order, as columns; a name is one only where it stands."""

    code: NDArray[np.int16]
    kind: NDArray[np.int16]
    third: NDArray[np.bool_]
    personal: NDArray[np.bool_]
    verb: NDArray[np.bool_]
    i: NDArray[np.bool_]


def _classify(terms: Terms) -> _Words:
    """Look up every word, and tell names by their capitals within sentences."""
    known = np.array([*map(_look_up, terms.vocabulary)], np.int16).reshape(-1, len(_Word._fields))
    code, kind, *flags = known.T[:, terms.words]
    third, personal, verb, i = (flag.astype(np.bool_) for flag in flags)
    named = terms.capital & ~_starts(terms) & (kind >= _N_CLOSED) & (kind != _NUMBER)
    kind = np.where(named, _NAME, kind)
    return _Words(code, kind, third, personal, verb | np.isin(kind, _VERBAL), i)


def _starts(terms: Terms) -> NDArray[np.bool_]:
    """Tell which words are the first of their sentences."""
    first = np.zeros(terms.words.size, np.bool_)
    first[terms.indptr[:-1][np.diff(terms.indptr) > 0]] = True
    return first


def _open_class(word: str) -> int:
    """Tell the kind of a word with content by how it begins and ends."""
    if word[0].isdigit():
        return _NUMBER
    if len(word) > 3:
        for number, endings in _ENDING:
            if word.endswith(endings):
                return number
    return _WORD


def _sign_parts(
    said: Sequence[str], among: NDArray[np.int64]
) -> list[tuple[NDArray[np.int64], NDArray[np.signedinteger]]]:
    """List which signs stand in which sentences."""
    rows = iter(among.tolist())
    parts: list[tuple[NDArray[np.int64], NDArray[np.signedinteger]]] = []
    for some in batches(said[row] for row in among.tolist()):
        letters, (_, ends) = to_letters("\n".join(some)), places_of(some)
        where = np.fromiter(rows, np.int64, len(some))
        for number, sign in enumerate(_SIGNS, start=len(_GROUPS)):
            places = np.flatnonzero(letters == ord(sign))
            found = where[np.searchsorted(ends, places)]
            parts.append((found, np.full(found.size, number)))
    return parts


def _word_parts(
    rows: NDArray[np.int32],
    code: NDArray[np.int16],
    kind: NDArray[np.int16],
    asked: NDArray[np.bool_],
) -> list[tuple[NDArray[np.int64], NDArray[np.signedinteger]]]:
    """List which sentences have, and begin and end with, which words and kinds of word."""
    inside = asked[rows]
    where, code, kind = rows[inside].astype(np.int64), code[inside], kind[inside]
    everywhere = np.ones(where.size, np.bool_)
    first = is_new(where)
    second, last = np.zeros(where.size, np.bool_), np.ones(where.size, np.bool_)
    second[1:] = first[:-1] & ~first[1:]
    last[:-1] = first[1:]
    parts: list[tuple[NDArray[np.int64], NDArray[np.signedinteger]]] = []
    for number, mask in enumerate((everywhere & (code >= 0), first & (code >= 0))):
        parts.append((where[mask], code[mask] + number * len(CLASS_OF)))
    for number, mask in enumerate((everywhere, first, second, last)):
        parts.append((where[mask], kind[mask] + 2 * len(CLASS_OF) + number * len(CLASSES)))
    return parts


def _count(
    terms: Terms,
    said: Sequence[str],
    *,
    document: NDArray[np.int64],
    words: _Words,
    among: NDArray[np.int64],
) -> dict[str, NDArray[np.float64]]:
    """Count what `_STEPS` has steps for, of every sentence."""
    n_rows, rows = len(said), terms.rows

    def total(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.bincount(rows[mask], minlength=n_rows).astype(np.float64)

    def of_texts(count: Callable[[str], float]) -> NDArray[np.float64]:
        values = np.zeros(n_rows)
        values[among] = [count(said[row]) for row in among.tolist()]
        return values

    kind = words.kind
    content = kind >= _N_CLOSED
    verb = _first(rows, words.verb, n_rows)
    restart = terms.capital & ~content & ~words.i & ~_starts(terms)
    before = _said_before(terms, document)
    after_the = _again(terms, kind, 1, of=_THE)
    length, n_content = np.maximum(1.0, np.diff(terms.indptr)), total(content)
    old = total(content & before)
    unsure = total(words.verb & (kind != _ED)) == 0
    commas = of_texts(lambda text: text.count(","))
    prior = np.zeros(n_rows)
    prior[1:] = [text.endswith("?") for text in said[:-1]]
    starts = np.flatnonzero(is_new(document))
    place = np.arange(n_rows) - np.repeat(starts, np.diff(np.append(starts, n_rows)))
    return {
        "words": length,
        "content": n_content,
        "content share": n_content / length,
        "names": total(kind == _NAME),
        "numbers": total(kind == _NUMBER),
        "commas": commas,
        "word said twice": total(_again(terms, terms.words, 1)),
        "word said again": total(_again(terms, terms.words, 2)),
        "new after the": total(after_the & content & ~before & (kind != _NAME)),
        "old content": old,
        "old share": old / np.maximum(1.0, n_content),
        "place": place.astype(np.float64),
        "words before the verb": np.where(verb < rows.size, verb - terms.indptr[:-1], 0),
        "no verb": verb == rows.size,
        "new start": total(restart),
        "pronoun first": _first(rows, words.third, n_rows) < _first(rows, content, n_rows),
        "asked before": prior * (place > 0),
        "leans": of_texts(leans),
        "open clause": _open_clauses(terms, words, n_rows) & (commas == 0),
        "no sure verb, short": unsure & (length < 11),
        "points": total(_points(terms)),
        "personal, little content": (total(words.personal) > 0) & (n_content < 4),
    }


def _again(
    terms: Terms, values: NDArray[np.signedinteger], gap: int, of: int | None = None
) -> NDArray[np.bool_]:
    """Tell of each word whether the one `gap` before it, in its sentence, is the same, or `of`."""
    found = np.zeros(values.size, np.bool_)
    rows = terms.rows
    same = values[:-gap] == (values[gap:] if of is None else of)
    found[gap:] = same & (rows[gap:] == rows[:-gap])
    return found


def _said_before(terms: Terms, document: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell of each word whether an earlier sentence of its document has it."""
    rows = terms.rows
    key = document[rows] * max(1, len(terms.labels)) + terms.ids
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return np.asarray(rows[first][inverse] < rows)


def _first(rows: NDArray[np.int32], mask: NDArray[np.bool_], n_rows: int) -> NDArray[np.int64]:
    """Return where the first marked word of each sentence stands, or the number of words."""
    first = np.full(n_rows, rows.size)
    places = np.flatnonzero(mask)[::-1]
    first[rows[places]] = places
    return first


def _open_clauses(terms: Terms, words: _Words, n_rows: int) -> NDArray[np.bool_]:
    """Tell which sentences begin as a clause that needs another, and have one verb at most."""
    begins = _starts(terms) & ((words.kind == _IF) | np.isin(words.code, _CLAUSE))
    found = np.bincount(terms.rows[begins], minlength=n_rows) > 0
    return np.asarray(found & (np.bincount(terms.rows[words.verb], minlength=n_rows) < 2))


def _points(terms: Terms) -> NDArray[np.bool_]:
    """Tell of each word whether it stands for something that is said elsewhere."""
    number = {word: place for place, word in enumerate(terms.vocabulary)}
    rows, found = terms.rows, np.zeros(terms.words.size, np.bool_)
    following = np.full(found.size, -1)
    following[:-1] = np.where(rows[1:] == rows[:-1], terms.words[1:], -1)
    for table, kept in ((UNLESS, False), (POINTING, True)):
        for word, others in table.items():
            if word in number:
                here = np.flatnonzero(terms.words == number[word])
                among = [number[other] for other in others.split() if other in number]
                found[here] |= np.isin(following[here], among) == kept
    return found


def leans(text: str) -> bool:
    """Tell whether a sentence begins with a connective or pronoun, which points at another one.

    Examples
    --------
    >>> leans("However, it was closed."), leans("In addition, ferries start."), leans("A crane.")
    (True, True, False)
    >>> leans("In addition to cranes, ferries start."), leans("Both cranes and ferries stop.")
    (False, False)
    """
    if text.startswith(("First, ", "Firstly, ")):
        return True
    words = text[:40].lower().replace("\u2019", "'").strip("\"'([*“‘ ").split()[:3]
    if not words or words[0].strip(_BEHIND) not in _OPENINGS:
        return False
    words = [word.strip(_BEHIND) for word in words]
    if words == ["in", "addition", "to"] or (words[0] == "both" and " and " in text[:60]):
        return False
    return any(" ".join(words[:count]) in LEANING for count in range(1, len(words) + 1))
