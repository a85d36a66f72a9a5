"""Crew: threads that share the passes over one graph."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from maxcover.engine.kernels.arrays import Offsets

# With fewer edges than this, calling a second thread costs more time than it saves.
LARGE = 200_000

T = TypeVar("T")


def cuts(indptr: Offsets, parts: int) -> list[int]:
    """Return ``parts + 1`` row indices that cut the rows into ranges of about equal edge counts."""
    if parts == 1:
        return [0, indptr.size - 1]
    inner = indptr[-1] * np.arange(1, parts) // parts
    return [0, *np.searchsorted(indptr, inner).tolist(), indptr.size - 1]


class Crew:
    """A pool of `size` threads, one of them the caller's.

    The kernels release the interpreter lock, so the threads run in parallel.
    """

    def __init__(self, size: int, others: ThreadPoolExecutor) -> None:
        self.size, self._others = size, others

    def share(self, task: Callable[[int, int, int], T], ranges: list[int]) -> list[T]:
        """Call ``task(number, first, last)`` for each range, in parallel; return the results."""
        own, *rest = enumerate(pairwise(ranges))
        awaited = [self._others.submit(task, k, first, last) for k, (first, last) in rest]
        return [task(own[0], *own[1]), *(one.result() for one in awaited)]


@contextmanager
def gathered(threads: int, n_edges: int) -> Iterator[Crew | None]:
    """Yield a `Crew` of `threads` threads; None if `threads` < 2 or the graph is small."""
    if threads < 2 or n_edges < LARGE:
        yield None
        return
    with ThreadPoolExecutor(threads - 1) as others:
        yield Crew(threads, others)


def each(crew: Crew | None, task: Callable[[int, int], object], indptr: Offsets) -> None:
    """Call ``task(first, last)`` on ranges of rows that cover all rows, one range per thread."""
    if crew is None:
        task(0, indptr.size - 1)
    else:
        crew.share(lambda _, first, last: task(first, last), cuts(indptr, crew.size))
