"""Dataframes: chunks of a graph as rows of a Spark DataFrame, classic or Connect."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.errors import ProblemError
from maxcover_scale.distributed.chunks import (
    Chunk,
    Edges,
    Sums,
    build,
    cut,
    from_here,
    places_of,
    without,
)
from maxcover_scale.distributed.pieces import added

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from maxcover.ground.array_types import AnyArray, Floats, Int32s, Int64s
    from maxcover_scale.distributed.chunks import Ask, Bytes

    Batches = Iterator[pa.RecordBatch]

CHUNK = "ids binary, weights binary, degrees binary, indices binary, nested binary, base binary"
_SUMS = "slice int, total binary, per_set binary"
# Rows handed to Python at a time, for edges and for chunks: some megabytes each.
_EDGES_AT_ONCE, _CHUNKS_AT_ONCE = 1 << 18, 16
# `_SLICE`: numbers per row of sums. `_FEW`: with more pieces than this, Spark adds up their sums
# before the driver does.
_SLICE, _FEW = 1 << 20, 16


class OnSpark:
    """Chunks as a cached DataFrame; Spark rebuilds lost chunks from the input.

    At most `size` tasks answer a question, each with one number for every set.
    """

    def __init__(self, chunks: DataFrame, n_sets: int, size: int) -> None:
        self.cached, self.n_sets, self.size = chunks.persist(), n_sets, size
        self.chunks = self.cached.coalesce(size)
        try:
            self.cached.count()
        except Exception:
            self.close()
            raise

    def add_up(self, ask: Ask, *, named: bool = False) -> Sums:
        """Call `ask` on every piece and add up the answers; chunks have ids only if `named`."""

        def answer(batches: Batches) -> Batches:
            found = ask(unpacked(batches))
            yield from _sliced(found)

        chunks = self.chunks if named else self.chunks.drop("ids")
        rows = chunks.mapInArrow(answer, _SUMS)
        if self.size > _FEW:
            slices = max(1, -(-self.n_sets // _SLICE))
            rows = rows.repartition(slices, "slice").groupBy("slice")
            rows = rows.applyInArrow(_add_slices, _SUMS)
        with at_once(self.chunks.sparkSession, _CHUNKS_AT_ONCE):
            table = rows.toArrow()
        return _joined(table, self.n_sets)

    def reduced(self, status: Bytes) -> OnSpark:
        """Return new pieces with open sets only, and without elements that fixed sets cover."""
        with at_once(self.chunks.sparkSession, _CHUNKS_AT_ONCE):
            return OnSpark(self._without(status), self.n_sets, self.size)

    def rest(self, status: Bytes) -> list[Chunk]:
        """Bring the chunks to the driver, without fixed and dropped sets."""
        with at_once(self.chunks.sparkSession, _CHUNKS_AT_ONCE):
            return list(unpacked(iter(self._without(status).toArrow().to_batches())))

    def alike(self, least: float) -> tuple[Int64s, Int32s]:
        """Return all pairs of different rows that are at least `least` similar.

        Elements and sets are both rows here, with the same indices (`spark_rows`).
        """

        def pairs(batches: Batches) -> Batches:
            import pyarrow as pa

            for chunk in unpacked(batches):
                sizes = np.diff(chunk.indptr)
                similar = np.repeat(from_here(chunk.weights, chunk.nested), sizes)
                rows = np.repeat(chunk.ids, sizes)
                close = (similar >= least) & (rows >= 0) & (rows != chunk.indices)
                yield pa.record_batch([rows[close], chunk.indices[close]], ["row", "other"])

        with at_once(self.chunks.sparkSession, _CHUNKS_AT_ONCE):
            found = self.chunks.mapInArrow(pairs, "row long, other int").toArrow()
        return found["row"].to_numpy(), found["other"].to_numpy()

    def close(self) -> None:
        """Release the cached chunks."""
        self.cached.unpersist()

    def _without(self, status: Bytes) -> DataFrame:
        def leave(batches: Batches) -> Batches:
            for chunk in unpacked(batches):
                yield from packed(cut(without(chunk, status)))

        return self.chunks.mapInArrow(leave, CHUNK)


def in_pieces(
    edges: DataFrame, weights: DataFrame, ids: Int64s, status: Bytes, size: int
) -> OnSpark:
    """Group edges and weights by element, and make chunks of them in `size` pieces."""
    from pyspark.sql import functions as F  # noqa: N812 - what everybody calls it

    nothing = F.lit(None)
    columns = ("element", "set", "weight")
    pairs = edges.select(
        F.col("element").cast("long"), F.col("set").cast("long"), nothing.cast("double")
    )
    alone = weights.select(
        F.col("element").cast("long"), nothing.cast("long"), F.col("weight").cast("double")
    )
    rows = pairs.toDF(*columns).unionAll(alone.toDF(*columns)).repartition(size, "element")
    ids_or_range = as_range(ids)

    def make(batches: Batches) -> Batches:
        yield from packed(build(*_columns(batches, np.asarray(ids_or_range)), status))

    with at_once(edges.sparkSession, _EDGES_AT_ONCE):
        return OnSpark(rows.mapInArrow(make, CHUNK), ids.size, size)


def as_range(ids: Int64s) -> Int64s | range:
    """Return consecutive ids as a range, which is small to send; other ids as they are."""
    follow = ids.size > 0 and ids[-1] - ids[0] == ids.size - 1
    return range(int(ids[0]), int(ids[-1]) + 1) if follow else ids


def cores_of(spark: SparkSession) -> int:
    """Return how many tasks run at once: the number of partitions that Spark makes by default."""
    parts = spark.range(1 << 16).selectExpr("spark_partition_id() AS part")
    return int(parts.distinct().count())


@contextmanager
def at_once(spark: SparkSession, rows: int) -> Iterator[None]:
    """Set how many rows Spark hands to Python at a time, for plans made in this context."""
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(name)
    spark.conf.set(name, rows)
    try:
        yield
    finally:
        spark.conf.set(name, str(before))


def _columns(batches: Batches, ids: Int64s) -> tuple[Edges, Int64s, Floats]:
    """Split mixed rows into edges, ids of elements, and weights of elements."""
    found: tuple[list[Any], ...] = ([], [], [], [])
    for batch in batches:
        element, owner, weight = (batch.column(name) for name in ("element", "set", "weight"))
        is_edge = owner.is_valid().to_numpy(zero_copy_only=False)
        is_weight = weight.is_valid().to_numpy(zero_copy_only=False)
        if element.null_count or not (is_edge | is_weight).all():
            raise ProblemError("expected no null in edges and weights, got one")
        elements = element.to_numpy()
        found[0].append(elements[is_edge])
        sets = places_of(ids, owner.drop_null().to_numpy(), "expected sets of edges to have a cost")
        found[1].append(sets.astype(np.int32))
        found[2].append(elements[is_weight])
        found[3].append(weight.drop_null().to_numpy())
    kinds = (np.int64, np.int32, np.int64, np.float64)
    whole = [np.concatenate([np.empty(0, k), *p]) for k, p in zip(kinds, found, strict=True)]
    return Edges(whole[0], whole[1]), whole[2], whole[3]


def packed_schema() -> pa.Schema:
    """Return the Arrow schema of packed chunks."""
    import pyarrow as pa

    return pa.schema([(part.split()[0], pa.binary()) for part in CHUNK.split(", ")])


def packed(chunks: Iterable[Chunk]) -> Batches:
    """Yield each chunk as a record batch of one row."""
    import pyarrow as pa

    names = packed_schema().names
    for ids, weights, indptr, indices, nested, base in chunks:
        arrays = (ids, weights, np.diff(indptr).astype(np.int32), indices, nested, base)
        yield pa.record_batch([_binary(array) for array in arrays], names)


def unpacked(batches: Batches) -> Iterator[Chunk]:
    """Yield the chunk of each row; its ids are 0 if the column was left out."""
    for batch in batches:
        for row in range(batch.num_rows):
            weights = _array(batch, "weights", row, np.float64)
            named = "ids" in batch.schema.names
            ids = _array(batch, "ids", row, np.int64) if named else np.zeros(weights.size, np.int64)
            degrees = _array(batch, "degrees", row, np.int32)
            indptr = np.concatenate(([0], np.cumsum(degrees, dtype=np.int64)))
            indices = _array(batch, "indices", row, np.int32)
            nested = _array(batch, "nested", row, np.bool_)
            base = _array(batch, "base", row, np.float64)
            yield Chunk(ids, weights, indptr, indices, nested, base)


def _array(batch: Any, name: str, row: int, kind: type) -> Any:
    return np.frombuffer(batch.column(name)[row].as_buffer(), kind)


def _binary(array: AnyArray) -> Any:
    import pyarrow as pa

    return pa.array([array.tobytes()], pa.binary())


def _sliced(found: Sums) -> Batches:
    """Yield `found` in rows of `_SLICE` numbers; the first row also has the total."""
    for number in range(max(1, -(-found.per_set.size // _SLICE))):
        part = found.per_set[number * _SLICE : (number + 1) * _SLICE]
        yield _row(number, Sums(found.total if number == 0 else (), part))


def _add_slices(table: pa.Table) -> pa.Table:
    """Add up all rows of one slice into one row."""
    import pyarrow as pa

    return pa.Table.from_batches([_row(table["slice"][0].as_py(), added(_sums(table)))])


def _row(number: int, found: Sums) -> pa.RecordBatch:
    """Return the sums of slice `number` as a record batch of one row."""
    import pyarrow as pa

    total = np.array(found.total)
    columns = [pa.array([number], pa.int32()), _binary(total), _binary(found.per_set)]
    return pa.record_batch(columns, ["slice", "total", "per_set"])


def _sums(table: pa.Table) -> Iterator[Sums]:
    for batch in table.to_batches():
        for row in range(batch.num_rows):
            total = _array(batch, "total", row, np.float64)
            yield Sums(tuple(total.tolist()), _array(batch, "per_set", row, np.float64))


def _joined(table: pa.Table, n_sets: int) -> Sums:
    """Add up the rows of sums that came to the driver."""
    per_set, totals = np.zeros(n_sets), []
    for number, found in zip(table["slice"].to_pylist(), _sums(table), strict=True):
        first = number * _SLICE
        per_set[first : first + found.per_set.size] += found.per_set
        totals.append(Sums(found.total, np.empty(0)))
    return Sums(added(totals).total, per_set)
