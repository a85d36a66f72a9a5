"""Branch and bound by HiGHS: the integer program of the paper's first equation."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.core import bounds
from maxcover.core.bounds import Bound, Claim
from maxcover.core.relaxation import Relaxation
from maxcover.solvers.control import INTERRUPTED, Draft
from maxcover.solvers.exchange import Exchange
from maxcover.solvers.folding import fold
from maxcover.solvers.greedy import complete, guarded_greedy
from maxcover.solvers.starts import earlier_start

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maxcover.core.problem import CoverageProblem
    from maxcover.solvers.control import Control

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]

# HiGHS decides with tolerances; its bound on what is undecided may be off by as much.
TOLERANCE = 5e-10
# Seconds between two looks at a running HiGHS, and what it is given to end when it is told to.
LOOK = 0.02
PATIENCE = 0.04


class Model(NamedTuple):
    """The integer program: a binary column per set that matters, one per element that sets share.

    The problem is folded before: elements that lie in the same sets are one. An element in a single
    set is part of that set's gain. Elements that every selection of at least the warm start's value
    covers are no columns: they have to be covered, and their weight is part of `sure`, so that one
    huge weight does not drown the others in tolerances.
    """

    sets: Int64s
    gains: Floats
    weights: Floats
    rows: tuple[Int64s, Int64s]
    must_rows: tuple[Int64s, Int64s]
    sure: float


def exact(
    problem: CoverageProblem,
    control: Control,
    *,
    start: Int64s | None = None,
    earlier: Int64s | None = None,
    most_seconds: float = np.inf,
    root: bool = False,
) -> Draft:
    """Solve the integer program with HiGHS, warm-started from the best heuristic.

    Optimal when it runs to the end; with a time limit, or stopped by Ctrl-C or by the callback, the
    best found so far with HiGHS's own dual bound. Worst-case exponential: good up to some hundred
    sets, hopeless from some thousand. The bound rests on HiGHS's word. With `root` HiGHS presolves,
    cuts and searches at the root of its tree, and does not branch.

    References
    ----------
    Huangfu and Hall, "Parallelizing the dual revised simplex method", Mathematical Programming
    Computation 10, 2018.
    """
    warm = _good_start(problem, control, earlier) if start is None else start
    known = None
    if start is None and not control.expired():
        # before the clock runs out: where HiGHS proves nothing in time, this bound is far better
        left = bounds.reduced(problem)
        dual = Relaxation(problem, left).improve(expired=control.expired)
        value = bounds.round_down(problem, bounds.dual_bound(problem, left, dual))
        known = Bound(value, "dual point", dual)
    if control.expired():
        return Draft(warm, control.why_stopped, known=known)
    model = model_of(fold(problem).problem, problem.value(warm))
    if not model.sets.size:
        # then the residual gains, which `certify` looks at, prove it to the last digit
        return Draft(warm, "no set that is left can add anything")
    run = HighsRun(problem, model, control, warm)
    if root:
        run.highs.setOptionValue("mip_max_nodes", 1)
    reason = run.until_done(min(most_seconds, control.remaining))
    selected = run.selection()
    if run.is_too_coarse:
        reason = "what HiGHS found breaks a limit by less than HiGHS can see"
    return Draft(selected, reason, known=known, claim=run.claim())


def _good_start(problem: CoverageProblem, control: Control, earlier: Int64s | None) -> Int64s:
    """Return what a short exchange search makes of greedy or of an earlier selection."""
    begin = guarded_greedy(problem, control).selected
    if earlier is not None:
        kept = earlier_start(problem, earlier, control.expired)
        begin = max(begin, kept, key=problem.value)
    return Exchange(problem, seed=control.seed).improve(begin, effort=0.5, control=control)


def model_of(problem: CoverageProblem, value: float) -> Model:
    """Leave out what cannot matter: sets not to be chosen, elements that are worth nothing."""
    have = problem.covered(problem.required)
    weights = np.where(have | ~problem.coverable, 0.0, problem.weights)
    base = float(problem.weights[have].sum())
    must = weights > weights.sum() * (1 + 1e-9) - (value - base)
    t_indptr, t_indices = problem.transpose
    holders = t_indices.astype(np.int64)
    owners = np.repeat(np.arange(problem.n_elements), np.diff(t_indptr))
    kept = problem.choosable[holders] & (weights[owners] > 0)
    owners, holders = owners[kept], holders[kept]
    degrees = np.bincount(owners, minlength=problem.n_elements)
    counted = np.where(must, 0.0, weights)

    alone = degrees[owners] == 1
    gains = np.bincount(
        holders[alone], weights=counted[owners[alone]], minlength=problem.n_sets
    ).astype(np.float64)
    shared = (degrees > 1) & ~must
    number_of = np.cumsum(shared) - 1
    used = np.zeros(problem.n_sets, dtype=bool)
    used[holders] = True
    used &= (gains > 0) | (np.bincount(holders[~alone | must[owners]], minlength=used.size) > 0)
    rows = shared[owners]
    return Model(
        sets=np.flatnonzero(used),
        gains=gains[used],
        weights=counted[shared],
        rows=(number_of[owners[rows]], holders[rows]),
        must_rows=(owners[must[owners]], holders[must[owners]]),
        sure=base + float(weights[must].sum()),
    )


class HighsRun:
    """One run of HiGHS, in a thread of its own so that the clock, Ctrl-C and callbacks are heard.

    HiGHS's own callbacks only take notes; what they noted is reported from the caller's thread.
    """

    def __init__(
        self, problem: CoverageProblem, model: Model, control: Control, warm: Int64s
    ) -> None:
        import highspy

        self.problem, self.model, self.control, self.warm = problem, model, control, warm
        unit = problem.weight_unit
        top = float(max(model.gains.max(initial=0.0), model.weights.max(initial=0.0))) or 1.0
        # whole weights stay whole, so that HiGHS can round its bound; others are brought to a sane
        # size
        self.scale = unit if unit is not None and top / unit < 1e6 else top / 1e3
        self.interrupted = threading.Event()
        self.done = threading.Event()
        self.found: Floats = np.empty(0)  # the columns of its best solution so far
        self.noted: tuple[float, float] | None = None  # its value and bound so far
        self.bound = np.inf
        self.failure: BaseException | None = None
        self.is_too_coarse = False
        self.highs = highspy.Highs()
        self._options()
        self.highs.passModel(self._program())
        self._warm_start()
        self.highs.cbMipInterrupt.subscribe(self._on_check)
        self.highs.cbMipImprovingSolution.subscribe(self._on_improvement)
        self.highs.cbMipLogging.subscribe(self._on_log)

    def _options(self) -> None:
        options: dict[str, Any] = {
            "output_flag": False,
            "parallel": "off",
            "random_seed": self.control.seed % 2**31,
            "mip_rel_gap": self.control.target_gap,
            "mip_abs_gap": 0.0,
            # after a restart of the root, HiGHS 1.15 cut off optima: docs/decisions/003-highspy.md
            "mip_allow_restart": False,
        }
        for name, value in options.items():
            self.highs.setOptionValue(name, value)

    def _program(self) -> Any:
        import highspy

        model, problem = self.model, self.problem
        n_sets, n_elements = model.sets.size, model.weights.size
        column_of = np.full(problem.n_sets, -1, dtype=np.int64)
        column_of[model.sets] = np.arange(n_sets)
        shared, shared_sets = model.rows
        owners, must_sets = model.must_rows
        elements, must = np.unique(owners, return_inverse=True)
        limits = _limit_rows(problem, model.sets)
        # an element is covered only if one of its sets is chosen; what must be covered is; limits
        rows = [shared, np.arange(n_elements), n_elements + must]
        columns = [column_of[shared_sets], n_sets + np.arange(n_elements), column_of[must_sets]]
        values = [np.full(shared.size, -1.0), np.ones(n_elements), np.full(must.size, -1.0)]
        upper = [np.zeros(n_elements), np.full(elements.size, -1.0)]
        for k, (sets, coefficients, limit) in enumerate(limits):
            rows.append(np.full(sets.size, n_elements + elements.size + k))
            columns.append(column_of[sets])
            values.append(coefficients)
            upper.append(np.array([limit]))
        row = np.concatenate(rows)
        order = np.argsort(row, kind="stable")
        n_rows = n_elements + elements.size + len(limits)
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = n_sets + n_elements, n_rows
        program.sense_ = highspy.ObjSense.kMaximize
        program.col_cost_ = np.concatenate((model.gains, model.weights)) / self.scale
        program.col_lower_ = np.zeros(program.num_col_)
        program.col_upper_ = np.ones(program.num_col_)
        program.integrality_ = [highspy.HighsVarType.kInteger] * n_sets + [
            highspy.HighsVarType.kContinuous
        ] * n_elements
        program.row_lower_ = np.full(n_rows, -highspy.kHighsInf)
        program.row_upper_ = np.concatenate(upper)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.concatenate(
            ([0], np.cumsum(np.bincount(row, minlength=n_rows)))
        )
        program.a_matrix_.index_ = np.concatenate(columns)[order]
        program.a_matrix_.value_ = np.concatenate(values)[order]
        return program

    def _warm_start(self) -> None:
        import highspy

        chosen = np.zeros(self.problem.n_sets)
        chosen[self.warm] = 1.0
        shared, sets = self.model.rows
        covered = np.zeros(self.model.weights.size)
        np.maximum.at(covered, shared, chosen[sets])
        start = highspy.HighsSolution()
        start.col_value = [*chosen[self.model.sets], *covered]
        self.highs.setSolution(start)

    def _on_check(self, event: Any) -> None:
        if self.interrupted.is_set():
            event.interrupt()

    def _on_improvement(self, event: Any) -> None:
        self.found = np.array(event.data_out.mip_solution)
        self._note(event.data_out.objective_function_value, event.data_out.mip_dual_bound)

    def _on_log(self, event: Any) -> None:
        if abs(event.data_out.mip_primal_bound) < 1e29:
            self._note(event.data_out.mip_primal_bound, event.data_out.mip_dual_bound)

    def _note(self, value: float, bound: float) -> None:
        self.bound = min(self.bound, bound)
        self.noted = (value, self.bound)

    def until_done(self, seconds: float) -> str:
        """Run for at most so long; then, and after Ctrl-C, do not wait for what goes on alone."""
        # Not `join`: a Ctrl-C inside it makes Python 3.11 take a running thread for an ended one.
        # Not a daemon: one that calls back while Python shuts down would abort the process.
        if np.isfinite(seconds):
            self.highs.setOptionValue("time_limit", max(seconds, 0.0))
        until = time.perf_counter() + seconds
        self._begin()
        reason = ""
        threading.Thread(target=self._run).start()
        try:
            while not self.done.wait(LOOK):
                self._report()
                if self.control.expired() or time.perf_counter() > until:
                    reason = self.control.why_stopped
                    break
        except KeyboardInterrupt:
            reason = INTERRUPTED
        finally:
            self.interrupted.set()
        self.done.wait(PATIENCE)
        if self.failure is not None:
            raise self.failure
        self._report()
        if reason or not self.done.is_set():
            return reason
        status: str = self.highs.modelStatusToString(self.highs.getModelStatus())
        return {"Optimal": "HiGHS proved it", "Time limit reached": "time limit"}.get(
            status, status
        )

    def _begin(self) -> None:
        """Tell the caller what is there before HiGHS begins."""
        self.control.report("exact", self.problem.value(self.warm), np.inf)

    def _run(self) -> None:
        try:
            self.highs.run()
        except BaseException as error:  # raised again in the caller's thread
            self.failure = error
        finally:
            self.done.set()

    def _report(self) -> None:
        """Tell the caller what the callbacks noted."""
        if self.noted is not None:
            value, bound = self.noted
            self.noted = None
            sure = self.model.sure
            self.control.report("exact", sure + value * self.scale, sure + bound * self.scale)

    def selection(self) -> Int64s:
        """Return HiGHS's sets, or the warm start if it has none that holds to the last tick."""
        ended = self.done.is_set()
        columns = np.asarray(self.highs.getSolution().col_value) if ended else self.found
        if not columns.size:
            return self.warm
        picked = self.model.sets[columns[: self.model.sets.size] > 0.5]
        selected = np.concatenate((self.problem.required, picked))
        self.is_too_coarse = bool(self.problem.violation(selected))
        if self.is_too_coarse:
            return self.warm
        selected = np.concatenate((selected, complete(self.problem, selected)))
        return max(self.warm, selected, key=self.problem.value)

    def claim(self) -> Claim | None:
        """Return HiGHS's bound, if it has come as far as having one."""
        bound = self.bound
        if self.done.is_set():
            info = self.highs.getInfo()
            bound = info.mip_dual_bound
            least = info.objective_function_value - 1e-6 * abs(bound)
            if not info.valid or not np.isfinite(bound) or bound < least:
                return None
        if not np.isfinite(bound):
            return None
        highest = bound * self.scale * (1 + TOLERANCE) + self.model.sure
        return Claim(float(np.nextafter(highest, np.inf)) if highest > 0 else 0.0, "HiGHS")


def _limit_rows(problem: CoverageProblem, sets: Int64s) -> list[tuple[Int64s, Floats, float]]:
    """Return budget and group limits as rows (sets, coefficients, limit), less what is required."""
    ticks = problem.ticks
    # small whole numbers stay whole; others are brought to a sane size
    size = 1.0 if ticks.limit < 2**20 else ticks.limit / 2**20
    required = problem.required

    def room(limit: int, taken: Int64s) -> float:
        return float(limit - int(ticks.ticks[taken].sum())) / size

    rows = [(sets, ticks.ticks[sets] / size, room(ticks.limit, required))]
    for group in range(problem.n_groups):
        inside = sets[problem.group_of[sets] == group]
        taken = required[problem.group_of[required] == group]
        count, cost = int(problem.group_counts[group]), int(problem.loose_group_ticks[group])
        if inside.size > count - taken.size:
            rows.append((inside, np.ones(inside.size), float(count - taken.size)))
        if inside.size and cost < ticks.limit:
            # on its own scale, which may be far below the budget's
            own = 1.0 if cost < 2**20 else cost / 2**20
            left = float(cost - int(ticks.ticks[taken].sum())) / own
            rows.append((inside, ticks.ticks[inside] / own, left))
    return rows
