"""Recording: ``pytest --maxcover-record`` notes lines and time of each test, and writes the file.

What a process notes of its tests travels on their reports, so a run on several workers of
pytest-xdist is recorded like any other, and a worker that crashes loses one test. The process that
the user started writes the file: at the end, whole, and not at all if the run was cut short.
"""

from __future__ import annotations

import os
from array import array
from collections import defaultdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest

from maxcover.errors import OptionError
from maxcover.suites.line_recorders import MeasuredSources, begin

if TYPE_CHECKING:
    from collections.abc import Generator

# A fixture of one of these scopes is set up once for several tests.
SHARED = ("class", "module", "package", "session")


class Noting:
    """Hooks of pytest in a process that runs tests; what they note travels on the reports."""

    def __init__(self, config: pytest.Config) -> None:
        self._root = Path(config.rootpath)
        names = config.getoption("maxcover_source") or config.getini("maxcover_source")
        try:
            sources = MeasuredSources(self._root.resolve(), names)
            self._lines = begin(sources, branches=config.getoption("maxcover_branches"))
        except OptionError as error:
            raise pytest.UsageError(str(error)) from None
        # the names under which lines and time are noted, the innermost last, and since when
        self._names: list[str] = []
        self._begin = self._since = perf_counter()
        self._outside = 0.0
        # what pytest did after the last report of the test before
        self._tail = 0.0
        # seconds and set-ups by name that no report has carried yet
        self._spent: defaultdict[str, float] = defaultdict(float)
        self._setups: defaultdict[str, int] = defaultdict(int)
        self._places: dict[str, str] = {}
        self._active: dict[tuple[int, int], str] = {}

    def pytest_collection_finish(self) -> None:
        """Note how long it took to get here."""
        self._outside = perf_counter() - self._begin

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Note the lines of a test, and its time with all that pytest does around it."""
        self._names = [item.nodeid]
        self._since = perf_counter() - self._tail
        self._lines.switch(item.nodeid)
        try:
            return (yield)
        finally:
            self._lines.switch("")
            self._tail = perf_counter() - self._since

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Generator[None, Any, Any]:
        """Note time and lines of a fixture that several tests share, apart from theirs."""
        if fixturedef.scope not in SHARED or not self._names:
            return (yield)
        index = getattr(request, "param_index", 0)
        name = f"{request.node.nodeid}|{fixturedef.baseid}|{fixturedef.argname}|{index}"
        self._active[id(fixturedef), index] = name
        # finalizers run from the last to the first: the clock stops last
        fixturedef.addfinalizer(self._leave)
        self._setups[name] += 1
        self._enter(name)
        try:
            return (yield)
        finally:
            self._leave()
            fixturedef.addfinalizer(lambda: self._enter(name))

    def _enter(self, name: str) -> None:
        self._charge()
        self._names.append(name)
        self._lines.switch(name)

    def _leave(self) -> None:
        self._charge()
        self._names.pop()
        self._lines.switch(self._names[-1] if self._names else "")

    def _charge(self) -> None:
        """Charge the time since the last change to the innermost name."""
        now = perf_counter()
        if self._names:
            self._spent[self._names[-1]] += now - self._since
        self._since = now

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put what was noted on the last report, which travels to the process that writes."""
        report = yield
        if call.when == "teardown":
            self._charge()
            # seconds, how often it was set up, and lines, of the test and of shared fixtures
            rows = {
                name: (seconds, self._setups.get(name, 0), self._noted(name))
                for name, seconds in self._spent.items()
            }
            uses = sorted({*self._used(item), *self._setups})
            vars(report)["maxcover"] = {"rows": rows, "uses": uses, "outside": self._outside}
            self._spent.clear()
            self._setups.clear()
        return report

    def _used(self, item: pytest.Item) -> list[str]:
        """Return the shared fixtures that a test uses."""
        by_name = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        indices = getattr(getattr(item, "callspec", None), "indices", {})
        active = (
            self._active.get((id(fixture), indices.get(name, 0)))
            for name, fixtures in by_name.items()
            for fixture in fixtures
        )
        return [name for name in active if name]

    def _noted(self, name: str) -> dict[str, bytes]:
        """Return the lines noted under a name, as numbers of eight bytes by file.

        A file is relative to the root folder, if it is in it.
        """
        lines = self._lines.take(name)
        for path in lines.keys() - self._places.keys():
            relative = os.path.relpath(path, self._root)
            place = os.path.abspath(path) if relative.startswith("..") else relative
            self._places[path] = place.replace(os.sep, "/")
        return {self._places[path]: array("q", some).tobytes() for path, some in lines.items()}

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Note no more, now that every fixture is torn down and before anything is written."""
        self._lines.stop()


class Recording:
    """Hooks of pytest in the process that writes, and in workers, which say what they collected."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._process = os.getpid()
        self._is_worker = hasattr(config, "workerinput")
        # what the reports of the tests carried
        self._noted: dict[str, dict[str, Any]] = {}
        self._failed: set[str] = set()
        self._skipped: set[str] = set()
        self._collected: set[str] = set()
        self._said = "nothing was recorded, since the run did not come to its end"

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
        if report.failed:
            self._failed.add(report.nodeid)
        if report.skipped and report.when == "setup":
            # without a record it counts as new, and runs as soon as it can
            self._skipped.add(report.nodeid)
        noted = getattr(report, "maxcover", None)
        if noted and report.nodeid not in self._skipped and not self._is_worker:
            self._noted[report.nodeid] = noted

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the file, unless the run was cut short."""
        if self._is_worker:
            self._config.workeroutput["maxcover_collected"] = sorted(self._collected)  # type: ignore[attr-defined]
        elif (
            os.getpid() == self._process
            and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
            and self._noted
        ):
            self._said = self._write()

    def _write(self) -> str:
        """Write the record over an earlier one, and say what it holds."""
        # tests run without numpy, unless they load it themselves
        import numpy as np

        from maxcover.suites.changes import state_of
        from maxcover.suites.record import Record
        from maxcover.suites.suite import Recorder

        recorder = Recorder()
        taken: defaultdict[str, float] = defaultdict(float)
        setups: defaultdict[str, int] = defaultdict(int)
        rows = (row for noted in self._noted.values() for row in noted["rows"].items())
        for name, (seconds, times, lines) in rows:
            recorder.test(name)
            taken[name] += seconds
            setups[name] += times
            for source, numbers in lines.items():
                recorder.add(name, source, np.frombuffer(numbers, dtype=np.int64))
        root = Path(self._config.rootpath)
        path = root / self._config.getoption("maxcover_file")
        revision, dirty = state_of(root)
        record = Record(
            rows=recorder.suite(),
            seconds={name: [round(taken[name] / max(setups[name], 1), 6)] for name in taken},
            uses={test: noted["uses"] for test, noted in self._noted.items() if noted["uses"]},
            failed=sorted(self._failed & {*self._noted}),
            revision=revision,
            dirty=dirty,
            outside=max(noted["outside"] for noted in self._noted.values()),
        )
        if path.exists():
            record = Record.load(path).updated(record, root, self._collected)
        record.save(path)
        n_lines = int(record.is_counted.sum())
        said = f"{len(record.tests):,} tests that run {n_lines:,} lines are in {path.name}"
        return said if n_lines else (
            f"{said}; no line outside of test files was run in this process: name the installed "
            "package with --maxcover-source; subprocesses are not recorded"
        )  # fmt: skip

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was recorded."""
        terminalreporter.write_line(f"maxcover: {self._said}")
