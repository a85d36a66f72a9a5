"""Clusters from disk, one at a time: Parquet, a row a document; JSON Lines, a line a cluster."""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol

import numpy as np

from maxcover.batch.cluster import Limits, RawCluster, Row, group_rows, in_order
from maxcover.errors import FileFormatError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa
    import pyarrow.parquet as pq

# Rows and bytes decoded at a time: few, because a row may hold megabytes.
_BATCH_ROWS = 256
_BATCH_BYTES = 8_000_000


class Columns(NamedTuple):
    """What the columns of a table of documents are called."""

    cluster: str = "cluster_id"
    document: str = "doc_id"
    text: str = "text"


DEFAULT_COLUMNS = Columns()


class Source(Protocol):
    """Clusters in the order of the input, and how much of it has been read."""

    def clusters(self) -> Iterator[RawCluster]:
        """Yield every cluster once; memory for one cluster and one batch of rows."""

    @property
    def read(self) -> float:
        """The share of the input that was read so far, from 0 to 1."""

    @property
    def fingerprint(self) -> list[list[Any]]:
        """Name, size and time of change of every file."""


def open_source(path: Path, columns: Columns, limits: Limits) -> Source:
    """Open a Parquet or JSON Lines file, or a directory of files of one kind, in order of name."""
    files = sorted(path.rglob("*.*")) if path.is_dir() else [path]
    kinds = {
        kind: [file for file in files if file.suffix in endings]
        for kind, endings in (("parquet", (".parquet",)), ("jsonl", (".jsonl", ".ndjson")))
    }
    if not path.exists():
        raise FileFormatError(f"{path}: no such file or directory")
    if kinds["parquet"] and not kinds["jsonl"]:
        return ParquetSource(kinds["parquet"], columns, limits)
    if kinds["jsonl"] and not kinds["parquet"]:
        return LinesSource(kinds["jsonl"], limits)
    raise FileFormatError(
        f"{path}: expected .parquet or .jsonl, or a directory that holds files of one of them"
    )


def fingerprint(files: list[Path]) -> list[list[Any]]:
    """Return name, size and time of change of files, to tell whether they are still the same."""
    return [[file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in files]


@dataclass
class ParquetSource:
    """One row a document. The rows of a cluster must be neighbours, in any order among themselves.

    That they are is checked before the work, by reading the column of ids alone (8 bytes a
    cluster): clusters that are torn apart would silently become two.
    """

    files: list[Path]
    columns: Columns
    limits: Limits
    _rows_read: int = 0
    _rows: int = 0

    def __post_init__(self) -> None:
        import pyarrow.parquet as pq

        for file in self.files:
            try:
                head = pq.ParquetFile(file)
            except ValueError as error:
                raise FileFormatError(f"{file}: not a Parquet file ({error})") from error
            missing = [name for name in self.columns if name not in head.schema_arrow.names]
            if missing:
                raise FileFormatError(
                    f"{file}: expected the columns {', '.join(self.columns)}, found "
                    f"{', '.join(head.schema_arrow.names)}; name them with --cluster, --document "
                    "and --text"
                )
            self._rows += head.metadata.num_rows
        self._check_neighbours()

    @property
    def read(self) -> float:
        """The share of the rows that was read so far."""
        return self._rows_read / max(self._rows, 1)

    @property
    def fingerprint(self) -> list[list[Any]]:
        """Name, size and time of change of every file."""
        return fingerprint(self.files)

    def clusters(self) -> Iterator[RawCluster]:
        """Yield every cluster once, documents in order of their ids."""
        for cluster in group_rows(self._documents(), self.limits):
            yield in_order(cluster)

    def _documents(self) -> Iterator[Row]:
        self._rows_read = 0
        for batch in self._batches(list(self.columns), _BATCH_ROWS):
            yield from rows_of_batch(batch, self.columns)
            self._rows_read += batch.num_rows

    def _batches(self, names: list[str], size: int) -> Iterator[pa.RecordBatch]:
        import pyarrow.parquet as pq

        for file in self.files:
            with pq.ParquetFile(file, buffer_size=1 << 20, pre_buffer=False) as opened:
                for group in range(opened.num_row_groups):
                    rows = min(size, _rows_that_fit(opened.metadata.row_group(group)))
                    yield from opened.iter_batches(
                        rows, row_groups=[group], columns=names, use_threads=False
                    )

    def _check_neighbours(self) -> None:
        """Refuse an input in which a cluster comes back after another one."""
        seen = array("q")
        last = None
        for batch in self._batches([self.columns.cluster], 1 << 14):
            for name in texts_of(batch.column(0)).to_pylist():
                if name != last and name is not None:
                    seen.append(hash(name))
                last = name
        if np.unique(np.frombuffer(seen, np.int64)).size != len(seen):
            raise FileFormatError(
                "expected the rows of a cluster to be neighbours, found a cluster that comes back "
                f"after another; sort the input by {self.columns.cluster!r}, or use --engine spark"
            )


def _rows_that_fit(group: pq.RowGroupMetaData) -> int:
    """Return how many rows of a row group take a few megabytes, at the mean size of its rows."""
    rows: int = _BATCH_BYTES * group.num_rows // max(group.total_byte_size, 1)
    return max(1, rows)


def texts_of(column: pa.Array) -> pa.Array:
    """Return ids as text, whatever their type."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column if pa.types.is_string(column.type) else pc.cast(column, pa.string())


def rows_of_batch(batch: pa.RecordBatch, columns: Columns) -> Iterator[Row]:
    """Yield the documents of a batch; texts stay bytes, because they may not be valid UTF-8."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = texts_of(batch.column(columns.cluster)).to_pylist()
    documents = texts_of(batch.column(columns.document)).to_pylist()
    texts = pc.cast(batch.column(columns.text), pa.large_binary()).to_pylist()
    yield from map(Row, names, documents, texts)


@dataclass
class LinesSource:
    """One line a cluster: ``{"id": ..., "documents": [{"id": ..., "text": ...}, ...]}``.

    Documents stay in the order of the line. Other fields are ignored.
    """

    files: list[Path]
    limits: Limits
    _bytes_read: int = 0

    @property
    def read(self) -> float:
        """The share of the bytes that was read so far."""
        return self._bytes_read / max(sum(file.stat().st_size for file in self.files), 1)

    @property
    def fingerprint(self) -> list[list[Any]]:
        """Name, size and time of change of every file."""
        return fingerprint(self.files)

    def clusters(self) -> Iterator[RawCluster]:
        """Yield every cluster once; a line that cannot be read is a cluster that is refused."""
        self._bytes_read = 0
        most = 2 * self.limits.cluster_bytes  # JSON escapes; a longer line is never held whole
        for file in self.files:
            with file.open("rb") as lines:
                while line := lines.readline(most):
                    self._bytes_read += len(line)
                    if len(line) == most and not line.endswith(b"\n"):
                        self._skip_line(lines)
                        yield parse_line(None, self.limits)
                    elif line.strip():
                        yield parse_line(line, self.limits)

    def _skip_line(self, lines: BinaryIO) -> None:
        while part := lines.readline(1 << 20):
            self._bytes_read += len(part)
            if part.endswith(b"\n"):
                break


def parse_line(line: bytes | None, limits: Limits) -> RawCluster:
    """Read one line of JSON; None stands for a line that is too long to be read."""
    if line is None:
        return RawCluster(
            None, refused=f"too large: a line of over {2 * limits.cluster_bytes} bytes"
        )
    line = line.strip()  # who read it may have left the line end, or not
    try:
        row = json.loads(line)
    except UnicodeDecodeError as error:
        return RawCluster(None, refused=f"not UTF-8 ({error.reason}): {line[:40]!r}")
    except (ValueError, RecursionError) as error:
        return RawCluster(None, refused=f"not JSON ({error}): {line[:40]!r}")
    if not isinstance(row, dict) or not isinstance(row.get("documents"), list):
        return RawCluster(None, refused=f'expected {{"id", "documents": [...]}}: {line[:40]!r}')
    name = None if row.get("id") is None else str(row["id"])
    cluster = RawCluster(name)
    for number, document in enumerate(row["documents"]):
        if not isinstance(document, dict) or not isinstance(document.get("text"), str | None):
            cluster.refuse(f"document {number}: expected an object with a text")
            cluster.n_documents += 1
            continue
        text = document.get("text")
        # a lone surrogate is legal JSON and no UTF-8; the decoder refuses it later
        data = None if text is None else text.encode("utf-8", "surrogatepass")
        cluster.add(Row(name, str(document.get("id", number)), data), limits)
    return cluster
