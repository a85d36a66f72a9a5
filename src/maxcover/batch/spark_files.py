"""Spark files: the documents of input files, and the directory of a run, both through Spark.

Everything goes through DataFrames, because a driver on Spark Connect sees no file system.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from maxcover.batch.files import CODECS, ENDINGS
from maxcover.batch.json_lines import Columns, Origin, longest_line, parse_line
from maxcover.batch.manifest import check_same
from maxcover.batch.spark_errors import is_missing, spark_errors, told
from maxcover.errors import FileFormatError, OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from maxcover.batch.cluster import ClusterLimits, DocumentRow

# Schema of the rows that Spark shuffles: the fields of `maxcover.batch.cluster.DocumentRow`.
ROWS = pa.schema(
    [
        ("cluster", pa.string()),
        ("document", pa.string()),
        ("text", pa.binary()),
        ("file", pa.string()),
        ("line", pa.int64()),
        ("number", pa.int32()),
        ("refused", pa.string()),
        ("documents", pa.int32()),
    ]
)
# SQL expression for the path of a row's file, as it is on disk rather than as a URL.
_FILE = "regexp_replace(url_decode(replace(_metadata.file_path, '+', '%2B')), '^file:/+', '/')"
_SPLIT = ["file", "start", "length"]


class DocumentRows(NamedTuple):
    """The documents of an input, and a fingerprint of its content."""

    rows: DataFrame
    fingerprint: dict[str, Any]


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
            "CAST(NULL AS INT) AS number",
            "CAST(NULL AS STRING) AS refused",
            "1 AS documents",
        )


def open_rows(
    spark: SparkSession, source: str, columns: Columns, limits: ClusterLimits
) -> DocumentRows:
    """Open a file, directory or glob with Spark, and read it once for its fingerprint."""
    with told(source):
        ending = "regexp_extract(path, '([.][a-z]+)([.](gz|bz2|zst|lz4))?$', 1) AS ending"
        found = _listed(spark, source).selectExpr(ending).distinct().collect()
        kinds = {ENDINGS[row["ending"]] for row in found if row["ending"] in ENDINGS}
        if len(kinds) != 1:
            raise FileFormatError(
                f"{source}: expected {', '.join(ENDINGS)} (lines also compressed), or a directory "
                f"or a glob of one of these kinds; found {'several' if kinds else 'none'}"
            )
        if kinds == {"lines"}:
            return _open_lines(spark, source, columns, limits)
        return _open_parquet(spark, source, columns, limits)


def _listed(spark: SparkSession, path: str) -> DataFrame:
    """Return the paths of all files below `path`; Spark skips names that begin with _ or a dot."""
    reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    return reader.load(path).select("path")


def _open_parquet(
    spark: SparkSession, source: str, columns: Columns, limits: ClusterLimits
) -> DocumentRows:
    reader = spark.read.option("recursiveFileLookup", "true").option("pathGlobFilter", "*.parquet")
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
    return DocumentRows(
        rows, {"kind": "parquet", "rows": total["n"], "digest": str(total["digest"])}
    )


def _open_lines(
    spark: SparkSession, source: str, columns: Columns, limits: ClusterLimits
) -> DocumentRows:
    from pyspark.sql.pandas.types import from_arrow_schema

    names = ",".join(
        f"*{ending}{codec}"
        for ending, kind in ENDINGS.items()
        if kind == "lines"
        for codec in ("", *CODECS)
    )
    reader = spark.read.option("recursiveFileLookup", "true").option("lineSep", "\n")
    lines = reader.option("pathGlobFilter", f"{{{names}}}").text(source)
    placed = lines.selectExpr(
        "CAST(value AS BINARY) AS value",
        f"{_FILE} AS file",
        "_metadata.file_block_start AS start",
        "_metadata.file_block_length AS length",
    )
    # Count the lines of each piece of a file that Spark gives to one task. Their sums are the line
    # numbers at which the pieces begin.
    pieces = (
        placed.selectExpr(*_SPLIT, "CAST(xxhash64(value) AS DECIMAL(38, 0)) AS hashed")
        .groupBy(*_SPLIT)
        .agg({"hashed": "sum", "*": "count"})
        .toDF(*_SPLIT, "digest", "n")
        .orderBy(*_SPLIT)
        .collect()
    )
    before: dict[tuple[Any, ...], int] = {}
    passed: Counter[str] = Counter()
    for piece in pieces:
        before[piece["file"], piece["start"], piece["length"]] = passed[piece["file"]]
        passed[piece["file"]] += piece["n"]
    longest = longest_line(limits)

    def parse(batches: Iterator[Any]) -> Iterator[Any]:
        seen: Counter[tuple[Any, ...]] = Counter()
        for batch in batches:
            found: list[DocumentRow] = []
            for line, *place in zip(*(column.to_pylist() for column in batch), strict=True):
                seen[tuple(place)] += 1
                first = before.get(tuple(place))  # None if Spark split files differently before
                number = None if first is None else first + seen[tuple(place)]
                if line.strip():
                    whole = line if len(line) < longest else None
                    origin = Origin(place[0], number)
                    found.extend(parse_line(whole, columns, limits, origin=origin))
            yield pa.RecordBatch.from_pylist([row._asdict() for row in found], schema=ROWS)

    about = {"kind": "lines", "lines": sum(piece["n"] for piece in pieces)}
    total = str(sum(piece["digest"] for piece in pieces))
    return DocumentRows(
        placed.mapInArrow(parse, from_arrow_schema(ROWS)), {**about, "digest": total}
    )


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
