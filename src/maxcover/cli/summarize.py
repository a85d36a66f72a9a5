"""``maxcover summarize``: texts in, a summary within a budget out."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from threading import Timer
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from maxcover.cli.choices import Effort, one_of, option
from maxcover.cli.console import (
    PATIENCE,
    Quiet,
    notices,
    progress,
    status,
)
from maxcover.errors import OptionError, TextError
from maxcover.report.formats import FORMATS, find_format
from maxcover.text import Background
from maxcover.text.sources import (
    KINDS,
    Cluster,
    count_lines,
    find_files,
    kind_of,
    name_of,
    read_clusters,
    read_document,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxcover import Progress, Summary
    from maxcover.report.formats import Format

EXAMPLES = """\b
Examples:
  maxcover summarize article1.txt article2.txt --budget 100
  cat thread.txt | maxcover summarize --budget 280 --unit characters --explain
  maxcover summarize news/*.html --budget 10% -o digest.md
  maxcover summarize today.txt --known yesterday.txt
  maxcover summarize clusters.jsonl --budget 100 --format jsonl > summaries.jsonl

A line of a .jsonl file is a cluster: {"id": ..., "documents": [{"text": ...}, ...]}, {"text": ...},
a list of texts or a text. All other files together are one cluster.
"""


def summarize(
    sources: Annotated[
        list[str] | None,
        typer.Argument(help="Files, directories or patterns; - or nothing for standard input."),
    ] = None,
    budget: Annotated[str | None, option("budget", "--budget", "-b", of="summarize")] = None,
    unit: Annotated[str, option("unit", "--unit", "-u")] = "words",
    order: Annotated[str, option("order")] = "reading",
    require: Annotated[
        list[str] | None,
        typer.Option(metavar="REGEX", help="Sentences that must be in it. May be repeated."),
    ] = None,
    forbid: Annotated[
        list[str] | None,
        typer.Option(metavar="REGEX", help="Sentences that must not. May be repeated."),
    ] = None,
    max_sentences_per_document: Annotated[int | None, option("max_sentences_per_document")] = None,
    max_cost_per_document: Annotated[float | None, option("max_cost_per_document")] = None,
    max_similarity: Annotated[float, option("max_similarity")] = 0.8,
    min_words: Annotated[int, option("min_words")] = 1,
    language: Annotated[str, option("language", "--language", "-l")] = "auto",
    preset: Annotated[str, option("preset")] = "default",
    concepts: Annotated[str | None, option("concepts")] = None,
    weights: Annotated[str | None, option("weights")] = None,
    stop_words: Annotated[
        bool | None,
        typer.Option("--drop-stop-words/--keep-stop-words", help="Otherwise as in the preset."),
    ] = None,
    query: Annotated[str, option("query")] = "",
    known: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="What the reader knows: only what is new. Repeatable."),
    ] = None,
    background: Annotated[Path | None, option("background")] = None,
    effort: Effort = "normal",
    time_limit: Annotated[float | None, option("time_limit")] = None,
    form: Annotated[
        str | None,
        one_of(FORMATS, "--format", "-f", explained="Otherwise by the ending of --output."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write instead of the terminal.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each sentence is there.")
    ] = False,
    kind: Annotated[
        str | None,
        one_of(KINDS, "--from", explained="What the input holds; otherwise by its ending."),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Of text files; otherwise UTF-8, or as their mark says.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Choose the sentences that say the most, within a budget.

    The answer covers the most of what the documents say; the budget is never exceeded.
    """
    options: dict[str, Any] = {
        "budget": budget,
        "unit": unit,
        "order": order,
        "required": [_pattern(text) for text in require or []],
        "forbidden": [_pattern(text) for text in forbid or []],
        "max_sentences_per_document": max_sentences_per_document,
        "max_cost_per_document": max_cost_per_document,
        "max_similarity": max_similarity,
        "min_words": min_words,
        "language": language,
        "preset": preset,
        "concepts": concepts,
        "weights": weights,
        "stop_words": stop_words,
        "query": query,
        "known": [
            read_document(path, kind=kind_of(path, kind), encoding=encoding)
            for path in (find_files(known) if known else ())
        ],
        "background": None if background is None else Background.load(background),
        "effort": effort,
        "time_limit": time_limit,
    }
    files = [(path, kind_of(path, kind)) for path in find_files(sources or [])]
    report = _Report(find_format(form, out), out, explain=explain, quiet=quiet)
    streams = [path for path, held in files if held == "jsonl"]
    texts = [(path, held) for path, held in files if held != "jsonl"]
    with report.opened(many=bool(streams)):
        if texts:
            documents = [read_document(path, kind=held, encoding=encoding) for path, held in texts]
            cluster = Cluster("", tuple(name_of(path) for path, _ in texts), tuple(documents))
            report.add(cluster, _patiently(cluster, options, quiet=quiet))
        for path in streams:
            _stream(path, options, report)
    report.finish()


def _patiently(cluster: Cluster, options: dict[str, Any], *, quiet: bool) -> Summary:
    """Summarise one cluster, and say where the work stands if it takes more than a second."""
    from maxcover import summarize

    with status(quiet=quiet) as say:
        size = sum(map(len, cluster.documents))
        reading = Timer(PATIENCE + 0.1, say, [f"reading {size:,} characters …"])
        reading.daemon = True
        reading.start()

        def hear(where: Progress) -> None:
            reading.cancel()
            say(f"{where.part}: within {where.gap:.2%} of the best possible")

        try:
            return summarize(cluster.documents, callback=hear, **options)
        finally:
            reading.cancel()


def _stream(path: Path, options: dict[str, Any], report: _Report) -> None:
    """Summarise one cluster after the other; one that cannot be is reported and left out."""
    from maxcover import summarize

    total = count_lines(path)
    with progress(name_of(path), quiet=report.quiet) as advance:
        for done, (where, read) in enumerate(read_clusters(path), start=1):
            try:
                cluster = read()
                report.add(cluster, summarize(cluster.documents, **options))
            except TextError as error:
                report.miss(where, error)
            advance(done, max(total, done))


@dataclass
class _Report:
    """Where summaries are written, and what went wrong."""

    form: Format
    path: Path | None
    explain: bool
    quiet: bool
    many: bool = False
    written: int = 0
    missed: int = 0
    interrupted: bool = False
    _file: IO[str] | None = field(default=None, init=False)

    @contextmanager
    def opened(self, *, many: bool) -> Iterator[None]:
        """Frame what is written; a file is opened when there is something to write into it."""
        self.many = many
        try:
            yield
            if many:
                self._write(self.form.closing if self.written else self._empty())
        finally:
            if self._file is not None:
                self._file.close()

    def add(self, cluster: Cluster, summary: Summary) -> None:
        """Write one summary; stop after one that Ctrl-C cut short."""
        if self.written and not self.form.several:
            raise OptionError(
                "expected one cluster, since a page holds one summary, got several: pass them one "
                "by one, or write --format jsonl"
            )
        if self.many:
            self._write(self.form.between if self.written else self.form.opening)
        self._write(self.form.write(summary, cluster.names, cluster.title))
        self.written += 1
        if not (summary.corpus.sure or self.quiet or self.many):
            text = f"read as {summary.language.capitalize()}, which is not certain: say --language"
            notices().print(text, style="dim")
        if self.explain:
            from maxcover.cli.explain import explain

            explain(summary, cluster.names)
        from maxcover.solvers.control import INTERRUPTED

        if summary.stopped == INTERRUPTED:
            raise KeyboardInterrupt

    def miss(self, where: str, error: TextError) -> None:
        """Say which cluster has no summary, and why."""
        text = str(error)
        typer.echo(f"maxcover: {text if text.startswith(where) else f'{where}: {text}'}", err=True)
        self.missed += 1

    def finish(self) -> None:
        """Say how it went: fail if some cluster has no summary."""
        console = notices(quiet=self.quiet)
        if self.many and console.is_terminal:
            missed = f", {self.missed} left out" if self.missed else ""
            console.print(f"{self.written} summaries{missed}", style="dim")
        if self.missed:
            raise typer.Exit(1)

    def _empty(self) -> str:
        return self.form.opening + self.form.closing

    def _write(self, text: str) -> None:
        if self.path is None:
            encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
            typer.echo(text.encode(encoding, "replace").decode(encoding), nl=False)
            return
        if self._file is None:
            self._file = self.path.open("w", encoding="utf-8", errors="replace", newline="\n")
        self._file.write(text)


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise OptionError(f"expected a regular expression, got {text!r}: {error}") from None
