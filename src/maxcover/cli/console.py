"""Console: how results are printed, and what the commands say besides, on the error stream.

Results go to standard output, so that they can be piped. A line of status is shown only if the
error stream is a terminal.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any, NoReturn

import click

#: Exit code of a command whose answer is empty.
EMPTY = 4

# Work shorter than this many seconds shows no status: it would only flicker.
PATIENCE = 1.0

Say = Callable[[str], None]
# Moves the cursor to the start of the line and clears the line.
_CLEAR = "\r\x1b[K"


def is_watched(*, quiet: bool = False) -> bool:
    """Whether to show a status: stderr is a terminal or ``FORCE_COLOR`` is set, and not `quiet`."""
    return not quiet and bool(os.environ.get("FORCE_COLOR") or sys.stderr.isatty())


def print_answer(answer: Any, form: str, text: str | None = None) -> None:
    """Print an answer as JSON, or as `text`, which is ``str(answer)`` by default.

    `form` is json, text or auto: JSON if standard output is not a terminal.
    """
    if form == "json" or (form == "auto" and not sys.stdout.isatty()):
        click.echo(json.dumps(answer.to_dict()))
    else:
        click.echo(str(answer) if text is None else text)


def end_empty(reason: str) -> NoReturn:
    """End a command whose answer is empty: say why on the error stream, and exit with `EMPTY`."""
    click.echo(f"maxcover: {reason}", err=True)
    raise click.exceptions.Exit(EMPTY)


@contextmanager
def status(*, quiet: bool = False) -> Iterator[Say]:
    """Yield a function that shows a line of status text, after `PATIENCE` seconds."""
    if not is_watched(quiet=quiet):
        yield lambda _text: None
        return
    started, latest = time.monotonic(), ""

    def show() -> None:
        width = shutil.get_terminal_size().columns - 1
        click.echo(_CLEAR + latest[:width], nl=False, err=True)

    def say(text: str) -> None:
        nonlocal latest
        latest = text
        if time.monotonic() - started >= PATIENCE:
            show()

    first = Timer(PATIENCE, show)  # shows what was said before
    first.daemon = True
    first.start()
    try:
        yield say
    finally:
        first.cancel()
        click.echo(_CLEAR, nl=False, err=True)


@contextmanager
def progress(what: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Yield a function ``advance(done, total)`` that shows how much is done, and the time left."""
    started = time.monotonic()
    with status(quiet=quiet) as say:

        def advance(done: int, total: int) -> None:
            left = (time.monotonic() - started) * (total - done) / max(done, 1)
            say(f"{what}: {done:,} of {total:,}, about {left / 60:.0f} min left")

        yield advance
