"""``maxcover compare``: what each of two texts says that the other does not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import NAME, argument, option

if TYPE_CHECKING:
    from maxcover.text.read.sources import SourceCluster

EXAMPLES = """\b
Examples:
  maxcover compare monday.txt tuesday.txt
  maxcover compare drafts/old/ drafts/new/ --budget 60
"""


@click.command(epilog=EXAMPLES)
@argument("first", "A file, a directory or a pattern.", type=NAME)
@argument("second", "Another one.", type=NAME)
@click.option("--budget", "-b", help="Maximum length of each side.")
@option("language", "-l", of="summarize")
def compare(first: str, second: str, **options: Any) -> None:
    """Print what each text says that the other does not."""
    from maxcover import compare as find_differences
    from maxcover.text.read.sources import name_of

    found = find_differences(_read(first), _read(second), **options)
    for name, summary in zip((first, second), found, strict=True):
        said = "nothing that the other does not" if summary is None else summary.text
        click.echo(f"Only {name_of(Path(name))}:\n{said}\n")


def _read(side: str) -> SourceCluster:
    from maxcover.text.read.sources import find_files, read_files

    return read_files(find_files([side]))
