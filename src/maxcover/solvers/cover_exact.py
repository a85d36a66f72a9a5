"""The cheapest selection by HiGHS: the integer program of covering, with a row for the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core.bounds import Claim
from maxcover.solvers.exact import TOLERANCE, HighsRun, model_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.core.target import Target
    from maxcover.solvers.control import Control
    from maxcover.solvers.exact import Model

    Int64s = NDArray[np.int64]


def exact_cover(
    problem: CoverageProblem, target: Target, control: Control, start: Int64s, seconds: float
) -> tuple[Int64s, Claim | None, str]:
    """Return the cheapest selection that HiGHS finds, its lower bound, and why it stopped.

    `start` meets the target within the budget of the problem. Worst-case exponential.
    """
    model = model_of(problem, target.floor)
    if not model.sets.size:
        return start, None, "no set that is left can be left out"
    run = _CoverRun(problem, target, model=model, control=control, warm=start)
    reason = run.until_done(seconds)
    return run.selection(), run.claim(), reason


class _CoverRun(HighsRun):
    """A run of HiGHS that minimises the cost."""

    def __init__(
        self,
        problem: CoverageProblem,
        target: Target,
        *,
        model: Model,
        control: Control,
        warm: Int64s,
    ) -> None:
        self.target = target
        self.spent = float(problem.costs[problem.required].sum())
        top = float(problem.costs[model.sets].max(initial=0.0)) or 1.0
        unit = problem.ticks.unit if problem.ticks.exact else 0.0
        # whole costs stay whole, so that HiGHS can round its bound
        self.price = unit if unit and top / unit < 1e6 else top / 1e3
        super().__init__(problem, model, control, warm)
        self.bound = -np.inf

    def _program(self) -> Any:
        """Return the program of `solve` with costs to minimise, and one more row: the target."""
        import highspy

        program, model = super()._program(), self.model
        costs = np.zeros(program.num_col_)
        costs[: model.sets.size] = self.problem.costs[model.sets] / self.price
        program.col_cost_ = costs
        program.sense_ = highspy.ObjSense.kMinimize
        worth = np.concatenate((model.gains, model.weights)) / self.scale
        used = np.flatnonzero(worth)
        # a little less: HiGHS decides with tolerances, and what it finds is checked
        least = (self.target.floor - model.sure) / self.scale * (1 - 1e-9)
        matrix = program.a_matrix_
        program.num_row_ += 1
        program.row_lower_ = np.append(program.row_lower_, least)
        program.row_upper_ = np.append(program.row_upper_, highspy.kHighsInf)
        matrix.start_ = np.append(matrix.start_, len(matrix.index_) + used.size)
        matrix.index_ = np.append(matrix.index_, used)
        matrix.value_ = np.append(matrix.value_, worth[used])
        return program

    def _begin(self) -> None:
        cost = float(self.problem.costs[self.warm].sum())
        self.control.report("exact", cost, self.spent)

    def _note(self, value: float, bound: float) -> None:
        self.bound = max(self.bound, bound)
        self.noted = (value, self.bound)

    def _report(self) -> None:
        if self.noted is not None:
            cost, bound = self.noted
            self.noted = None
            self.control.report(
                "exact", self.spent + cost * self.price, self.spent + bound * self.price
            )

    def selection(self) -> Int64s:
        """Return HiGHS's sets, or the warm start if it has none that is cheaper and enough."""
        columns = np.asarray(self.highs.getSolution().col_value) if self.done.is_set() else None
        columns = self.found if columns is None else columns
        if not columns.size:
            return self.warm
        picked = self.model.sets[columns[: self.model.sets.size] > 0.5]
        selected = np.concatenate((self.problem.required, picked))
        costs = self.problem.costs
        if self.problem.violation(selected) or not self.target.is_met(selected):
            return self.warm
        return min(self.warm, selected, key=lambda chosen: float(costs[chosen].sum()))

    def claim(self) -> Claim | None:
        """Return HiGHS's lower bound, if it has come as far as having one."""
        bound = self.bound
        if self.done.is_set():
            info = self.highs.getInfo()
            bound = info.mip_dual_bound
            most = info.objective_function_value + 1e-6 * abs(bound)
            if not info.valid or bound > most:
                return None
        if not np.isfinite(bound) or bound < 0:
            return None
        return Claim(float(bound * self.price * (1 - TOLERANCE) + self.spent), "HiGHS")
