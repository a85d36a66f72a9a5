"""Inputs: parameters of the commands that read texts."""

from __future__ import annotations

import click

from maxcover import names
from maxcover.cli.choices import NAME, argument, one_of

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
