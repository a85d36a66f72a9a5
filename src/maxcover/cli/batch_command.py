"""``maxcover batch``: millions of clusters from a file into tables, on this machine or on Spark."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import NAME, PATH, argument, one_of, option, quiet
from maxcover.cli.console import notices
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from maxcover.batch.local import Tally
    from maxcover.batch.manifest import Report

# Exit code of a run that is complete but has clusters in quarantine.
QUARANTINED = 3
# Seconds between two lines of progress if stderr is not a terminal, such as a log file.
_LOG_EVERY = 30.0


@click.command
@argument(
    "source",
    "Parquet or JSON Lines (on Spark, Parquet): a file, a directory, a glob or a URL.",
    type=NAME,
    metavar="INPUT",
)
@argument("out", "A new directory, or one to resume.", type=NAME)
@option("budget", of="summarize", required=True, help="Maximum length of a summary, 100 or 10%.")
@option("unit", of="summarize")
@option("method", of="summarize")
@option("effort", of="summarize")
@option("language", of="summarize")
@option("preset", of="summarize")
@click.option("--background", type=PATH, help="Word counts written by Background.save, for tf-idf.")
@click.option(
    "--time-limit", type=float, help="Seconds per cluster; results then depend on your machine."
)
@option("target_gap", of="summarize")
@click.option("--cluster", default="cluster_id", help="Column or key of cluster ids.")
@click.option("--document", default="doc_id", help="Column or key of document ids.")
@click.option("--text", default="text", help="Column or key of texts.")
@click.option("--max-documents", default=20_000, help="Quarantine clusters with more documents.")
@click.option(
    "--max-document-bytes",
    default=4_000_000,
    help="Quarantine clusters with a larger document.",
)
@click.option("--max-cluster-bytes", default=32_000_000, help="Quarantine clusters with more text.")
@click.option("--workers", type=int, help="Number of processes. Default: one per core.")
@one_of(
    ("local", "spark"), "--engine", default="local", help="Run on this machine or on Apache Spark."
)
@click.option(
    "--master", help="Spark master, or sc://host:15002 for Spark Connect. Default: local[*]."
)
@click.option("--partitions", type=int, help="Number of Spark tasks; it does not change results.")
@quiet
def batch(
    source: str,
    out: str,
    background: Path | None,
    cluster: str,
    document: str,
    text: str,
    max_documents: int,
    max_document_bytes: int,
    max_cluster_bytes: int,
    workers: int | None,
    engine: str,
    master: str | None,
    partitions: int | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Summarise every cluster of documents; can be resumed.

    If it was killed, call it again: it goes on where it stopped. OUT gets the tables sentences
    (cluster, rank, document, start, end, cost, gain), clusters (value, bound, gap, seconds, ...)
    and quarantine (cluster, reason, file, line). The exit code is 0 when every cluster was
    summarised and 3 when some are in quarantine.
    """
    from maxcover.batch.cluster import ClusterLimits
    from maxcover.batch.json_lines import Columns

    options |= {
        "columns": Columns(cluster, document, text),
        "limits": ClusterLimits(
            documents=max_documents,
            document_bytes=max_document_bytes,
            cluster_bytes=max_cluster_bytes,
        ),
    }
    if background is not None:
        from maxcover.text.weigh.background import Background

        options["background"] = Background.load(background)
    report = _run(engine, source, out, workers, master, partitions, options, quiet=quiet)
    _conclude(report, out)


def _run(
    engine: str,
    source: str,
    out: str,
    workers: int | None,
    master: str | None,
    partitions: int | None,
    options: dict[str, Any],
    *,
    quiet: bool,
) -> Report:
    if engine == "spark":
        if workers is not None:
            raise OptionError("expected no --workers with --engine spark; the master knows them")
        from maxcover.batch import spark

        session = spark.session(master)
        return spark.batch(source, out, spark=session, partitions=partitions, **options)
    if master is not None or partitions is not None:
        raise OptionError("expected --master and --partitions only with --engine spark")
    from maxcover.batch import local

    with notices(quiet=quiet).status("reading …") as line:
        say = _teller(line.update, live=line.console.is_terminal, quiet=quiet)
        return local.batch(source, out, workers=workers, progress=say, **options)


def _teller(update: Callable[[str], None], *, live: bool, quiet: bool) -> Callable[[Tally], None]:
    """Return a function that shows progress: it updates a terminal's line, or writes log lines."""
    last = time.monotonic()

    def say(now: Tally) -> None:
        nonlocal last
        if live:
            update(_sentence(now))
        elif not quiet and time.monotonic() - last > _LOG_EVERY:
            last = time.monotonic()
            click.echo(_sentence(now), err=True)

    return say


def _sentence(now: Tally) -> str:
    rate = (now.clusters - now.resumed) / max(now.seconds, 1e-9)
    left = now.seconds * (1 - now.share) / max(now.share, 1e-9)
    return (
        f"{now.clusters} clusters, {now.refused} in quarantine, {rate:.0f} a second, "
        f"{now.share:.0%} done, about {left / 60:.0f} min left"
    )


def _conclude(report: Report, out: str) -> None:
    rate = (report.clusters - report.resumed) / max(report.seconds, 1e-9)
    resumed = f", {report.resumed} of them in earlier runs" if report.resumed else ""
    where = f" ({out}/quarantine)" if report.refused else ""
    click.echo(
        f"{report.clusters} clusters{resumed}: {report.clusters - report.refused} summarised, "
        f"{report.refused} in quarantine{where}; {report.seconds:.1f} s, {rate:.0f} a second"
    )
    if report.refused:
        raise click.exceptions.Exit(QUARANTINED)
