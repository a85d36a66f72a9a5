"""Exchange search and greedy growth under any limits, for any returns, as parts of methods."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core.limits import FLOOR_ROUNDING
from maxcover.core.validation import transposed
from maxcover.kernels.growth import Growth, prune
from maxcover.kernels.search import Search
from maxcover.kernels.tabu import advance
from maxcover.solvers.row_filling import tightness
from maxcover.solvers.seconds import paced

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maxcover.array_types import Floats, Int64s
    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control


# Problems of more sets are large.
SMALL = 2000


@dataclass(frozen=True, kw_only=True)
class ExchangeNumbers:
    """The tuned numbers of exchange search; those of its moves are in `maxcover.kernels.tabu`.

    Attributes
    ----------
    first_moves, first_edges : int
        Moves before the first look at the clock, at most, and edges of the graph times moves.
    least_patience : int
        Moves that are made at least before a search gives up: with 800, six of a thousand graphs of
        the paper's ensemble ended one or two units below their optimum.
    patience, large_patience : float
        Or this part of the usual moves, and on large problems: with a tenth, and with a quarter,
        one or two of 90 runs on the 30 instances of the literature ended below the best known.
    credit : float
        Part of its weight that an element counts, in proportion, before its need is met.
    slice : int
        Edges and sets that a greedy run looks at between two looks at the clock.
    """

    first_moves: int = 2000
    first_edges: int = 2_000_000
    least_patience: int = 2000
    patience: float = 0.5
    large_patience: float = 0.15
    credit: float = 0.3
    slice: int = 60_000


_NUMBERS = ExchangeNumbers()


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

    `prices` are what each set takes of all limits, in units of value. Without them the shares that
    it takes of what can be full stand for them; of plain coverage the search finds the price of the
    budget itself.
    """

    def __init__(
        self, problem: CoverageProblem, *, seed: int = 0, prices: Floats | None = None
    ) -> None:
        self.problem, self.seed = problem, seed
        self.required = np.zeros(problem.n_sets, dtype=bool)
        self.required[problem.required] = True
        usable = problem.choosable | self.required
        # sums of the ticks of sets that cannot be chosen would overflow
        self.ticks = np.where(usable, problem.ticks.ticks, 0)
        self.forbidden = ~usable
        self.used = 0.0  # of the effort, by the last call
        self.value = 0.0  # that the last search counted, move by move
        self.rows = _other_rows(problem, usable) if len(problem.limits) else None
        self.floors = _floors_by_element(problem) if len(problem.floors) else None
        curved = problem.returns.of.size or len(problem.floors)
        self.curves = curves_of(problem) if curved else None
        self.is_priced = prices is not None and self.rows is not None
        if problem.is_plain:
            prices = problem.counted_costs
        elif prices is None:
            prices = tightness(problem)
        self.costs = np.where(usable, prices, 0.0)

    def opened(self, selected: Int64s, *, patience: int = 2**62) -> Search:
        """Return a search that stands on a selection, which has to keep every maximum."""
        problem = self.problem
        start = np.zeros(problem.n_sets, dtype=bool)
        start[selected] = True
        return Search(
            (problem.indptr, problem.indices, *problem.transpose),
            start,
            self.seed,
            costs=self.costs,
            # in whole units where prices do not have to be in units of value
            weights=problem.counted_weights if problem.is_plain else problem.weights,
            ticks=self.ticks,
            limit=problem.ticks.limit,
            required=self.required,
            forbidden=self.forbidden,
            patience=patience,
            rows=self.rows,
            curves=self.curves,
            floors=self.floors,
            priced=self.is_priced,
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
        """Return a selection at least as good; `effort` is in units of `usual_moves`.

        The search ends sooner when it has gone on for twice as long as it took to find its best,
        and for half of the usual moves, or 2,000, besides, and at a value of `enough`, in counted
        weights where the problem is plain. `credited` says whether a large search may save budget
        in one place to spend it in another. A selection that misses minima is returned as it was
        where the search finds none that misses none.
        """
        problem = self.problem
        usual = usual_moves(int(np.count_nonzero(problem.choosable)))
        patience = _NUMBERS.patience if problem.n_sets <= SMALL else _NUMBERS.large_patience
        patience = max(int(patience * usual), _NUMBERS.least_patience)
        search = self.opened(selected, patience=patience)
        if not credited:
            search.credited = 0.0
        search.ceiling = min(search.ceiling, enough + search.least_step)
        first = max(50, min(_NUMBERS.first_moves, _NUMBERS.first_edges // max(problem.n_edges, 1)))

        def is_over() -> bool:
            return search.best >= enough or search.is_over or control.expired()

        paced(partial(advance, search), int(effort * usual), pace=first, is_over=is_over)
        self.used, self.value = search.moves / usual, search.best
        found = np.flatnonzero(search.best_selection())
        # counted with rounding, step by step
        return selected if self.floors and problem.violation(found) else found

    def grown(
        self,
        start: Int64s,
        *,
        need: float = np.inf,
        expired: Callable[[], bool] | None = None,
    ) -> Int64s:
        """Return the sets of the most gain per price that fit beside `start`, in order.

        They end at a value of `need`; what a set gains beyond that counts for nothing.
        """
        able = self.problem.choosable.copy()
        able[start] = False
        run = Growth(self.opened(start), np.flatnonzero(able), need)
        while not run.advance(_NUMBERS.slice):
            if expired is not None and expired():
                break
        picks: Int64s = run.picked()
        return picks

    def pruned(self, selected: Int64s, least: float) -> Int64s:
        """Drop sets, dearest first, that are needed neither for a value nor for a minimum."""
        problem = self.problem
        movable = selected[problem.choosable[selected]]
        movable = movable[np.argsort(-problem.costs[movable], kind="stable")]
        kept = prune(self.opened(selected), movable, least)
        return np.sort(np.concatenate((problem.required, movable[kept])))


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


def _floors_by_element(problem: CoverageProblem) -> tuple[Any, ...]:
    """Return the minima of value of each element, and what they ask for, for `Search`."""
    floors = problem.floors
    order = np.argsort(floors.elements, kind="stable")
    owner = np.repeat(np.arange(len(floors)), np.diff(floors.indptr))
    counts = np.bincount(floors.elements, minlength=problem.n_elements)
    return (
        np.append(0, np.cumsum(counts)).astype(np.int64),
        owner[order].astype(np.int32),
        floors.low * (1 - 0.5 * FLOOR_ROUNDING),
    )


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
    part = (_NUMBERS.credit * weight / np.maximum(sizes, 1))[owner]
    whole = weight[owner] - part * (sizes[owner] - 1)
    return np.asarray(np.where(rises[owner], np.where(last, whole, part), step))
