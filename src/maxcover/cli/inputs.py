"""Parameters of the commands that read texts."""

from __future__ import annotations

import click

from maxcover.cli.choices import NAME, argument, one_of
from maxcover.text.read.sources import KINDS

sources = argument(
    "sources",
    "Files, directories or patterns; - or nothing for standard input.",
    type=NAME,
    nargs=-1,
)
kind = one_of(KINDS, "--from", "kind", help="What the input holds; otherwise by its ending.")
encoding = click.option("--encoding", help="Of text files; otherwise UTF-8, or as their mark says.")
