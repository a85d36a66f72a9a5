"""``maxcover examples``: writes the tables and texts that README and start page use."""

from __future__ import annotations

import click


@click.command
def examples() -> None:
    """Write the example tables and texts of the documents.

    They go into the folder examples of the current folder.
    """
    from maxcover.examples import write

    click.echo(f"written: {', '.join(sorted(map(str, write().iterdir())))}")
