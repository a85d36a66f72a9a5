"""Search under any limits for any returns, as a part: greedy runs and simulated annealing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core.limits import FLOOR_ROUNDING, NO_LIMIT
from maxcover.core.validation import transposed
from maxcover.kernels import anneal as kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]

# Temperatures, from the first to the last, in units of what a set gains on average.
_HOT, _COLD, _STEPS = 0.06, 0.006, 60
# Moves of a run: so many per set, but at least and at most.
_MOVES_PER_SET, _LEAST_MOVES, _MOST_MOVES = 300, 6_000, 2_000_000
# Part of the price of rows that sets are charged at first, and that falls to nothing.
_CHARGED = 1.0
# Part of its weight that an element counts in the score, in proportion, before its need is met.
_CREDIT = 0.3
# Edges of a slice of a greedy run, and seconds of one of annealing, between two looks at the clock.
_SLICE, _LOOK = 60_000, 0.004
# Edges of the sets that are looked at for a first selection: a few milliseconds.
_FEW_EDGES = 300_000


class Annealing:
    """Greedy runs and simulated annealing on one problem, whatever its limits and returns."""

    def __init__(self, problem: CoverageProblem) -> None:
        self.problem = problem
        self.movable = np.flatnonzero(problem.choosable)
        rows, floors = problem.rows, problem.floors
        kind, pointer, (step, guide), (strength, reverse) = curves_of(problem)
        elements = np.zeros(problem.n_elements, kernels.ELEMENT)
        elements["weight"], elements["first"] = problem.weights, pointer[:-1]
        elements["n_steps"], elements["kind"] = np.diff(pointer), kind
        limits = np.zeros(len(rows.low), kernels.ROW)
        limits["low"], limits["high"] = rows.low, rows.high
        sums = np.bincount(floors.elements, minlength=problem.n_elements)
        order = np.argsort(floors.elements, kind="stable")
        owner = np.repeat(np.arange(len(floors.low)), np.diff(floors.indptr))
        shares = np.zeros(len(floors.low), kernels.SHARE)
        # above what any set is worth for a unit of value that is missing
        shares["low"], shares["fine"] = floors.low, 2.0
        self.board = kernels.Board(
            rows=(problem.indptr, problem.indices, strength),
            columns=(*problem.transpose, reverse),
            curves=(step, guide),
            limits=rows.by_set,
            members=(rows.indptr, rows.sets),
            floors=(
                np.append(0, np.cumsum(sums)).astype(np.int64), owner[order].astype(np.int32)
            ),
            records=(elements, limits, shares),
        )  # fmt: skip
        self.begin(problem.required)
        alone = self.board.gains(self.movable)
        self.scale = float(alone.mean()) if alone.size else 0.0
        # for what one set more would help, above what any set is worth
        top = 2.0 * float(alone.max(initial=0.0)) + 1e-300
        sizes = np.maximum(np.diff(rows.indptr), 1)
        mean = (
            np.add.reduceat(np.append(rows.ticks, 0).astype(np.float64), rows.indptr[:-1]) / sizes
        )
        self.limits = limits  # the board reads them in place
        limits["fine"] = np.where(rows.low > 0, top / np.maximum(mean, 1.0), 0.0)
        self.rate = np.zeros(len(rows.low))  # what a tick of each row is worth
        self.tightness = self._tightness()

    def _tightness(self) -> Floats:
        """Return for each set what it takes of the rows that can be full, as shares of them."""
        rows = self.problem.rows
        able = self.problem.choosable[rows.sets]
        row = np.repeat(np.arange(len(rows.low)), np.diff(rows.indptr))
        ticks = np.where(able, rows.ticks, 0).astype(np.float64)
        wanted = np.bincount(row, weights=ticks, minlength=len(rows.low))
        rate = np.where(wanted > rows.high, 1.0 / np.maximum(rows.high, 1).astype(np.float64), 0.0)
        return charges(self.problem, rate)

    def begin(self, start: Int64s) -> None:
        """Stand on the required sets and those of `start`, which have to fit beside them."""
        movable = start[self.problem.choosable[start]]
        self.board.begin(self.problem.required, np.ascontiguousarray(movable))

    def fresh(self, seed: int) -> None:
        """Forget the best selection, and begin the random numbers of a seed."""
        self.board.fresh(seed)

    @property
    def best(self) -> Int64s | None:
        """The best selection since `fresh` that keeps every limit, or None."""
        found = self.board.best_found()
        if found is None:
            return None
        found = np.sort(np.concatenate((self.problem.required, found)))
        return None if self.problem.violation(found) else found

    @property
    def now(self) -> Int64s:
        """The sets that are chosen now and may be dropped."""
        found: Int64s = self.board.now()
        return found

    def fitting(
        self, ranking: Int64s, start: Int64s | None = None, quota: int = NO_LIMIT
    ) -> Int64s:
        """Return the sets of a ranking that fit beside `start`, until `quota` ticks are used."""
        self.begin(self.problem.required if start is None else start)
        held = len(self.now)
        able = ranking[self.problem.choosable[ranking]]
        self.board.take(np.ascontiguousarray(able), quota)
        return self.now[held:]

    def pruned(self, selected: Int64s, least: float) -> Int64s:
        """Drop sets, dearest first, that are needed neither for a value nor for a minimum."""
        self.begin(selected)
        order = np.argsort(-self.problem.costs[selected], kind="stable")
        self.board.prune(np.ascontiguousarray(selected[order]), least)
        return np.sort(np.concatenate((self.problem.required, self.now)))

    def grow(
        self,
        start: Int64s,
        prices: Floats | None = None,
        *,
        among: Int64s | None = None,
        expired: Callable[[], bool] | None = None,
    ) -> None:
        """Add the sets of the most gain per price, of all or `among` some, to those of `start`."""
        self.begin(start)
        prices = self.tightness if prices is None else prices
        movable = self.movable if among is None else among[self.problem.choosable[among]]
        rest = movable[np.asarray(self.board.place)[movable] < 0]
        keys, heap = self.board.gains(rest) / prices[rest], rest.astype(np.int32)
        self.board.heapify(keys, heap)
        while not self.board.grow(prices, keys, heap, _SLICE):
            if expired is not None and expired():
                break

    def anneal(
        self,
        *,
        control: Control,
        movable: Int64s | None = None,
        heat: float = 1.0,
        effort: float = 1.0,
    ) -> None:
        """Anneal from the present selection; `heat` scales the temperatures, `effort` the moves."""
        movable = self.movable if movable is None else movable
        moves = float(np.clip(_MOVES_PER_SET * movable.size, _LEAST_MOVES, _MOST_MOVES))
        part = max(int(effort * moves / _STEPS), 1)
        pace = 500
        for step in range(_STEPS):
            done = step / (_STEPS - 1)
            now = heat * self.scale * _HOT * (_COLD / _HOT) ** done
            self.limits["price"] = _CHARGED * (1 - done) * self.rate
            self.begin(self.now)
            left = part
            while left > 0:
                if control.expired():
                    return
                before = time.perf_counter()
                self.board.anneal(movable, max(now, 1e-300), min(pace, left))
                left -= pace
                took = time.perf_counter() - before
                pace = int(min(max(pace * _LOOK / max(took, 1e-6), pace / 2), 4 * pace)) + 1


def grown(
    problem: CoverageProblem,
    start: Int64s,
    *,
    by_cost: bool,
    among: Int64s | None,
    expired: Callable[[], bool] | None,
) -> Int64s:
    """Return the greedy picks that follow the sets in `start`, in order, under any limits.

    A cost is the sum of what a set takes of each budget, as shares of them.
    """
    if expired is not None and expired():
        return first_fitting(problem, start)
    search, rows = Annealing(problem), problem.rows
    prices = np.ones(problem.n_sets)
    if by_cost:
        spans = np.diff(rows.indptr) == problem.n_sets
        prices = charges(problem, np.where(spans, 1.0 / np.maximum(rows.high, 1), 0.0))
    held = int(np.count_nonzero(problem.choosable[start]))
    search.grow(start, prices, among=among, expired=expired)
    return search.now[held:]


def best_single(problem: CoverageProblem) -> int:
    """Return the set that gains most beside the required ones; -1 if none gains anything."""
    search = Annealing(problem)
    gains = search.board.gains(search.movable)
    return int(search.movable[np.argmax(gains)]) if gains.max(initial=0.0) > 0 else -1


def charges(problem: CoverageProblem, rate: Floats) -> Floats:
    """Return what each set costs where a tick of a row costs `rate`; always above 0."""
    rows = problem.rows
    ticks = np.where(problem.choosable[rows.sets], rows.ticks, 0).astype(np.float64)
    costs = np.bincount(rows.sets, weights=ticks * rate[rows.owners], minlength=problem.n_sets)
    mean = float(costs.mean()) if costs.size else 0.0
    return np.asarray(np.maximum(costs, 1e-6 * mean) if mean > 0 else np.ones_like(costs))


def curves_of(problem: CoverageProblem) -> tuple[Any, ...]:
    """Return how elements give, for kernels: kinds, where steps begin, steps and guide, strengths.

    Strengths are by sets and by elements, those of BEST in units of value.
    """
    pointer, step = problem.steps
    kind = np.zeros(problem.n_elements, np.uint8)
    strength, reverse = problem.strength, np.zeros(0)
    if problem.kind.size:
        kind[:] = problem.kind
    if strength.size:
        best = kind[problem.indices] == 1
        strength = np.where(best, strength * problem.weights[problem.indices], strength)
        each = np.arange(problem.n_edges + 1)
        reverse = strength[transposed(each, problem.indices, problem.n_elements)[1]]
    return kind, pointer, (step, guided(pointer, step)), (strength, reverse)


def guided(pointer: Int64s, step: Floats) -> Floats:
    """Return steps that let what needs several sets count a little from the first one on."""
    sizes = np.diff(pointer)
    owner = np.repeat(np.arange(sizes.size), sizes)
    rises = np.zeros(sizes.size, dtype=bool)
    inside = owner[1:] == owner[:-1]
    rises[owner[1:][inside & (step[1:] > step[:-1])]] = True
    if not rises.any():
        return step
    last = np.zeros(step.size, dtype=bool)
    last[pointer[1:][sizes > 0] - 1] = True
    weight = np.bincount(owner, weights=step, minlength=sizes.size)
    part = (_CREDIT * weight / np.maximum(sizes, 1))[owner]
    whole = weight[owner] - part * (sizes[owner] - 1)
    return np.asarray(np.where(rises[owner], np.where(last, whole, part), step))


def used_ticks(problem: CoverageProblem, selected: Int64s) -> Int64s:
    """Return the ticks that a selection takes of each limit."""
    rows = problem.rows
    inside = np.zeros(problem.n_sets, dtype=bool)
    inside[selected] = True
    used = np.zeros(len(rows.low), dtype=np.int64)
    entry = inside[rows.sets]
    np.add.at(used, rows.owners[entry], rows.ticks[entry])
    return used


def first_fitting(problem: CoverageProblem, start: Int64s) -> Int64s:
    """Return the first sets that fit beside `start` whichever of them are taken: no search."""
    rows = problem.rows
    last = int(np.searchsorted(problem.indptr, _FEW_EDGES, side="right"))
    able = problem.choosable.copy()
    able[start], able[last:] = False, False
    entry = able[rows.sets]
    owners, ticks = rows.owners[entry], rows.ticks[entry].astype(np.float64)
    running = np.cumsum(ticks)
    first = np.append(True, owners[1:] != owners[:-1]) if owners.size else np.zeros(0, bool)
    before = (running - ticks)[first][np.cumsum(first) - 1]
    room = (rows.high - used_ticks(problem, start)).astype(np.float64)
    able[rows.sets[entry][running - before > room[owners] * (1 - 1e-9)]] = False
    return np.flatnonzero(able)


def fitting_first(problem: CoverageProblem) -> Iterator[Int64s]:
    """Yield selections that may keep every limit: cheapest sets for minima first; no search."""
    rows, chosen = problem.rows, problem.is_required
    for r in np.flatnonzero(rows.low > 0).tolist():
        own = slice(rows.indptr[r], rows.indptr[r + 1])
        sets, ticks = rows.sets[own], rows.ticks[own]
        lack = int(rows.low[r]) - int(ticks[chosen[sets]].sum())
        able = np.flatnonzero(problem.choosable[sets] & ~chosen[sets] & (ticks > 0))
        rate = problem.costs[sets[able]] / ticks[able]
        able = able[np.argsort(rate, kind="stable")]
        before = np.cumsum(ticks[able]) - ticks[able]
        chosen[sets[able[before < lack]]] = True
    found = np.flatnonzero(chosen)
    for selected in (found, np.concatenate((found, first_fitting(problem, found)))):
        yield np.sort(selected)


def minima_first(problem: CoverageProblem, ranking: Int64s, other: Int64s) -> Int64s:
    """Return a ranking that begins with the first sets for each minimum, of `other` if need be."""
    rows = problem.rows
    first: list[Int64s] = []
    for r in np.flatnonzero(rows.low > 0).tolist():
        ticks = np.zeros(problem.n_sets, dtype=np.int64)
        own = slice(rows.indptr[r], rows.indptr[r + 1])
        ticks[rows.sets[own]] = rows.ticks[own]
        ticks[problem.required] = 0
        both = np.concatenate((ranking, other))
        both = both[ticks[both] > 0]
        _, place = np.unique(both, return_index=True)
        both = both[np.sort(place)]
        lack = rows.low[r] - used_ticks(problem, problem.required)[r]
        first.append(both[np.cumsum(ticks[both]) - ticks[both] < lack])
    return np.concatenate((*first, ranking))


def fits_beside(problem: CoverageProblem, selected: Int64s) -> NDArray[np.bool_]:
    """Return which sets break no maximum together with a selection."""
    rows = problem.rows
    full = used_ticks(problem, selected)[rows.owners] + rows.ticks > rows.high[rows.owners]
    fits = np.ones(problem.n_sets, dtype=bool)
    fits[rows.sets[full]] = False
    return fits


def missing(problem: CoverageProblem, selected: Int64s) -> str:
    """Say which minimum a selection misses; an empty string when it misses none."""
    rows, floors = problem.rows, problem.floors
    for r in np.flatnonzero(used_ticks(problem, selected) < rows.low)[:1]:
        return f"{rows.limits.names[r]} is below its minimum of {rows.limits.low[r]:g}"
    reached = floors.reached(problem.given(selected)) if len(floors) else np.zeros(0)
    for r in np.flatnonzero(reached < floors.low * (1 - FLOOR_ROUNDING))[:1]:
        return f"{floors.names[r]} is {reached[r]:g}, below its minimum of {floors.low[r]:g}"
    return ""
