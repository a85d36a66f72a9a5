"""Many small problems on Apache Spark: DataFrames in, DataFrames out, through Arrow.

Scheduling, retry, shuffle and commit are Spark's. A task groups its rows and summarises them with
the code that the local engine runs, so the rows are the same to the bit.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from maxcover.batch.cluster import (
    DEFAULT_LIMITS,
    Limits,
    RawCluster,
    check_options,
    group_rows,
    in_order,
    summarize_cluster,
)
from maxcover.batch.local import Report
from maxcover.batch.readers import DEFAULT_COLUMNS, Columns, parse_line, rows_of_batch
from maxcover.errors import MissingExtraError, OptionError

__all__ = ["batch", "document_frequencies", "session", "summarize", "tables"]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    Batches = Iterator[pa.RecordBatch]

# Summaries sent back at a time: large enough for Arrow, small enough to show progress.
_ROWS_OUT = 200
_SETTINGS = {
    # texts are long: with Spark's 10,000 rows a batch would be hundreds of megabytes
    "spark.sql.execution.arrow.maxRecordsPerBatch": "256",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}


def session(master: str | None = None, **settings: str) -> SparkSession:
    """Return the running Spark session, or start one with settings that suit long texts.

    Raises
    ------
    MissingExtraError
        PySpark is not installed.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingExtraError(
            "--engine spark needs PySpark and Java 17: pip install 'maxcover[spark]'"
        ) from error
    builder = SparkSession.builder.appName("maxcover")
    if master is not None:
        builder = builder.master(master)
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if (master or ("" if submitted else "local")).startswith("local"):
        # elsewhere the path of this Python says nothing
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for name, value in {**_SETTINGS, **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def summarize(
    documents: DataFrame,
    *,
    cluster: str = "cluster_id",
    document: str = "doc_id",
    text: str = "text",
    budget: float | str,
    limits: Limits = DEFAULT_LIMITS,
    partitions: int | None = None,
    **options: Any,
) -> DataFrame:
    """Summarise every cluster of a DataFrame of documents.

    Parameters
    ----------
    documents : DataFrame
        One row a document, in any order. Ids of any type; they come back as text.
    cluster, document, text : str
        Columns.
    budget, **options
        As in `maxcover.summarize`. A ``background``, such as `document_frequencies` returns, is
        broadcast once to every executor.
    limits : Limits
        Larger clusters get a reason instead of a summary; texts above the limit are not shuffled.
    partitions : int, optional
        Number of tasks, ``spark.sql.shuffle.partitions`` by default. Tasks of some hundred
        clusters keep Spark's share of the time small. The rows do not depend on it.

    Returns
    -------
    DataFrame
        One row a cluster: ``cluster, value, bound, gap, cost, status, n_documents, n_sentences,
        seconds``, the ``reason`` why there is no summary (null where there is one), and
        ``sentences``, an array of ``rank, document, start, end, cost, gain``. `tables` splits it.
        Lazy: nothing runs before an action. The same rows as `maxcover.batch.local.batch`
        writes, but for ``seconds``.

    Notes
    -----
    One shuffle of the texts. A task reads its rows as a sorted stream and holds one cluster at a
    time, so a cluster of any size takes no more memory than the limits allow.
    """
    from pyspark.sql import functions as F  # noqa: N812 - what everybody calls it

    check_options({"budget": budget, **options})
    size = F.octet_length(F.col(text))
    # A cut text is above the limit by one byte still: it is refused, but never travels whole.
    cut = F.substring(F.col(text).cast("binary"), 1, limits.document_bytes + 1)
    rows = documents.select(
        F.col(cluster).cast("string").alias("cluster"),
        F.col(document).cast("string").alias("document"),
        F.when(size > limits.document_bytes, cut)
        .otherwise(F.col(text).cast("binary"))
        .alias("text"),
    )
    if partitions is None:
        grouped = rows.repartition("cluster")
    else:
        grouped = rows.repartition(partitions, "cluster")
    columns = Columns("cluster", "document", "text")

    def clusters(batches: Batches) -> Iterator[RawCluster]:
        found = (row for batch in batches for row in rows_of_batch(batch, columns))
        return (in_order(cluster) for cluster in group_rows(found, limits))

    work = _summarizer(documents.sparkSession, clusters, {"budget": budget, **options})
    return grouped.sortWithinPartitions("cluster").mapInArrow(work, _schema())


def summarize_lines(
    lines: DataFrame,
    *,
    budget: float | str,
    limits: Limits = DEFAULT_LIMITS,
    **options: Any,
) -> DataFrame:
    """Summarise JSON Lines, a cluster a line in the first column; returns what `summarize` does."""
    check_options({"budget": budget, **options})

    def clusters(batches: Batches) -> Iterator[RawCluster]:
        import pyarrow as pa

        for batch in batches:
            for line in batch.column(0).cast(pa.large_binary()).to_pylist():
                if line.strip():
                    longest = 2 * limits.cluster_bytes
                    yield parse_line(line if len(line) < longest else None, limits)

    work = _summarizer(lines.sparkSession, clusters, {"budget": budget, **options})
    return lines.mapInArrow(work, _schema())


def document_frequencies(
    documents: DataFrame,
    *,
    document: str = "doc_id",
    text: str = "text",
    language: str = "english",
    stem: bool | str = True,
    least: int = 1,
) -> Any:
    """Count in how many documents each term occurs; the table fits `summarize(background=...)`.

    Parameters
    ----------
    documents : DataFrame
    document, text : str
        Columns; a document id that occurs twice is counted once, with one of its texts.
    language, stem
        As in `maxcover.text.prepare`.
    least : int
        Terms in fewer documents are left out before the table comes to the driver. Of a web
        crawl most terms occur once.

    Returns
    -------
    maxcover.text.background.Background
        The same counts as `Background.from_documents` on one machine.
    """
    from pyspark.sql import functions as F  # noqa: N812

    from maxcover.text.background import Background
    from maxcover.text.languages import find_language
    from maxcover.text.stems import find_stemmer

    def terms(batches: Batches) -> Batches:
        import pyarrow as pa

        for batch in batches:
            found: list[str] = []
            for data in batch.column(0).cast(pa.large_binary()).to_pylist():
                readable = data.decode("utf-8", "replace")
                one = Background.from_documents([readable], language=language, stem=stem)
                found.extend(one.counts)
            yield pa.record_batch({"term": pa.array(found, pa.string())})

    texts = documents.where(F.col(text).isNotNull()).dropDuplicates([document]).select(text)
    counts = texts.mapInArrow(terms, "term string").groupBy("term").count()
    kept = counts.where(F.col("count") >= least).orderBy(F.desc("count"), "term").toArrow()
    table = dict(zip(kept["term"].to_pylist(), kept["count"].to_pylist(), strict=True))
    stemmer = find_stemmer(stem, find_language(language))
    return Background(texts.count(), table, stemmer)


def tables(summaries: DataFrame) -> dict[str, DataFrame]:
    """Split what `summarize` returns into the tables that the local engine writes."""
    from pyspark.sql import functions as F  # noqa: N812

    from maxcover.batch.tables import CLUSTER_FIELDS

    done = summaries.where(F.col("reason").isNull())
    refused = summaries.where(F.col("reason").isNotNull())
    return {
        "sentences": done.select("cluster", F.inline("sentences")),
        "clusters": done.select("cluster", *(name for name, _ in CLUSTER_FIELDS)),
        "quarantine": refused.select("cluster", "reason", "n_documents"),
    }


def batch(
    source: str,
    out: str,
    *,
    spark: SparkSession,
    columns: Columns = DEFAULT_COLUMNS,
    limits: Limits = DEFAULT_LIMITS,
    partitions: int | None = None,
    **options: Any,
) -> Report:
    """Summarise every cluster of a file or directory that Spark can read into Parquet tables.

    The tables are those of `maxcover.batch.local.batch`. Summaries are computed once, into
    ``out/summaries``, and split from there; Spark commits a table as a whole. Called again after a
    failure, tables that are complete are kept.
    """
    started = time.monotonic()
    if PurePosixPath(source).suffix in (".jsonl", ".ndjson"):
        lines = spark.read.text(source)
        lines = lines if partitions is None else lines.repartition(partitions)
        summaries = summarize_lines(lines, limits=limits, **options)
    else:
        summaries = summarize(
            spark.read.parquet(source),
            **columns._asdict(),
            limits=limits,
            partitions=partitions,
            **options,
        )
    nested = _written(spark, summaries, f"{out}/summaries")
    split = {
        name: _written(spark, table, f"{out}/{name}") for name, table in tables(nested).items()
    }
    done, refused = split["clusters"].count(), split["quarantine"].count()
    return Report(done + refused, refused, 0, time.monotonic() - started)


def _written(spark: SparkSession, frame: DataFrame, path: str) -> DataFrame:
    """Write a table unless it is there complete, and read it back."""
    from pyspark.errors import AnalysisException

    jvm: Any = spark.sparkContext._jvm
    where = jvm.org.apache.hadoop.fs.Path(f"{path}/_SUCCESS")
    files = where.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
    if not files.exists(where):
        try:
            frame.write.mode("overwrite").parquet(path)
        except AnalysisException as error:
            raise OptionError(f"cannot write {path}: {error}") from error
    return spark.read.schema(frame.schema).parquet(path)


def _summarizer(
    spark: SparkSession,
    clusters: Callable[[Batches], Iterator[RawCluster]],
    options: dict[str, Any],
) -> Callable[[Batches], Batches]:
    """Return the work of a task; large options travel as a broadcast, once to each executor."""
    shared = spark.sparkContext.broadcast(options)

    def work(batches: Batches) -> Batches:
        import pyarrow as pa

        from maxcover.batch.tables import NESTED, nested_row

        held: list[dict[str, Any]] = []
        for cluster in clusters(batches):
            held.append(nested_row(summarize_cluster(cluster, shared.value)))
            if len(held) == _ROWS_OUT:
                yield pa.RecordBatch.from_pylist(held, schema=NESTED)
                held = []
        if held:
            yield pa.RecordBatch.from_pylist(held, schema=NESTED)

    return work


def _schema() -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    from maxcover.batch.tables import NESTED

    return from_arrow_schema(NESTED)
