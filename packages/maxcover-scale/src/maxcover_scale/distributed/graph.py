"""Graph: one huge graph on Apache Spark: DataFrames in, a certified selection out."""

from __future__ import annotations

import re
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover import errors
from maxcover.engine.core.problem import CoverageProblem
from maxcover.engine.solvers import solve as solve_here
from maxcover.errors import EngineError, ProblemError
from maxcover_scale.batch.spark_errors import told
from maxcover_scale.distributed.chunks import places_of
from maxcover_scale.distributed.coreset import solve_pieces, status_at_first
from maxcover_scale.distributed.dataframes import cores_of, in_pieces
from maxcover_scale.distributed.plan import DEFAULT_PLAN, GraphSelection, WorkPlan, selection_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray
    from pyspark.sql import DataFrame, SparkSession

# Edges per piece: 24 bytes each while it is built, so about two gigabytes in a Python worker.
EDGES_PER_PIECE = 30_000_000


def solve(
    edges: DataFrame,
    costs: DataFrame,
    weights: DataFrame,
    *,
    budget: float,
    required: ArrayLike = (),
    forbidden: ArrayLike = (),
    max_items: float | Mapping[Any, float] | None = None,
    max_cost: float | Mapping[Any, float] | None = None,
    partitions: int | None = None,
    plan: WorkPlan = DEFAULT_PLAN,
    tell: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> GraphSelection:
    """Choose sets within a budget from a graph that may be too large for one machine.

    A graph of at most ``plan.most_edges`` edges goes to `maxcover.solve` on the driver. A larger
    one stays on the cluster, which relaxes the problem by linear programming. Sets that the
    relaxation clearly takes or leaves are decided by that; the others are brought to the driver
    and decided by `maxcover.solve`. The only guarantee is the bound that comes with the answer.

    Parameters
    ----------
    edges : DataFrame
        Columns ``set`` and ``element``, whole numbers; repeated edges count once.
    costs, weights : DataFrame
        Columns ``set, cost`` and ``element, weight``: one row for every set and element. A column
        ``group`` in `costs` says which group a set is in, null for none; it is read where groups
        have limits.
    budget : float
    required, forbidden : array of int
        Ids of sets that must, and sets that must not, be chosen.
    max_items, max_cost : number or mapping, optional
        At most so many sets, or so much cost, from each group.
    partitions : int, optional
        Pieces of the graph; by default as many as keep a piece below thirty million edges, and
        at least one for every core. With a number, a small graph is cut into pieces too.
    plan : WorkPlan
        How much work to spend, and how many edges the driver may hold.
    tell : callable
        Called with a sentence whenever a part of the work is done.
    **options
        Of `maxcover.solve`, which decides what is left: ``effort``, ``time_limit``, ``seed``.

    Returns
    -------
    GraphSelection
        Certified: value and cost are recomputed from the graph, and no selection is worth more than
        ``upper_bound``. The same to the last bit for any number of partitions, unless `options`
        limit the time. The driver holds about 150 bytes per set, and no elements of a graph in
        pieces.

    Raises
    ------
    ProblemError
        A set without a cost, an element without a weight, or a value that is not a number.
    InfeasibleError
        The required sets break a limit.
    EngineError
        Spark gave up on it.
    """
    started = time.monotonic()
    limits = {"budget": budget, "max_items": max_items, "max_cost": max_cost}
    with told("the graph", "solve", EngineError), complaints():
        ids, sets = _sets(costs, required, forbidden, limits)
        if partitions is None:
            count = edges.count()
            if count <= plan.most_edges:
                problem = _whole(edges, weights, ids, sets)
                tell(f"one machine solves all {problem.n_edges} edges")
                return selection_of(solve_here(problem, **options), ids, problem, started)
            partitions = pieces_for(edges.sparkSession, count)
        pieces = in_pieces(edges, weights, ids, status_at_first(sets), partitions)
        try:
            return solve_pieces(pieces, sets, ids=ids, plan=plan, tell=tell, **options)
        finally:
            pieces.close()


def pieces_for(spark: SparkSession, edges: int) -> int:
    """Return the number of pieces for a graph of `edges` edges: at least one per core."""
    return max(cores_of(spark), -(-edges // EDGES_PER_PIECE))


def _sets(
    costs: DataFrame, required: ArrayLike, forbidden: ArrayLike, limits: dict[str, Any]
) -> tuple[NDArray[np.int64], CoverageProblem]:
    """Return the ids of all sets, ascending, and a problem that has their limits and no edges."""
    grouped = limits["max_items"] is not None or limits["max_cost"] is not None
    table = costs.select("set", "cost", *(["group"] if grouped else [])).toArrow()
    if table["set"].null_count or table["cost"].null_count:
        raise ProblemError("expected no null in costs, got one")
    ids = table["set"].to_numpy().astype(np.int64)
    order = np.argsort(ids, kind="stable")
    ids = ids[order]
    if (np.diff(ids) == 0).any():
        raise ProblemError("expected every set once in costs, got one twice")
    groups = table["group"].take(order).to_pylist() if grouped else None
    sets = CoverageProblem.from_edges(
        [],
        [],
        costs=table["cost"].to_numpy().astype(np.float64)[order],
        weights=[],
        required=_places(ids, required, "required"),
        forbidden=_places(ids, forbidden, "forbidden"),
        groups=groups,
        **limits,
    )
    return ids, sets


def _whole(
    edges: DataFrame, weights: DataFrame, ids: NDArray[np.int64], sets: CoverageProblem
) -> CoverageProblem:
    """Bring a graph to the driver, as a problem with the costs and limits of `sets`."""
    pairs = edges.select("set", "element").toArrow()
    table = weights.select("element", "weight").toArrow()
    if any(column.null_count for column in (*pairs.columns, *table.columns)):
        raise ProblemError("expected no null in edges and weights, got one")
    elements, order = np.unique(table["element"].to_numpy(), return_index=True)
    if elements.size < table.num_rows:
        raise ProblemError("expected every element once in weights, got one twice")
    owners = places_of(ids, pairs["set"].to_numpy(), "expected sets of edges to have a cost")
    columns = places_of(
        elements, pairs["element"].to_numpy(), "expected elements of edges to have a weight"
    )
    own = table["weight"].to_numpy().astype(np.float64)[order]
    graph = CoverageProblem.from_edges(owners, columns, weights=own, n_sets=ids.size, budget=0.0)
    return sets.with_elements(graph.indptr, graph.indices, weights=graph.weights)


def _places(ids: NDArray[np.int64], wanted: ArrayLike, what: str) -> NDArray[np.int64]:
    named = np.asarray(wanted, dtype=np.int64).reshape(-1)
    return places_of(ids, named, f"expected {what} to name sets in costs")


@contextmanager
def complaints() -> Iterator[None]:
    """Raise this package's errors from Spark tasks as themselves, not wrapped by Spark."""
    try:
        yield
    except Exception as error:
        found = re.search(rf"{errors.__name__}\.(\w+): (.+)", str(error))
        if found is None or isinstance(error, errors.MaxcoverError):
            raise
        raise getattr(errors, found.group(1))(found.group(2)) from error
