"""Noting: hooks of pytest that note the lines and the time of each test, where the tests run."""

from __future__ import annotations

import os
from array import array
from collections import defaultdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest

from maxcover.errors import OptionError
from maxcover.suites.line_recorders import Sources, noting

if TYPE_CHECKING:
    from collections.abc import Generator

    from maxcover.suites.record import Noted

# A fixture of one of these scopes is set up once for several tests.
SHARED = ("class", "module", "package", "session")


class Noting:
    """Hooks of pytest in a process that runs tests; what they note travels on the reports."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._root = Path(config.rootpath)
        names = config.getoption("maxcover_source") or config.getini("maxcover_source")
        try:
            self._lines = noting(Sources(self._root.resolve(), names))
        except OptionError as error:
            raise pytest.UsageError(str(error)) from None
        self._begin, self._outside = perf_counter(), 0.0
        # when the test began, when its last report was made, what the test before took after that
        self._start = self._reported = self._begin
        self._tail = 0.0
        # the names under which lines are noted, the innermost last, and when each began
        self._names: list[str] = []
        self._starts: list[float] = []
        # seconds in shared fixtures, all and by fixture, that no report has carried yet
        self._apart = 0.0
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
        self._start = perf_counter()
        self._lines.switch(item.nodeid)
        try:
            return (yield)
        finally:
            self._lines.switch("")
            self._tail = perf_counter() - self._reported

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
        self._names.append(name)
        self._starts.append(perf_counter() - self._apart)
        self._lines.switch(name)

    def _leave(self) -> None:
        # fixtures that were set up meanwhile have taken their part
        taken = perf_counter() - self._apart - self._starts.pop()
        self._spent[self._names.pop()] += taken
        self._apart += taken
        self._lines.switch(self._names[-1] if self._names else "")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put what was noted on the last report, which travels to the process that writes."""
        report = yield
        if call.when == "teardown":
            seconds = perf_counter() - self._start - self._apart + self._tail
            fixtures: dict[str, Noted] = {
                name: {
                    "seconds": spent,
                    "setups": self._setups.get(name, 0),
                    "lines": self._shown(name),
                }
                for name, spent in self._spent.items()
            }
            test: Noted = {
                "seconds": seconds,
                "lines": self._shown(item.nodeid),
                "uses": sorted({*self._used(item), *self._setups}),
            }
            noted = {"test": test, "fixtures": fixtures, "outside": self._outside}
            vars(report)["maxcover"] = noted
            self._apart = 0.0
            self._spent.clear()
            self._setups.clear()
            self._reported = perf_counter()
        return report

    def _used(self, item: pytest.Item) -> list[str]:
        """Return the shared fixtures that a test uses."""
        by_name = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        indices = getattr(getattr(item, "callspec", None), "indices", {})
        found = (
            self._active.get((id(fixture), indices.get(name, 0)))
            for name, fixtures in by_name.items()
            for fixture in fixtures
        )
        return [name for name in found if name]

    def _shown(self, name: str) -> dict[str, bytes]:
        """Return the lines noted under a name, as numbers of four bytes by file."""
        return {
            self._place(path): array("i", lines).tobytes()
            for path, lines in self._lines.take(name).items()
        }

    def _place(self, path: str) -> str:
        """Return a file relative to the root folder, if it is in it."""
        if path not in self._places:
            relative = os.path.relpath(path, self._root)
            place = os.path.abspath(path) if relative.startswith("..") else relative
            self._places[path] = place.replace(os.sep, "/")
        return self._places[path]

    def pytest_unconfigure(self) -> None:
        """Note no more, now that every fixture is torn down."""
        self._lines.stop()
