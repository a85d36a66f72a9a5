"""Spellings: the runs of word characters of many texts, each spelling as a number, in one pass."""

from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels import letters as kernel
from maxcover.text.words.codepoints import Int64s, Letters, count_codes, to_text
from maxcover.text.words.tokens import find_word_characters

Int32s = NDArray[np.int32]
_Item = TypeVar("_Item", bound=np.generic)

# Classes of characters, as the kernel has them.
_SEPARATES, _LETTER, _DIGIT, _APOSTROPHE, _POINT, _SIGN = range(6)
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
    classes = np.where(find_word_characters(n_codes), _LETTER, _SEPARATES).astype(np.uint8)
    is_digit = np.char.isdecimal(np.arange(n_codes, dtype=np.uint32).view("U1"))
    classes[is_digit] = _DIGIT
    signs = {_APOSTROPHES: _SEPARATES if elides else _APOSTROPHE, _POINTS: _POINT, _SIGNS: _SIGN}
    for some, kind in signs.items():
        classes[[ord(sign) for sign in some if ord(sign) < n_codes]] = kind
    return classes
