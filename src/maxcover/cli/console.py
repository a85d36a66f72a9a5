"""Console: what the commands say besides their results: progress and notices, on the error stream.

Results go to standard output, so that they can be piped. Progress bars are drawn only if the error
stream is a terminal. The package rich draws them; it obeys ``NO_COLOR``, and is imported only when
something is shown.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

# Work shorter than this many seconds shows no progress: it would only flicker.
PATIENCE = 1.0

Advance = Callable[[int, int], None]


def is_watched(*, quiet: bool = False) -> bool:
    """Whether to show progress: stderr is a terminal or ``FORCE_COLOR`` is set, and not `quiet`."""
    return not quiet and bool(os.environ.get("FORCE_COLOR") or sys.stderr.isatty())


def write_result(text: str, out: Path | None) -> None:
    """Print a result, or write it to the file `out`."""
    if out is None:
        click.echo(text)
    else:
        out.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def notices(*, quiet: bool = False) -> Console:
    """Return the console on stderr, for everything that is not a result."""
    from rich.console import Console

    return Console(stderr=True, quiet=quiet, highlight=False)


@contextmanager
def progress(what: str, *, quiet: bool = False) -> Iterator[Advance]:
    """Yield a function ``advance(done, total)`` that shows a bar after `PATIENCE` seconds."""
    if not is_watched(quiet=quiet):
        yield lambda _done, _total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    bar = Progress(
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=notices(),
        transient=True,
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
    """Yield a function that shows a line of status text after `PATIENCE` seconds."""
    if not is_watched(quiet=quiet):
        yield lambda _text: None
        return
    line = notices().status("")
    started = time.monotonic()

    def say(text: str) -> None:
        if time.monotonic() - started >= PATIENCE:
            line.update(text)
            line.start()

    try:
        yield say
    finally:
        line.stop()
