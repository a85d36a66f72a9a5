"""The program ``maxcover``: its commands, and how it ends when something goes wrong.

A new command is one file beside this one and one row in a table below. Command files import what
they run inside their functions, so that ``maxcover --help`` does not load the compiler.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maxcover.cli import (
    background,
    batch,
    compare,
    evaluate,
    pack,
    reproduce,
    serve,
    solve,
    summarize,
)
from maxcover.errors import MaxcoverError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COMMANDS: dict[str, Callable[..., Any]] = {
    "summarize": summarize.summarize,
    "compare": compare.compare,
    "background": background.background,
    "batch": batch.batch,
    "pack": pack.pack,
    "solve": solve.solve,
    "evaluate": evaluate.evaluate,
    "serve": serve.serve,
}
EXAMPLES: dict[str, str] = {
    "summarize": summarize.EXAMPLES,
    "compare": compare.EXAMPLES,
    "background": background.EXAMPLES,
    "pack": pack.EXAMPLES,
}
GROUPS: dict[str, typer.Typer] = {
    "reproduce": reproduce.figures,
}

OK, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130

main = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for _name, _function in COMMANDS.items():
    main.command(_name, epilog=EXAMPLES.get(_name))(_function)
for _name, _group in GROUPS.items():
    main.add_typer(_group, name=_name)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"maxcover {version('maxcover')}")
        except PackageNotFoundError:  # run from the sources
            typer.echo("maxcover, not installed")
        raise typer.Exit


@main.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Choose sets within a budget that cover the most weight, with a certificate."""


def run() -> None:
    """Run the program on the arguments of the process, and end the process."""
    sys.exit(call(sys.argv[1:]))


def call(arguments: Sequence[str]) -> int:
    """Run the program and return its exit code.

    0 for success, 1 for a result that fails its own checks or an error of ours, 2 for input that
    cannot be used, 130 for Ctrl-C. Errors are one line on the error stream; with
    ``MAXCOVER_DEBUG=1`` in the environment they are tracebacks.
    """
    try:
        main(args=list(arguments), prog_name="maxcover")
    except SystemExit as end:
        return _flushed(end.code if isinstance(end.code, int) else OK)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("MAXCOVER_DEBUG"):
            raise
        return _explain(error)
    return OK


def _explain(error: Exception) -> int:
    """Say in one line what was wrong; return the exit code that goes with it."""
    if isinstance(error, MaxcoverError):
        text, code = str(error), WRONG_INPUT
    elif isinstance(error, OSError):
        name = f" {str(error.filename)!r}" if error.filename is not None else ""
        text, code = f"cannot use{name}: {error.strerror or error}", WRONG_INPUT
    else:
        text = f"an error of maxcover's own, {type(error).__name__}: {error}; please report it with"
        text, code = f"{text} the traceback that MAXCOVER_DEBUG=1 shows", FAILED
    typer.echo(f"maxcover: {' '.join(text.split())}", err=True)
    return code


def _flushed(code: int) -> int:
    """Write out what is buffered; a reader that has gone away, as `head` does, is no error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # what is left in the buffer must not be written at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
