"""Names: distinct words by number, written out when somebody reads them."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

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
        """Return what a function, known by its `key`, says of words; each is asked about once.

        Threads that ask at the same time find the same answers, at worst both of them.
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


class Names(Sequence[str]):
    """Some words of a list, by numbers of their own; equal to the list of these words.

    Most texts are summarised without anybody reading the list of their words.

    Examples
    --------
    >>> names = Names(WordList(["cat", "dog", "sat"]), np.array([2, 0], np.int32))
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
        if not isinstance(other, Names | list):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment] # as of a list

    def __repr__(self) -> str:
        return repr(list(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Send these words to another process, not all of the list."""
        return Names, (WordList(list(self)), np.arange(len(self), dtype=np.int32))
