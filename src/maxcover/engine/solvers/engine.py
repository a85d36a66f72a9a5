"""Engine: what the searches for two goals share: a table of stages, and when a search ends.

`Auto` looks for the most value within limits, `CoverRun` for the least cost that meets a target.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.solvers.control import INTERRUPTED
from maxcover.engine.solvers.highs import HighsRun, why_missing
from maxcover.engine.solvers.seconds import LEAST_SEARCH, PER_EDGE
from maxcover.engine.solvers.stages import Stage, follow_table

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from numpy.typing import NDArray

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Status
    from maxcover.engine.solvers.control import Control
    from maxcover.engine.solvers.numbers import Numbers
    from maxcover.engine.solvers.program import Program
    from maxcover.engine.solvers.stages import Facts


@dataclass(frozen=True, kw_only=True)
class SpareTime:
    """How to use time left after the schedule; tuned on docs/lab/auto.md, limits of 1 to 60 s.

    Attributes
    ----------
    patience : float
        Stop when the best selection has not improved for this multiple of the time at which it was
        found.
    highs_share : float
        HiGHS gets at most this multiple of the time already spent.
    elite_share : float
        The same multiple where HiGHS searches only among the sets of some selections.
    highs_edges : int
        HiGHS gets only models of at most this many edges.
    """

    patience: float = 6.0
    highs_share: float = 4.0
    elite_share: float = 0.2
    highs_edges: int = 200_000


SPARE = SpareTime()


class Engine:
    """A search: its stages run in order until proof, deadline or callback ends it."""

    sought = "value"  # name of the quantity that is bounded, for messages
    stopped = "all search steps of this effort are done"
    method = "auto"
    lacks = ""  # why HiGHS was not there when a step asked for it
    ended = ""  # why a stage ended the schedule
    facts: Facts
    problem: CoverageProblem
    control: Control
    selected: NDArray[np.int64]
    found_at: float

    def table(self) -> tuple[Stage, ...]:
        """Return the stages, in order."""
        raise NotImplementedError

    def schedule(self) -> Generator[None]:
        """Run the stages in order, and yield after each step so that the caller can stop."""
        return follow_table(self, self.table())

    def follow(self, parts: Generator[None]) -> None:
        """Run the steps until `is_done`, or until Ctrl-C if there is a selection to return."""
        try:
            with closing(parts):
                for _ in parts:
                    if self.is_done():
                        break
        except KeyboardInterrupt:
            if not self.has_any:
                raise
            self.stopped = INTERRUPTED
        if self.lacks not in self.stopped and self.status() != "optimal":
            self.stopped += f"; {self.lacks}"

    def is_done(self) -> bool:
        """Whether to stop: proven optimal, target gap reached, or time over. Sets `stopped`."""
        status = self.status()
        if status == "optimal":
            self.stopped = f"the bound meets the {self.sought}"
        elif status == "within gap":
            self.stopped = "the target gap is reached"
        elif self.control.expired():
            self.stopped = self.control.why_stopped
        else:
            return False
        return True

    def affords_search(self) -> bool:
        """Whether there is time to set up an exchange search and to read its result."""
        seconds = PER_EDGE.limited_search
        if self.problem.is_plain:
            seconds = PER_EDGE.search
        elif self.problem.strength.size:
            seconds = PER_EDGE.strong_search
        return self.control.affords(self.problem.n_edges * seconds)

    def ask_highs(
        self,
        program: Program,
        seconds: float = np.inf,
        *,
        proves: bool = True,
    ) -> str:
        """Run HiGHS; keep its selection, and its bound if `proves`. Return why it stopped.

        The bound is valid only if `program` has every set that is not yet decided: else `proves`
        has to be False.
        """
        self.lacks = why_missing()
        if self.lacks:
            return self.lacks
        run = HighsRun(program, self.control, self.selected if self.has_any else None)
        reason = run.until_done(min(seconds, self.control.remaining))
        found, claim = run.selection(), run.claim()
        if found is not None:
            self.offer("HiGHS", found)
        if claim is not None and proves:
            self.prove(claim.by, claim.value)
        if reason == INTERRUPTED:
            raise KeyboardInterrupt
        if run.is_too_coarse:
            return "what HiGHS found breaks a limit by less than HiGHS can see"
        return reason

    @property
    def numbers(self) -> Numbers:
        """The tuned numbers."""
        return self.control.numbers

    @property
    def standing(self) -> tuple[float, float]:
        """The best value, or cost, and its bound."""
        raise NotImplementedError

    @property
    def has_any(self) -> bool:
        """Whether there is a selection to return."""
        raise NotImplementedError

    def status(self) -> Status:
        """Return what value and bound prove of the best selection so far."""
        raise NotImplementedError

    def offer(self, part: str, selected: NDArray[np.int64]) -> float:
        """Keep a selection if it is better than the best so far."""
        raise NotImplementedError

    def prove(self, by: str, bound: float) -> None:
        """Record a bound that a search proved: branch and bound or HiGHS."""
        raise NotImplementedError

    def search_elsewhere(self) -> Iterator[None]:
        """Search from selections far from the best one so far."""
        raise NotImplementedError

    def relax_more(self) -> None:
        """Improve the dual point by more steps than before."""
        raise NotImplementedError

    def branch(self) -> None:
        """Try to prove the best selection optimal by a short branch and bound."""
        raise NotImplementedError

    def hand_over(self) -> str:
        """Run HiGHS if its model is small; return why it stopped, or "" if it did not run."""
        raise NotImplementedError


def spare_time(run: Engine) -> Iterator[None]:
    """Use the time left: restart the search, and go on with the tree or HiGHS, longer each time."""
    # A better dual point lets reduced costs exclude more sets from HiGHS's model.
    run.relax_more()
    yield
    is_for_highs = not run.control.checkable and bool(run.hand_over()) and not run.lacks
    yield
    last = run.control.elapsed
    # If the model is small enough for HiGHS, the loop ignores `patience`: HiGHS may still prove
    # a selection that was found long ago.
    run.stopped = "nothing has improved for long"
    while is_for_highs or run.control.elapsed < (1 + SPARE.patience) * max(
        run.found_at, LEAST_SEARCH
    ):
        if not run.affords_search():
            run.stopped = "time limit"
            return
        yield from run.search_elsewhere()
        if is_for_highs and run.control.elapsed > 2 * last:
            run.hand_over()
            last = run.control.elapsed
            yield
        run.branch()
        yield


#: What follows with a deadline.
SPARE_TIME = (Stage("spare time", spare_time),)
