"""SuitePlan: which tests run in a time, in which order, why, and what is proven of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.core import wording
from maxcover.core.ascending import difference, union
from maxcover.errors import InfeasibleError, OptionError
from maxcover.suites.choosing import choose
from maxcover.suites.durations import Durations, seconds_in
from maxcover.suites.ordering import best_first, fill, makespan
from maxcover.suites.suite_wording import certificate, duration

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from maxcover.suites.choosing import Selection
    from maxcover.suites.record import Record
    from maxcover.suites.shared import Shared
    from maxcover.suites.suite import Suite

    Floats = NDArray[np.float64]
    Int64s = NDArray[np.int64]

# A selection that is proven this close to the best will do: it is made while somebody waits.
GAP = 0.001


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What was asked for: seconds, or a share of the lines."""

    seconds: float | None = None
    lines: float | None = None

    @classmethod
    def of(cls, text: str, whole: float) -> Budget:
        """Read ``3min``, ``90%`` of the lines, or ``10% of the time`` of the whole suite.

        Examples
        --------
        >>> Budget.of("3min", 600), Budget.of("90%", 600), Budget.of("10% of the time", 600)
        (Budget(seconds=180.0, lines=None), Budget(seconds=None, lines=0.9), \
Budget(seconds=60.0, lines=None))
        """
        share, _, of_time = text.partition("%")
        if re.fullmatch(r"\s*(of\s+)?(the\s+)?time\s*", of_time):
            return cls(seconds=seconds_in(f"{share}%", whole))
        if "%" not in text:
            return cls(seconds=seconds_in(text, whole))
        lines = seconds_in(text, 1.0)
        if not 0 < lines <= 1:
            raise OptionError(f"expected a share from 0 to 100 % of the lines, got {text!r}")
        return cls(lines=lines)


@dataclass(frozen=True, kw_only=True)
class SuitePlan:
    """Tests in the order in which they run, and what is known of them.

    Attributes
    ----------
    tests : list of str
        Node ids, the best first.
    n_all : int
        How many tests there are.
    new, failed, changed : collection of str
        Tests that run in any case: without a record, failed when they last ran, or running lines
        that have changed.
    seconds : float
        What they will take, without the time to start pytest and to collect.
    share : float
        The share of the recorded lines that they run.
    proven : str
        What no other selection can do; empty if all tests run.
    """

    tests: list[str]
    n_all: int
    new: Collection[str] = ()
    failed: Collection[str] = ()
    changed: Collection[str] = ()
    seconds: float = 0.0
    share: float = 1.0
    proven: str = ""

    def __str__(self) -> str:
        reasons = [
            (self.new, "new or not recorded"),
            (self.failed, "failed last time"),
            (self.changed, "run changed lines"),
        ]
        always = ", ".join(f"{len(tests):,} {why}" for tests, why in reasons if tests)
        left = self.n_all - len(self.tests)
        return " ".join(
            filter(
                None,
                [
                    f"{len(self.tests):,} of {self.n_all:,} tests, planned to take "
                    f"{duration(self.seconds)}, run {self.share:.2%} of the recorded lines.",
                    self.proven,
                    f"In any case: {always}." if always else "",
                    f"Left out: {left:,} tests." if left else "Everything fits: all tests run.",
                ],
            )
        )


def make_plan(
    record: Record,
    tests: list[str],
    budget: Budget,
    *,
    failed: Collection[str] = (),
    changed: Collection[str] = (),
    workers: int = 1,
) -> SuitePlan:
    """Choose among tests, and order them: the best first, then what else fits.

    Tests without a record, those that failed and those that run changed lines are in the plan. If
    they alone take too long, only some of those that run changed lines are.
    """
    recorded = {*record.tests}
    known = [test for test in tests if test in recorded]
    new = [test for test in tests if test not in recorded]
    place = {test: k for k, test in enumerate(known)}
    suite, seconds = record.suite(known), record.durations(known).seconds
    shared, together = record.shared(known)
    first = np.array([place[test] for test in known if test in {*failed}], dtype=np.int64)
    hit = np.array([place[test] for test in known if test in {*changed}], dtype=np.int64)
    own = len(new) * float(np.median(seconds)) / workers if known else 0.0
    limit = None if budget.seconds is None else max(budget.seconds - own, 0.0)
    order, proven = [*range(len(known))], ""
    whole, _ = makespan(order, seconds, shared, workers)
    if known and (limit is None or whole > limit):
        scene = _Scene(suite, seconds, shared, workers)
        selection = scene.choose(limit, budget.lines, first, hit)
        chosen = union(selection.answer.selected, first)
        problem = selection.problem
        if limit is not None:
            chosen = union(chosen, fill(problem, seconds, chosen, limit * workers, scene.charged))
        front = best_first(problem, np.intersect1d(chosen, union(first, hit)), first, together)
        order = best_first(problem, chosen, np.array(front, dtype=np.int64), together)
        if limit is not None and workers > 1:
            _, ends = makespan(order, seconds, shared, workers)
            order = [k for k, end in zip(order, ends, strict=True) if end <= limit or k in front]
        proven = _proven(selection, order, limit)
        share = problem.value(np.sort(order)) / (selection.total or 1.0)
    whole, _ = makespan(order, seconds, shared, workers)
    return SuitePlan(
        tests=[*new, *(known[k] for k in order)],
        n_all=len(tests),
        new=new,
        failed=[known[k] for k in first],
        changed=[known[k] for k in hit],
        seconds=whole + own,
        share=share if proven else 1.0,
        proven=proven,
    )


class _Scene(NamedTuple):
    """What is chosen from."""

    suite: Suite
    seconds: Floats
    shared: Shared
    workers: int

    @property
    def charged(self) -> Shared:
        """The fixtures as often as workers may set them up."""
        times = [min(self.workers, max(len(users), 1)) for users in self.shared.users]
        return replace(self.shared, costs=self.shared.costs * np.array(times, dtype=float))

    def choose(
        self, limit: float | None, lines: float | None, first: Int64s, hit: Int64s
    ) -> Selection:
        """Choose for a time or a share of lines; some tests are chosen in any case."""
        names = self.suite.tests
        costs, most = Durations(self.seconds), None if limit is None else limit * self.workers
        asked: dict[str, Any] = {"target": lines, "shared": self.charged, "target_gap": GAP}
        long = [] if limit is None else np.flatnonzero(self.seconds > limit).tolist()
        try:
            return choose(
                self.suite, costs, budget=most, always=[names[k] for k in union(first, hit)],
                never=[names[k] for k in long], **asked,
            )  # fmt: skip
        except InfeasibleError:
            # those that failed run, however long that takes; of those that run changed lines, some
            spent = float(self.seconds[first].sum()) + self.charged.cost_of(first)
            others = difference(np.arange(len(names)), hit)
            return choose(
                self.suite, costs, budget=max((most or 0.0) - spent, 0.0),
                never=[names[k] for k in others], **asked,
            )  # fmt: skip


def _proven(selection: Selection, order: list[int], limit: float | None) -> str:
    """Say what no other selection can do."""
    if limit is None:
        return certificate(selection)
    share = selection.problem.value(np.sort(order)) / (selection.total or 1.0)
    gap = max(0.0, 1.0 - share / selection.bound) if selection.bound else 0.0
    return wording.certificate(
        status="optimal" if gap <= 0 else "within gap" if gap <= GAP else "heuristic",
        gap=gap,
        within=f"within {duration(limit)}",
        beats=f"runs more than {selection.bound:.2%}",
        by=selection.answer.witness,
    )
