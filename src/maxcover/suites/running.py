"""Running: ``pytest --maxcover=3min`` runs the tests that cover the most, the best first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import time
from typing import Any

import pytest

from maxcover.errors import MaxcoverError
from maxcover.suites import shadow
from maxcover.suites.amounts import duration
from maxcover.suites.changes import state_of
from maxcover.suites.planning import Budget, SuitePlan, make_plan
from maxcover.suites.record import Record


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
            self._changed = self._changed_tests(self._record)
            Budget.of(config.getoption("maxcover") or "100%", 1.0)
        except FileNotFoundError:
            raise pytest.UsageError(
                f"expected a record in {path.name} for --maxcover, got none; write "
                "pytest --maxcover-record first"
            ) from None
        except MaxcoverError as error:
            raise pytest.UsageError(str(error)) from None

    def _changed_tests(self, record: Record) -> list[str]:
        """Return the tests that run lines changed since the revision that the options name."""
        since = self._config.getoption("maxcover_since")
        if self._config.getoption("maxcover_record_changed"):
            since = since or record.revision
        return record.touched_tests(self._root, since) if since else []

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
            due = {*self._changed, *failed} | ({*tests} - {*record.tests})
            return SuitePlan(tests=[test for test in tests if test in due], n_all=len(tests))
        budget = Budget.of(asked, record.suite().total())
        if budget.seconds is not None and "%" not in asked:
            # All workers must make the same plan, so they use a recorded time instead of a clock.
            spent = record.outside if self._workers else time() - self._begin
            budget = Budget(seconds=max(budget.seconds - spent, 0.0))
        return make_plan(
            record,
            tests,
            budget,
            failed=failed,
            changed=self._changed,
            workers=max(self._workers, 1),
        )

    def pytest_sessionfinish(self) -> None:
        """Send the plan from a worker to the main process; in shadow mode note what failed."""
        self._took = time() - self._begin
        if self._workers:
            self._config.workeroutput["maxcover_plan"] = (self._said, sorted(self._planned))  # type: ignore[attr-defined]
        elif self._is_shadow:
            path = self._path.with_suffix(".shadow.jsonl")
            new = sorted(self._failures - self._failed_before)
            revision, dirty = state_of(self._root)
            chosen = [test for test in new if test in self._planned]
            shadow.note(path, shadow.ShadowRun("" if dirty else revision, new, chosen))
            self._said += f" All tests ran. {shadow.report(shadow.history(path))}"

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
