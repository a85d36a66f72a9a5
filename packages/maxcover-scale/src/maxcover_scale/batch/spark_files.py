"""Spark files: the documents of input files, and the directory of a run, both through Spark.

Everything goes through DataFrames, because a driver on Spark Connect sees no file system.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from maxcover.errors import FileFormatError, OptionError
from maxcover_scale.batch.manifest import check_same
from maxcover_scale.batch.spark_errors import is_missing, spark_errors, told

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from maxcover_scale.batch.cluster import ClusterLimits
    from maxcover_scale.batch.json_lines import Columns

# Schema of the rows that Spark shuffles: the first fields of `cluster.DocumentRow`.
ROWS = pa.schema(
    [
        ("cluster", pa.string()),
        ("document", pa.string()),
        ("text", pa.binary()),
        ("file", pa.string()),
        ("line", pa.int64()),
    ]
)
# SQL expression for the path of a row's file, as it is on disk rather than as a URL.
_FILE = "regexp_replace(url_decode(replace(_metadata.file_path, '+', '%2B')), '^file:/+', '/')"


def document_rows(
    documents: DataFrame,
    columns: Columns,
    limits: ClusterLimits,
    *,
    origin: tuple[str, str] = ("NULL", "NULL"),
) -> DataFrame:
    """Turn a table of documents into rows with the schema ROWS.

    A text above the limit is cut to the limit plus one byte: it is still refused, but never
    shuffled whole.
    """
    cluster, document, text = (f"`{name.replace('`', '``')}`" for name in columns)
    with told("the columns of the input"):
        return documents.selectExpr(
            f"CAST({cluster} AS STRING) AS cluster",
            f"CAST({document} AS STRING) AS document",
            f"CASE WHEN octet_length({text}) > {limits.document_bytes} "
            f"THEN substring(CAST({text} AS BINARY), 1, {limits.document_bytes + 1}) "
            f"ELSE CAST({text} AS BINARY) END AS text",
            f"CAST({origin[0]} AS STRING) AS file",
            f"CAST({origin[1]} AS BIGINT) AS line",
        )


def open_rows(
    spark: SparkSession, source: str, columns: Columns, limits: ClusterLimits
) -> tuple[DataFrame, dict[str, Any]]:
    """Open Parquet files with Spark: a file, directory or glob; read it once for a fingerprint."""
    reader = spark.read.option("recursiveFileLookup", "true").option("pathGlobFilter", "*.parquet")
    with told(source):
        if not _listed(spark, source).where("path LIKE '%.parquet'").limit(1).collect():
            raise FileFormatError(
                f"{source}: expected .parquet, or a directory or a glob of such files, found none; "
                "spark.read reads others, maxcover_scale.batch.spark.summarize summarises them"
            )
        table = reader.parquet(source)
        missing = [name for name in columns if name not in table.columns]
        if missing:
            raise FileFormatError(
                f"{source}: expected the columns {', '.join(columns)}, found "
                f"{', '.join(table.columns)}; name them with --cluster, --document and --text"
            )
        rows = document_rows(table, columns, limits, origin=(_FILE, "_metadata.row_index + 1"))
        total = rows.selectExpr(
            "count(*) AS n",
            "sum(CAST(xxhash64(cluster IS NULL, cluster, document IS NULL, document, text IS NULL, "
            "text) AS DECIMAL(38, 0))) AS digest",
        ).collect()[0]
    return rows, {"kind": "parquet", "rows": total["n"], "digest": str(total["digest"])}


def _listed(spark: SparkSession, path: str) -> DataFrame:
    """Return the paths of all files below `path`; Spark skips names that begin with _ or a dot."""
    reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    return reader.load(path).select("path")


class SparkRun:
    """The directory of a run, in any storage that Spark can write to.

    ``_manifest`` says what the run is, ``_done/NAME`` that a table is complete, ``_owner`` which
    run wrote there last. Object stores have no locks, so a run gives up if it finds another owner.

    Raises
    ------
    OptionError
        The folder holds another run, or something else.
    """

    def __init__(self, spark: SparkSession, out: str, about: str) -> None:
        self.spark, self.out = spark, out.rstrip("/")
        self._me = uuid.uuid4().hex
        found = self._read("_manifest")
        if found is not None:
            check_same(self.out, found, about)
        elif self._holds_something():
            raise OptionError(f"expected {out} to be new, empty or a run of Spark; it is neither")
        else:
            self._write("_manifest", about)
        self._write("_owner", self._me)

    def has(self, name: str) -> bool:
        """Return whether table `name` is complete."""
        return self._read(f"_done/{name}") is not None

    def written(self, name: str, frame: DataFrame) -> DataFrame:
        """Write a table unless it is already complete; return it as read back from storage."""
        path = f"{self.out}/{name}"
        if not self.has(name):
            self._check_owner()
            frame.write.mode("overwrite").parquet(path)
            self._check_owner()
            self._write(f"_done/{name}", json.dumps({"table": name}))
        return self.spark.read.schema(frame.schema).parquet(path)

    def _check_owner(self) -> None:
        if self._read("_owner") != self._me:
            raise OptionError(
                f"another run is at work in {self.out}; wait for it, or give another directory"
            )

    def _holds_something(self) -> bool:
        try:
            return bool(_listed(self.spark, self.out).limit(1).collect())
        except spark_errors() as error:
            if is_missing(error):
                return False
            raise

    def _read(self, name: str) -> str | None:
        try:
            lines = self.spark.read.text(f"{self.out}/{name}").collect()
        except spark_errors() as error:
            if is_missing(error):
                return None
            raise
        return str(lines[0][0]) if lines else None

    def _write(self, name: str, text: str) -> None:
        frame = self.spark.createDataFrame([(text,)], "value string")
        frame.coalesce(1).write.mode("overwrite").text(f"{self.out}/{name}")
