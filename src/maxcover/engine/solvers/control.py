"""Control: what a solver is told (deadline, target, seed) and what it hands back (a Draft)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.engine.core.solution import StageRun, Step, Trace, relative_gap
from maxcover.engine.solvers.numbers import NUMBERS, Numbers
from maxcover.engine.solvers.seconds import HEARTBEAT, PER_EDGE
from maxcover.errors import OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from maxcover.engine.core.bounds import Bound, Claim
    from maxcover.engine.core.problem import CoverageProblem


# The value of `stopped` after Ctrl-C.
INTERRUPTED = "interrupted"
# Largest fraction of the time limit that is reserved for `certify`.
_CLOSING_SHARE = 0.25


class Progress(NamedTuple):
    """What a callback receives: step name, best value and bound so far, gap, seconds so far."""

    part: str
    value: float
    bound: float
    gap: float
    seconds: float


class Draft(NamedTuple):
    """What a solver returns: the chosen sets, why it stopped, and bounds for `certify`.

    `known` is a bound that `maxcover.engine.core.bounds` has evaluated. `claim` is a bound that a
    search such as HiGHS claims without a proof.
    """

    selected: NDArray[np.int64]
    stopped: str
    known: Bound | None = None
    claim: Claim | None = None
    info: Mapping[str, Any] = {}


def check_able(
    problem: CoverageProblem, owner: str, *, minima: bool = False, returns: bool = False
) -> None:
    """Raise OptionError if `problem` has minima or returns that `owner` cannot handle."""
    asked = []
    if not minima and (len(problem.floors) or bool((problem.limits.low > 0).any())):
        asked.append("minima")
    if not returns and problem.returns.of.size:
        asked.append("needs or returns")
    if asked:
        raise OptionError(
            f"expected a problem without {' and '.join(asked)} for {owner}, which cannot take them "
            "into account; use solve with method 'auto' or 'exact'"
        )


def check_plain(problem: CoverageProblem, owner: str) -> None:
    """Raise OptionError if `problem` has limits or returns that the kernel of `owner` ignores."""
    if not problem.is_plain:
        raise OptionError(
            f"expected coverage under one budget for {owner}, got other limits or returns"
        )


def working_time(problem: CoverageProblem, time_limit: float | None) -> float | None:
    """Return the seconds a method may work so that `certify` ends within `time_limit`."""
    if time_limit is None:
        return None
    limit, seconds = float(time_limit), PER_EDGE.value if problem.is_plain else PER_EDGE.closing
    return limit - min(problem.n_edges * seconds, _CLOSING_SHARE * limit)


Callback = Callable[[Progress], Any]


def _now() -> float:
    """Return the time in seconds; benchmarks may replace `time.perf_counter` by CPU time."""
    return time.perf_counter()


@dataclass(frozen=True)
class Until:
    """A callback that stops a search at the clock time `end`.

    `Control.remaining` reads it too, so that no step begins that would end later.
    """

    end: float

    @classmethod
    def after(cls, time_limit: float | None) -> Until:
        """Return the callback that stops a search in `time_limit` seconds; None for never."""
        return cls(math.inf if time_limit is None else _now() + time_limit)

    def __call__(self, _: Progress) -> bool:
        """Whether the clock is past `end`."""
        return self.left < 0

    @property
    def left(self) -> float:
        """Seconds until `end`; negative after it."""
        return self.end - _now()


@dataclass(kw_only=True)
class Control:
    """Settings of one `solve` or `cover` (deadline, target gap, seed, callback), and its trace.

    `sense` is 1 if a value is to rise and its upper bound to fall, -1 if a cost is to fall and its
    lower bound to rise.

    The callback is called at every improvement, and also when there is none for a while, so that it
    can always stop the search: it does so by returning True.
    """

    sense: int = 1
    time_limit: float | None = None
    target_gap: float = 0.0
    seed: int = 0
    checkable: bool = False
    effort: str = "normal"
    callback: Callback | None = None
    started: float = field(default_factory=_now)
    trace: list[Step] = field(default_factory=list)
    stages: list[StageRun] = field(default_factory=list)
    stop_requested: bool = False
    told: float = 0.0
    facts: str = ""
    numbers: Numbers = NUMBERS
    exponent: int = 0  # reported values and bounds are multiplied by 2 ** exponent

    @property
    def elapsed(self) -> float:
        """Seconds since this control was made."""
        return _now() - self.started

    @property
    def remaining(self) -> float:
        """Seconds until the deadline; infinite without one."""
        if isinstance(self.callback, Until):
            return self.callback.left
        return float("inf") if self.time_limit is None else self.time_limit - self.elapsed

    def expired(self) -> bool:
        """Whether to stop. The callback is called first if that is due (every `HEARTBEAT` s)."""
        if self.callback is not None and self.elapsed - self.told > HEARTBEAT:
            self._tell(self.trace[-1] if self.trace else self._nothing)
        return self.stop_requested or self.remaining <= 0

    @property
    def why_stopped(self) -> str:
        """Why an expired search stopped: the callback or the time limit."""
        return "stopped by the callback" if self.stop_requested else "time limit"

    def affords(self, seconds: float) -> bool:
        """Whether work of `seconds` seconds would end before the deadline."""
        return not self.stop_requested and self.remaining >= seconds

    def leaving(self, seconds: float) -> Callable[[], bool]:
        """Return a variant of `expired` that keeps `seconds` seconds in reserve for later work."""
        return lambda: self.expired() or not self.affords(seconds)

    def report(self, part: str, value: float, bound: float) -> None:
        """Append a step to the trace and call the callback; value and bound never get worse."""
        value, bound = math.ldexp(value, self.exponent), math.ldexp(bound, self.exponent)
        if self.trace:
            last = self.trace[-1]
            value, bound = self._better(value, last.value), -self._better(-bound, -last.bound)
        step = Step(self.elapsed, part, value, self._better(value, bound))
        self.trace.append(step)
        if self.callback is not None:
            self._tell(step)

    def traced(self) -> Trace:
        """Return what happened: improvements, and stages with what was known beforehand."""
        return Trace(self.trace, tuple(self.stages), self.facts)

    def _better(self, one: float, other: float) -> float:
        """Return the larger value, or the lower cost."""
        return max(one, other) if self.sense > 0 else min(one, other)

    @property
    def _nothing(self) -> Step:
        ends = (0.0, math.inf)[:: self.sense]
        return Step(0.0, "start", *ends)

    def _tell(self, step: Step) -> None:
        gap = relative_gap(*(step.value, step.bound)[:: self.sense])
        progress = Progress(step.part, step.value, step.bound, gap, self.elapsed)
        if self.callback is not None:
            self.stop_requested |= self.callback(progress) is True
        self.told = self.elapsed
