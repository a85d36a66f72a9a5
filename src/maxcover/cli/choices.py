"""Choices: click parameters that commands share, and options made from the option table."""

from __future__ import annotations

import math
import re
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maxcover.errors import OptionError
from maxcover.ground import names
from maxcover.ground.calls import CALLS, NEEDED, offered
from maxcover.ground.options import find_option

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
budget = click.option(
    "--budget", "-b", type=AMOUNT, help="Maximum total cost, or 50%. Default: that in the file."
)
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


#: Makes an option that may be repeated.
several = partial(click.option, multiple=True)


def writes(*flags: str, endings: Collection[str] = (), **settings: Any) -> Decorator:
    """Make an option for a file that is written; the file has one of `endings`, if any are given.

    The ending is checked before the command begins its work.
    """

    def check(_: click.Context, __: click.Parameter, given: Any) -> Any:
        for path in given if isinstance(given, tuple) else (given,):
            if path is not None and endings and path.suffix.lower() not in endings:
                raise OptionError(
                    f"expected {flags[0]} to end in {', '.join(endings)}, got {path.name!r}: name "
                    "the file by what it is to hold"
                )
        return given

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


def read_pattern(text: str, flag: str) -> re.Pattern[str]:
    """Parse a regular expression that was given with `flag`."""
    try:
        return re.compile(text)
    except re.error as error:
        raise OptionError(
            f"expected {flag} to be a regular expression, got {text!r}: {error}"
        ) from None


def form(names: Collection[str], **settings: Any) -> Decorator:
    """Make the option ``--format``, ``-f``: the form in which a result is written."""
    return click.option("--format", "-f", "form", type=click.Choice([*names]), **settings)


#: The form of answers that a program reads as JSON.
text_or_json = form(
    ("auto", "text", "json"), default="auto", help="auto: text on a terminal, JSON when piped."
)

# Options of the types in _FLAGS are on/off flags. _TYPES maps other types to click's. Options of
# any other type are read as text.
_FLAGS = (bool, bool | str)
_TYPES = {float: float, int: int, float | str: AMOUNT}


def option(name: str, *flags: str, of: str, **settings: Any) -> Decorator:
    """Make the click option for option `name` of the call `of`; the library checks its value.

    Parameters
    ----------
    name : str
        In the table `maxcover.ground.options.OPTIONS`.
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
    is_needed = default is NEEDED or settings.get("required")
    needed = {"required": True} if is_needed else {"default": default}
    settings = {"help": row.help, "show_default": default not in (None, ""), **needed, **settings}
    kind = click.Choice(row.names) if row.names else _TYPES.get(row.plain)
    if kind is not None:
        settings.setdefault("type", kind)
    return click.option(*flags, **settings)


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


def _load_background(_: click.Context, __: click.Parameter, path: Path | None) -> Any:
    if path is None:
        return None
    from maxcover.texts.weigh.background import Background

    return Background.load(path)


background = option("background", of="summarize", type=PATH, callback=_load_background)
sources = argument(
    "sources",
    "Files, directories or patterns; - or nothing for standard input.",
    type=NAME,
    nargs=-1,
)
kind = click.option(
    "--from",
    "kind",
    type=click.Choice(names.KINDS),
    help="Format of the input. Default: by file ending.",
)
encoding = click.option("--encoding", help="Text encoding. Default: UTF-8, or the file's BOM.")
