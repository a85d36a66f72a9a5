"""``maxcover background``: the document frequencies of a corpus, as a table for tf-idf."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from maxcover.cli.choices import one_of
from maxcover.cli.console import Quiet, notices, progress
from maxcover.text import Background
from maxcover.text.sources import (
    KINDS,
    count_lines,
    find_files,
    kind_of,
    read_clusters,
    read_document,
)
from maxcover.text.stems import ALGORITHMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxcover.cli.console import Advance

EXAMPLES = """\b
Examples:
  maxcover background corpus/ -o english.df
  maxcover background articles.jsonl --max-terms 100000 -o english.df
  maxcover summarize news/*.txt --budget 100 --weights tf-idf --background english.df

A file is a document; so is every text in a line of a .jsonl file.
"""


def background(
    sources: Annotated[
        list[str] | None,
        typer.Argument(help="Files, directories or patterns; - or nothing for standard input."),
    ] = None,
    out: Annotated[Path, typer.Option("--output", "-o", help="File for the table.")] = ...,  # type: ignore[assignment] # typer's way to say that it is required
    language: Annotated[
        str, typer.Option("--language", "-l", help="Name or code, such as de; 'any' for others.")
    ] = "english",
    stemmer: Annotated[
        str | None,
        typer.Option(
            help="Of Snowball; otherwise the language's own. The paper's preset needs porter.",
            autocompletion=lambda: list(ALGORITHMS),
        ),
    ] = None,
    stem: Annotated[bool, typer.Option(help="Whether words are stemmed at all.")] = True,
    max_terms: Annotated[
        int | None, typer.Option(min=1, help="Keep only about so many: bounds the memory.")
    ] = None,
    kind: Annotated[
        str | None,
        one_of(KINDS, "--from", explained="What the input holds; otherwise by its ending."),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Of text files; otherwise UTF-8, or as their mark says.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Count in how many documents each word occurs.

    One document is in memory at a time.
    """
    files = [(path, kind_of(path, kind)) for path in find_files(sources or [])]
    with progress("documents", quiet=quiet) as advance:
        table = Background.from_documents(
            _documents(files, encoding, advance),
            language=language,
            stem=(stemmer or True) if stem else False,
            max_terms=max_terms,
        )
    table.save(out)
    console = notices(quiet=quiet)
    if console.is_terminal:
        size = f"{table.documents:,} documents, {len(table.counts):,} terms"
        console.print(f"{size}: {out}", style="dim", markup=False)


def _documents(
    files: list[tuple[Path, str]], encoding: str | None, advance: Advance
) -> Iterator[str]:
    """Give one document after the other, and tell how many files or lines are through."""
    total = sum(count_lines(path) if kind == "jsonl" else 1 for path, kind in files)
    done = 0
    for path, kind in files:
        if kind != "jsonl":
            yield read_document(path, kind=kind, encoding=encoding)
            done += 1
            advance(done, max(total, done))
            continue
        for _, read in read_clusters(path):
            yield from read().documents
            done += 1
            advance(done, max(total, done))
