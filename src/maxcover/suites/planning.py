"""Planning: which tests run within a budget, in which order, why, and what is proven."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.engine.core.ascending import union
from maxcover.errors import InfeasibleError, OptionError
from maxcover.suites.amounts import duration, seconds_in
from maxcover.suites.choosing import choose, cost_of
from maxcover.suites.ordering import best_first, makespan
from maxcover.suites.suite_wording import certificate

if TYPE_CHECKING:
    from collections.abc import Collection

    from maxcover.ground.array_types import Int64s
    from maxcover.suites.choosing import Selection
    from maxcover.suites.record import Record
    from maxcover.suites.suite import Suite

# Choosing stops at this proven gap to the best selection, because the user waits for the plan.
GAP = 0.001


class Budget(NamedTuple):
    """The budget of a run: `seconds`, or else the share of the `lines` to run."""

    seconds: float | None = None
    lines: float | None = None

    @classmethod
    def of(cls, text: str, whole: float) -> Budget:
        """Read ``3min``, ``90%`` (of the lines) or ``10% of the time`` (of `whole` seconds).

        Examples
        --------
        >>> Budget.of("3min", 600), Budget.of("90%", 600), Budget.of("10% of the time", 600)
        (Budget(seconds=180.0, lines=None), Budget(seconds=None, lines=0.9), \
Budget(seconds=60.0, lines=None))
        """
        time = re.sub(r"%\s*(of\s+)?(the\s+)?time\s*$", "%", text)
        if "%" not in text or time != text:
            return cls(seconds=seconds_in(time, whole))
        lines = seconds_in(text, 1.0)
        if not 0 < lines <= 1:
            raise OptionError(f"expected a share from 0 to 100 % of the lines, got {text!r}")
        return cls(lines=lines)


@dataclass(frozen=True, kw_only=True)
class SuitePlan:
    """The tests to run, in order; why they run, and their time, coverage and certificate.

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
        The planned time of the tests, without the time to start pytest and to collect.
    outside : float
        The seconds from the start of the run until the tests were planned; 0 if not known.
    share : float
        The share of the recorded lines that the tests run.
    proven : str
        The certificate of the selection, as a sentence; empty if all tests run.
    """

    tests: list[str]
    n_all: int
    new: Collection[str] = ()
    failed: Collection[str] = ()
    changed: Collection[str] = ()
    seconds: float = 0.0
    outside: float = 0.0
    share: float = 1.0
    proven: str = ""

    def __str__(self) -> str:
        reasons = (
            (self.new, "new or not recorded"),
            (self.failed, "failed last time"),
            (self.changed, "run changed lines"),
        )
        always = ", ".join(f"{len(tests):,} {why}" for tests, why in reasons if tests)
        left = self.n_all - len(self.tests)
        collected = f" after {duration(self.outside)} of collecting" if self.outside else ""
        parts = (
            f"{len(self.tests):,} of {self.n_all:,} tests, planned to take "
            f"{duration(self.seconds)}{collected}, run {self.share:.2%} of the recorded lines.",
            self.proven,
            f"In any case: {always}." if always else "",
            f"Left out: {left:,} tests." if left else "Everything fits: all tests run.",
        )
        return " ".join(filter(None, parts))


def make_plan(
    record: Record,
    tests: list[str],
    budget: Budget,
    *,
    failed: Collection[str] = (),
    changed: Collection[str] = (),
    workers: int = 1,
) -> SuitePlan:
    """Choose which of `tests` to run within `budget`, and order them, the best first.

    Tests without a record, failed tests and tests that run changed lines are always in the plan. If
    they alone take too long, only the shortest of the tests that run changed lines are.
    """
    recorded = {*record.tests}
    known = [test for test in tests if test in recorded]
    new = [test for test in tests if test not in recorded]
    suite = record.suite(known)
    first, hit = (np.flatnonzero(np.isin(known, [*some])) for some in (failed, changed))
    own = len(new) * float(np.median(suite.seconds)) / workers if known else 0.0
    limit = None if budget.seconds is None else max(budget.seconds - own, 0.0)
    order, share, proven = [*range(len(known))], 1.0, ""
    if known and (limit is None or makespan(order, suite, workers)[0] > limit):
        selection = _selected(
            replace(suite, shared=suite.shared.for_workers(workers)),
            first,
            hit,
            None if limit is None else limit * workers,
            target=budget.lines,
            never=[] if limit is None else np.array(known)[suite.seconds > limit],
        )
        together = suite.shared.together
        problem, chosen = selection.problem, union(selection.run, first)
        front = best_first(problem, np.intersect1d(chosen, union(first, hit)), first, together)
        order = best_first(problem, chosen, np.array(front, dtype=np.int64), together)
        if limit is not None and workers > 1:
            _, ends = makespan(order, suite, workers)
            order = [k for k, end in zip(order, ends, strict=True) if end <= limit or k in front]
        share = problem.value(np.sort(order)) / (selection.total or 1.0)
        proven = (
            certificate(selection)
            if limit is None
            else certificate(selection, within=f"within {duration(limit)}", share=share)
        )
    return SuitePlan(
        tests=[*new, *(known[k] for k in order)],
        n_all=len(tests),
        new=new,
        failed=[known[k] for k in first],
        changed=[known[k] for k in hit],
        seconds=makespan(order, suite, workers)[0] + own,
        share=share,
        proven=proven,
    )


def _selected(
    suite: Suite, first: Int64s, hit: Int64s, most: float | None, **options: Any
) -> Selection:
    """Choose tests that include the failed (`first`) and the changed ones (`hit`), if these fit.

    If they do not fit the budget, choose the shortest of `hit`.
    """
    names = np.array(suite.tests)
    options |= {"target_gap": GAP, "filling": True}
    try:
        return choose(suite, budget=most, always=names[union(first, hit)], **options)
    except InfeasibleError:
        # Failed tests run, however long they take. The rest of the budget goes to the shortest of
        # the tests that run changed lines, so that most of these run.
        left = max((most or 0.0) - cost_of(suite, "seconds", first), 0.0)
        shortest = hit[np.argsort(suite.seconds[hit], kind="stable")]
        fits = shortest[np.cumsum(suite.seconds[shortest]) <= left]
        return choose(suite, budget=left, **options | {"never": np.delete(names, fits)})
