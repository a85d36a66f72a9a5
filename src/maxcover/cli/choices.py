"""Choices: click parameters that commands share, and options made from the option table."""

from __future__ import annotations

import math
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maxcover import names
from maxcover.calls import CALLS, NEEDED, offered
from maxcover.errors import OptionError
from maxcover.options import find_option

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


PATH = click.Path(path_type=Path)
# A path, pattern or URL. Shells complete it like a path; the command that reads it checks it.
NAME = click.Path(readable=False)


class _Amount(click.ParamType):  # type: ignore[type-arg] # generic from click 8.4 on
    """An amount: a float if the text is a number, otherwise the text itself, such as 10%."""

    name = "amount"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            return float(value)
        except ValueError:
            return value


AMOUNT = _Amount()
quiet = click.option(
    "--quiet", "-q", is_flag=True, help="Print results only, no progress or notices."
)


class Argument(click.Argument):
    """A click argument with a help text; before click 8.5, --help lists it among the options."""

    def __init__(self, names: Sequence[str], *, explained: str, **settings: Any) -> None:
        super().__init__(names, **settings)
        self.help = explained

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return the name and the help text."""
        return self.human_readable_name, self.help or ""


def argument(name: str, explained: str, **settings: Any) -> Decorator:
    """Make an argument with a line of help, `explained`."""
    return click.argument(name, cls=Argument, explained=explained, **settings)


def several(*flags: str, **settings: Any) -> Decorator:
    """Make an option that may be repeated."""
    return click.option(*flags, multiple=True, **settings)


def one_of(names: Collection[str], *flags: str, **settings: Any) -> Decorator:
    """Make an option whose value is one of `names`; help shows them and shells complete them.

    Parameters
    ----------
    names : collection of str
        In the order in which they are shown; may be a dict.
    *flags : str
        ``"--unit", "-u"``.
    **settings
        As of `click.option`.
    """

    def check(_: click.Context, given: click.Parameter, value: str | None) -> str | None:
        if value is not None and value not in names:
            listed = ", ".join(names)
            raise OptionError(f"expected {flags[0]} to be one of {listed}, got {value!r}")
        return value

    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return click.option(
        *flags, metavar="|".join(names), callback=check, shell_complete=complete, **settings
    )


def writes(*flags: str, endings: Collection[str] = (), **settings: Any) -> Decorator:
    """Make an option for a file that is written; the file has one of `endings`, if any are given.

    The ending is checked before the command begins its work.
    """

    def check(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
        if path is not None and endings and path.suffix.lower() not in endings:
            raise OptionError(
                f"expected {flags[0]} to end in {', '.join(endings)}, got {path.name!r}: name the "
                "file by what it is to hold"
            )
        return path

    return click.option(*flags, type=PATH, callback=check, **settings)


def output(help_line: str, **settings: Any) -> Decorator:
    """Make the option ``--output``, ``-o``: the file to which a result is written."""
    return writes("--output", "-o", "out", help=help_line, **settings)


def read_pair(text: str, flag: str) -> tuple[str, float]:
    """Parse a value of `flag`, such as "--weight PATTERN=NUMBER"; the number is at least 0."""
    name, _, number = text.rpartition("=")
    try:
        if name and 0 <= float(number) < math.inf:
            return name, float(number)
    except ValueError:
        pass
    raise OptionError(f"expected {flag}, got {text!r}")


def form(names: Collection[str], **settings: Any) -> Decorator:
    """Make the option ``--format``, ``-f``: the form in which a result is written."""
    return one_of(names, "--format", "-f", "form", **settings)


# Options of the types in _FLAGS are on/off flags. _TYPES maps other types to click's. Options of
# any other type are read as text.
_FLAGS = (bool, bool | str)
_TYPES = {float: float, int: int, float | str: AMOUNT}


def option(name: str, *flags: str, of: str, **settings: Any) -> Decorator:
    """Make the click option for option `name` of the call `of`; the library checks its value.

    Parameters
    ----------
    name : str
        In the table `maxcover.options.OPTIONS`.
    *flags : str
        A short flag besides the name: ``"-u"``.
    of : str
        The call that has the option; the default is that of the call.
    **settings
        As of `click.option`.
    """
    row, default = find_option(name, of), CALLS[of][name]
    dashed = name.replace("_", "-")
    flags = (f"--{dashed}/--no-{dashed}" if row.plain in _FLAGS else f"--{dashed}", *flags)
    needed = {"required": True} if default is NEEDED else {"default": default}
    settings = {"help": row.help, "show_default": default not in (None, ""), **needed, **settings}
    if row.plain in _TYPES:
        settings.setdefault("type", _TYPES[row.plain])
    return one_of(row.names, *flags, **settings) if row.names else click.option(*flags, **settings)


def options_of(call: str, *own: str, **flags: str) -> Decorator:
    """Give a command the options of a call that the command line offers, except those in `own`.

    `flags` are short flags: ``unit="-u"``.
    """
    parts = [
        option(name, *([flags[name]] if name in flags else ()), of=call)
        for name in offered("command line", call)
        if name not in own
    ]
    return all_of(*parts)


def all_of(*parts: Callable[..., Any]) -> Decorator:
    """Return a decorator that gives a command several parameters, in this order."""
    return lambda command: reduce(lambda made, part: part(made), reversed(parts), command)


sources = argument(
    "sources",
    "Files, directories or patterns; - or nothing for standard input.",
    type=NAME,
    nargs=-1,
)
kind = one_of(
    names.KINDS,
    "--from",
    "kind",
    help="Format of the input. Default: by file ending.",
)
encoding = click.option("--encoding", help="Text encoding. Default: UTF-8, or the file's BOM.")
