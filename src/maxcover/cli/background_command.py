"""``maxcover background``: the document frequencies of a corpus, as a table for tf-idf."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from maxcover.cli.choices import encoding, kind, output, quiet, sources
from maxcover.cli.console import is_watched, notices, progress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from maxcover.cli.console import Advance

EXAMPLES = """\b
Examples:
  maxcover background corpus/ -o english.df
  maxcover background articles.jsonl --max-terms 100000 -o english.df
  maxcover summarize news/*.txt --budget 100 --weights tf-idf --background english.df

A file is a document; so is every text in a line of a .jsonl file.
"""


def _stemmers(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    from maxcover.text.words.languages import ALGORITHMS

    return [name for name in ALGORITHMS if name.startswith(start)]


@click.command(epilog=EXAMPLES)
@sources
@output("File for the table: .df or .tsv.", endings=(".df", ".tsv"), required=True)
@click.option(
    "--language",
    "-l",
    default="english",
    help="Language name or code, e.g. de; 'any' for all others.",
)
@click.option(
    "--stemmer",
    help="Snowball stemmer. Default: that of the language. The preset paper needs porter.",
    shell_complete=_stemmers,
)
@click.option("--stem/--no-stem", default=True, help="Whether to stem words.")
@click.option(
    "--max-terms", type=click.IntRange(1), help="Keep about this many words, to limit memory."
)
@kind
@encoding
@quiet
def background(
    sources: tuple[str, ...],
    out: Path,
    language: str,
    stemmer: str | None,
    stem: bool,
    max_terms: int | None,
    kind: str | None,
    encoding: str | None,
    quiet: bool,
) -> None:
    """Count in how many documents each word occurs.

    One document is in memory at a time.
    """
    from maxcover.files.listing import WITHOUT_LIMITS
    from maxcover.text.read.sources import find_files, kind_of
    from maxcover.text.weigh.background import Background

    # no limits are needed: only one document is in memory at a time
    found = find_files(sources, limits=WITHOUT_LIMITS).files
    files = [(path, kind_of(path, kind)) for path in found]
    with progress("documents", quiet=quiet) as advance:
        table = Background.from_documents(
            _documents(files, encoding, advance),
            language=language,
            stem=(stemmer or True) if stem else False,
            max_terms=max_terms,
        )
    table.save(out)
    if is_watched(quiet=quiet):
        size = f"{table.documents:,} documents, {len(table.counts):,} terms"
        notices().print(f"{size}: {out}", style="dim", markup=False)


def _documents(
    files: list[tuple[Path, str]], encoding: str | None, advance: Advance
) -> Iterator[str]:
    """Yield the documents one by one; report progress in files, or lines of .jsonl files."""
    from maxcover.text.read.sources import count_lines, read_clusters, read_document

    total = sum(count_lines(path) if held == "jsonl" else 1 for path, held in files)
    done = 0
    for path, held in files:
        if held != "jsonl":
            yield read_document(path, kind=held, encoding=encoding)
            done += 1
            advance(done, max(total, done))
            continue
        for _, read in read_clusters(path):
            yield from read().documents
            done += 1
            advance(done, max(total, done))
