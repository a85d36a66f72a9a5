"""Threads that share the passes over one graph."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from maxcover.kernels.arrays import Offsets

# Below so many edges a second thread gains less than it costs to call.
LARGE = 200_000

T = TypeVar("T")


def cuts(indptr: Offsets, parts: int) -> list[int]:
    """Return where to cut rows into ranges of about as many edges each."""
    if parts == 1:
        return [0, indptr.size - 1]
    inner = indptr[-1] * np.arange(1, parts) // parts
    return [0, *np.searchsorted(indptr, inner).tolist(), indptr.size - 1]


class Crew:
    """So many threads; the kernels release the interpreter lock."""

    def __init__(self, size: int, pool: ThreadPoolExecutor) -> None:
        self.size, self._pool = size, pool

    def share(self, task: Callable[[int, int, int], T], ranges: list[int]) -> list[T]:
        """Return ``task(number, first, last)`` of each range, in their order."""
        numbers = range(len(ranges) - 1)
        return list(self._pool.map(task, numbers, ranges[:-1], ranges[1:]))


@contextmanager
def gathered(threads: int, n_edges: int) -> Iterator[Crew | None]:
    """Provide a crew where there is work for more than one thread."""
    if threads < 2 or n_edges < LARGE:
        yield None
        return
    with ThreadPoolExecutor(threads) as pool:
        yield Crew(threads, pool)
