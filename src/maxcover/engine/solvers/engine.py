"""Engine: what the searches for two goals share: a table of stages, and when a search ends.

`Auto` looks for the most value within limits, `CoverRun` for the least cost that meets a target.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from maxcover.engine.solvers.control import INTERRUPTED
from maxcover.engine.solvers.highs import HighsRun, why_missing
from maxcover.engine.solvers.seconds import LEAST_SEARCH, PER_EDGE
from maxcover.engine.solvers.stages import Stage, follow_table

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from typing import Any

    from maxcover.engine.core.problem import CoverageProblem
    from maxcover.engine.core.solution import Status
    from maxcover.engine.solvers.control import Control
    from maxcover.engine.solvers.incumbent import Incumbent
    from maxcover.engine.solvers.program import Program
    from maxcover.engine.solvers.stages import Facts
    from maxcover.ground.array_types import Int64s


class Engine:
    """A search: its stages run in order until proof, deadline or callback ends it."""

    stopped = "all search steps of this effort are done"
    method = "auto"
    lacks = ""  # why HiGHS was not there when a step asked for it
    ended = ""  # why a stage ended the schedule
    facts: Facts
    problem: CoverageProblem
    best: Incumbent
    table: Callable[[], tuple[Stage, ...]]  # the stages, in order
    status: Callable[[], Status]  # what the bound proves of the best selection
    offer: Callable[[str, Int64s], object]  # keeps a selection if it is better
    prove: Callable[[str, float], None]  # keeps a bound that a search proved

    def __init__(self, control: Control) -> None:
        self.control, self.numbers = control, control.numbers

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
            if not self.best.is_any:
                raise
            self.stopped = INTERRUPTED
        if self.lacks not in self.stopped and self.status() != "optimal":
            self.stopped += f"; {self.lacks}"

    def is_done(self) -> bool:
        """Whether to stop: proven optimal, target gap reached, or time over. Sets `stopped`."""
        status = self.status()
        if status == "optimal":
            self.stopped = f"the bound meets the {'value' if self.best.sense > 0 else 'cost'}"
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
    ) -> str:
        """Run HiGHS; keep its selection and its bound. Return why it stopped.

        `program` has to have every set that is not yet decided.
        """
        self.lacks = why_missing()
        if self.lacks:
            return self.lacks
        run = HighsRun(program, self.control, self.best.selected if self.best.is_any else None)
        reason = run.until_done(min(seconds, self.control.remaining))
        found, claim = run.selection(), run.claim()
        if found is not None:
            self.offer("HiGHS", found)
        if claim is not None:
            self.prove(claim.by, claim.value)
        if reason == INTERRUPTED:
            raise KeyboardInterrupt
        if run.is_too_coarse:
            return "what HiGHS found breaks a limit by less than HiGHS can see"
        return reason


def spare_time(
    relax: Callable[[Any], None],
    elsewhere: Callable[[Any], Iterator[None]],
    branch: Callable[[Any], None],
    hand_over: Callable[[Any], str],
) -> tuple[Stage]:
    """Return the stage that uses the time left before a deadline, made of four steps of a search.

    It improves the dual point, searches far from the best selection, goes on with the tree, and
    runs HiGHS if its model is small; the last returns why HiGHS stopped, or "" if it did not run.
    """

    def steps(run: Engine) -> Iterator[None]:
        """Use the time left: restart the search; go on with the tree or HiGHS, longer each time."""
        # A better dual point lets reduced costs exclude more sets from HiGHS's model.
        relax(run)
        yield
        is_for_highs = not run.control.checkable and bool(hand_over(run)) and not run.lacks
        yield
        last = run.control.elapsed
        # If the model is small enough for HiGHS, the loop ignores `patience`: HiGHS may still prove
        # a selection that was found long ago.
        run.stopped = "nothing has improved for long"
        while is_for_highs or run.control.elapsed < (1 + run.numbers.spare.patience) * max(
            run.best.found_at, LEAST_SEARCH
        ):
            if not run.affords_search():
                run.stopped = "time limit"
                return
            yield from elsewhere(run)
            if is_for_highs and run.control.elapsed > 2 * last:
                hand_over(run)
                last = run.control.elapsed
                yield
            branch(run)
            yield

    return (Stage("spare time", steps),)
