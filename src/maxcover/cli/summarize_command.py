"""``maxcover summarize``: what texts say, within a budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import (
    NAME,
    background,
    encoding,
    form,
    kind,
    options_of,
    output,
    quiet,
    read_pattern,
    several,
    sources,
)
from maxcover.cli.console import progress, status
from maxcover.errors import OptionError, TextError
from maxcover.ground import names

if TYPE_CHECKING:
    from pathlib import Path

    from maxcover import Summary
    from maxcover.texts.read.sources import SourceCluster
    from maxcover.texts.report.formats import Format


# Options of `maxcover.summarize` that this command defines itself. It has no `form`, the markup of
# the documents: its --format is that of the output.
OWN = ("required", "forbidden", "known", "background", "form")
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
@several(
    "--known",
    type=NAME,
    metavar="FILE",
    help="File that the reader knows; leave out what it says. May be repeated.",
)
@background
@options_of("summarize", *OWN, budget="-b", unit="-u", language="-l")
@form(names.REPORTS, help="Output format. Default: by the ending of --output.")
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
    import maxcover as mc
    from maxcover.texts.read.sources import find_files, kind_of, read_files
    from maxcover.texts.report.formats import find_format

    options |= {
        "required": [read_pattern(text, "--require") for text in require],
        "forbidden": [read_pattern(text, "--forbid") for text in forbid],
        "known": read_files(find_files(known), kind=kind, encoding=encoding) if known else (),
    }
    given = find_files(sources)
    streams = [path for path in given.files if kind_of(path, kind) == "jsonl"]
    report = _Report(form=find_format(form, out), path=out, many=bool(streams), quiet=quiet)
    if texts := [path for path in given.files if path not in streams]:
        given = given._replace(files=texts)
        cluster = read_files(given, kind=kind, encoding=encoding, strict=strict)
        for one in cluster.skipped:
            click.echo(f"maxcover: skipped {one.path}: {one.reason}", err=True)
        with status(quiet=quiet) as say:
            say(f"reading {sum(map(len, cluster.documents)):,} characters …")
            options["callback"] = lambda now: say(f"{now.part}: within {now.gap:.2%} of the best")
            report.add(cluster, mc.summarize(cluster, **options))
    for path in streams:
        _stream(path, options, report)
    if report.missed:
        raise click.exceptions.Exit(1)


def _stream(path: Path, options: dict[str, Any], report: _Report) -> None:
    """Summarise the clusters of a .jsonl file one by one; report and skip the unusable ones."""
    from maxcover import summarize
    from maxcover.texts.read.sources import count_lines, name_of, read_clusters

    total = count_lines(path)
    with progress(name_of(path), quiet=report.quiet) as advance:
        for done, (where, read) in enumerate(read_clusters(path), start=1):
            try:
                cluster = read()
                report.add(cluster, summarize(cluster, **options))
            except TextError as error:
                report.miss(where, error)
            advance(done, max(total, done))


@dataclass(kw_only=True)
class _Report:
    """Writes summaries to a file or the terminal, and counts clusters written and missed."""

    form: Format
    path: Path | None
    many: bool
    quiet: bool
    written: int = 0
    missed: int = 0

    def add(self, cluster: SourceCluster, summary: Summary) -> None:
        """Write one summary; raise KeyboardInterrupt if Ctrl-C cut it short."""
        from maxcover.engine.solvers.control import INTERRUPTED

        text = self.form.write(summary, cluster.names, cluster.title)
        if self.written:
            if self.form.between is None:
                raise OptionError(
                    "expected one cluster, since this format holds one summary, got several: pass "
                    "them one by one, or write --format jsonl"
                )
            text = self.form.between + text
        if self.path is None:
            click.echo(text, nl=False)
        else:
            mode = "a" if self.written else "w"
            with self.path.open(mode, encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(text)
        self.written += 1
        if not (summary.corpus.sure or self.quiet or self.many):
            read_as = f"read as {summary.language.capitalize()}, which is not certain"
            click.echo(f"{read_as}: say --language", err=True)
        if summary.stopped == INTERRUPTED:
            raise KeyboardInterrupt

    def miss(self, where: str, error: TextError) -> None:
        """Print which cluster has no summary, and why; count it."""
        text = str(error)
        click.echo(f"maxcover: {text if text.startswith(where) else f'{where}: {text}'}", err=True)
        self.missed += 1
