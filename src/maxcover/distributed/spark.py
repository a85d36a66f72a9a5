"""One huge graph on Apache Spark: DataFrames in, a certified selection out."""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.distributed.partition import build_block, build_shard
from maxcover.distributed.solve import DEFAULT_PLAN, Plan, Selection, solve_graph
from maxcover.distributed.spark_bsp import OnSpark, home
from maxcover.errors import OptionError, ProblemError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from pyspark import RDD
    from pyspark.sql import DataFrame, SparkSession

    Batches = Iterator[pa.RecordBatch]

# Rows handed to Python at a time while the graph is cut: small batches cost more than the sorting.
_ROWS_IN = 1 << 20
# Edges of a shard: 12 bytes each while it is swept, so about a gigabyte in a Python worker.
EDGES_PER_SHARD = 30_000_000


def solve(
    edges: DataFrame,
    costs: DataFrame,
    weights: DataFrame,
    *,
    budget: float,
    shards: int | None = None,
    checkpoints: str | None = None,
    plan: Plan = DEFAULT_PLAN,
    tell: Callable[[str], None] = lambda _: None,
    **limits: Any,
) -> Selection:
    """Choose sets within a budget from a graph that no machine holds.

    Parameters
    ----------
    edges : DataFrame
        Columns ``set`` and ``element``, whole numbers; repeated edges count once.
    costs, weights : DataFrame
        Columns ``set, cost`` and ``element, weight``: one row for every set and element.
    budget : float
    shards : int, optional
        Pieces of the graph; by default as many as keep a piece below thirty million edges, and
        at least one for every core.
    checkpoints : str, optional
        Directory that all executors see (``hdfs://...``, ``s3a://...``); not needed where the
        context has one already, or runs in one process.
    plan : Plan
        How much work to spend.
    tell : callable
        Called with a sentence whenever a part of the work is done.
    **limits
        Refused: the budget is the only limit here. Sets are forbidden by leaving their rows out of
        `edges` and `costs`. Sets are required by leaving out their rows, the rows of the elements
        that they cover from `edges` and `weights`, and their cost from the budget.

    Returns
    -------
    Selection
        Certified: value and cost are recomputed from the graph, and no selection is worth more than
        ``upper_bound``. The same for any number of shards, up to rounding. The driver holds about
        100 bytes a set, and neither edges nor elements.

    Raises
    ------
    OptionError
        ``required``, ``forbidden`` or limits of groups are given, there is no directory for
        checkpoints, or Spark runs tasks twice on purpose.
    ProblemError
        A set without a cost, an element without a weight, or numbers that are none.
    EngineError
        Spark keeps moving pieces of the graph from one host to another.
    """
    if limits:
        raise OptionError(
            f"expected no limit but the budget on Spark, got {', '.join(sorted(limits))}; leave "
            "out the rows of forbidden sets, take required sets out together with their elements "
            "and their cost, and for limits of groups use maxcover.solve in one process"
        )
    spark = edges.sparkSession
    if spark.conf.get("spark.speculation", "false") == "true":
        raise OptionError(
            "expected spark.speculation to be off, since a piece of the graph is on one host only; "
            "got it on"
        )
    _find_checkpoints(spark, checkpoints)
    with _complaints():
        return _solve(edges, costs, weights, budget, shards, plan, tell)


def _solve(
    edges: DataFrame,
    costs: DataFrame,
    weights: DataFrame,
    budget: float,
    shards: int | None,
    plan: Plan,
    tell: Callable[[str], None],
) -> Selection:
    spark = edges.sparkSession
    size = shards or max(
        spark.sparkContext.defaultParallelism, -(-edges.count() // EDGES_PER_SHARD)
    )
    names, numbers = _sets(costs)
    machines = in_pieces(edges, weights, size)
    mean = float(weights.groupBy().avg("weight").first()[0] or 0.0)
    if mean <= 0.0:
        raise ProblemError("expected weights above 0, got none")
    try:
        return solve_graph(
            machines, names, numbers, budget=budget, mean_weight=mean, plan=plan, tell=tell
        )
    finally:
        machines.close()


def in_pieces(edges: DataFrame, weights: DataFrame, size: int) -> OnSpark:
    """Cut a graph into shards of sets and blocks of elements, and keep them on the executors."""
    from pyspark.sql import functions as F  # noqa: N812 - what everybody calls it

    def shard(columns: list[Any]) -> Any:
        return build_shard(columns[0], columns[1], size)

    by_set = edges.select(F.col("set").cast("long"), F.col("element").cast("long"))
    placed = by_set.withColumn("piece", F.pmod(F.xxhash64("set"), F.lit(size)).cast("int"))
    of_elements = weights.select(F.col("element").cast("long"), F.col("weight").cast("double"))
    owned = of_elements.withColumn("piece", F.pmod("element", F.lit(size)).cast("int"))
    return OnSpark(
        _pieces(placed, size, shard, "edges"),
        _pieces(owned, size, lambda columns: build_block(*columns), "weights"),
    )


def _pieces(frame: DataFrame, size: int, build: Callable[[list[Any]], Any], what: str) -> RDD[Any]:
    """Bring the rows of a piece together as arrays, and build it there."""
    spark = frame.sparkSession
    names = [name for name in frame.columns if name != "piece"]
    kinds = [np.float64 if kind == "double" else np.int64 for _, kind in frame.dtypes[:2]]

    def pack(batches: Batches) -> Batches:
        """Turn rows into one record a piece and batch: bytes, which Spark moves as they are."""
        import pyarrow as pa

        for batch in batches:
            piece = batch.column("piece").to_numpy()
            order = np.argsort(piece, kind="stable")
            ends = np.searchsorted(piece[order], np.arange(size + 1))
            columns = [batch.column(name).to_numpy(zero_copy_only=False) for name in names]
            if any(batch.column(name).null_count for name in names):
                raise ProblemError(f"expected no null in {what}, got one")
            for i in np.flatnonzero(np.diff(ends)).tolist():
                rows = order[ends[i] : ends[i + 1]]
                data = [[column[rows].tobytes()] for column in columns]
                yield pa.record_batch([pa.array([i], pa.int32()), *data], ["piece", *names])

    schema = f"piece int, {', '.join(f'{name} binary' for name in names)}"
    with _rows_in(spark, _ROWS_IN):
        packed = frame.mapInArrow(pack, schema).rdd.map(lambda row: (row[0], row[1:]))
    # every piece gets a record, so that one without edges is still a piece
    empty = spark.sparkContext.parallelize([(i, (b"",) * len(names)) for i in range(size)], 1)
    gathered = packed.union(empty).partitionBy(size, home)

    def join(records: Iterator[Any]) -> Iterator[Any]:
        held = list(records)
        columns = [
            np.frombuffer(b"".join(bytes(part[k]) for _, part in held), kind)
            for k, kind in enumerate(kinds)
        ]
        yield held[0][0], build(columns)

    return gathered.mapPartitions(join, preservesPartitioning=True)


@contextmanager
def _complaints() -> Iterator[None]:
    """Raise what a task finds wrong with the graph as that, not as Spark's account of it."""
    try:
        yield
    except Exception as error:
        found = re.search(rf"{ProblemError.__module__}\.ProblemError: (.+)", str(error))
        if found is None or isinstance(error, ProblemError):
            raise
        raise ProblemError(found.group(1)) from error


@contextmanager
def _rows_in(spark: SparkSession, rows: int) -> Iterator[None]:
    """Set how many rows Spark hands to Python at a time, for plans that are made inside."""
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(name)
    spark.conf.set(name, rows)
    try:
        yield
    finally:
        spark.conf.set(name, str(before))


def _sets(costs: DataFrame) -> tuple[Any, Any]:
    """Return ids and costs of all sets, by ascending id."""
    table = costs.select("set", "cost").toArrow()
    names = table["set"].to_numpy().astype(np.int64)
    numbers = table["cost"].to_numpy().astype(np.float64)
    order = np.argsort(names)
    if (np.diff(names[order]) == 0).any():
        raise ProblemError("expected every set once in costs, got one twice")
    if not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise ProblemError("expected finite costs of at least 0")
    return names[order], numbers[order]


def _find_checkpoints(spark: SparkSession, given: str | None) -> None:
    context = spark.sparkContext
    if given is not None:
        context.setCheckpointDir(given)
    elif context.getCheckpointDir() is None:
        if not context.master.startswith("local"):
            raise OptionError(
                "expected checkpoints= to name a directory that all executors see, got none"
            )
        folder = tempfile.mkdtemp(prefix="maxcover-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        context.setCheckpointDir(folder)
