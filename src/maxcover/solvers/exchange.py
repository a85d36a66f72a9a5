"""Exchange search as a part that other methods use."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.kernels.search import Search
from maxcover.kernels.tabu import advance
from maxcover.solvers.annealing import curves_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control

# Seconds between two looks at the clock.
_LOOK = 0.004
# Moves before the first look, at most, and how many edges the graph may then have times moves.
_FIRST_MOVES, _FIRST_EDGES = 2000, 2_000_000
# Moves that are made at least before a search gives up: with 800, six of a thousand graphs of the
# paper's ensemble ended one or two units below their optimum.
_LEAST_PATIENCE = 2000
# Or this part of the usual moves, less on large problems: with a tenth, and with a quarter, one or
# two of 90 runs on the 30 instances of the literature ended below the best known value.
_PATIENCE, _LARGE_PATIENCE = 0.5, 0.15
# Problems of more sets are large.
SMALL = 2000


def usual_moves(n_sets: int) -> int:
    """Return how many moves pay: many on small problems, about one per set on large ones.

    Examples
    --------
    >>> [usual_moves(n) for n in (50, 1000, 10**6)]
    [4000, 61035, 950000]
    """
    if n_sets <= 256:
        return 4_000
    if n_sets <= 1000:
        return round(4_000 * (n_sets / 256) ** 2)
    return 1000 * int(60 * (n_sets / 1000) ** 0.4)


class Exchange:
    """Improve selections by moving a few sets at a time, under any limits, for any returns.

    `prices` are what each set takes of all limits, in units of value; without limits and returns
    the search finds the price of the budget itself. Minima of value are not looked at.
    """

    def __init__(
        self, problem: CoverageProblem, *, seed: int, prices: NDArray[np.float64] | None = None
    ) -> None:
        self.problem, self.seed = problem, seed
        self.required = np.zeros(problem.n_sets, dtype=bool)
        self.required[problem.required] = True
        usable = problem.choosable | self.required
        # sums of the ticks of sets that cannot be chosen would overflow
        self.costs = np.where(usable, problem.counted_costs, 0.0)
        self.ticks = np.where(usable, problem.ticks.ticks, 0)
        self.forbidden = ~usable
        self.used = 0.0  # of the effort, by the last call
        self.value = 0.0  # that its search came to, in the weights that it counted in
        self.rows = _other_rows(problem, usable) if len(problem.limits) else None
        self.curves = curves_of(problem) if problem.returns.of.size else None
        if prices is not None and not problem.is_plain:
            self.costs = np.where(usable, prices, 0.0)

    @property
    def _weights(self) -> NDArray[np.float64]:
        """Weights in whole units where prices do not have to be in units of value."""
        problem = self.problem
        return problem.counted_weights if problem.is_plain else problem.weights

    def improve(
        self,
        selected: NDArray[np.int64],
        *,
        effort: float,
        control: Control,
        enough: float = np.inf,
        weights: NDArray[np.float64] | None = None,
        credited: bool = True,
    ) -> NDArray[np.int64]:
        """Return a selection at least as good; `effort` is in units of `usual_moves`.

        The search ends sooner when it has gone on for twice as long as it took to find its best,
        and for half of the usual moves, or 2,000, besides, and at a value of `enough`. It counts
        in `weights`, which are ``problem.counted_weights`` unless given. `credited` says whether a
        large search may save budget in one place to spend it in another.
        """
        problem = self.problem
        start = np.zeros(problem.n_sets, dtype=bool)
        start[selected] = True
        usual = usual_moves(int(np.count_nonzero(problem.choosable)))
        patience = _PATIENCE if problem.n_sets <= SMALL else _LARGE_PATIENCE
        search = Search(
            (problem.indptr, problem.indices, *problem.transpose),
            start,
            self.seed,
            costs=self.costs,
            weights=self._weights if weights is None else weights,
            ticks=self.ticks,
            limit=problem.ticks.limit,
            required=self.required,
            forbidden=self.forbidden,
            patience=max(int(patience * usual), _LEAST_PATIENCE),
            rows=self.rows,
            curves=self.curves,
        )
        if not credited:
            search.credited = 0.0
        search.ceiling = min(search.ceiling, enough + search.least_step)
        moves = int(effort * usual)
        # moves that take about as long as the clock may go unwatched
        pace = max(50, min(_FIRST_MOVES, _FIRST_EDGES // max(problem.n_edges, 1)))
        while moves > 0 and search.best < enough and not search.is_over and not control.expired():
            before = time.perf_counter()
            advance(search, min(pace, moves))
            moves -= pace
            took = time.perf_counter() - before
            pace = int(min(max(pace * _LOOK / max(took, 1e-6), pace / 2), 4 * pace)) + 1
        self.used, self.value = search.moves / usual, search.best
        return np.flatnonzero(search.best_selection())


def _other_rows(problem: CoverageProblem, usable: NDArray[np.bool_]) -> tuple[Any, ...]:
    """Return the limits besides the budget for `Search`."""
    rows = problem.rows
    first = rows.indptr[1]
    sets, ticks = rows.sets[first:], np.where(usable[rows.sets[first:]], rows.ticks[first:], 0)
    order = np.argsort(sets, kind="stable")
    counts = np.bincount(sets, minlength=problem.n_sets)
    by_set = (
        np.append(0, np.cumsum(counts)).astype(np.int64),
        (rows.owners[first:] - 1)[order].astype(np.int32),
        ticks[order],
    )
    return by_set, (rows.indptr[1:] - first, sets), (rows.low[1:], rows.high[1:])
