"""Seconds that steps take or wait: with a deadline, a step that would end too late is not begun.

`benchmarks/seconds.py` measures the seconds per edge and compares them with these.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, kw_only=True)
class PerEdge:
    """Upper estimates of seconds per edge, on one core of 2026 and graphs of 10^6 edges.

    Attributes
    ----------
    value : float
        To compute the value of a selection, and to certify a plain problem.
    closing : float
        To certify a problem with other limits or returns, including a bound.
    strong_closing : float
        The same where edges have strengths.
    bound : float
        To evaluate a dual point, or to compute the gain of each set.
    transpose : float
        To transpose the graph, before the first dual step.
    fold : float
        To merge elements that lie in the same sets.
    search : float
        To set up an exchange search of plain coverage, and to read its result.
    limited_search : float
        The same under other limits or for returns; also a greedy run there.
    strong_search : float
        The same where edges have strengths.
    sweep, take : float
        A sweep of belief propagation, and choosing sets after the last sweep.
    descent : float
        A step of `Descent`, and a bound after it.
    build, program, strong_program : float
        To hand a model to HiGHS; the least time for its LP relaxation; the same if edges have
        strengths.
    """

    value: float = 2e-8
    closing: float = 1e-7
    strong_closing: float = 4e-7
    bound: float = 6e-8
    transpose: float = 8e-8
    fold: float = 3e-7
    search: float = 1.5e-7
    limited_search: float = 3e-7
    strong_search: float = 1.2e-6
    sweep: float = 4e-8
    take: float = 6e-8
    descent: float = 5e-7
    build: float = 2e-6
    program: float = 3e-5
    strong_program: float = 3e-4


PER_EDGE = PerEdge()
# Seconds between two looks at the clock, between two looks at a running HiGHS, and between two
# calls of a callback.
LOOK, HIGHS_LOOK, HEARTBEAT = 0.004, 0.02, 0.05
# Seconds within which HiGHS has to stop when told to, and the most seconds for a linear program or
# a first selection.
HIGHS_END, HIGHS_PATIENCE = 0.04, 60.0
# Before the first look at the clock: most moves of a search, and most moves times edges. Between
# two looks: edges that a greedy run reads, two to four milliseconds.
FIRST_MOVES, FIRST_EDGES, SLICE = 2000, 2_000_000, 60_000
# Seconds that a bound may take after the deadline. Patience is a multiple of the time to the best
# selection, which counts as at least `LEAST_SEARCH` seconds.
GRACE, LEAST_SEARCH = 0.02, 0.05


def paced(
    work: Callable[[int], bool | None], amount: int, *, pace: int, is_over: Callable[[], bool]
) -> bool:
    """Do `amount` units of work in slices of about `LOOK` seconds, until `is_over`.

    `pace` is the size of the first slice. A slice that returns True ends the work; returns whether
    one did.
    """
    while amount > 0 and not is_over():
        before = time.perf_counter()
        if work(min(pace, amount)):
            return True
        amount -= pace
        took = time.perf_counter() - before
        pace = int(min(max(pace * LOOK / max(took, 1e-6), pace / 2), 4 * pace)) + 1
    return False
