"""Parameters that commands share, and options made out of their rows in the table of options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.written import written_default, written_names
from maxcover.errors import OptionError
from maxcover.options import find_option

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

PATH = click.Path(path_type=Path)
# Shells complete file names here; what a name stands for is found out by who reads it.
NAME = click.Path(readable=False)

quiet = click.option(
    "--quiet", "-q", is_flag=True, help="Print results only, no progress or notices."
)


class Argument(click.Argument):
    """An argument with help: click 8.5 has a section for it, older ones list it with options."""

    def __init__(self, names: Sequence[str], *, explained: str, **settings: Any) -> None:
        super().__init__(names, **settings)
        self.help = explained

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return name and help."""
        return self.human_readable_name, self.help or ""


def argument(name: str, explained: str, **settings: Any) -> Decorator:
    """Make an argument with a line of help."""
    return click.argument(name, cls=Argument, explained=explained, **settings)


def several(*flags: str, **settings: Any) -> Decorator:
    """Make an option that may be repeated."""
    return click.option(*flags, multiple=True, **settings)


def one_of(names: Collection[str], *flags: str, **settings: Any) -> Decorator:
    """Make an option that takes one of some names, shows them in its help, and completes them.

    Parameters
    ----------
    names : collection of str
        In the order in which they are shown; a table of ours will do.
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


def output(help_line: str, *, endings: Collection[str] = (), **settings: Any) -> Decorator:
    """Make the option that says where a result is written; every command spells it alike.

    With `endings`, a file that ends otherwise is refused.
    """

    def check(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
        if path is not None and endings:
            by_ending(path, dict.fromkeys(endings, ""))
        return path

    return click.option(
        "--output", "-o", "out", type=PATH, help=help_line, callback=check, **settings
    )


def form(names: Collection[str], **settings: Any) -> Decorator:
    """Make the option that says in which form a result is written."""
    return one_of(names, "--format", "-f", "form", **settings)


def by_ending(path: Path, endings: Mapping[str, str]) -> str:
    """Return what the ending of an output file stands for; other endings are refused."""
    ending = path.suffix.lower()
    if ending not in endings:
        raise OptionError(
            f"expected --output to end in {', '.join(endings)}, got {path.name!r}: name the file "
            "by what it is to hold"
        )
    return endings[ending]


class LibraryOption(click.Option):
    """An option whose default is that of the library, read when it is needed."""

    def __init__(self, *args: Any, function: str, option: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.function, self.option = function, option

    def get_default(self, ctx: click.Context, call: bool = True) -> Any:
        """Return the default that stands in the signature of the function."""
        return written_default(self.function, self.option)


def option(name: str, *flags: str, of: str, flag: bool = False, **settings: Any) -> Decorator:
    """Make an option out of its row in `OPTIONS`; whether a value will do is said by the library.

    Parameters
    ----------
    name : str
        In the table.
    *flags : str
        A short one besides the name: ``"-u"``.
    of : str
        The function whose option it is; its default is the option's.
    flag : bool
        Whether it takes no value, but has a form that says no.
    **settings
        As of `click.option`.
    """
    row = find_option(name, of)
    dashed = name.replace("_", "-")
    flags = (f"--{dashed}/--no-{dashed}" if flag else f"--{dashed}", *flags)
    settings |= {"cls": LibraryOption, "function": of, "option": name}
    if row.table:
        return one_of(written_names(row.table), *flags, help=row.help, **settings)
    return click.option(*flags, help=row.help, **settings)
