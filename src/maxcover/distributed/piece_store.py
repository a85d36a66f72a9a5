"""Objects that stay where they are used: files of an executor, which its Python processes map.

Spark hands a task to any idle Python process of an executor, so arrays that live in a process are
in the wrong one half of the time. Files that were just written are memory too, and all processes
see the same. They lie among the temporary files of the executor, and go with them. Spark knows
where a piece is by the name of the host alone, so executors of one host look at each other's too.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Places = list[tuple[int, int]]

_ALIGNMENT = 64
_LENGTH = 8
_TAKEN = "taken"
# What this process has mapped for writing, by folder, with the number of the file. Mapping anew
# would cost a fault a page in every task.
_mapped: dict[Path, tuple[int, mmap.mmap]] = {}


class LostError(LookupError):
    """What was kept is not here: the host is another one than the one that kept it."""


class _Taken(NamedTuple):
    """A file that is being changed in place, and where its arrays are."""

    memory: memoryview
    places: Places

    def store(self, arrays: list[memoryview]) -> None:
        """Write arrays to their places, but for those that are there."""
        first = _address(self.memory)
        new: list[tuple[int, int, bytes | memoryview]] = []
        for view, (start, end) in zip(arrays, self.places, strict=True):
            offset = _address(view) - first if view.nbytes else start
            if offset != start:
                # one that lies elsewhere in this file may be written over before its turn comes
                inside = 0 <= offset < self.memory.nbytes
                new.append((start, end, bytes(view) if inside else view))
        for start, end, data in new:
            self.memory[start:end] = data


class Resident:
    """Named objects of one piece of a graph on this host.

    Parameters
    ----------
    run : str
        Name of the computation.
    piece : str
        Name of the piece.

    Examples
    --------
    >>> kept = Resident("example", "shard-0")
    >>> kept.put("1", {"a": np.arange(3)})
    >>> taken = kept.take("1")
    >>> taken["a"][0] = 7
    >>> kept.put("2", taken)
    >>> kept.get("2")
    {'a': array([7, 1, 2])}
    >>> kept.clear()
    """

    def __init__(self, run: str, piece: str) -> None:
        places = os.environ.get("SPARK_LOCAL_DIRS") or tempfile.gettempdir()
        self.home = Path(places.split(",")[0])
        self.inside = Path(f"maxcover-{run}", piece)
        self.folder = self.home / self.inside
        self.folder.mkdir(parents=True, exist_ok=True)
        self.taken: _Taken | None = None
        for folder in [folder for folder in _mapped if not folder.exists()]:
            del _mapped[folder]

    def __contains__(self, name: str) -> bool:
        return any((folder / name).exists() for folder in self._folders())

    def put(self, name: str, content: Any) -> None:
        """Keep an object under a name; whoever reads sees all of it or nothing.

        What was taken is gone then. Arrays that are still where they were are not written again.
        """
        arrays: list[memoryview] = []
        head = pickle.dumps(
            content, protocol=5, buffer_callback=lambda buffer: arrays.append(buffer.raw())
        )
        places = _laid_out(arrays)
        part = self.folder / f"{name}.{os.getpid()}.part"
        if self.taken is not None and places == self.taken.places:
            part = self.folder / _TAKEN
            self.taken.store(arrays)
        else:
            with part.open("wb") as file:
                for view, (start, _) in zip(arrays, places, strict=True):
                    file.seek(start)
                    file.write(view)
        with part.open("r+b") as file:
            file.truncate(places[-1][1] if places else 0)
            file.seek(0, os.SEEK_END)
            tail = pickle.dumps((head, places))
            file.write(tail)
            file.write(len(tail).to_bytes(_LENGTH, "little"))
        self.taken = None
        part.replace(self.folder / name)

    def get(self, name: str) -> Any:
        """Return an object. Writing into its arrays changes nothing that is kept, and is slow.

        Raises
        ------
        LostError
            Nothing is kept here under this name.
        """
        with self._find(name).open("rb") as file:
            head, places = _tail(file)
            # an empty mapping is an error
            size = max(1, places[-1][1] if places else 0)
            memory = memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY))
        return _whole(head, memory, places)

    def take(self, name: str) -> Any:
        """Return an object to be changed in place and put back; until then nobody finds it.

        Raises
        ------
        LostError
            Nothing is kept here under this name.
        """
        taken = self.folder / _TAKEN
        shutil.move(self._find(name), taken)
        with taken.open("r+b") as file:
            head, places = _tail(file)
            size, number = max(1, places[-1][1] if places else 0), os.fstat(file.fileno()).st_ino
            known, mapped = _mapped.get(self.folder, (-1, None))
            if mapped is None or known != number or len(mapped) != size:
                mapped = mmap.mmap(file.fileno(), size)
                _mapped[self.folder] = number, mapped
        self.taken = _Taken(memoryview(mapped), places)
        return _whole(head, self.taken.memory, places)

    def keep_only(self, *names: str | None) -> None:
        """Forget every other name."""
        for path in self.folder.iterdir():
            if path.name not in names and path.suffix != ".part":
                path.unlink(missing_ok=True)

    def clear(self) -> None:
        """Forget all names."""
        for folder in list(self._folders()):
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):  # another piece is there still
                folder.parent.rmdir()

    def _folders(self) -> Iterator[Path]:
        """Yield where this piece may lie on this host, here first."""
        yield self.folder
        yield from self.home.parent.glob(f"blockmgr-*/{self.inside}")

    def _find(self, name: str) -> Path:
        for folder in self._folders():
            if (folder / name).exists():
                return folder / name
        raise LostError(f"{self.inside.name}, {name}")


def _laid_out(arrays: Sequence[memoryview]) -> Places:
    """Return where arrays begin and end in a file."""
    places: Places = []
    end = 0
    for view in arrays:
        start = -(-end // _ALIGNMENT) * _ALIGNMENT
        end = start + view.nbytes
        places.append((start, end))
    return places


def _tail(file: BinaryIO) -> tuple[bytes, Places]:
    """Read the object without its arrays, and where they are: what a task of ours has written."""
    file.seek(-_LENGTH, os.SEEK_END)
    size = int.from_bytes(file.read(_LENGTH), "little")
    file.seek(-_LENGTH - size, os.SEEK_END)
    head, places = pickle.loads(file.read(size))  # noqa: S301
    return head, places


def _whole(head: bytes, memory: memoryview, places: Places) -> Any:
    return pickle.loads(head, buffers=[memory[a:b] for a, b in places])  # noqa: S301


def _address(view: memoryview) -> int:
    return int(np.frombuffer(view, np.uint8).ctypes.data)
