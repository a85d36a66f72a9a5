"""Control: what a solver is told (deadline, target, seed) and what it hands back (a Draft)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from maxcover.core.solution import Step, relative_gap
from maxcover.errors import OptionError
from maxcover.solvers.seconds import HEARTBEAT, PER_EDGE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from maxcover.core.bounds import Bound, Claim
    from maxcover.core.problem import CoverageProblem


# What `stopped` says after Ctrl-C.
INTERRUPTED = "interrupted"
# The largest share of the time limit that is kept for `certify`.
_CLOSING_SHARE = 0.25


class Progress(NamedTuple):
    """What a callback is told: the best value and bound so far, their gap, and the time it took."""

    part: str
    value: float
    bound: float
    gap: float
    seconds: float


class Draft(NamedTuple):
    """What a solver returns: indices, and what helps to certify them; `certify` says the rest.

    `known` is a bound that `maxcover.core.bounds` has evaluated, `claim` one on somebody's word.
    """

    selected: NDArray[np.int64]
    stopped: str
    known: Bound | None = None
    claim: Claim | None = None
    info: Mapping[str, Any] = {}


def check_able(
    problem: CoverageProblem, owner: str, *, minima: bool = False, returns: bool = False
) -> None:
    """Refuse a problem with minima or returns where nothing can be done about them."""
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
    """Refuse limits and returns where a kernel would not see them."""
    if not problem.is_plain:
        raise OptionError(
            f"expected coverage under one budget for {owner}, got other limits or returns"
        )


def working_time(problem: CoverageProblem, time_limit: float | None) -> float | None:
    """Return how long a method may work, so that `certify` is through by the deadline."""
    if time_limit is None:
        return None
    limit, seconds = float(time_limit), PER_EDGE.value if problem.is_plain else PER_EDGE.closing
    return limit - min(problem.n_edges * seconds, _CLOSING_SHARE * limit)


Callback = Callable[[Progress], Any]


def _now() -> float:
    """Return the time; the clock is looked up at each call, so a benchmark may count CPU."""
    return time.perf_counter()


@dataclass(frozen=True)
class Until:
    """A callback that stops a search at a time of the clock; what would end later is not begun."""

    end: float

    def __call__(self, _: Progress) -> bool:
        """Whether it is time to stop."""
        return self.left < 0

    @property
    def left(self) -> float:
        """Seconds until then."""
        return self.end - _now()


@dataclass(kw_only=True)
class Control:
    """Deadline, target gap, seed, effort, kind of proof and callback of one `solve`; its trace.

    The callback is told of every improvement, and also when there is none for a while, so that it
    can always stop the search: it does so by returning True.
    """

    nothing: ClassVar[Step] = Step(0.0, "start", 0.0, math.inf)
    time_limit: float | None = None
    target_gap: float = 0.0
    seed: int = 0
    checkable: bool = False
    effort: str = "normal"
    callback: Callback | None = None
    started: float = field(default_factory=_now)
    trace: list[Step] = field(default_factory=list)
    stop_requested: bool = False
    told: float = 0.0
    exponent: int = 0  # what is reported is counted in this power of two

    @property
    def elapsed(self) -> float:
        """Seconds since the call."""
        return _now() - self.started

    @property
    def remaining(self) -> float:
        """Seconds until the deadline; infinite without one."""
        if isinstance(self.callback, Until):
            return self.callback.left
        return float("inf") if self.time_limit is None else self.time_limit - self.elapsed

    def expired(self) -> bool:
        """Whether it is time to stop; asks the callback if it has heard nothing for a while."""
        if self.callback is not None and self.elapsed - self.told > HEARTBEAT:
            self._tell(self.trace[-1] if self.trace else self.nothing)
        return self.stop_requested or self.remaining <= 0

    @property
    def why_stopped(self) -> str:
        """Why a search that has expired did so, in words."""
        return "stopped by the callback" if self.stop_requested else "time limit"

    def affords(self, seconds: float) -> bool:
        """Whether work that takes so long would be through by the deadline."""
        return not self.stop_requested and self.remaining >= seconds

    def leaving(self, seconds: float) -> Callable[[], bool]:
        """Return `expired` for work that something has to follow which takes so long."""
        return lambda: self.expired() or not self.affords(seconds)

    def report(self, part: str, value: float, bound: float) -> None:
        """Note an improvement and tell the callback; what was better before stays."""
        value, bound = math.ldexp(value, self.exponent), math.ldexp(bound, self.exponent)
        if self.trace:
            value, bound = max(value, self.trace[-1].value), min(bound, self.trace[-1].bound)
        step = Step(self.elapsed, part, value, max(value, bound))
        self.trace.append(step)
        if self.callback is not None:
            self._tell(step)

    def _gap(self, step: Step) -> float:
        return relative_gap(step.value, step.bound)

    def _tell(self, step: Step) -> None:
        progress = Progress(step.part, step.value, step.bound, self._gap(step), self.elapsed)
        if self.callback is not None:
            self.stop_requested |= self.callback(progress) is True
        self.told = self.elapsed


@dataclass(kw_only=True)
class Aside(Control):
    """The control of a run beside another one, which it tells nothing; it ends with the other."""

    other: Control
    share: float = 1.0  # of the time that is left to the other when this begins

    def __post_init__(self) -> None:
        self.seed, self.effort = self.other.seed, self.other.effort
        self.checkable, self.target_gap = self.other.checkable, self.other.target_gap
        self.until = self.other.elapsed + self.share * self.other.remaining

    @property
    def remaining(self) -> float:
        """Seconds until its share of the time is used; infinite without a deadline."""
        return self.until - self.other.elapsed

    def expired(self) -> bool:
        """Whether it is time to stop."""
        return self.other.expired() or self.remaining <= 0

    def affords(self, seconds: float) -> bool:
        """Whether work that takes so long would be through in time."""
        return not self.other.stop_requested and self.remaining >= seconds

    def report(self, part: str, value: float, bound: float) -> None:
        """Do nothing: parts of a search do not report by themselves."""
