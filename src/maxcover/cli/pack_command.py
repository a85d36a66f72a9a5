"""``maxcover pack``: chooses retrieved passages for a context within a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

import click

from maxcover.cli.choices import (
    PATH,
    argument,
    form,
    option,
    options_of,
    output,
    quiet,
    read_pattern,
    several,
)
from maxcover.errors import FileFormatError, OptionError
from maxcover.ground.calls import CALLS
from maxcover.ground.files.opening import read_json_lines

EXAMPLES = """\b
Examples:
  maxcover pack passages.jsonl --budget 4000 --query "refund status of order 99172"
  retrieve "..." | maxcover pack --budget 1000 --granularity sentence --format json
  maxcover pack passages.jsonl --budget 4000 --query "who paid?" --query "when was it sent?"
  maxcover pack --files 'src/**/*.py' --budget 8000 --query "where is the cache emptied?"
  maxcover pack passages.jsonl --budget 4000 --tokenizer tokenizer.json --require dates

A line is a passage: {"text": ..., "score": ..., "document": ..., "position": ..., "header": ...,
"date": ...}, where all but the text may be missing, or a text. Without scores, the order is the
ranking.
"""
if TYPE_CHECKING:
    import re
    from pathlib import Path

# The method of `Packed` that writes each form.
FORMATS = {"text": "__str__", "json": "to_json", "table": "explain"}

ENDINGS = {".txt": "text", ".md": "text", ".json": "json"}


@click.command(epilog=EXAMPLES)
@argument(
    "source",
    "JSON Lines; - or nothing: standard input.",
    type=click.File("rb"),
    metavar="[PASSAGES]",
    default="-",
)
@several("--query", metavar="TEXT", help="Question or topic. May be repeated.")
@several(
    "--files",
    metavar="GLOB",
    help="Pack parts of these files instead of passages. May be repeated.",
)
@option("root", of="pack_files", help="With --files: folder that they are relative to.")
@option("index", of="pack_files", help="With --files: keep the words of large folders on disk.")
@click.option("--tokenizer", type=PATH, help="Count with this tokenizer.json instead of --unit.")
@several(
    "--require",
    metavar="WHAT",
    help="Passage number, kind of fact (e.g. dates) or /REGEX/. May be repeated.",
)
@click.option("--separator", default="\\n\\n", help="Text between two passages; \\n is a line end.")
@options_of("pack", "query", "required", "separator", budget="-b", unit="-u", language="-l")
@output("File to write instead of the terminal: .txt, .md or .json.", endings=ENDINGS)
@form(FORMATS, help="text: the context; json: everything; table: what was left out and why.")
@quiet
def pack(
    source: BinaryIO,
    query: tuple[str, ...],
    files: tuple[str, ...],
    unit: str,
    tokenizer: Path | None,
    require: tuple[str, ...],
    separator: str,
    out: Path | None,
    form: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Choose the passages for a context window, within a budget.

    It chooses the passages that answer the query best. The budget is never exceeded.
    """
    from maxcover.texts.packing.counters import load_tokenizer
    from maxcover.texts.packing.located import pack_files
    from maxcover.texts.packing.pack import pack as pack_passages

    if form is None:
        form = "text" if out is None else ENDINGS[out.suffix.lower()]
    shared = {
        "query": query or "",
        "unit": unit if tokenizer is None else load_tokenizer(tokenizer),
        "required": [_requirement(text) for text in require],
        "separator": separator.replace("\\n", "\n").replace("\\t", "\t"),
        **options,
    }
    packed: Any
    if files:
        packed = pack_files(files, **_of_call("pack_files", shared))
    else:
        packed = pack_passages(read_passages(source), **_of_call("pack", shared))
    text = getattr(packed, FORMATS[form])()
    if out is None:
        click.echo(text)
    else:
        out.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def _of_call(call: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that `call` has; refuse any other option that the user gave."""
    source_of = click.get_current_context().get_parameter_source
    for name in sorted(options.keys() - CALLS[call].keys()):
        if source_of(name) == click.core.ParameterSource.COMMANDLINE:
            dashed = name.replace("_", "-")
            where = (
                f"together with --files, whose parts are whole functions and sections; leave "
                f"--{dashed} out"
                if call == "pack_files"
                else "without --files; name them, or leave it out"
            )
            raise OptionError(f"expected no --{dashed} {where}")
    return {name: value for name, value in options.items() if name in CALLS[call]}


def read_passages(file: BinaryIO) -> list[dict[str, Any]]:
    """Read passages from JSON Lines, skipping blank lines; errors name the file and line."""
    passages = []
    for where, found in read_json_lines(file, getattr(file, "name", "standard input")):
        row = {"text": found} if isinstance(found, str) else found
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise FileFormatError(f"{where}: expected a text or an object with a text")
        passages.append(row)
    return passages


def _requirement(text: str) -> int | str | re.Pattern[str]:
    """Parse --require: a passage number, a /REGEX/, or else the name of a kind of fact."""
    if text.isdecimal():
        return int(text)
    if len(text) > 2 and text[0] == text[-1] == "/":
        return read_pattern(text[1:-1], "--require /REGEX/")
    return text
