"""``maxcover batch``: millions of clusters from a file into tables, on this machine or on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import NAME, all_of, argument, background, option, quiet
from maxcover.cli.console import end_empty, status
from maxcover.errors import OptionError

if TYPE_CHECKING:
    from maxcover_scale.batch.local import Tally
    from maxcover_scale.batch.manifest import Report

# Exit code of a run that is complete but has clusters in quarantine.
QUARANTINED = 3
# Options of `summarize` that the command has besides those that it defines itself.
_OPTIONS = ("unit", "method", "effort", "language", "preset", "target_gap")


@click.command
@argument(
    "source",
    "Parquet or JSON Lines (on Spark, Parquet): a file, a directory, a glob or a URL.",
    type=NAME,
    metavar="INPUT",
)
@argument("out", "A new directory, or one to resume.", type=NAME)
@option("budget", of="summarize", required=True, help="Maximum length of a summary, 100 or 10%.")
@all_of(*(option(name, of="summarize") for name in _OPTIONS))
@background
@click.option(
    "--time-limit", type=float, help="Seconds per cluster; results then depend on your machine."
)
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
@click.option(
    "--with-text", is_flag=True, help="Write the text of the sentences, not only their positions."
)
@click.option("--workers", type=int, help="Number of processes. Default: one per core.")
@click.option(
    "--engine",
    type=click.Choice(("local", "spark")),
    default="local",
    help="Run on this machine or on Apache Spark.",
)
@click.option(
    "--master", help="Spark master, or sc://host:15002 for Spark Connect. Default: local[*]."
)
@click.option("--partitions", type=int, help="Number of Spark tasks; it does not change results.")
@quiet
def batch(
    source: str,
    out: str,
    engine: str,
    master: str | None,
    workers: int | None,
    partitions: int | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Summarise every cluster of documents; can be resumed.

    If it was killed, call it again: it goes on where it stopped. OUT gets the tables sentences
    (cluster, rank, document, start, end, cost, gain, text), clusters (value, bound, gap, ...) and
    quarantine (cluster, reason, file, line). The exit code is 0 when every cluster was
    summarised and 3 when some are in quarantine.
    """
    from maxcover_scale.batch.cluster import ClusterLimits
    from maxcover_scale.batch.json_lines import Columns

    options["columns"] = Columns(**{name: options.pop(name) for name in Columns._fields})
    options["limits"] = ClusterLimits(
        **{name: options.pop(f"max_{name}") for name in vars(ClusterLimits())}
    )
    if engine == "spark":
        if workers is not None:
            raise OptionError("expected no --workers with --engine spark; the master knows them")
        from maxcover_scale.batch import spark

        session = spark.session(master)
        report = spark.batch(source, out, spark=session, partitions=partitions, **options)
    else:
        if master is not None or partitions is not None:
            raise OptionError("expected --master and --partitions only with --engine spark")
        from maxcover_scale.batch import local

        with status(quiet=quiet) as say:
            say("reading …")
            report = local.batch(
                source, out, workers=workers, progress=lambda now: say(_sentence(now)), **options
            )
    _conclude(report, out)


def _sentence(now: Tally) -> str:
    rate = (now.clusters - now.resumed) / max(now.seconds, 1e-9)
    left = now.seconds * (1 - now.share) / max(now.share, 1e-9)
    return (
        f"{now.clusters} clusters, {now.refused} in quarantine, {rate:.0f} a second, "
        f"{now.share:.0%} done, about {left / 60:.0f} min left"
    )


def _conclude(report: Report, out: str) -> None:
    if not report.clusters:
        end_empty("the input holds no documents, so there is nothing to summarise")
    rate = (report.clusters - report.resumed) / max(report.seconds, 1e-9)
    resumed = f", {report.resumed} of them in earlier runs" if report.resumed else ""
    where = f" ({out}/quarantine)" if report.refused else ""
    click.echo(
        f"{report.clusters} clusters{resumed}: {report.clusters - report.refused} summarised, "
        f"{report.refused} in quarantine{where}; {report.seconds:.1f} s, {rate:.0f} a second"
    )
    if report.refused == report.clusters:
        names = "--cluster, --document and --text"
        click.echo(f"maxcover: nothing is summarised; other names of keys: {names}", err=True)
    if report.refused:
        raise click.exceptions.Exit(QUARANTINED)
