"""Processes: the same results in the same order, however many processes work on them."""

from __future__ import annotations

import multiprocessing
import signal
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Progress = Callable[[int, int], Any]

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_order(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Iterator[Result]:
    """Yield ``function(task)`` for each task, in the order of the tasks, from `jobs` processes.

    The first task runs here, before any process starts. Leaving the loop early, by Ctrl-C for
    instance, ends the processes at once. The function must be importable and depend on nothing but
    its task. `progress` is called with the number of tasks done and of all.

    Examples
    --------
    >>> list(in_order(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    for done, result in enumerate(_results(function, tasks, jobs), start=1):
        if progress is not None:
            progress(done, len(tasks))
        yield result


def _results(
    function: Callable[[Task], Result], tasks: Sequence[Task], jobs: int
) -> Iterator[Result]:
    yield from map(function, tasks[:1])
    rest = tasks[1:]
    if jobs <= 1 or len(rest) <= 1:
        yield from map(function, rest)
        return
    # Processes are spawned, because a fork of a process with running threads may deadlock.
    context = multiprocessing.get_context("spawn")
    with context.Pool(min(jobs, len(rest)), initializer=_leave_interrupts_to_parent) as pool:
        yield from pool.imap(function, rest)


def _leave_interrupts_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
