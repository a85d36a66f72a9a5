"""Spark rows: a DataFrame with embeddings in, the ids of a certified selection out.

Rows are searched in cells of k-means, as `maxcover.uses.rows` does on one machine. Cells that are
near each other make a part, and a part gets the rows that its cells look into, so lists of
neighbours take one shuffle. The lists are a graph in pieces, in which an element gives what its
best chosen set gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.problem import CoverageProblem
from maxcover.errors import EngineError, OptionError, ProblemError
from maxcover.uses.rows.neighbours import (
    SAMPLE,
    assigned,
    cells_for,
    centres_of,
    in_cells,
    nearest,
    nearest_first,
    probed_cells,
    unit,
)
from maxcover.uses.rows.row_limits import connected, quota_limits
from maxcover.uses.rows.row_tables import matrix_of
from maxcover_scale.batch.spark_errors import told
from maxcover_scale.distributed.chunks import nested_lists, places_of
from maxcover_scale.distributed.coreset import solve_pieces, status_at_first
from maxcover_scale.distributed.dataframes import (
    CHUNK,
    OnSpark,
    as_range,
    at_once,
    packed,
    packed_schema,
)
from maxcover_scale.distributed.graph import complaints, pieces_for
from maxcover_scale.distributed.plan import DEFAULT_PLAN, GraphSelection, WorkPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

    from maxcover.ground.array_types import Int64s

    Batches = Iterator[pa.RecordBatch]
    Vectors = NDArray[np.floating]

# Rows per part. A task holds about three times as many vectors.
ROWS_PER_PART = 50_000
# Rows handed to Python at a time: some megabytes.
_ROWS_AT_ONCE = 4096
# Similarities are rounded to multiples of this, so that sums of them are exact.
_GRAIN = 2.0**-24
# Columns of rows in a shuffle: index among all ids, cell, worth, and the vector as bytes.
_HELD = "place long, cell int, worth double, vector binary"


def select(
    rows: DataFrame,
    *,
    budget: float,
    id: str = "id",  # noqa: A002 - what everybody calls the column
    vector: str = "embedding",
    cost: str | None = None,
    worth: str | None = None,
    quota: Mapping[str, Any] | None = None,
    duplicates: float | None = None,
    neighbours: int = 20,
    parts: int | None = None,
    seed: int = 0,
    plan: WorkPlan = DEFAULT_PLAN,
    tell: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> GraphSelection:
    """Choose rows that represent all rows, from more rows than one machine holds.

    The same objective as `maxcover.select` with cosines and ``search="cells"``. The cluster finds
    neighbours and relaxes the problem; what the relaxation leaves open is decided by the driver.

    Parameters
    ----------
    rows : DataFrame
    budget : float
        What the chosen rows may cost together.
    id, vector : str
        Columns: a whole number of its own for each row, and an array of numbers.
    cost, worth : str, optional
        Columns of numbers; without `cost` the budget counts rows.
    quota, duplicates
        As in `maxcover.select`.
    neighbours : int
        How many nearest rows count, a row itself included.
    parts : int, optional
        Into how many parts the rows are brought together; 50,000 rows each by default. The answer
        does not depend on it.
    seed : int
        Random seed of the cells.
    plan, tell, **options
        As in `maxcover_scale.distributed.graph.solve`; ``effort="fast"`` is the default of
        `maxcover.select`, and takes the driver far less time.

    Returns
    -------
    GraphSelection
        The ids of the chosen rows, and a certificate. The bound leaves quotas and duplicates out,
        so the gap is the wider the more they cost. The driver holds about 200 bytes per row and no
        vectors but a sample.

    Raises
    ------
    ProblemError
        Vectors, costs or ids that cannot be used.
    EngineError
        Spark gave up on it.
    """
    with told("the rows", "select", EngineError), complaints():
        wanted = {id, *filter(None, (cost, worth)), *(quota or {})}
        for name in sorted({*wanted, vector} - {*rows.columns}):
            raise OptionError(f"expected a column {name!r} in the rows, got {rows.columns}")
        table = rows.select(*sorted(wanted)).toArrow()
        columns = {name: np.asarray(table[name].to_numpy()) for name in wanted}
        order = np.argsort(columns[id], kind="stable")
        ids = columns[id][order].astype(np.int64)
        if (np.diff(ids) == 0).any():
            raise ProblemError("expected an id of its own for every row, got one twice")
        limits: dict[str, Any] = {
            "costs": np.ones(ids.size) if cost is None else columns[cost].astype(float)[order],
            **quota_limits(quota or {}, lambda name: columns[name][order], float(budget)),
        }
        sets = CoverageProblem.from_edges([], [], weights=[], budget=budget, **limits)
        if parts is None:
            parts = -(-ids.size // ROWS_PER_PART)
        search = RowSearch(ids, min(neighbours, ids.size), parts, seed)
        pieces = search.pieces(rows.select(id, vector, *([worth] if worth else [])), sets)
        try:
            tell(f"{neighbours} neighbours of {ids.size} rows found")
            if duplicates is not None:
                limits["conflicts"] = connected(ids.size, *pieces.alike(float(duplicates)))
                sets = CoverageProblem.from_edges([], [], weights=[], budget=budget, **limits)
            return solve_pieces(pieces, sets, ids=ids, nested=True, plan=plan, tell=tell, **options)
        finally:
            pieces.close()


class RowSearch:
    """The search for the nearest neighbours of all rows, in cells of k-means."""

    def __init__(self, ids: Int64s, k: int, parts: int, seed: int) -> None:
        if not ids.size:
            raise ProblemError("expected rows to choose from, got none")
        self.ids, self.k, self.parts, self.seed = ids, k, max(1, parts), seed

    def pieces(self, rows: DataFrame, sets: CoverageProblem) -> OnSpark:
        """Find the neighbours of all rows, and keep them as a graph in pieces."""
        with at_once(rows.sparkSession, _ROWS_AT_ONCE):
            return self._found(rows, self._centres(rows), status_at_first(sets))

    def _found(self, rows: DataFrame, centres: Vectors, status: NDArray[np.uint8]) -> OnSpark:
        from pyspark import StorageLevel

        held = rows.mapInArrow(_assign(as_range(self.ids), centres), _HELD)
        held = held.persist(StorageLevel.DISK_ONLY)
        try:
            counts = held.groupBy("cell").count().toArrow()
            sizes = np.zeros(len(centres), dtype=np.int64)
            sizes[counts["cell"].to_numpy()] = counts["count"].to_numpy()
            probed = probed_cells(centres, sizes, self.k)
            part = parts_of(centres, sizes, self.parts)
            sent = held.mapInArrow(_send(part, probed), f"part int, {_HELD}")
            find = _find(part, probed, self.k, status)
            # Make one task per part, whatever `spark.sql.shuffle.partitions` says.
            chunks = sent.repartition(self.parts, "part").groupBy("part").applyInArrow(find, CHUNK)
            tasks = pieces_for(rows.sparkSession, self.ids.size * self.k)
            return OnSpark(chunks, self.ids.size, tasks)
        finally:
            held.unpersist()

    def _centres(self, rows: DataFrame) -> Vectors:
        """Fit cells to a random sample that does not depend on how the rows are partitioned."""
        from pyspark.sql import functions as F  # noqa: N812 - what everybody calls it

        cells = cells_for(self.ids.size)
        by_chance = F.xxhash64(rows.columns[0], F.lit(self.seed))
        drawn = rows.orderBy(by_chance, rows.columns[0]).limit(cells * SAMPLE)
        found = drawn.orderBy(rows.columns[0]).toArrow()
        blocks = [_vectors(batch) for batch in found.to_batches()]
        return centres_of(np.concatenate(blocks), cells, self.seed)


def parts_of(centres: Vectors, sizes: Int64s, count: int) -> Int64s:
    """Group cells into `count` parts by halving the largest part again and again.

    A part is divided across its longest side. Returns the part of each cell.

    Examples
    --------
    >>> parts_of(np.array([[0.0], [9.0], [1.0], [8.0]]), np.array([5, 5, 5, 5]), 2)
    array([0, 1, 0, 1])
    """
    part = np.zeros(len(centres), dtype=np.int64)
    for new in range(1, min(count, len(centres))):
        loads = np.bincount(part, sizes) * (np.bincount(part) > 1)
        own = np.flatnonzero(part == loads.argmax())
        away = centres[own] - centres[own].mean(axis=0)
        along = away @ np.linalg.svd(away, full_matrices=False)[2][0]
        along = along if along[0] <= 0 else -along
        own = own[np.argsort(along, kind="stable")]
        before = np.cumsum(sizes[own]) - sizes[own]
        half = int(np.searchsorted(before, loads.max() / 2))
        part[own[min(max(half, 1), own.size - 1) :]] = new
    return part


def _vectors(batch: pa.RecordBatch) -> Vectors:
    """Return the second column of `batch` as vectors of length one."""
    given = matrix_of(batch.column(1), batch.schema.names[1])
    for row in np.flatnonzero(~np.isfinite(given).all(axis=1) | ~given.any(axis=1))[:1]:
        raise ProblemError(
            "expected vectors of finite numbers, not all zero, got others in the row with id "
            f"{batch.column(0)[int(row)]}"
        )
    return unit(given)


def _assign(ids: Int64s | range, centres: Vectors) -> Callable[[Batches], Batches]:
    """Return a task that finds the index among `ids` and the cell of each row."""

    def assign(batches: Batches) -> Batches:
        import pyarrow as pa

        every = np.asarray(ids)
        for batch in batches:
            if not batch.num_rows:
                continue
            vectors = _vectors(batch)
            place = places_of(every, batch.column(0).to_numpy(), "expected a known id")
            worth = np.zeros(len(place))
            if batch.num_columns > 2:
                worth = batch.column(2).to_numpy(zero_copy_only=False).astype(np.float64)
            if not (np.isfinite(worth) & (worth >= 0)).all():
                raise ProblemError("expected worth to be finite numbers of at least 0")
            size = 4 * vectors.shape[1]
            data = pa.py_buffer(np.ascontiguousarray(vectors))
            whole = pa.Array.from_buffers(pa.binary(size), len(place), [None, data])
            columns = [place, assigned(vectors, centres).astype(np.int32), worth]
            arrays = [*map(pa.array, columns), whole.cast(pa.binary())]
            yield pa.record_batch(arrays, ["place", "cell", "worth", "vector"])

    return assign


def _send(part: Int64s, probed: list[Int64s]) -> Callable[[Batches], Batches]:
    """Return a task that copies each row to every part that searches the row's cell."""
    takers = [np.unique(part[[i]]) for i in range(len(part))]
    for i, cells in enumerate(probed):
        for j in cells:
            takers[j] = np.union1d(takers[j], part[i])

    def send(batches: Batches) -> Batches:
        import pyarrow as pa

        for batch in batches:
            cell = batch.column("cell").to_numpy()
            rows = np.repeat(np.arange(cell.size), [takers[j].size for j in cell])
            goal = np.concatenate([np.empty(0, np.int32), *(takers[j] for j in cell)])
            taken = batch.take(pa.array(rows))
            columns = [pa.array(goal.astype(np.int32)), *taken.columns]
            yield pa.record_batch(columns, ["part", *taken.schema.names])

    return send


def _ordered(column: pa.ChunkedArray, order: Int64s) -> Vectors:
    """Return vectors stored as bytes, in the order `order`, without an intermediate copy."""
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    found = np.empty((order.size, len(column[0].as_py()) // 4), np.float32)
    done = 0
    for chunk in column.chunks:
        _, starts, data = chunk.buffers()
        ends = np.frombuffer(starts, np.int32)[[chunk.offset, chunk.offset + len(chunk)]]
        rows = np.frombuffer(data, np.float32)[slice(*(ends // 4))].reshape(len(chunk), -1)
        found[place[done : done + len(chunk)]] = rows
        done += len(chunk)
    return found


def _find(
    part: Int64s, probed: list[Int64s], k: int, status: NDArray[np.uint8]
) -> Callable[[pa.Table], pa.Table]:
    """Return a task that finds the nearest neighbours of the rows of a part."""

    def find(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        here = table["part"][0].as_py()
        place, cell = table["place"].to_numpy(), table["cell"].to_numpy()
        order = np.lexsort((place, cell))
        place, cell, worth = place[order], cell[order], table["worth"].to_numpy()[order]
        vectors = _ordered(table["vector"].cast(pa.binary()), order)
        own = {int(i): probed[i] for i in np.flatnonzero(part == here)}
        found, products = nearest(vectors, vectors, in_cells(cell, own), k)
        mine = np.flatnonzero(part[cell] == here)
        near, similar = nearest_first(found[mine], products[mine])
        exact = np.rint(similar / _GRAIN) * _GRAIN
        lists = nested_lists(place[mine], place[near].astype(np.int32), exact, status)
        paid = mine[worth[mine] > 0]
        alone = nested_lists(-1 - place[paid], place[paid, None].astype(np.int32),
                             worth[paid, None], status)  # fmt: skip
        return pa.Table.from_batches([*packed([*lists, *alone])], packed_schema())

    return find
