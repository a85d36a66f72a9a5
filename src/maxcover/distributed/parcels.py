"""Objects with large arrays as records of half a megabyte.

Between Python and the JVM a record is copied several times at either end. Copies of this size
stay in the processor's cache; copies of a whole array go through memory, and through buffers that
the JVM has to enlarge first. PySpark gathers ten records for every partition before it sends them.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    # the pickled object without its arrays, or: number of an array, its bytes, from where, a piece
    Part = bytes | tuple[int, int, int, Any]

_PIECE = 1 << 19
# Smaller arrays stay with the object.
_SMALL = 1 << 12


def pack(content: Any) -> Iterator[Part]:
    """Yield the parts of an object: its pickle, and the memory of its arrays in pieces."""
    arrays: list[memoryview] = []

    def keep(buffer: pickle.PickleBuffer) -> bool:
        view = buffer.raw()
        if view.nbytes >= _SMALL:
            arrays.append(view)
        return view.nbytes < _SMALL

    yield pickle.dumps(content, protocol=5, buffer_callback=keep)
    for number, view in enumerate(arrays):
        for start in range(0, view.nbytes, _PIECE):
            piece = pickle.PickleBuffer(view[start : start + _PIECE])
            yield number, view.nbytes, start, piece


class Parcel:
    """Parts of an object that come in any order.

    Examples
    --------
    >>> parcel = Parcel()
    >>> for part in pack({"a": 1}):
    ...     parcel.add(part)
    >>> parcel.content()
    {'a': 1}
    """

    def __init__(self) -> None:
        self.head = b""
        self.arrays: dict[int, Any] = {}

    def add(self, part: Part) -> None:
        """Take a part."""
        if isinstance(part, bytes):
            self.head = part
            return
        number, size, start, piece = part
        if number not in self.arrays:
            self.arrays[number] = np.empty(size, np.uint8)
        data = np.frombuffer(piece, np.uint8)
        self.arrays[number][start : start + data.size] = data

    def content(self) -> Any:
        """Return the object, once all parts are there; its arrays may be written to."""
        arrays = [self.arrays[number] for number in sorted(self.arrays)]
        return pickle.loads(self.head, buffers=arrays)  # noqa: S301 - what a task of ours packed
