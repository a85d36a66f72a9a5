"""Options whose values are the names of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Collection

# The names are those of `maxcover.solvers.EFFORTS`, which takes too long to import for a help text.
Effort = Annotated[
    str,
    typer.Option(metavar="fast|normal|thorough", help="How hard the method auto tries."),
]


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
