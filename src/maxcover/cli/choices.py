"""Options of the command line: what the table of options says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from maxcover.options import find_option

if TYPE_CHECKING:
    from collections.abc import Collection


def one_of(names: Collection[str], *flags: str, explained: str) -> Any:
    """Make an option that takes one of some names, shows them in its help, and completes them.

    Parameters
    ----------
    names : collection of str
        In the order in which they are shown; a table of ours will do.
    *flags : str
        ``"--unit", "-u"``.
    explained : str
        Help text.
    """

    def check(value: str | None) -> str | None:
        if value is not None and value not in names:
            raise typer.BadParameter(f"expected {', '.join(names)}, got {value!r}")
        return value

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return typer.Option(
        *flags,
        help=explained,
        metavar="|".join(names),
        callback=check,
        autocompletion=complete,
    )


def option(name: str, *flags: str, of: str = "", listed: bool = True) -> Any:
    """Make an option out of its row in `OPTIONS`; whether a value will do is said by the library.

    Parameters
    ----------
    name : str
        In the table.
    *flags : str
        As of `one_of`; by default the name.
    of : str
        The function whose option it is.
    listed : bool
        Whether the names that it may be are looked up for help and completion.
    """
    row = find_option(name, of)
    if row.table and listed:
        return one_of(row.names, *flags, explained=row.help)
    return typer.Option(*flags, help=row.help)


# `maxcover.solvers.EFFORTS` takes too long to import for a help text.
Effort = Annotated[str, option("effort", listed=False)]
