"""Recording: ``pytest --maxcover-record`` records lines and time of each test, and writes the file.

The measurements of a test are attached to its test report. So a run on several workers of
pytest-xdist is recorded like any other, and a worker that crashes loses one test. The process that
the user started writes the file at the end, or not at all if the run was cut short.
"""

from __future__ import annotations

import os
from array import array
from collections import defaultdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest

from maxcover.errors import MaxcoverError, OptionError
from pytest_maxcover.line_recorders import IS_TRACED, MeasuredSources, OpenedFiles, begin, place_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_maxcover.line_recorders import Monitor, Tracer
    from pytest_maxcover.record import Record

    LineRecorder = Monitor | Tracer

# A fixture of one of these scopes is set up once for several tests.
SHARED = ("class", "module", "package", "session")


class Noting:
    """Pytest hooks of a process that runs tests; they attach measurements to the test reports."""

    def __init__(self, config: pytest.Config, *, lines: bool = True) -> None:
        self._root = Path(config.rootpath)
        self._lines: LineRecorder | None = None
        self._opened: OpenedFiles | None = None
        if lines:
            self._begin_lines(config)
        # Stack of the test and the fixtures that are being measured, the innermost last. Time since
        # `_since` belongs to the innermost one.
        self._names: list[str] = []
        self._begin = self._since = perf_counter()
        self._outside = 0.0
        # Seconds that pytest spent after the last report of the previous test.
        self._tail = 0.0
        # Seconds and set-ups of each test or fixture that are not yet attached to a report.
        self._spent: defaultdict[str, float] = defaultdict(float)
        self._setups: defaultdict[str, int] = defaultdict(int)
        self._places: dict[str, str] = {}
        self._active: dict[tuple[int, int], str] = {}

    def _begin_lines(self, config: pytest.Config) -> None:
        """Start to record lines and opened files."""
        names = config.getoption("maxcover_source") or config.getini("maxcover_source")
        try:
            sources = MeasuredSources(self._root.resolve(), names)
            self._lines = begin(sources)
            self._opened = OpenedFiles(str(self._root), sources)
        except OptionError as error:
            raise pytest.UsageError(str(error)) from None

    def pytest_collection_finish(self) -> None:
        """Record the seconds from the start to the end of collection."""
        self._outside = perf_counter() - self._begin

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Record the lines of a test, and its time including pytest's own work around it."""
        self._names = [item.nodeid]
        self._since = perf_counter() - self._tail
        self._switch(item.nodeid)
        try:
            return (yield)
        finally:
            self._switch("")
            self._tail = perf_counter() - self._since

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Generator[None, Any, Any]:
        """Record the time and lines of a shared fixture separately from those of its tests."""
        if fixturedef.scope not in SHARED or not self._names:
            return (yield)
        index = getattr(request, "param_index", 0)
        name = f"{request.node.nodeid}|{fixturedef.baseid}|{fixturedef.argname}|{index}"
        self._active[id(fixturedef), index] = name
        # Finalizers run in reverse order: this one runs last, and ends the measured tear-down.
        fixturedef.addfinalizer(self._leave)
        self._setups[name] += 1
        self._enter(name)
        try:
            return (yield)
        finally:
            self._leave()
            fixturedef.addfinalizer(lambda: self._enter(name))

    def _switch(self, name: str) -> None:
        """Note lines and files under `name` from now on."""
        if self._lines and self._opened:
            self._lines.switch(name)
            self._opened.switch(name)

    def _enter(self, name: str) -> None:
        self._charge()
        self._names.append(name)
        self._switch(name)

    def _leave(self) -> None:
        self._charge()
        self._names.pop()
        self._switch(self._names[-1] if self._names else "")

    def _charge(self) -> None:
        """Add the time since the last charge to the innermost test or fixture."""
        now = perf_counter()
        if self._names:
            self._spent[self._names[-1]] += now - self._since
        self._since = now

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the measurements to the report of the teardown, the last report of a test."""
        report = yield
        if call.when == "teardown":
            self._charge()
            # Of the test and of each shared fixture: seconds, number of set-ups, and lines.
            rows = {
                name: (seconds, self._setups.get(name, 0), self._noted(name))
                for name, seconds in self._spent.items()
            }
            # A test that runs no line of its file, as if skipped, has one: where it is defined.
            file, line, _ = item.location
            lines = rows[item.nodeid][2]
            lines.setdefault(
                self._place(os.path.join(self._root, file)), array("q", [(line or 0) + 1]).tobytes()
            )
            vars(report)["maxcover"] = {
                "rows": rows,
                "opened": self._opened_by_place(),
                "uses": sorted({*self._used(item), *self._setups}),
                "outside": self._outside,
            }
            self._spent.clear()
            self._setups.clear()
        return report

    def _used(self, item: pytest.Item) -> list[str]:
        """Return the names of the shared fixtures that a test uses."""
        by_name = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        indices = getattr(getattr(item, "callspec", None), "indices", {})
        active = (
            self._active.get((id(fixture), indices.get(name, 0)))
            for name, fixtures in by_name.items()
            for fixture in fixtures
        )
        return [name for name in active if name]

    def _place(self, path: str) -> str:
        """Return what a file is called in the record."""
        if path not in self._places:
            self._places[path] = place_of(path, str(self._root))
        return self._places[path]

    def _noted(self, name: str) -> dict[str, bytes]:
        """Return the lines of a test or fixture by file, as the bytes of 64-bit integers."""
        return {
            self._place(path): array("q", lines if path.endswith(".py") else [0]).tobytes()
            for path, lines in (self._lines.take(name) if self._lines else {}).items()
        }

    def _opened_by_place(self) -> dict[str, dict[str, list[tuple[str, int, int]]]]:
        """Return the files that tests and fixtures opened, each with the functions on the stack."""
        return {
            name: {
                self._place(path): [(self._place(file), a, b) for file, a, b in stack]
                for path, stack in files.items()
            }
            for name, files in (self._opened.take() if self._opened else {}).items()
        }

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Stop recording, after every fixture is torn down and before the file is written."""
        if self._lines and self._opened:
            self._lines.stop()
            self._opened.stop()


class Recording:
    """Pytest hooks that write the record; in a worker they only send the names of its tests.

    Without `lines`, they only add durations to a record.
    """

    def __init__(self, config: pytest.Config, *, lines: bool = True) -> None:
        self._config, self._has_lines = config, lines
        self._process = os.getpid()
        self._is_worker = hasattr(config, "workerinput")
        # The measurements of each test, as its last report carried them.
        self._noted: dict[str, dict[str, Any]] = {}
        self._failed: set[str] = set()
        self._skipped: set[str] = set()
        self._collected: set[str] = set()
        self._said = "nothing was recorded, since the run did not come to its end"

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Remember all collected tests, before any is deselected."""
        self._collected = {item.nodeid for item in items}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the tests that a worker collected."""
        self._collected |= {*getattr(node, "workeroutput", {}).get("maxcover_collected", ())}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember failures and skipped tests, and keep the measurements on the report."""
        if report.failed:
            self._failed.add(report.nodeid)
        if report.skipped and report.when == "setup":
            self._skipped.add(report.nodeid)
        noted = getattr(report, "maxcover", None)
        if noted and not self._is_worker:
            self._noted[report.nodeid] = noted

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the file, unless the run was cut short."""
        if self._is_worker:
            self._config.workeroutput["maxcover_collected"] = sorted(self._collected)  # type: ignore[attr-defined]
        elif os.getpid() == self._process and exitstatus in (
            pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED,
        ):  # fmt: skip
            self._said = self._write() if self._noted else "no test ran, so nothing was recorded"

    def _write(self) -> str:
        """Write the record, merged with an earlier one; return a sentence on what it holds."""
        from pytest_maxcover.record import Record

        taken: defaultdict[str, float] = defaultdict(float)
        setups: defaultdict[str, int] = defaultdict(int)
        for noted in self._noted.values():
            for name, (seconds, times, _) in noted["rows"].items():
                taken[name] += seconds
                setups[name] += times
        seconds = {name: [round(taken[name] / max(setups[name], 1), 6)] for name in taken}
        root = Path(self._config.rootpath)
        path = root / self._config.getoption("maxcover_file")
        try:
            earlier = Record.load(path)
        except (FileNotFoundError, MaxcoverError):
            # What is damaged or of an earlier version is recorded anew.
            earlier = None
        if earlier and not self._has_lines:
            known = {*seconds}.intersection(earlier.seconds)
            earlier.timed({name: seconds[name] for name in known}).save(path)
            return f"durations of {len(self._noted):,} tests are in {path.name}"
        record = self._recorded(root, earlier, seconds)
        record.save(path)
        n_lines = int(record.is_counted.sum())
        said = f"{len(record.tests):,} tests that run {n_lines:,} lines are in {path.name}"
        if record.traced:
            said += "; durations are those under a tracer until tests run by --maxcover"
        return said if n_lines else (
            f"{said}; no line outside of test files was run in this process: name the installed "
            "package with --maxcover-source; subprocesses are not recorded"
        )  # fmt: skip

    def _recorded(
        self, root: Path, earlier: Record | None, seconds: dict[str, list[float]]
    ) -> Record:
        """Return what this run recorded, merged with an earlier record."""
        # NumPy is imported only here: the tests run without it unless they import it themselves.
        import numpy as np

        from pytest_maxcover.changes import state_of
        from pytest_maxcover.record import Record, add_cached
        from pytest_maxcover.suite import Recorder

        recorder = Recorder()
        for name in seconds:
            recorder.test(name)
        opened: list[tuple[str, str, list[tuple[str, int, int]]]] = []
        for noted in self._noted.values():
            for name, (_, _, lines) in noted["rows"].items():
                for source, numbers in lines.items():
                    recorder.add(name, source, np.frombuffer(numbers, dtype=np.int64))
            for name, files in noted["opened"].items():
                opened += [(name, file, stack) for file, stack in files.items()]
        add_cached(recorder, opened, root)
        rows = recorder.suite()
        files = {*rows.files, *(earlier.rows.files if earlier else ())}
        revision, dirty = state_of(root, files)
        record = Record(
            rows=rows,
            seconds=seconds,
            uses={test: noted["uses"] for test, noted in self._noted.items() if noted["uses"]},
            traced=sorted(seconds) if IS_TRACED else [],
            failed=sorted(self._failed & {*self._noted}),
            skipped=sorted(self._skipped & {*self._noted}),
            revision=revision,
            dirty=dirty,
            outside=max(noted["outside"] for noted in self._noted.values()),
        )
        return earlier.updated(record, root, self._collected) if earlier else record

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print what was recorded."""
        terminalreporter.write_line(f"maxcover: {self._said}")
