"""Running: ``pytest --maxcover=3min`` runs the tests that cover the most, the best first.

In shadow mode all tests run, and a history keeps which failures the plan would have found.
"""

from __future__ import annotations

import json
from dataclasses import replace
from math import sqrt
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from maxcover.errors import MaxcoverError
from pytest_maxcover.amounts import duration
from pytest_maxcover.changes import state_of
from pytest_maxcover.planning import Budget, SuitePlan, make_plan
from pytest_maxcover.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable


# Quantile of the normal distribution for an interval of 95 %.
QUANTILE = 1.959964


class ShadowRun(NamedTuple):
    """A run of all tests: the tests that newly failed, and which of them the plan had chosen.

    `revision` is the git revision of the files; empty if the files differed from it.
    """

    revision: str
    failed: list[str]
    chosen: list[str]


def note(path: Path, run: ShadowRun) -> None:
    """Append a run to the history file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(run) + "\n")


def history(path: Path) -> list[ShadowRun]:
    """Read the runs from the history file; incomplete lines are skipped."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            found.append(ShadowRun(*json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found


def verdict(run: ShadowRun, runs: Iterable[ShadowRun]) -> str:
    """Return "" for a run without new failures, else "found", "missed" or "cannot tell".

    A failure counts only if it occurred in every run of the same revision.
    """
    same = [other for other in runs if run.revision and other.revision == run.revision]
    stable = {test for test in run.failed if all(test in other.failed for other in same)}
    if not run.failed:
        return ""
    if not stable:
        return "cannot tell"
    return "missed" if stable.isdisjoint(run.chosen) else "found"


def interval(found: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % confidence interval for the share `found` / `of`.

    Examples
    --------
    >>> tuple(round(end, 3) for end in interval(10, 11))
    (0.623, 0.984)
    """
    share, spread = found / of, QUANTILE**2 / of
    middle = (share + spread / 2) / (1 + spread)
    half = QUANTILE / (1 + spread) * sqrt(share * (1 - share) / of + spread / (4 * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def report(runs: list[ShadowRun]) -> str:
    """Return a text on which new failures the plans would have found, over all runs.

    Examples
    --------
    >>> runs = [ShadowRun("a", ["t"], ["t"]), ShadowRun("b", ["u"], []), ShadowRun("c", [], [])]
    >>> report(runs)
    'Of 3 runs 2 had new failures: the chosen tests would have found 1 and missed 1, and 0 cannot \
be told. They find 50 % of such runs (95 % interval 9 to 91 %).'
    """
    kinds = [verdict(run, runs) for run in runs]
    found, missed = kinds.count("found"), kinds.count("missed")
    said = (
        f"Of {len(runs):,} runs {len(runs) - kinds.count(''):,} had new failures: the chosen tests "
        f"would have found {found:,} and missed {missed:,}, and {kinds.count('cannot tell'):,} "
        "cannot be told."
    )
    if found + missed:
        low, high = interval(found, found + missed)
        said += (
            f" They find {100 * found / (found + missed):.0f} % of such runs "
            f"(95 % interval {100 * low:.0f} to {100 * high:.0f} %)."
        )
    return said


class Running:
    """Pytest hooks that choose the tests to run and order them."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._root = Path(config.rootpath)
        sent = getattr(config, "workerinput", {})
        self._workers = int(sent.get("workercount", 0))
        # When the run began: seconds of the system's clock, which all processes share.
        self._begin = float(sent.get("maxcover_begin", time()))
        self._said = ""
        self._took = 0.0
        self._is_shadow = bool(config.getoption("maxcover_shadow"))
        self._planned: set[str] = set()
        self._failures: set[str] = set()
        self._path = path = self._root / config.getoption("maxcover_file")
        try:
            self._record = Record.load(path)
            self._failed_before = {*self._record.failed, *_failed_last(config)}
            self._changed, self._unknown = self._changed_tests(self._record)
            Budget.of(config.getoption("maxcover") or "100%", 1.0)
        except FileNotFoundError:
            raise pytest.UsageError(
                f"expected a record in {path.name}, got none; write pytest --maxcover-record first"
            ) from None
        except MaxcoverError as error:
            raise pytest.UsageError(str(error)) from None

    @property
    def has_times(self) -> bool:
        """Whether no recorded duration was measured under a tracer."""
        return not self._record.traced

    def _changed_tests(self, record: Record) -> tuple[list[str], list[str]]:
        """Return the tests that run what changed, and changed files that no test uses."""
        since = self._config.getoption("maxcover_since")
        if since or self._config.getoption("maxcover_record_changed"):
            return record.touched_tests(self._root, since)
        return [], []

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker when the run began, before the worker was started."""
        node.workerinput["maxcover_begin"] = self._begin

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the planned tests, in the order of the plan; in shadow mode keep all tests."""
        plan = self._plan([item.nodeid for item in items])
        plan = replace(plan, outside=time() - self._begin)
        self._said, self._planned = str(plan), {*plan.tests}
        if self._is_shadow:
            return
        place = {test: k for k, test in enumerate(plan.tests)}
        chosen = [item for item in items if item.nodeid in place]
        left = [item for item in items if item.nodeid not in place]
        chosen.sort(key=lambda item: place[item.nodeid])
        items[:] = chosen
        if left:
            self._config.hook.pytest_deselected(items=left)

    def _plan(self, tests: list[str]) -> SuitePlan:
        """Return the plan for the collected tests."""
        record = self._record
        failed = self._failed_before
        asked = self._config.getoption("maxcover")
        if not asked:
            return SuitePlan.of_due(record, tests, failed, self._changed, self._unknown)
        budget, least = Budget.of(asked, record.suite().total()), 0.0
        if budget.seconds is not None and "%" not in asked:
            # All workers must make the same plan, so they use a recorded time instead of a clock.
            spent = record.outside if self._workers else time() - self._begin
            least, budget = budget.seconds, Budget(seconds=max(budget.seconds - spent, 0.0))
        return make_plan(
            record,
            tests,
            budget,
            failed=failed,
            changed=self._changed,
            unknown=self._unknown,
            least=least,
            workers=max(self._workers, 1),
        )

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Send the plan from a worker to the main process; in shadow mode note what failed.

        A run is a success if there is nothing to run because nothing changed.
        """
        self._took = time() - self._begin
        is_empty = exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self._said
        if is_empty and not self._config.getoption("maxcover"):
            session.exitstatus = pytest.ExitCode.OK
        if self._workers:
            self._config.workeroutput["maxcover_plan"] = (self._said, sorted(self._planned))  # type: ignore[attr-defined]
        elif self._is_shadow:
            path = self._path.with_suffix(".shadow.jsonl")
            new = sorted(self._failures - self._failed_before)
            revision, dirty = state_of(self._root)
            chosen = [test for test in new if test in self._planned]
            note(path, ShadowRun("" if dirty else revision, new, chosen))
            self._said += f" All tests ran. {report(history(path))}"

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the plan that a worker sent."""
        sent = getattr(node, "workeroutput", {}).get("maxcover_plan")
        if sent:
            self._said, self._planned = sent[0], {*sent[1]}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember which tests failed."""
        if report.failed:
            self._failures.add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print what the plan covers, what is proven, what was left out, and the time taken."""
        took = f"It took {duration(self._took)} with the time to collect."
        terminalreporter.write_line(f"maxcover: {self._said} {took}")


def _failed_last(config: pytest.Config) -> list[str]:
    """Return the tests that failed last, from pytest's own cache."""
    cache = getattr(config, "cache", None)
    return [*cache.get("cache/lastfailed", {})] if cache else []
