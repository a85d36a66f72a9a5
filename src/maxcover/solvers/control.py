"""What a solver is told (deadline, target, seed) and what it hands back (a Draft)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from maxcover.solution import Step, relative_gap

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from maxcover.bounds import Claim, Dual


# What `stopped` says after Ctrl-C.
INTERRUPTED = "interrupted"


class Progress(NamedTuple):
    """What a callback is told: the best value and bound so far, their gap, and the time it took."""

    part: str
    value: float
    bound: float
    gap: float
    seconds: float


class Draft(NamedTuple):
    """What a solver returns: indices, and what helps to certify them; `certify` says the rest."""

    selected: NDArray[np.int64]
    stopped: str
    dual: Dual | None = None
    claim: Claim | None = None
    info: Mapping[str, Any] = {}


Callback = Callable[[Progress], Any]


@dataclass(kw_only=True)
class Control:
    """Deadline, target gap, seed and callback of one call of `solve`; keeps the trace.

    A callback that returns True ends the search, as the deadline does.
    """

    time_limit: float | None = None
    target_gap: float = 0.0
    seed: int = 0
    callback: Callback | None = None
    started: float = field(default_factory=time.perf_counter)
    trace: list[Step] = field(default_factory=list)
    stop_requested: bool = False

    @property
    def elapsed(self) -> float:
        """Seconds since the call."""
        return time.perf_counter() - self.started

    @property
    def remaining(self) -> float:
        """Seconds until the deadline; infinite without one."""
        return float("inf") if self.time_limit is None else self.time_limit - self.elapsed

    @property
    def expired(self) -> bool:
        """Whether it is time to stop."""
        return self.stop_requested or self.remaining <= 0

    def report(self, part: str, value: float, bound: float) -> None:
        """Note an improvement and tell the callback; what was better before stays."""
        if self.trace:
            value, bound = max(value, self.trace[-1].value), min(bound, self.trace[-1].bound)
        step = Step(self.elapsed, part, value, max(value, bound))
        self.trace.append(step)
        if self.callback is not None:
            gap = relative_gap(step.value, step.bound)
            progress = Progress(part, step.value, step.bound, gap, step.seconds)
            self.stop_requested |= self.callback(progress) is True
