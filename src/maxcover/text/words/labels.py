"""Labels: the names of concepts, written when somebody reads them."""

from collections.abc import Hashable, Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from maxcover.text.words.names import Names

Int32s = NDArray[np.int32]


class Labels(Sequence[Hashable]):
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
    >>> labels = Labels(["cat", "sat"], np.array([0, 1, 0]), np.array([-1, -1, 1]))
    >>> labels, labels[-1], labels.only(np.array([2, 0]))
    (['cat', 'sat', 'cat sat'], 'cat sat', ['cat sat', 'cat'])
    """

    __slots__ = ("_left", "_names", "_right")

    def __init__(self, names: Sequence[Hashable], left: Int32s, right: Int32s) -> None:
        self._names = names
        self._left = left
        self._right = right

    @classmethod
    def of(cls, names: Sequence[Hashable]) -> "Labels":
        """Take names as they are."""
        numbers = np.arange(len(names), dtype=np.int32)
        return cls(names, numbers, np.full_like(numbers, -1))

    def only(self, numbers: Int32s | NDArray[np.int64]) -> "Labels":
        """Return some of them, in this order."""
        return Labels(self._names, self._left[numbers], self._right[numbers])

    def __add__(self, other: "Labels") -> "Labels":
        """Return these and others, which have the same names."""
        left, right = (
            np.concatenate(sides)
            for sides in ((self._left, other._left), (self._right, other._right))
        )
        return Labels(self._names, left, right)

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
        if isinstance(names, Names):
            return names.pick(numbers)
        return [names[number] for number in numbers.tolist()]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Labels | list):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment] # as of a list

    def __repr__(self) -> str:
        return repr(list(self))
