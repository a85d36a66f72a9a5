"""``pytest --maxcover-record``: collects what was noted of each test, and writes the file.

What a process notes of its tests travels on their reports, so a run on several workers of
pytest-xdist is recorded like any other, and a worker that crashes loses one test. The process that
the user started writes the file: at the end, whole, and not at all if the run was cut short.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from maxcover.suites.record import Noted


class Recording:
    """Hooks of pytest in the process that writes, and in workers, which say what they collected."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._root = Path(config.rootpath)
        self._process = os.getpid()
        self._is_worker = hasattr(config, "workerinput")
        self._outside = 0.0
        self._tests: dict[str, Noted] = {}
        self._fixtures: dict[str, Noted] = {}
        self._failed: set[str] = set()
        self._skipped: set[str] = set()
        self._collected: set[str] = set()
        self._said = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Remember which tests there are, before any is deselected."""
        self._collected = {item.nodeid for item in items}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take from a worker which tests there are."""
        self._collected |= {*getattr(node, "workeroutput", {}).get("maxcover_collected", ())}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect what the reports carry."""
        if self._is_worker:
            return
        if report.failed:
            self._failed.add(report.nodeid)
        if report.skipped and report.when == "setup":
            # without a record it counts as new, and runs as soon as it can
            self._skipped.add(report.nodeid)
        noted = getattr(report, "maxcover", None)
        if noted and report.nodeid not in self._skipped:
            self._outside = noted["outside"]
            self._tests[report.nodeid] = noted["test"]
            for name, part in noted["fixtures"].items():
                _add(self._fixtures, name, part)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the file, unless the run was cut short."""
        if self._is_worker:
            self._config.workeroutput["maxcover_collected"] = sorted(self._collected)  # type: ignore[attr-defined]
        if self._is_worker or os.getpid() != self._process:
            return
        is_whole = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if not is_whole or not self._tests:
            self._said = "nothing was recorded, since the run did not come to its end"
            return
        from maxcover.suites.record import Record, write

        path = self._root / self._config.getoption("maxcover_file")
        record = Record.of_run(
            self._root,
            self._tests,
            self._fixtures,
            failed=sorted(self._failed & {*self._tests}),
            outside=self._outside,
        )
        self._said = write(record, path, self._collected)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was recorded."""
        terminalreporter.write_line(f"maxcover: {self._said}")


def _add(table: dict[str, Noted], name: str, part: Noted) -> None:
    """Add what one report says of a fixture."""
    whole = table.setdefault(name, {"seconds": 0.0, "setups": 0, "lines": {}})
    whole["seconds"] += part["seconds"]
    whole["setups"] += part["setups"]
    for path, lines in part["lines"].items():
        whole["lines"][path] = whole["lines"].get(path, b"") + lines
