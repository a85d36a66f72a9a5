"""The program ``maxcover``: its commands, and how it ends when something goes wrong.

A new command is one file beside this one and one row in a table below. Only the command that is
called is imported, so that ``maxcover --help`` is quick.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from maxcover.errors import MaxcoverError

if TYPE_CHECKING:
    from collections.abc import Sequence

# Each command is the function of its name in the module of its name in this package. The first line
# of its docstring stands here too: the overview is printed without importing anything. It is cut
# off after 60 characters.
COMMANDS = {
    "summarize": "Choose the sentences that say the most, within a budget.",
    "compare": "Print what each text says that the other does not.",
    "background": "Count in how many documents each word occurs.",
    "batch": "Summarise every cluster of documents; can be resumed.",
    "pack": "Choose the passages for a context window, within a budget.",
    "solve": "Choose the sets that cover the most, with a certificate.",
    "tests": "Choose the tests that cover the most in a given time.",
    "verify": "Check a saved solution in exact arithmetic.",
    "evaluate": "Compare summarizers by ROUGE and readability.",
    "serve": "Serve the HTTP API and a page to play with.",
    "mcp": "Serve tools for agents over stdio (Model Context Protocol).",
}
GROUPS = {"reproduce": "Make a figure of the paper from scratch."}

OK, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130


def program(arguments: Sequence[str]) -> typer.Typer:
    """Return the program with the command that the arguments name, the others by name alone."""
    main = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)
    main.callback()(_main)
    completing = "_MAXCOVER_COMPLETE" in os.environ
    called = next((word for word in arguments if not word.startswith("-")), None)
    for name, overview in (COMMANDS | GROUPS).items():
        if name != called and not completing:
            main.command(name, help=overview)(_only_named)
            continue
        module = importlib.import_module(f"maxcover.cli.{name}")
        if name in GROUPS:
            main.add_typer(module.figures, name=name)
        else:
            epilog = getattr(module, "EXAMPLES", None)
            main.command(name, epilog=epilog)(getattr(module, name))
    return main


def _only_named() -> None:
    """Stand for a command that was not called."""


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"maxcover {version('maxcover')}")
        except PackageNotFoundError:  # run from the sources
            typer.echo("maxcover, not installed")
        raise typer.Exit


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
        program(arguments)(args=list(arguments), prog_name="maxcover")
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
