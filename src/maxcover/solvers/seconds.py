"""Seconds that parts take, and wait: with a deadline, what would not be through is not begun.

`benchmarks/seconds.py` measures those per edge and holds them against these.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, kw_only=True)
class PerEdge:
    """Seconds per edge, generously: one core of 2026, graphs of 10^6 edges that fill no cache.

    Attributes
    ----------
    value : float
        To say what a selection is worth, and to certify a plain problem.
    closing : float
        To certify a problem with other limits or returns, a bound included.
    strong_closing : float
        The same where edges have strengths.
    bound : float
        To evaluate a dual point, or what each set gains.
    transpose : float
        To turn the graph round, before the first step of the relaxation.
    fold : float
        To merge elements that lie in the same sets.
    search : float
        To open a search of plain coverage, and to close it.
    limited_search : float
        The same under other limits or for returns, and of a greedy run.
    strong_search : float
        The same where edges have strengths.
    sweep, take : float
        A sweep of belief propagation, and the selection after the last one.
    descent : float
        A step of `Descent`, and a bound after it.
    build, program, strong_program : float
        To hand a program to HiGHS; what its linear relaxation takes at least, and where edges have
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
# The same per open set that a branch and bound looks at.
PER_NODE = 2e-8
# Between two looks at the clock, at a running HiGHS, and between two calls of a callback.
LOOK, HIGHS_LOOK, HEARTBEAT = 0.004, 0.02, 0.05
# For HiGHS to end when it is told to, and for a linear program or a first selection at most.
HIGHS_END, HIGHS_PATIENCE = 0.04, 60.0
# What may be spent on a bound after the deadline, and the shortest search that patience goes by.
GRACE, LEAST_SEARCH = 0.02, 0.05


def paced(
    work: Callable[[int], bool | None], amount: int, *, pace: int, is_over: Callable[[], bool]
) -> bool:
    """Do an amount of work in slices that take as long as the clock may go unwatched.

    Ends when a slice returns True; returns whether one did.
    """
    while amount > 0 and not is_over():
        before = time.perf_counter()
        if work(min(pace, amount)):
            return True
        amount -= pace
        took = time.perf_counter() - before
        pace = int(min(max(pace * LOOK / max(took, 1e-6), pace / 2), 4 * pace)) + 1
    return False
