"""Select: rows that stand for all rows, by facility location over nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from maxcover.engine.core import notebook, validation, wording
from maxcover.engine.core.constructors import told
from maxcover.engine.core.problem import CoverageProblem
from maxcover.engine.solvers.solve import solve
from maxcover.errors import OptionError, ProblemError
from maxcover.ground.options import checked
from maxcover.uses.rows.neighbours import Lists, find_neighbours
from maxcover.uses.rows.row_limits import connected, quota_limits
from maxcover.uses.rows.row_tables import Rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from maxcover.engine.core.solution import Solution
    from maxcover.engine.solvers.effort import EffortName
    from maxcover.ground import names
    from maxcover.ground.array_types import Floats, Int64s
    from maxcover.ground.options import row
    from maxcover.uses.rows.neighbours import MetricName, SearchName


# With more than LARGE pairs of rows and neighbours, the default target gap is LARGE_GAP: there,
# annealing improves greedy by less than that, and takes five times as long.
LARGE, LARGE_GAP = 20_000, 0.01
# Rows per block when all rows are multiplied with the chosen ones.
_BLOCK = 1024


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Selected:
    """Chosen rows, their value, and an upper bound on the value of every other choice.

    Attributes
    ----------
    solution : Solution
        The certified answer. Its value is the sum, over all rows, of the similarity to the nearest
        chosen row among the listed neighbours, plus the worth of the chosen rows.
    problem : CoverageProblem
        The coverage problem that was solved.
    lists : Lists
        The neighbours of each row.
    """

    rows: Rows
    problem: CoverageProblem
    solution: Solution
    lists: Lists
    vectors: NDArray[Any]
    metric: MetricName
    limits: Mapping[str, Any]

    def _repr_html_(self) -> str:
        return notebook.card(repr(self), notebook.Html(self.solution._repr_html_()))

    @property
    def indices(self) -> Int64s:
        """The chosen rows, ascending."""
        return self.solution.selected

    @property
    def value(self) -> float:
        """The sum of similarities to listed neighbours, plus the worth of the chosen rows."""
        return self.solution.value

    @property
    def gap(self) -> float:
        """How much better another choice could be, as a share; only listed neighbours count."""
        return self.solution.gap

    @property
    def cost(self) -> float:
        """The total cost of the chosen rows."""
        return self.solution.cost

    @cached_property
    def full_value(self) -> float:
        """Lower bound of the value if rows that are not listed as neighbours count too."""
        chosen = self.indices
        if not chosen.size:
            return 0.0
        best = np.zeros(len(self.lists.rows))
        for a in range(0, chosen.size, _BLOCK):
            part = chosen[a : a + _BLOCK]
            for b in range(0, len(best), _BLOCK):
                near = _similarity(self.vectors[b : b + _BLOCK], self.vectors[part], self.metric)
                best[b : b + _BLOCK] = np.maximum(best[b : b + _BLOCK], near.max(axis=1))
        least = np.maximum(best - self.lists.margin, 0.0).sum()
        worth = self.limits.get("worth")
        return float(least) + (0.0 if worth is None else float(np.asarray(worth)[chosen].sum()))

    @cached_property
    def full_bound(self) -> float | None:
        """Upper bound of the full value of any choice; None if the lists are not exact.

        A row that is not in the list of row p is at most as similar to p as the last listed row. So
        p adds at most the similarity of its last listed row, plus what chosen rows of the list have
        above that.
        """
        if not self.lists.exact:
            return None
        last = self.lists.similarity.min(axis=1)
        above = self.lists.similarity - last[:, None]
        found = solve(_problem(self.lists.rows, above, self.limits), effort="fast")
        return float((last + self.lists.margin).sum()) + found.upper_bound

    @property
    def full_gap(self) -> float | None:
        """How much better another choice could be if every row counts, not only listed ones.

        None if the lists are not exact. Takes about as long as the selection, and the products of
        all rows with the chosen ones.
        """
        bound = self.full_bound
        if bound is None:
            return None
        return max(0.0, 1.0 - self.full_value / bound) if bound else 0.0

    @property
    def certificate(self) -> str:
        """A sentence that says what is proven about the choice."""
        return wording.certificate(
            status=self.solution.status,
            gap=self.gap,
            within="that keeps the limits",
            beats="has more weight",
            by=self.solution.witness,
        )

    def take(self) -> Any:
        """Return the chosen rows: an Arrow table if a file or table was given, else as given."""
        return self.rows.take(self.indices)

    def to_parquet(self, path: Any) -> None:
        """Write the chosen rows with all their columns to a Parquet file."""
        from pyarrow import parquet, table

        taken = self.take()
        if isinstance(taken, Mapping):
            taken = {name: _column(column) for name, column in taken.items()}
        elif isinstance(taken, np.ndarray):
            taken = {self.rows.vector: _column(taken)}
        parquet.write_table(table(taken) if isinstance(taken, dict) else taken, path)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values for JSON."""
        return {
            "rows": self.indices.tolist(),
            "n_rows": len(self.lists.rows),
            "value": self.value,
            "upper_bound": self.solution.upper_bound,
            "gap": self.gap,
            "cost": self.cost,
            "status": self.solution.status,
            "exact_neighbours": self.lists.exact,
        }

    def __repr__(self) -> str:
        return (
            f"Selected({self.indices.size} of {len(self.lists.rows)} rows, cost {self.cost:g}, "
            f"value {self.value:.6g}, gap {self.gap:.2%})"
        )


@checked
def select(
    rows: Any,
    *,
    budget: float | str,
    vector: Annotated[str, row.option("Column of the vectors.", str)] = "embedding",
    cost: Annotated[
        str | ArrayLike | None, row.data("Column of costs. Default: every row costs 1.")
    ] = None,
    worth: Annotated[
        str | ArrayLike | None, row.data("Column with a bonus for choosing a row.")
    ] = None,
    quota: Mapping[str, Any] | None = None,
    duplicates: Annotated[
        float | None,
        row.number("Choose at most one of several rows that are at least this similar.", 0, 1),
    ] = None,
    neighbours: Any = 20,
    metric: Annotated[
        MetricName, row.one_of("Similarity: the cosine, or 1 / (1 + distance).", names.METRICS)
    ] = "cosine",
    search: Annotated[
        SearchName, row.one_of("How to find the nearest rows.", names.SEARCHES)
    ] = "auto",
    effort: EffortName = "fast",
    time_limit: float | None = None,
    target_gap: float | None = None,
    seed: int = 0,
) -> Selected:
    """Choose rows to which all rows are similar, within a budget, and certify the choice.

    Facility location: each row counts its similarity to the nearest chosen row among its nearest
    neighbours. Lazy greedy is tried too, so the answer is never worse than that.

    Parameters
    ----------
    rows : path, table, mapping or matrix
        Parquet; a table of pyarrow, pandas or Polars; a mapping of names to arrays; or the vectors
        alone.
    budget : float or str
        Maximum total cost of the chosen rows; or a share of the cost of all rows, such as ``"5%"``.
    vector : str
        The column of vectors.
    cost : str or array, optional
        A column, or a number for each row; 1 each by default, so that the budget counts rows.
    worth : str or array, optional
        Bonus for choosing a row, at least 0, such as its quality. Similarity gives a row at most
        1, so a worth of 0.1 is a tenth of a row.
    quota : mapping of column to share, optional
        The largest share of the budget for rows of the same value of a column:
        ``{"source": 0.3}``, or for each value: ``{"source": {"web": 0.3}}``.
    duplicates : float, optional
        Choose at most one of rows that are at least this similar. Chains of such rows count as one
        group. Only listed neighbours are compared.
    neighbours : int, or tuple of two arrays
        How many nearest rows count, a row itself included; or the lists, as indices and
        similarities of shape (rows, k).
    metric : {"cosine", "euclidean"}
        The cosine, or 1 / (1 + distance).
    search : {"auto", "exact", "cells"}
        How neighbours are found; see `maxcover.uses.rows.find_neighbours`.
    target_gap : float, optional
        As in `solve`; 0 by default, and 0.01 with more than 20,000 pairs of rows and neighbours.
    effort, time_limit, seed
        As in `solve`.

    Examples
    --------
    >>> import maxcover as mc
    >>> vectors = [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9], [0.7, 0.7]]
    >>> chosen = mc.select(vectors, budget=2)
    >>> chosen.indices, round(chosen.value, 2)
    (array([1, 2]), 4.77)
    >>> mc.select({"embedding": vectors, "tokens": [9, 5, 9, 5, 9]}, cost="tokens", budget=10)
    Selected(2 of 5 rows, cost 10, value 4.76864, gap 0.00%)
    """
    table = Rows(rows, vector)
    vectors = table.vectors()
    lists = _lists(vectors, neighbours, metric, search, seed)
    n = len(lists.rows)
    costs = np.ones(n) if cost is None else _numbers(table, cost, "cost", n)
    if cost is None and "cost" in table.names:
        validation.warn("every row costs 1, and the column 'cost' is not read; write cost='cost'")
    limits: dict[str, Any] = {
        "budget": validation.budget(budget, costs),
        "costs": costs,
        "worth": None if worth is None else _numbers(table, worth, "worth", n),
    }
    limits |= quota_limits(quota or {}, lambda name: table.column(name, "quota"), limits["budget"])
    if duplicates is not None:
        first, place = np.nonzero(lists.similarity >= duplicates)
        limits["conflicts"] = connected(n, first, lists.rows[first, place])
    problem = told(_problem(lists.rows, lists.similarity, limits))
    if target_gap is None:
        target_gap = LARGE_GAP if problem.n_edges > LARGE else 0.0
    solution = solve(
        problem, effort=effort, time_limit=time_limit, target_gap=target_gap, seed=seed
    )
    return Selected(
        rows=table, problem=problem, solution=solution, lists=lists, vectors=vectors,
        metric=metric, limits=limits,
    )  # fmt: skip


def _lists(
    vectors: NDArray[Any], neighbours: Any, metric: MetricName, search: SearchName, seed: int
) -> Lists:
    if isinstance(neighbours, tuple):
        found, similarity = (np.asarray(part) for part in neighbours)
        n = len(vectors)
        if (
            found.ndim != 2 or found.shape != similarity.shape or len(found) != n
            or found.dtype.kind not in "iu" or similarity.dtype.kind not in "fiu"
            or (n and found.size and not (found.min() >= 0 and found.max() < n))
        ):  # fmt: skip
            raise OptionError(
                f"expected neighbours as two arrays with {n} rows, indices of rows and "
                f"similarities, got {found.shape} of {found.dtype} and {similarity.shape}"
            )
        return Lists(found.astype(np.int32), np.maximum(similarity.astype(float), 0), False, 0.0)
    return find_neighbours(vectors, int(neighbours), metric=metric, search=search, seed=seed)


def _numbers(table: Rows, given: Any, name: str, n: int) -> Floats:
    """Return a column (by name) or an array as float64, one number per row."""
    found = table.column(given, name) if isinstance(given, str) else np.asarray(given)
    if found.dtype.kind not in "fiub" or found.shape != (n,):
        raise ProblemError(
            f"expected {name} to be a number for each of {n} rows, got {found.dtype} of shape "
            f"{found.shape}"
        )
    return found.astype(np.float64)


def _problem(
    rows: NDArray[np.int32], similarity: Floats, limits: Mapping[str, Any]
) -> CoverageProblem:
    """Build the problem in which choosing row i covers every row that lists i as a neighbour."""
    n, k = rows.shape
    return CoverageProblem.from_edges(
        rows.ravel(), np.repeat(np.arange(n), k), best=similarity.ravel(), n_sets=n, n_elements=n,
        **limits,
    )  # fmt: skip


def _similarity(some: NDArray[Any], others: NDArray[Any], metric: MetricName) -> Floats:
    first, second = some.astype(np.float64), others.astype(np.float64)
    if metric == "cosine":
        first /= np.linalg.norm(first, axis=1, keepdims=True)
        second /= np.linalg.norm(second, axis=1, keepdims=True)
        return np.clip(first @ second.T, 0.0, 1.0)
    squares = (first**2).sum(axis=1)[:, None] - 2 * first @ second.T + (second**2).sum(axis=1)
    found: Floats = 1.0 / (1.0 + np.sqrt(np.maximum(squares, 0.0)))
    return found


def _column(values: NDArray[Any]) -> Any:
    """Return an array as a column for Arrow; a matrix as a list of rows."""
    return list(values) if values.ndim > 1 else values
