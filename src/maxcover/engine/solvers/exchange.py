"""Exchange search and greedy growth under any limits, for any returns, as parts of methods."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.limits import FLOOR_ROUNDING
from maxcover.engine.core.validation import transposed
from maxcover.engine.kernels.anneal import anneal
from maxcover.engine.kernels.growth import Growth, prune
from maxcover.engine.kernels.search import Search
from maxcover.engine.kernels.tabu import advance
from maxcover.engine.solvers.numbers import NUMBERS, Numbers
from maxcover.engine.solvers.row_filling import tightness
from maxcover.engine.solvers.seconds import FIRST_EDGES, FIRST_MOVES, SLICE, paced

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.control import Control
    from maxcover.ground.array_types import Floats, Int64s


# Problems with more sets than this count as large.
SMALL = 2000


def usual_moves(n_sets: int) -> int:
    """Return the usual number of moves: many on small problems, about one per set on large ones.

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
    """A search that improves a selection by moving a few sets at a time, under any limits.

    `prices` are each set's cost over all limits, in units of value. Without them each set's use of
    the rows that can become full is its cost. For plain coverage the search finds the price of the
    budget itself.
    """

    def __init__(
        self,
        problem: CoverageProblem,
        *,
        seed: int = 0,
        prices: Floats | None = None,
        numbers: Numbers = NUMBERS,
    ) -> None:
        self.problem, self.seed = problem, seed
        self.numbers, self.annealing = numbers.exchange, numbers.annealing
        self.required = np.zeros(problem.n_sets, dtype=bool)
        self.required[problem.required] = True
        usable = problem.choosable | self.required
        # Sets that cannot be chosen get 0 ticks: sums of their ticks could overflow.
        self.ticks = np.where(usable, problem.ticks.ticks, 0)
        self.forbidden = ~usable
        self.used = 0.0  # The effort that the last call used.
        self.value = 0.0  # The value of the last search, summed move by move.
        self.rows = _other_rows(problem, usable) if len(problem.limits) else None
        self.floors = _floors_by_element(problem) if len(problem.floors) else None
        curved = problem.returns.of.size or len(problem.floors)
        self.curves = curves_of(problem, self.numbers.credit) if curved else None
        if problem.is_plain:
            prices = problem.counted_costs
        elif prices is None:
            prices = tightness(problem)
        self.costs = np.where(usable, prices, 0.0)

    def opened(self, selected: Int64s, *, patience: int = 2**62, whole: bool = False) -> Search:
        """Return a search that starts from `selected`, which has to keep every maximum."""
        problem = self.problem
        start = np.zeros(problem.n_sets, dtype=bool)
        start[selected] = True
        return Search(
            (problem.indptr, problem.indices, *problem.transpose),
            start,
            self.seed,
            costs=self.costs,
            # Plain coverage counts in whole weight units. Elsewhere prices are in units of value,
            # so weights have to be too.
            weights=problem.counted_weights if problem.is_plain else problem.weights,
            ticks=self.ticks,
            limit=problem.ticks.limit,
            required=self.required,
            forbidden=self.forbidden,
            patience=patience,
            rows=self.rows,
            curves=self.curves,
            floors=self.floors,
            whole=whole,
        )

    def improve(
        self,
        selected: Int64s,
        *,
        effort: float,
        control: Control,
        enough: float = np.inf,
        credited: bool = True,
    ) -> Int64s:
        """Return a selection at least as good as `selected`; `effort` is in units of `usual_moves`.

        The search ends at a value of `enough`, in counted weights if the problem is plain. It also
        ends after twice the moves up to its best selection plus a patience (`ExchangeNumbers`).
        `credited` says whether a large search may save budget in one place to spend it in another.
        `selected` is returned as it was if there are minima of value and the result breaks a limit.
        """
        problem = self.problem
        n_sets = int(np.count_nonzero(problem.choosable))
        if self.curves is not None:  # moves take longer, and of many sets few are worth one
            n_sets = min(n_sets, self.numbers.per_chosen * selected.size)
        usual = usual_moves(n_sets)
        numbers = self.numbers
        patience = numbers.patience if problem.n_sets <= SMALL else numbers.large_patience
        patience = max(int(patience * usual), numbers.least_patience)
        search = self.opened(selected, patience=patience)
        if not credited:
            search.credited = 0.0
        search.ceiling = min(search.ceiling, enough + search.least_step)
        first = max(50, min(FIRST_MOVES, FIRST_EDGES // max(problem.n_edges, 1)))

        def is_over() -> bool:
            return search.best >= enough or search.is_over or control.expired()

        paced(partial(advance, search), int(effort * usual), pace=first, is_over=is_over)
        self.used, self.value = search.moves / usual, search.best
        found = np.flatnonzero(search.best_selection())
        # The search sums values with rounding, so check exactly that no minimum is missed.
        return selected if self.floors and problem.violation(found) else found

    def annealed(self, selected: Int64s, *, effort: float, control: Control, gap: float) -> Int64s:
        """Return a selection at least as good as `selected`, by annealing under prices.

        The problem may have maxima only, and no returns. `gap` is the relative gap of the best
        selection: the wider it is, the less the prices say, and the hotter the search has to begin.
        """
        numbers = self.annealing
        search = self.opened(selected, whole=True)
        able = self.problem.choosable
        trust = max(1.0 - gap / numbers.loose_gap, 0.0)
        mean = float(self.costs[able].mean()) if able.any() else 0.0
        hot = mean * min(numbers.heat_of_gap * gap**0.5, numbers.most_heat)
        first, last = (low + trust * (high - low) for low, high in (numbers.first, numbers.last))
        n = np.count_nonzero(able)
        some, many = (factor * n**power for factor, power in (numbers.small, numbers.large))
        moves = effort * min(some, many)
        for step in range(numbers.coolings):
            done = step / (numbers.coolings - 1)
            heat = hot * numbers.cold**done
            price = first + done * (last - first) if done < 1.0 else 0.0
            work = partial(anneal, search, heat=heat, price=price)
            part = int(moves / numbers.coolings) + 1
            paced(work, part, pace=FIRST_MOVES, is_over=control.expired)
        return np.flatnonzero(search.best_selection())

    def grown(
        self,
        start: Int64s,
        *,
        need: float = np.inf,
        expired: Callable[[], bool] | None = None,
    ) -> Int64s:
        """Return the sets that greedy adds to `start`, most gain per price first, in order.

        The picks end at a value of `need`; gain beyond that counts for nothing.
        """
        able = self.problem.choosable.copy()
        able[start] = False
        run = Growth(self.opened(start), np.flatnonzero(able), need)
        while not run.advance(SLICE):
            if expired is not None and expired():
                break
        picks: Int64s = run.picked()
        return picks

    def pruned(self, selected: Int64s, least: float) -> Int64s:
        """Drop sets, most expensive first, that neither the value `least` nor a minimum needs."""
        problem = self.problem
        movable = selected[problem.choosable[selected]]
        movable = movable[np.argsort(-problem.costs[movable], kind="stable")]
        kept = prune(self.opened(selected), movable, least)
        return np.sort(np.concatenate((problem.required, movable[kept])))


def _other_rows(problem: CoverageProblem, usable: NDArray[np.bool_]) -> tuple[Any, ...]:
    """Return the limits other than the budget as the arrays that `Search` takes."""
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
    entry = np.empty_like(order)
    entry[order] = np.arange(order.size)
    members = order, entry, sets.astype(np.int32)
    return by_set, (rows.indptr[1:] - first, members), (rows.low[1:], rows.high[1:])


def _floors_by_element(problem: CoverageProblem) -> tuple[Any, ...]:
    """Return CSR arrays for `Search`: which value minima each element is in, and the minima."""
    floors = problem.floors
    order = np.argsort(floors.members, kind="stable")
    owner = np.repeat(np.arange(len(floors)), np.diff(floors.indptr))
    counts = np.bincount(floors.members, minlength=problem.n_elements)
    return (
        np.append(0, np.cumsum(counts)).astype(np.int64),
        owner[order].astype(np.int32),
        floors.low * (1 - 0.5 * FLOOR_ROUNDING),
    )


def curves_of(problem: CoverageProblem, credit: float) -> tuple[Any, ...]:
    """Return arrays that tell kernels how elements give value: kinds, steps and strengths.

    The arrays are kinds, step offsets, (steps, `guided` steps) and (strengths by set, strengths by
    element). Strengths of kind BEST are multiplied by the weight.
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
    return kind, pointer, (step, guided(pointer, step, credit)), (strength, reverse)


def guided(pointer: Int64s, step: Floats, credit: float) -> Floats:
    """Return steps that credit an element in part before all the sets that it needs are chosen."""
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
    part = (credit * weight / np.maximum(sizes, 1))[owner]
    whole = weight[owner] - part * (sizes[owner] - 1)
    return np.asarray(np.where(rises[owner], np.where(last, whole, part), step))
