"""``maxcover compare``: what each of two texts says that the other does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from maxcover.cli.choices import NAME, argument, option
from maxcover.text.read.sources import find_files, kind_of, name_of, read_document

EXAMPLES = """\b
Examples:
  maxcover compare monday.txt tuesday.txt
  maxcover compare drafts/old/ drafts/new/ --budget 60
"""


@click.command(epilog=EXAMPLES)
@argument("first", "A file, a directory or a pattern.", type=NAME)
@argument("second", "Another one.", type=NAME)
@click.option("--budget", "-b", help="Largest size of each of the two.")
@option("language", "-l", default="auto")
def compare(first: str, second: str, **options: Any) -> None:
    """Print what each text says that the other does not."""
    from maxcover import compare as find_differences

    sides = [[_read(path) for path in find_files([side])] for side in (first, second)]
    found = find_differences(sides[0], sides[1], **options)
    for name, summary in zip((first, second), found, strict=True):
        said = "nothing that the other does not" if summary is None else summary.text
        click.echo(f"Only {name_of(Path(name))}:\n{said}\n")


def _read(path: Path) -> str:
    return read_document(path, kind=kind_of(path))
