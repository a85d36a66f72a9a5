"""Branch and bound by HiGHS: the integer program of the paper's first equation."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.bounds import Claim, reduced
from maxcover.relax import improve_dual
from maxcover.solvers.control import INTERRUPTED, Draft
from maxcover.solvers.exchange import Exchange
from maxcover.solvers.greedy import complete, guarded_greedy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.problem import CoverageProblem
    from maxcover.solvers.control import Control

    Floats = NDArray[np.float64]

# HiGHS decides with tolerances; its bound may be off by as much.
TOLERANCE = 5e-7
# Seconds between two looks at a running HiGHS, and what it is given to end after Ctrl-C.
PATIENCE = 0.5


class Model(NamedTuple):
    """The integer program: a binary column a set that matters, then a column a class of elements.

    Elements that lie in the same sets are one column; an element in a single set is folded into
    that set's gain.
    """

    sets: NDArray[np.int64]
    gains: Floats
    classes: list[NDArray[np.int64]]
    class_weights: Floats
    fixed_value: float


def exact(
    problem: CoverageProblem, control: Control, *, start: NDArray[np.int64] | None = None
) -> Draft:
    """Solve the integer program with HiGHS, warm-started from the best heuristic.

    Optimal when it runs to the end; with a time limit, or stopped by Ctrl-C or by the callback, the
    best found so far with HiGHS's own dual bound. Worst-case exponential: good up to some hundred
    sets, hopeless from some thousand.
    """
    warm = _good_start(problem, control) if start is None else start
    model = _model(problem)
    if not model.sets.size:
        return Draft(warm, "no set that is left can add anything")
    # before the clock runs out: where HiGHS proves nothing in time, this bound is far better
    dual = improve_dual(problem, reduced(problem), expired=lambda: control.expired)
    run = _Run(problem, model, control, warm)
    reason = run.until_done()
    return Draft(run.selection(), reason, dual=dual, claim=run.claim())


def _good_start(problem: CoverageProblem, control: Control) -> NDArray[np.int64]:
    """Return what greedy and a short exchange search find."""
    greedy = guarded_greedy(problem, control).selected
    return Exchange(problem, seed=control.seed).improve(greedy, effort=0.5, control=control)


def _model(problem: CoverageProblem) -> Model:
    """Leave out what cannot matter: sets not to be chosen, elements that are worth nothing."""
    have = problem.covered(problem.required)
    open_weights = np.where(have, 0.0, problem.weights)
    t_indptr, t_indices = problem.transpose
    members: dict[bytes, int] = {}
    classes: list[NDArray[np.int64]] = []
    weights: list[float] = []
    gains = np.zeros(problem.n_sets)
    for element in np.flatnonzero(open_weights):
        holders = t_indices[t_indptr[element] : t_indptr[element + 1]]
        sets = holders[problem.choosable[holders]].astype(np.int64)
        if sets.size == 1:
            gains[sets[0]] += open_weights[element]
        elif sets.size:
            position = members.setdefault(sets.tobytes(), len(classes))
            if position == len(classes):
                classes.append(sets)
                weights.append(0.0)
            weights[position] += open_weights[element]
    useful = gains > 0
    for sets in classes:
        useful[sets] = True
    return Model(
        sets=np.flatnonzero(useful),
        gains=gains[useful],
        classes=classes,
        class_weights=np.array(weights),
        fixed_value=float(problem.weights[have].sum()),
    )


class _Run:
    """One run of HiGHS, in a thread of its own so that Ctrl-C reaches Python."""

    def __init__(
        self, problem: CoverageProblem, model: Model, control: Control, warm: NDArray[np.int64]
    ) -> None:
        import highspy

        self.problem, self.model, self.control, self.warm = problem, model, control, warm
        unit = problem.weight_unit
        top = float(problem.weights.max())
        # whole weights stay whole, so that HiGHS can round its bound; others are brought to a sane
        # size
        self.scale = unit if unit is not None and top / unit < 1e6 else top / 1e3
        self.interrupted = threading.Event()
        self.done = threading.Event()
        self.found: Floats = np.empty(0)  # the columns of its best solution so far
        self.highs = highspy.Highs()
        self._options()
        self.highs.passModel(self._program())
        self._warm_start()
        self.highs.cbMipInterrupt.subscribe(self._on_check)
        self.highs.cbMipImprovingSolution.subscribe(self._on_improvement)
        self.highs.cbMipLogging.subscribe(self._on_log)

    def _options(self) -> None:
        control = self.control
        options: dict[str, Any] = {
            "output_flag": False,
            "parallel": "off",
            "random_seed": control.seed % 2**31,
            "mip_rel_gap": control.target_gap,
            "mip_abs_gap": 0.0,
            # after a restart of the root, HiGHS 1.15 cut off optima: docs/decisions/003-highspy.md
            "mip_allow_restart": False,
        }
        if control.time_limit is not None:
            options["time_limit"] = max(0.0, control.remaining)
        for name, value in options.items():
            self.highs.setOptionValue(name, value)

    def _program(self) -> Any:
        import highspy

        model, problem = self.model, self.problem
        n_sets, n_classes = model.sets.size, len(model.classes)
        column_of = np.full(problem.n_sets, -1, dtype=np.int64)
        column_of[model.sets] = np.arange(n_sets)
        rows = [
            (np.append(column_of[sets], n_sets + k), np.append(np.full(sets.size, -1.0), 1.0), 0.0)
            for k, sets in enumerate(model.classes)
        ]
        rows += [
            (column_of[sets], coefficients, limit)
            for sets, coefficients, limit in _limit_rows(problem, model.sets)
        ]
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = n_sets + n_classes, len(rows)
        program.sense_ = highspy.ObjSense.kMaximize
        program.offset_ = model.fixed_value / self.scale
        program.col_cost_ = np.concatenate((model.gains, model.class_weights)) / self.scale
        program.col_lower_ = np.zeros(program.num_col_)
        program.col_upper_ = np.ones(program.num_col_)
        program.integrality_ = [highspy.HighsVarType.kInteger] * n_sets + [
            highspy.HighsVarType.kContinuous
        ] * n_classes
        program.row_lower_ = np.full(len(rows), -highspy.kHighsInf)
        program.row_upper_ = np.array([limit for _, _, limit in rows])
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.cumsum([0, *(len(columns) for columns, _, _ in rows)])
        program.a_matrix_.index_ = np.concatenate([columns for columns, _, _ in rows])
        program.a_matrix_.value_ = np.concatenate([values for _, values, _ in rows])
        return program

    def _warm_start(self) -> None:
        import highspy

        chosen = np.zeros(self.problem.n_sets)
        chosen[self.warm] = 1.0
        covered = [float(chosen[sets].max()) for sets in self.model.classes]
        start = highspy.HighsSolution()
        start.col_value = [*chosen[self.model.sets], *covered]
        self.highs.setSolution(start)

    def _on_check(self, event: Any) -> None:
        if self.interrupted.is_set() or self.control.stop_requested:
            event.interrupt()

    def _on_improvement(self, event: Any) -> None:
        out = event.data_out
        self.found = np.array(out.mip_solution)
        self._report(out.objective_function_value, out.mip_dual_bound)

    def _on_log(self, event: Any) -> None:
        out = event.data_out
        if abs(out.mip_primal_bound) < 1e29:
            self._report(out.mip_primal_bound, out.mip_dual_bound)

    def _report(self, value: float, bound: float) -> None:
        self.control.report("exact", value * self.scale, bound * self.scale)

    def until_done(self) -> str:
        """Run; after Ctrl-C wait a moment more, but not for a long linear program to end."""
        # Not `join`: a Ctrl-C inside it makes Python 3.11 take a running thread for an ended one.
        # Not a daemon: one that calls back while Python shuts down would abort the process.
        threading.Thread(target=self._run).start()
        while not self.done.is_set():
            try:
                if self.done.wait(PATIENCE) or self.interrupted.is_set():
                    break
            except KeyboardInterrupt:
                self.interrupted.set()
        if self.interrupted.is_set():
            return INTERRUPTED
        status: str = self.highs.modelStatusToString(self.highs.getModelStatus())
        return {"Optimal": "HiGHS proved it", "Time limit reached": "time limit"}.get(
            status, status
        )

    def _run(self) -> None:
        try:
            self.highs.run()
        finally:
            self.done.set()

    def selection(self) -> NDArray[np.int64]:
        """Return HiGHS's sets, or the warm start if it has none that holds to the last tick."""
        ended = self.done.is_set()
        columns = np.asarray(self.highs.getSolution().col_value) if ended else self.found
        if not columns.size:
            return self.warm
        picked = self.model.sets[columns[: self.model.sets.size] > 0.5]
        selected = np.concatenate((self.problem.required, picked))
        if self.problem.violation(selected):
            return self.warm
        return np.concatenate((selected, complete(self.problem, selected)))

    def claim(self) -> Claim | None:
        """Return HiGHS's bound, if it has come as far as having one."""
        if not self.done.is_set():
            return None
        info = self.highs.getInfo()
        bound = info.mip_dual_bound
        least = info.objective_function_value - 1e-6 * abs(bound)
        if not info.valid or not np.isfinite(bound) or bound < least:
            return None
        return Claim(bound * self.scale * (1 + TOLERANCE), "HiGHS")


def _limit_rows(
    problem: CoverageProblem, sets: NDArray[np.int64]
) -> list[tuple[NDArray[np.int64], Floats, float]]:
    """Return budget and group limits as rows (sets, coefficients, limit), less what is required."""
    ticks = problem.ticks
    # small whole numbers stay whole; others are brought to a sane size
    size = 1.0 if ticks.limit < 2**20 else ticks.limit / 2**20
    required = problem.required

    def room(limit: int, taken: NDArray[np.int64]) -> float:
        return float(limit - int(ticks.ticks[taken].sum())) / size

    rows = [(sets, ticks.ticks[sets] / size, room(ticks.limit, required))]
    for group in range(problem.n_groups):
        inside = sets[problem.group_of[sets] == group]
        taken = required[problem.group_of[required] == group]
        count, cost = int(problem.group_counts[group]), int(problem.group_ticks[group])
        if inside.size > count - taken.size:
            rows.append((inside, np.ones(inside.size), float(count - taken.size)))
        if inside.size and cost < ticks.limit:
            rows.append((inside, ticks.ticks[inside] / size, room(cost, taken)))
    return rows
