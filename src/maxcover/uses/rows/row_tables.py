"""Row tables: rows as Parquet files, Arrow tables, data frames, mappings or matrices."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.errors import FileFormatError, OptionError
from maxcover.ground.extras import import_extra

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxcover.ground.array_types import AnyArray, Int64s

# Rows per batch when reading a file, and bytes of the read buffer. Without these limits a whole row
# group, perhaps the whole file, is read at once.
_BATCH, _BUFFER = 4096, 1 << 20


class Rows:
    """A table of named columns, one of which holds the vectors.

    Files are read in batches. The vectors are in memory once; other columns are read only if they
    are asked for.
    """

    def __init__(self, given: Any, vector: str) -> None:
        self.given, self.vector = given, vector
        self._columns: Mapping[str, Any] | None = None
        self._data: Any = None
        if isinstance(given, Mapping):
            self._columns = given
        elif isinstance(given, np.ndarray | list):
            try:
                self._columns = {vector: np.asarray(given)}
            except ValueError:
                raise _ragged(vector) from None
        else:
            self._data = _dataset(given)

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [*self._columns] if self._columns is not None else list(self._data.schema.names)

    def shape(self) -> tuple[int, int]:
        """Return the number of rows, and the number of dimensions of a vector."""
        self._check(self.vector)
        if self._columns is not None:
            n, d = np.shape(self._columns[self.vector])
            return n, d
        first = self._data.head(1, columns=[self.vector]).column(0).to_pylist()
        return self._data.count_rows(), len(first[0]) if first and first[0] else 0

    def vectors(self) -> AnyArray:
        """Return the vectors as a matrix; vectors from files become float32."""
        self._check(self.vector)
        if self._columns is not None:
            return np.asarray(self._columns[self.vector])
        whole, filled = None, 0
        for batch in self._batches([self.vector]):
            part = matrix_of(batch.column(0), self.vector)
            if whole is None and part.size:
                whole = np.empty((self._data.count_rows(), part.shape[1]), dtype=np.float32)
            if whole is not None and part.size:
                if part.shape[1] != whole.shape[1]:
                    raise _ragged(self.vector)
                whole[filled : filled + len(part)] = part
                filled += len(part)
        return np.zeros((0, 1), np.float32) if whole is None else whole

    def _batches(self, columns: list[str] | None = None) -> Iterator[Any]:
        """Yield batches of rows; from files, with as little read-ahead as possible."""
        from pyarrow import parquet

        pieces = [*self._data.get_fragments()]
        plain = hasattr(self._data, "files") and all(
            piece.physical_schema.equals(self._data.schema) for piece in pieces
        )
        if not plain:
            yield from self._data.to_batches(columns=columns)
            return
        for path in self._data.files:
            with self._data.filesystem.open_input_file(path) as opened:
                file = parquet.ParquetFile(opened, pre_buffer=False, buffer_size=_BUFFER)
                yield from file.iter_batches(_BATCH, columns=columns, use_threads=False)

    def column(self, name: str, option: str = "cost") -> AnyArray:
        """Return the column `name`; `option` names the option in error messages."""
        self._check(name, option)
        if self._columns is not None:
            return np.asarray(self._columns[name])
        found = self._data.to_table(columns=[name]).column(0)
        return np.asarray(found.to_numpy())

    def take(self, indices: Int64s) -> Any:
        """Return the rows at sorted `indices`: an Arrow table for files and tables, else arrays."""
        if isinstance(self.given, Mapping):
            return {name: np.asarray(column)[indices] for name, column in self.given.items()}
        if self._columns is not None:
            return self._columns[self.vector][indices]
        import pyarrow as pa

        parts, before = [], 0
        for batch in self._batches():
            first, last = np.searchsorted(indices, [before, before + len(batch)])
            if last > first:
                parts.append(batch.take(pa.array(indices[first:last] - before)))
            before += len(batch)
        return pa.Table.from_batches(parts, schema=self._data.schema)

    def _check(self, name: str, option: str = "vector") -> None:
        if name not in self.names:
            raise OptionError(
                f"expected {option} to be a column of the rows, got {name!r}; there are "
                f"{', '.join(map(repr, self.names)) or 'none'}"
            )


def _dataset(given: Any) -> Any:
    """Return an Arrow dataset of a path to Parquet or of a table."""
    needed = "files and tables need pyarrow: pip install 'maxcover[parquet]'; arrays do not"
    pa, dataset = (import_extra(name, needed) for name in ("pyarrow", "pyarrow.dataset"))
    if isinstance(given, str | os.PathLike):
        path = os.fspath(given)
        if not os.path.exists(path):
            raise OptionError(f"expected rows to be a path to Parquet, got {path!r}: no such file")
        try:
            return dataset.dataset(path, format="parquet")
        except pa.ArrowInvalid as error:
            raise FileFormatError(f"expected Parquet in {path!r}, got {error}") from error
    if hasattr(given, "__arrow_c_stream__"):
        return dataset.dataset(_plain(pa.table(given)))
    raise OptionError(
        "expected rows as a path to Parquet, a table of pyarrow, pandas or Polars, a mapping of "
        f"arrays or a matrix, got {type(given).__name__}"
    )


def _plain(table: Any) -> Any:
    """Convert string-view columns to plain ones, because Arrow cannot take rows of views."""
    import pyarrow as pa

    plain = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    fields = [field.with_type(plain.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(fields, table.schema.metadata))


def matrix_of(column: Any, name: str) -> AnyArray:
    """Return a column of equally long lists of numbers as a matrix."""
    import pyarrow as pa

    if column.null_count:
        raise FileFormatError(f"expected a vector in every row of {name!r}, got none in some")
    if not hasattr(column, "flatten") or not pa.types.is_nested(column.type):
        raise FileFormatError(f"expected lists of numbers in {name!r}, got {column.type}")
    numbers = np.asarray(column.flatten().to_numpy(zero_copy_only=False))
    if not len(column) or numbers.size % len(column) or numbers.dtype.kind not in "fiu":
        raise _ragged(name) if len(column) else FileFormatError(f"no rows in {name!r}")
    size = numbers.size // len(column)
    if not pa.types.is_fixed_size_list(column.type):
        ends = np.diff(np.asarray(column.offsets))
        if (ends != size).any():
            raise _ragged(name)
    return numbers.reshape(len(column), size)


def _ragged(name: str) -> FileFormatError:
    return FileFormatError(
        f"expected vectors of numbers, all of one length, in {name!r}, got others"
    )
