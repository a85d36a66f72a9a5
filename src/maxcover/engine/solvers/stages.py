"""Stages: what a search does, one after the other, and why a stage does not run.

A schedule is a tuple of stages. A stage names what it does, and the reasons not to do it; each
reason is a test and the words for it. Facts of a problem choose the schedule. What ran, what it
took and gave, and what did not run and why, is written into the trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from maxcover.engine.core.solution import StageRun
from maxcover.engine.solvers.control import INTERRUPTED
from maxcover.engine.solvers.exchange import SMALL

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.solvers.control import Control
    from maxcover.engine.solvers.numbers import Numbers


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is known of a problem and of what is asked before the search begins.

    Attributes
    ----------
    sets : int
        Number of sets that can be chosen.
    limits, minima : bool
        Whether there are limits beside one budget; whether some of them are minima.
    returns : str
        "once", if an element counts once; "count", if several sets give it more; "strength", if
        edges have strengths.
    effort : str
    deadline, start, checkable : bool
        Whether there is a time limit; an earlier selection; only bounds that `verify` checks.
    """

    sets: int
    limits: bool
    minima: bool
    returns: str
    effort: str
    deadline: bool
    start: bool
    checkable: bool

    @classmethod
    def of(cls, problem: CoverageProblem, control: Control, *, start: bool) -> Facts:
        """Return the facts of a problem."""
        minima = len(problem.floors) > 0 or bool((problem.limits.low > 0).any())
        returns = "count" if problem.returns.of.size else "once"
        return cls(
            sets=int(np.count_nonzero(problem.choosable)),
            limits=len(problem.limits) > 0 or minima,
            minima=minima,
            returns="strength" if problem.strength.size else returns,
            effort=control.effort,
            deadline=control.time_limit is not None,
            start=start,
            checkable=control.checkable,
        )

    @property
    def is_small(self) -> bool:
        """Whether at most `SMALL` sets can be chosen."""
        return self.sets <= SMALL

    @property
    def is_plain(self) -> bool:
        """Whether elements count once, and the budget is the only limit."""
        return not self.limits and self.returns == "once"

    def __str__(self) -> str:
        asked = ", ".join(
            name for name in ("deadline", "start", "checkable") if getattr(self, name)
        )
        limits = "limits with minima" if self.minima else "limits" if self.limits else "one budget"
        return (
            f"{'small' if self.is_small else 'large'} ({self.sets:,} sets), {limits}, elements "
            f"count {RETURNS[self.returns]}, effort {self.effort}{asked and ', ' + asked}"
        )


RETURNS = {"once": "once", "count": "by a curve", "strength": "by strengths of edges"}


class Run(Protocol):
    """What a stage works on: a search with its facts, its best selection and its bound."""

    facts: Facts
    control: Control
    ended: str

    @property
    def numbers(self) -> Numbers:
        """The tuned numbers."""


class Unless(NamedTuple):
    """A reason not to run a stage, in words; `is_fact` says whether facts decide it beforehand."""

    words: str
    holds: Callable[[Any], bool]
    is_fact: bool = False

    def said(self, numbers: Numbers) -> str:
        """Return the words, with the numbers that they name."""
        return self.words.format(numbers=numbers)


def fact(words: str, holds: Callable[[Facts], bool]) -> Unless:
    """Return a reason that depends on facts alone."""
    return Unless(words, lambda run: holds(run.facts), is_fact=True)


class Stage(NamedTuple):
    """A stage of a search: its name, what it does, and the reasons not to do it."""

    name: str
    steps: Callable[[Any], Iterator[None]]
    unless: tuple[Unless, ...] = ()

    def why_not(self, run: Run, *, facts: bool = False) -> str:
        """Return the first reason that holds, or ""; with `facts`, of those known beforehand."""
        reasons = (one for one in self.unless if one.is_fact or not facts)
        return next((one.said(run.numbers) for one in reasons if one.holds(run)), "")

    @property
    def title(self) -> str:
        """What the stage does, in one line."""
        return (self.steps.__doc__ or "").partition("\n")[0]


def follow_table(run: Any, table: tuple[Stage, ...]) -> Generator[None]:
    """Run the stages of a table in order; note in the control what ran and why others did not."""
    done, run.control.facts = 0, str(run.facts)
    try:
        for stage in table:
            if run.ended:
                break
            done += 1
            why = stage.why_not(run)
            before = run.control.elapsed, *run.standing
            try:
                if not why:
                    yield from stage.steps(run)
            finally:
                seconds, standing = run.control.elapsed - before[0], run.standing
                values, bounds = (before[1], standing[0]), (before[2], standing[1])
                run.control.stages.append(StageRun(stage.name, why, seconds, values, bounds))
    except KeyboardInterrupt:
        run.stopped = INTERRUPTED
        raise
    finally:
        why = f"the search had ended: {run.ended or run.stopped}"
        nothing = (run.standing[0],) * 2, (run.standing[1],) * 2
        rest = [StageRun(stage.name, why, 0.0, *nothing) for stage in table[done:]]
        run.control.stages.extend(rest)


def listed(run: Run, table: tuple[Stage, ...]) -> str:
    """Return a schedule in words: each stage that facts allow, and what else may prevent it."""
    lines = [str(run.facts)]
    for stage in table:
        if why := stage.why_not(run, facts=True):
            lines.append(f"  not  {stage.name}: {why}")
            continue
        others = [one.said(run.numbers) for one in stage.unless if not one.is_fact]
        ending = f", unless {', or '.join(others)}" if others else ""
        lines.append(f"  {'may ' if others else 'runs'} {stage.name}{ending}")
    return "\n".join(lines)
