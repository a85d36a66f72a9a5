"""Planning: which tests run within a budget, in which order, why, and what is proven."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.engine.core.ascending import union
from maxcover.errors import InfeasibleError, OptionError
from pytest_maxcover.amounts import duration, seconds_in
from pytest_maxcover.choosing import choose, cost_of
from pytest_maxcover.ordering import best_first, makespan
from pytest_maxcover.suite_wording import certificate, few

if TYPE_CHECKING:
    from collections.abc import Collection

    from maxcover.ground.array_types import Int64s
    from pytest_maxcover.choosing import Selection
    from pytest_maxcover.record import Record
    from pytest_maxcover.suite import Suite

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
    new, failed, skipped, changed : collection of str
        Tests that run in any case: without a record, failed or left out although due when they last
        ran, skipped then, or running what has changed.
    unknown : collection of str
        Changed files that no recorded test is known to use.
    seconds : float
        The planned time of the tests, without the time to start pytest and to collect.
    outside : float
        The seconds from the start of the run until the tests were planned; 0 if not known.
    share : float
        The share of the recorded lines that the tests run.
    proven : str
        The certificate of the selection, as a sentence; empty if all tests run.
    smallest : float
        If no test fits the budget: the seconds that the shortest test takes.
    """

    tests: list[str]
    n_all: int
    new: Collection[str] = ()
    failed: Collection[str] = ()
    skipped: Collection[str] = ()
    changed: Collection[str] = ()
    unknown: Collection[str] = ()
    seconds: float = 0.0
    outside: float = 0.0
    share: float = 1.0
    proven: str = ""
    smallest: float = 0.0

    @classmethod
    def of_due(
        cls,
        record: Record,
        tests: list[str],
        failed: Collection[str],
        changed: Collection[str],
        unknown: Collection[str],
    ) -> SuitePlan:
        """Return the plan to run, without a budget, what is new, failed or run by a change."""
        new = {*tests} - {*record.tests}
        return cls(
            tests=[test for test in tests if test in new.union(failed, changed)],
            n_all=len(tests),
            new=new,
            failed={*tests}.intersection(failed),
            changed={*tests}.intersection(changed),
            unknown=unknown,
        )

    def __str__(self) -> str:
        if not self.n_all:
            return "There are no tests to choose from: none was collected, or -k or -m left none."
        reasons = (
            (self.new, "new or not recorded"),
            (self.failed, "failed last time"),
            (self.skipped, "skipped last time"),
            (self.changed, "run changed lines or files"),
        )
        always = ", ".join(f"{len(tests):,} {why}" for tests, why in reasons if tests)
        left = self.n_all - len(self.tests)
        collected = f" after {duration(self.outside)} of collecting" if self.outside else ""
        planned = (
            f"{len(self.tests):,} of {self.n_all:,} tests, planned to take "
            f"{duration(self.seconds)}{collected}, run {self.share:.2%} of the recorded lines."
        )
        if not self.seconds and not self.smallest:
            planned = "" if self.tests else "Nothing changed that a test runs."
        smallest = ceil(10 * (self.outside + self.smallest)) / 10
        parts = (
            planned,
            self.proven,
            f"In any case: {always}." if always else "",
            f"Left out: {left:,} tests." if left else "Everything fits: all tests run.",
            f"No test fits the time that collecting left: write at least --maxcover={smallest:g}s."
            if self.smallest
            else "",
            f"Changed, and used by no recorded test: {few(self.unknown)}." if self.unknown else "",
        )
        return " ".join(filter(None, parts))


def make_plan(
    record: Record,
    tests: list[str],
    budget: Budget,
    *,
    failed: Collection[str] = (),
    changed: Collection[str] = (),
    unknown: Collection[str] = (),
    least: float = 0.0,
    workers: int = 1,
) -> SuitePlan:
    """Choose which of `tests` to run within `budget`, and order them, the best first.

    Tests without a record, failed tests and tests that run what changed are always in the plan. If
    they alone take too long, only the shortest of the tests that run what changed are: those that
    fit the budget or, if collecting left less than that, `least` seconds.
    """
    recorded = {*record.tests}
    known = [test for test in tests if test in recorded]
    new = [test for test in tests if test not in recorded]
    suite = record.suite(known)
    places = [np.flatnonzero(np.isin(known, [*n])) for n in (failed, record.skipped, changed)]
    first, hit = union(*places[:2]), places[2]
    own = len(new) * float(np.median(suite.seconds)) / workers if known else 0.0
    limit = None if budget.seconds is None else max(budget.seconds - own, 0.0)
    order, share, proven = [*range(len(known))], 1.0, ""
    if known and (limit is None or makespan(order, suite, workers)[0] > limit):
        order, share, proven = _chosen(
            suite, first, hit, limit, lines=budget.lines, least=least, workers=workers
        )
    return SuitePlan(
        tests=[*new, *(known[k] for k in order)],
        n_all=len(tests),
        new=new,
        failed=[known[k] for k in places[0]],
        skipped=[known[k] for k in places[1]],
        changed=[known[k] for k in hit],
        unknown=unknown,
        seconds=makespan(order, suite, workers)[0] + own,
        share=share,
        proven=proven,
        smallest=_smallest(suite, limit, workers),
    )


def _chosen(
    suite: Suite,
    first: Int64s,
    hit: Int64s,
    limit: float | None,
    *,
    lines: float | None,
    least: float,
    workers: int,
) -> tuple[list[int], float, str]:
    """Return the chosen tests in order, the share of the lines that they run, and a certificate."""
    selection = _selected(
        replace(suite, shared=suite.shared.for_workers(workers)),
        first,
        hit,
        None if limit is None else limit * workers,
        least=least * workers,
        target=lines,
        never=[] if limit is None else np.array(suite.tests)[suite.seconds > limit],
    )
    together = suite.shared.together
    problem, chosen = selection.problem, union(selection.run, first)
    front = best_first(problem, np.intersect1d(chosen, union(first, hit)), first, together)
    order = best_first(problem, chosen, np.array(front, dtype=np.int64), together)
    if limit is not None and workers > 1:
        _, ends = makespan(order, suite, workers)
        order = [k for k, end in zip(order, ends, strict=True) if end <= limit or k in front]
    share = problem.value(np.sort(order)) / (selection.total or 1.0)
    if limit is None:
        return order, share, certificate(selection)
    within = f"within {duration(limit)}"
    return order, share, certificate(selection, within=within, share=share)


def _smallest(suite: Suite, limit: float | None, workers: int) -> float:
    """Return the seconds of the test that takes least, with its fixtures; 0 if it fits `limit`."""
    alone = [makespan([test], suite, workers)[0] for test in range(len(suite.tests))]
    least = min(alone, default=0.0)
    return 0.0 if limit is None or least <= limit else least


def _selected(
    suite: Suite, first: Int64s, hit: Int64s, most: float | None, least: float, **options: Any
) -> Selection:
    """Choose tests that include the failed (`first`) and the changed ones (`hit`), if these fit.

    If they do not fit the budget, choose the shortest of `hit` within it or `least`.
    """
    names = np.array(suite.tests)
    options |= {"target_gap": GAP, "filling": True}
    try:
        return choose(suite, budget=most, always=names[union(first, hit)], **options)
    except InfeasibleError:
        # Failed tests run, however long they take. The rest of the budget goes to the shortest of
        # the tests that run what changed, so that most of these run.
        left = max(max(most or 0.0, least) - cost_of(suite, "seconds", first), 0.0)
        shortest = hit[np.argsort(suite.seconds[hit], kind="stable")]
        fits = shortest[np.cumsum(suite.seconds[shortest]) <= left]
        return choose(suite, budget=left, **options | {"never": np.delete(names, fits)})
