"""Spark: many small problems on Apache Spark: DataFrames in, DataFrames out, through Arrow.

Scheduling, retry, shuffle and commit are Spark's. A task groups its rows and summarises them with
the code that the local engine runs, so the rows are the same to the bit. Only DataFrames are used,
so that all of it works on Spark Connect too.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import time
from typing import TYPE_CHECKING, Any

from maxcover.errors import EngineError
from maxcover.ground.extras import import_extra
from maxcover_scale.batch.arrow import outcomes
from maxcover_scale.batch.cluster import (
    DEFAULT_LIMITS,
    ClusterLimits,
    DocumentRow,
    check_options,
    group_rows,
)
from maxcover_scale.batch.json_lines import DEFAULT_COLUMNS, Columns
from maxcover_scale.batch.manifest import Report, manifest
from maxcover_scale.batch.result_tables import NESTED, TABLES
from maxcover_scale.batch.spark_errors import told
from maxcover_scale.batch.spark_files import ROWS, SparkRun, document_rows, open_rows

__all__ = ["batch", "document_frequencies", "session", "summarize", "tables"]

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    Batches = Iterator[pa.RecordBatch]

# Target size of a table's Parquet files in bytes, and the rough size of a row of each table.
_FILE_BYTES = 256_000_000
_ROW_BYTES = {"sentences": 40, "clusters": 80, "quarantine": 150}
_SETTINGS = {
    # texts are long: a batch of 10,000 rows, Spark's default, would take hundreds of megabytes
    "spark.sql.execution.arrow.maxRecordsPerBatch": "256",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}

# Without these, Spark writes hundreds of warnings and progress bars to the error stream.
_QUIET = {"spark.log.level": "ERROR", "spark.ui.showConsoleProgress": "false"}


def session(master: str | None = None, **settings: str) -> SparkSession:
    """Return the running Spark session, or start one with settings that suit long texts.

    Parameters
    ----------
    master : str, optional
        ``local[*]``, ``spark://host:7077``, ``yarn`` and so on, or ``sc://host:15002`` for Spark
        Connect.
    **settings
        Of Spark.

    Raises
    ------
    MissingExtraError
        PySpark is not installed.
    """
    needed = "--engine spark needs PySpark and Java 17: pip install 'maxcover[spark]'"
    builder = import_extra("pyspark.sql", needed).SparkSession.builder.appName("maxcover")
    if master is not None:
        builder = builder.remote(master) if master.startswith("sc://") else builder.master(master)
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if (master or ("" if submitted else "local")).startswith("local"):
        # workers on this machine use this Python; other machines may not have its path
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # A server behind Spark Connect has settings of its own.
    quiet = {} if (master or "").startswith("sc://") else _QUIET
    for name, value in {**quiet, **_SETTINGS, **settings}.items():
        builder = builder.config(name, value)
    started: SparkSession = builder.getOrCreate()
    return started


def summarize(
    documents: DataFrame,
    *,
    cluster: str = "cluster_id",
    document: str = "doc_id",
    text: str = "text",
    budget: float | str,
    limits: ClusterLimits = DEFAULT_LIMITS,
    partitions: int | None = None,
    **options: Any,
) -> DataFrame:
    """Summarise every cluster of a DataFrame of documents.

    Parameters
    ----------
    documents : DataFrame
        One row per document, in any order. Ids of any type; they come back as text.
    cluster, document, text : str
        Columns.
    budget, **options
        As in `maxcover.summarize`. They are sent with the tasks, including a
        ``background`` such as `document_frequencies` returns.
    limits : ClusterLimits
        Larger clusters get a reason instead of a summary; texts above the limit are not shuffled.
    partitions : int, optional
        Number of tasks, ``spark.sql.shuffle.partitions`` by default. Tasks of some hundred
        clusters keep Spark's share of the time small. The rows do not depend on it.

    Returns
    -------
    DataFrame
        One row per cluster: ``cluster, value, bound, gap, cost, status, n_documents, n_sentences,
        seconds``, the ``reason`` why there is no summary (null where there is one), ``file`` and
        ``line`` (null), and ``sentences``, an array of ``rank, document, start, end, cost, gain,
        text`` (null unless ``with_text=True``).
        `tables` splits it. Lazy: nothing runs before an action. The same rows as
        `maxcover_scale.batch.local.batch` writes, except for ``seconds``.

    Notes
    -----
    One shuffle of the texts. A task reads its rows as a sorted stream and holds one cluster at a
    time, so a cluster of any size takes no more memory than the limits allow.
    """
    given = {"budget": budget, **options}
    check_options(given)
    rows = document_rows(documents, Columns(cluster, document, text), limits)
    return _summaries(rows, limits, partitions, given)


def _summaries(
    rows: DataFrame, limits: ClusterLimits, partitions: int | None, options: dict[str, Any]
) -> DataFrame:
    """Shuffle the rows so that each cluster is in one partition, and summarise each cluster."""
    from pyspark import cloudpickle
    from pyspark.sql.pandas.types import from_arrow_schema

    # The options are pickled once, so that a process that gets many tasks unpickles a large
    # background table only once.
    packed = cloudpickle.dumps(options)
    key = hashlib.sha256(packed).hexdigest()

    def work(batches: Batches) -> Batches:
        found = (DocumentRow(*values) for batch in batches for values in _values(batch))
        return outcomes(group_rows(found, limits), _unpacked(key, packed))

    grouped = (
        rows.repartition("cluster")
        if partitions is None
        else rows.repartition(partitions, "cluster")
    )
    in_order = grouped.sortWithinPartitions("cluster", "file", "line")
    return in_order.mapInArrow(work, from_arrow_schema(NESTED))


def _values(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a batch, the first fields of `DocumentRow`."""
    yield from zip(*(batch.column(name).to_pylist() for name in ROWS.names), strict=True)


_kept: dict[str, dict[str, Any]] = {}


def _unpacked(key: str, packed: bytes) -> dict[str, Any]:
    if key not in _kept:
        _kept.clear()
        _kept[key] = pickle.loads(packed)  # noqa: S301 - Spark sent it, as it sent this function
    return _kept[key]


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
        As in `maxcover.texts.weigh.prepare`.
    least : int
        Terms in fewer documents are left out before the table comes to the driver. In a web
        crawl most terms occur once.

    Returns
    -------
    maxcover.texts.weigh.background.Background
        The same counts as `Background.from_documents` on one machine.
    """
    from maxcover.texts.weigh.background import Background
    from maxcover.texts.words.languages import find_language

    def terms(batches: Batches) -> Batches:
        import pyarrow as pa

        for batch in batches:
            found: list[str] = []
            for data in batch.column(0).cast(pa.large_binary()).to_pylist():
                readable = data.decode("utf-8", "replace")
                one = Background.from_documents([readable], language=language, stem=stem)
                found.extend(one.counts)
            yield pa.record_batch({"term": pa.array(found, pa.string())})

    texts = documents.dropna(subset=[text]).dropDuplicates([document]).select(text)
    counts = texts.mapInArrow(terms, "term string").groupBy("term").count()
    kept = counts.where(f"`count` >= {int(least)}").orderBy(
        "count", "term", ascending=[False, True]
    )
    found = kept.toArrow()
    table = dict(zip(found["term"].to_pylist(), found["count"].to_pylist(), strict=True))
    stemmer = find_language(language).find_stemmer(stem)
    return Background(texts.count(), table, stemmer)


def tables(summaries: DataFrame) -> dict[str, DataFrame]:
    """Split the DataFrame that `summarize` returns into the tables that the local engine writes."""
    done = summaries.where("reason IS NULL")
    return {
        "sentences": done.selectExpr("cluster", "inline(sentences)"),
        "clusters": done.select(*TABLES["clusters"].names),
        "quarantine": summaries.where("reason IS NOT NULL").select(*TABLES["quarantine"].names),
    }


def batch(
    source: str,
    out: str,
    *,
    spark: SparkSession,
    columns: Columns = DEFAULT_COLUMNS,
    limits: ClusterLimits = DEFAULT_LIMITS,
    partitions: int | None = None,
    **options: Any,
) -> Report:
    """Summarise every cluster in files that Spark can read, and write Parquet tables.

    The tables are those of `maxcover_scale.batch.local.batch`. Summaries are computed once, into
    ``out/summaries``, and split from there; Spark commits a table as a whole. After a failure, call
    again with the same arguments: complete tables are kept.

    Raises
    ------
    OptionError
        An option is wrong, or `out` holds another run: another input (by its content), other
        options, or another version of this package.
    FileFormatError
        Spark cannot read the input.
    EngineError
        Spark gave up; call again to continue.
    """
    started = time.monotonic()
    check_options(options)
    rows, fingerprint = open_rows(spark, source, columns, limits)
    about = manifest("spark", fingerprint, columns, limits, options)
    summaries = _summaries(rows, limits, partitions, options)
    with told(out, "write", EngineError):
        run = SparkRun(spark, out, about)
        resumed = run.has("summaries")
        clusters, refused = _write_tables(run, summaries)
    return Report(clusters, refused, clusters if resumed else 0, time.monotonic() - started)


def _write_tables(run: SparkRun, summaries: DataFrame) -> tuple[int, int]:
    """Write the tables that are missing; return the numbers of all and of refused clusters."""
    nested = run.written("summaries", summaries)
    totals = nested.selectExpr(
        "count(*) AS all", "count(reason) AS refused", "sum(size(sentences)) AS sentences"
    ).collect()[0]
    wanted = {
        "sentences": totals["sentences"] or 0,
        "clusters": totals["all"] - totals["refused"],
        "quarantine": totals["refused"],
    }
    for name, table in tables(nested).items():
        files = 1 + wanted[name] * _ROW_BYTES[name] // _FILE_BYTES
        count = run.written(name, table.coalesce(files)).count()
        if count != wanted[name]:
            raise EngineError(
                f"expected {wanted[name]} rows in {run.out}/{name}, found {count}; were files "
                "deleted, or is another run at work there? Give another directory"
            )
    return totals["all"], totals["refused"]
