"""Arrow rows: the documents of an Arrow batch, which has a row per document or per cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from maxcover.errors import FileFormatError
from maxcover_scale.batch.cluster import DocumentRow
from maxcover_scale.batch.json_lines import DEFAULT_COLUMNS, Columns, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator


def check_columns(name: str, schema: Any, columns: Columns) -> None:
    """Raise if a column is missing; a table with one row per cluster needs no document ids."""
    found = schema.names
    missing = [each for each in columns if each not in found]
    if missing == [columns.document] and is_list(schema.field(columns.text).type):
        return
    if missing:
        raise FileFormatError(
            f"{name}: expected the columns {', '.join(columns)}, found {', '.join(found)}; name "
            "them with --cluster, --document and --text, or columns=Columns(...)"
        )


def is_list(kind: Any) -> bool:
    """Return whether a column of this type holds lists; then each row is a whole cluster."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def texts_of(column: Any) -> Any:
    """Return a column of ids of any type as strings."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column if pa.types.is_string(column.type) else pc.cast(column, pa.string())


def rows_of_batch(
    batch: Any, columns: Columns = DEFAULT_COLUMNS, *, file: str | None = None, first: int = 1
) -> Iterator[DocumentRow]:
    """Yield the documents of a batch; texts stay bytes, because they may not be valid UTF-8."""
    names = texts_of(batch.column(columns.cluster)).to_pylist()
    texts = batch.column(columns.text)
    if is_list(texts.type):
        yield from _rows_of_lists(batch, columns, names, Origin(file, first))
        return
    documents = texts_of(batch.column(columns.document)).to_pylist()
    for line, row in enumerate(zip(names, documents, _bytes_of(texts), strict=True), first):
        yield DocumentRow(*row, file, line)


def _rows_of_lists(
    batch: Any, columns: Columns, names: list[str | None], origin: Origin
) -> Iterator[DocumentRow]:
    """Yield the documents of a batch in which each row is a whole cluster."""
    given = columns.document in batch.schema.names
    for row, name in enumerate(names):
        texts = batch.column(columns.text)[row].values
        here = (origin.file, (origin.line or 1) + row)
        if texts is None or not len(texts):
            yield DocumentRow(name, None, None, *here, 0, "no documents", 0)
            continue
        ids: list[str | None] = [str(number) for number in range(len(texts))]
        if given:
            found = batch.column(columns.document)[row].values
            ids = [] if found is None else texts_of(found).to_pylist()
        if len(ids) != len(texts):
            reason = f"{len(texts)} texts, but {len(ids)} document ids"
            yield DocumentRow(name, None, None, *here, 0, reason, len(texts))
            continue
        for number, (document, text) in enumerate(zip(ids, _bytes_of(texts), strict=True)):
            yield DocumentRow(name, document, text, *here, number)


def _bytes_of(column: Any) -> list[bytes | None]:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not pa.types.is_large_binary(column.type):
        column = pc.cast(column, pa.large_binary())
    found: list[bytes | None] = column.to_pylist()
    return found
