"""Descent: the relaxation of problems whose edges have strengths, by passes over the edges.

Each element has a *level*, the constant of its affine bound. For an element of kind BEST, a set
gets the part of its strength, in units of value, above the level. For kind CHANCE, the sets are
sorted by how much the mean selection takes of them, most first. What a prefix of these sets wins
together is the constant of an affine bound (`maxcover.engine.core.bounds`). For a level between two
such constants, a set of probability ``p`` gets ``min(p * (weight - level), won - level)``, and at
least 0, where ``won`` is what the sets up to it win.

Levels move by subgradient steps for the mean of the last selections. The length of a step follows
from the distance between the bound and the target value (Polyak). For given levels the best price
of one limit row, with all others kept, is a quantile of what sets earn per tick of it. The result
is a dual point like any other, which `maxcover.engine.core.bounds` evaluates.

References
----------
Barahona and Anbil, "The volume algorithm: producing primal solutions with a subgradient method",
Mathematical Programming 87, 2000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.bounds import AffinePieces, Dual, reduced
from maxcover.engine.core.limits import row_sums
from maxcover.engine.core.relaxation import DEFAULT_STEPS, Relaxation, steps_left
from maxcover.engine.core.returns import CHANCE, COUNT
from maxcover.engine.core.validation import positions_of
from maxcover.engine.kernels.levels import pay, prefixes, steps_of
from maxcover.engine.kernels.price import best_price
from maxcover.engine.kernels.rows import group_columns
from maxcover.engine.solvers.highs import relaxed
from maxcover.engine.solvers.program import Program
from maxcover.engine.solvers.seconds import HIGHS_PATIENCE, PER_EDGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maxcover.engine.core.bounds import Reduced
    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.control import Control
    from maxcover.engine.solvers.numbers import DescentNumbers
    from maxcover.ground.array_types import Floats, Int64s


# A step that lowers the bound by less than this fraction hardly lowers it.
LEAST_GAIN = 1e-4


def by_program(
    problem: CoverageProblem, control: Control, *, patient: bool = False
) -> tuple[Dual, Floats, Program] | None:
    """Solve HiGHS's linear program if the problem is small; return dual point, LP values, program.

    Returns None if the problem is too large or HiGHS found nothing in time. `patient` allows larger
    problems.
    """
    numbers = control.numbers.descent
    most, seconds = numbers.floor_edges, PER_EDGE.program
    if problem.strength.size:
        most, seconds = most if patient else numbers.program_edges, PER_EDGE.strong_program
    elif not len(problem.floors):
        return None
    if problem.n_edges > most or not control.affords(problem.n_edges * seconds):
        return None
    program = Program(problem)
    found = relaxed(program, control.expired, min(control.remaining, HIGHS_PATIENCE))
    return found and (*found, program)


def relaxation_of(
    problem: CoverageProblem, left: Reduced, selected: Int64s, numbers: DescentNumbers
) -> Relaxation | Descent:
    """Return the relaxation of a problem, to be improved by steps; minima of value are ignored."""
    if problem.strength.size:
        return Descent(problem, selected, numbers)
    return Relaxation(problem, left)


def relaxed_dual(
    problem: CoverageProblem, selected: Int64s, control: Control, *, value: float | None = None
) -> Dual | None:
    """Return a dual point for `selected`, improved until its bound reaches `value`.

    `value` is by default the value of `selected`. None if there is no time.
    """
    found = by_program(problem, control)
    if found is not None:
        return found[0]
    if not control.affords(problem.n_edges * (PER_EDGE.search + PER_EDGE.descent)):
        return None
    return relaxation_of(problem, reduced(problem), selected, control.numbers.descent).improve(
        target=problem.value(selected) if value is None else value,
        steps=DEFAULT_STEPS,
        expired=control.leaving(problem.n_edges * PER_EDGE.descent),
    )


class Descent:
    """A dual point that is improved step by step, and the running mean of its selections."""

    room = np.inf  # it is unknown how far further steps can lower the bound

    def __init__(self, problem: CoverageProblem, selected: Int64s, numbers: DescentNumbers) -> None:
        self.problem, self.numbers = problem, numbers
        self.usable = problem.choosable | problem.is_required
        # Edges sorted by element: their positions in the graph, elements, sets and strengths.
        self.edges = np.argsort(problem.indices, kind="stable")
        self.places = np.empty(self.edges.size, dtype=np.int32)  # their positions in this order
        self.places[self.edges] = np.arange(self.edges.size)
        self.elements = problem.indices[self.edges]
        sets = np.arange(problem.n_sets, dtype=np.int32)
        self.sets = np.repeat(sets, np.diff(problem.indptr))[self.edges]
        self.strength = problem.strength[self.edges]
        self.filled = np.flatnonzero(problem.degrees)
        self.starts = np.append(0, np.cumsum(problem.degrees))
        self.first = self.starts[self.filled]
        self.chance = problem.kind[self.elements] == CHANCE
        counts = problem.kind == COUNT
        # An element of kind COUNT is treated as BEST, with its largest step as the strength of each
        # set. Its other steps are added to the bound in full, because their use is not tracked
        # here.
        indptr, steps = steps_left(problem) or problem.steps
        first = np.zeros(problem.n_elements)
        np.maximum.at(first, np.repeat(np.arange(first.size), np.diff(indptr)), steps)
        self.counted = np.where(counts, first, 0.0)
        self.other_steps = float((row_sums(indptr, steps) - first)[counts].sum())
        weight = problem.weights[self.elements]
        best = np.where(counts[self.elements], first[self.elements], weight * self.strength)
        self.selection = np.zeros(problem.n_sets)
        self.selection[selected] = 1.0
        self.won = best
        self._sort()
        taken = np.where(self.selection[self.sets] > 0, self.won, 0.0)
        self.top, self.level = np.zeros((2, problem.n_elements))
        self.top[self.filled] = self._of_elements(np.maximum, self.won)
        self.level[self.filled] = 0.5 * self._of_elements(np.maximum, taken)
        self.prices = np.zeros(len(problem.rows.low))
        self.bound, self.length, self.made, self.stale = np.inf, 1.0, 0, 0
        self.best = self.level, self.won, self.prices
        # Step length of each level, and the slopes of the step before.
        self.own, self.last = np.ones(problem.n_elements), np.zeros(problem.n_elements)

    def _of_elements(self, how: Any, values: NDArray[Any]) -> NDArray[Any]:
        """Reduce values of edges by the ufunc `how`, for each element that has edges."""
        return np.asarray(how.reduceat(values, self.first)) if self.first.size else values[:0]

    def _sort(self) -> None:
        """Sort the sets of each CHANCE element by `selection`; store the value of each prefix."""
        problem = self.problem
        by_taken = positions_of(problem.indptr, np.argsort(-self.selection, kind="stable"))
        starts = np.zeros(problem.n_elements + 1, dtype=np.int64)
        order = np.empty(self.edges.size, dtype=np.int32)
        group_columns(problem.indices[by_taken], self.places[by_taken], starts, order)
        self.won = self.won.copy()  # `best` may hold the array
        prefixes(
            self.starts, order, self.strength, problem.kind == CHANCE, problem.weights, self.won
        )

    def improve(
        self,
        *,
        target: float = 0.0,
        steps: int = DEFAULT_STEPS,
        expired: Callable[[], bool] = lambda: False,
        threads: int = 1,
    ) -> Dual:
        """Make up to `steps` steps while there is time; return the best dual point."""
        del threads
        problem, rows, target = self.problem, self.problem.rows, max(target, 0.0)
        for _ in range(steps):
            if expired() or self.bound <= target:
                break
            income, slope = self._income()
            if self.made % (1 + len(self.prices) // self.numbers.rows_at_once) == 0:
                self._price(income)
            profit = income - self._charges()
            inside = self.usable & (profit > 0)
            inside[problem.required] = True
            ends = np.where(self.prices > 0, rows.high, rows.low).astype(np.float64)
            sure = self.other_steps + float(self.level.sum()) + float((self.prices * ends).sum())
            bound = sure + float(profit[inside].sum())
            self._note(bound, inside)
            if not self._move(slope, target):
                break
        return self.dual

    def _income(self) -> tuple[Floats, Floats]:
        """Return what each set is paid, and what its edges pay by the element's level."""
        problem, slope, income = self.problem, np.empty(self.edges.size), np.zeros(self.usable.size)
        pay(
            self.starts, self.sets, self.strength, self.won, problem.kind == CHANCE,
            problem.weights, self.level, income, slope,
        )  # fmt: skip
        return income, slope

    def _note(self, bound: float, inside: NDArray[np.bool_]) -> None:
        """Keep the point if its bound is the lowest so far; update the mean of selections."""
        self.made += 1
        self.stale += 1
        if bound < self.bound:
            if bound < self.bound * (1 - LEAST_GAIN):
                self.stale = 0
            self.bound, self.best = bound, (self.level, self.won, self.prices.copy())
        if self.stale > self.numbers.patience:
            self.length, self.stale = self.length * self.numbers.shorter, 0
        part = max(self.numbers.memory, 1.0 / (self.made + 1))
        self.selection = self.selection + part * (inside - self.selection)
        if self.made % self.numbers.sort_every == 0:
            self._sort()

    def _move(self, slope: Floats, target: float) -> bool:
        """Move the levels by a subgradient step; return False if the subgradient is zero."""
        steps, numbers = np.empty(self.level.size), self.numbers
        size = steps_of(
            self.starts, self.sets, slope, self.selection, self.level, self.top, self.own,
            self.last, steps, numbers.longer_own, numbers.shorter_own, numbers.least_own,
        )  # fmt: skip
        if size <= 0:
            return False
        steps *= self.length * (self.bound - target) / size
        self.level = np.clip(self.level - steps, 0.0, self.top)
        return True

    def _charges(self) -> Floats:
        rows = self.problem.rows
        paid = rows.ticks * self.prices[rows.owners]
        return np.bincount(rows.sets, paid, self.problem.n_sets).astype(np.float64)

    def _price(self, income: Floats) -> None:
        """Set the price of each limit row in turn to the one that minimises the bound."""
        rows = self.problem.rows
        left = income - self._charges()
        self._price_row(0, left)
        wanted = np.where(self.usable & (left > 0), 1, 0)[rows.sets] * rows.ticks
        used = row_sums(rows.indptr, wanted)
        matters = (used > rows.high) | (self.prices != 0) | (rows.low > 0)
        for r in np.flatnonzero(matters[1:]).tolist():
            self._price_row(r + 1, left)

    def _price_row(self, r: int, left: Floats) -> None:
        rows = self.problem.rows
        own = slice(rows.indptr[r], rows.indptr[r + 1])
        sets, ticks = rows.sets[own], rows.ticks[own].astype(np.float64)
        kept = self.usable[sets] & (ticks > 0)
        sets, ticks = sets[kept], ticks[kept]
        worth = left[sets] + self.prices[r] * ticks
        low, high, old = float(rows.low[r]), float(rows.high[r]), float(self.prices[r])
        every = np.ones(sets.size, dtype=bool)
        price = best_price(worth, ticks, every, high, max(old, 0.0))[1]
        if price == 0.0 and low > 0:  # the sets that stay out pay for what the minimum leaves
            rest = max(float(ticks.sum()) - low, 0.0)
            price = -best_price(-worth, ticks, every, rest, max(-old, 0.0))[1]
        left[sets] = worth - price * ticks
        self.prices[r] = price

    @property
    def dual(self) -> Dual:
        """The dual point of the lowest bound so far."""
        level, won, prices = self.best
        rows, unit = self.problem.rows, self.problem.ticks.unit
        price, pieces = max(float(prices[0]), 0.0), self._pieces(level, won)
        shares = np.where(self.problem.kind == COUNT, self.counted - level, level)
        return Dual(price, shares, unit, rows=prices[1:] / rows.unit[1:], pieces=pieces)

    def _pieces(self, level: Floats, won: Floats) -> AffinePieces:
        """Return the affine bounds just below and just above the level of each CHANCE element."""
        kind, at = self.problem.kind, level[self.elements]
        low, high = np.zeros(kind.size), np.full(kind.size, np.inf)
        inside = self.chance & (won <= at)
        low[self.filled] = self._of_elements(np.maximum, np.where(inside, won, 0.0))
        beyond = np.where(self.chance & ~inside, won, np.inf)
        high[self.filled] = self._of_elements(np.minimum, beyond)
        part = np.where(np.isfinite(high), (level - low) / np.maximum(high - low, 1e-300), 0.0)
        both = (inside | (beyond == high[self.elements])) & self.chance & (part[self.elements] > 0)
        first = np.flatnonzero(kind == CHANCE)
        second = first[part[first] > 0]
        sizes = [
            np.bincount(self.elements[edges], minlength=kind.size)[owners]
            for edges, owners in ((inside, first), (both, second))
        ]
        return AffinePieces(
            np.concatenate((first, second)).astype(np.int32),
            np.concatenate((1.0 - part[first], part[second])),
            np.append(0, np.cumsum(np.concatenate(sizes))).astype(np.int64),
            np.concatenate((self.edges[inside], self.edges[both])),
        )
