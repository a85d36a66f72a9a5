"""HiGHS on the program of a problem: its integer solution, and the prices of its relaxation."""

from __future__ import annotations

import threading
import time
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcover.engine.core.bounds import Claim, undecided
from maxcover.engine.solvers.control import INTERRUPTED
from maxcover.engine.solvers.seconds import HIGHS_END, HIGHS_LOOK

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxcover.engine.core.bounds import Dual
    from maxcover.engine.solvers.control import Control
    from maxcover.engine.solvers.program import Piece, Program
    from maxcover.ground.array_types import Floats, Int64s


# Relative error that HiGHS's bound may have, because HiGHS computes with tolerances.
TOLERANCE = 5e-10
# `relaxed` adds violated pieces in at most `_ROUNDS` rounds, and stops when a round lowers the
# optimum by less than the fraction `_LEAST_GAIN`.
_ROUNDS, _LEAST_GAIN = 12, 1e-4


@cache
def why_missing() -> str:
    """Say why HiGHS cannot be used; "" if it can.

    It is imported in a thread, so that Ctrl-C cannot interrupt the import: after that, every later
    import of highspy would fail.
    """
    found, is_there = [""], threading.Event()

    def load() -> None:
        try:
            import_module("highspy")
        except ImportError as error:
            found[0] = f"HiGHS cannot be imported ({error}); pip install 'highspy<1.14'"
        is_there.set()

    threading.Thread(target=load).start()
    is_there.wait()
    return found[0]


class HighsRun:
    """One run of HiGHS in a thread of its own, so that deadline, Ctrl-C and callback can end it.

    HiGHS's own callbacks only store numbers; the caller's thread reports them. Where elements have
    pieces (affine bounds), HiGHS runs again with the pieces that its solution violates, until it
    violates none. `warm` is a selection that keeps every limit, or None.
    """

    def __init__(self, program: Program, control: Control, warm: Int64s | None) -> None:
        import highspy

        self.program, self.problem, self.control = program, program.problem, control
        self.warm = warm
        self.is_cost = program.target is not None
        self.scale = program.scale()
        # Cost or value = `sure` + `unit` * HiGHS's objective, which is minimised.
        self.unit = program.cost_scale() if self.is_cost else -self.scale
        self.sure = 0.0 if self.is_cost else program.sure
        self.interrupted = threading.Event()
        self.done = threading.Event()
        self.found: Floats = np.empty(0)  # Column values of the best solution.
        self.noted: tuple[float, float] | None = None  # Objective and bound to report.
        self.bound = -np.inf  # Lower bound on HiGHS's objective.
        self.failure: BaseException | None = None
        self.is_too_coarse = False
        self.highspy, self.highs = highspy, highspy.Highs()
        _set(
            self.highs,
            random_seed=control.seed % 2**31,
            mip_rel_gap=control.target_gap,
            mip_abs_gap=0.0,
            # HiGHS 1.15 cut off optima after a restart of the root: docs/decisions/003-highspy.md
            mip_allow_restart=False,
        )
        program.pass_to(self.highs, self.scale, whole=True)
        if not program.pieces:
            program.pieces = program.first_pieces()
        _add(self.highs, program, program.pieces, self.scale)
        if warm is not None:
            self._warm_start(warm)
        self.highs.cbMipInterrupt.subscribe(self._on_check)
        self.highs.cbMipImprovingSolution.subscribe(self._on_improvement)
        self.highs.cbMipLogging.subscribe(self._on_log)

    def _warm_start(self, warm: Int64s) -> None:
        program = self.program
        chosen = np.zeros(self.problem.n_sets)
        chosen[warm] = 1.0
        held = np.bincount(
            program.elements, weights=chosen[program.holders], minlength=self.problem.n_elements
        ).astype(np.float64)
        columns = program.columns
        given = np.zeros(columns.gain.size)
        # The columns of an element are neighbours, largest gain first, and `place` numbers them
        # from 0. Step k fills the columns of all elements with place k.
        begins = np.flatnonzero(np.diff(columns.element, prepend=-1))
        place = np.arange(given.size) - np.repeat(begins, np.diff(begins, append=given.size))
        for k in range(int(place.max(initial=-1)) + 1):
            turn = np.flatnonzero(place == k)
            owner, need = columns.element[turn], columns.need[turn]
            given[turn] = np.minimum(columns.most[turn], held[owner] // need)
            held[owner] -= given[turn] * need
        other = self.problem.given(warm)[program.others] / self.scale
        start = self.highspy.HighsSolution()
        start.col_value = [*chosen[program.sets], *given, *other]
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
        self.bound = max(self.bound, bound)
        self.noted = (value, self.bound)

    def until_done(self, seconds: float) -> str:
        """Run HiGHS for at most `seconds`, and return why it stopped.

        After the time limit or Ctrl-C the call returns even if HiGHS's thread is still running.
        """
        # The thread is not joined: after Ctrl-C inside `join`, Python 3.11 takes a running thread
        # for an ended one. The thread is no daemon: a daemon that calls back while Python shuts
        # down would abort the process.
        until = time.perf_counter() + seconds
        while True:
            self.done.clear()
            reason = self._once(until)
            if reason != "HiGHS proved it" or not self._refined():
                return reason

    def _once(self, until: float) -> str:
        left = until - time.perf_counter()
        if np.isfinite(left):
            self.highs.setOptionValue("time_limit", self.highs.getRunTime() + max(left, 0.0))
        reason = ""
        threading.Thread(target=self._run).start()
        try:
            while not self.done.wait(HIGHS_LOOK):
                self._report()
                if self.control.expired() or time.perf_counter() > until:
                    reason = self.control.why_stopped
                    break
        except KeyboardInterrupt:
            reason = INTERRUPTED
        if reason:
            self.interrupted.set()
        self.done.wait(HIGHS_END)
        if self.failure is not None:
            raise self.failure
        self._report()
        if reason or not self.done.is_set():
            return reason
        status: str = self.highs.modelStatusToString(self.highs.getModelStatus())
        return {"Optimal": "HiGHS proved it", "Time limit reached": "time limit"}.get(
            status, status
        )

    def _refined(self) -> bool:
        """Add the pieces that HiGHS's solution violates; return whether there are any."""
        program, columns = self.program, self._columns()
        if not program.others.size or not columns.size:
            return False
        x = np.zeros(self.problem.n_sets)
        x[program.sets] = np.rint(columns[: program.sets.size])
        given = columns[program.sets.size + program.columns.gain.size :] * self.scale
        pieces = program.violated(x, given, 1e-9 * float(program.most.sum()))
        program.pieces += pieces
        _add(self.highs, program, pieces, self.scale)
        return bool(pieces)

    def _run(self) -> None:
        try:
            self.highs.run()
        except BaseException as error:  # the caller's thread raises it again
            self.failure = error
        finally:
            self.done.set()

    def _report(self) -> None:
        """Report the numbers that the callbacks stored to the control."""
        if self.noted is not None and not self.program.others.size:
            value, bound = self.noted
            self.noted = None
            self.control.report(
                "exact", self.sure + value * self.unit, self.sure + bound * self.unit
            )

    def _columns(self) -> Floats:
        if self.done.is_set():
            return np.asarray(self.highs.getSolution().col_value)
        return self.found

    def selection(self) -> Int64s | None:
        """Return the sets that HiGHS chose; None if there are none or they break a limit."""
        columns = self._columns()
        if not columns.size:
            return None
        selected = self.program.sets[columns[: self.program.sets.size] > 0.5]
        self.is_too_coarse = bool(self.problem.violation(selected))
        return None if self.is_too_coarse else selected

    def claim(self) -> Claim | None:
        """Return HiGHS's bound, widened by `TOLERANCE`; None if it has no trustworthy bound."""
        bound = self.bound
        if self.done.is_set():
            info = self.highs.getInfo()
            bound = info.mip_dual_bound
            most = info.objective_function_value + 1e-6 * abs(bound)
            if not info.valid or not np.isfinite(bound) or bound > most:
                return None
        if not np.isfinite(bound) or self.program.is_wide:
            return None
        if self.is_cost:
            return Claim(float(max(bound * (1 - TOLERANCE), 0.0) * self.unit), "HiGHS")
        value = 0.0 if self.warm is None else self.problem.value(self.warm)
        open_part = min(undecided(self.problem, value), abs(bound * self.unit))
        highest = bound * self.unit + self.sure + TOLERANCE * open_part
        return Claim(float(np.nextafter(highest, np.inf)) if highest > 0 else 0.0, "HiGHS")


def _set(highs: Any, **options: Any) -> None:
    """Set options of HiGHS; its output is off, and it runs in one thread."""
    for name, value in {"output_flag": False, "parallel": "off", **options}.items():
        highs.setOptionValue(name, value)


def _add(highs: Any, program: Program, pieces: list[Piece], scale: float) -> None:
    """Add pieces (affine bounds of elements) as rows of the model."""
    if pieces:
        upper, starts, places, values = program.rows_of(pieces, scale)
        lower = np.full(upper.size, -np.inf)
        highs.addRows(upper.size, lower, upper, places.size, starts, places, values)


def relaxed(
    program: Program, expired: Callable[[], bool], seconds: float
) -> tuple[Dual, Floats] | None:
    """Return the dual point of the linear relaxation and its fractional selection.

    None if HiGHS found none in time, or cannot be imported.
    """
    problem = program.problem
    if not program.sets.size or why_missing():
        return None
    import highspy

    until = time.perf_counter() + seconds
    scale = program.top()
    highs = highspy.Highs()
    simple = not program.others.size
    solver, crossover = ("ipm", "off") if simple else ("simplex", "on")
    _set(highs, solver=solver, run_crossover=crossover)
    program.pass_to(highs, scale, whole=False)
    pieces = program.first_pieces()
    best: tuple[Dual, Floats] | None = None
    last = np.inf
    for _ in range(_ROUNDS):
        _add(highs, program, pieces, scale)
        program.pieces += pieces
        left = until - time.perf_counter()
        if np.isfinite(left):
            highs.setOptionValue("time_limit", highs.getRunTime() + max(left, 0.01))
        highs.run()
        found = highs.getSolution()
        prices, columns = np.asarray(found.row_dual), np.asarray(found.col_value)
        if prices.size != highs.getNumRow() or not np.isfinite(prices).all():
            return best
        x = np.zeros(problem.n_sets)
        x[program.sets] = np.clip(columns[: program.sets.size], 0.0, 1.0)
        if not found.dual_valid:
            return best
        best = program.dual(prices, scale), x
        now = -highs.getInfo().objective_function_value
        if simple or expired() or last - now < _LEAST_GAIN * now:
            break
        last = now
        given = columns[program.sets.size + program.columns.gain.size :] * scale
        pieces = program.violated(x, given, 1e-6 * now * scale / max(program.others.size, 1))
        if not pieces:
            break
    return best
