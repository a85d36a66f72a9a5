"""HiGHS for problems with minima and needs: the integer program, and its linear relaxation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.core import demands
from maxcover.core.bounds import Dual
from maxcover.core.demand_bounds import left_of
from maxcover.core.needs import COST, ITEMS, SHARE
from maxcover.solvers.exact import HighsRun, Model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]
    Row = tuple[Int64s, Floats, float, float]


class DemandModel:
    """Columns for sets that may be chosen and elements that are worth something; rows of limits."""

    def __init__(self, problem: CoverageProblem) -> None:
        self.problem, self.left = problem, left_of(problem)
        shared = demands.shared_weight(problem)
        self.sets = np.flatnonzero(problem.choosable)
        self.elements = np.flatnonzero(~self.left.have & (problem.weights > 0))
        self.column_of = np.full(problem.n_sets, -1, dtype=np.int64)
        self.column_of[self.sets] = np.arange(self.sets.size)
        self.number_of = np.full(problem.n_elements, -1, dtype=np.int64)
        self.number_of[self.elements] = np.arange(self.elements.size)
        rows = np.repeat(np.arange(problem.n_sets), np.diff(problem.indptr))
        kept = (self.column_of[rows] >= 0) & (self.number_of[problem.indices] >= 0)
        self.edges = self.number_of[problem.indices[kept]], rows[kept]
        self.needs = self.left.needs[self.elements]
        self.size = float(problem.costs[self.sets].max(initial=0.0)) or 1.0
        self.top = float(problem.weights.max(initial=0.0)) or 1.0
        # what each limit is about, for the rewards of a dual point
        self.about: list[tuple[int, int]] = []
        self.limits: list[Row] = []
        group = problem.group_of[self.sets]
        costs = problem.costs[self.sets] / self.size
        self._limit((-1, -1), np.arange(self.sets.size), costs, (0.0, self.left.room / self.size))
        inside = self.number_of[shared.elements]
        for g in range(problem.n_groups):
            own = np.flatnonzero(group == g)
            least, most = self.left.least[:, g], self.left.most[:, g]
            self._limit((ITEMS, g), own, np.ones(own.size), (least[ITEMS], most[ITEMS]))
            ends = least[COST] / self.size, most[COST] / self.size
            self._limit((COST, g), own, costs[own], ends)
            mine = inside[(shared.groups == g) & (inside >= 0)]
            worth = problem.weights[self.elements[mine]] / self.top
            ends = least[SHARE] / self.top, np.inf
            self._limit((SHARE, g), self.sets.size + mine, worth, ends)

    def _limit(
        self, about: tuple[int, int], columns: Int64s, values: Floats, ends: tuple[float, float]
    ) -> None:
        least, most = ends
        if least > 0 or most < float(values.sum()):
            self.about.append(about)
            self.limits.append((columns, values, least, most))

    def program(self, *, scale: float) -> Any:
        """Return the program that maximises the weight, divided by `scale`."""
        import highspy

        elements, owners = self.edges
        n_sets, n_elements = self.sets.size, self.elements.size
        numbers = np.arange(n_elements)
        rows = [elements, numbers]
        columns = [self.column_of[owners], n_sets + numbers]
        values = [np.full(elements.size, -1.0), self.needs]
        for k, (inside, factors, _, _) in enumerate(self.limits):
            rows.append(np.full(inside.size, n_elements + k))
            columns.append(inside)
            values.append(factors)
        row = np.concatenate(rows)
        order = np.argsort(row, kind="stable")
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = n_sets + n_elements, n_elements + len(self.limits)
        program.sense_ = highspy.ObjSense.kMaximize
        worth = self.problem.weights[self.elements] / scale
        program.col_cost_ = np.concatenate((np.zeros(n_sets), worth))
        program.col_lower_ = np.zeros(program.num_col_)
        program.col_upper_ = np.ones(program.num_col_)
        endless = highspy.kHighsInf
        ends = np.array([limit[2:] for limit in self.limits]).reshape(-1, 2)
        program.row_lower_ = np.concatenate((np.full(n_elements, -endless), ends[:, 0]))
        program.row_upper_ = np.concatenate((np.zeros(n_elements), np.minimum(ends[:, 1], endless)))
        matrix = program.a_matrix_
        matrix.format_ = highspy.MatrixFormat.kRowwise
        matrix.start_ = np.append(0, np.cumsum(np.bincount(row, minlength=program.num_row_)))
        matrix.index_ = np.concatenate(columns)[order]
        matrix.value_ = np.concatenate(values)[order]
        return program


def relaxed(problem: CoverageProblem, seconds: float) -> Dual | None:
    """Return the dual point of the linear relaxation, or None if HiGHS did not come to one."""
    import highspy

    model = DemandModel(problem)
    if not model.sets.size or not model.elements.size:
        return None
    program = model.program(scale=model.top)
    program.col_cost_ = -np.asarray(program.col_cost_)
    program.sense_ = highspy.ObjSense.kMinimize
    highs = highspy.Highs()
    for name, value in (
        ("output_flag", False),
        ("parallel", "off"),
        ("solver", "ipm"),
        ("run_crossover", "off"),
        ("time_limit", max(seconds, 0.01)),
    ):
        highs.setOptionValue(name, value)
    highs.passModel(program)
    highs.run()
    prices = np.asarray(highs.getSolution().row_dual)
    if prices.size != program.num_row_ or not np.isfinite(prices).all():
        return None
    n_elements = model.elements.size
    shares = problem.weights.copy()  # what no set can cover pays for nothing
    shares[model.elements] = -prices[:n_elements] * model.needs * model.top
    rewards, price = np.zeros((3, problem.n_groups)), 0.0
    for (kind, group), found in zip(model.about, prices[n_elements:].tolist(), strict=True):
        if kind < 0:
            price = max(-found, 0.0) * model.top / model.size
        elif kind == SHARE:
            rewards[SHARE, group] = max(found, 0.0)
        else:
            rewards[kind, group] = found * model.top / (1.0 if kind == ITEMS else model.size)
    return Dual(price, shares, 1.0, rewards)


class DemandRun(HighsRun):
    """A run of HiGHS on the integer program; `warm` is empty if nothing feasible is known."""

    def __init__(self, problem: CoverageProblem, control: Any, warm: Int64s | None) -> None:
        self.whole, self.is_warm = DemandModel(problem), warm is not None
        nobody = np.empty(0, dtype=np.int64)
        model = Model(
            sets=self.whole.sets,
            gains=np.zeros(self.whole.sets.size),
            weights=problem.weights[self.whole.elements],
            rows=(self.whole.edges[0], self.whole.edges[1]),
            must_rows=(nobody, nobody),
            sure=float(problem.weights[self.whole.left.have].sum()),
        )
        super().__init__(problem, model, control, problem.required if warm is None else warm)

    def _program(self) -> Any:
        import highspy

        program = self.whole.program(scale=self.scale)
        kinds = highspy.HighsVarType
        program.integrality_ = [kinds.kInteger] * self.whole.sets.size + [
            kinds.kInteger if need > 1 else kinds.kContinuous for need in self.whole.needs
        ]
        return program

    def _warm_start(self) -> None:
        import highspy

        if not self.is_warm:
            return
        chosen = np.zeros(self.problem.n_sets)
        chosen[self.warm] = 1.0
        covered = self.problem.covered(self.warm)[self.whole.elements].astype(np.float64)
        start = highspy.HighsSolution()
        start.col_value = [*chosen[self.whole.sets], *covered]
        self.highs.setSolution(start)

    def _begin(self) -> None:
        if self.is_warm:
            super()._begin()

    def selection(self) -> Int64s:
        """Return HiGHS's sets if they keep every limit and are worth more than the warm start."""
        ended = self.done.is_set()
        columns = np.asarray(self.highs.getSolution().col_value) if ended else self.found
        if not columns.size:
            return self.warm
        picked = self.whole.sets[columns[: self.whole.sets.size] > 0.5]
        selected = np.sort(np.concatenate((self.problem.required, picked)))
        if self.problem.violation(selected) or demands.shortfall(self.problem, selected):
            self.is_too_coarse = True
            return self.warm
        if not self.is_warm:
            return selected
        return max(self.warm, selected, key=self.problem.value)
