"""Stages: what a search does, one after the other, and why a stage does not run.

A schedule is a tuple of stages. A stage names what it does, and the reasons not to do it; each
reason is a test of facts that are known beforehand, and the words for it. The facts choose the
schedule too. So they decide which stages run, but for the end: a search is over when the optimum is
proven, the target gap is reached, or time is up. What ran, what it took and gave, and what did not
run and why, is written into the trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

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
    idle : bool
        Whether greedy keeps these limits without knowing them.
    full : bool
        Whether the target asks for all that can be covered.
    """

    sets: int
    limits: bool
    minima: bool
    returns: str
    effort: str
    deadline: bool
    start: bool
    checkable: bool
    idle: bool = False
    full: bool = False

    @classmethod
    def of(cls, problem: CoverageProblem, control: Control, **others: bool) -> Facts:
        """Return the facts of a problem; `others` are those that the search knows."""
        minima = len(problem.floors) > 0 or bool((problem.limits.low > 0).any())
        returns = "count" if problem.returns.of.size else "once"
        return cls(
            sets=int(np.count_nonzero(problem.choosable)),
            limits=len(problem.limits) > 0 or minima,
            minima=minima,
            returns="strength" if problem.strength.size else returns,
            effort=control.effort,
            deadline=control.time_limit is not None,
            checkable=control.checkable,
            **others,
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
            name for name in ("deadline", "start", "checkable", "full") if getattr(self, name)
        )
        limits = "limits with minima" if self.minima else "limits" if self.limits else "one budget"
        limits += " that greedy keeps anyhow" if self.idle else ""
        return (
            f"{'small' if self.is_small else 'large'} ({self.sets:,} sets), {limits}, elements "
            f"count {RETURNS[self.returns]}, effort {self.effort}{asked and ', ' + asked}"
        )


RETURNS = {"once": "once", "count": "by a curve", "strength": "by strengths of edges"}


class Unless(NamedTuple):
    """A reason not to run a stage: a test of facts, and the words for it."""

    words: str
    holds: Callable[[Facts, Numbers], bool]

    def said(self, numbers: Numbers) -> str:
        """Return the words, with the numbers that they name."""
        return self.words.format(numbers=numbers)


def unless(words: str, holds: Callable[[Facts], bool]) -> Unless:
    """Return a reason that depends on no number."""
    return Unless(words, lambda facts, _: holds(facts))


class Stage(NamedTuple):
    """A stage of a search: its name, what it does, and the reasons not to do it."""

    name: str
    steps: Callable[[Any], Iterator[None]]
    unless: tuple[Unless, ...] = ()

    def why_not(self, facts: Facts, numbers: Numbers) -> str:
        """Return the first reason that holds, or ""."""
        return next((one.said(numbers) for one in self.unless if one.holds(facts, numbers)), "")

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
            why = stage.why_not(run.facts, run.numbers)
            before = run.control.elapsed, run.best.worth, run.best.bound
            try:
                if not why:
                    yield from stage.steps(run)
            finally:
                seconds = run.control.elapsed - before[0]
                values, bounds = (before[1], run.best.worth), (before[2], run.best.bound)
                run.control.stages.append(StageRun(stage.name, why, seconds, values, bounds))
    except KeyboardInterrupt:
        run.stopped = INTERRUPTED
        raise
    finally:
        why = f"the search had ended: {run.ended or run.stopped}"
        nothing = (run.best.worth,) * 2, (run.best.bound,) * 2
        rest = [StageRun(stage.name, why, 0.0, *nothing) for stage in table[done:]]
        run.control.stages.extend(rest)


def listed(facts: Facts, numbers: Numbers, table: tuple[Stage, ...]) -> str:
    """Return a schedule in words: each stage that runs unless a proof ends the search before."""
    lines = [str(facts)]
    for stage in table:
        why = stage.why_not(facts, numbers)
        lines.append(f"  not  {stage.name}: {why}" if why else f"  runs {stage.name}")
    return "\n".join(lines)
