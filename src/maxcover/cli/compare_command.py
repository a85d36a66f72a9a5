"""``maxcover compare``: what each of two texts says that the other does not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import NAME, argument, option, output
from maxcover.cli.console import write_result

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
@output("Write to this file instead of printing.")
def compare(first: str, second: str, out: Path | None, **options: Any) -> None:
    """Print what each text says that the other does not."""
    from maxcover import compare as find_differences
    from maxcover.text.read.sources import name_of

    found = find_differences(_read(first), _read(second), **options)
    write_result(found.to_text(name_of(Path(first)), name_of(Path(second))), out)


def _read(side: str) -> SourceCluster:
    from maxcover.text.read.sources import find_files, read_files

    return read_files(find_files([side]))
