"""Processes: the same results in the same order, however many processes work on them."""

from __future__ import annotations

import multiprocessing
import signal
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from maxcover.array_types import Floats


Task = TypeVar("Task")
Result = TypeVar("Result")


def in_order(
    function: Callable[[Task], Result], tasks: Sequence[Task], *, jobs: int
) -> Iterator[Result]:
    """Yield ``function(task)`` for each task, in the order of the tasks, from `jobs` processes.

    The first task runs here, before any process starts. Leaving the loop early, by Ctrl-C for
    instance, ends the processes at once. The function must be importable and depend on nothing but
    its task.

    Examples
    --------
    >>> list(in_order(abs, [-1, 2, -3], jobs=1))
    [1, 2, 3]
    """
    for task in tasks[:1]:
        yield function(task)
    rest = tasks[1:]
    if jobs <= 1 or len(rest) <= 1:
        yield from map(function, rest)
        return
    # Processes are spawned, because a fork of a process with running threads may deadlock.
    context = multiprocessing.get_context("spawn")
    with context.Pool(min(jobs, len(rest)), initializer=_leave_interrupts_to_parent) as pool:
        yield from pool.imap(function, rest)


def measure_all(
    measure: Callable[[Task], tuple[Floats, ...]],
    tasks: Sequence[Task],
    *,
    jobs: int,
    progress: Callable[[int, int], Any] | None,
) -> tuple[Floats, ...]:
    """Run `measure` on every task, and stack each of the arrays it returns, one row per task.

    Examples
    --------
    >>> measure_all(lambda task: (np.array([task]),), [1.0, 2.0], jobs=1, progress=None)
    (array([[1.],
           [2.]]),)
    """
    rows = []
    for row in in_order(measure, tasks, jobs=jobs):
        rows.append(row)
        if progress is not None:
            progress(len(rows), len(tasks))
    return tuple(np.stack(parts) for parts in zip(*rows, strict=True))


def _leave_interrupts_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
