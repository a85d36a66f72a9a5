"""Vocabulary: spellings, words, stems and concepts by number; names are made when needed.

Words of earlier texts are cached, so that the next text need not stem them again.
"""

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import count, islice
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from maxcover.texts.kernels import letters as kernel
from maxcover.texts.words.codepoints import Int64s, Letters, Page, count_codes, pages, to_text
from maxcover.texts.words.stems import stem_words
from maxcover.texts.words.tokens import find_word_characters, normalize

Int32s = NDArray[np.int32]

_UNKNOWN = -1
# Number of functions whose results are cached at a time. There may be many functions, because each
# list of stop words that a caller passes makes a new one.
_MOST_FUNCTIONS = 16


class WordList:
    """A growing list of words, and a cache of function results for each word."""

    __slots__ = ("_told", "words")

    def __init__(self, words: Sequence[str] = ()) -> None:
        self.words = list(words)
        self._told: dict[Hashable, NDArray[np.int64]] = {}

    def tell(
        self, function: Callable[[str], int], key: Hashable, numbers: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Return ``function(word)`` for each word number; results are cached under `key`.

        Two threads that ask at the same time may both call the function.
        """
        told = self._told.get(key)
        if told is None or len(told) < len(self.words):
            grown = np.full(2 * len(self.words), _UNKNOWN)
            if told is not None:
                grown[: len(told)] = told
            if len(self._told) > _MOST_FUNCTIONS:
                self._told.clear()
            self._told[key] = told = grown
        found = told[numbers]
        missing = found == _UNKNOWN
        if missing.any():
            new = numbers[missing]
            words = self.words
            told[new] = found[missing] = [function(words[number]) for number in new.tolist()]
        return found


class WordNames(Sequence[str]):
    """A selection of words from a `WordList`; it compares equal to a list of the same words.

    The words are looked up only when they are read; most summaries never read them.

    Examples
    --------
    >>> names = WordNames(WordList(["cat", "dog", "sat"]), np.array([2, 0], np.int32))
    >>> names, names[1], len(names), names.look_up(len)
    (['sat', 'cat'], 'cat', 2, array([3, 3]))
    """

    __slots__ = ("_numbers", "_origin")

    def __init__(self, origin: WordList, numbers: NDArray[np.int32]) -> None:
        self._origin = origin
        self._numbers = numbers

    def look_up(
        self, function: Callable[[str], int], key: Hashable | None = None
    ) -> NDArray[np.int64]:
        """Return ``function(word)``, an integer of at least 0, for each word; results are cached.

        Results are cached under `key`, by default the function itself. Pass a `key` if the function
        is a new object at each call.
        """
        return self._origin.tell(function, function if key is None else key, self._numbers)

    def pick(self, places: NDArray[np.int32]) -> list[str]:
        """Return the words at `places`; this is faster than reading them one by one."""
        return list(map(self._origin.words.__getitem__, self._numbers[places].tolist()))

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        """Return the word at an index, or the list of words of a slice."""
        if isinstance(place, slice):
            return list(self)[place]
        return self._origin.words[int(self._numbers[place])]

    def __iter__(self) -> Iterator[str]:
        return map(self._origin.words.__getitem__, self._numbers.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordNames | list):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment] # unhashable, like a list

    def __repr__(self) -> str:
        return repr(list(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only the selected words, not the whole word list."""
        return WordNames, (WordList(list(self)), np.arange(len(self), dtype=np.int32))


class ConceptNames(Sequence[Hashable]):
    """The labels of concepts (words and pairs of words); it compares equal to a list of labels.

    Labels are made only when they are read: a short summary reads a few of thousands.

    Parameters
    ----------
    names : sequence
        Words, or a caller's own concepts.
    left, right : int32 arrays
        Label k is ``names[left[k]]``; if ``right[k]`` is not -1, followed by ``names[right[k]]``.

    Examples
    --------
    >>> labels = ConceptNames(["cat", "sat"], np.array([0, 1, 0]), np.array([-1, -1, 1]))
    >>> labels, labels[-1], labels.only(np.array([2, 0]))
    (['cat', 'sat', 'cat sat'], 'cat sat', ['cat sat', 'cat'])
    """

    __slots__ = ("_left", "_names", "_right")

    def __init__(self, names: Sequence[Hashable], left: Int32s, right: Int32s) -> None:
        self._names = names
        self._left = left
        self._right = right

    @classmethod
    def of(cls, names: Sequence[Hashable]) -> "ConceptNames":
        """Make the labels of concepts that are single names, without pairs."""
        numbers = np.arange(len(names), dtype=np.int32)
        return cls(names, numbers, np.full_like(numbers, -1))

    def only(self, numbers: Int32s | NDArray[np.int64]) -> "ConceptNames":
        """Return the labels with these numbers, in this order."""
        return ConceptNames(self._names, self._left[numbers], self._right[numbers])

    def __add__(self, other: "ConceptNames") -> "ConceptNames":
        """Return these labels followed by those of `other`, which must have the same `names`."""
        left, right = (
            np.concatenate(sides)
            for sides in ((self._left, other._left), (self._right, other._right))
        )
        return ConceptNames(self._names, left, right)

    def __len__(self) -> int:
        return len(self._left)

    @overload
    def __getitem__(self, place: int) -> Hashable: ...
    @overload
    def __getitem__(self, place: slice) -> list[Hashable]: ...
    def __getitem__(self, place: int | slice) -> Hashable | list[Hashable]:
        """Return the label at an index, or the list of labels of a slice."""
        if isinstance(place, slice):
            return list(self)[place]
        left, right = self._left[place], self._right[place]
        return self._names[left] if right < 0 else f"{self._names[left]} {self._names[right]}"

    def __iter__(self) -> Iterator[Hashable]:
        lefts, rights = self._pick(self._left), self._pick(np.maximum(self._right, 0))
        sides = zip(lefts, rights, (self._right >= 0).tolist(), strict=True)
        return iter([f"{left} {right}" if pair else left for left, right, pair in sides])

    def _pick(self, numbers: Int32s) -> list[Hashable] | list[str]:
        names = self._names
        if isinstance(names, WordNames):
            return names.pick(numbers)
        return [names[number] for number in numbers.tolist()]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConceptNames | list):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment] # unhashable, like a list

    def __repr__(self) -> str:
        return repr(list(self))


_Item = TypeVar("_Item", bound=np.generic)
# A line that contains a non-ASCII character.
_BEYOND_ASCII = re.compile(r"^[\x00-\x09\x0b-\x7f]*[^\x00-\x7f].*$", re.MULTILINE)

# Characters that may be inside a word or number.
_APOSTROPHES, _POINTS = "'\u2019", ".,"
# Typographic quotation marks and dashes, which occur in texts that are otherwise ASCII.
_SIGNS = "\u2018\u201c\u201d\u2013\u2014"


class Spellings:
    """A table that numbers distinct spellings by first appearance."""

    def __init__(self) -> None:
        self._known = 0
        self._slots: Int32s = np.full(1 << 10, -1, np.int32)
        self._letters: Letters = np.empty(1 << 12, np.uint32)
        self._until: Int64s = np.zeros(1 << 9, np.int64)

    def __len__(self) -> int:
        return self._known

    @property
    def n_letters(self) -> int:
        """The total number of letters of all spellings."""
        return int(self._until[self._known])

    def read(
        self, letters: Letters, starts: Int64s, ends: Int64s, *, elides: bool, loose: bool = False
    ) -> tuple[Int32s, Int64s]:
        """Return the spelling number of each run of word characters (see `tokens.find_runs`).

        Parameters
        ----------
        letters : uint32 array
            The code points of a text.
        starts, ends : int64 arrays (n_sentences)
            Offsets of the sentences in `letters`.
        elides : bool
            An apostrophe separates words.
        loose : bool
            A point or comma between digits separates words. In a sentence that is ASCII except for
            typographic signs, an apostrophe is a letter wherever it occurs.

        Returns
        -------
        runs : int32 array
            The number of each run's spelling, sentence after sentence.
        until : int64 array (n_sentences + 1)
            Sentence i has the runs ``until[i]:until[i + 1]``.
        """
        most = int((ends - starts).sum() + 1) // 2 + len(starts)
        begins, stops = np.empty((2, most), np.int64)
        until = np.empty(len(starts) + 1, np.int64)
        classes = _classes(elides, count_codes(letters))
        n_runs = kernel.find_runs(letters, classes, starts, ends, loose, begins, stops, until)
        begins, stops = begins[:n_runs], stops[:n_runs]
        self._make_room(n_runs, int((stops - begins).sum()))
        runs = np.empty(n_runs, np.int32)
        held = (self._slots, self._letters, self._until)
        self._known = kernel.number_runs(letters, begins, stops, *held, self._known, runs)
        return runs, until

    def since(self, first: int) -> list[str]:
        """List the spellings from number `first` on."""
        until = self._until[first : self._known + 1]
        lengths = np.diff(until)
        # Join the spellings by line ends, which no spelling contains, to decode them all at once.
        lines = np.full(until[-1] - until[0] + len(lengths), ord("\n"), np.uint32)
        places = np.arange(until[0], until[-1])
        lines[places - until[0] + np.repeat(np.arange(len(lengths)), lengths)] = self._letters[
            places
        ]
        return to_text(lines).split("\n")[:-1]

    def _make_room(self, n_runs: int, n_letters: int) -> None:
        """Enlarge the arrays for `n_runs` new spellings with `n_letters` letters in total."""
        self._letters = longer(self._letters, int(self._until[self._known]) + n_letters)
        most = self._known + n_runs
        self._until = longer(self._until, most + 1)
        if 2 * most > len(self._slots):
            self._slots = np.full(1 << (2 * most).bit_length(), -1, np.int32)
            kernel.fill_slots(self._letters, self._until, self._known, self._slots)


def longer(values: NDArray[_Item], least: int) -> NDArray[_Item]:
    """Return `values` with at least `least` entries; an array that has to grow at least doubles."""
    if least <= len(values):
        return values
    grown = np.zeros(max(least, 2 * len(values)), values.dtype)
    grown[: len(values)] = values
    return grown


@cache
def _classes(elides: bool, n_codes: int) -> NDArray[np.uint8]:
    """Return the class (letter, digit, apostrophe, ...) of each of the first `n_codes` code points.

    The table of all code points takes a while, so it is made only if a text needs it.
    """
    known: dict[str, int] = kernel.CLASSES
    is_word = find_word_characters(n_codes)
    classes = np.full(n_codes, known["separator"], np.uint8)
    classes[is_word] = known["letter"]
    is_digit = np.char.isdecimal(np.arange(n_codes, dtype=np.uint32).view("U1"))
    classes[is_digit] = known["digit"]
    apostrophe = "separator" if elides else "apostrophe"
    signs = {_APOSTROPHES: apostrophe, _POINTS: "digit joint", _SIGNS: "typography"}
    for some, kind in signs.items():
        classes[[ord(sign) for sign in some if ord(sign) < n_codes]] = known[kind]
    return classes


MOST_SPELLINGS, MOST_LETTERS = 50_000, 500_000
"""A lexicon with more spellings or more letters than this is discarded after the text that made it
so large. So at most a few megabytes are cached."""

_held: dict[str | None, "Lexicon"] = {}


class Lexicon:
    """Numbered spellings, the words of each spelling, and the stem of each word.

    `words_of` turns a spelling into words. It is called only for spellings that match `odd`; each
    other spelling is one word, in lower case. Numbers depend on the texts that were read before;
    `maxcover.texts.words.terms` numbers the words of each collection anew.

    Attributes
    ----------
    words, stems : WordList
    """

    def __init__(
        self,
        stemmer: str | None,
        words_of: Callable[[str], Sequence[str]] = normalize,
        odd: re.Pattern[str] = _BEYOND_ASCII,
    ) -> None:
        self._stemmer, self._words_of, self._odd = stemmer, words_of, odd
        self._spellings = Spellings()
        self._numbers, self._stem_numbers = _numbering(), _numbering()
        self.words, self.stems = WordList(), WordList()
        # The words of spelling k are `_flat[_until[k]:_until[k + 1]]`. `_capital[k]` says whether
        # it begins with a capital. `_stem_of` has the stem of each word.
        self._until, self._capital = array("q", [0]), array("b")
        self._flat, self._stem_of = array("i"), array("i")

    @property
    def is_large(self) -> bool:
        """True if the lexicon is too large to be kept for the next text."""
        return len(self._spellings) > MOST_SPELLINGS or self._spellings.n_letters > MOST_LETTERS

    def read(
        self, sentences: Iterable[str], *, elides: bool
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the spelling number of each run, and the offset of each sentence's first run."""
        parts: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
        until: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
        for page in pages(sentences):
            runs, ends = self.read_page(page, elides=elides)
            until.append(ends[1:] + until[-1][-1])
            parts.append(runs)
        return np.concatenate(parts), np.concatenate(until)

    def read_page(
        self, page: Page, *, elides: bool, loose: bool = False
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Read the sentences of a page as `Spellings.read` does, and add their new words."""
        found = self._spellings.read(*page, elides=elides, loose=loose)
        if len(self._spellings) > len(self._capital):
            self._learn(self._spellings.since(len(self._capital)))
        return found

    def find_stems(self, words: Sequence[str]) -> list[int]:
        """Return the numbers of the stems of `words`; stems not seen so far are left out."""
        numbers = map(self._stem_numbers.get, stem_words(words, self._stemmer))
        return [number for number in numbers if number is not None]

    def _learn(self, spellings: list[str]) -> None:
        """Add new spellings with their words and stems; most spellings are one word."""
        joined = "\n".join(spellings)
        lower, given = joined.lower().split("\n"), []
        sizes = np.ones(len(spellings), np.int64)
        row = place = done = 0
        for found in self._odd.finditer(joined):
            row, place = row + joined.count("\n", place, found.start()), found.start()
            words = self._words_of(spellings[row])
            given += lower[done:row]
            given += words
            sizes[row], done = len(words), row + 1
        given += lower[done:]
        self._until.frombytes((np.cumsum(sizes) + self._until[-1]).tobytes())
        self._capital.extend([spelling[0].isupper() for spelling in spellings])
        words = self.words.words
        n_words = len(words)
        self._flat.extend(_number(given, self._numbers, words))
        stems = stem_words(words[n_words:], self._stemmer)
        self._stem_of.extend(_number(stems, self._stem_numbers, self.stems.words))

    @property
    def until(self) -> NDArray[np.int64]:
        """Offsets into `flat`: the words of spelling k are ``flat[until[k]:until[k + 1]]``."""
        return np.frombuffer(self._until, np.int64)

    @property
    def flat(self) -> NDArray[np.int32]:
        """The word numbers of all spellings, one spelling after another; see `until`."""
        return np.frombuffer(self._flat, np.int32)

    @property
    def capital(self) -> NDArray[np.bool_]:
        """Which spellings begin with a capital letter."""
        return np.frombuffer(self._capital, np.bool_)

    @property
    def stem_of(self) -> NDArray[np.int32]:
        """The stem number of each word."""
        return np.frombuffer(self._stem_of, np.int32)


@contextmanager
def borrow_lexicon(stemmer: str | None) -> Iterator[Lexicon]:
    """Lend the cached lexicon of a stemmer; while it is lent, other callers get a new one."""
    lexicon = _held.pop(stemmer, None) or Lexicon(stemmer)
    yield lexicon
    if not lexicon.is_large:
        _held[stemmer] = lexicon


def _numbering() -> defaultdict[str, int]:
    """Make a dictionary that gives each new string the next number.

    It must not refer to itself: then only the cycle collector would free a lexicon of megabytes.
    """
    return defaultdict(count().__next__)


def _number(items: list[str], index: defaultdict[str, int], names: list[str]) -> list[int]:
    """Return the number of each string of `items`; append each new string to `names`."""
    numbers = list(map(index.__getitem__, items))
    n_new = len(index) - len(names)
    names.extend([*islice(reversed(index), n_new)][::-1])
    return numbers
