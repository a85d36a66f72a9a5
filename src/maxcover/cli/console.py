"""What the commands say besides their results: progress and notices, on the error stream.

Results go to standard output, so that they can be piped. Nothing here moves or blinks unless the
error stream is a terminal; ``NO_COLOR`` is heeded by rich.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console

# Work shorter than this many seconds shows no progress: it would only flicker.
PATIENCE = 1.0

Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress and no notices, only results.")
]

Advance = Callable[[int, int], None]


def notices(*, quiet: bool = False) -> Console:
    """Return the console for everything that is not a result."""
    return Console(stderr=True, quiet=quiet, highlight=False)


@contextmanager
def progress(what: str, *, quiet: bool = False) -> Iterator[Advance]:
    """Give a function ``advance(done, total)`` that shows a bar when the work takes its time."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = notices(quiet=quiet)
    bar = Progress(
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    )
    task = bar.add_task(what, total=None)
    started = time.monotonic()

    def advance(done: int, total: int) -> None:
        if not bar.live.is_started and time.monotonic() - started > PATIENCE:
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield advance
    finally:
        bar.stop()


@contextmanager
def status(*, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Give a function that shows one line about where the work stands, when it takes its time."""
    console = notices(quiet=quiet)
    line = console.status("")
    started = time.monotonic()

    def say(text: str) -> None:
        if quiet or not console.is_terminal or time.monotonic() - started < PATIENCE:
            return
        line.update(text)
        line.start()

    try:
        yield say
    finally:
        line.stop()
