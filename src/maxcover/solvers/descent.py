"""Descent: the relaxation of large problems by subgradient steps, with exact prices of rows.

For given numbers of the elements the best price of one row, all others kept, is a quantile of what
sets earn for a tick of it. The numbers of the elements move against the subgradient, by steps as
long as the distance to the value at hand suggests (Polyak). What comes out is a dual point like any
other: `maxcover.core.bounds` says what it proves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.core import bounds
from maxcover.core.bounds import Dual
from maxcover.core.limits import row_sums
from maxcover.core.relaxation import improve_dual
from maxcover.core.returns import CHANCE
from maxcover.core.validation import positions_of
from maxcover.solvers.highs import relaxed
from maxcover.solvers.program import Program
from maxcover.solvers.seconds import HIGHS_PATIENCE, PER_EDGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control
    from maxcover.solvers.program import Piece

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]

# Steps without a better bound after which steps become half as long.
_PATIENCE = 8
# Prices of more rows than these are found in every tenth step only.
_FEW_ROWS = 64
# A problem with more edges gets first-order steps instead of the linear program.
_LP_EDGES = 100_000
# Steps for a selection that came without a dual point.
_STEPS = 300


def relax_any(
    problem: CoverageProblem, selected: Int64s, value: float, control: Control, steps: int
) -> tuple[Dual, Floats, list[Piece]] | None:
    """Return a dual point, its selection and its pieces, for any returns; None without time."""
    found = None
    if problem.n_edges <= _LP_EDGES and control.affords(problem.n_edges * PER_EDGE.program):
        program = Program(problem)
        found = relaxed(program, control.expired, min(control.remaining, HIGHS_PATIENCE))
    if found is None:
        if not control.affords(problem.n_edges * (PER_EDGE.search + PER_EDGE.descent)):
            return None
        descent = Descent(problem, selected, value)
        if bool((problem.kind == CHANCE).all()):
            steps = 1  # one step is enough: pieces stay as they are, only rows get prices
        dual = descent.improve(steps, control.leaving(problem.n_edges * PER_EDGE.descent))
        return dual, descent.x, []
    return *found, program.pieces


def needs_program(problem: CoverageProblem) -> bool:
    """Whether `Relaxation` does not see all: strengths of edges, or minima of value."""
    return bool(problem.strength.size or len(problem.floors))


def relaxed_dual(
    problem: CoverageProblem, selected: Int64s, control: Control, *, value: float | None = None
) -> Dual | None:
    """Return a dual point for a selection that came without one, or that is to be worth `value`."""
    value = problem.value(selected) if value is None else value
    if needs_program(problem):
        found = relax_any(problem, selected, value, control, _STEPS)
        return found and found[0]
    if not control.affords(problem.n_edges * PER_EDGE.search):
        return None
    return improve_dual(
        problem, bounds.reduced(problem), target=value, steps=_STEPS, expired=control.expired
    )


class Descent:
    """A dual point of a problem that is improved step by step, and the selection it pays for."""

    def __init__(self, problem: CoverageProblem, selected: Int64s, value: float) -> None:
        self.problem, self.value = problem, value
        self.usable = problem.choosable.copy()
        self.usable[problem.required] = True
        start = bounds.residual_dual(problem, bounds.reduced(problem), selected)
        self.pieces = start.pieces
        indptr, steps = problem.steps
        self.owner = np.repeat(np.arange(problem.n_elements), np.diff(indptr))
        self.steps = steps
        counting = problem.kind == 0 if problem.kind.size else np.ones(problem.n_elements, bool)
        self.best = problem.kind == 1 if problem.kind.size else ~counting
        total = row_sums(indptr, steps)
        self.scale = np.where(counting, total, problem.weights)
        self.shares = np.where(counting, total / np.maximum(problem.degrees, 1), start.shares)
        self.prices = np.zeros(len(problem.rows.low))
        self.x = np.zeros(problem.n_sets)
        self.found = Dual(0.0, self.shares, problem.ticks.unit)
        self.bound = np.inf

    def improve(self, steps: int, expired: Callable[[], bool]) -> Dual:
        """Make steps until there is no time for another; return the best dual point."""
        length, stale = 1.0, 0
        for step in range(steps):
            if expired():
                break
            income, constants = self._income()
            if len(self.prices) <= _FEW_ROWS or step % 10 == 0:
                self._price(income)
            profit = income - self._charges()
            inside = self.usable & (profit > 0)
            inside[self.problem.required] = True
            rows = self.problem.rows
            ends = np.where(self.prices > 0, rows.high, rows.low).astype(np.float64)
            bound = constants + float(profit[inside].sum()) + float((self.prices * ends).sum())
            stale += 1
            if bound < self.bound:
                stale = 0 if bound < self.bound * (1 - 1e-4) else stale
                self.bound, self.found = bound, self._dual()
                self.x = np.where(inside, 1.0, 0.0)
            if bound <= self.value:
                break
            if stale > _PATIENCE:
                length, stale = length / 2, 0
            slope = self._slope(inside) * self.scale
            size = float((slope * slope).sum())
            if size <= 0:
                break
            moved = self.shares - length * (bound - self.value) / size * slope * self.scale
            self.shares = np.clip(moved, 0.0, None)
        return self.found

    def _income(self) -> tuple[Floats, float]:
        dual = Dual(0.0, self.shares, pieces=self.pieces)
        found = bounds.affine(self.problem, dual, self.problem.weights)
        return found.income, float(found.constants.sum())

    def _charges(self) -> Floats:
        rows = self.problem.rows
        paid = rows.ticks * self.prices[rows.owners]
        return np.bincount(rows.sets, paid, self.problem.n_sets).astype(np.float64)

    def _price(self, income: Floats) -> None:
        """Set the price of each row, one after the other, where it lowers the bound most."""
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
        rate = worth / ticks
        order = np.argsort(-rate, kind="stable")
        taken = np.cumsum(ticks[order])
        price = 0.0
        over = int(np.searchsorted(taken, float(rows.high[r]), side="right"))
        if over < taken.size:
            price = max(float(rate[order[over]]), 0.0)
        if price == 0.0 and rows.low[r] > 0:
            last = min(int(np.searchsorted(taken, float(rows.low[r]))), taken.size - 1)
            price = min(float(rate[order[last]]), 0.0) if last >= 0 else 0.0
        left[sets] = worth - price * ticks
        self.prices[r] = price

    def _slope(self, inside: NDArray[np.bool_]) -> Floats:
        """Return a subgradient of the bound by the numbers of the elements."""
        problem = self.problem
        edges = positions_of(problem.indptr, np.flatnonzero(inside))
        held = problem.indices[edges]
        above = self.steps > self.shares[self.owner]
        slope = np.bincount(held, minlength=problem.n_elements) - np.bincount(
            self.owner[above], minlength=problem.n_elements
        )
        if self.best.any():
            worth = problem.strength[edges] * problem.weights[held] > self.shares[held]
            beaten = np.bincount(held[worth], minlength=problem.n_elements)
            slope = np.where(self.best, 1 - beaten, slope)
        return slope.astype(np.float64)

    def _dual(self) -> Dual:
        rows = self.problem.rows
        return Dual(
            max(float(self.prices[0]), 0.0),
            self.shares.copy(),
            self.problem.ticks.unit,
            rows=self.prices[1:] / rows.unit[1:],
            pieces=self.pieces,
        )
