"""Row filling: how much of each limit row sets use, and which sets fit beside others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.core.limits import FLOOR_ROUNDING
from maxcover.engine.kernels.decode import fill

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from maxcover.engine.core.bounds import Dual
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.ground.array_types import Floats, Int64s


# `first_fitting` only considers the first sets, with this many edges together: a few milliseconds.
_FEW_EDGES = 300_000


def used_ticks(problem: CoverageProblem, selected: Int64s) -> Int64s:
    """Return how many ticks of each limit row a selection uses."""
    rows = problem.rows
    inside = np.zeros(problem.n_sets, dtype=bool)
    inside[selected] = True
    used = np.zeros(len(rows.low), dtype=np.int64)
    entry = inside[rows.sets]
    np.add.at(used, rows.owners[entry], rows.ticks[entry])
    return used


def charges(problem: CoverageProblem, rate: Floats) -> Floats:
    """Return each set's cost if a tick of limit row r costs `rate[r]`; always above 0."""
    rows = problem.rows
    ticks = np.where(problem.choosable[rows.sets], rows.ticks, 0).astype(np.float64)
    costs = np.bincount(rows.sets, weights=ticks * rate[rows.owners], minlength=problem.n_sets)
    mean = float(costs.mean()) if costs.size else 0.0
    return np.asarray(np.maximum(costs, 1e-6 * mean) if mean > 0 else np.ones_like(costs))


def rates_of(problem: CoverageProblem, dual: Dual) -> Floats:
    """Return the price of a tick of each limit row at a dual point."""
    rows = np.zeros(len(problem.limits)) if dual.rows is None else dual.rows
    return np.append(dual.price / dual.unit, rows) * problem.rows.unit


def tightness(problem: CoverageProblem) -> Floats:
    """For each set, sum the fractions that it uses of the limit rows that can become full."""
    rows = problem.rows
    ticks = np.where(problem.choosable[rows.sets], rows.ticks, 0).astype(np.float64)
    wanted = np.bincount(rows.owners, weights=ticks, minlength=len(rows.low))
    share = 1.0 / np.maximum(rows.high, 1).astype(np.float64)
    return charges(problem, np.where(wanted > rows.high, share, 0.0))


def take(
    problem: CoverageProblem, ranking: Int64s, start: Int64s, *, quota: int | None = None
) -> Int64s:
    """Return the sets of `ranking` that fit beside `start`; stop at `quota` ticks of the budget."""
    limits = problem.rows
    least = 0 if quota is None else int(limits.high[0]) - quota + 1
    row_ptr, rows, ticks = limits.by_set
    room = limits.high - used_ticks(problem, start)
    able = ranking[problem.choosable[ranking]]
    picks: Int64s = fill(able, rows, row_ptr, ticks, room, least)
    return picks


def budget_shares(problem: CoverageProblem) -> Floats:
    """For each set, sum the fractions that it uses of the budgets."""
    rows = problem.rows
    spans = np.diff(rows.indptr) == problem.n_sets
    return charges(problem, np.where(spans, 1.0 / np.maximum(rows.high, 1), 0.0))


def first_fitting(problem: CoverageProblem, start: Int64s) -> Int64s:
    """Return sets that fit beside `start`, in order of index: a quick choice if time is short."""
    last = int(np.searchsorted(problem.indptr, _FEW_EDGES, side="right"))
    able = problem.choosable[:last].copy()
    able[start[start < last]] = False
    return take(problem, np.flatnonzero(able), start)


def first_fit(problem: CoverageProblem) -> Int64s:
    """Return the required sets and, in order of index, sets that fit beside them."""
    return np.concatenate((problem.required, first_fitting(problem, problem.required)))


def fitting_first(problem: CoverageProblem) -> Iterator[Int64s]:
    """Yield two quick selections that may keep every limit; the cheapest sets fill the minima."""
    found = problem.required
    if bool((problem.rows.low > 0).any()):
        able = np.flatnonzero(problem.choosable)
        cheapest = able[np.argsort(problem.costs[able], kind="stable")]
        found = np.concatenate((found, *for_minima(problem, cheapest)))
    for selected in (found, np.concatenate((found, first_fitting(problem, found)))):
        yield np.sort(selected)


def for_minima(problem: CoverageProblem, ranking: Int64s) -> Iterator[Int64s]:
    """For each limit row with a minimum, yield the first sets of `ranking` that reach it."""
    rows, taken = problem.rows, problem.is_required
    for r in np.flatnonzero(rows.low > 0).tolist():
        ticks = np.zeros(problem.n_sets, dtype=np.int64)
        own = slice(rows.indptr[r], rows.indptr[r + 1])
        ticks[rows.sets[own]] = rows.ticks[own]
        able = ranking[(ticks[ranking] > 0) & ~taken[ranking]]
        lack = rows.low[r] - ticks[taken].sum()
        first = able[np.cumsum(ticks[able]) - ticks[able] < lack]
        taken[first] = True
        yield first


def minima_first(problem: CoverageProblem, ranking: Int64s, other: Int64s) -> Int64s:
    """Return `ranking` with sets that reach the minima in front; `other` supplies missing ones."""
    both = _once(np.concatenate((ranking, other)))
    return _once(np.concatenate((*for_minima(problem, both), ranking)))


def _once(ranking: Int64s) -> Int64s:
    """Return `ranking` without repeated sets; the first place of each set counts."""
    _, place = np.unique(ranking, return_index=True)
    return ranking[np.sort(place)]


def fits_beside(problem: CoverageProblem, selected: Int64s) -> NDArray[np.bool_]:
    """Return a mask of the sets that break no maximum together with `selected`."""
    rows = problem.rows
    full = used_ticks(problem, selected)[rows.owners] + rows.ticks > rows.high[rows.owners]
    fits = np.ones(problem.n_sets, dtype=bool)
    fits[rows.sets[full]] = False
    return fits


def missing(problem: CoverageProblem, selected: Int64s) -> str:
    """Return a message about the first minimum that a selection misses; "" if it misses none."""
    rows, floors = problem.rows, problem.floors
    for r in np.flatnonzero(used_ticks(problem, selected) < rows.low)[:1]:
        return f"{rows.limits.names[r]} is below its minimum of {rows.limits.low[r]:g}"
    reached = floors.reached(problem.given(selected)) if len(floors) else np.zeros(0)
    for r in np.flatnonzero(reached < floors.low * (1 - FLOOR_ROUNDING))[:1]:
        most = floors.reached(problem.weights)[r]
        return (
            f"{floors.names[r]} is {reached[r]:g} ({reached[r] / most:.0%} of all of it), below "
            f"its minimum of {floors.low[r]:g} ({floors.low[r] / most:.0%})"
        )
    return ""
