"""Crew: threads that share the passes over one graph."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
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
    """So many threads, the caller's among them; the kernels release the interpreter lock."""

    def __init__(self, size: int, others: ThreadPoolExecutor) -> None:
        self.size, self._others = size, others

    def share(self, task: Callable[[int, int, int], T], ranges: list[int]) -> list[T]:
        """Return ``task(number, first, last)`` of each range, in their order."""
        own, *rest = enumerate(pairwise(ranges))
        awaited = [self._others.submit(task, k, first, last) for k, (first, last) in rest]
        return [task(own[0], *own[1]), *(one.result() for one in awaited)]


@contextmanager
def gathered(threads: int, n_edges: int) -> Iterator[Crew | None]:
    """Provide a crew where there is work for more than one thread."""
    if threads < 2 or n_edges < LARGE:
        yield None
        return
    with ThreadPoolExecutor(threads - 1) as others:
        yield Crew(threads, others)


def each(crew: Crew | None, task: Callable[[int, int], object], indptr: Offsets) -> None:
    """Do ``task(first, last)`` for all rows, in as many ranges as there are threads."""
    if crew is None:
        task(0, indptr.size - 1)
    else:
        crew.share(lambda _, first, last: task(first, last), cuts(indptr, crew.size))
