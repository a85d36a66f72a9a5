"""App: the program ``maxcover``: its commands, and how it ends when something goes wrong.

A new command is one file beside this one and one row in a table below. Only the command that is
called is imported, so that ``maxcover --help`` is quick.
"""

from __future__ import annotations

import difflib
import importlib
import io
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any

import click

from maxcover.errors import InputWarning, MaxcoverError, MissingExtraError
from maxcover.ground.calls import TITLES

if TYPE_CHECKING:
    from collections.abc import Sequence

# The command NAME is the object NAME in the module NAME_command, or in the module that SHARED
# names. The first line of its docstring is repeated in TITLES or here, so that the list of commands
# is printed without importing any command. Click cuts that line off after 60 characters.
_OWN = {
    "evaluate": "Compare summarizers by ROUGE.",
    "reproduce": "Make a figure of the paper from scratch.",
    "examples": "Write the example tables and texts of the documents.",
    "batch": "Summarise every cluster of documents; can be resumed.",
    "tests": "Choose the tests that cover the most in a given time.",
    "corpus": "Choose the smallest fuzz corpus that keeps the coverage.",
    "serve": "Serve the HTTP API and a web page.",
    "mcp": "Serve tools for agents over stdio (Model Context Protocol).",
}
# Commands that the packages beside this one add as entry points: package and extra of each.
SIBLINGS = {
    "batch": ("maxcover-scale", "scale"),
    "tests": ("pytest-maxcover", "tests"),
    "corpus": ("pytest-maxcover", "tests"),
    "serve": ("maxcover-serve", "serve"),
    "mcp": ("maxcover-serve", "mcp"),
}
COMMANDS = {name: line for name, line in TITLES.items() if name not in {"curve", "read"}} | _OWN

# Commands that share a module: the name of the command, and of the module without "_command".
SHARED = dict.fromkeys(("explain", "alternatives", "plan", "sensitivity"), "decisions")
SHARED |= {"cover": "solve", "verify": "solve"}

OK, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130


def load_command(name: str) -> click.Command:
    """Import the module of a command and return the command."""
    if name in SIBLINGS:
        return _of_sibling(name)
    module = importlib.import_module(f"maxcover.cli.{SHARED.get(name, name)}_command")
    command: click.Command = getattr(module, name)
    return command


def _of_sibling(name: str) -> click.Command:
    from importlib.metadata import entry_points

    found = [*entry_points(group="maxcover.commands", name=name)]
    if not found:
        package, extra = SIBLINGS[name]
        raise MissingExtraError(
            f"the command {name} is in the package {package}: pip install 'maxcover[{extra}]', or "
            f"from a checkout: pip install ./packages/{package}"
        )
    command: click.Command = found[0].load()
    return command


class CommandGroup(click.Group):
    """A group that lists its commands without importing them, and imports only the one called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of COMMANDS."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import the command that the first argument names; for a misspelt name, suggest one."""
        near = difflib.get_close_matches(args[0], COMMANDS, n=1)
        if args[0] not in COMMANDS and near:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            command = load_command(name)
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; after Ctrl-C exit with 130, where click would print "Aborted!"."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)


@click.group(
    cls=CommandGroup,
    commands={name: click.Command(name, help=line) for name, line in COMMANDS.items()},
    context_settings={"show_default": True},
)
@click.version_option(package_name="maxcover", message="%(prog)s %(version)s")
def program() -> None:
    """Choose sets within a budget that cover the most weight, with a certificate."""


def run() -> None:
    """Run the program with the arguments in `sys.argv`, and exit with its code."""
    sys.exit(call(sys.argv[1:]))


def call(arguments: Sequence[str]) -> int:
    """Run the program and return its exit code.

    0 for success, 1 for a result that fails its own checks or an error of ours, 2 for input that
    cannot be used, 4 for an empty answer (`console.end_empty`), 130 for Ctrl-C. Errors
    are one line on the error stream; with ``MAXCOVER_DEBUG=1`` in the environment they are
    tracebacks.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", InputWarning)
            warnings.showwarning = _show_warning
            if isinstance(sys.stdout, io.TextIOWrapper):
                sys.stdout.reconfigure(errors="replace")  # texts may hold what it cannot encode
            program(args=list(arguments), prog_name="maxcover")
    except SystemExit as end:
        return _flushed(end.code if isinstance(end.code, int) else OK)
    except Exception as error:
        if os.environ.get("MAXCOVER_DEBUG"):
            raise
        return _explain(error)
    return OK


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as one line on stderr."""
    click.echo(f"maxcover: warning: {' '.join(str(message).split())}", err=True)


def _explain(error: Exception) -> int:
    """Print an error as one line on stderr; return its exit code."""
    if isinstance(error, MaxcoverError):
        text, code = str(error), WRONG_INPUT
    elif isinstance(error, OSError):
        name = f" {str(error.filename)!r}" if error.filename is not None else ""
        text, code = f"cannot use{name}: {error.strerror or error}", WRONG_INPUT
    else:
        text = f"an error of maxcover's own, {type(error).__name__}: {error}; please report it with"
        text, code = f"{text} the traceback that MAXCOVER_DEBUG=1 shows", FAILED
    click.echo(f"maxcover: {' '.join(text.split())}", err=True)
    return code


def _flushed(code: int) -> int:
    """Flush standard output and return `code`; a closed pipe, as after `head`, is no error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # discard the rest of the buffer, or Python would fail when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
