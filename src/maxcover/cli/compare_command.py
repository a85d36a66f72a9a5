"""``maxcover compare``: what each of two texts says that the other does not."""

from __future__ import annotations

from typing import Any

import click

from maxcover.cli.choices import NAME, argument, background, encoding, form, kind, options_of
from maxcover.cli.console import end_empty, print_answer

EXAMPLES = """\b
Examples:
  maxcover compare yesterday.txt today.txt
  maxcover compare contract-v1/ contract-v2/ --budget 200 --format json
"""
_SIDE = "A file, directory or pattern"


@click.command(epilog=EXAMPLES)
@argument("first", f"{_SIDE}.", type=NAME)
@argument("second", f"{_SIDE} to compare it with.", type=NAME)
@background
@options_of("compare", "background", "form", budget="-b", unit="-u", language="-l")
@form(("text", "json"), default="text", help="text: both summaries; json: everything.")
@kind
@encoding
def compare(
    first: str, second: str, form: str, kind: str | None, encoding: str | None, **options: Any
) -> None:
    """Say what each of two texts says that the other does not."""
    import maxcover as mc
    from maxcover.texts.read.sources import find_files, read_files

    sides = [
        read_files(find_files([name]), kind=kind, encoding=encoding) for name in (first, second)
    ]
    found = mc.compare(*sides, **options)
    print_answer(found, form, found.to_text(first, second))
    if found.first is found.second is None:
        end_empty("neither says anything that the other does not")
