"""Vocabulary: spellings, words, stems and concepts by number, written out when somebody reads them.

Words that were met before are kept, so that no text pays for the words of the last one.
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

from maxcover.kernels import letters as kernel
from maxcover.text.words.codepoints import Int64s, Letters, Page, count_codes, pages, to_text
from maxcover.text.words.stems import stem_words
from maxcover.text.words.tokens import find_word_characters, normalize

Int32s = NDArray[np.int32]

_UNKNOWN = -1
# Functions whose answers are kept; a caller's own lists of stop words would be ever more.
_MOST_FUNCTIONS = 16


class WordList:
    """Words by number, of which there are ever more, and what is known of each."""

    __slots__ = ("_told", "words")

    def __init__(self, words: Sequence[str] = ()) -> None:
        self.words = list(words)
        self._told: dict[Hashable, NDArray[np.int64]] = {}

    def tell(
        self, function: Callable[[str], int], key: Hashable, numbers: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Return what a function says of words; it is called once for each word.

        `key` names the function. Two threads that ask at the same time may both call it.
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
    """Some words of a word list, numbered from 0; equal to a list of the same words.

    The words are looked up when somebody reads them, which most summaries never need.

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
        """Return what a function says of each word, zero or more; the answers are kept.

        `key` stands for the function where that is made anew each time.
        """
        return self._origin.tell(function, function if key is None else key, self._numbers)

    def pick(self, places: NDArray[np.int32]) -> list[str]:
        """List some of the words, which is faster than one by one."""
        return list(map(self._origin.words.__getitem__, self._numbers[places].tolist()))

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        """Give one word, or a list of them."""
        if isinstance(place, slice):
            return list(self)[place]
        return self._origin.words[int(self._numbers[place])]

    def __iter__(self) -> Iterator[str]:
        return map(self._origin.words.__getitem__, self._numbers.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordNames | list):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment] # as of a list

    def __repr__(self) -> str:
        return repr(list(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Send these words to another process, not all of the list."""
        return WordNames, (WordList(list(self)), np.arange(len(self), dtype=np.int32))


class ConceptNames(Sequence[Hashable]):
    """Words and pairs of words by number; equal to the list of their names.

    A summary of a few sentences names a few of thousands of concepts.

    Parameters
    ----------
    names : sequence
        Words, or whatever a caller's concepts are.
    left, right : int32 arrays
        Label k is ``names[left[k]]``; if ``right[k]`` is not -1, it is a pair with that one.

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
        """Take names as they are."""
        numbers = np.arange(len(names), dtype=np.int32)
        return cls(names, numbers, np.full_like(numbers, -1))

    def only(self, numbers: Int32s | NDArray[np.int64]) -> "ConceptNames":
        """Return some of them, in this order."""
        return ConceptNames(self._names, self._left[numbers], self._right[numbers])

    def __add__(self, other: "ConceptNames") -> "ConceptNames":
        """Return these and others, which have the same names."""
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
        """Give one label, or a list of them."""
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

    __hash__ = None  # type: ignore[assignment] # as of a list

    def __repr__(self) -> str:
        return repr(list(self))


_Item = TypeVar("_Item", bound=np.generic)
# Lines that hold more than ASCII.
_BEYOND_ASCII = re.compile(r"^[\x00-\x09\x0b-\x7f]*[^\x00-\x7f].*$", re.MULTILINE)

# Signs that have a class of their own.
_APOSTROPHES, _POINTS = "'\u2019", ".,"
# They stand in texts that are ASCII otherwise.
_SIGNS = "\u2018\u201c\u201d\u2013\u2014"


class Spellings:
    """Numbers the spellings that it meets, by first appearance, and keeps them."""

    def __init__(self) -> None:
        self._known = 0
        self._slots: Int32s = np.full(1 << 10, -1, np.int32)
        self._letters: Letters = np.empty(1 << 12, np.uint32)
        self._until: Int64s = np.zeros(1 << 9, np.int64)

    def __len__(self) -> int:
        return self._known

    @property
    def n_letters(self) -> int:
        """Letters of all spellings."""
        return int(self._until[self._known])

    def read(
        self, letters: Letters, starts: Int64s, ends: Int64s, *, elides: bool, loose: bool = False
    ) -> tuple[Int32s, Int64s]:
        """Give the runs of sentences numbers; `tokens.find_runs` says what a run is.

        Parameters
        ----------
        letters : uint32 array
            The code points of a text.
        starts, ends : int64 arrays (n_sentences)
        elides : bool
            An apostrophe separates.
        loose : bool
            A point or comma separates, and in a sentence that is ASCII, typographic signs apart, an
            apostrophe is a letter wherever it stands.

        Returns
        -------
        runs : int32 array
            The number of each run's spelling, sentence after sentence.
        until : int64 array (n_sentences + 1)
            Where the runs of each sentence begin and end.
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
        """List the spellings from a number on."""
        until = self._until[first : self._known + 1]
        lengths = np.diff(until)
        # one line each: no spelling holds a line end
        lines = np.full(until[-1] - until[0] + len(lengths), ord("\n"), np.uint32)
        places = np.arange(until[0], until[-1])
        lines[places - until[0] + np.repeat(np.arange(len(lengths)), lengths)] = self._letters[
            places
        ]
        return to_text(lines).split("\n")[:-1]

    def _make_room(self, n_runs: int, n_letters: int) -> None:
        """Have room for as many new spellings, of as many letters."""
        self._letters = longer(self._letters, int(self._until[self._known]) + n_letters)
        most = self._known + n_runs
        self._until = longer(self._until, most + 1)
        if 2 * most > len(self._slots):
            self._slots = np.full(1 << (2 * most).bit_length(), -1, np.int32)
            kernel.fill_slots(self._letters, self._until, self._known, self._slots)


def longer(values: NDArray[_Item], least: int) -> NDArray[_Item]:
    """Return an array of at least so many, twice as many as before where it has to grow."""
    if least <= len(values):
        return values
    grown = np.zeros(max(least, 2 * len(values)), values.dtype)
    grown[: len(values)] = values
    return grown


@cache
def _classes(elides: bool, n_codes: int) -> NDArray[np.uint8]:
    """Give the first code points their classes; all of them take a while, once and if needed."""
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
"""A larger lexicon is forgotten behind the text that made it so: a few megabytes are kept."""

_held: dict[str | None, "Lexicon"] = {}


class Lexicon:
    """Spellings, the words that they are, and the stems of these, each by its number.

    `words_of` turns a spelling into words. Only where `odd` finds something in a line of its own
    is it asked: others are one word, in lower case. Numbers depend on what was met before;
    `maxcover.text.words.terms` gives each collection its own.

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
        # of spellings: where their words end in `_flat`, and a capital; of words: the stem
        self._until, self._capital = array("q", [0]), array("b")
        self._flat, self._stem_of = array("i"), array("i")

    @property
    def is_large(self) -> bool:
        """Whether it is to be forgotten."""
        return len(self._spellings) > MOST_SPELLINGS or self._spellings.n_letters > MOST_LETTERS

    def read(
        self, sentences: Iterable[str], *, elides: bool
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Give the spelling of each run of word characters, and where each sentence ends."""
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
        """Read the sentences of a page, as `Spellings.read` does, and keep what is new."""
        found = self._spellings.read(*page, elides=elides, loose=loose)
        if len(self._spellings) > len(self._capital):
            self._learn(self._spellings.since(len(self._capital)))
        return found

    def find_stems(self, words: Sequence[str]) -> list[int]:
        """Give the numbers of the stems of words, those that were met."""
        numbers = map(self._stem_numbers.get, stem_words(words, self._stemmer))
        return [number for number in numbers if number is not None]

    def _learn(self, spellings: list[str]) -> None:
        """Read new spellings: mostly one word each."""
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
        """The words of spelling k are those of `flat` from ``until[k]`` to ``until[k + 1]``."""
        return np.frombuffer(self._until, np.int64)

    @property
    def flat(self) -> NDArray[np.int32]:
        """The words of all spellings."""
        return np.frombuffer(self._flat, np.int32)

    @property
    def capital(self) -> NDArray[np.bool_]:
        """Which spellings begin with a capital letter."""
        return np.frombuffer(self._capital, np.bool_)

    @property
    def stem_of(self) -> NDArray[np.int32]:
        """The stem of each word."""
        return np.frombuffer(self._stem_of, np.int32)


@contextmanager
def borrow_lexicon(stemmer: str | None) -> Iterator[Lexicon]:
    """Lend the lexicon of a stemmer; who comes while it is lent gets a new one."""
    lexicon = _held.pop(stemmer, None) or Lexicon(stemmer)
    yield lexicon
    if not lexicon.is_large:
        _held[stemmer] = lexicon


def _numbering() -> defaultdict[str, int]:
    """Make a dictionary that gives each new string the next number.

    It must not refer to itself: a lexicon of megabytes would wait for the cycle collector.
    """
    return defaultdict(count().__next__)


def _number(items: list[str], index: defaultdict[str, int], names: list[str]) -> list[int]:
    """Give strings their numbers, and put those that are new behind the names."""
    numbers = list(map(index.__getitem__, items))
    n_new = len(index) - len(names)
    names.extend([*islice(reversed(index), n_new)][::-1])
    return numbers
