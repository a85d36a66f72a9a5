"""``maxcover summarize`` and ``maxcover compare``: what texts say, within a budget."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import IO, TYPE_CHECKING, Any

import click

from maxcover import names
from maxcover.cli.choices import (
    NAME,
    PATH,
    argument,
    encoding,
    form,
    kind,
    option,
    options_of,
    output,
    quiet,
    several,
    sources,
)
from maxcover.cli.console import PATIENCE, is_watched, notices, progress, status, write_result
from maxcover.errors import OptionError, TextError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxcover import Progress, Summary
    from maxcover.report.formats import Format
    from maxcover.text.read.sources import SourceCluster


# Options of `maxcover.summarize` that this command defines itself. It has no `form`, the markup of
# the documents: its --format is that of the output.
OWN = ("required", "forbidden", "known", "background", "stop_words", "form")
EXAMPLES = """\b
Examples:
  maxcover summarize article1.txt article2.txt --budget 100
  cat thread.txt | maxcover summarize --budget 280 --unit characters
  maxcover summarize news/*.html --budget 10% -o digest.md
  maxcover summarize today.txt --known yesterday.txt
  maxcover summarize clusters.jsonl --budget 100 --format jsonl > summaries.jsonl

A line of a .jsonl file is a cluster: {"id": ..., "documents": [{"text": ...}, ...]}, {"text": ...},
a list of texts or a text. All other files together are one cluster.
"""


@click.command(epilog=EXAMPLES)
@sources
@several("--require", metavar="REGEX", help="Include sentences that match. May be repeated.")
@several("--forbid", metavar="REGEX", help="Exclude sentences that match. May be repeated.")
@click.option(
    "--drop-stop-words/--keep-stop-words",
    "stop_words",
    default=None,
    help="Whether to ignore words without content. Default: as in the preset.",
)
@several(
    "--known",
    type=NAME,
    metavar="FILE",
    help="File that the reader knows; leave out what it says. May be repeated.",
)
@option("background", type=PATH, of="summarize")
@options_of("summarize", *OWN, budget="-b", unit="-u", language="-l")
@form(
    names.REPORTS,
    help="Output format. Default: by the ending of --output.",
)
@output("File to write instead of the terminal.")
@kind
@encoding
@click.option("--strict", is_flag=True, help="Refuse a folder with a file that cannot be read.")
@quiet
def summarize(
    sources: tuple[str, ...],
    require: tuple[str, ...],
    forbid: tuple[str, ...],
    known: tuple[str, ...],
    background: Path | None,
    form: str | None,
    out: Path | None,
    kind: str | None,
    encoding: str | None,
    strict: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Choose the sentences that say the most, within a budget.

    The answer covers the most of what the documents say; the budget is never exceeded.
    """
    from maxcover.report.formats import find_format
    from maxcover.text.read.sources import find_files, kind_of, read_files
    from maxcover.text.weigh.background import Background

    options |= {
        "required": [_pattern(text) for text in require],
        "forbidden": [_pattern(text) for text in forbid],
        "known": read_files(find_files(known), kind=kind, encoding=encoding) if known else (),
        "background": None if background is None else Background.load(background),
    }
    given = find_files(sources)
    files = [(path, kind_of(path, kind)) for path in given.files]
    report = _Report(find_format(form, out), out, quiet=quiet)
    streams = [path for path, held in files if held == "jsonl"]
    texts = [path for path, held in files if held != "jsonl"]
    with report.opened(many=bool(streams)):
        if texts:
            given = given._replace(files=texts)
            cluster = read_files(given, kind=kind, encoding=encoding, strict=strict)
            report.skip(cluster)
            report.add(cluster, _patiently(cluster, options, quiet=quiet))
        for path in streams:
            _stream(path, options, report)
    report.finish()


def _patiently(cluster: SourceCluster, options: dict[str, Any], *, quiet: bool) -> Summary:
    """Summarise one cluster; show a status line if that takes more than a second."""
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
            return summarize(cluster, callback=hear, **options)
        finally:
            reading.cancel()


def _stream(path: Path, options: dict[str, Any], report: _Report) -> None:
    """Summarise the clusters of a .jsonl file one by one; report and skip the unusable ones."""
    from maxcover import summarize
    from maxcover.text.read.sources import count_lines, name_of, read_clusters

    total = count_lines(path)
    with progress(name_of(path), quiet=report.quiet) as advance:
        for done, (where, read) in enumerate(read_clusters(path), start=1):
            try:
                cluster = read()
                report.add(cluster, summarize(cluster, **options))
            except TextError as error:
                report.miss(where, error)
            advance(done, max(total, done))


@dataclass
class _Report:
    """Writes summaries to a file or the terminal, and counts clusters written and missed."""

    form: Format
    path: Path | None
    quiet: bool
    many: bool = False
    written: int = 0
    missed: int = 0
    interrupted: bool = False
    _file: IO[str] | None = field(default=None, init=False)

    @contextmanager
    def opened(self, *, many: bool) -> Iterator[None]:
        """Close the output when the context ends; if `many`, first write the format's closing."""
        self.many = many
        try:
            yield
            if many:
                self._write(self.form.closing if self.written else self._empty())
        finally:
            if self._file is not None:
                self._file.close()

    def add(self, cluster: SourceCluster, summary: Summary) -> None:
        """Write one summary; raise KeyboardInterrupt if Ctrl-C cut it short."""
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
        from maxcover.solvers.control import INTERRUPTED

        if summary.stopped == INTERRUPTED:
            raise KeyboardInterrupt

    def skip(self, cluster: SourceCluster) -> None:
        """Print which files of a folder could not be read, and why."""
        for one in cluster.skipped:
            click.echo(f"maxcover: skipped {one.path}: {one.reason}", err=True)

    def miss(self, where: str, error: TextError) -> None:
        """Print which cluster has no summary, and why; count it."""
        text = str(error)
        click.echo(f"maxcover: {text if text.startswith(where) else f'{where}: {text}'}", err=True)
        self.missed += 1

    def finish(self) -> None:
        """Print how many summaries were written; exit with 1 if a cluster has none."""
        if self.many and is_watched(quiet=self.quiet):
            missed = f", {self.missed} left out" if self.missed else ""
            notices().print(f"{self.written} summaries{missed}", style="dim")
        if self.missed:
            raise click.exceptions.Exit(1)

    def _empty(self) -> str:
        return self.form.opening + self.form.closing

    def _write(self, text: str) -> None:
        if self.path is None:
            encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
            click.echo(text.encode(encoding, "replace").decode(encoding), nl=False)
            return
        if self._file is None:
            self._file = self.path.open("w", encoding="utf-8", errors="replace", newline="\n")
        self._file.write(text)


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise OptionError(f"expected a regular expression, got {text!r}: {error}") from None


COMPARE_EXAMPLES = """\b
Examples:
  maxcover compare monday.txt tuesday.txt
  maxcover compare drafts/old/ drafts/new/ --budget 60
"""


@click.command(epilog=COMPARE_EXAMPLES)
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
