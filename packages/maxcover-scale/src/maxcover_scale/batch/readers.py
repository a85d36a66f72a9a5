"""Readers: clusters from Parquet, JSON Lines or streams of Arrow, one at a time."""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from maxcover.errors import FileFormatError, OptionError
from maxcover_scale.batch.arrow_rows import check_columns, is_list, rows_of_batch, texts_of
from maxcover_scale.batch.cluster import (
    ClusterLimits,
    DocumentRow,
    RawCluster,
    group_rows,
    refuse_repeated,
)
from maxcover_scale.batch.files import File, Files, Tap, find_files
from maxcover_scale.batch.json_lines import OTHER_KEYS, Columns, Origin, longest_line, parse_line

# Rows and bytes to decode at a time. They are few, because a row may hold megabytes.
_BATCH_ROWS = 256
_BATCH_BYTES = 8_000_000

# Lines of JSON after which the input is refused if none of them has the keys that are read.
LINES_WITHOUT_KEYS = 1000

# Cluster ids, each with whether its cluster was given whole: all documents in one line or row.
Ids = Iterator[tuple[str | None, bool]]


class InputSource(Protocol):
    """A source that yields the documents in input order, and says how much has been read."""

    def rows(self) -> Iterator[DocumentRow]:
        """Yield every document once, with one batch of rows in memory."""

    def ids(self, digest: hashlib._Hash) -> Ids:
        """Yield the cluster id of every row, and add the whole content to `digest`."""

    @property
    def read(self) -> float:
        """The share of the input that was read so far, from 0 to 1."""

    @property
    def about(self) -> dict[str, Any]:
        """The kind of input and its size, for the manifest."""


@dataclass
class Input:
    """An input that was read once, to compute its fingerprint and find repeated cluster ids.

    That first reading takes 8 bytes of memory per cluster. It refuses an input in which the rows of
    a cluster are not neighbours, because they would silently become two clusters.
    """

    source: InputSource
    columns: Columns
    limits: ClusterLimits
    fingerprint: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha256()
        self._repeated = self._look_through(digest)
        self.fingerprint = {**self.source.about, "sha256": digest.hexdigest()}

    def clusters(self) -> Iterator[RawCluster]:
        """Yield every cluster once."""
        found = group_rows(self.source.rows(), self.limits)
        return refuse_repeated(found, self._repeated)

    def _look_through(self, digest: hashlib._Hash) -> frozenset[int]:
        seen = {True: array("q"), False: array("q")}
        last: tuple[str | None, bool] | None = None
        for name, whole in self.source.ids(digest):
            if name is None:
                continue
            if whole or (name, whole) != last:
                seen[whole].append(hash(name))
            last = name, whole
        torn, lines = (np.frombuffer(seen[whole], np.int64) for whole in (False, True))
        if np.unique(torn).size != torn.size or np.intersect1d(torn, lines).size:
            raise FileFormatError(
                "expected the rows of a cluster to be neighbours, found a cluster that comes back "
                f"after another; sort the input by {self.columns.cluster!r}, or use --engine spark"
            )
        values, counts = np.unique(lines, return_counts=True)
        return frozenset(values[counts > 1].tolist())


def open_input(source: Any, columns: Columns, limits: ClusterLimits) -> Input:
    """Open a path, glob, URL or object with ``__arrow_c_stream__``; read it for its fingerprint."""
    if hasattr(source, "__arrow_c_stream__"):
        if isinstance(source, pa.RecordBatchReader):
            raise OptionError(
                "expected a stream that can be read twice, got a RecordBatchReader; pass the "
                "table, relation or file that it comes from"
            )
        return Input(ArrowSource(source, columns), columns, limits)
    files = find_files(_path(source))
    kinds: dict[str, Any] = {"parquet": ParquetSource, "lines": LinesSource}
    return Input(kinds[files.kind](files, columns, limits), columns, limits)


def _path(source: Any) -> str:
    if not isinstance(source, str) and not hasattr(source, "__fspath__"):
        raise OptionError(
            "expected a path, a URL or an object with __arrow_c_stream__ (pyarrow, Polars, "
            f"DuckDB), got {type(source).__name__}"
        )
    return str(os.fspath(source))


class BatchSource:
    """Base class of sources whose documents come in batches of Arrow rows.

    There is one row per document, the rows of a cluster next to each other; or one row per cluster.
    `_batches` yields the file, the number of the batch's first row in it, and the batch.
    """

    kind: str
    columns: Columns
    _read = 0
    _rows = 0

    @property
    def read(self) -> float:
        """The share of the rows that was read so far, from 0 to 1."""
        return self._read / max(self._rows, 1)

    @property
    def about(self) -> dict[str, Any]:
        """The kind of input and its number of rows."""
        return {"kind": self.kind, "rows": self._rows}

    def rows(self) -> Iterator[DocumentRow]:
        """Yield every document once."""
        self._read = 0
        for file, first, batch in self._batches():
            yield from rows_of_batch(batch, self.columns, file=file, first=first)
            self._read += batch.num_rows
        if self._read != self._rows:
            raise OptionError(
                f"expected the input to be the same when it is read again, got {self._read} "
                f"rows after {self._rows}"
            )

    def _batches(self) -> Iterator[tuple[str | None, int, Any]]:
        raise NotImplementedError


class ParquetSource(BatchSource):
    """A source of documents in Parquet files."""

    kind = "parquet"

    def __init__(self, files: Files, columns: Columns, _: ClusterLimits) -> None:
        self.files, self.columns = files, columns
        self._whole: set[str] = set()
        for file in files.files:
            try:
                with files.open(file) as opened:
                    head = pq.ParquetFile(opened)
                    check_columns(file.name, head.schema_arrow, columns)
                    self._rows += head.metadata.num_rows
                    if is_list(head.schema_arrow.field(columns.text).type):
                        self._whole.add(file.name)
            except (pa.ArrowException, OSError) as error:
                raise FileFormatError(f"{file.name}: not a Parquet file ({error})") from error

    @property
    def about(self) -> dict[str, Any]:
        """The kind of input and its numbers of rows and of files."""
        return {**super().about, "files": len(self.files.files)}

    def ids(self, digest: hashlib._Hash) -> Ids:
        """Yield the cluster ids, decoding only their column; add the files' content to `digest`."""
        digest.update(self.files.digest().digest())
        for file, _, batch in self._batches([self.columns.cluster], 1 << 14):
            for name in texts_of(batch.column(0)).to_pylist():
                yield name, file in self._whole

    def _batches(
        self, names: list[str] | None = None, size: int = _BATCH_ROWS
    ) -> Iterator[tuple[str | None, int, Any]]:
        for file in self.files.files:
            first = 1
            try:
                with (
                    self.files.open(file) as raw,
                    pq.ParquetFile(raw, buffer_size=1 << 20, pre_buffer=False) as opened,
                ):
                    wanted = [name for name in self.columns if name in opened.schema_arrow.names]
                    for group in range(opened.num_row_groups):
                        rows = min(size, _rows_that_fit(opened.metadata.row_group(group)))
                        for batch in opened.iter_batches(
                            rows, row_groups=[group], columns=names or wanted, use_threads=False
                        ):
                            yield file.name, first, batch
                            first += batch.num_rows
            except (pa.ArrowException, OSError) as error:
                raise FileFormatError(
                    f"{file.name}: damaged after row {first - 1} ({error})"
                ) from error


@dataclass
class LinesSource:
    """A source of documents in JSON Lines, with one line per cluster or one per document."""

    files: Files
    columns: Columns
    limits: ClusterLimits
    _tap: Tap = field(default_factory=Tap)

    @property
    def read(self) -> float:
        """The share of the stored bytes that was read so far, from 0 to 1."""
        return self._tap.passed / max(sum(file.size for file in self.files.files), 1)

    @property
    def about(self) -> dict[str, Any]:
        """The kind of input and its number of files."""
        return {"kind": "lines", "files": len(self.files.files)}

    def rows(self) -> Iterator[DocumentRow]:
        """Yield every document once; an unreadable line becomes a refused cluster."""
        return self._documents(Tap())

    def ids(self, digest: hashlib._Hash) -> Ids:
        """Parse all lines and yield their cluster ids; add the stored bytes to `digest`."""
        lines = 0
        for row in self._documents(Tap(digest)):
            # If no line has the keys, they have other names, and no cluster could be summarised.
            lines = lines + 1 if lines >= 0 and (row.refused or "").startswith(OTHER_KEYS) else -1
            if lines == LINES_WITHOUT_KEYS:
                break
            if not row.number:
                yield row.cluster, row.number is not None
        if lines > 0:
            raise FileFormatError(
                f"{row.file}: {row.refused}; name the keys with --cluster, --document and --text, "
                "or columns=Columns(...)"
            )

    def _documents(self, tap: Tap) -> Iterator[DocumentRow]:
        self._tap = tap
        for file in self.files.files:
            try:
                with self.files.lines(file, tap) as lines:
                    for origin, line in self._lines(file, lines):
                        yield from parse_line(line, self.columns, self.limits, origin=origin)
            except (pa.ArrowException, OSError) as error:
                raise FileFormatError(f"{file.name}: cannot be read ({error})") from error

    def _lines(self, file: File, lines: Any) -> Iterator[tuple[Origin, bytes | None]]:
        """Yield the origin and bytes of each line that is not blank; None for too long a line."""
        most = longest_line(self.limits)
        number = 0
        while line := lines.readline(most):
            number += 1
            if len(line) == most and not line.endswith(b"\n"):
                while (part := lines.readline(1 << 20)) and not part.endswith(b"\n"):
                    pass
                yield Origin(file.name, number), None
            elif line.strip():
                yield Origin(file.name, number), line


class ArrowSource(BatchSource):
    """A source of documents in an object with ``__arrow_c_stream__`` that can be read twice."""

    kind = "arrow"

    def __init__(self, data: Any, columns: Columns) -> None:
        self.data, self.columns = data, columns

    def ids(self, digest: hashlib._Hash) -> Ids:
        """Yield the cluster ids; the digest is the same however the rows are cut into batches."""
        self._rows = 0
        for _, _, batch in self._batches():
            for row in rows_of_batch(batch, self.columns):
                digest.update(repr(row[:3]).encode())
                if not row.number:
                    yield row.cluster, row.number is not None
            self._rows += batch.num_rows

    def _batches(self) -> Iterator[tuple[str | None, int, Any]]:
        reader = pa.RecordBatchReader.from_stream(self.data)
        check_columns(type(self.data).__name__, reader.schema, self.columns)
        first = 1
        for batch in reader:
            for start in range(0, batch.num_rows, _BATCH_ROWS):
                part = batch.slice(start, _BATCH_ROWS)
                yield None, first, part
                first += part.num_rows


def _rows_that_fit(group: Any) -> int:
    """Return how many rows of a row group take `_BATCH_BYTES`, at their mean size; at least 1."""
    rows: int = _BATCH_BYTES * group.num_rows // max(group.total_byte_size, 1)
    return max(1, rows)
